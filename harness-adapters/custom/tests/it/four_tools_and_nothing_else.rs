//! The task agent is offered four tools, in whichever shape; any other name has no effect.

use harness_custom::{HarnessSession, TaskTools};
use serde_json::{Value, json};

use crate::world::{World, begin};

const NAMES: [&str; 4] = [
    "harness_rules_list",
    "harness_rules_read",
    "harness_rules_search",
    "harness_rule_status",
];

#[test]
fn each_shape_offers_the_four() {
    let specs = TaskTools::specs();
    assert_eq!(specs.clone().map(|tool| tool.name), NAMES);
    for ((openai, anthropic), spec) in TaskTools::for_openai()
        .into_iter()
        .zip(TaskTools::for_anthropic())
        .zip(&specs)
    {
        assert_eq!(
            openai,
            json!({"type": "function", "function": {
                "name": spec.name, "description": spec.description, "parameters": spec.parameters,
            }})
        );
        assert_eq!(
            anthropic,
            json!({
                "name": spec.name, "description": spec.description, "input_schema": spec.parameters,
            })
        );
        assert_eq!(spec.parameters["type"], "object");
        assert!(HarnessSession::task_preamble().contains(spec.name));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_four_answer_and_other_names_do_not() {
    let world = World::new();
    let harness = world.open().await;
    let tools = begin(&harness, "s").await.task_tools();
    let call = async |name: &str, arguments: Value| tools.call(name, arguments).await;
    for (name, arguments) in [
        (NAMES[0], json!({})),
        (NAMES[1], json!({ "scope": "global" })),
        (NAMES[2], json!({ "query": "sums" })),
    ] {
        assert!(TaskTools::has(name));
        assert_eq!(call(name, arguments).await["ok"], true, "{name}");
    }
    let unknown = call(NAMES[3], json!({ "rule_id": "r-0123456789" })).await;
    assert_eq!(
        unknown,
        json!({"ok": false, "error": "no rule has that id"})
    );
    for name in ["harness_rule_add", "harness_notice_read", "bash", ""] {
        assert!(!TaskTools::has(name));
        let error = format!("unsupported capability '{name}'");
        assert_eq!(
            call(name, json!({})).await,
            json!({"ok": false, "error": error})
        );
    }
}
