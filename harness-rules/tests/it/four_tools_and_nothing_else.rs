//! A task agent has four tools, which read. Whatever it calls, and with whatever, the answer is an
//! object that says whether it is one, and any other name has no effect.

use std::sync::LazyLock;

use harness_core::TASK_TOOLS;
use harness_rules::{Desks, RuleBook, RuleReader, Settings, task_tool_schemas};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture::{
    Live, Names, Place, add_rule, advice, clean, proposal, proposal_in, rule_on_trial, shown,
};

const LIST: &str = TASK_TOOLS[0];
const READ: &str = TASK_TOOLS[1];
const SEARCH: &str = TASK_TOOLS[2];
const STATUS: &str = TASK_TOOLS[3];

fn reader(desks: &Desks) -> RuleReader {
    desks.book.full_reader()
}

#[test]
fn any_other_name_is_unsupported_and_does_nothing() {
    let place = Place::new();
    let desks = place.open();
    rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let live = Live::begin(&desks, &Names::default().any());
    let lines = place.lines().len();
    for name in ["harness_rule_add", "harness_rules_read ", "", "promote"] {
        let answer = live.tools.call(name, &json!({ "scope": "orders" }));
        let error = format!("unsupported capability '{name}'");
        assert_eq!(answer, json!({ "ok": false, "error": error }));
    }
    let answer = live
        .tools
        .call("a\u{1b}[2J\u{202e}", &Value::Null)
        .to_string();
    assert!(!answer.contains(['\u{1b}', '\u{202e}']), "{answer}");
    assert_eq!((place.lines().len(), live.state.shown()), (lines, vec![]));
    // The twin that is one of the four.
    live.tools.call(READ, &json!({ "scope": "orders" }));
    assert_eq!(place.lines().len(), lines + 1);
}

#[test]
fn arguments_are_checked_and_never_mended() {
    let place = Place::new();
    let desks = place.open();
    let tools = reader(&desks);
    let of = |name: &str, arguments: Value| tools.call(name, &arguments)["ok"].clone();
    for (name, good, bad) in [
        (LIST, json!({}), json!({ "scope": "orders" })),
        (LIST, Value::Null, json!([])),
        (READ, json!({}), json!({ "scope": "../orders" })),
        (READ, json!({ "scope": null }), json!({ "scope": 1 })),
        (
            READ,
            json!({ "scope": "orders" }),
            json!({ "scope": "Orders" }),
        ),
        (READ, json!({ "scope": "a.b" }), json!({ "scope": "a..b" })),
        (SEARCH, json!({ "query": "x" }), json!({ "query": "  " })),
        (
            SEARCH,
            json!({ "query": "x", "limit": 50 }),
            json!({ "query": "x", "limit": 51 }),
        ),
        (
            SEARCH,
            json!({ "query": "x", "limit": 1 }),
            json!({ "query": "x", "limit": 0 }),
        ),
        (
            SEARCH,
            json!({ "query": "x", "limit": null }),
            json!({ "query": "x", "limit": 1.5 }),
        ),
        (
            SEARCH,
            json!({ "query": "x".repeat(1000) }),
            json!({ "query": "x".repeat(1001) }),
        ),
        (SEARCH, json!({ "query": "x" }), json!({})),
    ] {
        assert_eq!(of(name, good), true);
        assert_eq!(of(name, bad.clone()), false, "{name} {bad}");
    }
    let rule = add_rule(&desks, "n-1", proposal(&advice('a')));
    assert_eq!(of(STATUS, json!({ "rule_id": rule.as_str() })), true);
    for bad in [
        json!({}),
        json!({ "rule_id": "r-nobody" }),
        json!({ "rule_id": "../r" }),
    ] {
        assert_eq!(of(STATUS, bad), false);
    }
}

#[test]
fn a_list_has_no_rule_text_and_counts_by_scope() {
    let place = Place::new();
    let desks = place.open();
    add_rule(&desks, "n-1", proposal(&advice('a')));
    add_rule(&desks, "n-2", proposal_in("stock", &advice('b')));
    let answer = reader(&desks).call(LIST, &json!({}));
    let scopes: Vec<_> = answer["scopes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| {
            (
                of["scope"].as_str().unwrap(),
                of["active"].clone(),
                of["provisional"].clone(),
            )
        })
        .collect();
    let of = |scope, provisional: u64| (scope, json!(0), json!(provisional));
    assert_eq!(scopes, [of("global", 0), of("orders", 1), of("stock", 1)]);
    assert!(!answer.to_string().contains("aalpha"));
}

#[test]
fn an_answer_shows_three_provisional_rules_at_most() {
    let place = Place::new();
    let desks = place.open();
    for (n, scope) in ["one", "one", "one", "two"].into_iter().enumerate() {
        let letter = ['a', 'b', 'c', 'd'][n];
        add_rule(
            &desks,
            &format!("n-{n}"),
            proposal_in(scope, &advice(letter)),
        );
    }
    let answer = reader(&desks).call(SEARCH, &json!({ "query": "orders" }));
    assert_eq!(shown(&answer).len(), 3);
}

#[test]
fn a_retired_rule_is_shown_to_nobody() {
    let place = Place::new();
    let desks = place.open();
    let rule = add_rule(&desks, "n-1", proposal(&advice('a')));
    let search = || shown(&reader(&desks).call(SEARCH, &json!({ "query": "aalpha" })));
    assert_eq!(search(), vec![rule.clone()]);
    desks.operator.retire(&rule, clean("not wanted")).unwrap();
    assert_eq!(search(), []);
    let status = reader(&desks).call(STATUS, &json!({ "rule_id": rule.as_str() }));
    assert_eq!(status["status"], "retired");
    assert!(desks.operator.retire(&rule, clean("again")).is_err());
}

#[test]
fn what_a_model_is_told_of_is_what_there_is() {
    assert_eq!(task_tool_schemas().map(|tool| tool.name), TASK_TOOLS);
}

static EMPTY: LazyLock<Place> = LazyLock::new(Place::new);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// No call breaks the agent's loop.
    #[test]
    fn any_call_is_answered(
        name in prop_oneof![prop::sample::select(TASK_TOOLS.to_vec()).prop_map(str::to_owned), "\\PC{0,20}"],
        key in prop_oneof![Just("query".to_owned()), Just("scope".to_owned()), "\\PC{0,8}"],
        text in any::<String>(),
        number in any::<i64>(),
    ) {
        let book = RuleBook::read_only(&EMPTY.reader(), Settings::default());
        let tools = book.unassigned_reader();
        for arguments in [json!({ key.clone(): text }), json!({ key: number }), json!(text)] {
            prop_assert!(tools.call(&name, &arguments)["ok"].is_boolean());
        }
    }
}
