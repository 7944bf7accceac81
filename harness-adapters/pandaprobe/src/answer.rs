//! What the platform answers, read without belief.

use harness_core::{CleanString, MetricName, Score};
use harness_sanitize::Intake;
use serde_json::Value;

/// Characters of an id that is passed back as an argument.
const MAX_ID: usize = 64;
/// Bytes of a score's reason that are kept.
const MAX_REASON: usize = 600;
/// Entries of a list that are read.
pub(crate) const MAX_ENTRIES: usize = 1000;

/// An id that can be an argument: letters, digits and hyphens, no option, no list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Id(String);

impl Id {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let ends = text.starts_with('-') || text.is_empty() || text.len() > MAX_ID;
        (plain && !ends).then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The entries of a list: bare, or in an object beside remarks on pages.
pub(crate) fn list(answer: &Value) -> &[Value] {
    let entries = match answer {
        Value::Array(entries) => Some(entries),
        Value::Object(fields) => ["items", "traces", "scores", "metrics", "data"]
            .iter()
            .find_map(|name| fields.get(*name).and_then(Value::as_array)),
        _ => None,
    };
    let entries = entries.map_or(&[][..], Vec::as_slice);
    entries.get(..MAX_ENTRIES).unwrap_or(entries)
}

pub(crate) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunState {
    /// It goes on, or says something that is not known.
    Running,
    /// It has ended, and what it has not scored it will not score soon.
    Done,
    /// It has ended without scores.
    Failed,
}

/// Reads the state of a run.
pub(crate) fn run_state(answer: &Value) -> RunState {
    match text(answer, "status") {
        Some("COMPLETED" | "PARTIAL") => RunState::Done,
        Some("FAILED" | "ERROR" | "CANCELLED") => RunState::Failed,
        _ => RunState::Running,
    }
}

/// One score of a judge.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judged {
    pub(crate) metric: MetricName,
    pub(crate) score: Score,
    pub(crate) reason: Option<CleanString>,
}

/// The scores that judges gave `trace`, the latest of each metric. What people or programs
/// submitted is no judge's, and what has failed is no score.
pub(crate) fn judged(answer: &Value, trace: &Id, intake: &Intake) -> Vec<Judged> {
    let mut found: Vec<(&str, Judged)> = Vec::new();
    for entry in list(answer) {
        let Some(score) = judgement(entry, trace, intake) else {
            continue;
        };
        let at = text(entry, "created_at").unwrap_or_default();
        match found
            .iter_mut()
            .find(|(_, known)| known.metric == score.metric)
        {
            Some(known) if known.0 <= at => *known = (at, score),
            Some(_) => {}
            None => found.push((at, score)),
        }
    }
    found.into_iter().map(|(_, score)| score).collect()
}

fn judgement(entry: &Value, trace: &Id, intake: &Intake) -> Option<Judged> {
    let is = |name: &str, wanted: &str| text(entry, name).is_none_or(|found| found == wanted);
    if !(is("trace_id", trace.as_str()) && is("status", "SUCCESS") && is("source", "AUTOMATED")) {
        return None;
    }
    let value = match entry.get("value")? {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    Some(Judged {
        metric: MetricName::parse(text(entry, "name")?).ok()?,
        score: Score::new(value)?,
        reason: text(entry, "reason")
            .map(|reason| intake.text(reason, MAX_REASON).into_owned())
            .filter(|reason| !reason.is_empty()),
    })
}

#[cfg(test)]
mod tests {
    use harness_sanitize::{Gate, Redactor};
    use serde_json::json;

    use super::*;

    fn scores(answer: &Value) -> Vec<(String, f64)> {
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        judged(answer, &Id::parse("t1").unwrap(), &intake)
            .iter()
            .map(|judged| (judged.metric.to_string(), judged.score.get()))
            .collect()
    }

    #[test]
    fn an_id_is_never_an_option_or_a_list() {
        for good in ["a1b2c3d4-0005-4000-8000-000000000001", "x"] {
            assert!(Id::parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "-x",
            "--reveal-secrets",
            "a,b",
            "a b",
            "a/b",
            "é",
            &"x".repeat(65),
        ] {
            assert!(Id::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn lists_have_two_shapes_and_scores_two_types() {
        let entries = json!([
            {"trace_id": "t1", "name": "coherence", "value": "0.25", "status": "SUCCESS"},
            {"trace_id": "t1", "name": "task_completion", "value": 1, "status": "SUCCESS"},
        ]);
        let wanted = [
            ("coherence".to_owned(), 0.25),
            ("task_completion".to_owned(), 1.0),
        ];
        for answer in [
            entries.clone(),
            json!({"items": entries}),
            json!({"traces": entries}),
        ] {
            assert_eq!(scores(&answer), wanted);
        }
        assert_eq!(scores(&json!({"items": 3})), []);
        assert_eq!(scores(&json!("none")), []);
    }

    #[test]
    fn what_is_no_judges_score_of_this_trace_is_none_and_the_latest_counts() {
        let score = |more: Value| {
            let mut entry = json!({"trace_id": "t1", "name": "coherence", "value": 0.5});
            for (name, value) in more.as_object().unwrap() {
                entry[name] = value.clone();
            }
            entry
        };
        for more in [
            json!({"trace_id": "t2"}),
            json!({"status": "FAILED"}),
            json!({"source": "PROGRAMMATIC"}),
            json!({"value": null}),
            json!({"value": "NaN"}),
            json!({"value": 1.5}),
            json!({"value": "-0.1"}),
            json!({"name": "No Metric"}),
        ] {
            assert_eq!(scores(&json!([score(more.clone())])), [], "{more}");
        }
        let later = score(json!({"value": 0.75, "created_at": "2026-11-30T11:00:01"}));
        let earlier = score(json!({"created_at": "2026-11-30T11:00:00"}));
        for both in [json!([later, earlier]), json!([earlier, later])] {
            assert_eq!(scores(&both), [("coherence".to_owned(), 0.75)]);
        }
    }

    #[test]
    fn a_state_that_is_not_known_goes_on() {
        for (status, state) in [
            (json!("COMPLETED"), RunState::Done),
            (json!("FAILED"), RunState::Failed),
            (json!("RUNNING"), RunState::Running),
            (json!("STARTING"), RunState::Running),
            (json!(null), RunState::Running),
        ] {
            assert_eq!(run_state(&json!({"status": status})), state);
        }
    }
}
