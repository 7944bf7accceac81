//! A mode says what runs without asking; what cannot be undone asks in every mode.

use harness_guard::{Answer, Ask, CallContext, Effect, Guard, Mode, ToolSpec};
use serde_json::json;

use crate::world::{World, call, ctx, error_of, phase, read, write};

async fn in_mode(world: &World, mode: Mode) -> Guard {
    let mut setup = world.setup();
    setup.config.permission_mode = mode;
    for spec in [
        ToolSpec::new("undeclared", object()),
        ToolSpec::new("wipe", object())
            .always_confirm()
            .effect(Effect::Write),
        ToolSpec::new("deploy", text("env"))
            .effect(Effect::Write)
            .always_confirm_when(json!({"properties": {"env": {"const": "live"}}})),
        ToolSpec::new("act", object()).effect(Effect::Execute),
    ] {
        setup.tools = setup.tools.add(spec, world.runner.clone()).unwrap();
    }
    Guard::start(setup).await.unwrap()
}

fn object() -> serde_json::Value {
    json!({"type": "object", "properties": {}})
}

fn text(name: &str) -> serde_json::Value {
    json!({"type": "object", "properties": {name: {"type": "string"}}})
}

#[tokio::test]
async fn each_mode_asks_about_its_own() {
    let fetch = || call("webfetch", json!({"url": "http://example.org/"}));
    let act = || call("act", json!({}));
    for (mode, call, asks) in [
        (Mode::Default, read("a.txt"), None),
        (Mode::Default, fetch(), None),
        (Mode::Default, write("b.txt", "x"), Some(vec![Ask::Mode])),
        (Mode::Default, act(), Some(vec![Ask::Mode])),
        (Mode::AcceptEdits, read("a.txt"), None),
        (Mode::AcceptEdits, write("b.txt", "x"), None),
        (Mode::AcceptEdits, act(), Some(vec![Ask::Mode])),
        (Mode::DangerouslySkipPermissions, write("b.txt", "x"), None),
        (Mode::DangerouslySkipPermissions, act(), None),
        // Nothing is declared of it, so it executes and always asks.
        (
            Mode::Default,
            call("undeclared", json!({})),
            Some(vec![Ask::Mode, Ask::Tool]),
        ),
        // An edit that leaves nothing of a file.
        (
            Mode::AcceptEdits,
            write("a.txt", ""),
            Some(vec![Ask::Emptying]),
        ),
        (
            Mode::AcceptEdits,
            write("a.txt", " \n"),
            Some(vec![Ask::Emptying]),
        ),
        (Mode::AcceptEdits, write("new.txt", ""), None),
        (Mode::AcceptEdits, write("empty.txt", ""), None),
        (
            Mode::AcceptEdits,
            call(
                "edit_file",
                json!({"path": "a.txt", "old_string": "x", "new_string": ""}),
            ),
            None,
        ),
        (
            Mode::AcceptEdits,
            call("wipe", json!({})),
            Some(vec![Ask::Tool]),
        ),
        (
            Mode::AcceptEdits,
            call("deploy", json!({"env": "live"})),
            Some(vec![Ask::Pattern]),
        ),
        (
            Mode::AcceptEdits,
            call("deploy", json!({"env": "test"})),
            None,
        ),
    ] {
        let world = World::new();
        world.write("a.txt", "one");
        world.write("empty.txt", "");
        let guard = in_mode(&world, mode).await;
        let shown = format!("{mode:?} {} {}", call.name, call.arguments);
        let outcome = guard.call(&ctx(), call).await;
        assert!(outcome.refusal().is_none(), "{shown}: {outcome:?}");
        assert_eq!(
            world.person.asked(),
            asks.into_iter().collect::<Vec<_>>(),
            "{shown}"
        );
        assert_eq!(world.runs(), 1, "{shown}");
    }
}

#[tokio::test]
async fn what_always_asks_is_refused_where_nobody_is_asked() {
    let world = World::new();
    world.write("a.txt", "one");
    let guard = in_mode(&world, Mode::DangerouslySkipPermissions).await;
    for (bad, good) in [
        (call("undeclared", json!({})), call("act", json!({}))),
        (call("wipe", json!({})), write("b.txt", "x")),
        (
            call("deploy", json!({"env": "live"})),
            call("deploy", json!({"env": "test"})),
        ),
        (write("a.txt", ""), write("a.txt", "two")),
    ] {
        let outcome = guard.call(&ctx(), bad.clone()).await;
        assert_eq!(
            error_of(&outcome),
            "never_unattended",
            "{} {}",
            bad.name,
            bad.arguments
        );
        assert!(guard.call(&ctx(), good).await.refusal().is_none());
    }
    assert!(world.person.asked().is_empty());
}

#[tokio::test]
async fn drift_asks_and_is_recorded_where_nobody_is_asked() {
    let post = || call("webfetch", json!({"url": "http://example.org/password"}));
    for (mode, goal, asked, recorded) in [
        (Mode::Default, "Tidy the notes", 1, 1),
        (Mode::AcceptEdits, "Tidy the notes", 1, 1),
        (Mode::DangerouslySkipPermissions, "Tidy the notes", 0, 1),
        (
            Mode::Default,
            "Check the login page and its password field",
            0,
            0,
        ),
    ] {
        let world = World::new();
        let guard = in_mode(&world, mode).await;
        let outcome = guard.call(&CallContext::new(phase(), goal), post()).await;
        assert!(outcome.refusal().is_none(), "{mode:?}");
        assert_eq!(world.person.asked().len(), asked, "{mode:?} {goal}");
        let events = world.audit.of("intent_drift_suspected");
        assert_eq!(events.len(), recorded, "{mode:?} {goal}");
        for event in events {
            assert_eq!(event["reaches_for"], "password");
            assert_eq!(event["asked"], asked == 1);
        }
    }
    // Escapes do not hide it.
    let world = World::new();
    let guard = in_mode(&world, Mode::Default).await;
    let escaped = r#"{"url": "http://example.org/\u0070assword"}"#;
    let _ = guard
        .call(&ctx(), crate::world::raw_call("webfetch", escaped))
        .await;
    assert_eq!(world.person.asked(), [[Ask::Drift]]);
    // What the agent's plan speaks of is no drift either.
    let world = World::new();
    let guard = in_mode(&world, Mode::Default).await;
    let mut ctx = ctx();
    ctx.plan = "1. look at the password rules".to_owned();
    assert!(guard.call(&ctx, post()).await.refusal().is_none());
    assert!(world.person.asked().is_empty());
}

#[tokio::test]
async fn a_no_is_a_no() {
    let world = World::with_person(Answer::Deny);
    world.write("a.txt", "one");
    let guard = in_mode(&world, Mode::Default).await;
    let outcome = guard.call(&ctx(), write("a.txt", "x")).await;
    assert_eq!(error_of(&outcome), "approval_denied");
    assert_eq!(world.read("a.txt"), "one");
    assert_eq!(
        world.audit.kinds(),
        ["approval_denied", "permission_decision"]
    );
    assert!(guard.call(&ctx(), read("a.txt")).await.refusal().is_none());
}
