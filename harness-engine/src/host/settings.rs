//! A setup from environment variables, which the host reads and hands in.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{Config, ConfigError};
use crate::embedded::EmbeddedEvaluator;
use crate::setup::{Repair, Setup};
use harness_sanitize::Redactor;
use harness_store::WorkspacePaths;

const ROOT: &str = "HARNESS_ROOT";
const CONFIG_DIR: &str = "HARNESS_CONFIG_DIR";
const HOME: &str = "HOME";
/// The root in a container, where it exists and is writable.
const CONTAINER_ROOT: &str = "/harness";
/// The root beneath the user's home.
const HOME_ROOT: &str = ".local/state/harness";
/// The folder of anchor and key beneath the user's home.
const HOME_CONFIG: &str = ".config/harness";

/// Why variables make no setup. The operator's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A setting has a value that is not allowed.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A folder is not given, and there is no home to find it in.
    #[error("HOME is not set: set it, or set {variable}")]
    NoHome {
        /// The variable that would do instead.
        variable: &'static str,
    },
}

/// The defaults, changed by whatever `variables` (names and values) set; see [`Config`] for the
/// settings.
///
/// The workspace lies in `HARNESS_ROOT`; else in `/harness`, where that is a folder that can be
/// written; else beneath `HOME`. Its anchor and key lie in `HARNESS_CONFIG_DIR`, else beneath
/// `HOME`. The redactor knows the secrets among the variables. Traces are scored by the embedded
/// evaluator, and outcomes by nobody; a host sets `verifier` and `evaluator` as it likes. Who
/// repairs is said by the caller.
///
/// # Errors
/// See [`SetupError`].
pub fn setup_from_variables(
    variables: impl IntoIterator<Item = (String, String)>,
    repair: Repair,
) -> Result<Setup, SetupError> {
    let variables: Vec<(String, String)> = variables.into_iter().collect();
    Ok(Setup {
        paths: paths(&variables, Path::new(CONTAINER_ROOT))?,
        config: Config::from_variables(
            variables
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        )?,
        evaluator: Arc::new(EmbeddedEvaluator),
        verifier: None,
        repair,
        redactor: Redactor::with_values(variables),
        clock: None,
    })
}

fn paths(
    variables: &[(String, String)],
    container_root: &Path,
) -> Result<WorkspacePaths, SetupError> {
    let set = |wanted: &str| {
        variables
            .iter()
            .find(|(name, value)| name == wanted && !value.is_empty())
            .map(|(_, value)| PathBuf::from(value))
    };
    let beneath_home = |path: &str, variable| {
        set(HOME)
            .map(|home| home.join(path))
            .ok_or(SetupError::NoHome { variable })
    };
    let root = match set(ROOT) {
        Some(root) => root,
        None if is_writable(container_root) => container_root.to_path_buf(),
        None => beneath_home(HOME_ROOT, ROOT)?,
    };
    let config_dir = match set(CONFIG_DIR) {
        Some(folder) => folder,
        None => beneath_home(HOME_CONFIG, CONFIG_DIR)?,
    };
    Ok(WorkspacePaths { root, config_dir })
}

/// Whether a folder can be written to, shown by doing it: modes alone do not tell.
fn is_writable(folder: &Path) -> bool {
    let probe = folder.join(format!(".harness-probe-{}", std::process::id()));
    fs::create_dir(&probe).is_ok() && fs::remove_dir(&probe).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn found(pairs: &[(&str, &str)], container_root: &Path) -> (PathBuf, PathBuf) {
        let paths = paths(&variables(pairs), container_root).unwrap();
        (paths.root, paths.config_dir)
    }

    #[test]
    fn a_variable_comes_before_the_container_and_the_container_before_home() {
        let container = tempfile::tempdir().unwrap();
        let none = container.path().join("none");
        let all = [
            ("HARNESS_ROOT", "/r"),
            ("HARNESS_CONFIG_DIR", "/c"),
            ("HOME", "/h"),
        ];
        assert_eq!(found(&all, container.path()), ("/r".into(), "/c".into()));
        assert_eq!(
            found(&all[2..], container.path()),
            (container.path().into(), "/h/.config/harness".into())
        );
        assert_eq!(
            found(&all[1..], &none),
            ("/h/.local/state/harness".into(), "/c".into())
        );
        assert_eq!(fs::read_dir(container.path()).unwrap().count(), 0);
    }

    #[test]
    fn without_a_home_the_message_says_what_to_set() {
        let bare = variables(&[("HARNESS_ROOT", "/r"), ("HOME", "")]);
        let error = setup_from_variables(bare, Repair::Off).err().unwrap();
        assert_eq!(
            error.to_string(),
            "HOME is not set: set it, or set HARNESS_CONFIG_DIR"
        );
    }

    #[test]
    fn settings_are_read_and_secrets_are_known() {
        let pairs = [
            ("HARNESS_ROOT", "/r"),
            ("HARNESS_CONFIG_DIR", "/c"),
            ("HARNESS_ALPHA", "0.01"),
            ("MY_API_KEY", "correct-horse-battery"),
        ];
        let setup = setup_from_variables(variables(&pairs), Repair::Off)
            .ok()
            .unwrap();
        assert_eq!(setup.config.alpha, 0.01);
        assert_eq!(
            setup.redactor.redact("it is correct-horse-battery"),
            "it is [REDACTED:known-value]"
        );
        let bad = variables(&[pairs[0], pairs[1], ("HARNESS_ALPHA", "much")]);
        let error = setup_from_variables(bad, Repair::Off).err().unwrap();
        assert!(error.to_string().starts_with("HARNESS_ALPHA=`much`"));
    }
}
