//! After an abort nothing new starts, and what is in flight is ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use harness_guard::{
    Guard, Message, ModelRequest, Outcome, Permitted, Price, Prices, Stop, ToolFailure, Tools,
    from_async, from_fn, standard_specs,
};
use tokio::sync::Notify;

use crate::world::{World, ctx, error_of, ran, read};

/// Says that it was dropped.
struct Flag(Arc<AtomicBool>);

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

struct Hanging {
    tools: Tools,
    started: Arc<Notify>,
    gone: Arc<AtomicBool>,
}

/// A reader that never answers.
fn hanging() -> Hanging {
    let (started, gone) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let (start, dropped) = (Arc::clone(&started), Arc::clone(&gone));
    let run = from_async(move |_: Permitted| {
        let flag = Flag(Arc::clone(&dropped));
        start.notify_one();
        async move {
            let _flag = flag;
            std::future::pending::<Result<String, ToolFailure>>().await
        }
    });
    let tools = Tools::new().add(standard_specs().remove(0), run).unwrap();
    Hanging {
        tools,
        started,
        gone,
    }
}

/// What a tool held goes as soon as the runtime comes to it.
async fn until_gone(gone: &AtomicBool) {
    while !gone.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_tool_in_flight_is_ended_and_nothing_new_starts() {
    let world = World::new();
    world.write("a.txt", "x");
    let Hanging {
        tools,
        started,
        gone,
    } = hanging();
    let mut setup = world.setup();
    setup.tools = tools;
    setup.prices = Prices::new().set("free", Price::FREE);
    let guard = Guard::start(setup).await.unwrap();
    let running = {
        let guard = guard.clone();
        tokio::spawn(async move { guard.call(&ctx(), read("a.txt")).await })
    };
    started.notified().await;
    let request = ModelRequest {
        model: "free".to_owned(),
        max_tokens_out: 1,
    };
    let messages = &mut vec![Message::user("x")];
    let turn = guard
        .before_model(&ctx(), &request, messages)
        .await
        .unwrap();
    guard.abort().trigger("the operator pressed ^C");
    guard.abort().trigger("a second reason");
    let outcome = running.await.unwrap();
    assert!(matches!(outcome, Outcome::Failed(..)), "{outcome:?}");
    until_gone(&gone).await;
    assert_eq!(
        turn.within(std::future::pending::<()>()).await,
        Err(Stop::Aborted)
    );

    let outcome = guard.call(&ctx(), read("a.txt")).await;
    assert_eq!(error_of(&outcome), "session_aborted");
    let stop = guard.before_model(&ctx(), &request, messages).await;
    assert_eq!(stop.map(drop), Err(Stop::Aborted));
    assert_eq!(guard.user_message("x").await.map(drop), Err(Stop::Aborted));
    let aborts = world.audit.of("session_abort");
    assert_eq!(aborts.len(), 1);
    assert_eq!(aborts[0]["reason"], "the operator pressed ^C");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_takes_too_long_is_ended_with_advice() {
    let world = World::new();
    world.write("a.txt", "x");
    let Hanging { tools, gone, .. } = hanging();
    let mut setup = world.setup();
    setup.tools = tools;
    let guard = Guard::start(setup).await.unwrap();
    let outcome = guard.call(&ctx(), read("a.txt")).await;
    assert!(matches!(outcome, Outcome::Failed(..)), "{outcome:?}");
    assert!(outcome.for_model().contains("120 seconds"));
    assert!(gone.load(Ordering::SeqCst));
    assert_eq!(world.audit.of("tool_timeout")[0]["timeout_s"], 120);
    assert_eq!(world.audit.of("tool_result").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_takes_too_long_is_a_stop() {
    let world = World::new();
    let mut setup = world.setup();
    setup.prices = Prices::new().set("free", Price::FREE);
    let guard = Guard::start(setup).await.unwrap();
    let request = ModelRequest {
        model: "free".to_owned(),
        max_tokens_out: 1,
    };
    let messages = &mut vec![Message::user("x")];
    let turn = guard
        .before_model(&ctx(), &request, messages)
        .await
        .unwrap();
    let late = turn.within(std::future::pending::<()>()).await;
    assert_eq!(late, Err(Stop::ModelTimeout { seconds: 120 }));
    assert_eq!(turn.within(async { 7 }).await, Ok(7));
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_its_tool() {
    let world = World::new();
    world.write("a.txt", "x");
    let Hanging {
        tools,
        started,
        gone,
    } = hanging();
    let mut setup = world.setup();
    setup.tools = tools;
    let guard = Guard::start(setup).await.unwrap();
    let running = tokio::spawn({
        let guard = guard.clone();
        async move { guard.call(&ctx(), read("a.txt")).await }
    });
    started.notified().await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    until_gone(&gone).await;
}

#[tokio::test]
async fn a_blocking_tool_sees_that_it_must_stop() {
    let world = World::new();
    world.write("a.txt", "x");
    let (started, seen) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (start, saw) = (Arc::clone(&started), Arc::clone(&seen));
    let run = from_fn(move |call: Permitted| {
        start.notify_one();
        while !call.abort().is_aborted() {
            std::thread::yield_now();
        }
        saw.notify_one();
        Ok(String::new())
    });
    let mut setup = world.setup();
    setup.tools = Tools::new().add(standard_specs().remove(0), run).unwrap();
    let guard = Guard::start(setup).await.unwrap();
    let running = tokio::spawn({
        let guard = guard.clone();
        async move { guard.call(&ctx(), read("a.txt")).await }
    });
    started.notified().await;
    guard.abort().trigger("stop");
    seen.notified().await;
    assert!(running.await.unwrap().refusal().is_none());
}

#[tokio::test]
async fn a_session_that_has_ended_runs_nothing() {
    let world = World::new();
    world.write("a.txt", "x");
    let guard = world.guard().await;
    assert!(ran(&guard.call(&ctx(), read("a.txt")).await));
    let end = guard.end().await.unwrap();
    assert_eq!(end.calls, 1);
    let outcome = guard.call(&ctx(), read("a.txt")).await;
    assert_eq!(error_of(&outcome), "session_ended");
    assert_eq!(guard.user_message("x").await.map(drop), Err(Stop::Ended));
    guard.end().await.unwrap();
    assert_eq!(world.audit.of("session_end").len(), 1);
}
