//! The binary's environment, folder and arguments are those that it needs.

use harness_engine::{Evaluator as _, HealthReport};

use crate::stand_in::{KEY, StandIn};

#[tokio::test]
async fn no_variable_is_passed_on_that_it_does_not_need() {
    let platform = StandIn::new();
    assert_eq!(platform.evaluator().health().await, HealthReport::Up);
    let environment = platform.read("environment");
    let mut names: Vec<&str> = environment
        .lines()
        .filter_map(|line| line.split_once('=').map(|(name, _)| name))
        // What a shell sets for itself.
        .filter(|name| !matches!(*name, "PWD" | "OLDPWD" | "SHLVL" | "_"))
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["PANDAPROBE_API_KEY", "PANDAPROBE_PROJECT_NAME", "PATH"]
    );
    assert!(environment.contains(KEY));
    assert_eq!(platform.read("folder"), "/\n");
}

#[tokio::test]
async fn the_key_is_in_no_message_and_the_reason_is() {
    let platform = StandIn::new();
    platform.set("fails", "auth\n");
    let HealthReport::Down(why) = platform.evaluator().health().await else {
        panic!("it is up");
    };
    assert_eq!(
        why.as_str(),
        "the platform does not let us in: Invalid or revoked key. (HTTP 401)"
    );
    assert!(!format!("{:?}", platform.settings()).contains(KEY));
}
