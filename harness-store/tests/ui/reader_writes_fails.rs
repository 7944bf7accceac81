//! A reader that writes.
use std::time::Duration;

use harness_store::{Reader, StoreError};

pub fn write(half: &Reader) -> Result<(), StoreError> {
    half.append(Duration::ZERO, Vec::new()).map(drop)
}

fn main() {}
