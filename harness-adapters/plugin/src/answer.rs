//! What a plugin answers, read without belief.

use harness_core::{
    CleanString, CleanText, MetricName, MetricRegistry, MetricSpec, Score, Tier, Trace,
};
use harness_engine::{Reading, ReadingValue};
use harness_sanitize::Intake;
use harness_store::wire::trace::TraceDoc;
use serde_json::{Value, json};

/// Bytes of a plugin's name and version that are kept.
const MAX_NAME: usize = 64;
/// Bytes of a reason that are kept.
pub(crate) const MAX_REASON: usize = 600;

/// An answer that is not what was asked for. The plugin's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plugin's answer is not what was asked for: {0}")]
pub(crate) struct Unexpected(&'static str);

/// What a plugin declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    pub(crate) name: CleanString,
    pub(crate) version: CleanString,
    pub(crate) metrics: MetricRegistry,
    pub(crate) verifies: bool,
    pub(crate) repairs: bool,
    pub(crate) replays: bool,
}

pub(crate) fn parse(answer: &[u8]) -> Result<Value, Unexpected> {
    serde_json::from_slice(answer).map_err(|_| Unexpected("it is no JSON"))
}

pub(crate) fn declared(answer: &Value, intake: &Intake) -> Result<Declared, Unexpected> {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    let says = |name: &str| answer.get(name).and_then(Value::as_bool) == Some(true);
    let name = text("name")
        .filter(|name| !name.trim().is_empty())
        .ok_or(Unexpected("it has no `name`"))?;
    let list = answer
        .get("metrics")
        .and_then(Value::as_array)
        .ok_or(Unexpected("it has no list of `metrics`"))?;
    let metrics: Option<Vec<MetricSpec>> = list
        .iter()
        .take(MetricRegistry::MAX)
        .map(declared_metric)
        .collect();
    Ok(Declared {
        name: intake.text(name, MAX_NAME).into_owned(),
        version: intake
            .text(text("version").unwrap_or_default(), MAX_NAME)
            .into_owned(),
        metrics: MetricRegistry::new(metrics.ok_or(Unexpected(
            "a metric has a name, a tier of 1 to 3 and a threshold of 0 to 1",
        ))?),
        verifies: says("verifies"),
        repairs: says("repairs"),
        replays: says("replays"),
    })
}

fn declared_metric(entry: &Value) -> Option<MetricSpec> {
    let tier = entry.get("tier").and_then(Value::as_u64)?;
    Some(MetricSpec {
        name: MetricName::parse(entry.get("name")?.as_str()?).ok()?,
        // Outcomes are checked by a verifier.
        tier: Tier::from_number(u8::try_from(tier).ok()?).filter(|tier| *tier != Tier::Outcome)?,
        threshold: Score::new(entry.get("threshold")?.as_f64()?)?,
    })
}

/// The readings of a tier's metrics. One that is left out is pending; one that was not declared,
/// or is no score, makes the whole answer unexpected.
pub(crate) fn readings(
    answer: &Value,
    declared: &[MetricName],
    intake: &Intake,
) -> Result<Vec<Reading>, Unexpected> {
    let list = answer
        .get("scores")
        .and_then(Value::as_array)
        .ok_or(Unexpected("it has no list of `scores`"))?;
    list.iter()
        .take(MetricRegistry::MAX)
        .map(|entry| {
            let name = entry
                .get("metric")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let metric = declared
                .iter()
                .find(|metric| metric.as_str() == name)
                .ok_or(Unexpected("it scores a metric that was not asked for"))?;
            let value = match entry.get("score") {
                None | Some(Value::Null) => ReadingValue::Silent,
                Some(value) => ReadingValue::Scored(score(value)?),
            };
            Ok(Reading {
                metric: metric.clone(),
                value,
                reason: reason(entry, intake),
            })
        })
        .collect()
}

pub(crate) fn score(value: &Value) -> Result<Score, Unexpected> {
    value
        .as_f64()
        .and_then(Score::new)
        .ok_or(Unexpected("a score is a number from 0 to 1"))
}

pub(crate) fn reason(entry: &Value, intake: &Intake) -> Option<CleanString> {
    let reason = entry.get("reason").and_then(Value::as_str)?;
    Some(intake.text(reason, MAX_REASON).into_owned()).filter(|reason| !reason.is_empty())
}

/// A trace as a plugin is given it: what a judge may see, within the bounds of a dump.
pub(crate) fn of_trace(trace: &Trace) -> Value {
    serde_json::to_value(TraceDoc::keep(&trace.for_judges())).unwrap_or_else(|_| json!({}))
}

/// Words of ours.
pub(crate) fn clean(text: String) -> CleanString {
    CleanText::new(text).unwrap_or_else(|_| CleanText::empty())
}
