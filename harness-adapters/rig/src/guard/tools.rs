//! Rig's tools as the guard runs them, and the guard's tools as rig calls them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use harness_core::ErrorClass;
use harness_guard::{
    Executor, Outcome, Permitted, RegistryError, ToolCall, ToolFailure, ToolSpec, Tools,
};
use rig_core::message::{ToolName, ToolResultContent};
use rig_core::tool::{
    DynamicTool, ErasedTool, Tool, ToolContext, ToolErrorKind, ToolExecutionError, ToolOutput,
    tool_definition,
};
use serde_json::Value;
use tokio::sync::watch;

use super::{RigGuard, Told};
use crate::hook::{class, text};

/// What stands for an image that a tool answered: nobody has looked at what is in it.
const NO_IMAGE: &str = "[an image is left out]";

/// Tools of rig, each with what its host declares of it.
///
/// Name, description and schema are the tool's own. A tool of which nothing more is declared
/// executes, and a person is asked about every call.
///
/// ```
/// # use harness_rig::guard::RigTools;
/// # use harness_rig::guard::harness_guard::{ArgumentKind, Effect, RegistryError, Tools};
/// # use rig_core::tool::DynamicTool;
/// # fn f(read_file: DynamicTool, run: DynamicTool) -> Result<Tools, RegistryError> {
/// let tools = RigTools::new()
///     .dynamic_tool(read_file, |tool| {
///         tool.effect(Effect::Read).argument("path", ArgumentKind::Path)
///     })?
///     .dynamic_tool(run, |tool| tool)?;
/// # Ok(tools.into_tools())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct RigTools(Tools);

impl RigTools {
    /// No tool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool, with what `declare` says of it.
    ///
    /// # Errors
    /// See [`RegistryError`].
    pub fn tool<T: Tool + 'static>(
        self,
        tool: T,
        declare: impl FnOnce(ToolSpec) -> ToolSpec,
    ) -> Result<Self, RegistryError> {
        let (about, tool) = (tool_definition(&tool), Arc::new(tool));
        let tool = DynamicTool::new_with_context(
            about.name,
            about.description,
            about.parameters,
            move |context, arguments: Value| {
                let tool = Arc::clone(&tool);
                Box::pin(async move {
                    let result = tool.execute(arguments.to_string(), context).await;
                    result.into_result()
                })
            },
        );
        self.dynamic_tool(tool, declare)
    }

    /// Adds a tool that is defined at run time, with what `declare` says of it.
    ///
    /// # Errors
    /// See [`RegistryError`].
    pub fn dynamic_tool(
        self,
        tool: DynamicTool,
        declare: impl FnOnce(ToolSpec) -> ToolSpec,
    ) -> Result<Self, RegistryError> {
        let about = tool.definition();
        let spec = ToolSpec::new(about.name.as_str(), about.parameters);
        let spec = declare(spec.description(about.description));
        self.0.add(spec, Guarded(tool)).map(Self)
    }

    /// The tools, for [`GuardSetup`](harness_guard::GuardSetup).
    pub fn into_tools(self) -> Tools {
        self.0
    }
}

/// The call as it was permitted, for a tool that is called through a guard.
///
/// A tool opens the file that [`Permitted::path`] holds and fetches from where [`Permitted::url`]
/// says. One that takes the path out of its arguments and opens that can be led elsewhere by
/// whoever changes the folder meanwhile.
pub fn permitted(context: &ToolContext) -> Option<Arc<Permitted>> {
    context.scope()
}

/// A tool of rig that the guard runs.
struct Guarded(DynamicTool);

#[async_trait]
impl Executor for Guarded {
    async fn run(&self, call: Permitted) -> Result<String, ToolFailure> {
        let arguments = Value::Object(call.arguments().clone());
        let mut context = ToolContext::new().with_scope(Arc::new(call));
        match self.0.execute_with(&mut context, arguments).await {
            Ok(output) => Ok(words(&output)),
            Err(error) => Err(ToolFailure::of(
                class(error.kind()),
                words(error.model_output()),
            )),
        }
    }
}

fn words(output: &ToolOutput) -> String {
    let mut words = text(output);
    for part in output.as_content() {
        if matches!(part, ToolResultContent::Image(_)) {
            words.push('\n');
            words.push_str(NO_IMAGE);
        }
    }
    words
}

impl RigGuard {
    /// The guarded tools, for an agent: all of them, whatever the phase. Its
    /// [hook](RigGuard::hook) shows its model those that the phase admits.
    pub fn tools(&self) -> Vec<DynamicTool> {
        let schemas = self.guard().tools().schemas();
        schemas
            .into_iter()
            .filter_map(|mut schema| {
                let name = schema.get("name")?.as_str()?.to_owned();
                let description = schema.get("description")?.as_str()?.to_owned();
                let parameters = schema.get_mut("parameters")?.take();
                let guard = self.clone();
                let rig_name = ToolName::new(name.clone()).ok()?;
                Some(DynamicTool::new_with_context(
                    rig_name,
                    description,
                    parameters,
                    move |context, arguments: Value| {
                        let (guard, name) = (guard.clone(), name.clone());
                        let arguments = arguments.to_string();
                        Box::pin(async move { guard.call_for_rig(context, name, arguments).await })
                    },
                ))
            })
            .collect()
    }

    async fn call_for_rig(
        &self,
        context: &mut ToolContext,
        name: String,
        arguments: String,
    ) -> Result<ToolOutput, ToolExecutionError> {
        let outcome = self.call(name, arguments).await;
        let told = context.insert_result(Told::of(&outcome));
        match outcome {
            // Without the report of what it said, the turn's would be of its fence.
            _ if told.is_err() => Err(ToolExecutionError::other("the call cannot be reported")),
            Outcome::Ran(answer) => Ok(ToolOutput::text(answer.text())),
            Outcome::Failed(class, answer) => {
                let error = ToolExecutionError::new(kind(class), answer.said().as_str());
                Err(error.with_model_feedback(answer.text()))
            }
            Outcome::Refused(refusal) => Err(ToolExecutionError::refused(refusal.to_string())
                .with_code(refusal.denial.name())
                .with_model_output(ToolOutput::json(refusal.to_json()))),
        }
    }

    /// The one way to a tool.
    pub(super) async fn call(&self, name: String, arguments: String) -> Outcome {
        /// Numbers of calls: what names one to whoever pairs it with its answer is rig's.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let _in_flight = InFlight::enter(&self.inner.in_flight);
        let call = ToolCall {
            id: NUMBER.fetch_add(1, Ordering::Relaxed).to_string(),
            name,
            arguments,
        };
        self.guard().call(&self.context(), call).await
    }
}

/// A call that goes on.
struct InFlight<'a>(&'a watch::Sender<usize>);

impl<'a> InFlight<'a> {
    fn enter(calls: &'a watch::Sender<usize>) -> Self {
        calls.send_modify(|calls| *calls += 1);
        Self(calls)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|calls| *calls -= 1);
    }
}

const fn kind(class: ErrorClass) -> ToolErrorKind {
    match class {
        ErrorClass::InvalidArgument | ErrorClass::MissingArgument | ErrorClass::MalformedCall => {
            ToolErrorKind::InvalidArgs
        }
        ErrorClass::Timeout => ToolErrorKind::Timeout,
        ErrorClass::NotFound | ErrorClass::UnknownTool => ToolErrorKind::NotFound,
        ErrorClass::PermissionDenied | ErrorClass::Unauthenticated => {
            ToolErrorKind::PermissionDenied
        }
        ErrorClass::RateLimited => ToolErrorKind::RateLimited,
        ErrorClass::Unavailable => ToolErrorKind::Network,
        _ => ToolErrorKind::Other,
    }
}
