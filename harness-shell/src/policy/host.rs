//! The policy for a program that the host itself names, a plugin say: one command, word for word.

use std::path::Path;
use std::sync::Arc;

use super::binaries;
use super::loaded::{MAX_COMMAND, MAX_WORDS};
use crate::allowed::{Allowed, Credentials};
use crate::decision::{Decision, Verdict};
use crate::workspace::Workspace;

/// A command that the host's own settings name, whole: it is allowed because the operator wrote
/// it, so no word of it may come from an agent, a model or a file that one of them writes.
#[derive(Clone, Debug)]
pub struct HostCommand {
    words: Vec<String>,
}

impl HostCommand {
    /// A program, by its bare name or its absolute path, and its arguments.
    pub fn new(program: &str, arguments: &[&str]) -> Self {
        let words = std::iter::once(&program).chain(arguments);
        Self {
            words: words.map(|word| (*word).to_owned()).collect(),
        }
    }

    /// The program.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The proof that it may run in `workspace`. It sees no credentials of the platform.
    ///
    /// # Errors
    /// The refusal: the program is not there, or others than its owner could replace it; or the
    /// command is none.
    pub fn allow(&self, workspace: Workspace) -> Result<Allowed, Decision> {
        let bytes: usize = self.words.iter().map(String::len).sum();
        if self.words.len() > MAX_WORDS || bytes > MAX_COMMAND {
            let reason = "the command has too many words or bytes";
            return Err(Decision::new(Verdict::Deny, "shell.size", reason));
        }
        if self.words.iter().any(|word| word.contains('\0')) {
            let reason = "a word holds a zero byte";
            return Err(Decision::new(Verdict::Deny, "shell.zero", reason));
        }
        let Some(binary) = self.binary(&workspace) else {
            let reason = "is not installed where only its owner can write";
            let decision = Decision::about(Verdict::Deny, "shell.missing", self.program(), reason);
            return Err(decision.or_rather("install it, and name it by its absolute path"));
        };
        Ok(Allowed::new(
            binary,
            self.words.clone(),
            workspace,
            Credentials::None,
        ))
    }

    fn binary(&self, workspace: &Workspace) -> Option<Arc<Path>> {
        let program = self.program();
        if Path::new(program).is_absolute() {
            return binaries::closed(Path::new(program), workspace);
        }
        // A path that is not absolute depends on where it is read.
        let is_bare = !program.is_empty() && !program.contains('/');
        let found = is_bare.then(|| binaries::resolve([program].into_iter(), &[], workspace));
        found?.remove(program)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_taken_by_name_or_path_if_nobody_else_can_replace_it() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path(), &[]).unwrap();
        let allow =
            |program: &str| HostCommand::new(program, &["-x", "/etc"]).allow(workspace.clone());
        for program in ["cat", "/bin/cat", "/usr/bin/cat"] {
            let allowed = allow(program).unwrap();
            assert!(allowed.binary().is_absolute());
            assert_eq!(allowed.words(), [program, "-x", "/etc"]);
            assert_eq!(allowed.credentials(), Credentials::None);
        }
        let own = folder.path().join("own");
        std::fs::copy("/bin/cat", &own).unwrap();
        std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).unwrap();
        let own = own.display().to_string();
        for program in ["", "own", "./own", "bin/cat", "/nowhere/cat", "/bin", &own] {
            assert_eq!(
                allow(program).unwrap_err().rule(),
                "shell.missing",
                "{program}"
            );
        }
        let words = HostCommand::new("cat", &["a\0b"]).allow(workspace.clone());
        assert_eq!(words.unwrap_err().rule(), "shell.zero");
        let many = HostCommand::new("cat", &["x"; MAX_WORDS]).allow(workspace);
        assert_eq!(many.unwrap_err().rule(), "shell.size");
    }
}
