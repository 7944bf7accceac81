//! A rig agent in a conversation of the harness.

use std::collections::VecDeque;
use std::sync::Arc;

use harness_engine::Settled;
use harness_engine::host::{Conversation, HarnessSession, HostHarness, StartError};
use harness_repair::ModelError;
use harness_sanitize::TRUST_BOUNDARIES;
use rig_agent::agent::{
    HookContext, InvalidToolCallAction, InvalidToolCallContext, InvalidToolCallReason,
    StepEventKind, WithBuilderTools,
};
use rig_agent::completion::PromptError;
use rig_agent::{Agent, AgentBuilder, AgentHook};
use rig_core::DynModel;
use rig_core::message::Message;
use rig_core::operation::Completion;
use rig_core::tool::{DynamicTool, Tool};
use tokio::task::JoinHandle;

use crate::failure;
#[cfg(feature = "guard")]
use crate::guard::{Admitting, Refusing, RigGuard};
use crate::hook::TurnHook;
use crate::tools::task_tools;

/// Model calls of one turn, unless the host says otherwise.
const MODEL_CALLS: usize = 12;
/// Turns that the model is shown again; a session has no more.
const MAX_TURNS_SHOWN: usize = 20;
/// Names of tools that a correction lists.
const MAX_LISTED: usize = 32;

/// Why a turn brought no reply. What happened of it is reported, and the conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// The model's provider, or the way to it.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The model asked for more and more. The model's fault, or the host's bound is too low.
    #[error("the turn used up its {max} model calls")]
    ModelCalls {
        /// The bound.
        max: usize,
    },
    /// A tool panicked. The host's fault.
    #[error("a tool panicked")]
    Panicked,
    /// A hook, or the end of the runtime, stopped the run. A guard says why.
    #[error("the run was stopped")]
    Stopped,
    /// The session was aborted: what was under way has ended, and nothing more begins.
    #[error("the session was aborted")]
    Aborted,
    /// The run failed in another way.
    #[error("the run failed")]
    Failed,
}

/// A rig agent whose conversation is watched.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use harness_rig::{Conversation, HarnessAgent, HostHarness, RigRepairModel, Setup};
/// # use rig_core::tool::Tool;
/// # async fn f(setup: Setup, read_file: impl Tool + 'static) -> Result<(), Box<dyn std::error::Error>> {
/// let model = RigRepairModel::from_spec("openai/gpt-5-mini", std::env::vars())?.into_inner();
/// let harness = HostHarness::open(setup).await?;
/// let conversation = Conversation::new("desk-1", "You answer from the files of a folder.");
/// let mut agent = HarnessAgent::start(&harness, conversation, model)
///     .await?
///     .tool(read_file)
///     .build();
/// println!("{}", agent.prompt("What is in the plan?").await?);
/// let settled = agent.finish().await;
/// # drop(settled);
/// # Ok(())
/// # }
/// ```
pub struct HarnessAgent {
    agent: Agent,
    session: Arc<HarnessSession>,
    /// What was said in the last turns, each whole: a call never goes without its result.
    said: VecDeque<Vec<Message>>,
    model_calls: usize,
    #[cfg(feature = "guard")]
    guard: Option<RigGuard>,
}

/// A [`HarnessAgent`] that gets its tools.
pub struct HarnessAgentBuilder {
    agent: AgentBuilder<WithBuilderTools>,
    session: Arc<HarnessSession>,
    model_calls: usize,
    #[cfg(feature = "guard")]
    guard: Option<RigGuard>,
}

impl HarnessAgent {
    /// Starts a conversation whose agent is this model, with the conversation's system prompt, what
    /// the fences mean, and the four tools that read rules.
    ///
    /// # Errors
    /// See [`StartError`]; a secret in the system prompt is one, and then nothing began.
    pub async fn start(
        harness: &HostHarness,
        conversation: Conversation<'_>,
        model: impl Into<DynModel<Completion>>,
    ) -> Result<HarnessAgentBuilder, StartError> {
        let preamble = [
            conversation.system_prompt,
            TRUST_BOUNDARIES,
            HarnessSession::task_preamble(),
        ]
        .join("\n\n");
        let session = Arc::new(harness.start(conversation).await?);
        let agent = AgentBuilder::new(model)
            .preamble(preamble)
            .dynamic_tools(task_tools(&session));
        Ok(HarnessAgentBuilder {
            agent,
            session,
            model_calls: MODEL_CALLS,
            #[cfg(feature = "guard")]
            guard: None,
        })
    }

    /// Works one turn: the user says this, and the agent replies. The turn is reported whatever
    /// becomes of it; if this future is dropped, the run ends, and is reported as far as it came.
    ///
    /// # Errors
    /// See [`AgentError`]. What a failed turn said is not shown to the model again.
    pub async fn prompt(&mut self, user: &str) -> Result<String, AgentError> {
        let history: Vec<Message> = self.said.iter().flatten().cloned().collect();
        let run = self
            .agent
            .prompt(user)
            .history(history)
            .max_turns(self.model_calls)
            .run();
        // A task of its own, so that a panic ends there.
        let mut run = Running(tokio::spawn(run));
        let ended = tokio::select! {
            biased;
            ended = &mut run.0 => ended,
            () = self.aborted() => return Err(AgentError::Aborted),
        };
        let response = match ended {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.failure(&error)),
            Err(lost) if lost.is_panic() => return Err(AgentError::Panicked),
            Err(_) => return Err(AgentError::Stopped),
        };
        let reply = response.output();
        self.said.push_back(response.messages);
        if self.said.len() > MAX_TURNS_SHOWN {
            self.said.pop_front();
        }
        Ok(reply)
    }

    /// The conversation, for settling it while it goes on.
    pub fn session(&self) -> &HarnessSession {
        &self.session
    }

    /// Ends the conversation and waits for what came of it: evaluation, notices, and one bounded
    /// repair attempt where one is due. What guards it ends first: a person may have back the files
    /// that were changed.
    pub async fn finish(self) -> Settled {
        #[cfg(feature = "guard")]
        let unaudited = match &self.guard {
            Some(guard) => guard.guard().end().await.err(),
            None => None,
        };
        let Self { agent, session, .. } = self;
        drop(agent);
        session.end();
        #[cfg_attr(not(feature = "guard"), expect(unused_mut))]
        let mut settled = session.settle().await;
        #[cfg(feature = "guard")]
        settled
            .failures
            .extend(unaudited.map(|error| error.to_string()));
        settled
    }

    /// Waits until the session is aborted; where nothing guards it, for ever.
    async fn aborted(&self) {
        #[cfg(feature = "guard")]
        if let Some(guard) = &self.guard {
            return guard.aborted().await;
        }
        std::future::pending().await
    }

    fn is_aborted(&self) -> bool {
        #[cfg(feature = "guard")]
        if let Some(guard) = &self.guard {
            return guard.guard().abort().signal().is_aborted();
        }
        false
    }

    fn failure(&self, error: &PromptError) -> AgentError {
        match error {
            PromptError::Provider(error) => AgentError::Model(failure::kind(error)),
            PromptError::Report(report) => {
                failure::kind_of_report(report).map_or(AgentError::Failed, AgentError::Model)
            }
            PromptError::MaxTurns { .. } => AgentError::ModelCalls {
                max: self.model_calls,
            },
            PromptError::Cancelled { .. } if self.is_aborted() => AgentError::Aborted,
            PromptError::Cancelled { .. } => AgentError::Stopped,
            _ => AgentError::Failed,
        }
    }
}

impl HarnessAgentBuilder {
    /// Gives the agent a tool.
    #[must_use]
    pub fn tool<T: Tool + 'static>(mut self, tool: T) -> Self {
        self.agent = self.agent.tool(tool);
        self
    }

    /// Gives the agent a tool that is defined at run time.
    #[must_use]
    pub fn dynamic_tool(mut self, tool: DynamicTool) -> Self {
        self.agent = self.agent.dynamic_tool(tool);
        self
    }

    /// Output tokens of one reply at most.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u64) -> Self {
        self.agent = self.agent.max_tokens(tokens);
        self
    }

    /// Sampling temperature; unset leaves it to the provider.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.agent = self.agent.temperature(temperature);
        self
    }

    /// Model calls of one turn at most; 12 unless set.
    #[must_use]
    pub const fn model_calls(mut self, max: usize) -> Self {
        self.model_calls = max;
        self
    }

    /// Guards the agent: its guarded tools are those of `guard`, and no other is called but the four
    /// that read rules, whatever else the agent was given.
    #[cfg(feature = "guard")]
    #[must_use]
    pub fn guarded(mut self, guard: RigGuard) -> Self {
        self.guard = Some(guard.with_rule_tools());
        self
    }

    /// The agent.
    pub fn build(self) -> HarnessAgent {
        let hook = TurnHook::new(Arc::clone(&self.session));
        #[cfg(not(feature = "guard"))]
        let agent = self.agent.add_hook(hook);
        #[cfg(feature = "guard")]
        let agent = match &self.guard {
            // Last among the tools, so that none of the host's stands in the place of a guarded one.
            Some(guard) => self
                .agent
                .dynamic_tools(guard.tools())
                .add_hook(Admitting {
                    guard: guard.clone(),
                    fences: false,
                })
                .add_hook(hook)
                .add_hook(Refusing(guard.clone())),
            None => self.agent.add_hook(hook),
        };
        HarnessAgent {
            agent: agent.add_hook(Correcting).build(),
            session: self.session,
            said: VecDeque::new(),
            model_calls: self.model_calls,
            #[cfg(feature = "guard")]
            guard: self.guard,
        }
    }
}

/// A run that ends with whoever waits for it.
struct Running<T>(JoinHandle<T>);

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Tells a model that called a tool which is not there, where rig would end the run.
struct Correcting;

impl AgentHook for Correcting {
    async fn on_invalid_tool_call(
        &self,
        _context: &HookContext,
        event: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        Some(InvalidToolCallAction::skip(match event.reason {
            InvalidToolCallReason::MalformedArguments { .. } => {
                "the arguments of a call are one JSON object".to_owned()
            }
            _ => {
                let names = event.allowed_tools.iter().take(MAX_LISTED);
                let names: Vec<&str> = names.map(String::as_str).collect();
                format!("no tool has that name; there are: {}", names.join(", "))
            }
        }))
    }

    fn observes(&self, kind: StepEventKind) -> bool {
        kind == StepEventKind::InvalidToolCall
    }
}
