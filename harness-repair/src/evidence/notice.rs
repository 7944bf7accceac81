//! Notices as evidence: what was measured and why, what the host says of the task.

use harness_core::{MetricFinding, Notice};
use serde_json::{Map, Value, json};

use super::{Leaves, share, within};

/// Bytes shown of a reason or a summary.
const MAX_TEXT: usize = 400;
/// Bytes shown of a trace's id: all that it can have, so that it can be asked for.
const MAX_ID: usize = 1024;
/// Metrics, traces, hints, labels and rules shown of each kind.
const MAX_LISTED: usize = 8;

/// The notices within `room` bytes of JSON, gravest first.
pub(crate) fn notices_view<'n>(
    notices: impl Iterator<Item = &'n Notice>,
    leaves: &Leaves<'_>,
    room: usize,
) -> Value {
    let mut notices: Vec<&Notice> = notices.collect();
    notices.sort_by(|a, b| b.severity.cmp(&a.severity).then_with(|| a.id.cmp(&b.id)));
    let shown = within(
        notices.iter().map(|notice| view(notice, leaves)),
        room.saturating_sub(128),
    );
    json!({
        "ok": true,
        "shown": share(shown.len(), notices.len(), "notices"),
        "notices": shown,
    })
}

fn view(notice: &Notice, leaves: &Leaves<'_>) -> Value {
    let mut metrics: Vec<&MetricFinding> = notice.metrics.iter().collect();
    metrics.sort_by_key(|metric| metric.conditions.is_empty());
    let alerting = metrics
        .iter()
        .filter(|metric| !metric.conditions.is_empty())
        .count();
    let mut view = json!({
        "notice_id": notice.id.as_str(),
        "turn": notice.turn_index,
        "severity": notice.severity.as_str(),
        "signatures": listed(&notice.signatures, |signature| signature.to_string().into()),
        "summary": spoken("evaluator", leaves.value(notice.summary.as_str(), MAX_TEXT)),
        "alerting": share(alerting, metrics.len(), "metrics"),
        "metrics": listed(&metrics, |metric| finding(metric, leaves)),
        "flagged_traces": listed(&notice.flagged_traces, |id| leaves.value(id.as_str(), MAX_ID)),
        "scores": listed(&notice.signal_breakdown, |signals| json!({
            "trace_id": leaves.value(signals.trace.as_str(), MAX_ID),
            "scores": signals
                .scores
                .iter()
                .take(MAX_LISTED)
                .map(|(metric, score)| (metric.as_str().to_owned(), score.get().into()))
                .collect::<Map<_, _>>(),
        })),
        "scope_hints": listed(&notice.scope_hints, |hint| json!({
            "speaker": "host",
            "scope": hint.key.as_str(),
            "description": leaves.value(hint.description.as_str(), MAX_TEXT),
            "applicability": hint.applicability.as_str(),
            "recommended": hint.recommended,
        })),
        "recommended_scope": notice.recommended_scope.as_ref().map(|scope| scope.as_str()),
        "applicability_hint": notice.applicability_hint.as_str(),
        "host_labels": listed(&notice.host_labels, |label| label.as_str().into()),
        "rules_shown_to_the_agent": listed(&notice.shown_rules, |rule| rule.as_str().into()),
    });
    if let (Some(view), Some(summary)) = (view.as_object_mut(), &notice.task_summary) {
        let summary = spoken("host", leaves.value(summary.as_str(), MAX_TEXT));
        view.insert("task_summary".into(), summary);
    }
    view
}

fn finding(metric: &MetricFinding, leaves: &Leaves<'_>) -> Value {
    json!({
        "metric": metric.name.as_str(),
        "tier": metric.tier.number(),
        "value": metric.value.map(|score| score.get()),
        "threshold": metric.threshold.get(),
        "conditions": listed(&metric.conditions, |condition| condition.as_str().into()),
        "trace_id": metric.trace.as_ref().map(|id| leaves.value(id.as_str(), MAX_ID)),
        "reason": metric.reason.as_ref().map(|reason| {
            spoken("evaluator", leaves.value(reason.as_str(), MAX_TEXT))
        }),
    })
}

fn spoken(speaker: &str, text: Value) -> Value {
    json!({ "speaker": speaker, "text": text })
}

fn listed<T>(all: &[T], each: impl Fn(&T) -> Value) -> Vec<Value> {
    all.iter().take(MAX_LISTED).map(each).collect()
}
