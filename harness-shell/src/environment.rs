//! The environment of a command: a list of what it gets, not of what it is denied.
//!
//! The host hands in what it has; this crate reads none. What loads code (`LD_*`, `BASH_ENV`,
//! `PYTHONPATH`), redirects tools (`GIT_*`) or carries passwords is not on the list, and so needs no
//! rule.

use harness_core::SessionId;

#[cfg(target_os = "linux")]
use crate::allowed::Credentials;
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

/// What commands may see of the host's environment.
#[derive(Clone, Default)]
pub struct Environment {
    passed_on: Vec<(String, String)>,
    platform: Vec<(String, String)>,
    session: Vec<(String, String)>,
}

/// The names, never the values.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = [&self.passed_on, &self.platform, &self.session];
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
            .collect()
    }
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
}
