//! Exit codes, and which failure has which.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use harness_core::{IdError, SettingError, TimestampError};
use harness_engine::{HarnessError, OpenError};
use harness_rules::DeskError;
use harness_store::StoreError;

/// How the binary ends. The numbers are a contract with scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// A check found something.
    Found = 1,
    /// Bad usage or configuration.
    Usage = 2,
    /// The workspace cannot be used.
    Workspace = 3,
    /// An outside part failed.
    Outside = 4,
    /// It cannot tell.
    CannotTell = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A failure with its exit code, in a sentence that says what to do.
#[derive(Debug)]
pub(crate) struct Problem {
    exit: Exit,
    message: String,
}

impl Problem {
    /// The operator asked for something that cannot be.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Any other.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Problem {}

impl Exit {
    /// The code of a failure: that of the first cause that has one. What nobody claimed is the
    /// workspace's file system.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        error.chain().find_map(code).unwrap_or(Self::Workspace)
    }
}

fn code(cause: &(dyn Error + 'static)) -> Option<Exit> {
    if let Some(problem) = cause.downcast_ref::<Problem>() {
        return Some(problem.exit);
    }
    if cause.is::<IdError>() || cause.is::<SettingError>() || cause.is::<TimestampError>() {
        return Some(Exit::Usage);
    }
    // An error that passes another on is not in the chain twice, so each is looked into here.
    if let Some(error) = cause.downcast_ref::<OpenError>() {
        return Some(match error {
            OpenError::Store(error) => of_store(error),
            OpenError::Desk(error) => of_desk(error),
            _ => Exit::Workspace,
        });
    }
    if let Some(error) = cause.downcast_ref::<HarnessError>() {
        return Some(match error {
            HarnessError::Store(error) => of_store(error),
            HarnessError::Desk(error) => of_desk(error),
            _ => Exit::Workspace,
        });
    }
    if let Some(error) = cause.downcast_ref::<DeskError>() {
        return Some(of_desk(error));
    }
    cause.downcast_ref::<StoreError>().map(of_store)
}

fn of_desk(error: &DeskError) -> Exit {
    match error {
        DeskError::NotLive(_) => Exit::Usage,
        DeskError::Store(error) => of_store(error),
        _ => Exit::Workspace,
    }
}

const fn of_store(error: &StoreError) -> Exit {
    match error {
        StoreError::Misplaced { .. } | StoreError::NotEmpty { .. } => Exit::Usage,
        _ => Exit::Workspace,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::{Context as _, anyhow};
    use harness_core::RuleId;

    use super::*;

    #[test]
    fn the_first_cause_that_has_a_code_decides() {
        let bad_id = RuleId::parse("../x")
            .map(drop)
            .context("a context")
            .unwrap_err();
        assert_eq!(Exit::of(&bad_id), Exit::Usage);
        let busy = anyhow::Error::from(StoreError::Closed).context("a context");
        assert_eq!(Exit::of(&busy), Exit::Workspace);
        let store = StoreError::Misplaced {
            config: "c".to_owned(),
            root: "r".to_owned(),
        };
        let misplaced = anyhow::Error::from(OpenError::Desk(DeskError::Store(store)));
        assert_eq!(Exit::of(&misplaced), Exit::Usage);
        let outside = anyhow::Error::from(Problem::new(Exit::Outside, "x")).context("a context");
        assert_eq!(Exit::of(&outside), Exit::Outside);
        assert_eq!(Exit::of(&anyhow!("anything")), Exit::Workspace);
    }
}
