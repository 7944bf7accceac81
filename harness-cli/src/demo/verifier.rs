//! The developer's own check of the demo: the answer against the files.

use std::path::PathBuf;

use async_trait::async_trait;
use harness_core::{CleanText, Score, TurnPayload};
use harness_engine::{EvaluationError, Verified, Verifier};

use super::agent::total_of;
use super::world::right_total;

/// Adds the reports of a session up itself and compares.
#[derive(Debug)]
pub(crate) struct FileVerifier {
    work: PathBuf,
}

impl FileVerifier {
    /// A verifier of sessions whose folders lie beneath `work`, named by session.
    pub(crate) const fn new(work: PathBuf) -> Self {
        Self { work }
    }
}

#[async_trait]
impl Verifier for FileVerifier {
    async fn verify(&self, turn: &TurnPayload) -> Result<Verified, EvaluationError> {
        let say = |text: &'static str| CleanText::new(text).unwrap_or_default();
        let right = right_total(&self.work.join(turn.session.as_str()))
            .map_err(|_| EvaluationError::Unavailable(say("the reports cannot be read")))?;
        Ok(match total_of(&turn.trace) {
            Some(total) if total == right => Verified {
                score: Score::ONE,
                reason: say("the total is the one of the files"),
            },
            Some(_) => Verified {
                score: Score::ZERO,
                reason: say("the total is not the one of the files"),
            },
            None => Verified {
                score: Score::ZERO,
                reason: say("there is no total"),
            },
        })
    }
}
