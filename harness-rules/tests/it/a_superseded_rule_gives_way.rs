//! A rule that is promoted retires the one that it supersedes, and only that one; a line that says
//! so of any other is not believed.

use harness_core::{Retirement, RuleId, RuleStatus};
use harness_rules::{Desks, Proposal};
use harness_store::wire::event::{Event, RuleRetire};

use crate::fixture::{
    Names, Place, add_rule, advice, decide, promote, proposal, rule_on_trial, status,
};

const GIVEN_WAY: RuleStatus = RuleStatus::Retired(Retirement::Unproven);

/// An active rule, and a candidate that supersedes it or does not.
fn two(desks: &Desks, names: &mut Names, supersedes: bool) -> (RuleId, RuleId) {
    let old = rule_on_trial(desks, "n-1", proposal(&advice('a')));
    promote(desks, names, &old);
    let new = Proposal {
        supersedes: supersedes.then(|| old.clone()),
        ..proposal(&advice('b'))
    };
    let new = add_rule(desks, "n-2", new);
    decide(desks);
    (old, new)
}

#[test]
fn what_a_promoted_rule_supersedes_is_retired_with_it() {
    for supersedes in [true, false] {
        let place = Place::new();
        let desks = place.open();
        let mut names = Names::default();
        let (old, new) = two(&desks, &mut names, supersedes);
        assert_eq!(status(&desks, &old), RuleStatus::Active);
        promote(&desks, &mut names, &new);
        assert_eq!(status(&desks, &new), RuleStatus::Active);
        let expected = if supersedes {
            GIVEN_WAY
        } else {
            RuleStatus::Active
        };
        assert_eq!(status(&desks, &old), expected);
        assert_eq!(desks.book.ledger().unwrap().doubts(), []);
        let verification = place.verify(&old);
        assert!(verification.follows(), "{verification:?}");
        let last = verification.verdicts.last().unwrap().verdict;
        let (verdict, retired) = if supersedes {
            ("superseded", "retired")
        } else {
            ("promoted", "active")
        };
        assert_eq!((last, verification.status), (verdict, retired));
        drop(desks);
        assert_eq!(status(&place.open(), &old), expected);
    }
}

#[test]
fn a_line_that_says_so_without_a_promoted_rule_is_not_believed() {
    let place = Place::new();
    let desks = place.open();
    let (old, _) = two(&desks, &mut Names::default(), true);
    drop(desks);
    let halves = place.halves();
    let forged = RuleRetire {
        id: old.clone(),
        reason: Retirement::Unproven,
        validator: "superseded".to_owned(),
        evidence: None,
        note: None,
    };
    let soon = std::time::Duration::from_secs(5);
    halves.validation.append(soon, vec![forged.into()]).unwrap();
    drop(halves);
    assert!(matches!(place.events().last(), Some(Event::RuleRetire(_))));
    let desks = place.open();
    assert_eq!(status(&desks, &old), RuleStatus::Active);
    assert_eq!(desks.book.ledger().unwrap().doubts().len(), 1);
    assert!(!place.verify(&old).follows());
}
