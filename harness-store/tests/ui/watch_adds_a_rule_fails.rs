//! A watch event made of a new rule.
use harness_store::WatchEvent;
use harness_store::wire::event::RuleAdd;

pub fn add(event: RuleAdd) -> WatchEvent {
    event.into()
}

fn main() {}
