//! What the policy refuses does not run, and its neighbour does, confined.

use std::os::unix::fs::symlink;

use harness_core::SessionId;
use harness_shell::{
    Answer, Environment, Limits, Network, RestrictedShellTool, ShellPolicy, ShellSettings,
};

use crate::stage::{Stage, intake};

fn tool(stage: &Stage, environment: Environment) -> RestrictedShellTool {
    let settings = ShellSettings {
        policy: ShellPolicy::standard().unwrap(),
        confinement: stage.confinement(Limits::default()),
        platform_network: Network::default(),
        environment,
    };
    let (tool, enforcement) = RestrictedShellTool::start(settings, &intake()).unwrap();
    assert!(!enforcement.refused.is_empty() && !enforcement.works.is_empty());
    tool
}

fn run(tool: &RestrictedShellTool, line: &str) -> Answer {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(tool.run_line(line)).unwrap()
}

fn refused(tool: &RestrictedShellTool, line: &str) {
    let answer = run(tool, line);
    assert!(matches!(answer, Answer::Refused(_)), "{line}: {answer:?}");
}

fn prints(tool: &RestrictedShellTool, line: &str, text: &str) {
    match run(tool, line) {
        Answer::Ran(outcome) => assert_eq!(outcome.stdout.as_str(), text, "{line}: {outcome:?}"),
        Answer::Refused(decision) => panic!("`{line}` was refused: {decision:?}"),
    }
}

#[test]
fn what_is_refused_does_not_run_and_its_neighbour_does() {
    let stage = Stage::new();
    symlink(stage.outside().join("secret"), stage.work().join("link")).unwrap();
    let tool = tool(&stage, Environment::default());
    for line in [
        "sh -c id",
        "/bin/cat notes.txt",
        "cat notes.txt; id",
        "cat link",
        "cat -- /etc/passwd",
        "cat ../outside/secret",
        "jq -n env",
    ] {
        refused(&tool, line);
    }
    prints(&tool, "cat notes.txt", "notes\n");
    prints(&tool, "cat 'notes.txt'", "notes\n");
    prints(&tool, "ls", "link\nnotes.txt\n");
}

#[test]
fn what_becomes_a_link_behind_the_policy_s_back_is_still_outside() {
    let stage = Stage::new();
    let tool = tool(&stage, Environment::default());
    // Judged while it is a file, run when it is a link: the sandbox has the last word.
    let allowed = tool.decide(&["cat".to_owned(), "notes.txt".to_owned()]);
    assert!(allowed.is_allowed());
    let secret = stage.outside().join("secret");
    let line = format!(
        "ln -sf {} notes.txt; cat notes.txt; echo over",
        secret.display()
    );
    let command = stage.bash(&line);
    let sandbox = stage.sandbox(stage.confinement(Limits::default()));
    let outcome = sandbox
        .run_blocking(&command, &Environment::default())
        .unwrap();
    assert_eq!(outcome.stdout.as_str(), "over\n", "{outcome:?}");
}

#[test]
fn a_command_knows_its_session_and_not_the_host_s_secrets() {
    let stage = Stage::new();
    let variables = [
        ("LANG", "C"),
        ("DATABASE_URL", "postgres://u:p@h"),
        ("PANDAPROBE_API_KEY", "k"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let session = SessionId::parse("s-1").unwrap();
    let environment = Environment::of(variables).session(&session, "token");
    let sandbox = stage.sandbox(stage.confinement(Limits::default()));
    let outcome = sandbox
        .run_blocking(&stage.bash("env"), &environment)
        .unwrap();
    let said = outcome.stdout.as_str();
    assert!(
        said.contains("AGENT_SESSION_ID=s-1\n") && said.contains("LANG=C\n"),
        "{said}"
    );
    assert!(
        !said.contains("DATABASE") && !said.contains("PANDAPROBE"),
        "{said}"
    );
}
