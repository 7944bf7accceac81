//! What runs a tool: the host's part.

use std::future::Future;

use async_trait::async_trait;
use harness_core::ErrorClass;

use crate::permit::Permitted;

/// What is said of a tool that panicked.
pub(crate) const PANICKED: &str = "the tool panicked";

/// A tool failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFailure {
    /// In which way.
    pub class: ErrorClass,
    /// What it says, in its own words. They are untrusted, like any answer of a tool.
    pub said: String,
}

impl ToolFailure {
    /// A failure of no class that there is a name for.
    pub fn new(said: impl Into<String>) -> Self {
        Self::of(ErrorClass::Other, said)
    }

    /// A failure of this class.
    pub fn of(class: ErrorClass, said: impl Into<String>) -> Self {
        Self {
            class,
            said: said.into(),
        }
    }
}

/// Runs one tool. It is handed a [`Permitted`] call, which only the checks make.
#[async_trait]
pub trait Executor: Send + Sync {
    /// Runs the call. It is dropped where it stands when its time is up or the session is aborted;
    /// what it does on another thread looks at [`Permitted::abort`].
    ///
    /// # Errors
    /// What the model is told instead of an answer.
    async fn run(&self, call: Permitted) -> Result<String, ToolFailure>;
}

/// A tool that is an async closure.
pub fn from_async<F, R>(run: F) -> impl Executor
where
    F: Fn(Permitted) -> R + Send + Sync,
    R: Future<Output = Result<String, ToolFailure>> + Send,
{
    Async(run)
}

/// A tool that is a plain closure. It runs on a thread for work that blocks, which nothing can
/// stop: its answer is dropped once its time is up, and a long one looks at [`Permitted::abort`].
pub fn from_fn<F>(run: F) -> impl Executor
where
    F: Fn(Permitted) -> Result<String, ToolFailure> + Send + Sync + 'static,
{
    Blocking(std::sync::Arc::new(run))
}

struct Async<F>(F);

#[async_trait]
impl<F, R> Executor for Async<F>
where
    F: Fn(Permitted) -> R + Send + Sync,
    R: Future<Output = Result<String, ToolFailure>> + Send,
{
    async fn run(&self, call: Permitted) -> Result<String, ToolFailure> {
        (self.0)(call).await
    }
}

struct Blocking<F>(std::sync::Arc<F>);

#[async_trait]
impl<F> Executor for Blocking<F>
where
    F: Fn(Permitted) -> Result<String, ToolFailure> + Send + Sync + 'static,
{
    async fn run(&self, call: Permitted) -> Result<String, ToolFailure> {
        let run = std::sync::Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || run(call))
            .await
            .unwrap_or_else(|_| Err(ToolFailure::new(PANICKED)))
    }
}
