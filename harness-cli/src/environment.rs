//! What the binary takes from its environment. It is read once, here and nowhere else.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use harness_core::SettingError;
use harness_core::setting::PREFIX;
use harness_engine::Config;
use harness_guard::GuardConfig;
use harness_pandaprobe::{BINARY_VARIABLE, Settings, SettingsError};
use harness_sanitize::Redactor;
use harness_store::WorkspacePaths;

use crate::exit::Problem;

/// The environment, as far as it matters.
#[derive(Debug)]
pub(crate) struct Environment {
    root: Option<PathBuf>,
    config_dir: Option<PathBuf>,
    home: Option<PathBuf>,
    temporary: PathBuf,
    settings: Vec<(String, String)>,
    #[cfg(feature = "rig")]
    variables: Variables,
    redactor: Redactor,
    commands: harness_shell::Environment,
    platform: Result<Settings, SettingsError>,
    names_platform: bool,
    colour: bool,
}

/// All variables, among them the keys of providers: names and values that are never shown.
#[cfg(feature = "rig")]
struct Variables(Vec<(String, String)>);

#[cfg(feature = "rig")]
impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Variables({})", self.0.len())
    }
}

impl Environment {
    /// Reads it.
    pub(crate) fn read() -> Self {
        Self::of(env::vars_os())
    }

    fn of(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let variables: Vec<(OsString, OsString)> = variables.into_iter().collect();
        let path = |wanted: &str| {
            variables
                .iter()
                .find(|(name, value)| name.to_str() == Some(wanted) && !value.is_empty())
                .map(|(_, value)| PathBuf::from(value))
        };
        let texts: Vec<(String, String)> = variables
            .iter()
            .map(|(name, value)| {
                let text = |text: &OsString| text.to_string_lossy().into_owned();
                (text(name), text(value))
            })
            .collect();
        Self {
            root: path(WorkspacePaths::ROOT),
            config_dir: path(WorkspacePaths::CONFIG_DIR),
            home: path("HOME"),
            temporary: path("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp")),
            colour: path("NO_COLOR").is_none()
                && path("TERM").as_deref() != Some(Path::new("dumb")),
            settings: texts
                .iter()
                .filter(|(name, _)| name.starts_with(PREFIX))
                .cloned()
                .collect(),
            names_platform: path(BINARY_VARIABLE).is_some(),
            commands: harness_shell::Environment::of(texts.iter().cloned()),
            platform: Settings::from_variables(texts.iter().cloned()),
            #[cfg(feature = "rig")]
            variables: Variables(texts.clone()),
            redactor: Redactor::with_values(texts),
        }
    }

    /// The workspace and its configuration folder: the flag, else the variable, else the
    /// container's root, else the user's own.
    ///
    /// # Errors
    /// None of these is there, as `HOME` is not set.
    pub(crate) fn paths(&self, flag: Option<&Path>) -> Result<WorkspacePaths> {
        let variable = |name: &str| match name {
            WorkspacePaths::ROOT => self.root.clone(),
            WorkspacePaths::CONFIG_DIR => self.config_dir.clone(),
            "HOME" => self.home.clone(),
            _ => None,
        };
        Ok(
            WorkspacePaths::find(flag, variable).map_err(|missing| match missing.variable {
                WorkspacePaths::ROOT => Problem::usage("HOME is not set: set it, or give --root"),
                _ => Problem::usage(missing.to_string()),
            })?,
        )
    }

    /// The settings of the loop.
    ///
    /// # Errors
    /// A variable with a value that is not allowed.
    pub(crate) fn config(&self) -> Result<Config, SettingError> {
        let settings = self.settings.iter();
        Config::from_variables(settings.map(|(name, value)| (name.as_str(), value.as_str())))
    }

    /// All variables, for a provider of models to find its own among them.
    #[cfg(feature = "rig")]
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        self.variables.0.clone()
    }

    /// The settings of a guard.
    ///
    /// # Errors
    /// A variable with a value that is not allowed.
    pub(crate) fn guard_config(&self) -> Result<GuardConfig, SettingError> {
        let settings = self.settings.iter();
        GuardConfig::from_variables(settings.map(|(name, value)| (name.as_str(), value.as_str())))
    }

    /// A redactor that knows the secrets of this environment.
    pub(crate) const fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The platform's binary, where there is one.
    pub(crate) const fn platform(&self) -> &Result<Settings, SettingsError> {
        &self.platform
    }

    /// Whether the operator named the platform's binary, so that it is expected to work.
    pub(crate) const fn names_platform(&self) -> bool {
        self.names_platform
    }

    /// What commands of an agent may see of it.
    pub(crate) const fn of_commands(&self) -> &harness_shell::Environment {
        &self.commands
    }

    /// The folder that we were called in.
    ///
    /// # Errors
    /// It is gone, or may not be read.
    pub(crate) fn working_folder(&self) -> Result<PathBuf> {
        let gone = |error| Problem::usage(format!("the working folder cannot be used: {error}"));
        Ok(env::current_dir().map_err(gone)?)
    }

    /// The user's home folder.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Where temporary folders go.
    pub(crate) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Whether colour is wanted where there is a terminal.
    pub(crate) const fn wants_colour(&self) -> bool {
        self.colour
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::of(
            variables
                .iter()
                .map(|(name, value)| (name.into(), value.into())),
        )
    }

    #[test]
    fn a_flag_comes_before_a_variable_and_a_variable_before_home() {
        let all = environment(&[
            ("HARNESS_ROOT", "/v"),
            ("HARNESS_CONFIG_DIR", "/c"),
            ("HOME", "/h"),
        ]);
        let paths = all.paths(Some(Path::new("/f"))).unwrap();
        assert_eq!(paths.root, Path::new("/f"));
        let paths = all.paths(None).unwrap();
        assert_eq!((paths.root, paths.config_dir), ("/v".into(), "/c".into()));
        let paths = environment(&[("HOME", "/h"), ("HARNESS_ROOT", "")])
            .paths(None)
            .unwrap();
        assert_eq!(paths.config_dir, Path::new("/h/.config/harness"));
        assert!(paths.root.starts_with("/h") || paths.root == Path::new("/harness"));
    }

    #[test]
    fn without_a_home_the_message_says_what_to_give() {
        let bare = environment(&[("HARNESS_ROOT", "/v")]);
        let error = bare.paths(None).unwrap_err().to_string();
        assert_eq!(error, "HOME is not set: set it, or set HARNESS_CONFIG_DIR");
    }

    #[test]
    fn secrets_of_the_environment_are_known_and_settings_are_read() {
        let environment = environment(&[
            ("MY_API_KEY", "correct-horse-battery"),
            ("HARNESS_ALPHA", "0.01"),
        ]);
        let text = environment
            .redactor()
            .redact("it is correct-horse-battery")
            .into_owned();
        assert_eq!(text, "it is [REDACTED:known-value]");
        assert_eq!(environment.config().unwrap().alpha, 0.01);
    }
}
