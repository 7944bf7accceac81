//! A platform that is down is one event in the journal, leaves scores pending, and is used again
//! once it is up.

use std::fs;
use std::sync::Arc;

use harness_core::{Origin, SessionId, TurnPayload};
use harness_engine::{Config, Harness, Recorded, Repair, Setup};
use harness_sanitize::Redactor;
use harness_store::{OpenOptions, Workspace, WorkspacePaths};
use serde_json::Value;

use crate::stand_in::{StandIn, both, trace_of};

fn events(platform: &StandIn, kind: &str) -> Vec<Value> {
    fs::read_to_string(platform.path("root/journal.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|event: &Value| event["type"] == kind)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_in_an_outage_are_pending_and_the_turn_after_it_is_scored() {
    let platform = StandIn::new();
    let paths = WorkspacePaths {
        root: platform.path("root"),
        config_dir: platform.path("config"),
    };
    Workspace::init(&paths, (OpenOptions::default().clock)()).unwrap();
    let harness = Harness::open(Setup {
        paths,
        config: Config {
            eval_retries: 0,
            ..Config::default()
        },
        evaluator: Arc::new(platform.evaluator()),
        verifier: None,
        repair: Repair::Off,
        redactor: Redactor::patterns_only(),
        clock: None,
    })
    .unwrap();
    let session = SessionId::parse("shop-1").unwrap();
    let turn = |index: u32| {
        let trace = trace_of(&format!("t{index}"));
        TurnPayload::new(session.clone(), index, Origin::Recorded, trace)
    };
    let record = async |index: u32| {
        assert_eq!(harness.record_turn(turn(index)), Recorded::Accepted);
        let settled = harness.settle(&session).await;
        assert_eq!(
            (settled.recorded, settled.notices.len()),
            (1, 0),
            "{settled:?}"
        );
    };
    platform.set("fails", "refused\n");
    for index in 0..3 {
        record(index).await;
    }
    let health = events(&platform, "health");
    assert_eq!(health.len(), 1, "{health:?}");

    platform.unset("fails");
    platform.set("known", &both().replace(crate::stand_in::TRACE, "t3"));
    record(3).await;
    let health = events(&platform, "health");
    assert_eq!(health.len(), 2, "{health:?}");
    assert!(health[1].to_string().contains("up"), "{health:?}");
    assert!(harness.close().await);
}
