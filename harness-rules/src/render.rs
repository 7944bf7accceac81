//! The rendered files: a guide with an index of scopes, and one page a scope.
//!
//! They are for people, who read them as Markdown, so rule text is escaped: no HTML, link or image
//! in it comes alive. Agents must not read them: a file has no session and would undo the
//! assignment of every trial.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use harness_core::{RuleStatus, Scope, TASK_TOOLS};

use crate::ledger::{Ledger, RuleRecord};

/// What the guide is, in one sentence.
pub(crate) const DESCRIPTION: &str = "Rules learned from this agent's own failures, each proven or on trial; look here before work \
     that may have gone wrong before.";

/// How to use the four tools.
pub(crate) const GUIDE: &str = "\
List the scopes, read the one that fits the task, or search for a topic. An active rule has passed \
a trial; a provisional one is on trial, so prefer active rules where two disagree. Retired rules \
are not shown. Scopes are names, not paths; `global` holds rules for any task.";

/// The line after which the index is generated.
const INDEX_MARKER: &str = "<!-- index: generated, edits below are lost -->";

/// Active rules and candidates by scope; `global` is always there.
pub(crate) fn scope_counts(ledger: &Ledger) -> BTreeMap<Scope, (u64, u64)> {
    let mut counts = BTreeMap::from([(Scope::global(), (0, 0))]);
    counts.extend(ledger.shelves().live_scopes().map(|(scope, shelf)| {
        let count = (shelf.active().len() as u64, shelf.candidates().len() as u64);
        (scope.clone(), count)
    }));
    counts
}

/// The guide with its index.
pub(crate) fn guide(ledger: &Ledger) -> String {
    let mut out = String::from("---\nname: learned-rules\ndescription: ");
    out.push_str(DESCRIPTION);
    out.push_str("\nallowed-tools:\n");
    for tool in TASK_TOOLS {
        let _ = writeln!(out, "  - {tool}");
    }
    let _ = write!(
        out,
        "---\n\n# Learned rules\n\n{GUIDE}\n\n## Scopes\n\n{INDEX_MARKER}\n"
    );
    for (scope, (active, provisional)) in scope_counts(ledger) {
        let _ = write!(
            out,
            "\n- [`{scope}`](rules/{scope}.md)\n  {}\n  {active} active, {provisional} provisional\n",
            describe(&scope)
        );
    }
    out
}

/// The page of a scope; one without live rules is rendered empty.
pub(crate) fn page(ledger: &Ledger, scope: &Scope, text_of_candidates: bool) -> String {
    let mut rules: Vec<&RuleRecord> = ledger.live_in(scope).collect();
    rules.sort_by_key(|record| record.added_seq);
    let mut out = format!("# Rules: {scope}\n\n{}\n", describe(scope));
    let is_active = |record: &&&RuleRecord| record.status == RuleStatus::Active;
    for record in rules.iter().filter(is_active) {
        out.push_str(&bullet(record));
    }
    let provisional: Vec<&&RuleRecord> = rules.iter().filter(|record| !is_active(record)).collect();
    if !provisional.is_empty() {
        out.push_str("\n## Provisional\n");
        for record in provisional {
            if text_of_candidates {
                out.push_str(&bullet(record));
            } else {
                let id = &record.rule.id;
                let _ = write!(out, "\n- **{id}**: on trial; text through the tools\n");
            }
        }
    }
    out
}

fn bullet(record: &RuleRecord) -> String {
    let rule = &record.rule;
    let mut out = format!("\n- **{}**: {}\n", rule.id, escaped(rule.text.as_str()));
    let rationale = rule.rationale.as_str().replace(['\n', '\t'], " ");
    let _ = write!(
        out,
        "  - rationale: {} (added {}",
        escaped(rationale.trim()),
        rule.created_at
    );
    if let Some(notice) = &rule.source_notice {
        let _ = write!(out, ", from notice {notice}");
    }
    if record.imported {
        out.push_str(", imported");
    }
    out.push_str(")\n");
    out
}

fn describe(scope: &Scope) -> String {
    match scope.as_str() {
        Scope::GLOBAL => "Rules for any task.".to_owned(),
        Scope::SCOPED => "Specific rules that have no better name.".to_owned(),
        name => format!("Rules learned in the context of `{name}`."),
    }
}

/// Text as Markdown that shows it and does nothing else. Code spans stay code spans where they are
/// closed; elsewhere whatever could start markup, a link (also one without brackets) or an entity
/// is written with a backslash, which Markdown takes for the character itself.
fn escaped(text: &str) -> String {
    let spans_closed = text.matches('`').count().is_multiple_of(2);
    let mut out = String::with_capacity(text.len() + 16);
    let mut in_code = false;
    for character in text.chars() {
        match character {
            '`' if spans_closed => {
                in_code = !in_code;
                out.push('`');
            }
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '!' | '|' | '~' | '#' | '@'
                if !in_code =>
            {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    out.replace("://", ":\\/\\/").replace("www.", "www\\.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_rule_comes_alive() {
        for (hostile, dead) in [
            ("<script>x</script>", "\\<script\\>x\\</script\\>"),
            ("![x](http://h/p)", "\\!\\[x\\](http:\\/\\/h/p)"),
            ("see www.example.org", "see www\\.example.org"),
            ("a` <b>", "a\\` \\<b\\>"),
            ("me@example.org", "me\\@example.org"),
        ] {
            assert_eq!(escaped(hostile), dead);
        }
    }

    #[test]
    fn ordinary_advice_reads_as_it_was_written() {
        let advice = "Call `list_files` before `read_file`, then use a name it returned.";
        assert_eq!(escaped(advice), advice);
    }
}
