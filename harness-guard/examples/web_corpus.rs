//! Measures the web policy on a folder of labelled URLs.
//!
//! `corpus DIR [--json] [--show LABEL]` reads `ssrf.jsonl`: one JSON object a line with `url`,
//! `label` and `source`. URLs are judged by their spelling alone: there is no resolver, so a name
//! that leads to a private address in some network counts as allowed. Printed are, by source and
//! label, the number of URLs and of hits:
//!
//! - `ssrf_allowed`: allowed. Goal: none that are labelled `hostile`.
//! - `ssrf_denied`: denied. Goal: 1 % at most of those that are labelled `benign`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "this program reports on them"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use harness_guard::check_spelling;
use serde_json::{Value, json};

/// URLs and hits, by set, source and label.
type Counts = BTreeMap<(&'static str, String, String), (usize, usize)>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.iter().find(|argument| !argument.starts_with('-')) else {
        eprintln!("usage: corpus DIR [--json] [--show LABEL]");
        return ExitCode::from(2);
    };
    let mut rest = arguments
        .iter()
        .skip_while(|argument| *argument != "--show");
    let show = rest.nth(1);
    let file = Path::new(folder).join("ssrf.jsonl");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("corpus: no readable `ssrf.jsonl`");
        return ExitCode::FAILURE;
    };
    let mut counts = Counts::new();
    for line in text.split('\n') {
        let Ok(row) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let field = |name: &str| row.get(name).and_then(Value::as_str);
        let (Some(url), Some(label), Some(source)) =
            (field("url"), field("label"), field("source"))
        else {
            continue;
        };
        let denial = check_spelling(url).err();
        if show.is_some_and(|show| show == label) {
            let said = denial.map_or("allowed", |denial| denial.name());
            eprintln!("{said:18} {url:?}");
        }
        for (set, hit) in [
            ("ssrf_allowed", denial.is_none()),
            ("ssrf_denied", denial.is_some()),
        ] {
            let key = (set, source.to_owned(), label.to_owned());
            let count = counts.entry(key).or_default();
            count.0 += 1;
            count.1 += usize::from(hit);
        }
    }
    if arguments.iter().any(|argument| argument == "--json") {
        println!("{}", report(&counts));
    } else {
        for ((set, source, label), (n, hits)) in &counts {
            println!("{set:14} {label:12} {hits:4} of {n:4}  {source}");
        }
    }
    ExitCode::SUCCESS
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
