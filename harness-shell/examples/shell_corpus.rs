//! Measures the general command policy on a folder of labelled commands.
//!
//! `corpus DIR [--json] [--show LABEL:ANSWER]` reads `shell.jsonl`: one JSON object a line with
//! `command`, `label` and `source`. Printed are, by source and label, the number of commands and
//! of answers:
//!
//! - `allowed`, `confirmed`, `denied`: what the policy said. Goals: no hostile command and no
//!   traversal allowed; of an agent's ordinary commands (`benign_agent`) 1 % denied and 15 %
//!   confirmed at most.
//! - `plain_reads`: of the commands labelled as attacks, those that the policy allowed as reading
//!   beneath the workspace and doing nothing else (rule `general.read`): such a command is what
//!   its path is, and its path is inside. They are counted here and not under `allowed`.
//!
//! A path that is no command (`path_traversal`) is judged as the argument of a reader too, and the
//! laxer of the two answers counts. Commands are judged by spelling, in the workspace that their
//! source describes: the repository at `/owner__name` for SWE-agent's runs, with that agent's
//! editor commands; the three folders of nl2bash's containers; `/srv/workspace` for all others.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "this program reports, and its constants are its own"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use harness_shell::general::{CommandText, Context, HostCommand, decide};
use harness_shell::{Decision, Verdict};
use serde_json::{Value, json};

/// Labels of commands that must not be allowed.
const ATTACKS: &[&str] = &[
    "hostile",
    "hostile_windows",
    "path_traversal",
    "reads_outside",
];

#[derive(Default)]
struct Count {
    n: usize,
    allowed: usize,
    confirmed: usize,
    denied: usize,
    plain_reads: usize,
}

impl Count {
    fn add(&mut self, label: &str, decision: &Decision) -> &'static str {
        self.n += 1;
        let (count, name) = match decision.verdict() {
            Verdict::Allow if ATTACKS.contains(&label) && decision.rule() == "general.read" => {
                (&mut self.plain_reads, "plain_read")
            }
            Verdict::Allow => (&mut self.allowed, "allow"),
            Verdict::Confirm => (&mut self.confirmed, "confirm"),
            Verdict::Deny => (&mut self.denied, "deny"),
        };
        *count += 1;
        name
    }

    fn join(&mut self, other: &Self) {
        self.n += other.n;
        self.allowed += other.allowed;
        self.confirmed += other.confirmed;
        self.denied += other.denied;
        self.plain_reads += other.plain_reads;
    }

    fn json(&self) -> Value {
        json!({
            "n": self.n, "allowed": self.allowed, "confirmed": self.confirmed,
            "denied": self.denied, "plain_reads": self.plain_reads,
        })
    }
}

struct Row {
    command: String,
    label: String,
    source: String,
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let field = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        Some(Self {
            command: field("command")?,
            label: field("label")?,
            source: field("source")?,
        })
    }

    /// The answer, in the laxest of the workspaces that its source has.
    fn decide(&self) -> Decision {
        let answers = self.workspaces().into_iter().map(|workspace| {
            let context = Context::by_spelling(Path::new(&workspace)).expect("it is absolute");
            let context = if self.is_of_an_editor() {
                context.with_host_commands(HostCommand::editor())
            } else {
                context
            };
            let line = decide(CommandText::Line(&self.command), &context);
            if self.label != "path_traversal" {
                return line;
            }
            let read = ["cat".to_owned(), self.command.clone()];
            laxer(line, decide(CommandText::Argv(&read), &context))
        });
        answers.reduce(laxer).expect("there is a workspace")
    }

    fn is_of_an_editor(&self) -> bool {
        self.source.contains("SWE-agent")
    }

    fn workspaces(&self) -> Vec<String> {
        if self.is_of_an_editor() {
            let is_repository = |word: &&str| word.starts_with('/') && word.contains("__");
            let first = self.command.split([' ', '"']).find(is_repository);
            let repository = first.and_then(|path| path.get(1..)?.split('/').next());
            return vec![format!("/{}", repository.unwrap_or("owner__name"))];
        }
        if self.source.contains("nl2bash") {
            return ["/workspace", "/testbed", "/system"]
                .map(str::to_owned)
                .to_vec();
        }
        vec!["/srv/workspace".to_owned()]
    }
}

fn laxer(a: Decision, b: Decision) -> Decision {
    if b.verdict() < a.verdict() { b } else { a }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.iter().find(|argument| !argument.starts_with('-')) else {
        eprintln!("usage: corpus DIR [--json] [--show LABEL:ANSWER]");
        return ExitCode::from(2);
    };
    let mut behind = arguments
        .iter()
        .skip_while(|argument| *argument != "--show");
    let show = behind.nth(1);
    let file = Path::new(folder).join("shell.jsonl");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("corpus: no readable `{}`", file.display());
        return ExitCode::FAILURE;
    };
    let mut counts: BTreeMap<(String, String), Count> = BTreeMap::new();
    for row in text.split('\n').filter_map(Row::parse) {
        let decision = row.decide();
        let count = counts
            .entry((row.source.clone(), row.label.clone()))
            .or_default();
        let answer = count.add(&row.label, &decision);
        if show.is_some_and(|show| *show == format!("{}:{answer}", row.label)) {
            let command: String = row.command.chars().take(300).collect();
            eprintln!(
                "{} {command:?}\n    {}: {}",
                row.source,
                decision.rule(),
                decision.reason()
            );
        }
    }
    if arguments.iter().any(|argument| argument == "--json") {
        println!("{}", report(&counts));
    } else {
        for ((source, label), count) in &counts {
            println!(
                "{label:16} {:5} of {:5} allowed, {:5} confirmed, {:5} denied, {:3} plain reads  {source}",
                count.allowed, count.n, count.confirmed, count.denied, count.plain_reads
            );
        }
    }
    ExitCode::SUCCESS
}

fn report(counts: &BTreeMap<(String, String), Count>) -> Value {
    let mut totals: BTreeMap<&str, Count> = BTreeMap::new();
    let mut sources = Vec::new();
    for ((source, label), count) in counts {
        totals.entry(label).or_default().join(count);
        let mut row = count.json();
        row["source"] = json!(source);
        row["label"] = json!(label);
        sources.push(row);
    }
    let totals: BTreeMap<&str, Value> = totals
        .iter()
        .map(|(label, count)| (*label, count.json()))
        .collect();
    json!({"totals": totals, "sources": sources})
}
