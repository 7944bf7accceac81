//! A model on the wire works through a whole episode, in the shapes of three providers.

use harness_core::RepairStatus;
use harness_repair::repair_tools;
use serde_json::{Value, json};

use crate::wire::{Format, Line, Said, Server, call, calls, says};
use crate::world::{RULE, World, episode};

fn body(format: Format) -> impl Fn(Said) -> Line {
    move |said| Line::Body(format.body(&said))
}

fn adds() -> Said {
    let arguments = json!({ "rule": RULE, "rationale": "the same name was guessed three times" });
    call("harness_rule_add", arguments)
}

/// Reads, looks twice in one reply, adds, acknowledges.
fn diligent() -> Vec<Said> {
    vec![
        call("harness_notice_read", json!({})),
        calls(vec![
            ("harness_trace_inspect", json!({})),
            ("harness_rules_search", json!({ "query": "read_file" })),
        ]),
        adds(),
        call("harness_notice_ack", json!({})),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_is_added_and_acknowledged() {
    for format in Format::ALL {
        let server = Server::saying(diligent().into_iter().map(body(format)).collect());
        let world = World::new();
        let result = episode(&world, format, &server, |_| {}).await;
        assert_eq!(result.status, RepairStatus::CandidateAdded, "{format:?}");
        let usage = result.usage;
        assert_eq!(
            (usage.turns, usage.tool_calls, usage.output_tokens),
            (4, 5, 80),
            "{format:?}"
        );
        let candidates = world.events("rule_add");
        assert_eq!(candidates.len(), 1, "{format:?}");
        assert_eq!(candidates[0]["rule"], RULE, "{format:?}");

        let heard = server.heard();
        assert_eq!(heard.len(), 4, "{format:?}");
        for request in &heard {
            assert_eq!(request.line, format.request_line());
            assert_eq!(
                request.body["tools"].as_array().map(Vec::len),
                Some(repair_tools().len())
            );
            assert_ne!(request.body["stream"], true);
        }
        // Each call was answered, in order, in the request that followed.
        let answers: Vec<usize> = heard
            .iter()
            .map(|request| format.answers(&request.body).len())
            .collect();
        assert_eq!(answers, [0, 1, 3, 4], "{format:?}");
        let last = format.answers(&heard[3].body);
        assert!(
            last[0]["notices"][0]["alerting"].is_string(),
            "{format:?}: {last:?}"
        );
        assert_eq!(last[1]["failed"], "3 of 4 calls", "{format:?}");
        assert_eq!(last[3]["status"], "candidate", "{format:?}");
        assert_eq!(world.repair_events(), EVENTS, "{format:?}");
    }
}

/// What the journal has of that episode: one terminal event.
const EVENTS: [&str; 13] = [
    "repair_started",
    "repair_model_turn",
    "repair_tool_call",
    "repair_model_turn",
    "repair_tool_call",
    "repair_tool_call",
    "repair_model_turn",
    "repair_candidate_added",
    "repair_tool_call",
    "repair_model_turn",
    "repair_tool_call",
    "repair_notice_resolved",
    "repair_completed",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_events_carry_the_episode_and_the_scope() {
    let world = World::new();
    let adds = call(
        "harness_rule_add",
        json!({ "rule": RULE, "rationale": "it was guessed", "scope": "reports" }),
    );
    let script = vec![adds, call("harness_notice_ack", json!({}))];
    let server = Server::saying(script.into_iter().map(body(Format::OpenAi)).collect());
    let result = episode(&world, Format::OpenAi, &server, |_| {}).await;
    let [end] = <[Value; 1]>::try_from(world.events("repair_completed")).unwrap();
    assert_eq!(end["repair_episode_id"], result.episode.as_str());
    assert_eq!(end["notice_ids"], json!([result.notices[0].as_str()]));
    assert_eq!(end["selected_scope"], "reports");
    assert_eq!(end["repair_session"], result.repair_session.to_string());
    let [started] = <[Value; 1]>::try_from(world.events("repair_started")).unwrap();
    assert_eq!(started["model"], "openai/test-model");
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_that_is_absent_is_counted_at_its_worst() {
    for format in Format::ALL {
        let mut silent = call(
            "harness_notice_resolve",
            json!({ "resolution": "no_proposal" }),
        );
        silent.tokens = None;
        let server = Server::saying(vec![body(format)(silent)]);
        let result = episode(&World::new(), format, &server, |_| {}).await;
        assert_eq!(result.status, RepairStatus::NoProposal, "{format:?}");
        assert_eq!(result.usage.output_tokens, 2816, "{format:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_not_there_and_arguments_that_are_no_json_are_answered() {
    for format in [Format::OpenAi, Format::Ollama] {
        let script = vec![
            call("harness rule promote!", json!({})),
            call("harness_rule_add", json!("{\"rule\": ")),
            call(
                "harness_notice_resolve",
                json!({ "resolution": "unactionable" }),
            ),
        ];
        let server = Server::saying(script.into_iter().map(body(format)).collect());
        let result = episode(&World::new(), format, &server, |_| {}).await;
        assert_eq!(result.status, RepairStatus::Unactionable, "{format:?}");
        let answers = format.answers(&server.heard()[2].body);
        assert_eq!(
            answers[0]["error"],
            "unsupported capability 'harness rule promote!'"
        );
        assert_eq!(answers[1]["ok"], false, "{format:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn words_alone_are_reminded_of() {
    for format in Format::ALL {
        let resolves = call(
            "harness_notice_resolve",
            json!({ "resolution": "no_proposal" }),
        );
        let script = vec![says("Let me think."), says(""), resolves];
        let server = Server::saying(script.into_iter().map(body(format)).collect());
        let result = episode(&World::new(), format, &server, |_| {}).await;
        assert_eq!(result.status, RepairStatus::NoProposal, "{format:?}");
        assert!(
            server.heard()[2]
                .body
                .to_string()
                .contains("No tool was called"),
            "{format:?}"
        );
    }
}
