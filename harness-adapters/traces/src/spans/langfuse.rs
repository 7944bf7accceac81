//! Traces and observations as Langfuse exports them: rows with columns of their own, and the
//! attributes that came with the span in their metadata.

use harness_core::Timestamp;
use serde_json::Value;

use super::attributes::Attributes;
use super::foreign::{ForeignSpan, Kind};
use super::shape::checked;
use super::vocabulary;
use crate::unreadable::Reason;

/// Hands the record of a trace to `take`, and whatever observations lie in it.
pub(crate) fn trace(
    value: &Value,
    take: &mut impl FnMut(ForeignSpan),
    report: &mut impl FnMut(Reason),
) {
    let id = text(value, "id").unwrap_or_default().to_owned();
    let frame = ForeignSpan {
        trace: id.clone(),
        id,
        name: text(value, "name").unwrap_or_default().to_owned(),
        started: time(value, "timestamp"),
        kind: Some(Kind::Frame),
        session: text(value, "sessionId").map(str::to_owned),
        input: part(value, "input"),
        output: part(value, "output"),
        ..ForeignSpan::default()
    };
    checked(frame, take, report);
    for inner in value
        .get("observations")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        // A trace may name its observations instead of holding them.
        .filter(|inner| inner.is_object())
    {
        let mut summary = |span: ForeignSpan| {
            take(ForeignSpan {
                is_summary: true,
                ..span
            });
        };
        observation(inner, &mut summary, report);
    }
}

/// Hands one observation to `take`.
pub(crate) fn observation(
    value: &Value,
    take: &mut impl FnMut(ForeignSpan),
    report: &mut impl FnMut(Reason),
) {
    let mut span = ForeignSpan {
        trace: text(value, "traceId").unwrap_or_default().to_owned(),
        id: text(value, "id").unwrap_or_default().to_owned(),
        parent: text(value, "parentObservationId").map(str::to_owned),
        name: text(value, "name").unwrap_or_default().to_owned(),
        started: time(value, "startTime"),
        ended: time(value, "endTime"),
        failure: (text(value, "level") == Some("ERROR"))
            .then(|| text(value, "statusMessage").unwrap_or_default().to_owned()),
        kind: text(value, "type").and_then(vocabulary::kind_named),
        model: text(value, "model").map(str::to_owned),
        tokens: tokens(value),
        input: part(value, "input"),
        output: part(value, "output"),
        ..ForeignSpan::default()
    };
    vocabulary::read(&attributes(value.get("metadata")), &mut span);
    checked(span, take, report);
}

/// The metadata, with the span's own attributes one level down; either may be text.
fn attributes(metadata: Option<&Value>) -> Attributes {
    let mut attributes = Attributes::default();
    if let Some(metadata) = metadata {
        attributes.add_all(metadata);
    }
    if let Some(inner) = attributes.get(&["attributes"]).cloned() {
        attributes.add_all(&inner);
    }
    attributes
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value
        .get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}

fn part(value: &Value, name: &str) -> Option<Value> {
    value.get(name).filter(|part| !part.is_null()).cloned()
}

fn time(value: &Value, name: &str) -> Option<Timestamp> {
    Timestamp::parse(text(value, name)?).ok()
}

fn tokens(value: &Value) -> Option<u64> {
    let total = value
        .get("usageDetails")
        .and_then(|details| details.get("total"))
        .or_else(|| value.get("totalUsage"))?;
    // Where nothing was reported, exports write zero.
    total.as_u64().filter(|total| *total > 0)
}
