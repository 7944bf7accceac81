//! The built-in model: offline, free, deterministic. It sees what any model sees and uses the same
//! tools: it reads the notices, inspects the flagged traces, looks for a rule that covers what it
//! finds, and adds one or resolves without.

mod advice;
mod conversation;
mod endings;
mod facts;
mod failures;
mod lesson;
mod names;

use async_trait::async_trait;
use harness_core::{CleanString, CleanText, Untrusted};

use crate::model::{ModelCall, ModelError, ModelReply, ModelRequest, RepairModel, StopReason};

/// Ours: no network, no cost, no memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltinModel;

impl BuiltinModel {
    /// The name in results and events.
    pub const NAME: &'static str = "builtin";

    /// The model.
    pub const fn new() -> Self {
        Self
    }
}

#[async_trait]
impl RepairModel for BuiltinModel {
    fn name(&self) -> CleanString {
        CleanText::new(Self::NAME).unwrap_or_default()
    }

    async fn reply(&self, request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let calls = conversation::next(request.exchange)
            .into_iter()
            .zip(1..)
            .map(|((tool, arguments), number)| ModelCall {
                id: Untrusted::new(format!("call-{}-{number}", request.exchange.len())),
                name: Untrusted::new(tool.to_owned()),
                arguments: Untrusted::new(arguments.to_string()),
            })
            .collect();
        Ok(ModelReply {
            text: Untrusted::new(String::new()),
            calls,
            // It writes no tokens of anybody's.
            output_tokens: Some(0),
            stop: StopReason::Complete,
        })
    }
}
