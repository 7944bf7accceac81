//! One run a tier, waited for to its end; what is scored is taken, and known after a restart.

use harness_core::Tier;
use harness_engine::Evaluator as _;
use serde_json::json;

use crate::stand_in::{StandIn, TRACE, both, progress, scores, told, trace_of};

const SCORED: [&str; 2] = ["coherence 0.75", "task_completion 0.25"];
const BATCH: &str = "evals runs batch";

#[tokio::test]
async fn a_run_is_polled_to_its_end_and_its_reasons_come_along() {
    let platform = StandIn::new();
    platform.set("states", "PENDING\nRUNNING\nSTARTING\nCOMPLETED\n");
    platform.set("scores", &both());
    let evaluator = platform.evaluator();
    let readings = evaluator
        .score(&trace_of(TRACE), Tier::Progress)
        .await
        .unwrap();
    assert_eq!(told(&readings), SCORED);
    assert_eq!(
        readings[0].reason.as_ref().unwrap().as_str(),
        "why coherence"
    );
    assert_eq!(platform.count("evals runs get run-1"), 4);
    assert_eq!(platform.count(BATCH), 1);
    let asked = platform.read("calls");
    assert!(
        asked.contains(&format!(
            "evals runs batch --target trace --trace-ids {TRACE} --metrics coherence,task_completion"
        )),
        "{asked}"
    );
}

#[tokio::test]
async fn scores_that_come_one_at_a_time_are_waited_for() {
    let platform = StandIn::new();
    let first = scores(&[("coherence", json!("0.75"))]);
    platform.set("scores", &format!("[]\n{first}\n{}\n", both()));
    assert_eq!(progress(&platform.evaluator()).await, SCORED);
    assert_eq!(platform.count(BATCH), 1);
}

#[tokio::test]
async fn a_half_finished_run_is_pending_and_its_late_scores_are_taken_up() {
    let platform = StandIn::new();
    platform.set("scores", &scores(&[("coherence", json!("0.75"))]));
    let pending = ["coherence 0.75", "task_completion pending"];
    assert_eq!(progress(&platform.evaluator()).await, pending);
    // They are there for whoever asks, in a later process too, and no run is started for them.
    platform.set("known", &both());
    assert_eq!(progress(&platform.evaluator()).await, SCORED);
    assert_eq!(platform.count(BATCH), 1);
}

#[tokio::test]
async fn a_run_under_way_is_waited_for_after_a_restart() {
    let platform = StandIn::new();
    platform.set("states", "RUNNING\n");
    let pending = ["coherence pending", "task_completion pending"];
    assert_eq!(progress(&platform.evaluator()).await, pending);
    platform.set("states", "COMPLETED\n");
    platform.set("scores", &both());
    assert_eq!(progress(&platform.evaluator()).await, SCORED);
    assert_eq!(platform.count(BATCH), 1);
}

#[tokio::test]
async fn what_is_scored_already_starts_no_run() {
    let platform = StandIn::new();
    platform.set("known", &both());
    assert_eq!(progress(&platform.evaluator()).await, SCORED);
    assert_eq!(platform.calls(), [format!("evals scores get {TRACE}")]);
}

#[tokio::test]
async fn a_trace_that_has_not_come_in_is_waited_for_before_a_run_is_started() {
    let platform = StandIn::new();
    platform.set("lag", "not yet\nnot yet\nhere\n");
    platform.set("scores", &both());
    assert_eq!(progress(&platform.evaluator()).await, SCORED);
    assert_eq!(platform.count("traces get"), 3);

    let late = StandIn::new();
    late.set("lag", "not yet\n");
    let pending = ["coherence pending", "task_completion pending"];
    assert_eq!(progress(&late.evaluator()).await, pending);
    assert_eq!(late.count(BATCH), 0);
}

#[tokio::test]
async fn a_failed_run_is_pending_and_the_next_ask_starts_another() {
    let platform = StandIn::new();
    platform.set("states", "FAILED\nCOMPLETED\n");
    platform.set("scores", &format!("[]\n{}\n", both()));
    let pending = ["coherence pending", "task_completion pending"];
    assert_eq!(progress(&platform.evaluator()).await, pending);
    assert_eq!(progress(&platform.evaluator()).await, SCORED);
    assert_eq!(platform.count(BATCH), 2);
}

#[tokio::test]
async fn each_tier_is_one_run_of_its_own_metrics() {
    let platform = StandIn::new();
    platform.set(
        "scores",
        &scores(&[
            ("tool_correctness", json!(0)),
            ("argument_correctness", json!("1")),
        ]),
    );
    let evaluator = platform.evaluator();
    let trace = trace_of(TRACE);
    let readings = evaluator.score(&trace, Tier::Diagnosis).await.unwrap();
    assert_eq!(
        told(&readings),
        ["argument_correctness 1.00", "tool_correctness 0.00"]
    );
    assert_eq!(evaluator.score(&trace, Tier::Outcome).await.unwrap(), []);
    assert_eq!(platform.count(BATCH), 1);
}
