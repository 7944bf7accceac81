use std::time::Duration;

use harness_store::OperatorLog;
use harness_store::wire::event;

fn append(log: &OperatorLog, event: event::RulePromote) {
    let _ = log.append(Duration::ZERO, vec![event.into()]);
}

fn main() {
    let _ = append;
}
