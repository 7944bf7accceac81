//! A command is judged as a shell would read it, before anybody is asked about it.

use harness_guard::{Ask, CallContext, Guard, Mode, Phase, PolicyFile, Role, ToolCall};
use serde_json::json;

use crate::world::{World, call, ctx, error_of, phase};

fn bash(command: &str) -> ToolCall {
    call("run_bash", json!({ "command": command }))
}

#[tokio::test]
async fn what_leads_out_is_refused_and_its_inner_twin_goes_on() {
    let world = World::new();
    world.write("a/x.txt", "x");
    let guard = world.guard().await;
    for (bad, good) in [
        ("cat ../../../../etc/shadow", "cat a/x.txt"),
        ("cat /etc/shadow", "cat ./a/x.txt"),
        ("ls; sudo ls", "ls; echo sudo"),
        ("env sudo ls", "env ls"),
        ("su\"\"do ls", "echo su\"\"do"),
        ("rm -r -f /", "echo rm -r -f /"),
        ("rm --recursive --force ~", "ls -r a"),
        ("bash -lc 'rm -rf /'", "bash -c 'ls a'"),
    ] {
        let before = world.person.asked().len();
        let outcome = guard.call(&ctx(), bash(bad)).await;
        assert_eq!(error_of(&outcome), "command_denied", "{bad}");
        assert_eq!(world.person.asked().len(), before, "{bad}");
        let outcome = guard.call(&ctx(), bash(good)).await;
        assert!(outcome.refusal().is_none(), "{good}: {outcome:?}");
    }
}

async fn in_mode(world: &World, mode: Mode, policy: &str) -> Guard {
    let mut setup = world.setup();
    setup.config.permission_mode = mode;
    setup.policy = PolicyFile::parse(policy, &setup.tools);
    Guard::start(setup).await.unwrap()
}

#[tokio::test]
async fn what_the_policy_asks_about_asks_in_every_mode() {
    for (mode, asks) in [
        (Mode::Default, vec![Ask::Mode, Ask::Command]),
        (Mode::AcceptEdits, vec![Ask::Mode, Ask::Command]),
    ] {
        let world = World::new();
        let guard = in_mode(&world, mode, "{}").await;
        let outcome = guard.call(&ctx(), bash("make all")).await;
        assert!(outcome.refusal().is_none(), "{outcome:?}");
        assert_eq!(world.person.asked(), [asks]);
    }
    let world = World::new();
    let guard = in_mode(&world, Mode::DangerouslySkipPermissions, "{}").await;
    let outcome = guard.call(&ctx(), bash("make all")).await;
    assert_eq!(error_of(&outcome), "never_unattended");
    assert!(guard.call(&ctx(), bash("ls")).await.refusal().is_none());
}

#[tokio::test]
async fn a_grant_of_the_shell_covers_what_the_policy_allows_and_no_more() {
    let world = World::new();
    let guard = in_mode(
        &world,
        Mode::Default,
        r#"{"allow": [{"tool": "run_bash"}]}"#,
    )
    .await;
    assert!(guard.call(&ctx(), bash("ls")).await.refusal().is_none());
    assert!(world.person.asked().is_empty());
    assert!(
        guard
            .call(&ctx(), bash("make all"))
            .await
            .refusal()
            .is_none()
    );
    assert_eq!(world.person.asked(), [[Ask::Mode, Ask::Command]]);
}

#[tokio::test]
async fn a_phase_without_a_network_has_no_command_that_needs_one() {
    let world = World::new();
    let guard = world.guard().await;
    let goal = "Download the page with curl";
    let offline = CallContext::new(Phase::new("p", Role::Worker).unwrap(), goal);
    let outcome = guard
        .call(&offline, bash("curl https://example.org/"))
        .await;
    assert_eq!(error_of(&outcome), "network_not_allowed");
    let online = CallContext::new(phase(), goal);
    let outcome = guard.call(&online, bash("curl https://example.org/")).await;
    assert!(outcome.refusal().is_none(), "{outcome:?}");
    assert_eq!(world.person.asked(), [[Ask::Mode, Ask::Command]]);
}
