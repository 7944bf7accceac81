//! The budget of active rules that each scope has, so that what an agent reads stays short.
//!
//! A rule is promoted only where its scope has room. One that has proven itself and finds none waits
//! with its trial open, and is promoted at the first look at which both hold: its evidence of then
//! reaches the level of then, and there is room. That is a stopping time like any other, so the
//! expectation of the evidence and with it both error rates are what they were; a promotion that
//! waits counts for none, so it lowers no level.

use std::collections::BTreeSet;

use harness_core::{Rule, RuleId, Scope};
use harness_store::wire::event::ScopeFull;

use super::{DoubtKind, Ledger};

/// Active rules a scope has at most.
pub const MAX_ACTIVE_A_SCOPE: usize = 32;

impl Ledger {
    /// Whether a rule may become active once the rules of `gone` are no longer and those of `come`
    /// are: the active rules of its scope that no active one supersedes are then within the budget,
    /// or at least no more than before, where another program brought more.
    pub(crate) fn has_room(&self, rule: &Rule, gone: &[RuleId], come: &[&Rule]) -> bool {
        let before = self.standing(&rule.scope, gone, come);
        let is_old = |id: &RuleId| rule.supersedes.as_ref() == Some(id);
        let after = 1 + before.iter().filter(|id| !is_old(id)).count();
        after <= MAX_ACTIVE_A_SCOPE || after <= before.len()
    }

    /// The active rules of a scope, but those that are gone and those that another supersedes.
    fn standing<'a>(
        &'a self,
        scope: &Scope,
        gone: &[RuleId],
        come: &[&'a Rule],
    ) -> BTreeSet<&'a RuleId> {
        let come = come.iter().filter(|rule| rule.scope == *scope).copied();
        let active: Vec<&Rule> = self
            .shelves
            .scope(scope)
            .into_iter()
            .flat_map(|shelf| shelf.active())
            .filter(|id| !gone.contains(id))
            .filter_map(|id| Some(&self.rules.get(id)?.rule))
            .chain(come)
            .collect();
        let superseded: BTreeSet<&RuleId> = active
            .iter()
            .filter_map(|rule| rule.supersedes.as_ref())
            .collect();
        let ids = active.iter().map(|rule| &rule.id);
        ids.filter(|id| !superseded.contains(id)).collect()
    }

    /// The scopes that are full and of which nobody has been told since they filled up, as they are
    /// once the rules of `gone` are no longer active.
    pub(crate) fn filled(&self, gone: &[RuleId]) -> impl Iterator<Item = ScopeFull> {
        self.shelves
            .live_scopes()
            .filter(|(_, shelf)| shelf.active().len() >= MAX_ACTIVE_A_SCOPE)
            .filter(|(scope, _)| !self.told.contains(*scope))
            .map(|(scope, _)| (scope, self.standing(scope, gone, &[]).len()))
            .filter(|(_, active)| *active >= MAX_ACTIVE_A_SCOPE)
            .map(|(scope, active)| ScopeFull {
                scope: scope.clone(),
                active: active as u64,
            })
    }

    pub(super) fn scope_full(&mut self, full: &ScopeFull) -> Result<(), DoubtKind> {
        if !self.filled(&[]).any(|filled| filled == *full) {
            return Err(DoubtKind::BadFilling(full.scope.clone()));
        }
        self.told.insert(full.scope.clone());
        Ok(())
    }

    /// Forgets that people were told of a scope, if it is no longer full.
    pub(super) fn look_for_room(&mut self, scope: &Scope) {
        let active = self
            .shelves
            .scope(scope)
            .map_or(0, |shelf| shelf.active().len());
        if active < MAX_ACTIVE_A_SCOPE {
            self.told.remove(scope);
        }
    }
}

#[cfg(test)]
mod tests {
    use harness_core::RuleStatus;

    use super::*;
    use crate::testing::{record, rule};

    fn numbered(number: usize) -> Rule {
        rule(&format!("r-{number}"), "Look twice.")
    }

    fn full_of(active: usize) -> Ledger {
        Ledger::of((0..active).map(|number| record(numbered(number), RuleStatus::Active)))
    }

    fn correction() -> Rule {
        Rule {
            supersedes: Some(numbered(0).id),
            ..numbered(500)
        }
    }

    #[test]
    fn the_last_place_is_taken_and_none_beyond_it() {
        let room = |active: usize| full_of(active).has_room(&numbered(500), &[], &[]);
        assert!(room(MAX_ACTIVE_A_SCOPE - 1));
        assert!(!room(MAX_ACTIVE_A_SCOPE));
        let nearly = full_of(MAX_ACTIVE_A_SCOPE - 1);
        assert!(!nearly.has_room(&numbered(500), &[], &[&numbered(501)]));
    }

    #[test]
    fn a_correction_makes_its_own_room_even_where_more_were_brought() {
        for active in [MAX_ACTIVE_A_SCOPE, MAX_ACTIVE_A_SCOPE + 8] {
            assert!(full_of(active).has_room(&correction(), &[], &[]));
            assert!(!full_of(active).has_room(&numbered(500), &[], &[]));
        }
    }

    #[test]
    fn a_rule_that_is_gone_or_superseded_takes_no_room() {
        let ledger = full_of(MAX_ACTIVE_A_SCOPE);
        assert!(ledger.has_room(&numbered(500), &[numbered(3).id], &[]));
        let corrected = (0..MAX_ACTIVE_A_SCOPE - 1)
            .map(numbered)
            .chain([correction()]);
        let ledger = Ledger::of(corrected.map(|rule| record(rule, RuleStatus::Active)));
        assert!(ledger.has_room(&numbered(501), &[], &[]));
        assert_eq!(ledger.filled(&[]).count(), 0);
    }

    #[test]
    fn other_scopes_and_candidates_take_none() {
        let elsewhere = |number| Rule {
            scope: Scope::parse("elsewhere").unwrap(),
            ..numbered(number)
        };
        let records = (0..MAX_ACTIVE_A_SCOPE)
            .flat_map(|number| {
                [
                    record(elsewhere(number), RuleStatus::Active),
                    record(numbered(number + 100), RuleStatus::Candidate),
                ]
            })
            .collect::<Vec<_>>();
        let ledger = Ledger::of(records);
        assert!(ledger.has_room(&numbered(500), &[], &[]));
        assert!(!ledger.has_room(&elsewhere(500), &[], &[]));
    }

    #[test]
    fn people_are_told_once_for_each_time_that_a_scope_fills_up() {
        let mut ledger = full_of(MAX_ACTIVE_A_SCOPE);
        let scope = numbered(0).scope;
        let full = ScopeFull {
            scope: scope.clone(),
            active: MAX_ACTIVE_A_SCOPE as u64,
        };
        assert!(ledger.filled(&[]).eq([full.clone()]));
        assert_eq!(ledger.scope_full(&full), Ok(()));
        assert_eq!(ledger.filled(&[]).count(), 0);
        assert_eq!(
            ledger.scope_full(&full),
            Err(DoubtKind::BadFilling(scope.clone()))
        );
        // One goes and another comes: it fills up anew.
        let (first, at) = (numbered(0).id, numbered(0).created_at);
        ledger.set_status(&first, RuleStatus::Candidate, at);
        assert_eq!(ledger.scope_full(&full), Err(DoubtKind::BadFilling(scope)));
        ledger.set_status(&first, RuleStatus::Active, at);
        assert_eq!(ledger.scope_full(&full), Ok(()));
    }
}
