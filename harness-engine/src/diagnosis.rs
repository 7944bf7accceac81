//! From an evaluation to a notice: what happened, how grave it is, where to look.

use std::fmt::Write as _;

use harness_core::{
    CleanString, CleanText, Condition, MetricFinding, Notice, NoticeId, RuleId, Severity,
    Signature, Tier, Timestamp, TraceSignals, TurnPayload,
};
use harness_store::wire::dump::{DumpDoc, DumpScore};
use harness_store::wire::trace::TraceDoc;

use crate::evaluation::{Evaluation, Finding};

/// Findings that a summary names at most.
const MAX_NAMED: usize = 6;

/// The signatures of a turn, in order and each once.
pub(crate) fn signatures(evaluation: &Evaluation) -> Vec<Signature> {
    let mut signatures: Vec<Signature> = evaluation
        .conditions()
        .into_iter()
        .map(|(condition, metric)| Signature { condition, metric })
        .collect();
    signatures.sort();
    signatures.dedup();
    signatures
}

/// The notice of a turn. `signatures` are those to be posted: of what happened, whatever has not
/// been posted already.
pub(crate) fn notice(
    turn: &TurnPayload,
    evaluation: &Evaluation,
    signatures: Vec<Signature>,
    shown_rules: Vec<RuleId>,
    id: NoticeId,
    now: Timestamp,
) -> Notice {
    let severity = signatures
        .iter()
        .map(|signature| signature.condition.severity())
        .max()
        .unwrap_or(Severity::Trend);
    let trace = turn.trace.id().clone();
    let recommended = turn.scope_hints.iter().find(|hint| hint.recommended);
    Notice {
        id,
        created_at: now,
        session: turn.session.clone(),
        turn_index: turn.index,
        severity,
        metrics: evaluation
            .findings
            .iter()
            .filter(|finding| {
                !finding.conditions.is_empty() || finding.spec.tier == Tier::Explanation
            })
            .map(|finding| MetricFinding {
                name: finding.spec.name.clone(),
                value: finding.score,
                threshold: finding.spec.threshold,
                reason: finding.reason.clone(),
                conditions: finding.conditions.clone(),
                trace: Some(trace.clone()),
                tier: finding.spec.tier,
            })
            .collect(),
        flagged_traces: vec![trace.clone()],
        signal_breakdown: vec![TraceSignals {
            trace,
            scores: evaluation
                .findings
                .iter()
                .filter_map(|finding| Some((finding.spec.name.clone(), finding.score?)))
                .collect(),
        }],
        signatures,
        summary: summary(evaluation),
        scope_hints: turn.scope_hints.clone(),
        recommended_scope: recommended.map(|hint| hint.key.clone()),
        applicability_hint: recommended
            .map(|hint| hint.applicability)
            .unwrap_or_default(),
        host_labels: turn.host_labels.clone(),
        task_summary: turn.task_summary.clone(),
        principal: turn.principal.clone(),
        shown_rules,
        resolution: None,
    }
}

/// The dump of an evaluation; with the trace where a repair agent is to look at it.
pub(crate) fn dump(
    turn: &TurnPayload,
    evaluation: &Evaluation,
    trace: Option<TraceDoc>,
) -> DumpDoc {
    let has = |finding: &Finding, condition| finding.conditions.contains(&condition);
    let trace_id = turn.trace.id().clone();
    DumpDoc {
        session_id: turn.session.clone(),
        turn_index: turn.index,
        any_breach: evaluation
            .findings
            .iter()
            .any(|finding| has(finding, Condition::Breach)),
        any_alert: !evaluation.conditions().is_empty(),
        gate_breached: evaluation
            .findings
            .iter()
            .any(|finding| finding.spec.tier == Tier::Progress && !finding.conditions.is_empty()),
        flagged_traces: vec![trace_id.clone()],
        signal_breakdown: [(
            trace_id.as_str().to_owned(),
            evaluation
                .findings
                .iter()
                .filter_map(|finding| {
                    Some((finding.spec.name.as_str().to_owned(), finding.score?.get()))
                })
                .collect(),
        )]
        .into(),
        scores: evaluation
            .findings
            .iter()
            .map(|finding| DumpScore {
                metric: finding.spec.name.clone(),
                value: finding.score.map(harness_core::Score::get),
                threshold: finding.spec.threshold.get(),
                breached: has(finding, Condition::Breach),
                below_threshold: finding
                    .score
                    .is_some_and(|score| score < finding.spec.threshold),
                stalled: has(finding, Condition::Stall),
                regressed: has(finding, Condition::Regression),
                pending: finding.is_pending,
                reason: finding.reason.clone(),
                trace_id: Some(trace_id.clone()),
                tier: finding.spec.tier.number(),
                flagged_traces: Vec::new(),
                aggregation: "last".to_owned(),
            })
            .collect(),
        x_traces: trace.into_iter().collect(),
    }
}

fn summary(evaluation: &Evaluation) -> CleanString {
    let mut text = String::new();
    let alerting = evaluation
        .findings
        .iter()
        .filter(|finding| !finding.conditions.is_empty());
    for finding in alerting.take(MAX_NAMED) {
        let conditions: Vec<&str> = finding.conditions.iter().map(|c| c.as_str()).collect();
        let score = finding
            .score
            .map_or_else(|| "no score".to_owned(), |score| score.to_string());
        if !text.is_empty() {
            text.push_str("; ");
        }
        let _ = write!(
            text,
            "{} {score} [{}, threshold {}]",
            finding.spec.name,
            conditions.join(", "),
            finding.spec.threshold
        );
    }
    CleanText::new(text).unwrap_or_else(|_| CleanText::empty())
}
