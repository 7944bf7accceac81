//! When a call returns or is given up, no process of it is left.

use std::fs;
use std::future::Future;
use std::time::Duration;

use harness_core::Tier;
use harness_engine::{EvaluationError, Evaluator as _};
use harness_pandaprobe::{PandaprobeEvaluator, Settings};

use crate::stand_in::{StandIn, TRACE, both, progress, trace_of};

/// Looks that are taken at something that must come to be; far more than any machine needs.
const LOOKS: u32 = 6000;

/// Waits for something to be true, for a minute.
async fn eventually(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..LOOKS {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} did not come to be");
}

/// Whether a process does anything: it is there, and no mere entry that waits to be collected.
fn lives(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .starts_with(" Z")
    })
}

async fn all_end(platform: &StandIn, wanted: usize) {
    let pids = platform.read("pids");
    assert_eq!(pids.lines().count(), wanted, "{pids}");
    eventually("the end of every process", || !pids.lines().any(lives)).await;
}

#[tokio::test]
async fn a_call_that_is_given_up_ends_with_its_whole_group() {
    let platform = StandIn::new();
    platform.set("hangs", "");
    let evaluator = platform.evaluator();
    let trace = trace_of(TRACE);
    {
        let call = evaluator.score(&trace, Tier::Progress);
        let mut call = std::pin::pin!(call);
        // It is polled until the binary says that it hangs, and then dropped: the next turn has come.
        eventually_while(&mut call, || platform.path("pids").exists()).await;
        assert!(platform.read("pids").lines().all(lives));
    }
    all_end(&platform, 2).await;
    // The platform can be asked again.
    platform.unset("hangs");
    platform.set("known", &both());
    assert_eq!(progress(&evaluator).await.len(), 2);
}

/// Drives `call`, which must not end, until `holds`.
async fn eventually_while<T>(
    call: &mut (impl Future<Output = T> + Unpin),
    holds: impl Fn() -> bool,
) {
    tokio::select! {
        _ = call => panic!("it ended"),
        () = eventually("a sign of life", holds) => {}
    }
}

#[tokio::test]
async fn a_binary_that_hangs_is_ended_at_its_deadline() {
    let platform = StandIn::new();
    platform.set("hangs", "");
    let settings = Settings {
        deadline: Duration::from_secs(2),
        ..platform.settings()
    };
    let evaluator = PandaprobeEvaluator::new(platform.platform_with(settings), platform.memory());
    let error = evaluator
        .score(&trace_of(TRACE), Tier::Progress)
        .await
        .unwrap_err();
    let EvaluationError::Unavailable(why) = error else {
        panic!("{error:?}");
    };
    assert_eq!(
        why.as_str(),
        "the platform's binary did not end within its deadline"
    );
    if platform.path("pids").exists() {
        all_end(&platform, 2).await;
    }
}

#[tokio::test]
async fn what_a_binary_leaves_running_ends_with_it_and_its_answer_counts() {
    let platform = StandIn::new();
    platform.set("leaves", "");
    platform.set("known", &both());
    assert_eq!(progress(&platform.evaluator()).await.len(), 2);
    all_end(&platform, 1).await;
}
