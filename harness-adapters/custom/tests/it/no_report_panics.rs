//! Whatever a host reports, names or has fenced, it gets an answer.

use harness_custom::{ErrorClass, HarnessSession, ToolOutcome};
use proptest::prelude::*;
use serde_json::json;

use crate::world::{World, begin};

#[test]
fn whatever_is_said() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let world = World::new();
    let session: HarnessSession = runtime.block_on(async {
        let harness = world.open().await;
        begin(&harness, "s").await
    });
    proptest!(ProptestConfig::with_cases(64), |(said in any::<String>(), name in any::<String>())| {
        let mut turn = session.turn(&said);
        turn.call(&name, &json!(said), ToolOutcome::Answered(&said))
            .call(&said, &json!({ &name: &said }), ToolOutcome::Failed(ErrorClass::Other, &said))
            .reply(&said)
            .task_summary(&said);
        prop_assert!(!turn.is_empty());
        prop_assert!(session.wrap_user(&said).is_ok());
        prop_assert!(session.wrap_result(&name, &said).is_ok());
        let _ = runtime.block_on(async { session.record_turn(turn) });
    });
    assert!(runtime.block_on(session.settle()).recorded > 0);
}
