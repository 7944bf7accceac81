//! `harness sanitize`: the gate, as a filter.

use std::io;

use anyhow::Result;
use harness_sanitize::{Gate, clean_stream};

use super::Cli;
use crate::exit::Exit;

pub(super) fn run(cli: &mut Cli<'_>, max_len: usize) -> Result<Exit> {
    clean_stream(
        &Gate::default(),
        io::stdin().lock(),
        cli.out.stream(),
        max_len,
    )?;
    Ok(Exit::Done)
}
