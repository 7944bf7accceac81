//! Events of the watch half: sessions, notices, health, breaker.

use harness_core::{CaseId, CaseKind, CleanString, Principal, SessionId, Signature, Timestamp};
use serde::{Deserialize, Serialize};

use crate::wire::as_text::{one, optional};
use crate::wire::notice::NoticeDoc;

/// Whether a conversation is happening or was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OriginDoc {
    /// It is happening.
    Live,
    /// It was recorded earlier and never enters a trial.
    Recorded,
}

/// A conversation began, as far as this workspace knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOpened {
    /// The conversation.
    #[serde(with = "one")]
    pub session: SessionId,
    /// Live or recorded.
    pub origin: OriginDoc,
    /// Whose it is.
    #[serde(with = "optional", default)]
    pub principal: Option<Principal>,
}

/// Why a conversation counts as ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// The host said so.
    Host,
    /// 30 minutes went by without a turn.
    Idle,
    /// It had 20 turns.
    Turns,
}

/// A conversation ended; later turns of it belong to no trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionClosed {
    /// The conversation.
    #[serde(with = "one")]
    pub session: SessionId,
    /// Turns it had.
    pub turns: u32,
    /// Why it ended.
    pub reason: CloseReason,
}

/// A notice was posted; the event holds it whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoticePosted {
    /// The notice.
    #[serde(flatten)]
    pub notice: NoticeDoc,
    /// Whether it was only journaled, not posted (`observe_only`).
    #[serde(default)]
    pub observe_only: bool,
    /// When the turn ended, where that is known; the breaker counts in this time.
    #[serde(with = "optional", default)]
    pub turn_time: Option<Timestamp>,
}

/// A condition is over: the same signature may be posted again for this session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovery {
    /// The conversation.
    #[serde(rename = "session_id", with = "one")]
    pub session: SessionId,
    /// What is over.
    #[serde(with = "one")]
    pub signature: Signature,
}

/// Whether an evaluator can score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// It can.
    Up,
    /// Its health check failed; until it is up again this is an outage.
    Down,
}

/// An evaluator's health changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// The evaluator's name.
    #[serde(with = "one")]
    pub source: CleanString,
    /// Its state from now on.
    pub state: HealthState,
    /// Why, gated and bounded.
    #[serde(with = "one")]
    pub detail: CleanString,
}

/// Why something was not evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A host used the prefix of repair sessions.
    RepairPrefix,
    /// The intake was full.
    QueueFull,
    /// A daily cap was reached.
    DailyCap,
    /// The turn came after the session had closed.
    SessionClosed,
    /// A recorded turn that says something else than before under the same number.
    TurnChanged,
    /// The evaluator could not score the trace.
    Unscorable,
}

/// Something was deliberately not evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skip {
    /// The conversation as the host named it, gated.
    #[serde(rename = "session_id", with = "one")]
    pub session: CleanString,
    /// The turn, where one is meant.
    pub turn_index: Option<u32>,
    /// Why.
    pub reason: SkipReason,
}

/// A scenario was captured into the eval set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalsetCapture {
    /// The case.
    #[serde(rename = "id", with = "one")]
    pub case: CaseId,
    /// Failure or win.
    #[serde(with = "one")]
    pub kind: CaseKind,
    /// The conversation it comes from.
    #[serde(rename = "session_id", with = "one")]
    pub session: SessionId,
}

/// What the breaker did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakerState {
    /// It paused repair: for one principal, or for all.
    Tripped,
    /// A notice was suppressed while it was tripped.
    Suppressed,
    /// An operator resumed.
    Resumed,
}

/// The breaker changed, or held something back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaker {
    /// What it did.
    pub state: BreakerState,
    /// Whose repair is meant; `None` with `everyone` false is the one of turns without principal.
    #[serde(with = "optional", default)]
    pub principal: Option<Principal>,
    /// Whether all principals are meant.
    #[serde(default)]
    pub everyone: bool,
}
