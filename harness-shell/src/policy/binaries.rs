//! Where each binary of a policy is, looked up once and for all.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::workspace::Workspace;

/// Where binaries are looked for, in this order, before any further folder that a host names.
pub(super) const SEARCH: &[&str] = &["/usr/local/bin", "/usr/bin", "/bin"];

/// Modes of a file or folder that others than its owner may write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The first file of each name that a command cannot have written.
pub(super) fn resolve<'a>(
    names: impl Iterator<Item = &'a str>,
    further: &[PathBuf],
    workspace: &Workspace,
) -> BTreeMap<&'a str, Arc<Path>> {
    let fixed = SEARCH.iter().map(PathBuf::from);
    let folders: Vec<PathBuf> = fixed.chain(further.iter().cloned()).collect();
    let found = |name: &str| {
        let mut files = folders.iter().map(|folder| folder.join(name));
        files.find_map(|file| closed(&file, workspace))
    };
    names
        .filter_map(|name| Some((name, found(name)?)))
        .collect()
}

/// The file at a path, without links, if it is a program that a command cannot have written.
pub(super) fn closed(file: &Path, workspace: &Workspace) -> Option<Arc<Path>> {
    let file = fs::canonicalize(file).ok()?;
    is_closed(&file, workspace).then(|| file.into())
}

/// A program outside the workspace that nobody but its owner can replace, nor any folder above it.
#[cfg(unix)]
fn is_closed(file: &Path, workspace: &Workspace) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = |path: &Path| Some(fs::metadata(path).ok()?.permissions().mode());
    let closed = |path: &Path| mode(path).is_some_and(|mode| mode & WRITABLE_BY_OTHERS == 0);
    let runs = file.is_file() && mode(file).is_some_and(|mode| mode & 0o111 != 0);
    runs && !file.starts_with(workspace.path()) && file.ancestors().all(closed)
}

/// Who may write a file cannot be told here: no binary is trusted.
#[cfg(not(unix))]
fn is_closed(_file: &Path, _workspace: &Workspace) -> bool {
    false
}
