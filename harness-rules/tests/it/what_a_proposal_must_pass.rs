//! What becomes of a proposal: each refusal and each kind of coverage, with a twin that is stored.

use harness_core::{
    Applicability, Argument, Arguments, CleanString, Notice, ResolutionKind, Retirement, RuleId,
    RuleStatus, Span, SpanKind, SpanStatus, Speaker, Trace,
};
use harness_rules::{
    Desks, Difference, MAX_CANDIDATES, MAX_CANDIDATES_A_SCOPE, Proposal, ProposalRefusal,
    ProposeOutcome, Usage, WithoutRule,
};
use harness_store::wire::dump::DumpDoc;
use harness_store::wire::event::Event;
use harness_store::wire::trace::TraceDoc;

use crate::fixture::{
    Live, Names, OTHER_METRIC, Place, add_rule, added, advice, begin, clean, decide, fresh,
    fresh_for, later, metric, notice, post_with, promote, proposal, proposal_in, rule_id,
    rule_on_trial, scope, shown, status,
};

/// Why a proposal is refused; the episode is resolved without it.
fn refusal(outcome: ProposeOutcome) -> ProposalRefusal {
    match outcome {
        ProposeOutcome::Refused { episode, reason } => {
            let how = WithoutRule::NoProposal;
            episode.resolve(how, None, Usage::default()).unwrap();
            reason
        }
        ProposeOutcome::Added(proposed) => panic!("{} was added", proposed.rule()),
        ProposeOutcome::Covered { by, .. } => panic!("covered by {by}"),
    }
}

fn coverage(outcome: ProposeOutcome) -> (RuleId, ResolutionKind) {
    match outcome {
        ProposeOutcome::Covered { episode, by, kind } => {
            let how = WithoutRule::NoProposal;
            episode.resolve(how, None, Usage::default()).unwrap();
            (by, kind)
        }
        ProposeOutcome::Added(proposed) => panic!("{} was added", proposed.rule()),
        ProposeOutcome::Refused { reason, .. } => panic!("refused: {reason}"),
    }
}

fn refused(desks: &Desks, id: &str, proposal: Proposal) -> ProposalRefusal {
    refusal(fresh(desks, id).propose(proposal).unwrap())
}

#[test]
fn a_metric_that_is_not_measured_is_refused() {
    let place = Place::new();
    let desks = place.open();
    let with = |name: Option<&str>| Proposal {
        metric: name.map(metric),
        ..proposal(&advice('a'))
    };
    let reason = refused(&desks, "n-1", with(Some("charm")));
    assert_eq!(
        reason.to_string(),
        "`metric` is not measured here; leave it out or use one of outcome_correct, \
         tool_correctness"
    );
    add_rule(&desks, "n-2", with(Some(OTHER_METRIC)));
    add_rule(
        &desks,
        "n-3",
        Proposal {
            metric: None,
            ..proposal(&advice('b'))
        },
    );
}

#[test]
fn a_refused_proposal_can_be_mended_and_its_reason_is_kept() {
    let place = Place::new();
    let desks = place.open();
    let bad = Proposal {
        metric: Some(metric("charm")),
        ..proposal(&advice('a'))
    };
    let ProposeOutcome::Refused { episode, reason } = fresh(&desks, "n-1").propose(bad).unwrap()
    else {
        panic!("not refused");
    };
    added(episode.propose(proposal(&advice('a'))).unwrap())
        .acknowledge(None, Usage::default())
        .unwrap();
    let kept = place.events().into_iter().find_map(|event| match event {
        Event::RepairCompleted(end) => end.context.suppression,
        _ => None,
    });
    assert_eq!(kept, Some(clean(&reason.to_string())));
}

#[test]
fn a_name_of_the_host_is_no_scope() {
    let place = Place::new();
    let desks = place.open();
    let labelled = |id: &str, label: &str| {
        let mut notice = notice(id);
        notice.host_labels = vec![scope(label)];
        notice
    };
    let outcome = fresh_for(&desks, labelled("n-1", "orders")).propose(proposal(&advice('a')));
    assert_eq!(
        refusal(outcome.unwrap()),
        ProposalRefusal::HostLabel {
            scope: scope("orders")
        }
    );
    let outcome = fresh_for(&desks, labelled("n-2", "our-bench")).propose(proposal(&advice('a')));
    added(outcome.unwrap());
}

#[test]
fn text_and_rationale_have_bounds() {
    let place = Place::new();
    let desks = place.open();
    let long = |bytes: usize| clean(&"ab".repeat(bytes)[..bytes]);
    let text = |bytes: usize| Proposal {
        text: long(bytes).paragraph().unwrap(),
        ..proposal(&advice('a'))
    };
    let rationale = |bytes: usize| Proposal {
        rationale: long(bytes),
        ..proposal(&advice('a'))
    };
    assert_eq!(refused(&desks, "n-1", text(2001)), ProposalRefusal::TooLong);
    assert_eq!(
        refused(&desks, "n-2", rationale(2001)),
        ProposalRefusal::TooLong
    );
    add_rule(&desks, "n-3", text(2000));
    add_rule(&desks, "n-4", rationale(2000));
}

#[test]
fn what_looks_like_a_secret_is_refused() {
    let place = Place::new();
    let desks = place.open();
    let secret = format!(
        "Send the key {}{} with each call.",
        "ghp_", "Zk3v9QmTx7LpW2cRb8NsYd4HjF6gUaE5oKi1"
    );
    assert_eq!(
        refused(&desks, "n-1", proposal(&secret)),
        ProposalRefusal::Secret
    );
    add_rule(
        &desks,
        "n-2",
        proposal("Send the key of the user with each call."),
    );
    let journal = std::fs::read_to_string(place.file("journal.jsonl")).unwrap();
    assert!(!journal.contains("Zk3v9QmT"));
}

/// A trace in which one call failed.
fn trace(of: &Notice) -> Trace {
    let leaf = |path: &str, value: &str| Argument {
        path: clean(path),
        value: clean(value),
    };
    let span = Span {
        kind: SpanKind::Tool,
        name: clean("get_order"),
        speaker: Speaker::Tool,
        arguments: Arguments::from_leaves(vec![leaf("order_id", "ZX-48213")]),
        output: clean("no such order in the ledger of Lisbon"),
        status: SpanStatus::Failed(harness_core::ErrorClass::NotFound),
        started_at: None,
        ended_at: None,
        tokens: None,
    };
    let request = clean("where does my parcel from Lisbon stay");
    Trace::new(of.flagged_traces[0].clone(), request, vec![span])
}

#[test]
fn a_rule_carries_nothing_over_from_its_evidence_but_names() {
    let place = Place::new();
    let desks = place.open();
    let propose = |id: &str, text: &str| {
        let notice = notice(id);
        let dump = DumpDoc {
            session_id: notice.session.clone(),
            turn_index: 0,
            any_breach: true,
            any_alert: true,
            gate_breached: false,
            flagged_traces: notice.flagged_traces.clone(),
            signal_breakdown: Default::default(),
            scores: Vec::new(),
            x_traces: vec![TraceDoc::keep(&trace(&notice))],
        };
        post_with(&desks, vec![notice.clone()], Some(&dump));
        let episodes = desks.repair.episodes(later()).unwrap();
        let harness_rules::Opened::Fresh(open) = begin(&desks, &episodes[0]) else {
            panic!("nothing was proposed");
        };
        assert_eq!(open.traces(), [trace(&notice)]);
        open.propose(proposal(text)).unwrap()
    };
    for (n, text) in [
        "Order `ZX-48213` does not exist, so never ask for it.",
        "Where it says: no such order in the ledger, ask again.",
    ]
    .into_iter()
    .enumerate()
    {
        let reason = refusal(propose(&format!("n-{n}"), text));
        assert!(
            matches!(reason, ProposalRefusal::CarriesOver(_)),
            "{reason}"
        );
    }
    let text = "When `get_order` answers `not_found`, ask the person for `order_id` again.";
    added(propose("n-9", text));
}

#[test]
fn a_live_rule_that_says_it_covers_it() {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let again = format!("{} indeed", advice('a'));
    let covered =
        |id: &str, text: &str| coverage(fresh(&desks, id).propose(proposal(text)).unwrap());
    assert_eq!(
        covered("n-2", &again),
        (rule.clone(), ResolutionKind::AlreadyCovered)
    );
    promote(&desks, &mut Names::default(), &rule);
    assert_eq!(
        covered("n-3", &again),
        (rule.clone(), ResolutionKind::Duplicate)
    );
    // The same words are covered whatever the scope; nearly the same words are not.
    let elsewhere = |text: &str| proposal_in("stock", text);
    let outcome = fresh(&desks, "n-4")
        .propose(elsewhere(&advice('a')))
        .unwrap();
    assert_eq!(coverage(outcome), (rule, ResolutionKind::Duplicate));
    add_rule(&desks, "n-5", elsewhere(&again));
}

#[test]
fn a_correction_says_what_it_corrects() {
    let place = Place::new();
    let desks = place.open();
    let old = "Retry a failing call at most 3 times before giving up on it.";
    let new = "Retry a failing call at most 5 times before giving up on it.";
    let rule = add_rule(&desks, "n-1", proposal(old));
    assert_eq!(
        refused(&desks, "n-2", proposal(new)),
        ProposalRefusal::Conflict {
            with: rule.clone(),
            difference: Difference::Number
        }
    );
    let correcting = |text: &str, what: RuleId| Proposal {
        supersedes: Some(what),
        ..proposal(text)
    };
    assert_eq!(
        refused(&desks, "n-3", correcting(new, rule_id("r-nobody"))),
        ProposalRefusal::UnknownSuperseded
    );
    let elsewhere = Proposal {
        scope: Some(scope("stock")),
        ..correcting(new, rule.clone())
    };
    assert_eq!(
        refused(&desks, "n-4", elsewhere),
        ProposalRefusal::UnknownSuperseded
    );
    let correction = add_rule(&desks, "n-5", correcting(new, rule.clone()));
    let view = desks.book.ledger().unwrap();
    assert_eq!(view.rule(&correction).unwrap().rule.supersedes, Some(rule));
}

#[test]
fn what_was_refuted_does_not_come_back_and_what_was_unproven_may() {
    let place = Place::new();
    let desks = place.open();
    let mut names = Names::default();
    let bad = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    while status(&desks, &bad) == RuleStatus::Candidate {
        let live = Live::begin(&desks, &names.any());
        let harmed = shown(&live.read()).contains(&bad);
        live.finish(&desks, harmed);
        decide(&desks);
    }
    assert_eq!(
        status(&desks, &bad),
        RuleStatus::Retired(Retirement::Harmful)
    );
    let again = format!("{} indeed", advice('a'));
    assert_eq!(
        refused(&desks, "n-2", proposal(&again)),
        ProposalRefusal::Refuted { by: bad }
    );

    let other = add_rule(&desks, "n-3", proposal(&advice('b')));
    desks.operator.retire(&other, clean("not now")).unwrap();
    add_rule(&desks, "n-4", proposal(&advice('b')));
}

#[test]
fn candidates_have_room_in_a_scope_and_in_all() {
    let place = Place::new();
    let desks = place.open();
    let mut letters = ('a'..='z').zip(1..);
    let mut next = |scope: &str| {
        let (letter, n) = letters.next().unwrap();
        let open = fresh(&desks, &format!("n-{n}"));
        open.propose(proposal_in(scope, &advice(letter))).unwrap()
    };
    let add = |outcome| {
        let proposed = added(outcome);
        let rule = proposed.rule().clone();
        proposed.acknowledge(None, Usage::default()).unwrap();
        rule
    };
    let mut rules: Vec<RuleId> = Vec::new();
    for scope in ["one", "two"] {
        for _ in 0..MAX_CANDIDATES_A_SCOPE {
            rules.push(add(next(scope)));
        }
        assert_eq!(refusal(next(scope)), ProposalRefusal::CandidatesFull);
    }
    while rules.len() < MAX_CANDIDATES {
        rules.push(add(next("three")));
    }
    assert_eq!(refusal(next("three")), ProposalRefusal::CandidatesFull);
    assert_eq!(refusal(next("four")), ProposalRefusal::CandidatesFull);
    desks
        .operator
        .retire(&rules[0], clean("make room"))
        .unwrap();
    add(next("one"));
}

#[test]
fn where_a_rule_is_filed() {
    let place = Place::new();
    let desks = place.open();
    let filed = |id: &str, letter, scope: Option<&str>, applicability| {
        let proposal = Proposal {
            scope: scope.map(crate::fixture::scope),
            applicability,
            ..proposal(&advice(letter))
        };
        let rule = add_rule(&desks, id, proposal);
        let view = desks.book.ledger().unwrap();
        let rule = &view.rule(&rule).unwrap().rule;
        (rule.scope.to_string(), rule.applicability)
    };
    let (global, topical, task) = (
        Applicability::Global,
        Applicability::Topical,
        Applicability::Task,
    );
    assert_eq!(filed("n-1", 'a', None, None), ("global".to_owned(), global));
    assert_eq!(
        filed("n-2", 'b', Some("orders"), None),
        ("orders".to_owned(), topical)
    );
    assert_eq!(
        filed("n-3", 'c', Some("orders"), Some(task)),
        ("orders".to_owned(), task)
    );
    assert_eq!(
        filed("n-4", 'd', Some("orders"), Some(global)),
        ("global".to_owned(), global)
    );
}

#[test]
fn what_a_rule_answers_and_descends_from_is_taken_from_its_notices() {
    let place = Place::new();
    let desks = place.open();
    let mut failing = notice("n-1");
    failing.shown_rules = vec![rule_id("r-2"), rule_id("r-1"), rule_id("r-2")];
    let open = fresh_for(&desks, failing.clone());
    let proposed = added(open.propose(proposal(&advice('a'))).unwrap());
    let view = desks.book.ledger().unwrap();
    let rule = &view.rule(proposed.rule()).unwrap().rule;
    assert_eq!(rule.failure_signatures, failing.signatures);
    assert_eq!(rule.parents, [rule_id("r-1"), rule_id("r-2")]);
    assert_eq!(rule.source_notice, Some(failing.id));
    drop(view);
}

#[test]
fn equal_proposals_of_two_episodes_are_one_rule() {
    let place = Place::new();
    let desks = place.open();
    let first = add_rule(&desks, "n-1", proposal(&advice('a')));
    let outcome = fresh(&desks, "n-2")
        .propose(proposal(&advice('a')))
        .unwrap();
    let words: CleanString = clean(&advice('a'));
    let (by, kind) = coverage(outcome);
    assert_eq!((by, kind), (first, ResolutionKind::AlreadyCovered));
    let view = desks.book.ledger().unwrap();
    let same = view
        .rules()
        .filter(|record| *record.rule.text.as_clean() == words);
    assert_eq!(same.count(), 1);
}
