//! An entry log that promotes a rule.
use std::time::Duration;

use harness_store::wire::event::RulePromote;
use harness_store::{EntryLog, StoreError};

pub fn promote(half: &EntryLog, event: RulePromote) -> Result<(), StoreError> {
    half.append(Duration::ZERO, vec![event.into()]).map(drop)
}

fn main() {}
