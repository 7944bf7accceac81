use std::time::Duration;

use harness_store::EntryLog;
use harness_store::wire::event;

fn append(log: &EntryLog, event: event::TrialAssigned) {
    let _ = log.append(Duration::ZERO, vec![event.into()]);
}

fn main() {
    let _ = append;
}
