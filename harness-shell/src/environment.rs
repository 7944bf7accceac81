//! The environment of a command: a list of what it gets, not of what it is denied.
//!
//! The host hands in what it has; this crate reads none. What loads code (`LD_*`, `BASH_ENV`,
//! `PYTHONPATH`), redirects tools (`GIT_*`) or carries passwords is not on the list, and so needs no
//! rule. A host can declare further names for a program of its own; there is no way to one of these.

use harness_core::SessionId;

#[cfg(target_os = "linux")]
use crate::allowed::Credentials;
use crate::decision::quoted;
#[cfg(target_os = "linux")]
use crate::workspace::Workspace;

/// Passed on as the host has them.
const PASSED_ON: &[&str] = &["LANG", "LC_ALL", "LC_CTYPE", "TZ"];
/// Passed on to the binaries that need the platform's credentials, and to no other.
const PLATFORM: &[&str] = &[
    "PANDAPROBE_API_KEY",
    "PANDAPROBE_PROJECT_NAME",
    "PANDAPROBE_ENDPOINT",
];
/// Where programs are looked for.
#[cfg(target_os = "linux")]
const SEARCH: &[&str] = &["/usr/local/bin", "/usr/bin", "/bin"];
/// Bytes of a value at most; a longer one is left out.
const MAX_VALUE: usize = 4096;
/// Bytes of a declared name at most.
const MAX_NAME: usize = 128;
/// Variables that a host may declare.
const MAX_DECLARED: usize = 32;
/// Names that are not to be had: set by this crate.
const OURS: &[&str] = &["PATH", "HOME", "TMPDIR", "TERM"];
/// The same: their beginnings, of what loads or redirects code, and of a session's proof.
const NEVER: &[&str] = &[
    "AGENT_SESSION_",
    "BASH_",
    "DYLD_",
    "GCONV_",
    "GIT_",
    "GLIBC_",
    "JAVA_TOOL",
    "LD_",
    "LUA_",
    "MALLOC_",
    "NODE_",
    "PERL",
    "PYTHON",
    "RUBY",
];
/// The same: whole names, of shells.
const SHELLS: &[&str] = &["BASH", "CDPATH", "ENV", "IFS", "SHELLOPTS", "ZDOTDIR"];

/// What commands may see of the host's environment.
#[derive(Clone, Default)]
pub struct Environment {
    passed_on: Vec<(String, String)>,
    platform: Vec<(String, String)>,
    session: Vec<(String, String)>,
    declared: Vec<(String, String)>,
}

/// A name that no program gets. The host's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameRefused {
    /// It is no name of a variable.
    #[error("{0} is no name of a variable")]
    Malformed(String),
    /// It is set by this crate, or loads or redirects code.
    #[error("{0} is not for a program to have: it is set here, or it loads or redirects code")]
    Reserved(String),
    /// There are more than a person reviews.
    #[error("more than {MAX_DECLARED} variables are declared")]
    TooMany,
}

/// The names, never the values.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = [
            &self.passed_on,
            &self.platform,
            &self.session,
            &self.declared,
        ];
        let names = all.into_iter().flatten().map(|(name, _)| name);
        f.debug_list().entries(names).finish()
    }
}

impl Environment {
    /// What of `variables` is on the list.
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut environment = Self::default();
        for (name, value) in variables {
            if value.len() > MAX_VALUE || value.contains('\0') {
                continue;
            }
            if PASSED_ON.contains(&name.as_str()) {
                environment.passed_on.push((name, value));
            } else if PLATFORM.contains(&name.as_str()) {
                environment.platform.push((name, value));
            }
        }
        environment
    }

    /// With the session that the commands belong to, and its token.
    #[must_use]
    pub fn session(mut self, id: &SessionId, token: &str) -> Self {
        self.session = vec![
            ("AGENT_SESSION_ID".to_owned(), id.as_str().to_owned()),
            ("AGENT_SESSION_TOKEN".to_owned(), token.to_owned()),
        ];
        self
    }

    /// With what of `variables` is among `names`, which the host declares for a program of its own.
    /// A name that the host does not have is left out.
    ///
    /// # Errors
    /// See [`NameRefused`].
    pub fn declaring(
        mut self,
        names: &[String],
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, NameRefused> {
        if names.len() > MAX_DECLARED {
            return Err(NameRefused::TooMany);
        }
        names.iter().try_for_each(|name| declarable(name))?;
        self.declared = variables
            .into_iter()
            .filter(|(name, value)| {
                names.contains(name) && value.len() <= MAX_VALUE && !value.contains('\0')
            })
            .collect();
        Ok(self)
    }

    /// The whole environment of a command in `workspace`.
    #[cfg(target_os = "linux")]
    pub(crate) fn within(
        &self,
        workspace: &Workspace,
        credentials: Credentials,
    ) -> Vec<(String, String)> {
        let folder = workspace.path().display().to_string();
        let fixed = [
            ("PATH", SEARCH.join(":")),
            ("HOME", folder.clone()),
            ("TMPDIR", folder),
            ("TERM", "dumb".to_owned()),
        ];
        let platform = match credentials {
            Credentials::None => &[][..],
            Credentials::Platform => &self.platform,
        };
        fixed
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .chain(self.passed_on.iter().cloned())
            .chain(self.session.iter().cloned())
            .chain(platform.iter().cloned())
            .chain(self.declared.iter().cloned())
            .collect()
    }
}

fn declarable(name: &str) -> Result<(), NameRefused> {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let is_name = name.as_bytes().first().is_some_and(is_letter)
        && name.len() <= MAX_NAME
        && name
            .bytes()
            .all(|byte| is_letter(&byte) || byte.is_ascii_digit());
    if !is_name {
        return Err(NameRefused::Malformed(quoted(name)));
    }
    let is_ours = OURS.contains(&name) || SHELLS.contains(&name);
    if is_ours || NEVER.iter().any(|start| name.starts_with(start)) {
        return Err(NameRefused::Reserved(quoted(name)));
    }
    Ok(())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn names(environment: &Environment, credentials: Credentials) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path(), &[]).unwrap();
        let all = environment.within(&workspace, credentials);
        all.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn only_the_list_goes_through_and_credentials_only_where_they_are_needed() {
        let variables = [
            "LANG",
            "LD_PRELOAD",
            "BASH_ENV",
            "GIT_DIR",
            "DATABASE_URL",
            "PANDAPROBE_API_KEY",
            "PATH",
            "HOME",
        ];
        let environment = Environment::of(variables.map(|name| (name.to_owned(), "x".to_owned())));
        let plain = ["PATH", "HOME", "TMPDIR", "TERM", "LANG"];
        assert_eq!(names(&environment, Credentials::None), plain);
        let platform: Vec<&str> = plain.into_iter().chain(["PANDAPROBE_API_KEY"]).collect();
        assert_eq!(names(&environment, Credentials::Platform), platform);
    }

    #[test]
    fn a_host_declares_further_names_but_none_that_loads_code() {
        let variables = || {
            let all = [
                "SERVICE_KEY",
                "OTHER_KEY",
                "LD_PRELOAD",
                "PYTHONPATH",
                "PATH",
            ];
            all.map(|name| (name.to_owned(), "x".to_owned()))
        };
        let declare = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            Environment::default().declaring(&names, variables())
        };
        let environment = declare(&["SERVICE_KEY", "ABSENT"]).unwrap();
        let expected = ["PATH", "HOME", "TMPDIR", "TERM", "SERVICE_KEY"];
        assert_eq!(names(&environment, Credentials::None), expected);
        for name in [
            "LD_PRELOAD",
            "PYTHONPATH",
            "PATH",
            "IFS",
            "AGENT_SESSION_TOKEN",
        ] {
            let refused = declare(&[name]).unwrap_err();
            assert!(matches!(refused, NameRefused::Reserved(_)), "{name}");
        }
        for name in ["", "1A", "A=B", "A B", "Ä", &"A".repeat(MAX_NAME + 1)] {
            let refused = declare(&[name]).unwrap_err();
            assert!(matches!(refused, NameRefused::Malformed(_)), "{name}");
        }
        let many = declare(&["A"; MAX_DECLARED + 1]);
        assert_eq!(many.unwrap_err(), NameRefused::TooMany);
    }
}
