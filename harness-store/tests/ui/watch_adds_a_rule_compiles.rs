//! A repair event made of a new rule.
use harness_store::RepairEvent;
use harness_store::wire::event::RuleAdd;

pub fn add(event: RuleAdd) -> RepairEvent {
    event.into()
}

fn main() {}
