//! A hook that reports each turn of a rig agent, and fences what its tools say.

use std::sync::{Arc, Mutex, PoisonError};

use harness_core::ErrorClass;
use harness_engine::Recorded;
use harness_engine::host::{HarnessSession, TaskTools, ToolOutcome, TurnReport};
use rig_agent::AgentHook;
use rig_agent::agent::{
    HookContext, InvalidToolCallAction, InvalidToolCallContext, InvalidToolCallReason,
    OutcomeAction, OutcomeEvent, RunSettled, RunStart, RunStartAction, StepEventKind,
};
use rig_core::error::{ErrorKind, ErrorReport};
use rig_core::message::{Message, ToolResultContent, UserContent};
use rig_core::tool::{ToolErrorKind, ToolOutput, ToolResult};
use serde_json::Value;

/// What a model sees where the system has no randomness to fence a result with.
const LEFT_OUT: &str = "[the result is left out: it could not be fenced]";

/// Reports each run of a rig agent as a turn of a conversation.
///
/// The user's words go to the model in a fence, and so does what each tool answers or fails with,
/// redacted and scanned; the report has both as they were. The four rule tools are left alone: what
/// a session asked them is no evidence of its failure. The turn is reported when its run settles,
/// or when it is dropped, whichever comes first.
///
/// It belongs last among an agent's hooks: what a later hook puts in the place of a result is
/// neither fenced nor reported.
#[derive(Clone)]
pub struct TurnHook {
    session: Arc<HarnessSession>,
}

impl TurnHook {
    /// A hook for the runs of this conversation.
    pub const fn new(session: Arc<HarnessSession>) -> Self {
        Self { session }
    }

    /// Adds to the report of the run, if it is one that this hook saw start.
    fn tell(context: &HookContext, add: impl FnOnce(&mut TurnReport)) {
        if let Some(turn) = context.scratchpad().get::<Arc<Turn>>() {
            turn.tell(add);
        }
    }

    fn fenced(&self, tool: &str, said: &str) -> String {
        self.session
            .wrap_result(tool, said)
            .unwrap_or_else(|_| LEFT_OUT.to_owned())
    }
}

/// A turn that is under way. Dropped, it is reported as far as it came.
struct Turn {
    session: Arc<HarnessSession>,
    report: Mutex<Option<TurnReport>>,
}

impl Turn {
    fn tell(&self, add: impl FnOnce(&mut TurnReport)) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(report) = report.as_mut() {
            add(report);
        }
    }

    /// Reports the turn, once.
    fn end(&self) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(report) = report.take().filter(|report| !report.is_empty()) {
            // A turn for which there is no room is in the journal.
            let (Recorded::Accepted | Recorded::Refused) = self.session.record_turn(report);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.end();
    }
}

impl AgentHook for TurnHook {
    async fn on_run_start(&self, context: &HookContext, event: RunStart<'_>) -> RunStartAction {
        let report = self.session.turn(&words(event.prompt));
        context.scratchpad().insert(Arc::new(Turn {
            session: Arc::clone(&self.session),
            report: Mutex::new(Some(report)),
        }));
        match fence_words(event.prompt, &self.session) {
            Some(prompt) => RunStartAction::rewrite(prompt),
            None => RunStartAction::stop("the system gives no random numbers"),
        }
    }

    async fn on_outcome(&self, context: &HookContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        let Some(tool) = event.tool_name() else {
            Self::tell(context, |report| model_said(report, &event));
            return OutcomeAction::proceed();
        };
        if TaskTools::has(tool) {
            return OutcomeAction::proceed();
        }
        let arguments = Value::String(event.tool_args().unwrap_or_default().to_owned());
        // What went through a guard is fenced.
        #[cfg(feature = "guard")]
        if let Some(told) = crate::guard::Told::in_context(event.tool_context()) {
            Self::tell(context, |report| {
                report.call(tool, &arguments, told.outcome());
            });
            return OutcomeAction::proceed();
        }
        let Some(result) = event.tool_result() else {
            let class = event
                .outcome
                .as_ref()
                .err()
                .map_or(ErrorClass::Other, class_of_report);
            let failed = ToolOutcome::Failed(class, "");
            Self::tell(context, |report| {
                report.call(tool, &arguments, failed);
            });
            return OutcomeAction::proceed();
        };
        let said = text(result.output());
        Self::tell(context, |report| {
            report.call(tool, &arguments, outcome(result, &said));
        });
        // A call that another hook kept from its tool: its words are the host's.
        if result.is_skipped() {
            return OutcomeAction::proceed();
        }
        let mut content = vec![ToolResultContent::text(self.fenced(tool, &said))];
        let images = result.output().as_content().iter();
        content.extend(
            images
                .filter(|part| matches!(part, ToolResultContent::Image(_)))
                .cloned(),
        );
        match ToolOutput::content(content) {
            Ok(output) => OutcomeAction::rewrite_tool_output(&event, output),
            Err(_) => OutcomeAction::rewrite_tool_result(&event, LEFT_OUT),
        }
    }

    async fn on_invalid_tool_call(
        &self,
        context: &HookContext,
        event: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        let class = match event.reason {
            InvalidToolCallReason::UnknownTool => ErrorClass::UnknownTool,
            InvalidToolCallReason::DisallowedByToolChoice => ErrorClass::PermissionDenied,
            _ => ErrorClass::MalformedCall,
        };
        let arguments = Value::String(event.args.clone().unwrap_or_default());
        Self::tell(context, |report| {
            report.call(&event.tool_name, &arguments, ToolOutcome::Failed(class, ""));
        });
        None
    }

    async fn on_run_settled(&self, context: &HookContext, _event: RunSettled<'_>) {
        if let Some(turn) = context.scratchpad().get::<Arc<Turn>>() {
            turn.end();
        }
    }

    fn observes(&self, kind: StepEventKind) -> bool {
        matches!(
            kind,
            StepEventKind::RunStart
                | StepEventKind::RunSettled
                | StepEventKind::InvalidToolCall
                | StepEventKind::CompletionDispatch
                | StepEventKind::ToolDispatch
        )
    }
}

/// What the model said, with the tokens it took; or that it said nothing, and why.
fn model_said(report: &mut TurnReport, event: &OutcomeEvent<'_>) {
    if let Some(response) = event.completion() {
        let said = response.text();
        if !said.trim().is_empty() {
            report.reply(&said);
            let usage = response.usage;
            if let Some(tokens) = usage.total_tokens.or(usage.output_tokens) {
                report.tokens(tokens);
            }
        }
    } else if let Err(error) = event.outcome {
        report.no_reply(class_of_report(error));
    }
}

fn outcome<'a>(result: &ToolResult, said: &'a str) -> ToolOutcome<'a> {
    match result.error() {
        Some(error) => ToolOutcome::Failed(class(error.kind()), said),
        None if result.is_success() => ToolOutcome::Answered(said),
        None => ToolOutcome::Unanswered,
    }
}

pub(crate) const fn class(kind: ToolErrorKind) -> ErrorClass {
    match kind {
        ToolErrorKind::InvalidArgs => ErrorClass::InvalidArgument,
        ToolErrorKind::Timeout => ErrorClass::Timeout,
        ToolErrorKind::NotFound => ErrorClass::NotFound,
        ToolErrorKind::PermissionDenied => ErrorClass::PermissionDenied,
        ToolErrorKind::RateLimited => ErrorClass::RateLimited,
        ToolErrorKind::Provider | ToolErrorKind::Network => ErrorClass::Unavailable,
        ToolErrorKind::Cancelled | ToolErrorKind::Other => ErrorClass::Other,
    }
}

fn class_of_report(report: &ErrorReport) -> ErrorClass {
    match (report.kind, report.http_status) {
        (_, Some(429)) => ErrorClass::RateLimited,
        (_, Some(401 | 403)) => ErrorClass::Unauthenticated,
        (ErrorKind::Tool(kind), _) => class(kind),
        (ErrorKind::Timeout, _) => ErrorClass::Timeout,
        (ErrorKind::Http | ErrorKind::Provider, _) | (_, Some(500..=599)) => {
            ErrorClass::Unavailable
        }
        (ErrorKind::HandlerUnavailable, _) => ErrorClass::UnknownTool,
        (ErrorKind::Denied, _) => ErrorClass::PermissionDenied,
        _ => ErrorClass::Other,
    }
}

/// The words in a tool's output, as its model would read them.
pub(crate) fn text(output: &ToolOutput) -> String {
    let parts: Vec<String> = output
        .as_content()
        .iter()
        .filter_map(|part| match part {
            ToolResultContent::Text(text) => Some(text.text().to_owned()),
            ToolResultContent::Json { value } => Some(value.to_string()),
            ToolResultContent::Image(_) => None,
        })
        .collect();
    parts.join("\n")
}

/// The words in a prompt.
pub(crate) fn words(prompt: &Message) -> String {
    let Message::User { content } = prompt else {
        return String::new();
    };
    let parts: Vec<&str> = content
        .iter()
        .filter_map(|part| match part {
            UserContent::Text(text) => Some(text.text()),
            _ => None,
        })
        .collect();
    parts.join("\n")
}

/// The prompt with its words in fences; `None` without randomness.
fn fence_words(prompt: &Message, session: &HarnessSession) -> Option<Message> {
    let Message::User { content } = prompt else {
        return Some(prompt.clone());
    };
    let fenced = content
        .iter()
        .map(|part| match part {
            UserContent::Text(text) => {
                let fenced = session.wrap_user(text.text()).ok()?;
                Some(UserContent::text(fenced.as_str()))
            }
            other => Some(other.clone()),
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Message::User { content: fenced })
}
