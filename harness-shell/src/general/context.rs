//! Where a command would run, and what the host adds to what is known.

use std::path::{Component, Path, PathBuf};

use crate::decision::quoted;
use crate::policy::{Grammar, Operands, Use};
use crate::workspace::Workspace;

/// Where a command would run.
#[derive(Clone, Debug)]
pub struct Context {
    // INVARIANT: absolute, without `.` and `..`.
    workspace: PathBuf,
    held: Option<Workspace>,
    home: Option<PathBuf>,
    forbidden: Vec<PathBuf>,
    host_commands: Vec<HostCommand>,
}

/// Why a path is no context. Always the host's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    /// Relative, or with `..`: it would mean another folder at another time.
    #[error("{0} is no absolute path without `..`")]
    NotAbsolute(String),
}

impl Context {
    /// Judged by the file system as well: a link that leads out of the workspace is seen.
    pub fn of(workspace: Workspace) -> Self {
        Self {
            workspace: workspace.path().to_path_buf(),
            held: Some(workspace),
            home: None,
            forbidden: Vec::new(),
            host_commands: Vec::new(),
        }
    }

    /// Judged by spelling alone, for a workspace that is not on this machine.
    ///
    /// # Errors
    /// See [`ContextError`].
    pub fn by_spelling(workspace: &Path) -> Result<Self, ContextError> {
        Ok(Self {
            workspace: absolute(workspace)?,
            held: None,
            home: None,
            forbidden: Vec::new(),
            host_commands: Vec::new(),
        })
    }

    /// Where `~` is. Without it, nothing beneath `~` is in the workspace.
    ///
    /// # Errors
    /// See [`ContextError`].
    pub fn with_home(mut self, home: &Path) -> Result<Self, ContextError> {
        self.home = Some(absolute(home)?);
        Ok(self)
    }

    /// A folder that no command may name: the harness's own root, its configuration.
    ///
    /// # Errors
    /// See [`ContextError`].
    pub fn forbidding(mut self, folder: &Path) -> Result<Self, ContextError> {
        self.forbidden.push(absolute(folder)?);
        Ok(self)
    }

    /// Commands that the host's own shell defines.
    #[must_use]
    pub fn with_host_commands(mut self, commands: Vec<HostCommand>) -> Self {
        self.host_commands = commands;
        self
    }

    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    pub(super) const fn held(&self) -> Option<&Workspace> {
        self.held.as_ref()
    }

    pub(super) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub(super) fn forbidden(&self) -> &[PathBuf] {
        &self.forbidden
    }

    pub(super) fn host_commands(&self) -> &[HostCommand] {
        &self.host_commands
    }
}

fn absolute(path: &Path) -> Result<PathBuf, ContextError> {
    let parts = path.components();
    let plain = path.is_absolute() && !parts.clone().any(|part| part == Component::ParentDir);
    if plain {
        Ok(parts.collect())
    } else {
        Err(ContextError::NotAbsolute(quoted(&path.to_string_lossy())))
    }
}

/// A command that the host's own shell defines, so that it is no binary.
#[derive(Clone, Debug)]
pub struct HostCommand {
    pub(super) grammar: Grammar,
    pub(super) block_end: Option<&'static str>,
}

impl HostCommand {
    /// A command with these words.
    pub const fn new(grammar: Grammar) -> Self {
        Self {
            grammar,
            block_end: None,
        }
    }

    /// What follows its first line is text, no command, up to a line of this word, which is the
    /// last.
    #[must_use]
    pub const fn with_block(mut self, end: &'static str) -> Self {
        self.block_end = Some(end);
        self
    }

    /// The commands of an editing agent's own shell, as SWE-agent publishes them: a window on one
    /// file, and three searches. For hosts that offer those; where they do not, these names are
    /// other programs.
    pub fn editor() -> Vec<Self> {
        let grammar = |name, reason, operands| Self::new(Grammar::new(name, reason, operands));
        let read = Operands::All(Use::Read);
        let find = Operands::ProgramThen(crate::policy::Language::Pattern, Use::Read);
        vec![
            grammar("open", "shows a file of the workspace", read),
            grammar("goto", "moves the window", Operands::All(Use::Text)),
            grammar("scroll_up", "moves the window", Operands::All(Use::Text)),
            grammar("scroll_down", "moves the window", Operands::All(Use::Text)),
            grammar("search_dir", "searches a folder of the workspace", find),
            grammar("search_file", "searches a file of the workspace", find),
            grammar("find_file", "finds a file of the workspace", find),
            grammar(
                "create",
                "makes a file in the workspace",
                Operands::All(Use::Add),
            ),
            grammar(
                "edit",
                "changes lines of the open file",
                Operands::All(Use::Text),
            )
            .with_block("end_of_edit"),
            grammar("submit", "ends the task", Operands::All(Use::Text)),
        ]
    }
}
