//! A turn is recorded once, its notices are posted once, and the breaker holds back what is too
//! much.

use harness_core::{NoticeId, Origin, Principal, Score, Severity};
use harness_store::wire::Event;
use harness_store::wire::event::{
    self, BreakerState, CloseReason, OperatorAct, OperatorAction, SessionClosed, TrialKind,
    TrialName, TrialObserved, TrialObservedCause,
};
use harness_store::{Breaker, Halves, Mailbox, Opening, StoreError, TurnOutcome};

use crate::fixture::{Place, SOON, clean, metric, notice, opened, recovery, session, turn};

fn mailbox(halves: &Halves) -> Mailbox {
    let mut follower = halves.reader.follow(Mailbox::default());
    follower.refresh().unwrap();
    follower.get().clone()
}

/// Posted, repeated and suppressed notices of an outcome.
fn told(outcome: &TurnOutcome) -> [usize; 3] {
    match outcome {
        TurnOutcome::Recorded {
            posted,
            repeated,
            suppressed,
            files,
        } => {
            assert_eq!(*files, Ok(()));
            [posted.len(), repeated.len(), suppressed.len()]
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn seen_changed_and_ended() {
    let place = Place::new();
    let halves = place.open();
    assert_eq!(halves.watch.open_session(opened("s")), Ok(Opening::Opened));
    assert_eq!(halves.watch.open_session(opened("s")), Ok(Opening::WasOpen));
    let record = turn(
        "s",
        0,
        vec![notice("n-1", "s", 0, "breach:tool_correctness")],
    );
    assert_eq!(
        told(&halves.watch.record_turn(record.clone()).unwrap()),
        [1, 0, 0]
    );
    let before = std::fs::read(place.journal()).unwrap();
    assert_eq!(
        halves.watch.record_turn(record.clone()),
        Ok(TurnOutcome::AlreadySeen)
    );
    let mut changed = record.clone();
    changed.digest = [7; 32];
    assert_eq!(halves.watch.record_turn(changed), Ok(TurnOutcome::Changed));
    assert_eq!(
        std::fs::read(place.journal()).unwrap(),
        before,
        "nothing was written"
    );

    let closed = SessionClosed {
        session: session("s"),
        turns: 1,
        reason: CloseReason::Host,
    };
    assert_eq!(halves.watch.close_session(closed.clone()), Ok(true));
    assert_eq!(halves.watch.close_session(closed), Ok(false));
    assert_eq!(
        halves.watch.open_session(opened("s")),
        Ok(Opening::HasEnded)
    );
    assert_eq!(
        halves.watch.record_turn(record),
        Ok(TurnOutcome::AlreadySeen)
    );
    assert_eq!(
        halves.watch.record_turn(turn("s", 1, Vec::new())),
        Ok(TurnOutcome::SessionEnded)
    );
}

#[test]
fn the_gate_is_there_after_a_restart() {
    let place = Place::new();
    place
        .open()
        .watch
        .record_turn(turn("s", 3, Vec::new()))
        .unwrap();
    let scores = place.reader().scores().unwrap();
    let known = scores.get(&session("s")).unwrap();
    assert_eq!(known.gates().len(), 1);
    let last = known.last().unwrap();
    assert_eq!((last.index, last.scores.len()), (3, 2));
    assert_eq!(
        last.scores[0],
        (crate::fixture::metric("coherence"), None),
        "pending stays so"
    );
}

#[test]
fn a_reported_condition_waits_for_recovery_or_cooldown() {
    let place = Place::new();
    let halves = place.open();
    let post = |index: u32, signature: &str| {
        let posted = notice(
            &format!("n-{index}-{}", signature.len()),
            "s",
            index,
            signature,
        );
        told(
            &halves
                .watch
                .record_turn(turn("s", index, vec![posted]))
                .unwrap(),
        )
    };
    assert_eq!(post(0, "breach:tool_correctness"), [1, 0, 0]);
    assert_eq!(post(1, "breach:tool_correctness"), [0, 1, 0]);
    assert_eq!(post(2, "stall:coherence"), [1, 0, 0]);
    assert_eq!(
        post(10, "breach:tool_correctness"),
        [1, 0, 0],
        "cooled down"
    );
    assert_eq!(post(11, "breach:tool_correctness"), [0, 1, 0]);
    halves
        .watch
        .append(SOON, vec![recovery("s").into()])
        .unwrap();
    assert_eq!(post(12, "breach:tool_correctness"), [1, 0, 0], "recovered");
    assert_eq!(mailbox(&halves).pending_count(), 4);
}

#[test]
fn the_breaker_trips_calls_for_a_person_and_is_reset_by_one() {
    let place = Place::new();
    let halves = place.open();
    let someone = Principal::parse("someone@example").unwrap();
    let post = |number: u32| {
        let name = format!("s{number}");
        let failure = notice(
            &format!("n-{number:02}"),
            &name,
            0,
            "breach:tool_correctness",
        );
        let mut record = turn(&name, 0, vec![failure]);
        record.ended_at = Some(crate::fixture::start().plus_seconds(i64::from(number)));
        told(&halves.watch.record_turn(record).unwrap())
    };
    for number in 0..5 {
        assert_eq!(post(number), [1, 0, 0]);
    }
    assert_eq!(post(5), [2, 0, 0], "the sixth, and the call for a person");
    assert_eq!(post(6), [0, 0, 1]);
    let box_now = mailbox(&halves);
    assert_eq!(box_now.max_severity(), Some(Severity::NeedsHuman));
    assert_eq!(box_now.pending_count(), 7);
    drop(halves);

    // A restart does not reset it; an operator does.
    let halves = place.open();
    let mut breaker = halves.reader.follow(Breaker::default());
    breaker.refresh().unwrap();
    assert!(breaker.get().is_paused(Some(&someone)));
    assert!(!breaker.get().is_paused(None));
    assert_eq!(breaker.get().suppressed(), 1);
    let resume = vec![
        OperatorAction {
            action: OperatorAct::Resume,
            rule: None,
            reason: clean("seen to"),
        }
        .into(),
        event::Breaker {
            state: BreakerState::Resumed,
            principal: None,
            everyone: true,
        }
        .into(),
    ];
    halves.operator.append(SOON, resume).unwrap();
    breaker.refresh().unwrap();
    assert!(!breaker.get().is_paused(Some(&someone)));
    assert!(halves.reader.audit().unwrap().ok);
}

#[test]
fn recordings_without_times_never_trip_the_breaker() {
    let place = Place::new();
    let halves = place.open();
    for number in 0..9 {
        let name = format!("s{number}");
        let failure = notice(
            &format!("n-{number:02}"),
            &name,
            0,
            "breach:tool_correctness",
        );
        let mut record = turn(&name, 0, vec![failure]);
        (record.origin, record.ended_at) = (Origin::Recorded, None);
        assert_eq!(told(&halves.watch.record_turn(record).unwrap()), [1, 0, 0]);
    }
}

#[test]
fn observing_only_journals_and_posts_nothing() {
    let place = Place::new();
    let halves = place.open();
    let mut record = turn(
        "s",
        0,
        vec![notice("n-1", "s", 0, "breach:tool_correctness")],
    );
    record.observe_only = true;
    assert_eq!(told(&halves.watch.record_turn(record).unwrap()), [0, 0, 0]);
    assert_eq!(mailbox(&halves).pending_count(), 0);
    assert!(place.kinds().contains(&"notice".to_owned()));
    assert!(!place.file("mailbox/pending/n-1.json").exists());
}

#[test]
fn what_a_turn_settles_is_in_its_commit_or_nowhere() {
    let place = Place::new();
    let halves = place.open();
    let observed = || TrialObserved {
        rule: harness_core::RuleId::parse("r-1").unwrap(),
        trial: TrialName {
            kind: TrialKind::Trial,
            opening: 1,
        },
        session: session("s"),
        y: Some(1),
        cause: TrialObservedCause::Condition,
        turn_index: Some(0),
    };
    let failed = halves
        .watch
        .record_turn_with(turn("s", 0, Vec::new()), || Err(StoreError::Closed));
    assert_eq!(failed, Err(StoreError::Closed));
    let done = halves
        .watch
        .record_turn_with(turn("s", 0, Vec::new()), move || {
            Ok(vec![observed().into()])
        });
    assert_eq!(told(&done.unwrap()), [0, 0, 0]);
    let again = halves.watch.record_turn_with(turn("s", 0, Vec::new()), || {
        unreachable!("a turn that was seen is not asked about")
    });
    assert_eq!(again, Ok(TurnOutcome::AlreadySeen));
    let lines = place.lines();
    let count = lines
        .iter()
        .filter(|line| matches!(line.event(), Some((_, Event::TrialObserved(_)))));
    assert_eq!(count.count(), 1);
}

#[test]
fn scores_that_were_missing_are_taken_up_once() {
    let place = Place::new();
    let halves = place.open();
    let record = |index: u32, scores: &[(&str, f64)]| {
        let mut record = turn("s", index, Vec::new());
        if !scores.is_empty() {
            let scores = scores.iter();
            record.scores = scores
                .map(|(name, score)| (metric(name), Score::new(*score)))
                .collect();
        }
        halves.watch.record_turn(record).unwrap()
    };
    // Coherence is missing of both turns.
    for index in [0, 1] {
        assert_eq!(told(&record(index, &[])), [0, 0, 0]);
    }
    let known = || {
        let scores = halves.reader.scores().unwrap();
        scores.get(&session("s")).unwrap().clone()
    };
    assert!(known().is_missing_a_score());
    // What came already is not taken for what is missing.
    let other = [("task_completion", 0.1)];
    assert_eq!(record(0, &other), TurnOutcome::AlreadySeen);

    let late = [("coherence", 0.75)];
    assert_eq!(told(&record(0, &late)), [0, 0, 0]);
    assert_eq!(record(0, &late), TurnOutcome::AlreadySeen);
    assert!(known().is_missing_a_score(), "the other turn still waits");
    assert_eq!(known().last().unwrap().index, 1);
    assert_eq!(told(&record(1, &late)), [0, 0, 0]);
    assert!(!known().is_missing_a_score());
    assert_eq!(
        known().last().unwrap().scores,
        [
            (metric("task_completion"), Score::new(0.5)),
            (metric("coherence"), Score::new(0.75)),
        ]
    );
    assert_eq!(known().turn_count(), 2);
}

#[test]
fn a_crash_between_journal_and_files_is_made_good() {
    let place = Place::new();
    let halves = place.open();
    let record = turn(
        "s",
        0,
        vec![notice("n-1", "s", 0, "breach:tool_correctness")],
    );
    halves.watch.record_turn(record.clone()).unwrap();
    drop(halves);
    // As if the process had ended right after the journal's record.
    std::fs::remove_file(place.file("mailbox/pending/n-1.json")).unwrap();
    std::fs::remove_file(place.file("mailbox/status.json")).unwrap();
    std::fs::remove_file(place.file("state/scores/00000000.jsonl")).unwrap();
    let halves = place.open();
    assert!(place.file("mailbox/pending/n-1.json").exists());
    assert!(place.file("mailbox/status.json").exists());
    let again = halves.watch.record_turn(record).unwrap();
    let id = NoticeId::parse("n-1").unwrap();
    assert!(
        matches!(&again, TurnOutcome::Recorded { repeated, .. } if *repeated == [id]),
        "it is not posted twice: {again:?}"
    );
    assert!(halves.reader.audit().unwrap().ok);
}
