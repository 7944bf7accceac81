//! Measures the gate, the scan and the redactor on a folder of labelled texts.
//!
//! `corpus DIR [--json]` reads `unicode_ansi.jsonl`, `prompt_injection.jsonl` and `secrets.jsonl`
//! or `secrets.jsonl.gz` (unpacked by `gzip`): one JSON object a line with `text`, `label` and
//! `source`. A file that is not there is skipped and named on standard error. Printed are, by set,
//! source and label, the number of texts and of hits. What a hit is depends on the set:
//!
//! - `gate_survivors`: cleaned text that still holds a control, format, private-use or separator
//!   character, by a check that shares no code with the gate. Goal: none.
//! - `gate_changed`: benign text that came out other than it went in, line ends aside. Goal: none.
//! - `gate_changed_by_rule`: benign text that holds what clean text may not hold by definition: a
//!   decorative run, a byte-order mark, a bidirectional control, an escape sequence, a marker.
//!   These are no longer counted under `gate_changed`.
//! - `scan_hard`, `scan_soft`: text with a finding of that level. Goals: hard on 0.1 % of benign
//!   texts, soft on 1 % of those that only use an injection's words; the rest is recall.
//! - `secrets`: text in which a secret was found. Goal: all that are labelled `secret`, none that
//!   are labelled `lookalike`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program reports on them"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};

use harness_core::CleanText;
use harness_sanitize::{Gate, Level, Redactor, Scanner};
use serde_json::{Value, json};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Texts and hits, by set, source and label.
type Counts = BTreeMap<(&'static str, String, String), (usize, usize)>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.iter().find(|argument| !argument.starts_with('-')) else {
        eprintln!("usage: corpus DIR [--json] [--show SET:LABEL:HIT]");
        return ExitCode::from(2);
    };
    let show = arguments
        .iter()
        .skip_while(|argument| *argument != "--show")
        .nth(1);
    let mut counts = Counts::new();
    let mut files = 0;
    for (name, measure) in [
        (
            "unicode_ansi.jsonl",
            gate_and_scan as fn(&Row) -> Vec<(&'static str, bool)>,
        ),
        ("prompt_injection.jsonl", gate_and_scan),
        ("secrets.jsonl", secrets),
    ] {
        let Some(text) = read(&Path::new(folder).join(name)) else {
            eprintln!("corpus: no readable `{name}`, skipped");
            continue;
        };
        files += 1;
        for row in text.split('\n').filter_map(Row::parse) {
            for (set, hit) in measure(&row) {
                let key = (set, row.source.clone(), row.label.clone());
                let count = counts.entry(key).or_default();
                count.0 += 1;
                count.1 += usize::from(hit);
                if show.is_some_and(|show| *show == format!("{set}:{}:{hit}", row.label)) {
                    eprintln!(
                        "{} {:?}",
                        row.source,
                        row.text.chars().take(300).collect::<String>()
                    );
                }
            }
        }
    }
    if arguments.iter().any(|argument| argument == "--json") {
        println!("{}", report(&counts));
    } else {
        for ((set, source, label), (n, hits)) in &counts {
            println!("{set:22} {label:18} {hits:5} of {n:5}  {source}");
        }
    }
    if files == 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

struct Row {
    text: String,
    label: String,
    source: String,
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let field = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        Some(Self {
            text: field("text")?,
            label: field("label")?,
            source: field("source")?,
        })
    }
}

fn gate_and_scan(row: &Row) -> Vec<(&'static str, bool)> {
    let gate = Gate::with_max_len(0);
    let clean = gate.clean(&row.text);
    let mut hits = vec![("gate_survivors", clean.as_str().chars().any(survives))];
    if row.label == "benign" {
        let lines = row
            .text
            .replace("\r\r\n", "\n")
            .replace("\r\n", "\n")
            .replace('\r', "\n");
        let same = clean.as_str() == lines;
        let by_rule =
            !same && lines.len() <= CleanText::MAX_BYTES && CleanText::new(&*lines).is_err();
        hits.push(("gate_changed", !same && !by_rule));
        hits.push(("gate_changed_by_rule", by_rule));
    }
    let findings = Scanner::new().scan(&row.text);
    let holds = |level| findings.iter().any(|finding| finding.level() == level);
    hits.push(("scan_hard", holds(Level::Hard)));
    hits.push(("scan_soft", holds(Level::Soft)));
    hits
}

fn survives(ch: char) -> bool {
    let joiner = matches!(ch, '\u{200C}' | '\u{200D}');
    let drawn = matches!(
        ch,
        '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}' | '\u{8E2}'
    );
    match ch.general_category() {
        GeneralCategory::Control => ch != '\n' && ch != '\t',
        GeneralCategory::Format => !joiner && !drawn,
        GeneralCategory::PrivateUse
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator => true,
        _ => ch == '\u{2800}',
    }
}

fn secrets(row: &Row) -> Vec<(&'static str, bool)> {
    vec![(
        "secrets",
        !Redactor::patterns_only().find(&row.text).is_empty(),
    )]
}

fn read(path: &Path) -> Option<String> {
    if let Ok(text) = std::fs::read_to_string(path) {
        return Some(text);
    }
    let packed = path.with_extension("jsonl.gz");
    let unpacked = Command::new("gzip").arg("-dc").arg(packed).output().ok()?;
    unpacked
        .status
        .success()
        .then(|| String::from_utf8(unpacked.stdout).ok())
        .flatten()
}

fn report(counts: &Counts) -> Value {
    let mut totals: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let sources: Vec<Value> = counts
        .iter()
        .map(|((set, source, label), (n, hits))| {
            let total = totals.entry(format!("{set}:{label}")).or_default();
            *total = [total[0] + n, total[1] + hits];
            json!({"set": set, "source": source, "label": label, "n": n, "hits": hits})
        })
        .collect();
    let totals: BTreeMap<_, _> = totals
        .into_iter()
        .map(|(key, [n, hits])| (key, json!({"n": n, "hits": hits})))
        .collect();
    json!({"sources": sources, "totals": totals})
}
