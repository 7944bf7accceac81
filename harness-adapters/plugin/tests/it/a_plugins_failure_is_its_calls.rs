//! Whatever a plugin does short of ending the process is one call's failure; the next call works.

use harness_core::{Origin, SessionId, Tier, TurnPayload};
use harness_engine::{EvaluationError, Evaluator as _, HealthReport, Verifier as _};
use harness_plugin::{PluginEvaluator, PluginVerifier};

use crate::library::{BY_HAND, Folder, WITH_THE_TRAIT, bytes_of, load, trace};

async fn by_hand(folder: &Folder) -> PluginEvaluator {
    let bytes = bytes_of(BY_HAND);
    PluginEvaluator::new(load(&folder.put("plugin.so", &bytes), &bytes).await)
}

async fn told(evaluator: &PluginEvaluator, request: &str) -> String {
    match evaluator.score(&trace(request), Tier::Progress).await {
        Ok(readings) => format!("{:?}", readings[0].value.score().unwrap().get()),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn garbage_and_lies_are_refused_and_the_next_call_works() {
    let folder = Folder::new();
    let evaluator = by_hand(&folder).await;
    let says = "the evaluator is unavailable: the plugin's answer ";
    for (request, what) in [
        ("garbage", "is not what was asked for: it is no JSON"),
        ("too much", "has more than 1048576 bytes"),
        (
            "out of range",
            "is not what was asked for: a score is a number from 0 to 1",
        ),
        (
            "undeclared",
            "is not what was asked for: it scores a metric that was not asked for",
        ),
        ("unknown status", "is none of this ABI"),
    ] {
        assert_eq!(told(&evaluator, request).await, format!("{says}{what}"));
        assert_eq!(told(&evaluator, "ask").await, "0.5");
    }
    assert_eq!(
        told(&evaluator, "failure").await,
        "the trace cannot be scored: it cannot"
    );
    assert_eq!(evaluator.health().await, HealthReport::Up);
}

#[tokio::test]
async fn a_panic_is_caught_and_the_plugin_goes_on() {
    let (folder, bytes) = (Folder::new(), bytes_of(WITH_THE_TRAIT));
    let plugin = load(&folder.put("plugin.so", &bytes), &bytes).await;
    let verifier = PluginVerifier::new(plugin).unwrap();
    let turn = |request: &str| {
        let session = SessionId::parse("s").unwrap();
        TurnPayload::new(session, 0, Origin::Live, trace(request))
    };
    let panicked = verifier.verify(&turn("panic")).await.unwrap_err();
    assert!(
        matches!(&panicked, EvaluationError::Unavailable(why) if why.as_str() == "the plugin panicked"),
        "{panicked}"
    );
    let verified = verifier.verify(&turn("ask")).await.unwrap();
    assert_eq!(verified.score.get(), 1.0);
    assert_eq!(verified.reason.as_str(), "whether the agent answered");
}

#[tokio::test]
async fn a_plugin_at_work_is_unavailable_and_not_waited_for() {
    let folder = Folder::new();
    let evaluator = by_hand(&folder).await;
    let sign = folder.path("go on");
    let slow = trace(&format!("wait for {}", sign.display()));
    {
        let call = evaluator.score(&slow, Tier::Progress);
        let mut call = std::pin::pin!(call);
        // Its first poll hands the call over; then its caller gives it up.
        let first = std::future::poll_fn(|context| {
            std::task::Poll::Ready(call.as_mut().poll(context).is_pending())
        });
        assert!(first.await);
    }
    let busy = "the evaluator is unavailable: the plugin is still at work on an earlier call";
    assert_eq!(told(&evaluator, "ask").await, busy);
    std::fs::write(&sign, "").unwrap();
    let mut looks = 0;
    while told(&evaluator, "ask").await == busy {
        looks += 1;
        assert!(looks < 30_000, "it never ended");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(told(&evaluator, "ask").await, "0.5");
}

#[tokio::test]
async fn a_plugin_that_checks_no_outcomes_is_no_verifier() {
    let (folder, bytes) = (Folder::new(), bytes_of(BY_HAND));
    let plugin = load(&folder.put("plugin.so", &bytes), &bytes).await;
    assert!(PluginVerifier::new(plugin).is_none());
}
