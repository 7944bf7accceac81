//! A model that says what a script says: the one mock, at the port to something not ours.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness_core::{CleanString, CleanText, Untrusted};
use harness_repair::{
    Exchange, ModelCall, ModelError, ModelReply, ModelRequest, RepairModel, StopReason,
};
use serde_json::{Value, json};

/// What the model does at one turn.
#[derive(Clone)]
pub(crate) enum Line {
    /// Calls tools; `None` tokens are "not reported".
    Calls(Vec<(&'static str, String)>, Option<u64>),
    Says(&'static str, StopReason),
    Fails(ModelError),
    Hangs,
}

/// One call.
pub(crate) fn calls(tool: &'static str, arguments: Value) -> Line {
    Line::Calls(vec![(tool, arguments.to_string())], Some(20))
}

/// Adds a rule of this text.
pub(crate) fn adds(rule: &str) -> Line {
    calls(
        "harness_rule_add",
        json!({ "rule": rule, "rationale": "it failed" }),
    )
}

pub(crate) fn acks() -> Line {
    calls("harness_notice_ack", json!({}))
}

pub(crate) fn resolves(how: &str) -> Line {
    calls("harness_notice_resolve", json!({ "resolution": how }))
}

pub(crate) struct Scripted {
    lines: Mutex<VecDeque<Line>>,
    seen: Mutex<Vec<Seen>>,
}

/// What the model was given at one turn.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) prompt: String,
    pub(crate) answers: Vec<Value>,
    pub(crate) answer_bytes: usize,
    pub(crate) max_output_tokens: u64,
}

impl Scripted {
    /// Goes through the lines; after the last it hangs.
    pub(crate) fn new(lines: impl IntoIterator<Item = Line>) -> Arc<Self> {
        Arc::new(Self {
            lines: Mutex::new(lines.into_iter().collect()),
            seen: Mutex::default(),
        })
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The answers of the last request.
    pub(crate) fn answers(&self) -> Vec<Value> {
        self.seen().last().unwrap().answers.clone()
    }

    /// The errors among them.
    pub(crate) fn errors(&self) -> Vec<String> {
        self.answers()
            .iter()
            .filter_map(|answer| Some(answer["error"].as_str()?.to_owned()))
            .collect()
    }
}

#[async_trait]
impl RepairModel for Scripted {
    fn name(&self) -> CleanString {
        CleanText::new("scripted").unwrap()
    }

    async fn reply(&self, request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let contents: Vec<&str> = request
            .exchange
            .iter()
            .filter_map(|step| match step {
                Exchange::Answers(answers) => Some(answers),
                _ => None,
            })
            .flatten()
            .map(|answer| answer.content.as_str())
            .collect();
        self.seen.lock().unwrap().push(Seen {
            prompt: request.prompt.render(),
            answers: contents
                .iter()
                .map(|text| serde_json::from_str(text).unwrap())
                .collect(),
            answer_bytes: contents.iter().map(|text| text.len()).sum(),
            max_output_tokens: request.max_output_tokens,
        });
        let line = self.lines.lock().unwrap().pop_front();
        let (text, calls, output_tokens, stop) = match line {
            Some(Line::Calls(calls, tokens)) => ("", calls, tokens, StopReason::Complete),
            Some(Line::Says(text, stop)) => (text, Vec::new(), Some(20), stop),
            Some(Line::Fails(error)) => return Err(error),
            Some(Line::Hangs) | None => std::future::pending().await,
        };
        Ok(ModelReply {
            text: Untrusted::new(text.to_owned()),
            calls: calls
                .into_iter()
                .map(|(tool, arguments)| ModelCall {
                    id: Untrusted::new("call".to_owned()),
                    name: Untrusted::new(tool.to_owned()),
                    arguments: Untrusted::new(arguments),
                })
                .collect(),
            output_tokens,
            stop,
        })
    }
}
