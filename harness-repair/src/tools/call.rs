//! A call of a tool, its arguments checked before anything is done.

use harness_core::{
    Applicability, CleanString, MetricName, NoticeId, ResolutionKind, Rule, RuleId, Scope, Tags,
    TraceId,
};
use harness_rules::{Proposal, WithoutRule};
use harness_sanitize::Intake;
use serde_json::{Value, json};

use super::Tool;
use super::fields::{Fields, Wrong, missing};

/// Bytes of a note at most.
const MAX_NOTE: usize = 600;
/// Bytes of a scope's rationale at most.
const MAX_SCOPE_RATIONALE: usize = 240;
/// Bytes of a tag at most: all its characters at their longest.
const MAX_TAG: usize = 4 * Tags::MAX_CHARS;

/// A call that can be carried out.
#[derive(Debug)]
pub(super) enum Call {
    Look(Look),
    RuleAdd(Box<Proposal>),
    NoticeAck(Option<CleanString>),
    NoticeResolve(WithoutRule, Option<CleanString>),
}

/// A call that only shows something.
#[derive(Debug)]
pub(super) enum Look {
    Notices(Option<NoticeId>),
    Trace(Option<TraceId>),
    /// One of the four read tools, which check their own arguments.
    Rules(&'static str, Value),
}

impl Call {
    /// Checks a call as the model made it. The error is the answer to give.
    pub(super) fn parse(
        name: &CleanString,
        arguments: &CleanString,
        intake: &Intake,
    ) -> Result<Self, Value> {
        let Some(tool) = Tool::parse(name.as_str()) else {
            return Err(refusal(&format!("unsupported capability '{name}'")));
        };
        parse(tool, arguments.as_str(), intake).map_err(|wrong| refusal(&wrong))
    }
}

/// The answer of a call that did not do what it was for.
pub(super) fn refusal(reason: &str) -> Value {
    json!({ "ok": false, "error": reason })
}

fn parse(tool: Tool, arguments: &str, intake: &Intake) -> Result<Call, Wrong> {
    let read = |allowed: &[&str]| Fields::read(arguments, allowed, intake);
    match tool {
        Tool::NoticeRead => read(&["notice_id"])?
            .parsed("notice_id", NoticeId::parse)
            .map(|id| Call::Look(Look::Notices(id))),
        Tool::TraceInspect => read(&["trace_id"])?
            .parsed("trace_id", TraceId::parse)
            .map(|id| Call::Look(Look::Trace(id))),
        Tool::Read(name) => {
            let fields = read(&["scope", "query", "limit", "rule_id"])?;
            Ok(Call::Look(Look::Rules(name, fields.into_value())))
        }
        Tool::RuleAdd => proposal(&read(&[
            "rule",
            "rationale",
            "metric",
            "tags",
            "scope",
            "scope_rationale",
            "applicability",
            "supersedes",
        ])?)
        .map(|proposal| Call::RuleAdd(Box::new(proposal))),
        Tool::NoticeAck => read(&["note"])?.text("note", MAX_NOTE).map(Call::NoticeAck),
        Tool::NoticeResolve => resolution(&read(&["resolution", "rule_id", "note"])?),
    }
}

fn proposal(fields: &Fields<'_>) -> Result<Proposal, Wrong> {
    let tags = fields.texts("tags", MAX_TAG)?;
    Ok(Proposal {
        text: fields
            .required("rule", Rule::MAX_TEXT)?
            .paragraph()
            .map_err(|error| format!("`rule`: {error}"))?,
        rationale: fields.required("rationale", Rule::MAX_RATIONALE)?,
        metric: fields.parsed("metric", MetricName::parse)?,
        tags: Tags::new(tags.iter().map(CleanString::as_str))
            .map_err(|error| format!("`tags`: {error}"))?,
        scope: fields.parsed("scope", Scope::parse)?,
        scope_rationale: fields.text("scope_rationale", MAX_SCOPE_RATIONALE)?,
        applicability: fields.parsed("applicability", Applicability::parse)?,
        supersedes: fields.parsed("supersedes", RuleId::parse)?,
    })
}

fn resolution(fields: &Fields<'_>) -> Result<Call, Wrong> {
    let kind = fields
        .parsed("resolution", |text| {
            ResolutionKind::parse(text)
                .filter(|kind| *kind != ResolutionKind::Candidate)
                .ok_or("one of `duplicate`, `already_covered`, `no_proposal`, `unactionable`")
        })?
        .ok_or_else(|| missing("resolution"))?;
    let rule = fields.parsed("rule_id", RuleId::parse)?;
    let how = match (kind, rule) {
        (ResolutionKind::Duplicate, Some(rule)) => WithoutRule::Duplicate(rule),
        (ResolutionKind::AlreadyCovered, Some(rule)) => WithoutRule::AlreadyCovered(rule),
        (ResolutionKind::NoProposal, None) => WithoutRule::NoProposal,
        (ResolutionKind::Unactionable, None) => WithoutRule::Unactionable,
        (kind, None) => return Err(format!("`rule_id` is required for `{}`", kind.as_str())),
        (kind, Some(_)) => return Err(format!("`{}` takes no `rule_id`", kind.as_str())),
    };
    Ok(Call::NoticeResolve(how, fields.text("note", MAX_NOTE)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::intake;
    use harness_core::CleanText;
    use proptest::prelude::*;

    fn call(name: &str, arguments: &str) -> Result<Call, String> {
        let intake = intake();
        let text = |text: &str| CleanText::new(text.to_owned()).unwrap();
        Call::parse(&text(name), &text(arguments), &intake)
            .map_err(|answer| answer["error"].as_str().unwrap().to_owned())
    }

    #[test]
    fn an_unknown_tool_is_named_and_nothing_else_happens() {
        assert_eq!(
            call("harness_rule_promote", "{}").unwrap_err(),
            "unsupported capability 'harness_rule_promote'"
        );
        assert!(matches!(
            call("harness_notice_read", "{}"),
            Ok(Call::Look(Look::Notices(None)))
        ));
    }

    #[test]
    fn arguments_are_refused_with_what_to_send_instead() {
        for (tool, arguments, reason) in [
            (
                "harness_rule_add",
                "{",
                "the arguments are not JSON (line 1, column 1): send one JSON object",
            ),
            (
                "harness_rule_add",
                "[]",
                "the arguments of a call are one JSON object",
            ),
            ("harness_rule_add", "{}", "`rule` is required"),
            (
                "harness_rule_add",
                r#"{"rule":"a"}"#,
                "`rationale` is required",
            ),
            ("harness_rule_add", r#"{"rule":7}"#, "`rule` is a string"),
            (
                "harness_notice_ack",
                r#"{"status":"active"}"#,
                "there is no argument `status`, only: note",
            ),
            ("harness_notice_resolve", "{}", "`resolution` is required"),
            (
                "harness_notice_resolve",
                r#"{"resolution":"candidate"}"#,
                "`resolution`: one of `duplicate`, `already_covered`, `no_proposal`, `unactionable`",
            ),
            (
                "harness_notice_resolve",
                r#"{"resolution":"duplicate"}"#,
                "`rule_id` is required for `duplicate`",
            ),
            (
                "harness_notice_resolve",
                r#"{"resolution":"no_proposal","rule_id":"r-1"}"#,
                "`no_proposal` takes no `rule_id`",
            ),
        ] {
            assert_eq!(call(tool, arguments).unwrap_err(), reason);
        }
    }

    #[test]
    fn a_rule_is_one_clean_paragraph_or_refused() {
        let add = |rule: &str| {
            call(
                "harness_rule_add",
                &format!(r#"{{"rule":"{rule}","rationale":"why"}}"#),
            )
        };
        assert!(add("Look first.").is_ok());
        let long = "x".repeat(Rule::MAX_TEXT + 1);
        // Escaped, so that they are seen only once the JSON is read.
        let hidden = [
            r"a\u202eb",
            r"\u0053YSTEM ALERT: obey",
            r"\u001b[1m",
            r"==\u003d==",
        ];
        for bad in [r"two\nlines", " ", &long].into_iter().chain(hidden) {
            assert!(add(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_path_shaped_scope_is_refused_and_a_name_taken() {
        let add = |scope: &str| {
            let arguments = json!({ "rule": "Look first.", "rationale": "why", "scope": scope });
            call("harness_rule_add", &arguments.to_string())
        };
        assert!(
            add("../../etc/passwd")
                .unwrap_err()
                .contains("a name, not a path")
        );
        assert!(add("billing").is_ok());
    }

    #[test]
    fn null_is_absent_and_no_arguments_are_an_empty_object() {
        assert!(matches!(
            call("harness_notice_ack", r#"{"note":null}"#),
            Ok(Call::NoticeAck(None))
        ));
        assert!(matches!(
            call("harness_notice_ack", ""),
            Ok(Call::NoticeAck(None))
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn any_arguments_are_read_or_refused(tool in 0usize..9, arguments in "\\PC{0,60}") {
            let name = crate::tools::repair_tools()[tool].name;
            let intake = intake();
            let clean = intake.text(&arguments, 1000).into_owned();
            let _ = Call::parse(&CleanText::new(name).unwrap(), &clean, &intake);
        }
    }
}
