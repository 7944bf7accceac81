//! What is done to a workspace while its disk fails, and how it shows that it was done.

use harness_core::{CaseId, CaseKind, CleanText, EvalCase, RuleId, Scope};

use super::another::{lay_out, original, was_taken_over};
use super::recovery::Stage;
use crate::fixture::{
    SOON, notice, opened, recovery, repair_end, repair_resolved, repair_started, rule, session,
    start, turn,
};
use crate::wire::alert_model::{AlertModelDoc, SignalDoc};
use crate::wire::event::{
    AlertModelFitted, CloseReason, OperatorAct, OperatorAction, SessionClosed,
};
use crate::wire::{Event, sha256_hex};
use crate::{Halves, OperatorEvent, Projection, Resolved, Rotation, StoreError, TurnOutcome, Tx};

/// What doing it again does, after it failed or the machine stopped in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// Something else.
    NotTried,
    /// It goes on from where it came.
    GoesOn,
    /// It goes on, and until then files of another program lie where ours belong.
    CleansUp,
}

/// An operation.
pub(super) struct Operation {
    pub(super) name: &'static str,
    /// What is there before, on a disk that works.
    pub(super) before: fn(&Halves),
    /// What is there before and no store made: what a kill left, say.
    pub(super) left: fn(&Stage),
    pub(super) rotation: Rotation,
    /// Whether the disk fails from the opening on; else the opening is not what is tried.
    pub(super) from_opening: bool,
    /// Whether what is there before was tampered with, which must show for ever.
    pub(super) is_cut: bool,
    pub(super) again: Again,
    pub(super) run: fn(&Halves) -> Result<(), StoreError>,
    /// Fails unless it was done.
    pub(super) was_done: fn(&Stage),
}

const IDS: [&str; 2] = ["n-1", "n-2"];

pub(super) const PLAIN: Operation = Operation {
    name: "",
    before: |_| {},
    left: |_| {},
    rotation: Rotation {
        bytes: 16 << 20,
        age: std::time::Duration::from_secs(86_400),
    },
    from_opening: false,
    is_cut: false,
    again: Again::NotTried,
    run: |_| Ok(()),
    was_done: |_| {},
};

/// All of them.
pub(super) fn all() -> Vec<Operation> {
    vec![
        Operation {
            name: "an opening after a kill",
            before: under_repair,
            from_opening: true,
            left: |stage| {
                use std::io::Write;
                let journal = stage.file("journal.jsonl");
                let mut journal = std::fs::File::options().append(true).open(journal).unwrap();
                journal.write_all(b"{\"prev\":\"00").unwrap();
                std::fs::remove_file(stage.file("mailbox/pending/n-1.json")).unwrap();
                std::fs::write(stage.file("mailbox/status.json.0123456789abcdef.tmp"), b"{")
                    .unwrap();
            },
            ..PLAIN
        },
        Operation {
            name: "an opening after its tail was cut",
            before: |halves| drop(halves.watch.append(SOON, vec![opened("s").into()]).unwrap()),
            left: |stage| {
                let journal = std::fs::read(stage.file("journal.jsonl")).unwrap();
                let lines: Vec<&[u8]> = journal.split_inclusive(|byte| *byte == b'\n').collect();
                let cut = lines[..lines.len() - 1].concat();
                std::fs::write(stage.file("journal.jsonl"), cut).unwrap();
            },
            from_opening: true,
            is_cut: true,
            ..PLAIN
        },
        Operation {
            name: "a commit of three events",
            run: |halves| {
                let events = vec![opened("a").into(), opened("b").into(), recovery("a").into()];
                halves.watch.append(SOON, events).map(drop)
            },
            ..PLAIN
        },
        Operation {
            name: "a session that opens and closes",
            run: |halves| {
                halves.watch.open_session(opened("s"))?;
                let closed = SessionClosed {
                    session: session("s"),
                    reason: CloseReason::Host,
                    turns: 1,
                };
                halves.watch.close_session(closed).map(drop)
            },
            ..PLAIN
        },
        Operation {
            name: "a turn with two notices",
            before: |halves| {
                halves.watch.open_session(opened("s")).unwrap();
            },
            run: record,
            was_done: |stage| {
                let scores = stage.reader().scores().unwrap();
                assert!(scores.get(&session("s")).unwrap().digest(0).is_some());
            },
            ..PLAIN
        },
        Operation {
            name: "a turn whose scores begin a segment and end another",
            before: |halves| (0..3).for_each(|index| plain_turn(halves, index).unwrap()),
            run: |halves| plain_turn(halves, 3),
            was_done: |stage| {
                let scores = stage.reader().scores().unwrap();
                assert!(scores.get(&session("s")).unwrap().digest(3).is_some());
            },
            ..PLAIN
        },
        Operation {
            name: "a resolution",
            before: under_repair,
            run: |halves| {
                let (resolved, end) = (repair_resolved(&IDS, 1), repair_end(&IDS, 1));
                let done = halves.repair.resolve(SOON, resolved, end)?;
                assert!(matches!(done, Resolved::Done { .. }), "{done:?}");
                Ok(())
            },
            ..PLAIN
        },
        Operation {
            name: "a change of the rules and their files",
            run: change_rules,
            again: Again::GoesOn,
            was_done: |stage| {
                for path in ["rules.jsonl", "rules.md", "rules/orders.md"] {
                    assert!(!std::fs::read(stage.file(path)).unwrap().is_empty());
                }
            },
            ..PLAIN
        },
        Operation {
            name: "a captured case",
            again: Again::GoesOn,
            run: |halves| halves.watch.capture_case(case()).map(drop),
            was_done: |stage| assert_eq!(stage.reader().eval_set().unwrap().cases(), [case()]),
            ..PLAIN
        },
        Operation {
            name: "a segment that closes",
            rotation: Rotation {
                bytes: 1,
                ..PLAIN.rotation
            },
            run: |halves| {
                halves.watch.append(SOON, vec![opened("a").into()])?;
                halves
                    .watch
                    .append(SOON, vec![opened("b").into()])
                    .map(drop)
            },
            ..PLAIN
        },
        Operation {
            name: "a workspace of 0.9 that is taken over",
            again: Again::GoesOn,
            run: take_over,
            was_done: was_taken_over,
            ..PLAIN
        },
        Operation {
            name: "a workspace of 0.9 that is taken over where it lies",
            left: |stage| lay_out(&stage.place.paths.root),
            again: Again::CleansUp,
            run: take_over,
            was_done: was_taken_over,
            ..PLAIN
        },
        Operation {
            name: "an alert model that takes the place of another",
            before: |halves| keep_model(halves, 0.25).unwrap(),
            again: Again::GoesOn,
            run: |halves| keep_model(halves, 0.5),
            was_done: |stage| {
                let file = std::fs::read(stage.file("state/alert_model.json")).unwrap();
                let events = stage.place.lines();
                let fitted = events.iter().rev().find_map(|line| match line.event() {
                    Some((_, Event::AlertModelFitted(fitted))) => Some(fitted.sha256.clone()),
                    _ => None,
                });
                assert_eq!(fitted, Some(sha256_hex(&file)));
            },
            ..PLAIN
        },
        Operation {
            name: "a snapshot that takes the place of another",
            before: |halves| {
                leave_snapshot(halves).unwrap();
                under_repair(halves);
            },
            again: Again::GoesOn,
            run: leave_snapshot,
            was_done: |stage| {
                let skipped = stage.place.kinds();
                assert!(!skipped.contains(&"record_skipped".to_owned()));
            },
            ..PLAIN
        },
        Operation {
            name: "an opening that takes up a snapshot",
            before: |halves| {
                under_repair(halves);
                leave_snapshot(halves).unwrap();
            },
            from_opening: true,
            ..PLAIN
        },
    ]
}

fn take_over(halves: &Halves) -> Result<(), StoreError> {
    let original = original();
    let reader = halves.reader.clone();
    halves
        .operator
        .commit(SOON, move |tx: &mut Tx<'_, OperatorEvent>| {
            let lines: Vec<_> = reader.records_from(0)?.collect::<Result<_, _>>()?;
            let knows = |id: &RuleId| {
                lines.iter().any(|line| match line.event() {
                    Some((_, Event::RuleImport(import))) => import.rule.id == *id,
                    _ => false,
                })
            };
            tx.take_over(&original, knows).map(drop)
        })?
}

fn keep_model(halves: &Halves, threshold: f64) -> Result<(), StoreError> {
    let model = AlertModelDoc {
        bias: -1.0,
        signals: vec![SignalDoc {
            name: "repeats".to_owned(),
            mean: 0.5,
            scale: 1.0,
            weight: 2.0,
        }],
        threshold,
    };
    halves
        .operator
        .keep_alert_model(SOON, &model, |sha256| AlertModelFitted {
            sha256,
            sessions: 60,
            failures: 20,
            tasks: 30,
            folds: 5,
            auroc: 0.75,
            auroc_low: 0.5,
            auroc_high: 0.875,
            precision_top_tenth: 0.75,
        })
}

fn leave_snapshot(halves: &Halves) -> Result<(), StoreError> {
    halves
        .operator
        .commit(SOON, |tx: &mut Tx<'_, OperatorEvent>| {
            tx.core().refreshed()?;
            tx.core().leave_snapshot(0)
        })?
}

/// Two pending notices and a started attempt.
fn under_repair(halves: &Halves) {
    halves.watch.open_session(opened("s")).unwrap();
    record(halves).unwrap();
    halves
        .repair
        .append(SOON, vec![repair_started(&IDS, 1).into()])
        .unwrap();
}

/// A turn without a notice, in a workspace that keeps few scores.
fn plain_turn(halves: &Halves, index: u32) -> Result<(), StoreError> {
    halves
        .operator
        .commit(SOON, move |tx: &mut Tx<'_, OperatorEvent>| {
            tx.core().scores.keep_little();
            Ok::<(), StoreError>(())
        })??;
    let outcome = halves.watch.record_turn(turn("s", index, Vec::new()))?;
    assert!(
        matches!(outcome, TurnOutcome::Recorded { .. }),
        "{outcome:?}"
    );
    Ok(())
}

fn record(halves: &Halves) -> Result<(), StoreError> {
    let notices = vec![
        notice(IDS[0], "s", 0, "breach:tool_correctness"),
        notice(IDS[1], "s", 0, "stall:coherence"),
    ];
    halves.watch.record_turn(turn("s", 0, notices)).map(drop)
}

fn change_rules(halves: &Halves) -> Result<(), StoreError> {
    halves
        .operator
        .commit(SOON, |tx: &mut Tx<'_, OperatorEvent>| {
            let act = OperatorAction {
                action: OperatorAct::Retire,
                rule: None,
                reason: CleanText::empty(),
            };
            tx.commit(vec![act.into()])?;
            let docs = || vec![rule("r-0000000001", "Look the order up by its id first.")];
            tx.project(&[
                Projection::ReplaceRules(docs()),
                Projection::AppendRules(docs()),
                Projection::Guide("guide\n".to_owned()),
                Projection::Scope(Scope::parse("orders").unwrap(), "scope\n".to_owned()),
            ])
        })?
}

pub(super) fn case() -> EvalCase {
    EvalCase {
        id: CaseId::parse("c-0000000001").unwrap(),
        created_at: start(),
        session: session("s"),
        kind: CaseKind::Failure,
        signatures: Vec::new(),
        baseline: Vec::new(),
        replay_input: None,
        notes: crate::fixture::clean("seen twice"),
    }
}
