//! A model of a provider repairs what a recording shows, and `doctor` says whether it answers.

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::operator::{Operator, document, ends, failing, stderr, stdout};

#[path = "../../../harness-adapters/rig/tests/wire/mod.rs"]
mod wire;

use wire::{Format, Line, Said, Server, call, says};

fn server(script: Vec<Said>) -> Server {
    let lines = script
        .iter()
        .map(|said| Line::Body(Format::OpenAi.body(said)));
    Server::saying(lines.collect())
}

fn with_model(operator: &Operator, args: &[&str], server: &Server) -> Command {
    let mut command = operator.command(args);
    command.env("OPENAI_BASE_URL", Format::OpenAi.base_url(&server.url()));
    command
}

fn run(operator: &Operator, server: &Server) -> Command {
    let mut command = with_model(
        operator,
        &[
            "run",
            "--traces",
            "-",
            "--format",
            "json",
            "--repair",
            "openai/small",
        ],
        server,
    );
    command.write_stdin(failing("s-1").to_string());
    command
}

#[test]
fn a_rule_is_added_on_the_wire() {
    let operator = Operator::with_workspace();
    let rule = "After `read_file` answers not_found, call `list_files` and use what it returns.";
    let server = server(vec![
        call("harness_trace_inspect", json!({})),
        call(
            "harness_rule_add",
            json!({ "rule": rule, "rationale": "it was guessed" }),
        ),
        call("harness_notice_ack", json!({})),
    ]);
    let said: Value = document(&ends(run(&operator, &server), 0));
    assert_eq!(said["episodes"][0]["status"], "candidate_added", "{said}");
    assert_eq!(server.heard().len(), 3);
}

#[test]
fn a_model_that_does_not_answer_is_4_and_the_notice_waits() {
    let operator = Operator::with_workspace();
    let server = Server::saying(vec![Line::status(401)]);
    let output = ends(run(&operator, &server), 4);
    assert_eq!(document(&output)["episodes"][0]["status"], "failed");
    assert!(
        stderr(&output).contains("harness doctor --repair"),
        "{}",
        stderr(&output)
    );
    assert_eq!(operator.json(&["status"])["notices"]["pending"], 1);
}

#[test]
fn what_is_missing_is_named() {
    let operator = Operator::with_workspace();
    for (spec, said) in [
        ("openai/small", "set OPENAI_API_KEY"),
        ("elsewhere/small", "`elsewhere` is no provider"),
        ("small", "write PROVIDER/MODEL"),
    ] {
        let output = operator.runs(&["run", "--traces", "-", "--repair", spec], 2);
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

#[test]
fn doctor_makes_one_small_call_and_says_what_it_cost() {
    let operator = Operator::with_workspace();
    let good = server(vec![says("ready")]);
    let args = ["doctor", "--repair", "openai/small"];
    let output = ends(with_model(&operator, &args, &good), 0);
    let shown = stdout(&output);
    assert!(shown.contains("openai/small answered in"), "{shown}");
    assert!(shown.contains("used 20 output tokens"), "{shown}");
    assert_eq!(good.heard().len(), 1);

    let bad = Server::saying(vec![Line::status(401)]);
    let output = ends(with_model(&operator, &args, &bad), 1);
    assert!(stdout(&output).contains("did not accept the credentials"));
}

#[test]
fn its_trace_goes_to_a_collector_and_holds_no_evidence() {
    let operator = Operator::with_workspace();
    let model = server(vec![
        call("harness_trace_inspect", json!({})),
        call(
            "harness_notice_resolve",
            json!({ "resolution": "no_proposal" }),
        ),
    ]);
    let collector = Server::saying(vec![Line::Body("{}".to_owned())]);
    let mut command = run(&operator, &model);
    command.env("HARNESS_TRACE_REPAIR_AGENT", "true").env(
        "HARNESS_REPAIR_TRACE_TO",
        format!("{}/v1/traces", collector.url()),
    );
    ends(command, 0);
    let heard = collector.heard();
    assert_eq!(heard.len(), 1);
    assert_eq!(heard[0].line, "POST /v1/traces HTTP/1.1");
    let trace = heard[0].body.to_string();
    assert!(trace.contains("openai/small") && trace.contains("harness_trace_inspect"));
    assert!(
        !trace.contains("blue") && !trace.contains("shelf"),
        "{trace}"
    );
}
