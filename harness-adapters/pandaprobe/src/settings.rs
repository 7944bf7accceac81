//! Which binary is run, with what, and how long it is waited for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use harness_core::Quoted;

/// The variable that names the binary; without it, `pandaprobe` is looked for in `PATH`.
pub const BINARY_VARIABLE: &str = "HARNESS_CLI_BINARY";
/// The binary's own name.
const BINARY: &str = "pandaprobe";

/// What the binary is given of the environment: who it is and where it looks for the rest, how it
/// checks the platform's certificate. `PATH` is a constant.
const PASSED_ON: &[&str] = &[
    "HOME",
    "PANDAPROBE_API_KEY",
    "PANDAPROBE_ENDPOINT",
    "PANDAPROBE_PROJECT_NAME",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "XDG_CONFIG_HOME",
];

/// Why there is no binary to run. The operator's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The variable names something that is no absolute path.
    #[error("{BINARY_VARIABLE}={0} is not allowed: an absolute path is")]
    NotAbsolute(String),
    /// There is no such binary.
    #[error("there is no `pandaprobe` in PATH: install it, or set {BINARY_VARIABLE}")]
    NotFound,
}

/// How the platform's binary is run.
#[derive(Clone)]
pub struct Settings {
    /// The binary, an absolute path.
    pub binary: PathBuf,
    /// The variables that it gets, and no other.
    pub variables: Vec<(String, String)>,
    /// How long one command may take.
    pub deadline: Duration,
    /// How often something that is not there yet is looked for.
    pub polls: u32,
    /// How long is waited between two looks.
    pub interval: Duration,
    /// How long a failed health check stands for the next.
    pub health_holds: Duration,
}

impl Settings {
    /// How long one command may take, unless a host says otherwise.
    pub const DEADLINE: Duration = Duration::from_secs(15);
    /// How often something is looked for, unless a host says otherwise.
    pub const POLLS: u32 = 20;
    /// How long is waited between two looks, unless a host says otherwise.
    pub const INTERVAL: Duration = Duration::from_secs(1);
    /// How long a failed health check stands, unless a host says otherwise.
    pub const HEALTH_HOLDS: Duration = Duration::from_secs(5);

    /// Settings for a binary, an absolute path, with what it needs of `variables`.
    pub fn new(binary: PathBuf, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            binary,
            variables: variables
                .into_iter()
                .filter(|(name, _)| PASSED_ON.contains(&name.as_str()))
                .collect(),
            deadline: Self::DEADLINE,
            polls: Self::POLLS,
            interval: Self::INTERVAL,
            health_holds: Self::HEALTH_HOLDS,
        }
    }

    /// Settings as `variables` say: the binary of [`BINARY_VARIABLE`], else the first `pandaprobe`
    /// in a folder of `PATH`, which is an absolute one.
    ///
    /// # Errors
    /// See [`SettingsError`].
    pub fn from_variables(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, SettingsError> {
        let variables: Vec<(String, String)> = variables.into_iter().collect();
        let set = |wanted: &str| {
            variables
                .iter()
                .find(|(name, value)| name == wanted && !value.is_empty())
                .map(|(_, value)| value.as_str())
        };
        let binary = match set(BINARY_VARIABLE) {
            Some(path) if Path::new(path).is_absolute() => PathBuf::from(path),
            Some(path) => return Err(SettingsError::NotAbsolute(Quoted(path).to_string())),
            None => set("PATH")
                .unwrap_or_default()
                .split(':')
                .map(|folder| Path::new(folder).join(BINARY))
                .find(|path| path.is_absolute() && path.is_file())
                .ok_or(SettingsError::NotFound)?,
        };
        Ok(Self::new(binary, variables))
    }
}

/// The names of the variables, never their values.
impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self
            .variables
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        f.debug_struct("Settings")
            .field("binary", &self.binary)
            .field("variables", &names)
            .field("deadline", &self.deadline)
            .field("polls", &self.polls)
            .field("interval", &self.interval)
            .field("health_holds", &self.health_holds)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(pairs: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let owned = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Settings::from_variables(owned)
    }

    #[test]
    fn only_what_the_binary_needs_is_passed_on_and_nothing_is_shown() {
        let settings = from(&[
            (BINARY_VARIABLE, "/opt/pandaprobe"),
            ("PANDAPROBE_API_KEY", "correct-horse"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("LD_PRELOAD", "x"),
            ("PATH", "/bin"),
        ])
        .unwrap();
        let names: Vec<&str> = settings
            .variables
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["PANDAPROBE_API_KEY"]);
        assert!(!format!("{settings:?}").contains("correct-horse"));
    }

    #[test]
    fn a_binary_is_an_absolute_path_or_found_in_one() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(BINARY), "").unwrap();
        let path = format!("relative:{}", folder.path().display());
        let found = from(&[("PATH", &path)]).unwrap();
        assert_eq!(found.binary, folder.path().join(BINARY));
        assert_eq!(
            from(&[("PATH", "/nonexistent")]).unwrap_err(),
            SettingsError::NotFound
        );
        assert_eq!(
            from(&[(BINARY_VARIABLE, "bin/pandaprobe")])
                .unwrap_err()
                .to_string(),
            "HARNESS_CLI_BINARY=`bin/pandaprobe` is not allowed: an absolute path is"
        );
    }
}
