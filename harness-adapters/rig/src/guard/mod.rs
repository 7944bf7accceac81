//! Rig tools behind a guard: a call runs only if everything allows it.
//!
//! A host puts its tools into [`RigTools`] and says of each what it does; what it says nothing of
//! executes, and asks a person each time. A [`RigGuard`] then gives an agent tools that go through
//! [`Guard::call`], and hooks that show its model what the phase admits and no more, count its
//! turns, fit its conversation, and pay for its answers.
//!
//! [`HarnessAgentBuilder::guarded`](crate::HarnessAgentBuilder::guarded) takes one. So does any
//! agent of rig:
//!
//! ```
//! # use harness_rig::guard::RigGuard;
//! # use rig_agent::AgentBuilder;
//! # fn f(guard: RigGuard, model: impl Into<rig_core::DynModel<rig_core::operation::Completion>>) {
//! let agent = AgentBuilder::new(model)
//!     .dynamic_tools(guard.tools())
//!     .add_hook(guard.hook())
//!     .build();
//! # }
//! ```

mod hook;
mod messages;
mod told;
mod tools;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use harness_guard::{CallContext, Guard, ModelRequest, Phase, Stop};
use tokio::sync::watch;

pub use harness_guard;
pub use tools::{RigTools, permitted};

pub(crate) use hook::{Admitting, Refusing};
pub(crate) use told::Told;

/// How long calls in flight have to be gone after an abort; the guard ends each sooner.
const ENDING: Duration = Duration::from_secs(5);

/// The guard of one rig agent: its tools, its phase, and the model that it may ask. Clones are the
/// same guard.
///
/// One run goes on at a time: what a call is compared with is what the user asked for last.
#[derive(Clone)]
pub struct RigGuard {
    inner: Arc<Inner>,
    /// Whether the four tools that read rules stand beside the guarded ones.
    rule_tools: bool,
}

struct Inner {
    guard: Guard,
    model: ModelRequest,
    context: Mutex<CallContext>,
    stopped: Mutex<Option<Stop>>,
    in_flight: watch::Sender<usize>,
}

impl RigGuard {
    /// A guard in its first phase, for an agent that asks this model: under a name that has a price,
    /// for as many tokens as are written here, and not more.
    pub fn new(guard: Guard, phase: Phase, model: ModelRequest) -> Self {
        Self {
            inner: Arc::new(Inner {
                guard,
                model,
                context: Mutex::new(CallContext::new(phase, "")),
                stopped: Mutex::new(None),
                in_flight: watch::Sender::new(0),
            }),
            rule_tools: false,
        }
    }

    /// Lets the four tools of [`task_tools`](crate::task_tools) stand beside the guarded ones: they
    /// read rules, and there is nothing in them to guard. [`HarnessAgent`](crate::HarnessAgent)
    /// does this by itself.
    #[must_use]
    pub const fn with_rule_tools(mut self) -> Self {
        self.rule_tools = true;
        self
    }

    /// The guard: to abort, to see what was spent, to end the session.
    pub fn guard(&self) -> &Guard {
        &self.inner.guard
    }

    /// Enters another phase: it holds for the next call of a tool and the next question to the model.
    pub fn enter(&self, phase: Phase) {
        held(&self.inner.context).phase = phase;
    }

    /// The agent's own plan, where it has one: what a call is compared with, and what a person
    /// approves.
    pub fn plan(&self, plan: impl Into<String>) {
        held(&self.inner.context).plan = plan.into();
    }

    /// Why the guard stopped a run, if it stopped the last one.
    pub fn stopped(&self) -> Option<Stop> {
        held(&self.inner.stopped).clone()
    }

    /// Waits until the session is aborted and no call is in flight any more.
    pub(crate) async fn aborted(&self) {
        self.guard().abort().signal().aborted().await;
        let mut in_flight = self.inner.in_flight.subscribe();
        // The guard ends them; one that blocks its thread is not waited for.
        let _ = tokio::time::timeout(ENDING, in_flight.wait_for(|calls| *calls == 0)).await;
    }

    fn context(&self) -> CallContext {
        held(&self.inner.context).clone()
    }

    /// A run begins: the user said this.
    fn asked_for(&self, goal: &str) {
        goal.clone_into(&mut held(&self.inner.context).goal);
        *held(&self.inner.stopped) = None;
    }

    /// Keeps why a run is stopped, and says it.
    fn stop(&self, stop: Stop) -> String {
        let said = stop.to_json().to_string();
        *held(&self.inner.stopped) = Some(stop);
        said
    }

    fn has(&self, tool: &str) -> bool {
        self.guard().tools().names().any(|name| name == tool)
    }
}

impl std::fmt::Debug for RigGuard {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "RigGuard({:?})", self.inner.guard)
    }
}

/// A panic elsewhere leaves whole values behind.
fn held<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
