//! A setup from environment variables, which the host reads and hands in.

use std::path::PathBuf;
use std::sync::Arc;

use harness_core::SettingError;
use harness_sanitize::Redactor;
use harness_store::{NoHome, WorkspacePaths};

use crate::config::Config;
use crate::embedded::EmbeddedEvaluator;
use crate::setup::{Repair, Setup};

/// Why variables make no setup. The operator's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A setting has a value that is not allowed.
    #[error(transparent)]
    Config(#[from] SettingError),
    /// A folder is not given, and there is no home to find it in.
    #[error(transparent)]
    NoHome(#[from] NoHome),
}

/// The defaults, changed by whatever `variables` (names and values) set; see [`Config`] for the
/// settings.
///
/// The workspace lies where [`WorkspacePaths::find`] finds it. The redactor knows the secrets among
/// the variables. Traces are scored by the embedded evaluator, and outcomes by nobody; a host sets
/// `verifier` and `evaluator` as it likes. Who repairs is said by the caller.
///
/// # Errors
/// See [`SetupError`].
pub fn setup_from_variables(
    variables: impl IntoIterator<Item = (String, String)>,
    repair: Repair,
) -> Result<Setup, SetupError> {
    let variables: Vec<(String, String)> = variables.into_iter().collect();
    Ok(Setup {
        paths: WorkspacePaths::find(None, |wanted| {
            variables
                .iter()
                .find(|(name, value)| name == wanted && !value.is_empty())
                .map(|(_, value)| PathBuf::from(value))
        })?,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
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
