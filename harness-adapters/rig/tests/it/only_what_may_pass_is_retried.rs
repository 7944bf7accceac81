//! What goes wrong on the wire ends in its status and category, and only what may pass is asked
//! again.

use harness_core::RepairStatus;
use harness_rules::Category;
use serde_json::json;

use crate::wire::{Format, Line, Said, Server, call, says};
use crate::world::{World, episode};

/// A port of this machine that is reserved for a service nobody runs.
const NOBODY: &str = "http://127.0.0.1:1";

fn resolves() -> Said {
    call(
        "harness_notice_resolve",
        json!({ "resolution": "no_proposal" }),
    )
}

/// How an episode ended, and how many requests it took.
async fn ends(format: Format, lines: Vec<Line>) -> (RepairStatus, Option<Category>, usize) {
    let server = Server::saying(lines);
    let world = World::new();
    let result = episode(&world, format, &server, |_| {}).await;
    assert_eq!(result.status.acknowledges(), result.category.is_none());
    let ends = world.repair_events().into_iter().filter(|kind| {
        ![
            "repair_started",
            "repair_model_turn",
            "repair_tool_call",
            "repair_notice_resolved",
        ]
        .contains(&kind.as_str())
    });
    assert_eq!(ends.count(), 1);
    (result.status, result.category, server.heard().len())
}

const fn failed(category: Category, requests: usize) -> (RepairStatus, Option<Category>, usize) {
    (RepairStatus::Failed, Some(category), requests)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_limit_is_waited_for_where_the_time_allows() {
    for format in Format::ALL {
        let limited = |after: &str| Line::Status(429, ("retry-after", after.to_owned()), "{}");
        let good = || Line::Body(format.body(&resolves()));
        assert_eq!(
            ends(format, vec![limited("0"), good()]).await,
            (RepairStatus::NoProposal, None, 2)
        );
        // Longer than the attempt may take: given up at once.
        assert_eq!(
            ends(format, vec![limited("3600")]).await,
            failed(Category::RateLimited, 1)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_fails_is_asked_three_times() {
    for format in Format::ALL {
        let good = Line::Body(format.body(&resolves()));
        assert_eq!(
            ends(format, vec![Line::status(503), good]).await,
            (RepairStatus::NoProposal, None, 2)
        );
    }
    let dead = vec![Line::status(500)];
    assert_eq!(
        ends(Format::OpenAi, dead).await,
        failed(Category::ModelUnavailable, 3)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_breaks_off_was_lost_and_is_asked_for_again() {
    for format in Format::ALL {
        let cut = Line::Cut(format.body(&resolves()));
        let good = Line::Body(format.body(&resolves()));
        let server = Server::saying(vec![cut, good]);
        let result = episode(&World::new(), format, &server, |_| {}).await;
        assert_eq!(result.status, RepairStatus::NoProposal, "{format:?}");
        assert_eq!(
            (result.usage.turns, result.usage.output_tokens),
            (1, 2816 + 20),
            "{format:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_will_not_pass_is_not_asked_again() {
    for format in Format::ALL {
        for (line, category) in [
            (Line::status(400), Category::ModelUnavailable),
            (Line::status(401), Category::ModelUnavailable),
            (Line::status(404), Category::ModelUnavailable),
            (
                Line::Body("{\"choices\": ".to_owned()),
                Category::MalformedReply,
            ),
            (Line::Body("[1, 2, 3]".to_owned()), Category::MalformedReply),
            (Line::TooLong, Category::MalformedReply),
        ] {
            let shown = format!("{format:?} {line:?}");
            assert_eq!(
                ends(format, vec![line]).await,
                failed(category, 1),
                "{shown}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_and_a_declined_reply() {
    for format in Format::ALL {
        let mut cut = says("I would say that");
        cut.stop = "length";
        let line = Line::Body(format.body(&cut));
        assert_eq!(
            ends(format, vec![line]).await,
            failed(Category::TruncatedReply, 1),
            "{format:?}"
        );
    }
    for format in [Format::OpenAi, Format::Anthropic] {
        let mut declined = says("I would rather not.");
        declined.stop = "content_filter";
        let line = Line::Body(format.body(&declined));
        assert_eq!(
            ends(format, vec![line]).await,
            failed(Category::Refusal, 1),
            "{format:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_body_ends_with_the_time() {
    for format in Format::ALL {
        let server = Server::saying(vec![Line::Slow(format.body(&resolves()))]);
        let result = episode(&World::new(), format, &server, |config| {
            config.repair_timeout_s = 1;
        })
        .await;
        assert_eq!(
            (result.status, result.category),
            (RepairStatus::TimedOut, Some(Category::TimeLimit)),
            "{format:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_not_followed() {
    let other = Server::saying(vec![Line::Body(Format::OpenAi.body(&resolves()))]);
    let elsewhere = ("location", format!("{}/v1/chat/completions", other.url()));
    let line = Line::Status(307, elsewhere, "{}");
    assert_eq!(
        ends(Format::OpenAi, vec![line]).await,
        failed(Category::ModelUnavailable, 1)
    );
    assert!(other.heard().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_there() {
    let world = World::new();
    let setup = world.repaired_by(crate::world::model(Format::OpenAi, NOBODY));
    let settled = crate::world::fail(setup, "no such file").await;
    let result = settled.repair.unwrap();
    assert_eq!(
        (result.status, result.category, result.usage.output_tokens),
        (RepairStatus::Failed, Some(Category::ModelUnavailable), 0)
    );
}
