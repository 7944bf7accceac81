//! One conversation of a host's agent, as the host holds it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::harness::{Harness, HarnessError, Recorded, Settled};
use harness_core::{CleanText, IdError, Principal, Scope, SessionId, TraceId, TurnPayload};
use harness_rules::PREAMBLE;
use harness_sanitize::{
    Delimited, Gate, Intake, Nonce, Quarantine, Quarantined, tool_result, user_input,
};
use harness_store::Clock;

use super::raw;
use super::report::TurnReport;
use super::tools::TaskTools;

/// Bytes before a cut that are left out with what was cut off.
const CUT_MARGIN: usize = 8 << 10;

/// One conversation: what its agent may read, and where its turns are reported.
///
/// It ends by [`HarnessSession::end`], after a silence, or after twenty turns; dropping it ends
/// nothing.
pub struct HarnessSession {
    pub(super) harness: Arc<Harness>,
    pub(super) intake: Arc<Intake>,
    pub(super) clock: Clock,
    pub(super) tools: TaskTools,
    pub(super) id: SessionId,
    pub(super) principal: Option<Principal>,
    pub(super) host_labels: Vec<Scope>,
    pub(super) traces: TraceNames,
    pub(super) next_turn: AtomicU32,
}

impl HarnessSession {
    /// For the system prompt: a constant that names the four tools and reads nothing.
    pub const fn task_preamble() -> &'static str {
        PREAMBLE
    }

    /// Its id.
    pub const fn id(&self) -> &SessionId {
        &self.id
    }

    /// The four tools for its agent.
    pub fn task_tools(&self) -> TaskTools {
        self.tools.clone()
    }

    /// What the user said, fenced with a nonce, for a conversation whose system prompt has
    /// [`TRUST_BOUNDARIES`](harness_sanitize::TRUST_BOUNDARIES). Cleaned and cut at 64 KiB, but not redacted:
    /// what users tell their own agent is theirs to tell.
    ///
    /// # Errors
    /// [`HarnessError::NoRandomness`].
    pub fn wrap_user(&self, text: &str) -> Result<Delimited, HarnessError> {
        let clean = Gate::with_max_len(CleanText::MAX_BYTES).clean(head(text, raw::MAX_RAW));
        Ok(user_input(&clean, nonce()?))
    }

    /// What a tool of the host's said, an answer or an error, for the same conversation: redacted,
    /// cleaned, cut at 64 KiB and fenced. Where it speaks to the model or hides something, a
    /// warning stands behind its fence.
    ///
    /// # Errors
    /// [`HarnessError::NoRandomness`].
    pub fn wrap_result(&self, tool: &str, text: &str) -> Result<String, HarnessError> {
        let redacted = self.intake.redactor().redact(head(text, raw::MAX_RAW));
        // A secret that the cut went through could not be told, so its surroundings go too.
        let unsure = if text.len() > raw::MAX_RAW {
            CUT_MARGIN
        } else {
            0
        };
        let said = head(&redacted, redacted.len().saturating_sub(unsure));
        let gate = Gate::with_max_len(CleanText::MAX_BYTES);
        let quarantine = Quarantine::new(gate.clone());
        Ok(match quarantine.guard(said, tool, nonce()?) {
            Quarantined::Flagged(flagged) => flagged.to_string(),
            Quarantined::Passed(said) => {
                tool_result(tool, &gate.clean(&said), nonce()?).to_string()
            }
        })
    }

    /// Begins the report of a turn in which the user said `user`.
    pub fn turn(&self, user: &str) -> TurnReport {
        TurnReport::new(Arc::clone(&self.intake), user)
    }

    /// Reports a finished turn, as the next of this conversation, and returns at once; it is
    /// evaluated in the background.
    pub fn record_turn(&self, report: TurnReport) -> Recorded {
        let index = self.next_turn.fetch_add(1, Ordering::AcqRel);
        let Ok(trace) = self.traces.of_turn(index) else {
            return Recorded::Refused;
        };
        self.harness.record_turn(TurnPayload {
            ended_at: Some((self.clock)()),
            principal: self.principal.clone(),
            host_labels: self.host_labels.clone(),
            ..report.finish(self.id.clone(), index, trace)
        })
    }

    /// Waits for everything that was reported of this conversation, makes one bounded repair
    /// attempt where one is due, and says what came of it; each thing is said once. See
    /// [`Harness::settle`].
    pub async fn settle(&self) -> Settled {
        self.harness.settle(&self.id).await
    }

    /// Ends the conversation after what was reported of it, and returns at once. Later turns of it
    /// are not evaluated; the journal says so.
    pub fn end(&self) {
        self.harness.end_session(&self.id);
    }
}

/// The first `max` bytes of a text, in whole characters.
fn head(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max))
        .unwrap_or_default()
}

fn nonce() -> Result<Nonce, HarnessError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|_| HarnessError::NoRandomness)?;
    Ok(Nonce::new(random))
}

/// The names of a conversation's traces: `<session>#<turn>`.
pub(super) struct TraceNames(String);

impl TraceNames {
    /// Names after the session; where that makes no trace id, after `random`.
    pub(super) fn new(session: &SessionId, random: u64) -> Self {
        let names = Self(session.as_str().to_owned());
        if names.of_turn(u32::MAX).is_ok() {
            names
        } else {
            Self(format!("session-{random:016x}"))
        }
    }

    pub(super) fn of_turn(&self, index: u32) -> Result<TraceId, IdError> {
        TraceId::parse(&format!("{}#{index}", self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_has_names_for_its_traces() {
        let name = |session: &str| {
            TraceNames::new(&SessionId::parse(session).unwrap(), 7)
                .of_turn(3)
                .unwrap()
                .to_string()
        };
        assert_eq!(name("a"), "a#3");
        assert_eq!(name(&"x".repeat(256)), "session-0000000000000007#3");
        // The `#` would make the fifth of a banner.
        assert_eq!(name("a####"), "session-0000000000000007#3");
    }
}
