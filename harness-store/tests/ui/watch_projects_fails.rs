//! The engine's half writing the files of the rules.
use harness_store::{Projection, StoreError, Tx, WatchEvent};

pub fn project(tx: &mut Tx<'_, WatchEvent>, files: &[Projection]) -> Result<(), StoreError> {
    tx.project(files)
}

fn main() {}
