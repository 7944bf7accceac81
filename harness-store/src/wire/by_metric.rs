//! Scores by metric, and by trace and metric, as documents have them.

use std::collections::BTreeMap;

use harness_core::{MetricName, Score, TraceId, TraceSignals};

/// A number on disk as a score.
pub(crate) fn score(number: f64) -> Result<Score, String> {
    Score::new(number).ok_or_else(|| format!("{number} is no score: 0 to 1"))
}

/// Scores by metric, as a document has them.
pub(crate) fn scores_to_doc(scores: &[(MetricName, Score)]) -> BTreeMap<String, f64> {
    scores
        .iter()
        .map(|(metric, score)| (metric.as_str().to_owned(), score.get()))
        .collect()
}

/// Scores by metric, from a document.
pub(crate) fn scores_from_doc(
    scores: BTreeMap<String, f64>,
) -> Result<Vec<(MetricName, Score)>, String> {
    scores
        .into_iter()
        .map(|(metric, number)| {
            let metric = MetricName::parse(&metric).map_err(|error| error.to_string())?;
            Ok((metric, score(number)?))
        })
        .collect()
}

/// The scores of each trace, as a document has them.
pub(crate) fn breakdown_to_doc(
    breakdown: &[TraceSignals],
) -> BTreeMap<String, BTreeMap<String, f64>> {
    breakdown
        .iter()
        .map(|signals| {
            (
                signals.trace.as_str().to_owned(),
                scores_to_doc(&signals.scores),
            )
        })
        .collect()
}

/// The scores of each trace, from a document.
pub(crate) fn breakdown_from_doc(
    breakdown: BTreeMap<String, BTreeMap<String, f64>>,
) -> Result<Vec<TraceSignals>, String> {
    breakdown
        .into_iter()
        .map(|(trace, scores)| {
            Ok(TraceSignals {
                trace: TraceId::parse(&trace).map_err(|error| error.to_string())?,
                scores: scores_from_doc(scores)?,
            })
        })
        .collect()
}
