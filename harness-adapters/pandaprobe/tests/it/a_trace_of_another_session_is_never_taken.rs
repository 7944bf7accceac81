//! A session's traces are its own, exactly; what is scored is passed over, nothing else is.

use harness_core::{SessionId, SpanKind};
use harness_engine::Evaluator as _;
use harness_pandaprobe::{PlatformError, TraceSource};
use serde_json::{Value, json};

use crate::stand_in::{StandIn, TRACE, both, progress};

fn row(trace: &str, session: &str) -> Value {
    json!({"trace_id": trace, "session_id": session, "status": "COMPLETED"})
}

fn session(id: &str) -> SessionId {
    SessionId::parse(id).unwrap()
}

async fn ids(platform: &StandIn) -> Vec<String> {
    let source = TraceSource::new(platform.platform(), platform.memory());
    let found = source.look(&session("shop-1"), 3).await.unwrap();
    found
        .turns
        .iter()
        .map(|turn| format!("{} {}", turn.index, turn.trace.id()))
        .collect()
}

#[tokio::test]
async fn only_traces_of_the_very_session_are_taken_oldest_first_in_both_shapes() {
    let platform = StandIn::new();
    let rows = json!([
        row("t3", "shop-1"),
        row("t2", "repair-shop-1"),
        row("t4", "repair-00000000000000aa"),
        row("t5", "shop-10"),
        row("--all", "shop-1"),
        json!({"trace_id": "t6", "session_id": null}),
        json!({"trace_id": "t7", "session_id": "shop-1", "status": "RUNNING"}),
        row("t1", "shop-1"),
    ]);
    for list in [json!({"items": rows}), json!({"traces": rows}), rows] {
        platform.set("list", &list.to_string());
        assert_eq!(ids(&platform).await, ["3 t1", "4 t3"]);
    }
    let asked = platform.read("calls");
    let wanted = "traces list --session-id shop-1 --status COMPLETED --sort-by started_at \
                  --sort-order desc --limit 50";
    assert!(asked.contains(wanted), "{asked}");
}

#[tokio::test]
async fn what_was_scored_is_not_found_again_and_what_is_pending_is() {
    let platform = StandIn::new();
    platform.set("list", &json!([row(TRACE, "shop-1")]).to_string());
    platform.set("states", "RUNNING\n");
    progress(&platform.evaluator()).await;
    assert_eq!(ids(&platform).await, [format!("3 {TRACE}")]);
    platform.set("known", &both());
    progress(&platform.evaluator()).await;
    assert_eq!(ids(&platform).await, [""; 0]);
}

#[tokio::test]
async fn a_full_list_is_asked_for_whole_and_says_if_more_may_be_left() {
    let platform = StandIn::new();
    let rows = |count: usize| {
        let rows: Vec<Value> = (0..count)
            .rev()
            .map(|at| row(&format!("t{at}"), "s"))
            .collect();
        json!(rows).to_string()
    };
    let look = || async {
        let source = TraceSource::new(platform.platform(), platform.memory());
        source.look(&session("s"), 0).await.unwrap()
    };
    platform.set("lag", "not yet\n");
    platform.set("list", &format!("{}\n{}\n", rows(50), rows(60)));
    assert!(!look().await.more_may_be_left);
    assert!(platform.read("calls").contains("--limit 200"));
    platform.set("list", &rows(200));
    assert!(look().await.more_may_be_left);
}

#[tokio::test]
async fn a_trace_that_lags_holds_back_those_after_it() {
    let platform = StandIn::new();
    let rows = json!([row("t2", "shop-1"), row("t1", "shop-1")]);
    platform.set("list", &rows.to_string());
    platform.set("lag", "here\nnot yet\n");
    assert_eq!(ids(&platform).await, ["3 t1"]);
}

#[tokio::test]
async fn a_trace_is_read_with_its_steps() {
    let platform = StandIn::new();
    platform.set("list", &json!([row("t1", "shop-1")]).to_string());
    platform.set(
        "trace-t1",
        &json!({
            "status": "COMPLETED", "ended_at": "2026-11-30T10:00:09Z",
            "input": {"messages": [{"role": "user", "content": "a box"}]},
            "spans": [{"kind": "TOOL", "name": "look", "status": "OK", "input": {"at": "shelf"},
                "output": "a \u{1b}[31mbox"}],
        })
        .to_string(),
    );
    let source = TraceSource::new(platform.platform(), platform.memory());
    let found = source.look(&session("shop-1"), 0).await.unwrap();
    let trace = &found.turns[0].trace;
    assert_eq!(trace.request().as_str(), "a box");
    assert_eq!(trace.spans()[0].kind, SpanKind::Tool);
    assert_eq!(trace.spans()[0].output.as_str(), "a box");
    assert!(found.turns[0].ended_at.is_some());
}

#[tokio::test]
async fn a_session_that_could_be_an_option_is_never_asked_for() {
    let platform = StandIn::new();
    let source = TraceSource::new(platform.platform(), platform.memory());
    let error = source.look(&session("--endpoint"), 0).await.unwrap_err();
    assert_eq!(error, PlatformError::BadSession);
    assert_eq!(platform.calls(), [""; 0]);
    assert_eq!(platform.evaluator().registry().iter().count(), 8);
}
