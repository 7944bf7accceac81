//! What the binary can do is told by what it did, not by what it says of itself.

use harness_pandaprobe::{Settings, measure};
use serde_json::{Value, json};

use crate::stand_in::StandIn;

const METRICS: [&str; 8] = [
    "argument_correctness",
    "coherence",
    "confidence",
    "plan_adherence",
    "plan_quality",
    "step_efficiency",
    "task_completion",
    "tool_correctness",
];

async fn measured(platform: &StandIn) -> Vec<String> {
    measure(&platform.platform())
        .await
        .into_iter()
        .map(|found| match found.result {
            Ok(what) => format!("{}: {what}", found.name),
            Err(why) => format!("{} NOT: {why}", found.name),
        })
        .collect()
}

fn knows(names: &[&str]) -> String {
    let list: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
    json!(list).to_string()
}

#[tokio::test]
async fn a_platform_that_answers_can_do_all_of_it() {
    let platform = StandIn::new();
    platform.set("metrics", &knows(&METRICS));
    assert_eq!(
        measured(&platform).await,
        [
            "starts: version v-stand-in",
            "reads: lists traces with this key and project",
            "judges: knows all 8 metrics",
        ]
    );
    assert_eq!(platform.count("evals runs batch"), 0);
}

#[tokio::test]
async fn what_it_cannot_do_is_said_with_the_reason() {
    let platform = StandIn::new();
    platform.set("metrics", &knows(&METRICS[..7]));
    platform.set("fails", "no\nauth\nno\n");
    assert_eq!(
        measured(&platform).await[1..],
        [
            "reads NOT: the platform does not let us in: Invalid or revoked key. (HTTP 401)",
            "judges NOT: does not know tool_correctness",
        ]
    );
    let nowhere = Settings::new("/nonexistent/pandaprobe".into(), []);
    let found = measure(&platform.platform_with(nowhere)).await;
    assert_eq!(found.len(), 1);
    assert!(found[0].result.is_err());
}
