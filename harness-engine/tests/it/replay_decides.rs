//! A host that can replay has its candidates decided on captured cases, unasked; a replay that
//! panics, hangs, lies or names a session of nobody costs its pair and says why in the journal.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use harness_core::{
    CaseKind, CleanString, EvalCase, Origin, RuleId, RuleStatus, SessionId, TurnPayload,
};
use harness_engine::{
    CaseResult, Config, Harness, Replay, ReplayFailure, ReplayRun, Replayed, Setup,
};
use serde_json::{Value, json};

use crate::a_failure_becomes_a_candidate::LastCallWorked;
use crate::world::{World, clean, events, failing, fine, session};

/// How a host misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Honest,
    Panics,
    Hangs,
    Refuses,
    NamesNobody,
    LiesAboutSeeds,
    HandsInTheSameRun,
    Drifts,
    HasNoEnvironment,
    PanicsInItsEnvironment,
    NeverReads,
    /// Panics after its agent has read the rules, if it was shown one.
    PanicsOnAdvice,
}

/// A host whose agent fails unless it reads a rule about the tool that fails.
struct Host {
    manner: Manner,
    runs: AtomicU64,
}

impl Host {
    fn new(manner: Manner) -> Arc<Self> {
        Arc::new(Self {
            manner,
            runs: AtomicU64::new(0),
        })
    }

    fn number(&self) -> u64 {
        self.runs.fetch_add(1, Ordering::Relaxed)
    }
}

#[async_trait]
impl Replay for Host {
    async fn environment(&self, _: &EvalCase) -> Result<CleanString, ReplayFailure> {
        match self.manner {
            Manner::Drifts => Ok(clean(&format!("state {}", self.number()))),
            Manner::HasNoEnvironment => Err(ReplayFailure(clean("the database is down"))),
            Manner::PanicsInItsEnvironment => panic!("as a host may"),
            _ => Ok(clean("state")),
        }
    }

    async fn run(&self, run: ReplayRun) -> Result<Replayed, ReplayFailure> {
        match self.manner {
            Manner::Panics => panic!("as a host may"),
            Manner::Hangs => std::future::pending::<()>().await,
            Manner::Refuses => return Err(ReplayFailure(clean("no model today"))),
            _ => {}
        }
        assert_eq!(run.case.replay_input, Some(clean("sum march")));
        let mut advised = false;
        if self.manner != Manner::NeverReads {
            let query = json!({ "query": "read_file" });
            let answer = run.tools.call("harness_rules_search", &query);
            advised = answer["rules"] != json!([]);
        }
        assert!(!(advised && self.manner == Manner::PanicsOnAdvice));
        let number = match self.manner {
            Manner::HandsInTheSameRun => 0,
            _ => self.number(),
        };
        let name = format!("run-{number}");
        let turn = match run.case.kind {
            CaseKind::Failure if !advised => failing(&name, 0, Origin::Live),
            _ => fine(&name, 0, Origin::Live),
        };
        run.report(turn);
        Ok(Replayed {
            session: match self.manner {
                Manner::NamesNobody => session("nobody"),
                _ => session(&name),
            },
            seed: match self.manner {
                Manner::LiesAboutSeeds => run.seed + 1,
                _ => run.seed,
            },
        })
    }
}

fn open(world: &World, host: Option<Arc<Host>>, attempts: u32) -> Harness {
    let setup = Setup {
        verifier: Some(Arc::new(LastCallWorked)),
        config: Config {
            capture_eval_cases: true,
            replay_attempts: attempts,
            replay_seeds: 10,
            replay_timeout_s: match host.as_ref().map(|host| host.manner) {
                // One hang is waited for, then nothing is worth running.
                Some(Manner::Hangs) => 1,
                _ => 300,
            },
            ..Config::default()
        },
        ..world.setup()
    };
    match host {
        Some(host) => Harness::open_replaying(setup, host).unwrap(),
        None => Harness::open(setup).unwrap(),
    }
}

fn replayable(turn: TurnPayload) -> TurnPayload {
    TurnPayload {
        replay_input: Some(clean("sum march")),
        ..turn
    }
}

/// A win and a failure happen, and the failure becomes a candidate.
async fn candidate(harness: &Harness) -> RuleId {
    let win = replayable(fine("good", 0, Origin::Live));
    harness.capture_win(win).await.unwrap();
    let name: SessionId = session("bad");
    let _ = harness.record_turn(replayable(failing("bad", 0, Origin::Live)));
    let repair = harness.settle(&name).await.repair.unwrap();
    repair.new_rule.unwrap()
}

fn status(harness: &Harness, rule: &RuleId) -> RuleStatus {
    let view = harness.book().ledger().unwrap();
    assert_eq!(view.doubts(), []);
    view.rule(rule).unwrap().status
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_that_wins_its_pairs_is_active_and_the_wins_are_looked_at() {
    let world = World::new();
    let harness = open(&world, Some(Host::new(Manner::Honest)), 1);
    let rule = candidate(&harness).await;
    let mut promoted = Vec::new();
    // The first look may have been the one that decided; the second sees what followed.
    for _ in 0..2 {
        promoted.extend(harness.settle_validation().await.unwrap().promoted);
    }
    assert_eq!(promoted, std::slice::from_ref(&rule));
    assert_eq!(status(&harness, &rule), RuleStatus::Active);
    let pairs = events(&world, "validation_replay_case");
    assert_eq!(pairs.len(), 20);
    assert!(pairs.iter().all(|pair| pair["void"] == Value::Null));
    let numbered = pairs.iter().filter(|pair| pair["t"] == 1).count();
    assert_eq!(numbered, 1);
    for (kind, lines) in [
        ("validation_round_started", 1),
        ("validation_candidate_started", 1),
        ("validation_verdict", 1),
        ("validation_round_finished", 1),
        ("rule_promote", 1),
        ("trial_assigned", 0),
        // Runs are no sessions.
        ("session_opened", 1),
        ("notice", 1),
    ] {
        assert_eq!(events(&world, kind).len(), lines, "{kind}");
    }
    let looks = events(&world, "regression");
    let [look] = &looks[..] else {
        panic!("{looks:?}");
    };
    assert_eq!(look["promoted"], json!([rule.as_str()]));
    assert_eq!(look["cases"][0]["kind"], "win");
    assert_eq!(look["cases"][0]["result"], "passed");
    let mine = harness.replay_cases(10).await.unwrap();
    let told: BTreeSet<_> = mine.iter().map(|case| (case.kind, case.result)).collect();
    let passed = [CaseKind::Failure, CaseKind::Win].map(|kind| (kind, CaseResult::Passed));
    assert_eq!(told, BTreeSet::from(passed));
    assert!(harness.close().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_replay_each_case_is_skipped() {
    let world = World::new();
    let harness = open(&world, None, 1);
    candidate(&harness).await;
    harness.settle_validation().await.unwrap();
    assert!(events(&world, "validation_replay_case").is_empty());
    assert_eq!(events(&world, "trial_opened")[0]["path"], "forward");
    let cases = harness.replay_cases(10).await.unwrap();
    assert_eq!(cases.len(), 2);
    assert!(cases.iter().all(|case| case.result == CaseResult::Skipped));
    assert_eq!(events(&world, "regression").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_replay_does_costs_its_pair_and_no_more() {
    for (manner, why) in [
        (Manner::Panics, "panicked"),
        (Manner::Hangs, "timed_out"),
        (Manner::Refuses, "not_started"),
        (Manner::NamesNobody, "session"),
        (Manner::LiesAboutSeeds, "seed"),
        (Manner::HandsInTheSameRun, "session"),
        (Manner::Drifts, "drift"),
        (Manner::HasNoEnvironment, "environment"),
        (Manner::PanicsInItsEnvironment, "environment"),
        (Manner::NeverReads, "not_surfaced"),
    ] {
        let world = World::new();
        let harness = Harness::open_replaying(
            Setup {
                verifier: Some(Arc::new(LastCallWorked)),
                config: Config {
                    capture_eval_cases: true,
                    replay_attempts: 1,
                    replay_seeds: 1,
                    replay_win_cases: 0,
                    replay_timeout_s: if manner == Manner::Hangs { 1 } else { 300 },
                    ..Config::default()
                },
                ..world.setup()
            },
            Host::new(manner),
        )
        .unwrap();
        let rule = candidate(&harness).await;
        harness.settle_validation().await.unwrap();
        let pairs = events(&world, "validation_replay_case");
        assert_eq!(pairs.len(), 1, "{manner:?}");
        assert_eq!(pairs[0]["void"], why, "{manner:?}");
        assert_eq!(pairs[0]["t"], Value::Null, "{manner:?}");
        assert_eq!(status(&harness, &rule), RuleStatus::Candidate);
        let ended = &events(&world, "validation_verdict")[0];
        let expected = match why {
            "environment" => "environment_not_ready",
            _ => "all_void",
        };
        assert_eq!(ended["pending"], expected, "{manner:?}");
        // The forward trial goes on with nothing, under a number that is still to be given.
        let openings = events(&world, "trial_opened");
        assert_eq!(openings.len(), 2, "{manner:?}");
        assert_eq!(
            (&openings[1]["path"], &openings[1]["starting_e"]),
            (&json!("forward"), &json!(1.0))
        );
        assert!(harness.reader().audit().unwrap().ok);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_breaks_runs_off_does_not_win_by_it() {
    let world = World::new();
    let harness = open(&world, Some(Host::new(Manner::PanicsOnAdvice)), 1);
    let rule = candidate(&harness).await;
    harness.settle_validation().await.unwrap();
    harness.settle_validation().await.unwrap();
    let pairs = events(&world, "validation_replay_case");
    assert_eq!(pairs.len(), 20);
    assert!(pairs.iter().all(|pair| pair["with"]["end"] == "unscored"));
    assert!(pairs.iter().all(|pair| pair["void"] == Value::Null));
    let retired = events(&world, "rule_retire");
    assert_eq!(retired.len(), 1, "a protected win was lost ten times");
    assert!(matches!(status(&harness, &rule), RuleStatus::Retired(_)));
}
