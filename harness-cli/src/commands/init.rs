//! `harness init`: creates a workspace; in one that is there, does what a crash left undone.

use anyhow::Result;
use harness_store::{Reader, StoreError, Workspace};
use serde_json::json;

use super::{Cli, now};
use crate::exit::Exit;

pub(super) fn run(cli: &mut Cli<'_>) -> Result<Exit> {
    let paths = cli.paths()?;
    let is_new = matches!(Reader::open(&paths), Err(StoreError::Missing { .. }));
    Workspace::init(&paths, now())?;
    let desks = cli.desks()?;
    desks.validation.restore_files(&desks.reader)?;
    let reader = &desks.reader;
    let (root, config_dir) = (
        paths.root.to_string_lossy(),
        paths.config_dir.to_string_lossy(),
    );
    if cli.out.is_json() {
        cli.out.json(&json!({
            "root": root,
            "config_dir": config_dir,
            "workspace": reader.workspace().as_str(),
            "created": is_new,
        }))?;
    } else {
        let what = if is_new {
            "created"
        } else {
            "is there already"
        };
        cli.out.line(format_args!(
            "workspace {} {what} in {root}",
            reader.workspace().as_str()
        ))?;
        cli.out
            .line(format_args!("its key and anchor are in {config_dir}"))?;
    }
    Ok(Exit::Done)
}
