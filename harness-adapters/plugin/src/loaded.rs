//! A plugin that is loaded, for good.

use std::io;
use std::time::Duration;

use async_trait::async_trait;
use harness_core::CleanString;
use harness_engine::{EvaluationError, Lost};
use harness_sanitize::Intake;
use serde_json::{Value, json};

use crate::abi::{self, Called, MAX_ANSWER, TableError};
use crate::answer::{self, Declared, MAX_REASON, clean};
use crate::file::{Pin, PinnedFile};
use crate::plugged::{Plugged, sealed::Sealed};
use crate::worker::{Busy, Worker};

/// How long a plugin may take to say what it is.
const DESCRIBES_WITHIN: Duration = Duration::from_secs(10);

/// Digits of a plugin's pin that are part of its version: another file is another evaluator.
const PIN_DIGITS: usize = 16;

/// Why a pinned file is no plugin. The plugin's fault, but for what the system refuses.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It exports no table of this ABI.
    #[error("the plugin cannot be loaded: {0}")]
    Table(#[from] TableError),
    /// There is no thread for it.
    #[error("the plugin gets no thread: {0}")]
    Thread(io::Error),
    /// It does not say what it is.
    #[error("the plugin does not say what it is: {0}")]
    Undescribed(CleanString),
    /// The runtime is shutting down.
    #[error(transparent)]
    Lost(#[from] Lost),
}

/// A plugin. Its library stays loaded to the end of the process, whatever becomes of this value.
pub struct LoadedPlugin {
    worker: Worker,
    intake: Intake,
    declared: Declared,
    pin: Pin,
}

impl LoadedPlugin {
    /// Loads what was pinned, and asks it what it is. Every text of it goes through `intake`.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub async fn load(file: PinnedFile, intake: Intake) -> Result<Self, LoadError> {
        let pin = file.pin();
        let functions = tokio::task::spawn_blocking(move || abi::load(file))
            .await
            .map_err(|_| Lost)??;
        let worker = Worker::start(functions).map_err(LoadError::Thread)?;
        let asked = json!({ "do": "describe" });
        let said = tokio::time::timeout(DESCRIBES_WITHIN, ask(&worker, &intake, &asked))
            .await
            .unwrap_or_else(|_| Err(unavailable("it gives no answer")));
        let described = said.and_then(|said| {
            answer::declared(&said, &intake)
                .map_err(|error| EvaluationError::Unavailable(clean(error.to_string())))
        });
        match described {
            Ok(declared) => Ok(Self {
                worker,
                intake,
                declared,
                pin,
            }),
            Err(EvaluationError::Unavailable(why) | EvaluationError::Unscorable(why)) => {
                Err(LoadError::Undescribed(why))
            }
        }
    }
}

impl Sealed for LoadedPlugin {}

#[async_trait]
impl Plugged for LoadedPlugin {
    fn declared(&self) -> &Declared {
        &self.declared
    }

    fn intake(&self) -> &Intake {
        &self.intake
    }

    fn version(&self) -> CleanString {
        let digits: String = self.pin.to_string().chars().take(PIN_DIGITS).collect();
        clean(format!("{} {digits}", self.declared.version))
    }

    /// A caller that stops waiting leaves the plugin at work.
    async fn ask(&self, asked: Value) -> Result<Value, EvaluationError> {
        ask(&self.worker, &self.intake, &asked).await
    }
}

async fn ask(worker: &Worker, intake: &Intake, asked: &Value) -> Result<Value, EvaluationError> {
    let answer = worker
        .call(asked.to_string().into_bytes())
        .map_err(|Busy| unavailable("the plugin is still at work on an earlier call"))?;
    let Ok(called) = answer.await else {
        return Err(unavailable("the plugin's thread is gone"));
    };
    match called {
        Called::Answer(bytes) => answer::parse(&bytes)
            .map_err(|error| EvaluationError::Unavailable(clean(error.to_string()))),
        Called::Failed(why) => {
            let why = String::from_utf8_lossy(&why);
            let why = intake.text(&why, MAX_REASON).into_owned();
            Err(EvaluationError::Unscorable(why))
        }
        Called::Panicked => Err(unavailable("the plugin panicked")),
        Called::TooLong => Err(EvaluationError::Unavailable(clean(format!(
            "the plugin's answer has more than {MAX_ANSWER} bytes"
        )))),
        Called::Broken => Err(unavailable("the plugin's answer is none of this ABI")),
    }
}

fn unavailable(why: &'static str) -> EvaluationError {
    EvaluationError::Unavailable(clean(why.to_owned()))
}
