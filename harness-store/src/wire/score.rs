//! The lines of `state/scores/`: one an evaluated turn, and what was taken over of other programs'
//! gates.

use std::collections::BTreeMap;

use harness_core::{MetricName, Principal, Score, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::as_text::{one, optional};
use super::by_metric::score;
use super::event::OriginDoc;

/// What the gate remembers of one metric of one session.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GateState {
    /// The best score so far; `None` before the first.
    pub peak: Option<Score>,
    /// Scored turns since the peak last rose by a gain, or since the condition last fired.
    pub turns_since_gain: u32,
}

/// [`GateState`] on disk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateDoc {
    /// The best score so far.
    pub peak: Option<f64>,
    /// Scored turns since the last gain.
    pub turns_since_gain: u32,
}

impl GateDoc {
    /// Whether it is a state that a gate can have of the metric of that name.
    pub(crate) fn reads(&self, metric: &str) -> bool {
        name(metric).is_ok() && self.peak.map(score).transpose().is_ok()
    }
}

/// One evaluated turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreLine {
    /// When it was recorded.
    #[serde(with = "one")]
    pub ts: Timestamp,
    /// The conversation.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The turn.
    pub turn: u32,
    /// Its digest, in hex.
    pub digest: String,
    /// Live or recorded.
    pub origin: OriginDoc,
    /// Whose conversation it is.
    #[serde(with = "optional", default)]
    pub principal: Option<Principal>,
    /// Scores by metric; `null` where one was asked for and is missing.
    pub scores: BTreeMap<String, Option<f64>>,
    /// The gate after this turn, by metric.
    pub gate: BTreeMap<String, GateDoc>,
    /// How much was done in it; lines of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<TurnCounts>,
}

/// How much was done in a turn, as a judge may see it. Counts alone: nothing that was said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnCounts {
    /// Tool calls.
    pub calls: u32,
    /// Words of the agent's replies.
    pub reply_words: u32,
    /// Words of the tools' results.
    pub result_words: u32,
}

/// One score that another program kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleDoc {
    /// The score.
    pub value: f64,
    /// When it was given.
    #[serde(with = "one")]
    pub ts: Timestamp,
    /// The run that was scored.
    #[serde(default)]
    pub run_id: Option<String>,
}

/// The gate of a conversation that another program watched: what it remembers, no turn of ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateLine {
    /// When it was taken over.
    #[serde(with = "one")]
    pub ts: Timestamp,
    /// The conversation.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The gate as it was, by metric.
    pub x_imported_gate: BTreeMap<String, GateDoc>,
    /// The scores as they were, by metric: kept to be given back, and read by nothing of ours.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub x_imported_series: BTreeMap<String, Vec<SampleDoc>>,
}

/// Any line of `state/scores/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ScoresLine {
    /// An evaluated turn.
    Turn(ScoreLine),
    /// A gate that was taken over.
    Gate(GateLine),
}

impl GateLine {
    /// The line's gate.
    ///
    /// # Errors
    /// A metric of no such name or a peak out of range.
    pub fn read_gate(&self) -> Result<Vec<(MetricName, GateState)>, String> {
        read_gate(&self.x_imported_gate)
    }
}

impl ScoreLine {
    /// Scores by metric, as a line has them.
    pub fn scores_of(scores: &[(MetricName, Option<Score>)]) -> BTreeMap<String, Option<f64>> {
        scores
            .iter()
            .map(|(metric, score)| (metric.as_str().to_owned(), score.map(Score::get)))
            .collect()
    }

    /// The gate by metric, as a line has it.
    pub fn gate_of(gates: &[(MetricName, GateState)]) -> BTreeMap<String, GateDoc> {
        gates
            .iter()
            .map(|(metric, gate)| {
                let doc = GateDoc {
                    peak: gate.peak.map(Score::get),
                    turns_since_gain: gate.turns_since_gain,
                };
                (metric.as_str().to_owned(), doc)
            })
            .collect()
    }

    /// The line's scores.
    ///
    /// # Errors
    /// A metric of no such name or a score out of range.
    pub fn read_scores(&self) -> Result<Vec<(MetricName, Option<Score>)>, String> {
        self.scores
            .iter()
            .map(|(metric, number)| Ok((name(metric)?, number.map(score).transpose()?)))
            .collect()
    }

    /// The line's gate.
    ///
    /// # Errors
    /// A metric of no such name or a peak out of range.
    pub fn read_gate(&self) -> Result<Vec<(MetricName, GateState)>, String> {
        read_gate(&self.gate)
    }
}

fn read_gate(gate: &BTreeMap<String, GateDoc>) -> Result<Vec<(MetricName, GateState)>, String> {
    gate.iter()
        .map(|(metric, doc)| {
            let gate = GateState {
                peak: doc.peak.map(score).transpose()?,
                turns_since_gain: doc.turns_since_gain,
            };
            Ok((name(metric)?, gate))
        })
        .collect()
}

fn name(text: &str) -> Result<MetricName, String> {
    MetricName::parse(text).map_err(|error| error.to_string())
}
