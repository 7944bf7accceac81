//! One event of every kind, for tests: `testdata/events.jsonl`, in the order of [`KINDS`].

use serde_json::Value;

use super::{Event, KINDS};

/// The events, each with its kind.
///
/// # Panics
/// A kind has no sample, or a sample does not read.
pub(crate) fn of_every_kind() -> Vec<(&'static str, Event)> {
    let samples: Vec<Value> = include_str!("../../../testdata/events.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let named: Vec<&str> = samples
        .iter()
        .map(|sample| sample["type"].as_str().unwrap())
        .collect();
    assert_eq!(named, KINDS);
    let read = |sample: &Value| serde_json::from_value(sample.clone()).unwrap();
    KINDS.into_iter().zip(samples.iter().map(read)).collect()
}

#[test]
fn every_kind_reads_and_is_written_as_it_stands_here() {
    let samples = include_str!("../../../testdata/events.jsonl").lines();
    for ((kind, event), sample) in of_every_kind().into_iter().zip(samples) {
        assert_eq!(event.check(), Ok(()), "{kind}");
        let written = serde_json::to_value(&event).unwrap();
        let sample: Value = serde_json::from_str(sample).unwrap();
        assert_eq!(written, sample, "{kind}");
    }
}
