//! A process plugin: asked one call at a time, ended when it fails, started again after a rest.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use harness_core::CleanString;
use harness_engine::EvaluationError;
use harness_sanitize::Intake;
use harness_shell::Enforcement;
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::failure::{Failed, ProcessError, ProcessFailure};
use super::lines::{Conversation, PROTOCOL, Said, fits};
use super::program::{Patience, ProcessProgram, Ready};
use crate::answer::{self, Declared, MAX_REASON, clean};
use crate::plugged::{Plugged, sealed::Sealed};

/// Calls that are under way or wait their turn.
const MAX_WAITING: usize = 16;
/// Times that a rest is doubled at most.
const MAX_DOUBLINGS: u32 = 16;

/// A plugin in a process of its own, which is confined.
///
/// It is asked one call at a time. One that fails, see [`ProcessFailure`], or whose call is given
/// up, is ended with its whole tree, rests, and is started again at the next call after that.
/// Dropping this ends it.
pub struct ProcessPlugin {
    ready: Ready,
    patience: Patience,
    intake: Intake,
    declared: Declared,
    waiting: Semaphore,
    seat: tokio::sync::Mutex<Seat>,
    last: Mutex<Option<Failed>>,
}

/// Whoever is asked, and how that went lately.
#[derive(Default)]
struct Seat {
    /// In here only between calls that went well: a call that is given up takes it along.
    taken: Option<Conversation>,
    failures: u32,
    rests_until: Option<Instant>,
}

/// How a call ended that came to nothing.
pub(super) enum CallError {
    /// The plugin is well, and cannot do this.
    Cannot(String),
    /// It is not.
    Failed(ProcessFailure),
}

impl From<ProcessFailure> for CallError {
    fn from(failure: ProcessFailure) -> Self {
        Self::Failed(failure)
    }
}

/// Whoever answers what a plugin asks back during a call.
#[async_trait]
pub(super) trait Host: Send {
    /// The result, or the failure that ends the call.
    async fn answer(&mut self, asks: Map<String, Value>) -> Result<Value, ProcessFailure>;
}

/// Nothing is to be asked back.
pub(super) struct Silent;

#[async_trait]
impl Host for Silent {
    async fn answer(&mut self, _asks: Map<String, Value>) -> Result<Value, ProcessFailure> {
        Err(ProcessFailure::NoLine)
    }
}

impl ProcessPlugin {
    /// Proves a sandbox, starts the program in it and asks it what it is. Of `variables`, the
    /// host's, it sees those that its needs declare. Every text of it goes through `intake`.
    ///
    /// # Errors
    /// See [`ProcessError`].
    pub async fn start(
        program: ProcessProgram,
        variables: impl IntoIterator<Item = (String, String)>,
        intake: Intake,
    ) -> Result<(Self, Enforcement), ProcessError> {
        let patience = program.patience;
        let (ready, enforcement) = program.prepare(variables, intake.clone()).await?;
        let mut conversation = Conversation::with(ready.start().await?);
        let described = describe(&mut conversation, patience.describe, &intake).await;
        let declared = match described {
            Ok(declared) => declared,
            Err(failure) => {
                let stderr = conversation.close().await;
                return Err(ProcessError::Handshake(Failed { failure, stderr }));
            }
        };
        let seat = Seat {
            taken: Some(conversation),
            ..Seat::default()
        };
        let plugin = Self {
            ready,
            patience,
            intake,
            declared,
            waiting: Semaphore::new(MAX_WAITING),
            seat: tokio::sync::Mutex::new(seat),
            last: Mutex::new(None),
        };
        Ok((plugin, enforcement))
    }

    /// Its name, as it says.
    pub const fn name(&self) -> &CleanString {
        &self.declared.name
    }

    /// How it failed last, if it has.
    pub fn last_failure(&self) -> Option<Failed> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }

    pub(super) const fn patience(&self) -> &Patience {
        &self.patience
    }

    /// One call, which `host` answers what is asked back in.
    pub(super) async fn call(
        &self,
        asked: Value,
        limit: Duration,
        host: &mut dyn Host,
    ) -> Result<Value, CallError> {
        if !fits(&asked) {
            return Err(ProcessFailure::AskedTooMuch.into());
        }
        let _place = self
            .waiting
            .try_acquire()
            .map_err(|_| ProcessFailure::Busy)?;
        let seat = timeout(limit, self.seat.lock()).await;
        let mut seat = seat.map_err(|_| ProcessFailure::Busy)?;
        let taken = seat.taken.take();
        if taken.is_none() && seat.rests_until.is_some_and(|until| Instant::now() < until) {
            return Err(ProcessFailure::Resting.into());
        }
        // Until it is known to be well: a call that is given up is one that failed.
        seat.rest(&self.patience);
        let mut conversation = match taken {
            Some(conversation) => conversation,
            None => self.started().await?,
        };
        let exchanged = timeout(limit, exchange(&mut conversation, asked, host)).await;
        match exchanged.unwrap_or(Err(CallError::Failed(ProcessFailure::TimedOut))) {
            Err(CallError::Failed(failure)) => {
                self.failed(failure, conversation.close().await);
                Err(failure.into())
            }
            answered => {
                *seat = Seat {
                    taken: Some(conversation),
                    ..Seat::default()
                };
                answered
            }
        }
    }

    /// Starts it again.
    async fn started(&self) -> Result<Conversation, ProcessFailure> {
        let Ok(child) = self.ready.start().await else {
            self.failed(ProcessFailure::Start, CleanString::empty());
            return Err(ProcessFailure::Start);
        };
        let mut conversation = Conversation::with(child);
        let described = describe(&mut conversation, self.patience.describe, &self.intake).await;
        let failure = match described {
            Ok(declared) if declared == self.declared => return Ok(conversation),
            Ok(_) => ProcessFailure::Changed,
            Err(failure) => failure,
        };
        self.failed(failure, conversation.close().await);
        Err(failure)
    }

    fn failed(&self, failure: ProcessFailure, stderr: CleanString) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(Failed { failure, stderr });
    }
}

impl Seat {
    fn rest(&mut self, patience: &Patience) {
        let doubled = 1_u32 << self.failures.min(MAX_DOUBLINGS);
        let rest = patience.rest.saturating_mul(doubled);
        self.rests_until = Instant::now().checked_add(rest.min(patience.longest_rest));
        self.failures = self.failures.saturating_add(1);
    }
}

async fn exchange(
    conversation: &mut Conversation,
    asked: Value,
    host: &mut dyn Host,
) -> Result<Value, CallError> {
    conversation.ask(asked).await?;
    loop {
        match conversation.hear().await? {
            Said::Answer(answer) => return Ok(answer),
            Said::Cannot(why) => return Err(CallError::Cannot(why)),
            Said::Asks(asks) => {
                let result = host.answer(asks).await?;
                conversation.answer(&result).await?;
            }
        }
    }
}

/// The handshake.
async fn describe(
    conversation: &mut Conversation,
    limit: Duration,
    intake: &Intake,
) -> Result<Declared, ProcessFailure> {
    let asked = json!({ "do": "describe", "protocol": PROTOCOL });
    let said = timeout(limit, exchange(conversation, asked, &mut Silent)).await;
    match said.map_err(|_| ProcessFailure::TimedOut)? {
        Ok(said) if said.get("protocol").and_then(Value::as_u64) != Some(PROTOCOL) => {
            Err(ProcessFailure::Version)
        }
        Ok(said) => answer::declared(&said, intake).map_err(|_| ProcessFailure::Undescribed),
        Err(CallError::Cannot(_)) => Err(ProcessFailure::Undescribed),
        Err(CallError::Failed(failure)) => Err(failure),
    }
}

impl Sealed for ProcessPlugin {}

#[async_trait]
impl Plugged for ProcessPlugin {
    fn declared(&self) -> &Declared {
        &self.declared
    }

    fn intake(&self) -> &Intake {
        &self.intake
    }

    fn version(&self) -> CleanString {
        self.declared.version.clone()
    }

    async fn ask(&self, asked: Value) -> Result<Value, EvaluationError> {
        let answered = self.call(asked, self.patience.call, &mut Silent).await;
        answered.map_err(|error| match error {
            CallError::Cannot(why) => {
                EvaluationError::Unscorable(self.intake.text(&why, MAX_REASON).into_owned())
            }
            CallError::Failed(failure) => EvaluationError::Unavailable(clean(failure.to_string())),
        })
    }
}
