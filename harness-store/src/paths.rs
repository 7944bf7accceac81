//! Where a workspace lies, as its caller says; this crate reads no environment.

use std::path::PathBuf;

/// The two places of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspacePaths {
    /// The root: journal, rules, mailbox and the rest.
    pub root: PathBuf,
    /// Where each workspace has a folder for its anchor and its assignment key. Never beneath the
    /// root: what it holds is there to catch an edit of the root.
    pub config_dir: PathBuf,
}
