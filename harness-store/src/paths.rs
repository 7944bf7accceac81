//! Where a workspace lies, as its caller says; this crate reads no environment.

use std::fs;
use std::path::{Path, PathBuf};

/// The two places of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspacePaths {
    /// The root: journal, rules, mailbox and the rest.
    pub root: PathBuf,
    /// Where each workspace has a folder for its anchor and its assignment key. Never beneath the
    /// root: what it holds is there to catch an edit of the root.
    pub config_dir: PathBuf,
}

/// A place is not given, and there is no home to find it in. The operator's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("HOME is not set: set it, or set {variable}")]
pub struct NoHome {
    /// The variable that would do instead.
    pub variable: &'static str,
}

/// The root in a container, where it exists and is writable.
const CONTAINER_ROOT: &str = "/harness";
/// The root beneath the user's home.
const HOME_ROOT: &str = ".local/state/harness";
/// The folder of anchor and key beneath the user's home.
const HOME_CONFIG: &str = ".config/harness";
const HOME: &str = "HOME";

impl WorkspacePaths {
    /// The variable that names the root.
    pub const ROOT: &'static str = "HARNESS_ROOT";
    /// The variable that names the folder of anchor and key.
    pub const CONFIG_DIR: &'static str = "HARNESS_CONFIG_DIR";

    /// The root: as `given`, else as its variable says, else `/harness` where that is a folder that
    /// can be written, else beneath `HOME`. The folder of anchor and key: as its variable says, else
    /// beneath `HOME`. `variable` looks one up that is set and not empty.
    ///
    /// # Errors
    /// [`NoHome`].
    pub fn find(
        given: Option<&Path>,
        variable: impl Fn(&str) -> Option<PathBuf>,
    ) -> Result<Self, NoHome> {
        Self::find_with(given, variable, Path::new(CONTAINER_ROOT))
    }

    fn find_with(
        given: Option<&Path>,
        variable: impl Fn(&str) -> Option<PathBuf>,
        container_root: &Path,
    ) -> Result<Self, NoHome> {
        let beneath_home = |path: &str, instead| {
            variable(HOME)
                .map(|home| home.join(path))
                .ok_or(NoHome { variable: instead })
        };
        let said = given
            .map(Path::to_path_buf)
            .or_else(|| variable(Self::ROOT));
        let root = match said {
            Some(root) => root,
            None if is_writable(container_root) => container_root.to_path_buf(),
            None => beneath_home(HOME_ROOT, Self::ROOT)?,
        };
        let config_dir = match variable(Self::CONFIG_DIR) {
            Some(folder) => folder,
            None => beneath_home(HOME_CONFIG, Self::CONFIG_DIR)?,
        };
        Ok(Self { root, config_dir })
    }
}

/// Whether a folder can be written to, shown by doing it: modes alone do not tell.
fn is_writable(folder: &Path) -> bool {
    let probe = folder.join(format!(".harness-probe-{}", std::process::id()));
    let made = fs::create_dir(&probe).is_ok();
    made && fs::remove_dir(&probe).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(
        given: Option<&str>,
        pairs: &[(&str, &str)],
        container_root: &Path,
    ) -> Result<(PathBuf, PathBuf), NoHome> {
        let variable = |wanted: &str| {
            let pair = pairs.iter().find(|(name, _)| *name == wanted);
            pair.map(|(_, value)| PathBuf::from(value))
        };
        WorkspacePaths::find_with(given.map(Path::new), variable, container_root)
            .map(|paths| (paths.root, paths.config_dir))
    }

    #[test]
    fn what_is_given_comes_first_then_a_variable_then_the_container_then_home() {
        let container = tempfile::tempdir().unwrap();
        let none = container.path().join("none");
        let all = [
            ("HARNESS_ROOT", "/r"),
            ("HARNESS_CONFIG_DIR", "/c"),
            ("HOME", "/h"),
        ];
        let (root, config) = (PathBuf::from("/r"), PathBuf::from("/c"));
        assert_eq!(
            found(Some("/g"), &all, container.path()),
            Ok(("/g".into(), config.clone()))
        );
        assert_eq!(
            found(None, &all, container.path()),
            Ok((root, config.clone()))
        );
        assert_eq!(
            found(None, &all[2..], container.path()),
            Ok((container.path().into(), "/h/.config/harness".into()))
        );
        assert_eq!(
            found(None, &all[1..], &none),
            Ok(("/h/.local/state/harness".into(), config))
        );
        assert_eq!(fs::read_dir(container.path()).unwrap().count(), 0);
    }

    #[test]
    fn without_a_home_the_message_says_what_to_set() {
        let none = Path::new("/nonexistent/root");
        let missing = |pairs: &[(&str, &str)]| found(None, pairs, none).unwrap_err().to_string();
        assert_eq!(missing(&[]), "HOME is not set: set it, or set HARNESS_ROOT");
        assert_eq!(
            missing(&[("HARNESS_ROOT", "/r")]),
            "HOME is not set: set it, or set HARNESS_CONFIG_DIR"
        );
    }
}
