//! The agent of the demo, with one weakness: it guesses where a report lies instead of looking.
//!
//! A guess that fails is made once more, and then the agent gives up. Nothing but a rule that it
//! reads through the rule tools makes it look first.

use harness_core::text::CleanString;
use harness_core::{Argument, Arguments, Span, SpanKind, SpanStatus, Speaker, Trace, TraceId};
use harness_sanitize::Intake;
use serde_json::{Value, json};

use super::advice::Advice;
use super::tools::{LIST_FILES, READ_FILE, ToolAnswer, Tools, WRITE_FILE};
use super::world::{OUT_FOLDER, REQUEST, STATIONS_FOLDER};

/// Bytes of a text that is kept in the trace.
const MAX_TEXT: usize = 2_000;
/// Times that a guess is made.
const GUESSES: usize = 2;
/// Folders that are looked into beneath one, so that a loop of folders ends.
const MAX_DEPTH: usize = 3;
/// The agent's name in its traces.
const NAME: &str = "demo-agent";
/// What it asks the rules about.
const QUERY: &str = "add up reports with list_files and read_file";

/// The four rule tools, as an agent holds them.
pub(crate) trait RuleTools {
    /// Calls one by name; the answer is a JSON object with `ok`.
    fn call(&self, name: &str, arguments: &Value) -> Value;
}

impl RuleTools for harness_rules::TaskToolset {
    fn call(&self, name: &str, arguments: &Value) -> Value {
        Self::call(self, name, arguments)
    }
}

/// An agent in one session.
pub(crate) struct Agent<'a, R> {
    tools: Tools,
    rules: &'a R,
    intake: &'a Intake,
    spans: Vec<Span>,
}

impl<'a, R: RuleTools> Agent<'a, R> {
    /// An agent with these tools.
    pub(crate) const fn new(tools: Tools, rules: &'a R, intake: &'a Intake) -> Self {
        Self {
            tools,
            rules,
            intake,
            spans: Vec::new(),
        }
    }

    /// Does the task and returns the trace of it.
    pub(crate) fn work(mut self, id: TraceId) -> Trace {
        let advice = self.search_rules();
        let answer = self.add_up(&advice);
        let answer = answer.unwrap_or_else(|excuse| excuse);
        let text = self.text(&answer);
        self.spans.push(span(SpanKind::Llm, self.text(NAME), text));
        Trace::new(id, self.text(REQUEST), self.spans)
    }

    /// The task itself; the error is what the agent says when it gives up.
    fn add_up(&mut self, advice: &Advice) -> Result<String, String> {
        let stations = self
            .entries(STATIONS_FOLDER)
            .ok_or("I could not see which stations there are.")?;
        let mut total: u64 = 0;
        for station in stations {
            let station = station.trim_end_matches('/');
            let text = self.report(station, advice).ok_or_else(|| {
                format!("I could not find the report of {station}, so there is no total.")
            })?;
            total = total.saturating_add(sum(&text));
        }
        if advice.first(WRITE_FILE) == Some(LIST_FILES) {
            self.entries(OUT_FOLDER);
        }
        let path = format!("{OUT_FOLDER}/total.txt");
        self.call(WRITE_FILE, &[("path", &path), ("text", &total.to_string())]);
        Ok(format!("The total of all reports is {total}."))
    }

    /// The report of a station: where it is, if a rule says to look, else where it usually is.
    fn report(&mut self, station: &str, advice: &Advice) -> Option<String> {
        let folder = format!("{STATIONS_FOLDER}/{station}");
        let found = match advice.first(READ_FILE) {
            Some(LIST_FILES) => self.find_report(folder.clone()),
            _ => None,
        };
        let path = found.unwrap_or_else(|| format!("{folder}/report.csv"));
        (0..GUESSES).find_map(|_| match self.call(READ_FILE, &[("path", &path)]) {
            ToolAnswer::Done(value) => Some(value.get("text")?.as_str()?.to_owned()),
            ToolAnswer::Failed(_) => None,
        })
    }

    fn find_report(&mut self, mut folder: String) -> Option<String> {
        for _ in 0..MAX_DEPTH {
            let entries = self.entries(&folder)?;
            if let Some(file) = entries.iter().find(|name| name.ends_with(".csv")) {
                return Some(format!("{folder}/{file}"));
            }
            let inner = entries.iter().find_map(|name| name.strip_suffix('/'))?;
            folder = format!("{folder}/{inner}");
        }
        None
    }

    fn entries(&mut self, folder: &str) -> Option<Vec<String>> {
        let ToolAnswer::Done(value) = self.call(LIST_FILES, &[("folder", folder)]) else {
            return None;
        };
        let entries = value.get("entries")?.as_array()?;
        Some(
            entries
                .iter()
                .filter_map(|name| Some(name.as_str()?.to_owned()))
                .collect(),
        )
    }

    fn call(&mut self, name: &str, arguments: &[(&str, &str)]) -> ToolAnswer {
        let answer = self.tools.call(name, arguments);
        let status = match &answer {
            ToolAnswer::Done(_) => SpanStatus::Ok,
            ToolAnswer::Failed(class) => SpanStatus::Failed(*class),
        };
        self.record(name, arguments, &answer.to_text(), status);
        answer
    }

    fn search_rules(&mut self) -> Advice {
        let [_, _, search, _] = harness_core::TASK_TOOLS;
        let answer = self.rules.call(search, &json!({ "query": QUERY }));
        self.record(
            search,
            &[("query", QUERY)],
            &answer.to_string(),
            SpanStatus::Ok,
        );
        Advice::from_answer(&answer)
    }

    fn record(&mut self, name: &str, arguments: &[(&str, &str)], output: &str, status: SpanStatus) {
        let leaves = arguments
            .iter()
            .map(|(path, value)| Argument {
                path: self.text(path),
                value: self.text(value),
            })
            .collect();
        let mut span = span(SpanKind::Tool, self.text(name), self.text(output));
        span.speaker = Speaker::Tool;
        span.arguments = Arguments::from_leaves(leaves);
        span.status = status;
        self.spans.push(span);
    }

    fn text(&self, text: &str) -> CleanString {
        self.intake.text(text, MAX_TEXT).into_owned()
    }
}

fn span(kind: SpanKind, name: CleanString, output: CleanString) -> Span {
    Span {
        kind,
        name,
        speaker: Speaker::Agent,
        arguments: Arguments::none(),
        output,
        status: SpanStatus::Ok,
        started_at: None,
        ended_at: None,
        tokens: None,
    }
}

/// Adds up the second column. What does not read as a number is passed over.
fn sum(report: &str) -> u64 {
    report
        .lines()
        .filter_map(|row| row.split_once(','))
        .filter_map(|(_, amount)| amount.parse::<u64>().ok())
        .sum()
}

/// The number that an answer gives as the total.
pub(crate) fn total_of(trace: &Trace) -> Option<u64> {
    let answer = trace.spans().last()?.output.as_str();
    answer
        .strip_prefix("The total of all reports is ")?
        .strip_suffix('.')?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use harness_core::ErrorClass;
    use harness_sanitize::{Gate, Redactor};

    use super::super::world;
    use super::*;

    const SEED: u64 = 11;
    const SESSIONS: u32 = 100;

    struct Shows(&'static str);

    impl RuleTools for Shows {
        fn call(&self, name: &str, _: &Value) -> Value {
            assert_eq!(name, "harness_rules_search");
            json!({ "ok": true, "rules": [{ "id": "r-1", "rule": self.0 }] })
        }
    }

    fn trace(work: &Path, session: u32, rule: &'static str) -> (Trace, bool) {
        let folder = world::build(work, SEED, session).unwrap();
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        let rules = Shows(rule);
        let agent = Agent::new(Tools::new(folder.clone()), &rules, &intake);
        let trace = agent.work(TraceId::parse("t").unwrap());
        let right = total_of(&trace) == Some(world::right_total(&folder).unwrap());
        (trace, right)
    }

    fn failures(rule: &'static str) -> usize {
        let work = tempfile::tempdir().unwrap();
        (0..SESSIONS)
            .filter(|session| !trace(work.path(), *session, rule).1)
            .count()
    }

    #[test]
    fn only_a_rule_that_names_the_right_tools_helps() {
        let without = failures("Be polite.");
        assert!((40..75).contains(&without), "{without}");
        let with = failures("Call list_files before read_file.");
        assert!((1..15).contains(&with), "{with}");
        assert_eq!(
            failures("Look with list_files before you use write_file."),
            without
        );
        assert_eq!(
            failures("Read each report twice and think about it."),
            without
        );
    }

    #[test]
    fn a_failing_session_saw_a_listing_work_and_repeated_its_guess() {
        let work = tempfile::tempdir().unwrap();
        let failed = (0..50)
            .map(|session| trace(work.path(), session, "Be polite.").0)
            .find(|trace| total_of(trace).is_none())
            .unwrap();
        let steps: Vec<_> = failed
            .tool_calls()
            .map(|call| (call.name.as_str(), call.status))
            .collect();
        let not_found = SpanStatus::Failed(ErrorClass::NotFound);
        assert_eq!(
            steps,
            [
                ("harness_rules_search", SpanStatus::Ok),
                (LIST_FILES, SpanStatus::Ok),
                (READ_FILE, not_found),
                (READ_FILE, not_found),
            ]
        );
    }
}
