//! Whatever is asked of a session's tools, no file of the workspace changes. A turn changes some.

use harness_custom::HarnessSession;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::{World, begin, fail};

fn arguments() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<u64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        Just(json!("global")),
        Just(json!("../../etc")),
    ];
    let key = prop_oneof!["scope", "query", "limit", "rule_id", "rule", "[a-z]{1,8}"];
    prop_oneof![
        leaf.clone(),
        proptest::collection::btree_map(key, leaf, 0..4)
            .prop_map(|map| Value::Object(map.into_iter().collect())),
    ]
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("harness_rules_list".to_owned()),
        Just("harness_rules_read".to_owned()),
        Just("harness_rules_search".to_owned()),
        Just("harness_rule_status".to_owned()),
        Just("harness_rule_add".to_owned()),
        "\\PC{0,40}",
    ]
}

#[test]
fn no_call_changes_a_file() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let world = World::new();
    let session: HarnessSession = runtime.block_on(async {
        let harness = world.open().await;
        begin(&harness, "s").await
    });
    let before = world.files();
    let tools = session.task_tools();
    proptest!(ProptestConfig::with_cases(128), |(name in names(), arguments in arguments())| {
        let answer = runtime.block_on(tools.call(&name, arguments));
        prop_assert!(answer["ok"].is_boolean());
    });
    assert!(world.files() == before, "a call has changed a file");
    runtime.block_on(async {
        let mut turn = session.turn("Add up.");
        fail(&mut turn);
        let _ = session.record_turn(turn);
        assert!(session.settle().await.complete);
    });
    assert!(world.files() != before);
}
