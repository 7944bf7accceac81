//! A repair agent that nobody chose a model for.

use std::sync::Arc;

use harness_repair::{ModelChoice, RepairAgent};
use harness_sanitize::Intake;

#[expect(dead_code, reason = "only its types matter")]
fn agent(intake: Arc<Intake>) -> RepairAgent {
    RepairAgent::new(ModelChoice::default(), intake)
}

fn main() {}
