//! A phase shows a model the tools that it may call, and the guard runs no others.

use harness_guard::{CallContext, Guard, Network, Phase, PhaseError, Role, StartError, Tools};

use crate::world::{World, call, ctx, error_of, raw_call, read, write};
use serde_json::json;

fn names(guard: &Guard, phase: &Phase) -> Vec<String> {
    let schemas = guard.visible_schemas(phase);
    schemas
        .iter()
        .map(|schema| schema["name"].as_str().unwrap().to_owned())
        .collect()
}

fn worker(name: &str) -> Phase {
    Phase::new(name, Role::Worker).unwrap()
}

#[tokio::test]
async fn what_is_not_shown_does_not_run() {
    let world = World::new();
    world.write("a.txt", "one");
    let guard = world.guard().await;
    let tools = guard.tools();
    let calls = [
        read("a.txt"),
        write("b.txt", "x"),
        call(
            "edit_file",
            json!({"path": "a.txt", "old_string": "one", "new_string": "two"}),
        ),
        call("glob_files", json!({"pattern": "*"})),
        call("grep", json!({"pattern": "x"})),
        call("run_bash", json!({"command": "ls"})),
        call("webfetch", json!({"url": "http://example.org/"})),
    ];
    for phase in [
        worker("all").network(Network::Allowed),
        worker("offline"),
        worker("readers")
            .grant(&["read_file", "grep"], tools)
            .unwrap(),
        worker("no-shell").deny(&["run_bash"], tools).unwrap(),
        worker("both")
            .grant(&["run_bash", "grep"], tools)
            .unwrap()
            .deny(&["run_bash"], tools)
            .unwrap(),
        worker("none").grant(&[], tools).unwrap(),
    ] {
        let shown = names(&guard, &phase);
        let ctx = CallContext::new(phase, "Tidy the notes");
        for call in &calls {
            let before = world.runs();
            let outcome = guard.call(&ctx, call.clone()).await;
            let ran = world.runs() > before;
            assert_eq!(ran, shown.contains(&call.name), "{} {outcome:?}", call.name);
        }
    }
}

#[tokio::test]
async fn each_kind_of_refusal_has_its_twin() {
    let world = World::new();
    world.write("a.txt", "one");
    let guard = world.guard().await;
    let tools = guard.tools();
    let in_phase = |phase: Phase| CallContext::new(phase, "");
    let denied = worker("p").deny(&["read_file"], tools).unwrap();
    for (phase, error) in [
        (denied.clone(), "tool_denied"),
        // Whoever checks the work is denied what the worker is.
        (denied.for_role(Role::Verifier), "tool_denied"),
        (
            worker("p").grant(&["grep"], tools).unwrap(),
            "tool_not_granted",
        ),
    ] {
        let outcome = guard.call(&in_phase(phase), read("a.txt")).await;
        assert_eq!(error_of(&outcome), error);
    }
    let outcome = guard.call(&in_phase(worker("p")), read("a.txt")).await;
    assert!(outcome.refusal().is_none());

    let fetch = || call("webfetch", json!({"url": "http://example.org/"}));
    let online = worker("p").network(Network::Allowed);
    for offline in [worker("p"), online.for_role(Role::Verifier)] {
        let outcome = guard.call(&in_phase(offline), fetch()).await;
        assert_eq!(error_of(&outcome), "network_not_allowed");
    }
    assert!(
        guard
            .call(&in_phase(online), fetch())
            .await
            .refusal()
            .is_none()
    );

    let outcome = guard
        .call(&ctx(), raw_call("no such tool\u{1b}", "{}"))
        .await;
    assert_eq!(error_of(&outcome), "unknown_tool");
}

#[tokio::test]
async fn a_role_that_a_tool_is_not_for_cannot_call_it() {
    let world = World::new();
    let mut setup = world.setup();
    let spec = harness_guard::ToolSpec::new("accept", json!({"type": "object", "properties": {}}))
        .effect(harness_guard::Effect::Read)
        .roles(&[Role::Worker]);
    setup.tools = Tools::new().add(spec, world.runner.clone()).unwrap();
    let guard = Guard::start(setup).await.unwrap();
    for (role, runs) in [
        (Role::Verifier, 0),
        (Role::Orchestrator, 0),
        (Role::Worker, 1),
    ] {
        let phase = Phase::new("p", role).unwrap();
        let _ = guard
            .call(&CallContext::new(phase, ""), raw_call("accept", "{}"))
            .await;
        assert_eq!(world.runs(), runs, "{role:?}");
    }
}

#[tokio::test]
async fn an_unknown_name_in_a_grant_fails_at_the_start_with_the_valid_ones() {
    let world = World::new();
    let tools = world.tools();
    let error = worker("p").grant(&["read_flie"], &tools).unwrap_err();
    assert!(matches!(&error, PhaseError::UnknownTool { valid, .. } if valid.contains("read_file")));
    assert!(worker("p").deny(&["run_bsh"], &tools).is_err());
    assert!(worker("p").grant(&["read_file"], &tools).is_ok());

    let mut setup = world.setup();
    setup.config.tools = Some(vec!["grep".to_owned(), "gerp".to_owned()]);
    let error = Guard::start(setup).await.unwrap_err();
    assert!(matches!(&error, StartError::Tools(_)));
    assert!(error.to_string().contains("read_file"), "{error}");

    let mut setup = world.setup();
    setup.config.tools = Some(vec!["grep".to_owned()]);
    let guard = Guard::start(setup).await.unwrap();
    assert_eq!(names(&guard, &worker("p")), ["grep"]);
}
