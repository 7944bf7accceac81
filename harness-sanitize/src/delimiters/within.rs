//! Which files are the project's own.

use std::path::{Component, Path, PathBuf};

/// Where content came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file of the project: the user's own.
    Project,
    /// A file from outside the project: fenced as an external document of kind `file`.
    OutsideFile,
    /// A page: fenced as an external document of kind `web`.
    Web,
}

impl Origin {
    /// The kind that the fence around it names; none for the project's own files.
    pub const fn document_kind(self) -> Option<&'static str> {
        match self {
            Self::Project => None,
            Self::OutsideFile => Some("file"),
            Self::Web => Some("web"),
        }
    }
}

/// Where a file comes from, for a project in `root`.
pub fn origin_of_file(path: &Path, root: &Path) -> Origin {
    if is_within(path, root) {
        Origin::Project
    } else {
        Origin::OutsideFile
    }
}

/// Whether `path`, relative to `root` where it is not absolute, lies within `root` once links and
/// `..` are resolved. What does not exist is judged by its nearest folder that does; what cannot
/// be resolved is not within.
///
/// The answer is that of the moment: to open a file safely, open it beneath a handle of the root.
pub fn is_within(path: &Path, root: &Path) -> bool {
    let Ok(root) = root.canonicalize() else {
        return false;
    };
    resolve(&root.join(path)).is_some_and(|path| path.starts_with(&root))
}

/// The path without links, as far as it exists. Beneath what does not exist only plain names may
/// follow.
fn resolve(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    for known in path.ancestors() {
        match known.symlink_metadata() {
            Ok(_) => {
                let mut resolved = known.canonicalize().ok()?;
                resolved.extend(missing.iter().rev());
                return Some(resolved);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let Some(Component::Normal(name)) = known.components().next_back() else {
                    return None;
                };
                missing.push(name);
            }
            Err(_) => return None,
        }
    }
    None
}
