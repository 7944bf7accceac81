//! A score that comes after its turn was recorded is taken up when the session goes on or ends: what
//! it says is noticed, and it is missing no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use harness_core::{MetricRegistry, Origin, Tier, Trace};
use harness_engine::{EmbeddedEvaluator, EvaluationError, Evaluator, Harness, Reading, Setup};
use harness_rules::EvaluatorIdentity;
use serde_json::Value;

use crate::a_failure_becomes_a_candidate::LastCallWorked;
use crate::world::{World, events, failing, fine, session};

/// The judge that comes with the engine, mute while it is told to be.
#[derive(Default)]
pub(crate) struct Mute(AtomicBool);

impl Mute {
    pub(crate) fn is_mute(&self, is_mute: bool) {
        self.0.store(is_mute, Ordering::Relaxed);
    }
}

#[async_trait]
impl Evaluator for Mute {
    fn identity(&self) -> EvaluatorIdentity {
        EmbeddedEvaluator.identity()
    }

    fn registry(&self) -> MetricRegistry {
        EmbeddedEvaluator.registry()
    }

    async fn score(&self, trace: &Trace, tier: Tier) -> Result<Vec<Reading>, EvaluationError> {
        if self.0.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        EmbeddedEvaluator.score(trace, tier).await
    }
}

fn open(world: &World, judge: &Arc<Mute>) -> Harness {
    Harness::open(Setup {
        evaluator: Arc::clone(judge) as Arc<dyn Evaluator>,
        verifier: Some(Arc::new(LastCallWorked)),
        ..world.setup()
    })
    .unwrap()
}

fn signatures(world: &World) -> Vec<String> {
    let notices = events(world, "notice").into_iter();
    notices
        .map(|notice| notice["signatures"].to_string())
        .collect()
}

/// The missing scores of the session "s", by the lines of the scores: a line fills in what an
/// earlier one lacked.
fn missing(world: &World) -> Vec<String> {
    let text = std::fs::read_to_string(world.file("state/scores/00000000.jsonl")).unwrap();
    let mut scores = std::collections::BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        for (metric, score) in line["scores"].as_object().unwrap() {
            scores.insert(format!("{}:{metric}", line["turn"]), score.is_null());
        }
    }
    let missing = scores.into_iter().filter(|(_, is_null)| *is_null);
    missing.map(|(key, _)| key).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_late_score_says_is_noticed_once() {
    let (world, judge) = (World::new(), Arc::new(Mute::default()));
    let harness = open(&world, &judge);
    judge.is_mute(true);
    let _ = harness.record_turn(failing("s", 0, Origin::Live));
    let settled = harness.settle(&session("s")).await;
    assert_eq!((settled.recorded, settled.alerts), (1, 1));
    assert_eq!(signatures(&world), ["[\"breach:outcome_correct\"]"]);
    assert!(missing(&world).contains(&"0:tool_correctness".to_owned()));

    judge.is_mute(false);
    let _ = harness.record_turn(fine("s", 1, Origin::Live));
    let settled = harness.settle(&session("s")).await;
    assert_eq!((settled.recorded, settled.notices.len()), (1, 1));
    let told = signatures(&world);
    assert_eq!(told.len(), 2);
    assert!(told[1].contains("breach:tool_correctness"), "{told:?}");
    assert!(!told[1].contains("outcome_correct"), "{told:?}");
    assert_eq!(missing(&world), Vec::<String>::new());

    // Everything has come: the end asks nobody and tells nothing.
    judge.is_mute(true);
    harness.end_session(&session("s"));
    assert!(harness.settle(&session("s")).await.notices.is_empty());
    assert_eq!(signatures(&world).len(), 2);
    assert!(harness.reader().audit().unwrap().ok);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_session_asks_once_more() {
    for comes in [true, false] {
        let (world, judge) = (World::new(), Arc::new(Mute::default()));
        let harness = open(&world, &judge);
        judge.is_mute(true);
        let _ = harness.record_turn(fine("s", 0, Origin::Live));
        assert!(harness.settle(&session("s")).await.complete);
        assert!(!missing(&world).is_empty());
        judge.is_mute(!comes);
        harness.end_session(&session("s"));
        assert!(harness.settle(&session("s")).await.complete);
        assert_eq!(missing(&world).is_empty(), comes);
        assert_eq!(events(&world, "session_closed").len(), 1);
    }
}
