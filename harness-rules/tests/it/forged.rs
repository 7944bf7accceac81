//! Journals as an attacker would leave them: lines changed, added or left out, and a chain over
//! them that is right again.

use harness_core::RuleId;
use harness_rules::ledger::{Doubt, Ledger};
use harness_rules::verify::{Verification, verify};
use harness_store::Fold;
use harness_store::wire::{Line, hex, json, parse_line, sha256};
use serde_json::Value;

use crate::fixture::Place;

/// The lines of a journal as JSON objects.
pub(crate) fn objects(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.file("journal.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The place of the first line of that kind.
pub(crate) fn first(lines: &[Value], kind: &str) -> usize {
    lines.iter().position(|line| line["type"] == kind).unwrap()
}

/// Numbers and chains the lines anew; each is a commit of its own.
pub(crate) fn chained(mut lines: Vec<Value>) -> Vec<u8> {
    let mut journal = Vec::new();
    let mut prev = "genesis".to_owned();
    for (seq, line) in lines.iter_mut().enumerate() {
        let fields = line.as_object_mut().unwrap();
        fields.insert("seq".to_owned(), seq.into());
        fields.insert("prev".to_owned(), prev.into());
        fields.remove("more");
        let bytes = json::compact(line);
        prev = hex(&sha256(&bytes));
        journal.extend(bytes);
        journal.push(b'\n');
    }
    journal
}

/// Lines as a reader of the journal gets them.
pub(crate) fn read(journal: &[u8]) -> Vec<Line> {
    let mut offset = 0;
    let mut lines = Vec::new();
    for bytes in journal.split_inclusive(|byte| *byte == b'\n') {
        lines.push(parse_line(
            bytes.strip_suffix(b"\n").unwrap_or(bytes),
            offset,
        ));
        offset += bytes.len() as u64;
    }
    lines
}

/// What the rules make of a journal, without any key.
pub(crate) struct Told {
    pub(crate) ledger: Ledger,
    pub(crate) verification: Option<Verification>,
}

pub(crate) fn told(rule: &RuleId, lines: Vec<Value>) -> Told {
    let lines = read(&chained(lines));
    let mut ledger = Ledger::new(None);
    for line in &lines {
        ledger.apply(line);
    }
    Told {
        ledger,
        verification: verify(rule, lines.into_iter()),
    }
}

impl Told {
    pub(crate) fn status(&self, rule: &RuleId) -> Option<&'static str> {
        self.ledger.rule(rule).map(|record| record.status.as_str())
    }

    pub(crate) fn doubts(&self) -> &[Doubt] {
        self.ledger.doubts()
    }

    /// What the second opinion finds wrong.
    pub(crate) fn faults(&self) -> Vec<&'static str> {
        let verification = self.verification.iter();
        verification
            .flat_map(|told| {
                let verdicts = told
                    .verdicts
                    .iter()
                    .filter_map(|verdict| verdict.fault.as_ref());
                told.faults.iter().chain(verdicts).map(|fault| fault.what)
            })
            .collect()
    }
}
