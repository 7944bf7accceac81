//! A host that can run its agent on captured cases has candidates decided there, by what it reports
//! as raw as any turn; without that, and where the rule helps nobody, nothing is promoted.

use std::sync::Arc;

use async_trait::async_trait;
use harness_custom::{
    CaseKind, CleanText, Config, CustomHarness, HostReplay, HostRun, ReplayFailure, Setup,
};
use serde_json::json;

use crate::world::{REQUEST, SECRET, World, begin, fail, succeed};

/// What the host reports with a turn, so that it can be run again.
const INPUT: &str = "sum march";

/// What an agent makes of a rule that it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agent {
    Heeds,
    Ignores,
    /// It breaks off before its first step.
    Breaks,
    /// Nothing of it is reported.
    Silent,
}

#[async_trait]
impl HostReplay for Agent {
    async fn run(&self, run: &HostRun) -> Result<(), ReplayFailure> {
        assert_eq!(run.case().kind, CaseKind::Failure);
        let input = run.case().replay_input.as_ref();
        assert_eq!(input.map(CleanText::as_str), Some(INPUT));
        if *self == Self::Breaks {
            return Err(ReplayFailure(CleanText::new("no model today").unwrap()));
        }
        let tools = run.task_tools();
        let query = json!({ "query": "read_file" });
        let answer = tools.call("harness_rules_search", query).await;
        let is_advised = answer["rules"] != json!([]);
        let mut turn = run.turn(REQUEST);
        match is_advised && *self == Self::Heeds {
            true => succeed(&mut turn),
            false => fail(&mut turn),
        }
        turn.reply(&format!("the token is {SECRET}, seed {}", run.seed()));
        if *self != Self::Silent {
            run.record_turn(turn);
        }
        Ok(())
    }
}

/// A failing session leads to a candidate; what validation makes of it.
async fn promoted(world: &World, agent: Option<Agent>) -> usize {
    let setup = Setup {
        config: Config {
            capture_eval_cases: true,
            replay_attempts: 1,
            replay_seeds: 10,
            ..world.setup().config
        },
        ..world.setup()
    };
    let harness = match agent {
        Some(agent) => CustomHarness::open_replaying(setup, Arc::new(agent)).await,
        None => CustomHarness::open(setup).await,
    };
    let harness = harness.unwrap();
    let session = begin(&harness, "s").await;
    let mut turn = session.turn(REQUEST);
    fail(&mut turn);
    turn.replay_input(INPUT);
    let _ = session.record_turn(turn);
    session.end();
    let settled = session.settle().await;
    assert!(settled.repair.unwrap().new_rule.is_some());
    let decided = harness.settle_validation().await.unwrap();
    drop(session);
    assert!(harness.close().await);
    decided.promoted.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_helps_its_agent_is_active_and_one_that_does_not_is_not() {
    for (agent, expected) in [
        (Some(Agent::Heeds), 1),
        (Some(Agent::Ignores), 0),
        (None, 0),
    ] {
        let world = World::new();
        assert_eq!(promoted(&world, agent).await, expected, "{agent:?}");
        let pairs = world.events("validation_replay_case");
        assert_eq!(pairs.len(), if agent.is_some() { 10 } else { 0 });
        assert!(pairs.iter().all(|pair| pair["void"].is_null()), "{pairs:?}");
        // Runs are no sessions, and what they said is written nowhere.
        assert_eq!(world.events("session_opened").len(), 1);
        for (path, bytes) in world.files() {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert!(!text.contains("the token is"), "{path:?}");
        }
        if expected == 1 {
            assert_eq!(world.events("rule_promote")[0]["validator"], "replay");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_breaks_off_or_reports_nothing_is_void() {
    for (agent, why) in [(Agent::Breaks, "not_started"), (Agent::Silent, "session")] {
        let world = World::new();
        assert_eq!(promoted(&world, Some(agent)).await, 0);
        let pairs = world.events("validation_replay_case");
        assert_eq!(pairs.len(), 10);
        assert!(pairs.iter().all(|pair| pair["void"] == why), "{pairs:?}");
    }
}
