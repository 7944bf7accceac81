//! Reading is a function of the bytes, in each of the three forms.

use harness_core::{ErrorClass, SpanStatus};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{conversation, read};

#[test]
fn an_object_a_bare_list_and_lines_hold_the_same_turns() {
    let object = conversation("s");
    let value: Value = serde_json::from_str(&object).unwrap();
    let bare = value["messages"].to_string();
    let lines = format!("{object}\n\n{bare}\r\n");
    let named = &read(object.as_bytes()).conversations[0];
    let unnamed = &read(bare.as_bytes()).conversations[0];
    let both = read(lines.as_bytes());

    assert_eq!(named.session.as_str(), "s");
    assert_eq!(named.model.as_ref().unwrap().as_str(), "small");
    assert_eq!(named.turns[0].id().as_str(), "s#0");
    assert_eq!(
        named.turns[0].spans()[0].status,
        SpanStatus::Failed(ErrorClass::NotFound)
    );
    assert_eq!(unnamed.session.as_str(), format!("unnamed-{}", bare.len()));
    assert_eq!(unnamed.model, None);
    assert_eq!(unnamed.turns[0].request(), named.turns[0].request());
    assert_eq!(both.conversations, [named.clone(), unnamed.clone()]);
    assert_eq!(both.unreadable, []);
}

#[test]
fn an_object_over_many_lines_is_one_conversation() {
    let value: Value = serde_json::from_str(&conversation("s")).unwrap();
    let pretty = format!("\u{feff}{}", serde_json::to_string_pretty(&value).unwrap());
    assert_eq!(read(pretty.as_bytes()), read(conversation("s").as_bytes()));
}

/// What one message adds: its JSON, and the text of the span it makes, if it makes one.
#[derive(Clone, Debug)]
enum Step {
    User(String),
    Reply(String),
    Call(String, Option<String>),
}

fn step() -> impl Strategy<Value = Step> {
    let word = || "[a-z]{1,8}";
    prop_oneof![
        word().prop_map(Step::User),
        word().prop_map(Step::Reply),
        (word(), proptest::option::of(word())).prop_map(|(name, result)| Step::Call(name, result)),
    ]
}

fn messages(steps: &[Step]) -> Value {
    let mut messages = vec![json!({"role": "system", "content": "rules of the house"})];
    for step in steps {
        match step {
            Step::User(text) => messages.push(json!({"role": "user", "content": text})),
            Step::Reply(text) => messages.push(json!({"role": "assistant", "content": text})),
            Step::Call(name, result) => {
                // Every call has the same id, as some recorders write.
                messages.push(json!({"role": "assistant", "tool_calls": [
                    {"id": "x", "function": {"name": name, "arguments": "{}"}}
                ]}));
                if let Some(result) = result {
                    messages.push(json!({"role": "tool", "tool_call_id": "x", "content": result}));
                }
            }
        }
    }
    messages.into()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_was_said_and_done_comes_back_in_order(steps in proptest::collection::vec(step(), 0..20)) {
        // A user first, so that nothing is a greeting.
        let steps: Vec<Step> = [Step::User("first".into())].into_iter().chain(steps).collect();
        let wanted: Vec<String> = steps
            .iter()
            .filter_map(|step| match step {
                Step::User(_) => None,
                Step::Reply(text) => Some(text.clone()),
                Step::Call(name, result) => {
                    Some(format!("{name} {}", result.as_deref().unwrap_or_default()))
                }
            })
            .collect();
        let bytes = messages(&steps).to_string();
        let document = read(bytes.as_bytes());
        let found: Vec<String> = document
            .conversations
            .iter()
            .flat_map(|conversation| &conversation.turns)
            .flat_map(|turn| turn.spans())
            .map(|span| match span.kind {
                harness_core::SpanKind::Tool => format!("{} {}", span.name, span.output),
                _ => span.output.to_string(),
            })
            .collect();
        prop_assert_eq!(found, wanted);
        prop_assert_eq!(&document, &read(bytes.as_bytes()));
    }
}
