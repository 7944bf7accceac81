//! Every text of a trace went through the intake, and no bytes make the reader panic.

use harness_core::{Arguments, CleanText, Span, SpanKind};
use harness_traces::Limits;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{conversation, read, read_within};

fn texts(span: &Span) -> Vec<&str> {
    let mut texts = vec![span.name.as_str(), span.output.as_str()];
    match &span.arguments {
        Arguments::Leaves(leaves) => {
            for leaf in leaves {
                texts.extend([leaf.path.as_str(), leaf.value.as_str()]);
            }
        }
        Arguments::Unreadable(text) => texts.push(text.as_str()),
    }
    texts
}

/// A conversation that has `planted` wherever a text may stand.
fn planted(planted: &str) -> String {
    let arguments = json!({ planted: planted }).to_string();
    json!({
        "model": planted,
        "messages": [
            {"role": "user", "content": planted},
            {"role": "assistant", "content": planted, "tool_calls": [
                {"id": "1", "function": {"name": planted, "arguments": arguments}},
                {"id": "2", "function": {"name": "torn", "arguments": planted}},
            ]},
            {"role": "tool", "tool_call_id": "1", "content": planted},
        ],
    })
    .to_string()
}

#[test]
fn escapes_and_secrets_are_gone_from_every_leaf_and_plain_text_is_kept() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let hostile = format!("red\u{1b}[31m \u{202e}box {secret}");
    let document = read(planted(&hostile).as_bytes());
    let conversation = &document.conversations[0];
    let shown = format!("{conversation:?}");
    for gone in ["\\u{1b}", "\\u{202e}", secret.as_str()] {
        assert!(!shown.contains(gone), "{gone}: {shown}");
    }
    for turn in &conversation.turns {
        assert!(turn.request().as_str().contains("red"));
        for text in turn.spans().iter().flat_map(texts) {
            // The name of the argument looks like a credential's once its secret is marked.
            let kept = text.contains("red") || text.starts_with("[REDACTED");
            assert!(kept || text == "torn" || text.is_empty(), "{text}");
        }
    }
    let plain = read(planted("the red box").as_bytes());
    assert!(format!("{:?}", plain.conversations[0]).contains("the red box"));
}

#[test]
fn every_text_has_a_bound() {
    let limits = Limits {
        text: 500,
        value: 100,
        ..Limits::default()
    };
    let document = read_within(planted(&"long ".repeat(4000)).as_bytes(), limits);
    for turn in &document.conversations[0].turns {
        assert!(turn.request().len() <= limits.text);
        for span in turn.spans() {
            assert!(span.name.len() <= Limits::NAME);
            assert!(span.output.len() <= limits.text);
            for leaf in span.arguments.leaves() {
                assert!(leaf.path.len() <= Limits::NAME && leaf.value.len() <= limits.value);
            }
        }
    }
}

/// Any JSON made of the words that the reader looks for.
fn json_of_known_words() -> impl Strategy<Value = Value> {
    let word = proptest::sample::select(vec![
        "messages",
        "role",
        "content",
        "user",
        "assistant",
        "tool",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "id",
        "tool_call_id",
        "text",
        "error",
        "session_id",
        "model",
        "{}",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((word.clone(), inner), 0..5).prop_map(|pairs| {
                pairs
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_json_is_read_or_reported(list in proptest::collection::vec(json_of_known_words(), 0..5)) {
        let document = read(json!({ "messages": list }).to_string().as_bytes());
        prop_assert!(!document.conversations.is_empty() || !document.unreadable.is_empty());
    }

    #[test]
    fn any_bytes_are_read_or_reported(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let document = read(&bytes);
        prop_assert!(!document.conversations.is_empty() || !document.unreadable.is_empty());
    }

    #[test]
    fn every_prefix_of_a_conversation_is_read_or_reported(cut in 0.0..1.0_f64) {
        let whole = conversation("s");
        let end = (whole.len() as f64 * cut) as usize;
        let document = read(&whole.as_bytes()[..end]);
        prop_assert_eq!(document.unreadable.len(), 1);
        prop_assert!(read(whole.as_bytes()).unreadable.is_empty());
    }

    #[test]
    fn one_changed_byte_never_panics(at in 0_usize..300, byte in any::<u8>()) {
        let mut bytes = conversation("s").into_bytes();
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
        let _ = read(&bytes);
    }

    #[test]
    fn whatever_is_planted_every_text_of_the_trace_is_clean(text in "\\PC{0,40}|[\\x00-\\x7f]{0,40}") {
        let document = read(planted(&text).as_bytes());
        for turn in document.conversations.iter().flat_map(|conversation| &conversation.turns) {
            for shown in turn.spans().iter().flat_map(texts).chain([turn.request().as_str()]) {
                prop_assert!(CleanText::new(shown).is_ok());
            }
            prop_assert_eq!(turn.spans().iter().filter(|s| s.kind == SpanKind::Tool).count(), 2);
        }
    }
}
