//! Whatever part of its last line a journal ends in, the next writer cuts it, says so, and goes
//! on; nothing is glued on.

use harness_core::{CaseId, CaseKind, RepairStatus, Retirement, RuleId, Scope};
use harness_store::wire::event::{
    Breaker, BreakerState, CloseReason, EvalsetCapture, Health, HealthState, OperatorAct,
    OperatorAction, Quarantine, RepairCandidateAdded, RepairModelTurn, RepairToolCall, RuleAdd,
    RulePromote, RuleRetire, ScopeFull, ScopeIndexRegenerated, SessionClosed, Skip, SkipReason,
    TrialAssigned, TrialKind, TrialName, TrialObserved, TrialObservedCause, TrialOpened,
};
use harness_store::wire::{Event, event};
use harness_store::{
    EntryEvent, HalfEvent, OperatorEvent, RepairEvent, Tx, ValidationEvent, WatchEvent,
};

use crate::fixture::{
    Place, SOON, clean, context, metric, notice, opened, recovery, repair_end, repair_resolved,
    repair_started, rule, session,
};

fn id() -> RuleId {
    RuleId::parse("r-0000000001").unwrap()
}

fn trial() -> TrialName {
    TrialName {
        kind: TrialKind::Trial,
        opening: 1,
    }
}

fn watch() -> Vec<WatchEvent> {
    vec![
        opened("s").into(),
        SessionClosed {
            session: session("s"),
            turns: 3,
            reason: CloseReason::Host,
        }
        .into(),
        event::NoticePosted {
            notice: harness_store::wire::notice::NoticeDoc::from_domain(&notice(
                "n-1",
                "s",
                1,
                "breach:tool_correctness",
            )),
            observe_only: false,
            turn_time: None,
        }
        .into(),
        recovery("s").into(),
        Health {
            source: clean("embedded"),
            state: HealthState::Down,
            detail: clean("no answer"),
        }
        .into(),
        Skip {
            session: clean("repair-x"),
            turn_index: None,
            reason: SkipReason::RepairPrefix,
        }
        .into(),
        EvalsetCapture {
            case: CaseId::parse("c-0000000001").unwrap(),
            kind: CaseKind::Win,
            session: session("s"),
        }
        .into(),
        Breaker {
            state: BreakerState::Tripped,
            principal: None,
            everyone: false,
        }
        .into(),
        TrialObserved {
            rule: id(),
            trial: trial(),
            session: session("s"),
            y: Some(1),
            cause: TrialObservedCause::Condition,
            turn_index: Some(4),
        }
        .into(),
    ]
}

fn repair() -> Vec<RepairEvent> {
    let mut events: Vec<RepairEvent> = vec![
        repair_started(&["n-1"], 1).into(),
        RepairModelTurn {
            context: context(&["n-1"], 1),
            turn: 1,
            tool_calls: 1,
            output_tokens: 9,
        }
        .into(),
        RepairToolCall {
            context: context(&["n-1"], 1),
            tool: clean("harness_notice_read"),
            ok: true,
            arguments_sha256: "00".repeat(32),
            result_bytes: 7,
        }
        .into(),
        RuleAdd {
            rule: rule("r-0000000001", "Look the order up before you answer."),
            episode: None,
            text_sha256: "00".repeat(32),
        }
        .into(),
        RepairCandidateAdded {
            context: context(&["n-1"], 1),
            rule: id(),
            metric: Some(metric("tool_correctness")),
        }
        .into(),
        repair_resolved(&["n-1"], 1).into(),
        ScopeIndexRegenerated {
            path: "rules.md".to_owned(),
            scopes: Vec::new(),
            mismatched: Vec::new(),
        }
        .into(),
    ];
    let ends = [
        RepairStatus::CandidateAdded,
        RepairStatus::Duplicate,
        RepairStatus::AlreadyCovered,
        RepairStatus::NoProposal,
        RepairStatus::Unactionable,
        RepairStatus::TimedOut,
        RepairStatus::Failed,
        RepairStatus::Cancelled,
    ];
    events.extend(ends.map(|status| RepairEvent::RepairEnd(status, repair_end(&["n-1"], 1))));
    events
}

fn validation() -> Vec<ValidationEvent> {
    vec![
        TrialOpened {
            rule: id(),
            trial: trial(),
            path: event::Path::Forward,
            target: None,
            commitment: "00".repeat(32),
            evaluator: clean("embedded"),
            evaluator_version: clean("1"),
            starting_e: 1.0,
            alpha: 0.05,
            phi: 0.2,
        }
        .into(),
        RulePromote {
            rule: rule("r-0000000001", "Look the order up before you answer."),
            reason: "proven".to_owned(),
            validator: "forward_trial".to_owned(),
            trial: trial(),
            key: "00".repeat(32),
            t: 1,
            e_value: 31.25,
            threshold: 20.0,
            promotions: 0,
            text_sha256: "00".repeat(32),
        }
        .into(),
        RuleRetire {
            id: id(),
            reason: Retirement::Unproven,
            validator: "forward_trial".to_owned(),
            evidence: None,
            note: None,
        }
        .into(),
        Quarantine {
            because: id(),
            rules: vec![id()],
        }
        .into(),
        ScopeFull {
            scope: Scope::global(),
            active: 32,
        }
        .into(),
    ]
}

fn operator() -> Vec<OperatorEvent> {
    vec![
        OperatorAction {
            action: OperatorAct::Resume,
            rule: None,
            reason: clean("seen to"),
        }
        .into(),
    ]
}

/// Commits one event, then opens the workspace once for each prefix of its line.
fn every_prefix<E: HalfEvent + Clone>(event: &E, commit: impl Fn(&Place, E)) {
    let place = Place::new();
    let before = std::fs::read(place.journal()).unwrap();
    commit(&place, event.clone());
    let whole = std::fs::read(place.journal()).unwrap();
    let kind = place.kinds().pop().unwrap();
    let lines = place.lines().len();
    // Every byte would be the same a few hundred times over: each of the first and last bytes,
    // and every seventh between.
    let length = whole.len();
    let cuts = (before.len() + 1..length)
        .filter(|cut| cut - before.len() < 4 || length - cut < 4 || cut % 7 == 0);
    let anchor = std::fs::read(place.anchor()).unwrap();
    for cut in cuts {
        std::fs::write(place.journal(), &whole[..cut]).unwrap();
        // As a kill leaves it: the head before is confirmed, the one after is to come.
        std::fs::write(place.anchor(), under_way(&anchor)).unwrap();
        drop(place.open());
        let after = place.lines();
        assert_eq!(
            after.len(),
            lines,
            "{kind} cut to {cut}: one line gone, one repair told"
        );
        let told = after.last().unwrap().event().unwrap().1.clone();
        let Event::TailRepaired(told) = told else {
            panic!("{kind} cut to {cut}: {told:?}");
        };
        assert_eq!(told.dropped_bytes, (cut - before.len()) as u64);
        assert_eq!(told.anchored, Some(true));
        let report = place.reader().audit().unwrap();
        assert!(report.ok, "{kind} cut to {cut}: {:?}", report.breaks);
    }
}

/// The anchor as it was when the last append had begun and nothing had settled: both files of a
/// settled anchor name one head, so the slot before the last is the one that a kill leaves.
fn under_way(anchor: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(anchor).unwrap();
    let newest = text.lines().max().unwrap();
    text.lines()
        .map(|line| if line == newest { "0".repeat(line.len()) } else { line.to_owned() } + "\n")
        .collect::<String>()
        .into_bytes()
}

macro_rules! prefixes_of {
    ($($test:ident: $events:ident through $half:ident;)*) => {
        $(#[test]
        fn $test() {
            for event in $events() {
                every_prefix(&event, |place, event| {
                    let halves = place.open();
                    halves.$half.append(SOON, vec![event]).unwrap();
                });
            }
        })*
    };
}

prefixes_of! {
    of_the_watch: watch through watch;
    of_a_repair: repair through repair;
    of_a_validation: validation through validation;
    of_an_operator: operator through operator;
}

#[test]
fn of_an_entry() {
    let event = TrialAssigned {
        rule: id(),
        trial: trial(),
        session: session("s"),
        pi: 0.1,
        t: Some(1),
        turn_index: 3,
    };
    every_prefix(&EntryEvent::from(event), |place, event| {
        let halves = place.open();
        let job = move |tx: &mut Tx<'_, EntryEvent>| tx.commit(vec![event]);
        halves.entries.commit(SOON, job).unwrap().unwrap();
    });
}

#[test]
fn a_whole_tail_is_left_alone() {
    let place = Place::new();
    place.open().watch.append(SOON, watch()).unwrap();
    let before = std::fs::read(place.journal()).unwrap();
    drop(place.open());
    assert_eq!(std::fs::read(place.journal()).unwrap(), before);
}

#[test]
fn a_tail_torn_under_a_running_writer_is_repaired_too() {
    let place = Place::new();
    let halves = place.open();
    halves
        .watch
        .append(SOON, vec![recovery("one").into()])
        .unwrap();
    let mut bytes = std::fs::read(place.journal()).unwrap();
    bytes.extend_from_slice(b"{\"type\":\"reco");
    std::fs::write(place.journal(), &bytes).unwrap();
    halves
        .watch
        .append(SOON, vec![recovery("two").into()])
        .unwrap();
    drop(halves);
    let kinds = place.kinds();
    assert_eq!(
        kinds[kinds.len() - 3..],
        ["recovery", "tail_repaired", "recovery"]
    );
    assert!(place.reader().audit().unwrap().ok);
}
