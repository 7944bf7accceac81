//! Dropped at any await, an attempt leaves every notice pending or resolved, never between, and
//! the journal has exactly one end for it.

use std::future::Future as _;
use std::task::{Context, Poll, Waker};

use harness_repair::{ModelError, RepairBounds};
use serde_json::json;

use crate::scripted::{Line, Scripted, acks, adds, calls};
use crate::workspace::Workspace;

/// More polls than an episode of three turns ever takes.
const MAX_POLLS: usize = 10_000;

#[test]
fn dropped_at_each_await() {
    let mut ends = Vec::new();
    for drop_after in 0..MAX_POLLS {
        let workspace = Workspace::guessing();
        let finished = poll_and_drop(&workspace, drop_after);
        let events = workspace.terminal_events();
        let began = workspace
            .events()
            .iter()
            .any(|event| event == "repair_started");
        assert_eq!(
            events.len(),
            usize::from(began),
            "after {drop_after} awaits: {events:?}"
        );
        let resolved = events.iter().any(|event| event == "repair_completed");
        assert_eq!(
            workspace.pending() == 0,
            resolved,
            "after {drop_after} awaits"
        );
        assert!(workspace.rules().len() <= 1);
        ends.extend(events);
        if finished {
            break;
        }
    }
    assert!(
        ends.iter().any(|event| event == "repair_cancelled"),
        "{ends:?}"
    );
    assert!(
        ends.iter().any(|event| event == "repair_completed"),
        "{ends:?}"
    );
}

/// Lets the attempt pass `awaits` awaits, each to its end, and drops it at the next. True if it
/// ended before that.
fn poll_and_drop(workspace: &Workspace, awaits: usize) -> bool {
    let model = Scripted::new(vec![
        calls("harness_notice_read", json!({})),
        // Waited out on the paused clock, and an await like any other.
        Line::Fails(ModelError::Unavailable),
        adds("Look before reading."),
        acks(),
    ]);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    // Dropping the runtime waits for what was dropped in it.
    runtime.block_on(async {
        let mut attempt = Box::pin(workspace.run(model, RepairBounds::default()));
        let mut passed = 0;
        std::future::poll_fn(|context| {
            let poll = attempt.as_mut().poll(context);
            passed += 1;
            match poll {
                Poll::Ready(result) => Poll::Ready(result.is_ok()),
                Poll::Pending if passed > awaits => Poll::Ready(false),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    })
}

#[test]
fn a_future_that_is_never_polled_begins_nothing() {
    let workspace = Workspace::guessing();
    let attempt = workspace.run(Scripted::new(vec![]), RepairBounds::default());
    drop(attempt);
    assert!(workspace.events().is_empty());
    // Its twin, polled once, begins.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let inside = runtime.enter();
    let mut attempt = Box::pin(workspace.run(Scripted::new(vec![]), RepairBounds::default()));
    assert!(
        attempt
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_pending()
    );
    drop(attempt);
    drop(inside);
    drop(runtime);
    assert_eq!(workspace.pending(), 1);
}
