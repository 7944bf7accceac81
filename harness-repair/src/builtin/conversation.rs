//! What to call next, from what has been answered so far.

use harness_core::{TASK_TOOLS, Tags};
use serde_json::{Map, Value, json};

use super::facts::{Facts, text};
use super::lesson::{Diagnosis, Lesson, diagnose};
use crate::model::Exchange;
use crate::tools::Tool;

/// Traces that are inspected at most.
const MAX_TRACES: usize = 3;
/// Rules that are looked at for one that covers the lesson.
const SEARCH_LIMIT: u64 = 10;
/// Characters of a refusal that go into a note.
const MAX_REASON: usize = 300;

type Call = (&'static str, Value);

/// The calls of the next reply; none where the episode has nothing more to offer.
pub(super) fn next(exchange: &[Exchange]) -> Vec<Call> {
    let answers = Answers::read(exchange);
    let [_, _, search, _] = TASK_TOOLS;
    let Some(notices) = answers.last(Tool::NOTICE_READ) else {
        return vec![(Tool::NOTICE_READ, json!({}))];
    };
    let inspected: Vec<&Value> = answers.all(Tool::TRACE_INSPECT).collect();
    if inspected.is_empty() {
        return inspect(notices);
    }
    let traces: Vec<Facts> = inspected.into_iter().map(Facts::read).collect();
    let lesson = match diagnose(&traces) {
        Diagnosis::Lesson(lesson) => lesson,
        Diagnosis::Unactionable(why) => return resolve("unactionable", why),
        Diagnosis::Nothing(why) => return resolve("no_proposal", why),
    };
    let Some(found) = answers.last(search) else {
        return vec![(
            search,
            json!({ "query": lesson.query(), "limit": SEARCH_LIMIT }),
        )];
    };
    match answers.last(Tool::RULE_ADD) {
        Some(added) if is_ok(added) => vec![(Tool::NOTICE_ACK, json!({}))],
        Some(refused) => {
            let reason: String = text(refused, "error").chars().take(MAX_REASON).collect();
            resolve("no_proposal", &format!("the rule was refused: {reason}"))
        }
        None => cover(&lesson, notices, found)
            .unwrap_or_else(|| vec![(Tool::RULE_ADD, lesson.proposal(notices))]),
    }
}

/// Inspects the flagged traces, or the one that is kept where the notices name none.
fn inspect(notices: &Value) -> Vec<Call> {
    let mut ids: Vec<&str> = each(notices, "notices")
        .flat_map(|notice| each(notice, "flagged_traces"))
        .filter_map(Value::as_str)
        .collect();
    ids.dedup();
    ids.truncate(MAX_TRACES);
    if ids.len() < 2 {
        return vec![(Tool::TRACE_INSPECT, json!({}))];
    }
    ids.into_iter()
        .map(|id| (Tool::TRACE_INSPECT, json!({ "trace_id": id })))
        .collect()
}

fn resolve(how: &str, why: &str) -> Vec<Call> {
    vec![(
        Tool::NOTICE_RESOLVE,
        json!({ "resolution": how, "note": why }),
    )]
}

/// Resolves by a rule that says it already: the same text, or the same tool and failure.
fn cover(lesson: &Lesson, notices: &Value, found: &Value) -> Option<Vec<Call>> {
    let (scope, _) = scope(notices);
    let by = each(found, "rules")
        .filter(|rule| ["global", scope].contains(&text(rule, "scope")))
        .find(|rule| lesson.is_covered_by(text(rule, "rule")))?;
    let how = if text(by, "status") == "active" {
        "duplicate"
    } else {
        "already_covered"
    };
    Some(vec![(
        Tool::NOTICE_RESOLVE,
        json!({ "resolution": how, "rule_id": text(by, "id") }),
    )])
}

impl Lesson {
    fn query(&self) -> String {
        match (&self.tool, self.class) {
            (Some(tool), Some(class)) => format!("{} {class}", tool.as_str()),
            (Some(tool), None) => tool.as_str().to_owned(),
            (None, _) => self.rule.clone(),
        }
    }

    fn is_covered_by(&self, rule: &str) -> bool {
        let same_subject = || {
            let tool = self.tool.as_ref()?;
            let class = self.class?;
            Some(rule.split('`').nth(1)? == tool.as_str() && rule.contains(&format!("`{class}`")))
        };
        rule == self.rule || same_subject().unwrap_or(false)
    }

    fn proposal(&self, notices: &Value) -> Value {
        let mut proposal = json!({ "rule": self.rule, "rationale": self.rationale });
        let (scope, applicability) = scope(notices);
        let tags = [
            Some(self.kind),
            self.tool
                .as_ref()
                .map(|tool| tool.as_str())
                .filter(|tool| tool.len() <= Tags::MAX_CHARS),
            self.class.map(|class| class.as_str()),
        ];
        if let Some(fields) = proposal.as_object_mut() {
            fields.insert("tags".into(), tags.into_iter().flatten().collect());
            if let Some(metric) = self.metric(notices) {
                fields.insert("metric".into(), metric.into());
            }
            if scope != "global" {
                fields.insert("scope".into(), scope.into());
                fields.insert("applicability".into(), applicability.into());
                fields.insert(
                    "scope_rationale".into(),
                    "the host recommends this scope".into(),
                );
            }
        }
        proposal
    }

    /// The alerting metric that the lesson should mend: the best of its own, else one that
    /// breached, else any.
    fn metric<'n>(&self, notices: &'n Value) -> Option<&'n str> {
        let alerting: Vec<&Value> = each(notices, "notices")
            .flat_map(|notice| each(notice, "metrics"))
            .filter(|metric| each(metric, "conditions").next().is_some())
            .collect();
        let named = |name: &str| {
            alerting
                .iter()
                .find(|metric| text(metric, "metric") == name)
        };
        let breached = || {
            alerting
                .iter()
                .find(|metric| each(metric, "conditions").any(|with| with == "breach"))
        };
        self.metrics
            .iter()
            .find_map(|name| named(name))
            .or_else(breached)
            .or(alerting.first())
            .map(|metric| text(metric, "metric"))
    }
}

/// The scope that the host recommends and how widely its rules apply; else `global`.
fn scope(notices: &Value) -> (&str, &str) {
    let recommended = each(notices, "notices").find_map(|notice| {
        let scope = notice.get("recommended_scope")?.as_str()?;
        let hint = each(notice, "scope_hints").find(|hint| text(hint, "scope") == scope);
        let applicability = hint.map_or(text(notice, "applicability_hint"), |hint| {
            text(hint, "applicability")
        });
        Some((
            scope,
            if applicability == "task" {
                "task"
            } else {
                "topical"
            },
        ))
    });
    recommended.unwrap_or(("global", "global"))
}

/// The answers so far that say `ok`, or whatever was said where it matters.
struct Answers(Vec<(String, Value)>);

impl Answers {
    fn read(exchange: &[Exchange]) -> Self {
        let answers = exchange.iter().filter_map(|step| match step {
            Exchange::Answers(answers) => Some(answers),
            Exchange::Reply { .. } | Exchange::Reminder(_) => None,
        });
        let read = answers.flatten().map(|answer| {
            let content = serde_json::from_str(answer.content.as_str());
            (
                answer.name.as_str().to_owned(),
                content.unwrap_or(Value::Object(Map::new())),
            )
        });
        Self(read.collect())
    }

    fn all(&self, tool: &str) -> impl Iterator<Item = &Value> {
        self.0
            .iter()
            .filter(move |(name, _)| name == tool)
            .map(|(_, answer)| answer)
    }

    fn last(&self, tool: &str) -> Option<&Value> {
        self.all(tool).last()
    }
}

fn is_ok(answer: &Value) -> bool {
    answer.get("ok") == Some(&Value::Bool(true))
}

/// The items of a list; none where there is none.
fn each<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}
