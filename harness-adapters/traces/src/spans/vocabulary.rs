//! What attributes mean: the semantic conventions of OpenTelemetry for generative AI (`gen_ai.*`,
//! today's and those before), OpenInference, and what widespread instrumentations write beside
//! them. Names only; no instrumentation is treated by its own name.

use serde_json::{Value, json};

use super::attributes::Attributes;
use super::foreign::{ForeignSpan, Kind};

const SESSION: &[&str] = &[
    "session.id",
    "gen_ai.conversation.id",
    "langfuse.session.id",
    "ai.telemetry.metadata.sessionId",
    "traceloop.association.properties.session_id",
];
const MODEL: &[&str] = &[
    "gen_ai.response.model",
    "gen_ai.request.model",
    "llm.model_name",
    "ai.model.id",
];
const TOOL: &[&str] = &["gen_ai.tool.name", "tool.name", "ai.toolCall.name"];
const CALL: &[&str] = &["gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"];
const TOKENS: &[&str] = &["llm.token_count.total", "gen_ai.usage.total_tokens"];
const TOKENS_IN: &[&str] = &[
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "ai.usage.promptTokens",
];
const TOKENS_OUT: &[&str] = &[
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "ai.usage.completionTokens",
];
const CALL_INPUT: &[&str] = &[
    "gen_ai.tool.call.arguments",
    "tool_arguments",
    "ai.toolCall.args",
    "traceloop.entity.input",
    "input.value",
    "tool.parameters",
];
const CALL_OUTPUT: &[&str] = &[
    "gen_ai.tool.call.result",
    "tool_response",
    "ai.toolCall.result",
    "traceloop.entity.output",
    "output.value",
];
const INPUT: &[&str] = &[
    "gen_ai.input.messages",
    "gen_ai.prompt",
    "ai.prompt.messages",
    "ai.prompt",
    "traceloop.entity.input",
    "input.value",
];
const OUTPUT: &[&str] = &[
    "gen_ai.output.messages",
    "gen_ai.completion",
    "traceloop.entity.output",
    "output.value",
];

/// Fills in whatever `attributes` say and `span` does not say already.
pub(crate) fn read(attributes: &Attributes, span: &mut ForeignSpan) {
    let owned = |names: &[&str]| attributes.text(names).map(str::to_owned);
    span.session = span.session.take().or_else(|| owned(SESSION));
    span.model = span.model.take().or_else(|| owned(MODEL));
    span.tool = span.tool.take().or_else(|| owned(TOOL));
    span.call = span.call.take().or_else(|| owned(CALL));
    span.kind = span.kind.or_else(|| kind(attributes));
    if span.tool.is_some() && span.kind.is_none() {
        span.kind = Some(Kind::Call);
    }
    span.tokens = span.tokens.or_else(|| tokens(attributes));
    let is_call = span.kind == Some(Kind::Call);
    if span.input.is_none() {
        span.input = if is_call {
            attributes.get(CALL_INPUT).cloned()
        } else {
            spelled(attributes, &["llm.input_messages.", "gen_ai.prompt."])
                .or_else(|| attributes.get(INPUT).cloned())
        };
    }
    if span.output.is_none() {
        span.output = if is_call {
            attributes.get(CALL_OUTPUT).cloned()
        } else {
            spelled(attributes, &["llm.output_messages.", "gen_ai.completion."])
                .or_else(|| attributes.get(OUTPUT).cloned())
                .or_else(|| reply_in_parts(attributes))
        };
    }
}

fn spelled(attributes: &Attributes, prefixes: &[&str]) -> Option<Value> {
    prefixes.iter().find_map(|prefix| attributes.below(prefix))
}

/// A reply whose words and calls are attributes of their own.
fn reply_in_parts(attributes: &Attributes) -> Option<Value> {
    let text = attributes.text(&["ai.response.text"]);
    let calls = attributes.get(&["ai.response.toolCalls"]);
    if text.is_none() && calls.is_none() {
        return None;
    }
    let calls = match calls {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.cloned().unwrap_or(Value::Null),
    };
    Some(json!({ "role": "assistant", "content": text, "tool_calls": calls }))
}

fn kind(attributes: &Attributes) -> Option<Kind> {
    let spans = [
        "openinference.span.kind",
        "traceloop.span.kind",
        "langsmith.span.kind",
    ];
    spans
        .iter()
        .find_map(|name| kind_named(attributes.text(&[name])?))
        .or_else(|| kind_of_operation(attributes.text(&["gen_ai.operation.name"])?))
        .or_else(|| kind_of_operation(attributes.text(&["ai.operationId"])?))
        // The oldest convention names only the kind of request.
        .or_else(|| attributes.text(&["llm.request.type"]).map(|_| Kind::Reply))
}

/// A kind by the name that exports and instrumentations give it, in any case of letters.
pub(crate) fn kind_named(name: &str) -> Option<Kind> {
    Some(match name.to_ascii_lowercase().as_str() {
        "llm" | "generation" => Kind::Reply,
        "tool" | "retriever" => Kind::Call,
        "agent" | "chain" | "workflow" | "task" | "prompt" => Kind::Group,
        "embedding" | "reranker" | "guardrail" | "evaluator" => Kind::Other,
        _ => return None,
    })
}

fn kind_of_operation(name: &str) -> Option<Kind> {
    Some(match name {
        "chat" | "text_completion" | "generate_content" => Kind::Reply,
        "execute_tool" | "ai.toolCall" => Kind::Call,
        "invoke_agent" | "create_agent" | "invoke_workflow" | "chain" => Kind::Group,
        "embeddings" => Kind::Other,
        name if name.starts_with("ai.generate") || name.starts_with("ai.stream") => Kind::Reply,
        name if name.starts_with("ai.embed") => Kind::Other,
        _ => return None,
    })
}

fn tokens(attributes: &Attributes) -> Option<u64> {
    attributes.count(TOKENS).or_else(|| {
        let (into, out) = (attributes.count(TOKENS_IN), attributes.count(TOKENS_OUT));
        into.or(out)
            .map(|_| into.unwrap_or(0).saturating_add(out.unwrap_or(0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_of(attributes: &Value) -> ForeignSpan {
        let mut span = ForeignSpan::default();
        let mut all = Attributes::default();
        all.add_all(attributes);
        read(&all, &mut span);
        span
    }

    #[test]
    fn both_conventions_tell_a_reply() {
        let one = read_of(&json!({
            "gen_ai.operation.name": "chat", "gen_ai.request.model": "small",
            "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": "4",
            "gen_ai.output.messages": "[]", "gen_ai.conversation.id": "c",
        }));
        assert_eq!((one.kind, one.tokens), (Some(Kind::Reply), Some(7)));
        assert_eq!(
            (one.model.as_deref(), one.session.as_deref()),
            (Some("small"), Some("c"))
        );
        let other = read_of(&json!({
            "openinference.span.kind": "LLM", "llm.model_name": "small",
            "llm.output_messages.0.message.role": "assistant", "session.id": "c",
            "output.value": "raw",
        }));
        assert_eq!(
            (other.kind, other.session.as_deref()),
            (Some(Kind::Reply), Some("c"))
        );
        assert_eq!(
            other.output,
            Some(json!([{"message": {"role": "assistant"}}]))
        );
    }

    #[test]
    fn both_conventions_tell_a_call() {
        for attributes in [
            json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look",
                   "gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.result": "a box"}),
            json!({"openinference.span.kind": "TOOL", "tool.name": "look",
                   "input.value": "{}", "output.value": "a box"}),
            json!({"tool.name": "look", "tool_arguments": "{}", "tool_response": "a box"}),
        ] {
            let span = read_of(&attributes);
            assert_eq!(
                (span.kind, span.tool.as_deref()),
                (Some(Kind::Call), Some("look"))
            );
            assert_eq!(
                (span.input, span.output),
                (Some(json!("{}")), Some(json!("a box")))
            );
        }
    }

    #[test]
    fn what_says_nothing_has_no_kind() {
        assert_eq!(
            read_of(&json!({"http.method": "GET"})),
            ForeignSpan::default()
        );
        assert_eq!(
            read_of(&json!({"openinference.span.kind": "EMBEDDING"})).kind,
            Some(Kind::Other)
        );
    }
}
