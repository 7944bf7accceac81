//! A conversation in OpenAI's messages and the same in Anthropic's are the same turns.

use serde_json::json;

use crate::{packed, read};

#[test]
fn the_same_conversation_gives_the_same_turns() {
    let openai = json!({"session_id": "s", "model": "small", "messages": [
        {"role": "system", "content": "rules of the house"},
        {"role": "user", "content": "move the box"},
        {"role": "assistant", "content": "I try.", "tool_calls": [
            {"id": "1", "function": {"name": "move", "arguments": "{\"to\": \"shelf\"}"}},
            {"id": "2", "function": {"name": "look", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "2", "content": "a shelf"},
        {"role": "tool", "tool_call_id": "1", "content": "Error: shelf not found"},
        {"role": "assistant", "content": "There is none."},
        {"role": "user", "content": "thank you"},
        {"role": "assistant", "content": "gladly"},
    ]});
    let anthropic = json!({"session_id": "s", "model": "small", "system": "rules of the house",
        "max_tokens": 10, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "move the box"}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "which shelf"},
            {"type": "text", "text": "I try."},
            {"type": "tool_use", "id": "1", "name": "move", "input": {"to": "shelf"}},
            {"type": "tool_use", "id": "2", "name": "look", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "2", "content": "a shelf"},
            {"type": "tool_result", "tool_use_id": "1", "is_error": true,
             "content": [{"type": "text", "text": "Error: shelf not found"}]}]},
        {"role": "assistant", "content": "There is none."},
        {"role": "user", "content": "thank you"},
        {"role": "assistant", "content": [{"type": "text", "text": "gladly"}]},
    ]});
    let (one, other) = (
        read(openai.to_string().as_bytes()),
        read(anthropic.to_string().as_bytes()),
    );
    assert_eq!(one.unreadable, []);
    assert_eq!(one.conversations[0].turns.len(), 2);
    assert_eq!(one, other);
    assert_eq!(read(&packed(openai.to_string().as_bytes())), one);
}

#[test]
fn a_result_without_a_call_is_reported() {
    let bytes = json!([
        {"role": "user", "content": "move the box"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "9", "content": "x"}]},
        {"role": "assistant", "content": "done"},
    ]);
    let document = read(bytes.to_string().as_bytes());
    let reports: Vec<String> = document
        .unreadable
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        reports,
        ["message 1: it is the result of no call that came before"]
    );
    assert_eq!(document.conversations[0].turns.len(), 1);
}
