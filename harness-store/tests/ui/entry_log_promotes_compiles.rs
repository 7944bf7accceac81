//! A validation log that promotes a rule.
use std::time::Duration;

use harness_store::wire::event::RulePromote;
use harness_store::{StoreError, ValidationLog};

pub fn promote(half: &ValidationLog, event: RulePromote) -> Result<(), StoreError> {
    half.append(Duration::ZERO, vec![event.into()]).map(drop)
}

fn main() {}
