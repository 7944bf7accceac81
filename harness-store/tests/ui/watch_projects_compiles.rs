//! The repair half writing the files of the rules.
use harness_store::{Projection, RepairEvent, StoreError, Tx};

pub fn project(tx: &mut Tx<'_, RepairEvent>, files: &[Projection]) -> Result<(), StoreError> {
    tx.project(files)
}

fn main() {}
