//! Steps are diagnosed only once the outcome or progress alerts, and explained only where asked for.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness_core::{MetricRegistry, Origin, Tier, Trace};
use harness_engine::{
    Config, EmbeddedEvaluator, EvaluationError, Evaluator, Harness, Reading, Setup,
};
use harness_rules::EvaluatorIdentity;

use crate::a_failure_becomes_a_candidate::LastCallWorked;
use crate::world::{World, failing, fine, session};

#[derive(Default)]
struct Listening(Mutex<Vec<Tier>>);

#[async_trait]
impl Evaluator for Listening {
    fn identity(&self) -> EvaluatorIdentity {
        EmbeddedEvaluator.identity()
    }

    fn registry(&self) -> MetricRegistry {
        EmbeddedEvaluator.registry()
    }

    async fn score(&self, trace: &Trace, tier: Tier) -> Result<Vec<Reading>, EvaluationError> {
        self.0.lock().unwrap().push(tier);
        EmbeddedEvaluator.score(trace, tier).await
    }
}

async fn asked(turn: harness_core::TurnPayload, enable_tier3: bool) -> Vec<Tier> {
    let world = World::new();
    let evaluator = Arc::new(Listening::default());
    let harness = Harness::open(Setup {
        evaluator: Arc::clone(&evaluator) as Arc<dyn Evaluator>,
        verifier: Some(Arc::new(LastCallWorked)),
        config: Config {
            enable_tier3,
            ..Config::default()
        },
        ..world.setup()
    })
    .unwrap();
    let _ = harness.record_turn(turn);
    assert!(harness.settle(&session("s")).await.complete);
    let asked = evaluator.0.lock().unwrap();
    asked.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_goes_well_is_asked_for_progress_alone() {
    assert_eq!(
        asked(fine("s", 0, Origin::Live), true).await,
        [Tier::Progress]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_outcome_is_diagnosed_and_explained_only_where_asked_for() {
    let turn = || failing("s", 0, Origin::Live);
    assert_eq!(
        asked(turn(), false).await,
        [Tier::Progress, Tier::Diagnosis]
    );
    assert_eq!(
        asked(turn(), true).await,
        [Tier::Progress, Tier::Diagnosis, Tier::Explanation]
    );
}
