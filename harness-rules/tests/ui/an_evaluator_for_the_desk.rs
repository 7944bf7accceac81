use harness_rules::evidence::Counts;
use harness_rules::{Decided, DeskError, EvaluatorIdentity, ValidationDesk};

fn decide(desk: &ValidationDesk, _by: &EvaluatorIdentity, counts: &Counts) -> Result<Decided, DeskError> {
    let _ = counts;
    desk.decide(_by)
}

fn main() {
    let _ = decide;
}
