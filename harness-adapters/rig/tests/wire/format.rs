//! The same reply in the shapes of three providers.

use serde_json::{Value, json};

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    OpenAi,
    Anthropic,
    Ollama,
}

/// What a model says in one reply.
#[derive(Clone, Debug)]
pub struct Said {
    pub text: &'static str,
    /// Tools and their arguments; each format has its own way for what is no JSON.
    pub calls: Vec<(&'static str, Value)>,
    /// Output tokens, where the server counts.
    pub tokens: Option<u64>,
    /// Why it ended, in the word of OpenAI.
    pub stop: &'static str,
}

/// Text and nothing else.
pub fn says(text: &'static str) -> Said {
    Said {
        text,
        calls: Vec::new(),
        tokens: Some(20),
        stop: "stop",
    }
}

/// One call.
pub fn call(tool: &'static str, arguments: Value) -> Said {
    calls(vec![(tool, arguments)])
}

/// Several calls in one reply.
pub fn calls(calls: Vec<(&'static str, Value)>) -> Said {
    Said {
        calls,
        stop: "tool_calls",
        ..says("")
    }
}

impl Format {
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Ollama];

    /// A spec for a model of such a server.
    pub const fn spec(self) -> &'static str {
        match self {
            Self::OpenAi => "openai/test-model",
            Self::Anthropic => "anthropic/test-model",
            Self::Ollama => "ollama/test-model",
        }
    }

    /// The address to give for a server.
    pub fn base_url(self, server: &str) -> String {
        match self {
            Self::OpenAi => format!("{server}/v1"),
            Self::Anthropic | Self::Ollama => server.to_owned(),
        }
    }

    /// The first line of its requests.
    pub const fn request_line(self) -> &'static str {
        match self {
            Self::OpenAi => "POST /v1/chat/completions HTTP/1.1",
            Self::Anthropic => "POST /v1/messages HTTP/1.1",
            Self::Ollama => "POST /api/chat HTTP/1.1",
        }
    }

    /// A reply in its shape.
    pub fn body(self, said: &Said) -> String {
        match self {
            Self::OpenAi => openai(said),
            Self::Anthropic => anthropic(said),
            Self::Ollama => ollama(said),
        }
        .to_string()
    }

    /// The answers to calls that a request brings back, in order.
    pub fn answers(self, request: &Value) -> Vec<Value> {
        let messages = request["messages"].as_array().into_iter().flatten();
        let texts: Vec<String> = match self {
            Self::OpenAi | Self::Ollama => messages
                .filter(|message| message["role"] == "tool")
                .map(|message| text_of(&message["content"]))
                .collect(),
            Self::Anthropic => messages
                .flat_map(|message| message["content"].as_array().into_iter().flatten())
                .filter(|part| part["type"] == "tool_result")
                .map(|part| text_of(&part["content"]))
                .collect(),
        };
        texts
            .iter()
            .map(|text| serde_json::from_str(text).unwrap_or_else(|_| json!(text)))
            .collect()
    }
}

/// A content that is text, or parts with text.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}

/// Arguments as text: what is a string already is sent as it is.
fn as_text(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn openai(said: &Said) -> Value {
    let calls: Vec<Value> = said
        .calls
        .iter()
        .enumerate()
        .map(|(nth, (name, arguments))| {
            json!({
                "id": format!("tc-{nth}"), "type": "function",
                "function": { "name": name, "arguments": as_text(arguments) },
            })
        })
        .collect();
    let mut message = json!({ "role": "assistant", "content": said.text });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let mut reply = json!({
        "id": "cc-1", "object": "chat.completion", "created": 1, "model": "test-model",
        "choices": [{ "index": 0, "message": message, "finish_reason": said.stop }],
    });
    if let Some(tokens) = said.tokens {
        reply["usage"] = json!({
            "prompt_tokens": 100, "completion_tokens": tokens, "total_tokens": 100 + tokens,
        });
    }
    reply
}

fn anthropic(said: &Said) -> Value {
    let stop = match said.stop {
        "tool_calls" => "tool_use",
        "length" => "max_tokens",
        "content_filter" => "refusal",
        _ => "end_turn",
    };
    let mut content = Vec::new();
    if !said.text.is_empty() {
        content.push(json!({ "type": "text", "text": said.text }));
    }
    content.extend(said.calls.iter().enumerate().map(|(nth, (name, input))| {
        json!({ "type": "tool_use", "id": format!("tu_{nth}"), "name": name, "input": input })
    }));
    let usage = match said.tokens {
        Some(tokens) => json!({ "input_tokens": 100, "output_tokens": tokens }),
        None => json!({ "input_tokens": 100, "output_tokens": 0 }),
    };
    json!({
        "id": "msg-1", "type": "message", "role": "assistant", "model": "test-model",
        "content": content, "stop_reason": stop, "stop_sequence": null, "usage": usage,
    })
}

fn ollama(said: &Said) -> Value {
    let calls: Vec<Value> = said
        .calls
        .iter()
        .map(|(name, arguments)| json!({ "function": { "name": name, "arguments": arguments } }))
        .collect();
    let mut message = json!({ "role": "assistant", "content": said.text });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let stop = if said.stop == "length" {
        "length"
    } else {
        "stop"
    };
    let mut reply = json!({
        "model": "test-model", "created_at": "2026-01-01T00:00:00Z", "message": message,
        "done": true, "done_reason": stop,
    });
    if let Some(tokens) = said.tokens {
        reply["eval_count"] = tokens.into();
        reply["prompt_eval_count"] = 100.into();
    }
    reply
}
