//! One byte of a copy of the journal is changed, and the audit of the copy says so.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Result;
use harness_core::layout;
use harness_store::{Reader, WorkspacePaths};

use crate::place::Place;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tampering {
    /// The byte that was changed.
    pub(crate) byte: u64,
    /// What the audit found first; nothing if it found nothing.
    pub(crate) found: Option<String>,
}

/// Copies the workspace, changes a byte in the middle of the copy's journal, audits the copy and
/// removes it.
///
/// # Errors
/// The disk's.
pub(crate) fn tamper(place: &Place) -> Result<Tampering> {
    let paths = place.paths();
    let copy = WorkspacePaths {
        root: place.copy(),
        config_dir: paths.config_dir,
    };
    copy_folder(&paths.root, &copy.root)?;
    let journal = copy.root.join(layout::journal().as_str());
    let mut bytes = fs::read(&journal)?;
    let middle = bytes.len() / 2;
    if let Some(byte) = bytes.get_mut(middle) {
        *byte ^= 1;
    }
    fs::write(&journal, bytes)?;
    let report = Reader::open(&copy)?.audit()?;
    fs::remove_dir_all(&copy.root)?;
    let found = report.breaks.first().map(|found| match found.seq {
        Some(seq) => format!("event {seq}: {}", found.what),
        None => found.what.clone(),
    });
    Ok(Tampering {
        byte: u64::try_from(middle)?,
        found: found.filter(|_| !report.ok),
    })
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
