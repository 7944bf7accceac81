//! A person is asked last, once, and only about what nothing else refuses.

use std::sync::Arc;

use harness_guard::{Answer, Ask, Guard, NobodyToAsk, PolicyFile};
use serde_json::json;

use crate::world::{World, call, ctx, error_of, raw_call, read, write};

#[tokio::test]
async fn nobody_is_asked_about_what_is_refused_anyway() {
    let world = World::new();
    let mut setup = world.setup();
    setup.policy = PolicyFile::parse(r#"{"deny": [{"tool": "edit_file"}]}"#, &setup.tools);
    setup.config.max_tool_calls = 1;
    let guard = Guard::start(setup).await.unwrap();
    for refused in [
        raw_call("write_file", "{"),
        write("../x", "x"),
        write("x", concat!("ghp_", "a8Kd03mZq71LxVbT5uWcY2NfR9sHgJ4eP6iO")),
        call(
            "edit_file",
            json!({"path": "x", "old_string": "a", "new_string": "b"}),
        ),
    ] {
        assert!(guard.call(&ctx(), refused).await.refusal().is_some());
    }
    assert!(world.person.asked().is_empty());
    assert!(
        guard
            .call(&ctx(), write("x", "y"))
            .await
            .refusal()
            .is_none()
    );
    assert_eq!(world.person.asked(), [[Ask::Mode]]);
    // The budget comes before the person.
    let outcome = guard.call(&ctx(), write("x", "z")).await;
    assert_eq!(error_of(&outcome), "call_cap_reached");
    assert_eq!(world.person.asked().len(), 1);
}

#[tokio::test]
async fn what_a_person_sees_is_what_would_happen_without_its_secrets() {
    let world = World::new();
    let guard = world.guard().await;
    let _ = guard
        .call(&ctx(), write("x.txt", "plain\u{202e}words"))
        .await;
    let asked = world.person.asked.lock().unwrap();
    assert_eq!(asked[0].tool, "write_file");
    assert_eq!(asked[0].phase, "build");
    assert!(asked[0].preview.as_str().contains("x.txt"));
    assert!(asked[0].preview.as_str().contains("plainwords"));
}

/// What a call touches comes first and whole, however long the rest is.
#[tokio::test]
async fn a_long_content_hides_no_path() {
    let world = World::new();
    let guard = world.guard().await;
    let content = format!("start\n\"path\": \"harmless.txt\" {}", "x".repeat(100_000));
    let _ = guard.call(&ctx(), write("real.txt", &content)).await;
    let asked = world.person.asked.lock().unwrap();
    let lines: Vec<&str> = asked[0].preview.as_str().lines().collect();
    assert_eq!(lines[0], "\"path\": \"real.txt\"");
    assert!(
        lines[1].starts_with("\"content\": \"start\\n"),
        "{}",
        lines[1]
    );
    assert!(lines[1].ends_with("bytes in all"), "{}", lines[1]);
    assert_eq!(lines.len(), 2);
}

#[tokio::test]
async fn where_nobody_can_be_asked_nothing_that_asks_runs() {
    let world = World::new();
    world.write("a.txt", "one");
    let mut setup = world.setup();
    setup.approver = Arc::new(NobodyToAsk);
    let guard = Guard::start(setup).await.unwrap();
    let outcome = guard.call(&ctx(), write("a.txt", "x")).await;
    assert_eq!(error_of(&outcome), "approval_required");
    assert_eq!(world.audit.of("approval_denied")[0]["source"], "nobody");
    assert!(guard.call(&ctx(), read("a.txt")).await.refusal().is_none());
}

async fn with_policy(world: &World, policy: &str) -> Guard {
    let mut setup = world.setup();
    setup.policy = PolicyFile::parse(policy, &setup.tools);
    Guard::start(setup).await.unwrap()
}

#[tokio::test]
async fn a_grant_answers_beforehand_and_a_denial_wins() {
    for (policy, asked, error) in [
        ("{}", 1, None),
        (r#"{"allow": [{"tool": "write_file"}]}"#, 0, None),
        (
            r#"{"allow": [{"tool": "write_file", "phase": "build"}]}"#,
            0,
            None,
        ),
        (
            r#"{"allow": [{"tool": "write_file", "phase": "other"}]}"#,
            1,
            None,
        ),
        (r#"{"allow": [{"tool": "edit_file"}]}"#, 1, None),
        (
            r#"{"allow": [{"tool": "write_file", "arguments": {"properties": {"path": {"const": "n.txt"}}}}]}"#,
            0,
            None,
        ),
        (
            r#"{"allow": [{"tool": "write_file", "arguments": {"properties": {"path": {"const": "o.txt"}}}}]}"#,
            1,
            None,
        ),
        (
            r#"{"deny": [{"tool": "write_file"}], "allow": [{"tool": "write_file"}]}"#,
            0,
            Some("policy_denied"),
        ),
        (r#"{"deny": [{}]}"#, 0, Some("policy_denied")),
        (
            r#"{"deny": [{"phase": "build"}]}"#,
            0,
            Some("policy_denied"),
        ),
        (
            r#"{"deny": [{"arguments": {"properties": {"content": {"pattern": "x"}}}}]}"#,
            0,
            Some("policy_denied"),
        ),
        (
            r#"{"deny": [{"phase": "other"}, {"tool": "grep"}]}"#,
            1,
            None,
        ),
    ] {
        let world = World::new();
        let guard = with_policy(&world, policy).await;
        let outcome = guard.call(&ctx(), write("n.txt", "x")).await;
        let found = outcome.refusal().map(|refusal| refusal.denial.name());
        assert_eq!(found, error, "{policy}");
        assert_eq!(world.person.asked().len(), asked, "{policy}");
        let granted = world.audit.of("approval_granted");
        if error.is_none() {
            let source = if asked == 0 { "policy-file" } else { "person" };
            assert_eq!(granted[0]["source"], source, "{policy}");
        }
    }
}

#[tokio::test]
async fn a_grant_does_not_fit_where_what_it_names_is_left_out() {
    let grant = r#"{"allow": [{"tool": "deploy", "arguments": {"properties": {"env": {"const": "test"}}}}]}"#;
    for (arguments, asked) in [
        (json!({"env": "test"}), 0),
        (json!({"env": "live"}), 1),
        (json!({}), 1),
    ] {
        let world = World::new();
        let mut setup = world.setup();
        let schema = json!({"type": "object", "properties": {"env": {"type": "string"}}});
        let spec = harness_guard::ToolSpec::new("deploy", schema);
        setup.tools = setup.tools.add(spec, world.runner.clone()).unwrap();
        setup.policy = PolicyFile::parse(grant, &setup.tools);
        let guard = Guard::start(setup).await.unwrap();
        let outcome = guard.call(&ctx(), call("deploy", arguments.clone())).await;
        assert!(outcome.refusal().is_none());
        assert_eq!(world.person.asked().len(), asked, "{arguments}");
    }
}

#[tokio::test]
async fn a_grant_of_a_tool_does_not_cover_what_cannot_be_undone() {
    for (policy, asked) in [
        (r#"{"allow": [{"tool": "write_file"}]}"#, 1),
        (
            r#"{"allow": [{"tool": "write_file", "arguments": {"properties": {"path": {"const": "a.txt"}}}}]}"#,
            0,
        ),
    ] {
        let world = World::new();
        world.write("a.txt", "one");
        let guard = with_policy(&world, policy).await;
        assert!(
            guard
                .call(&ctx(), write("a.txt", ""))
                .await
                .refusal()
                .is_none()
        );
        assert_eq!(world.person.asked().len(), asked, "{policy}");
    }
}

#[tokio::test]
async fn a_policy_that_cannot_be_read_denies_everything_and_says_so() {
    for bad in [
        "",
        "allow: [read_file]",
        "[]",
        "null",
        r#"{"allow": {}}"#,
        r#"{"alow": []}"#,
        r#"{"allow": [{}]}"#,
        r#"{"allow": [{"tool": "read_flie"}]}"#,
        r#"{"deny": [{"tool": "run_bsh"}]}"#,
        r#"{"deny": [{"tool": "grep", "phases": "x"}]}"#,
        r#"{"deny": [{"tool": 7}]}"#,
        r#"{"deny": [{"arguments": {"type": "no such type"}}]}"#,
        r#"{"deny": [{"arguments": {"$ref": "http://example.org/x"}}]}"#,
    ] {
        let world = World::new();
        world.write("a.txt", "one");
        let guard = with_policy(&world, bad).await;
        let outcome = guard.call(&ctx(), read("a.txt")).await;
        assert_eq!(error_of(&outcome), "policy_unreadable", "{bad}");
        assert!(
            PolicyFile::parse(bad, guard.tools()).problem().is_some(),
            "{bad}"
        );
    }
    let world = World::new();
    world.write("a.txt", "one");
    let mut setup = world.setup();
    setup.policy = PolicyFile::missing("no such file");
    let guard = Guard::start(setup).await.unwrap();
    let outcome = guard.call(&ctx(), read("a.txt")).await;
    assert!(outcome.for_model().contains("no such file"));
    let guard = with_policy(&world, "{}").await;
    assert!(guard.call(&ctx(), read("a.txt")).await.refusal().is_none());
}

async fn with_plans(world: &World) -> Guard {
    let mut setup = world.setup();
    setup.config.approve_plan = true;
    setup.config.permission_mode = harness_guard::Mode::AcceptEdits;
    let note = harness_guard::ToolSpec::new("note", json!({"type": "object", "properties": {}}))
        .effect(harness_guard::Effect::Write)
        .planning();
    setup.tools = setup.tools.add(note, world.runner.clone()).unwrap();
    Guard::start(setup).await.unwrap()
}

#[tokio::test]
async fn the_first_action_waits_for_the_plan() {
    let world = World::new();
    world.write("a.txt", "one");
    let guard = with_plans(&world).await;
    let mut ctx = ctx();
    ctx.plan = "1. write b".to_owned();
    for planning in [read("a.txt"), raw_call("note", "{}")] {
        assert!(guard.call(&ctx, planning).await.refusal().is_none());
    }
    assert!(world.person.asked().is_empty());
    let both = tokio::join!(
        guard.call(&ctx, write("b.txt", "x")),
        guard.call(&ctx, write("c.txt", "x")),
    );
    assert!(both.0.refusal().is_none() && both.1.refusal().is_none());
    assert_eq!(world.person.asked(), [[Ask::Plan]]);
    assert_eq!(world.audit.of("plan_approved").len(), 1);
    // A new message, a new plan.
    guard.user_message("and now?").await.unwrap();
    assert!(
        guard
            .call(&ctx, write("d.txt", "x"))
            .await
            .refusal()
            .is_none()
    );
    assert_eq!(world.person.asked().len(), 2);
}

#[tokio::test]
async fn a_rejected_plan_stays_rejected_for_the_turn() {
    let world = World::with_person(Answer::Deny);
    world.write("a.txt", "one");
    let guard = with_plans(&world).await;
    for _ in 0..2 {
        let outcome = guard.call(&ctx(), write("b.txt", "x")).await;
        assert_eq!(error_of(&outcome), "plan_rejected");
    }
    assert_eq!(world.person.asked().len(), 1);
    assert_eq!(world.audit.of("plan_rejected").len(), 1);
    assert!(guard.call(&ctx(), read("a.txt")).await.refusal().is_none());
    guard.user_message("again").await.unwrap();
    let _ = guard.call(&ctx(), write("b.txt", "x")).await;
    assert_eq!(world.person.asked().len(), 2);
}
