//! Several processes write one workspace, each everything that there is to write: nothing is lost,
//! torn or told twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use harness_core::{
    CaseId, CaseKind, CleanText, EpisodeId, EvalCase, NoticeId, ResolutionKind, RuleId,
};
use harness_store::wire::event::{
    CloseReason, Digest, GuardUserMessage, OperatorAct, OperatorAction, RepairContext, RepairEnd,
    RepairNoticeResolved, RepairStarted, SessionClosed, TrialAssigned, TrialKind, TrialName,
};
use harness_store::{
    Capture, EntryEvent, Halves, Mailbox, OpenOptions, Opening, OperatorEvent, Projection,
    Resolved, Rotation, TurnOutcome, Tx, Workspace,
};

use crate::fixture::{
    Killed, Place, SOON, as_child, child, clean, context, notice, opened, recovery, repair_end,
    rule, session, start, turn,
};

const PROCESSES: usize = 8;
/// Kinds of operations that each process does by turns.
const KINDS: u32 = 10;
/// How many operations each process does, if it is not to be a short run.
const OPERATIONS: &str = "HARNESS_STORE_TEST_OPERATIONS";

fn operations() -> u32 {
    std::env::var(OPERATIONS).map_or(60, |count| count.parse().unwrap())
}

#[test]
fn nothing_is_lost_and_a_turn_is_recorded_once() {
    if let Some(place) = as_child() {
        return take_part(&place);
    }
    let folder = tempfile::tempdir().unwrap();
    let place = Place::at(folder.path());
    Workspace::init(&place.paths, start()).unwrap();
    let name = "eight_processes_share::nothing_is_lost_and_a_turn_is_recorded_once";
    let mut children: Vec<Killed> = (0..PROCESSES)
        .map(|_| Killed(child(name, folder.path()).spawn().unwrap()))
        .collect();
    for child in &mut children {
        assert!(child.0.wait().unwrap().success());
    }
    let report = place.reader().audit().unwrap();
    assert!(report.ok, "{:?}", report.breaks);
    assert_eq!(
        (report.anchored, report.unreadable, report.torn_bytes),
        (Some(true), 0, 0)
    );
    assert!(place.segments().len() > 2, "segments were closed meanwhile");

    let each = operations() / KINDS;
    let all = PROCESSES * each as usize;
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut files = place.segments();
    files.push(place.journal());
    for line in files.iter().flat_map(|file| json_lines(file)) {
        let kind = line["type"].as_str().unwrap().to_owned();
        *kinds.entry(kind).or_default() += 1;
    }
    for kind in [
        "recovery",
        "session_closed",
        "guard.user_message",
        "trial_assigned",
        "repair_started",
        "repair_notice_resolved",
        "repair_completed",
        "evalset_capture",
    ] {
        assert_eq!(kinds.get(kind), Some(&all), "{kind}");
    }
    assert_eq!(kinds["session_opened"], all + 1, "and the shared one");
    assert_eq!(kinds["notice"], all + 1, "all eight saw the same failure");

    let mut mailbox = place.reader().follow(Mailbox::default());
    mailbox.refresh().unwrap();
    let mailbox = mailbox.get();
    assert_eq!(
        (mailbox.pending_count(), mailbox.resolved_count()),
        (1, all)
    );
    let scores = place.reader().scores().unwrap();
    let shared = scores.get(&session("shared")).unwrap();
    assert_eq!(shared.turn_count(), each as usize);
    assert_eq!(
        json_lines(&place.file("state/scores/00000000.jsonl")).len(),
        all + each as usize
    );
    let rules = json_lines(&place.file("rules.jsonl"));
    let ids: BTreeSet<String> = rules.iter().map(|rule| rule["id"].to_string()).collect();
    assert_eq!((rules.len(), ids.len()), (all, all));
    let cases = place.reader().eval_set().unwrap();
    assert_eq!(cases.cases().len(), all.min(EvalCase::MAX_CASES));
    assert_eq!(cases.unreadable(), []);
}

fn json_lines(file: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Does everything that there is to do under a name of its own, and offers the same turns as
/// everybody else.
fn take_part(place: &Place) {
    let options = OpenOptions {
        rotation: Rotation {
            bytes: u64::from(operations()) * 100,
            ..Rotation::default()
        },
        ..Place::options()
    };
    let halves = Workspace::open(&place.paths, options).unwrap();
    let own = format!("process-{}", std::process::id());
    let opening = halves.watch.open_session(opened("shared")).unwrap();
    assert_ne!(opening, Opening::HasEnded);
    for number in 0..operations() {
        operate(&halves, &own, number % KINDS, number / KINDS);
        assert!(!halves.reader.newest(3).unwrap().is_empty());
    }
}

fn operate(halves: &Halves, own: &str, kind: u32, round: u32) {
    let conversation = format!("{own}-{round}");
    let id = format!("n-{own}-{round}");
    match kind {
        0 => drop(
            halves
                .watch
                .append(SOON, vec![recovery(own).into()])
                .unwrap(),
        ),
        1 => {
            let failure = notice(
                &format!("{id}-shared"),
                "shared",
                round,
                "breach:tool_correctness",
            );
            let mut record = turn("shared", round, vec![failure]);
            record.cooldown_turns = u32::MAX;
            let outcome = halves.watch.record_turn(record).unwrap();
            let fine = matches!(
                outcome,
                TurnOutcome::Recorded { .. } | TurnOutcome::AlreadySeen
            );
            assert!(fine, "{outcome:?}");
        }
        2 => {
            let opening = halves.watch.open_session(opened(&conversation)).unwrap();
            assert_eq!(opening, Opening::Opened);
        }
        3 => {
            let closed = SessionClosed {
                session: session(&conversation),
                reason: CloseReason::Host,
                turns: 0,
            };
            assert!(halves.watch.close_session(closed).unwrap());
        }
        4 => {
            let said = GuardUserMessage {
                session: session(own),
                content: Digest {
                    sha256: "00".repeat(32),
                    bytes: 7,
                },
            };
            halves
                .guard
                .append(SOON, vec![harness_store::GuardEvent::UserMessage(said)])
                .unwrap();
        }
        5 => {
            let entered = TrialAssigned {
                rule: RuleId::parse("r-0000000001").unwrap(),
                trial: TrialName {
                    kind: TrialKind::Trial,
                    opening: 1,
                },
                session: session(&conversation),
                pi: 0.5,
                t: None,
                turn_index: 0,
            };
            let job = move |tx: &mut Tx<'_, EntryEvent>| tx.commit(vec![entered.into()]);
            halves.entries.commit(SOON, job).unwrap().unwrap();
        }
        6 => {
            let failure = notice(&id, own, round, "breach:tool_correctness");
            let mut record = turn(own, round, vec![failure]);
            // Without a time the breaker does not count it.
            (record.cooldown_turns, record.ended_at) = (0, None);
            let outcome = halves.watch.record_turn(record).unwrap();
            let TurnOutcome::Recorded { posted, files, .. } = outcome else {
                panic!("{outcome:?}");
            };
            assert_eq!((posted.len(), files), (1, Ok(())));
        }
        7 => resolve(halves, own, &id, round),
        8 => {
            let case = EvalCase {
                id: CaseId::parse(&format!("c-{conversation}")).unwrap(),
                created_at: start(),
                session: session(own),
                kind: CaseKind::Failure,
                signatures: Vec::new(),
                baseline: Vec::new(),
                replay_input: None,
                notes: clean("seen twice"),
            };
            let kept = halves.watch.capture_case(case).unwrap();
            assert!(matches!(kept, Capture::Kept { .. }), "{kept:?}");
        }
        _ => {
            let doc = rule(&format!("r-{conversation}"), "Look the order up first.");
            let write = move |tx: &mut Tx<'_, OperatorEvent>| {
                let act = OperatorAction {
                    action: OperatorAct::Resume,
                    rule: None,
                    reason: CleanText::empty(),
                };
                tx.commit(vec![act.into()])?;
                tx.project(&[Projection::AppendRules(vec![doc])])
            };
            halves.operator.commit(SOON, write).unwrap().unwrap();
        }
    }
}

fn resolve(halves: &Halves, own: &str, id: &str, round: u32) {
    let process = own.rsplit_once('-').unwrap().1;
    let context = RepairContext {
        episode: EpisodeId::parse(&format!("e-{process:0>12}")).unwrap(),
        notices: vec![NoticeId::parse(id).unwrap()],
        ..context(&[], round + 1)
    };
    let started = RepairStarted {
        context: context.clone(),
        model: clean("builtin"),
    };
    halves.repair.append(SOON, vec![started.into()]).unwrap();
    let resolved = RepairNoticeResolved {
        context: context.clone(),
        kind: ResolutionKind::Candidate,
        rule: Some(RuleId::parse("r-0000000001").unwrap()),
        note: None,
    };
    let end = RepairEnd {
        context,
        ..repair_end(&[], 1)
    };
    let done = halves.repair.resolve(SOON, resolved, end).unwrap();
    assert_eq!(done, Resolved::Done { files: Ok(()) });
}
