//! A request goes to the host that was named, and holds nothing of the environment but the key that
//! is meant for it.

use std::process::Command;

use harness_core::RepairStatus;
use harness_rig::{Redactor, RigRepairModel};
use serde_json::json;

use crate::wire::{Format, Line, Server, call};
use crate::world::{World, fail};

/// Which format a process of this test speaks.
const FORMAT: &str = "HARNESS_TEST_FORMAT";
const KEY: &str = "sk-key-of-this-test-0123456789";
const CANARY: &str = "canary-of-this-test-9f3c";

/// Variables that clients of HTTP and of models are known to read.
const READ_BY_OTHERS: &[&str] = &[
    "OPENAI_ORG_ID",
    "OPENAI_ORGANIZATION",
    "OPENAI_PROJECT_ID",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_CUSTOM_HEADERS",
    "APP_TOKEN",
    "DATABASE_PASSWORD",
];
const PROXIES: &[&str] = &[
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "all_proxy",
];

#[test]
fn no_proxy_no_header_and_no_value() {
    if let Ok(format) = std::env::var(FORMAT) {
        return work(&format);
    }
    for format in Format::ALL {
        let trap = Server::saying(vec![Line::status(502)]);
        let script = [
            call("harness_notice_read", json!({})),
            call("harness_trace_inspect", json!({})),
            call(
                "harness_notice_resolve",
                json!({ "resolution": "no_proposal" }),
            ),
        ];
        let lines = script.iter().map(|said| Line::Body(format.body(said)));
        let server = Server::saying(lines.collect());
        let mut child = Command::new(std::env::current_exe().unwrap());
        child
            .args([
                "nothing_of_the_environment_is_sent::no_proxy_no_header_and_no_value",
                "--exact",
            ])
            .env(FORMAT, format!("{format:?}"))
            .env(
                harness_rig::BASE_URL_VARIABLE,
                format.base_url(&server.url()),
            )
            .env_remove("NO_PROXY")
            .env_remove("no_proxy");
        for variable in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY"] {
            child.env(variable, KEY);
        }
        READ_BY_OTHERS.iter().for_each(|variable| {
            child.env(variable, CANARY);
        });
        PROXIES.iter().for_each(|variable| {
            child.env(variable, trap.url());
        });
        let output = child.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );

        assert!(trap.heard().is_empty(), "{format:?} went by a proxy");
        let heard = server.heard();
        assert_eq!(heard.len(), 3, "{format:?}");
        for request in &heard {
            let shown = format!("{request:?}");
            assert!(!shown.contains(CANARY), "{shown}");
            // The key is where it belongs, once.
            assert_eq!(shown.matches(KEY).count(), 1, "{shown}");
            let header = match format {
                Format::OpenAi | Format::Ollama => request.header("authorization"),
                Format::Anthropic => request.header("x-api-key"),
            };
            assert!(header.unwrap().ends_with(KEY));
            assert_eq!(request.header("cookie").or(request.header("referer")), None);
        }
        // The evidence came, with the canary cut out of it.
        let answers = format.answers(&heard[2].body);
        assert!(
            answers[1].to_string().contains("[REDACTED:known-value]"),
            "{answers:?}"
        );
    }
}

/// One episode in a process of its own, with that environment.
fn work(format: &str) {
    let format = Format::ALL
        .into_iter()
        .find(|it| format!("{it:?}") == format)
        .unwrap();
    let world = World::new();
    let model = RigRepairModel::from_spec(format.spec(), std::env::vars()).unwrap();
    let mut setup = world.repaired_by(model);
    setup.redactor = Redactor::with_values(std::env::vars());
    let said = format!("no such file; the password is {CANARY}, the key {KEY}");
    let settled = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(fail(setup, &said));
    assert_eq!(settled.repair.unwrap().status, RepairStatus::NoProposal);
}
