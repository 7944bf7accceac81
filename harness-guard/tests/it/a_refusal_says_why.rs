//! A refusal says what, where and why, from a closed set, and quotes nothing of the call.

use std::collections::BTreeSet;

use harness_guard::{CallContext, Guard, Outcome, PolicyFile};
use serde_json::json;

use crate::world::{World, call, ctx, phase, raw_call, read, write};

const CANARY: &str = concat!("ghp_", "a8Kd03mZq71LxVbT5uWcY2NfR9sHgJ4eP6iO");

#[tokio::test]
async fn it_has_four_parts_and_one_event_and_no_secret() {
    let world = World::new();
    world.write("pipe", "x");
    let mut setup = world.setup();
    setup.policy = PolicyFile::parse(r#"{"deny": [{"tool": "grep"}]}"#, &setup.tools);
    let guard = Guard::start(setup).await.unwrap();
    let refused = [
        raw_call(CANARY, "{}"),
        raw_call("read_file", &format!("{{{CANARY}")),
        call("read_file", json!({"path": "a", CANARY: 1})),
        call("read_file", json!({"path": {"x": CANARY}})),
        read(&format!("../{CANARY}")),
        read(&format!("/etc/{CANARY}")),
        write("notes.txt", CANARY),
        call("run_bash", json!({"command": format!("echo {CANARY}")})),
        call(
            "webfetch",
            json!({"url": format!("http://127.0.0.1/{CANARY}")}),
        ),
        call("grep", json!({"pattern": CANARY})),
    ];
    for (at, call) in refused.into_iter().enumerate() {
        let outcome = guard.call(&ctx(), call).await;
        let Outcome::Refused(refusal) = &outcome else {
            panic!("{at}: {outcome:?}");
        };
        let json = refusal.to_json();
        let fields = json.as_object().unwrap();
        // Whether a build keeps their order is for whoever else uses the same JSON crate to say.
        let names: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
        assert_eq!(
            names.into_iter().collect::<Vec<_>>(),
            ["boundary", "detail", "error", "why"],
            "{at}"
        );
        let text = |name: &str| fields[name].as_str().unwrap();
        assert!(
            fields
                .values()
                .all(|value| !value.as_str().unwrap().is_empty())
        );
        assert_ne!(text("why"), text("detail"), "{at}");
        assert!(!outcome.for_model().contains("a8Kd03"), "{at}");
        assert_eq!(world.audit.kinds().len(), at + 1, "one event each");
    }
    assert_eq!(world.runs(), 0);
    assert!(!world.audit.text().contains("a8Kd03"));
}

#[tokio::test]
async fn the_event_names_the_refusal() {
    let world = World::new();
    let guard = world.guard().await;
    let _ = guard.call(&ctx(), read("../x")).await;
    let event = &world.audit.of("permission_decision")[0];
    assert_eq!(event["allowed"], false);
    assert_eq!(event["error"], "path_outside");
    assert_eq!(event["boundary"], "path");
    assert_eq!(event["tool"], "read_file");
    assert_eq!(event["phase"], "build");
}

#[tokio::test]
async fn a_call_never_crashes_the_guard() {
    let world = World::new();
    let guard = world.guard().await;
    let strange = [
        "\u{0}",
        "\u{202e}",
        "{\"a\":\"\u{7f}\"}",
        "null",
        "-1e400",
        "\"\\u0000\"",
    ];
    for name in ["", "read_file", "a\nb", "\u{feff}"] {
        for arguments in strange {
            let outcome = guard.call(&ctx(), raw_call(name, arguments)).await;
            assert!(outcome.refusal().is_some(), "{name:?} {arguments:?}");
        }
    }
    let odd = CallContext {
        plan: "\u{0}\u{202e}".repeat(1000),
        ..CallContext::new(phase(), "\u{1b}]0;x\u{7}")
    };
    world.write("a.txt", "one");
    assert!(guard.call(&odd, read("a.txt")).await.refusal().is_none());
}

#[tokio::test]
async fn what_cannot_be_recorded_does_not_run() {
    let world = World::new();
    world.write("a.txt", "one");
    let guard = world.guard().await;
    let fail = |yes| {
        world
            .audit
            .failing
            .store(yes, std::sync::atomic::Ordering::SeqCst);
    };
    fail(true);
    let outcome = guard.call(&ctx(), read("a.txt")).await;
    assert_eq!(crate::world::error_of(&outcome), "audit_unavailable");
    assert_eq!(world.runs(), 0);
    fail(false);
    assert!(crate::world::ran(&guard.call(&ctx(), read("a.txt")).await));
    fail(true);
    assert!(Guard::start(world.setup()).await.is_err());
}
