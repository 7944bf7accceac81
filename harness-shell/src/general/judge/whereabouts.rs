//! Where a command may find itself, and what becomes of paths from there.

use std::path::{Path, PathBuf};

use super::{Judge, Judged};
use crate::decision::Verdict;
use crate::general::context::Context;
use crate::general::places;
use crate::policy::Use;

/// Folders in which a command may find itself, at most; beyond, it is lost.
const MAX_FOLDERS: usize = 8;

/// Where a command may find itself.
#[derive(Clone, Debug)]
pub(super) struct Whereabouts {
    pub(super) folders: Vec<PathBuf>,
    /// Where it is instead, if the last `cd` failed.
    or_else: Vec<PathBuf>,
    is_lost: bool,
}

impl Whereabouts {
    /// In the workspace, where every command starts.
    pub(super) fn at_the_start(context: &Context) -> Self {
        Self {
            folders: vec![context.workspace().to_path_buf()],
            or_else: Vec::new(),
            is_lost: false,
        }
    }
}

impl Judge<'_> {
    pub(in crate::general) fn folders(&self) -> &[PathBuf] {
        &self.whereabouts.folders
    }

    /// What becomes of a path.
    pub(in crate::general) fn path(&mut self, path: &str, usage: Use) -> Judged {
        if usage == Use::Text {
            return Ok(());
        }
        if self.whereabouts.is_lost && !path.starts_with(['/', '~']) {
            self.ask(
                "general.folder",
                "a path in a folder that only the shell would know",
            );
        }
        let folders = &self.whereabouts.folders;
        match places::judge(self.context, self.held.as_ref(), folders, path, usage) {
            Some(decision) if decision.verdict() == Verdict::Deny => Err(Box::new(decision)),
            Some(decision) => {
                self.asked.get_or_insert(decision);
                Ok(())
            }
            None if places::is_device(path) => Ok(()),
            None => {
                self.adds |= usage != Use::Read;
                if usage == Use::Overwrite && !self.is_new(path) {
                    self.ask_about("general.change", path, "may be replaced or removed");
                }
                Ok(())
            }
        }
    }

    /// Nothing is there yet, as far as the file system tells.
    fn is_new(&self, path: &str) -> bool {
        let (Some(_), [folder]) = (self.context.held(), self.whereabouts.folders.as_slice()) else {
            return false;
        };
        let full = folder.join(path);
        let missing = |path: &Path| {
            let found = std::fs::symlink_metadata(path);
            found.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        };
        missing(&full) && full.parent().is_some_and(Path::is_dir)
    }

    /// The command goes to a folder, or stays where it is.
    pub(in crate::general) fn enter(&mut self, folder: &str) {
        let here = &mut self.whereabouts;
        let there: Vec<PathBuf> = here
            .folders
            .iter()
            .map(|start| places::from(self.context, start, folder))
            .collect();
        here.or_else.append(&mut here.folders);
        here.folders = there;
    }

    pub(super) fn may_have_stayed(&mut self) {
        let here = &mut self.whereabouts;
        for folder in std::mem::take(&mut here.or_else) {
            if !here.folders.contains(&folder) {
                here.folders.push(folder);
            }
        }
        if here.folders.len() > MAX_FOLDERS {
            here.folders.truncate(MAX_FOLDERS);
            here.is_lost = true;
        }
    }

    pub(in crate::general) const fn get_lost(&mut self) {
        self.whereabouts.is_lost = true;
    }
}
