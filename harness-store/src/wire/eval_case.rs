//! An eval case as it lies in `evalset/`.

use std::collections::BTreeMap;

use harness_core::{
    CaseId, CaseKind, CleanString, CleanText, EvalCase, SessionId, Signature, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::as_text::{list, one};
use super::by_metric::{scores_from_doc, scores_to_doc};
use super::json;

/// A case on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseDoc {
    /// Its id.
    #[serde(with = "one")]
    pub id: CaseId,
    /// When it was captured.
    #[serde(with = "one")]
    pub created_at: Timestamp,
    /// The conversation it comes from.
    #[serde(with = "one")]
    pub session_id: SessionId,
    /// Failure or win.
    #[serde(with = "one")]
    pub kind: CaseKind,
    /// What had happened.
    #[serde(with = "list", default)]
    pub signature: Vec<Signature>,
    /// The scores of then.
    #[serde(default)]
    pub baseline_scores: BTreeMap<String, f64>,
    /// What replays it: a text of ours, or whatever JSON 0.9 was given.
    #[serde(default)]
    pub replay_input: Option<Value>,
    /// A remark.
    #[serde(with = "one", default)]
    pub notes: CleanString,
    /// Whether it can be replayed.
    #[serde(default)]
    pub x_replayable: bool,
}

impl CaseDoc {
    /// The document of a case.
    pub fn from_domain(case: &EvalCase) -> Self {
        Self {
            id: case.id.clone(),
            created_at: case.created_at,
            session_id: case.session.clone(),
            kind: case.kind,
            signature: case.signatures.clone(),
            baseline_scores: scores_to_doc(&case.baseline),
            replay_input: case
                .replay_input
                .as_ref()
                .map(|input| Value::String(input.as_str().to_owned())),
            notes: case.notes.clone(),
            x_replayable: case.replay_input.is_some(),
        }
    }

    /// The case of a document. A replay input that is not a string is taken as its JSON text.
    ///
    /// # Errors
    /// A score out of range, a metric of no such name, or a replay input that is not clean text.
    pub fn try_into_domain(self) -> Result<EvalCase, String> {
        let input = self.replay_input.map(|value| match value {
            Value::String(text) => text,
            other => String::from_utf8_lossy(&json::compact(&other)).into_owned(),
        });
        Ok(EvalCase {
            baseline: scores_from_doc(self.baseline_scores)?,
            replay_input: input
                .map(CleanText::new)
                .transpose()
                .map_err(|error| error.to_string())?,
            id: self.id,
            created_at: self.created_at,
            session: self.session_id,
            kind: self.kind,
            signatures: self.signature,
            notes: self.notes,
        })
    }
}
