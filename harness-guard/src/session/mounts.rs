//! Folders of credentials: nothing that runs for an agent may see them.

use std::path::{Path, PathBuf};

/// Where programs keep credentials, from a user's home on.
const CREDENTIALS: &[&str] = &[
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".docker",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".ssh",
];

/// Those of them that this machine has: a host makes sure that no sandbox mounts one.
pub fn credential_folders(home: &Path) -> Vec<PathBuf> {
    CREDENTIALS
        .iter()
        .map(|place| home.join(place))
        .filter(|place| place.symlink_metadata().is_ok())
        .collect()
}
