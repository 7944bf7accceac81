//! A judge that hangs, fails or floods costs scores, never the host.

use std::sync::Arc;

use async_trait::async_trait;
use harness_core::{MetricRegistry, Origin, Tier, Trace};
use harness_engine::{
    Config, EmbeddedEvaluator, EvaluationError, Evaluator, Harness, HealthReport, Reading,
    Recorded, Setup,
};
use harness_rules::EvaluatorIdentity;

use crate::world::{World, clean, failing, session};

/// Never answers, or says that it is down.
struct Broken {
    hangs: bool,
}

#[async_trait]
impl Evaluator for Broken {
    fn identity(&self) -> EvaluatorIdentity {
        EmbeddedEvaluator.identity()
    }

    fn registry(&self) -> MetricRegistry {
        EmbeddedEvaluator.registry()
    }

    async fn health(&self) -> HealthReport {
        HealthReport::Down(clean("out of reach"))
    }

    async fn score(&self, _: &Trace, _: Tier) -> Result<Vec<Reading>, EvaluationError> {
        if self.hangs {
            std::future::pending::<()>().await;
        }
        Err(EvaluationError::Unavailable(clean("out of reach")))
    }
}

fn open(world: &World, hangs: bool) -> Harness {
    Harness::open(Setup {
        evaluator: Arc::new(Broken { hangs }),
        config: Config {
            eval_retries: 1,
            eval_retry_s: 0,
            eval_timeout_s: 1,
            settle_budget_s: 30,
            ..Config::default()
        },
        ..world.setup()
    })
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_judge_leaves_scores_pending_and_is_an_outage() {
    for hangs in [true, false] {
        let world = World::new();
        let harness = open(&world, hangs);
        let name = session("s");
        assert_eq!(
            harness.record_turn(failing("s", 0, Origin::Live)),
            Recorded::Accepted
        );
        let settled = harness.settle(&name).await;
        assert!(settled.complete, "{settled:?}");
        assert_eq!((settled.recorded, settled.alerts), (1, 0));
        let journal = std::fs::read_to_string(world.file("journal.jsonl")).unwrap();
        assert!(journal.contains("\"state\":\"down\""), "{journal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_refused_at_the_bound_and_journaled() {
    let world = World::new();
    let harness = open(&world, true);
    let recorded: Vec<Recorded> = (0..200)
        .map(|index| harness.record_turn(failing("s", index, Origin::Live)))
        .collect();
    assert!(recorded.contains(&Recorded::Accepted));
    assert!(recorded.contains(&Recorded::Refused));
}
