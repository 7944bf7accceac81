//! Answers of any kind are scores, or no scores, or an error that says whose fault it is.

use harness_core::Tier;
use harness_engine::{EvaluationError, Evaluator as _};
use proptest::prelude::*;
use serde_json::json;

use crate::stand_in::{StandIn, TRACE, both, progress, scores, trace_of};

async fn fails(platform: &StandIn) -> EvaluationError {
    let evaluator = platform.evaluator();
    evaluator
        .score(&trace_of(TRACE), Tier::Progress)
        .await
        .unwrap_err()
}

#[tokio::test]
async fn lists_in_both_shapes_are_the_same() {
    let platform = StandIn::new();
    platform.set("known", &format!("{{\"items\": {}}}", both()));
    let wrapped = progress(&platform.evaluator()).await;
    platform.set("known", &both());
    assert_eq!(progress(&platform.evaluator()).await, wrapped);
}

#[tokio::test]
async fn scores_out_of_range_or_of_other_traces_are_none() {
    let platform = StandIn::new();
    platform.set(
        "scores",
        &scores(&[("coherence", json!("7")), ("task_completion", json!([1]))]),
    );
    let pending = ["coherence pending", "task_completion pending"];
    assert_eq!(progress(&platform.evaluator()).await, pending);
    platform.set("known", &both().replace(TRACE, "another"));
    assert_eq!(progress(&platform.evaluator()).await, pending);
}

#[tokio::test]
async fn what_is_no_json_and_what_is_too_much_is_an_outage() {
    for (how, says) in [
        (
            "babbles",
            "the platform's binary answered something that is no JSON",
        ),
        (
            "floods",
            "the platform's binary wrote more than 16777216 bytes",
        ),
    ] {
        let platform = StandIn::new();
        platform.set(how, "");
        let EvaluationError::Unavailable(why) = fails(&platform).await else {
            panic!("{how}");
        };
        assert_eq!(why.as_str(), says);
    }
}

#[tokio::test]
async fn a_trace_id_that_could_be_an_option_or_a_list_is_never_an_argument() {
    let platform = StandIn::new();
    for bad in ["--reveal-secrets", "a,b", "a b"] {
        let evaluator = platform.evaluator();
        let error = evaluator.score(&trace_of(bad), Tier::Progress).await;
        assert!(
            matches!(error, Err(EvaluationError::Unscorable(_))),
            "{bad}"
        );
    }
    assert_eq!(platform.calls(), [""; 0]);
    platform.set("known", &both());
    assert_eq!(progress(&platform.evaluator()).await.len(), 2);
}

proptest! {
    // Each case is a few processes.
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn any_answer_is_two_readings_or_an_error(answer in "[\\[\\]{}\":,a-z0-9. ]{0,60}") {
        let platform = StandIn::new();
        platform.set("known", &answer);
        platform.set("scores", &answer);
        platform.set("states", &answer);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let evaluator = platform.evaluator();
        let trace = trace_of(TRACE);
        let scored = runtime.block_on(evaluator.score(&trace, Tier::Progress));
        match scored {
            Ok(readings) => prop_assert_eq!(readings.len(), 2),
            Err(error) => prop_assert!(matches!(error, EvaluationError::Unavailable(_))),
        }
    }
}
