//! What a release consists of beside its packages: sums, and the text of its tag.

use super::{Release, package, readiness};
use anyhow::{Context, Result, bail};
use std::fs;
use std::process::{Command, Stdio};

/// SHA-256 of every package and of the bill of materials, as `sha256sum --check` reads them.
const SUMS: &str = "SHA256SUMS";
/// What `git tag --file` takes.
const TAG: &str = "tag.txt";

pub(super) fn sums(release: &Release<'_>) -> Result<String> {
    let mut names: Vec<String> = fs::read_dir(&release.folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    names.retain(|name| name.ends_with(".crate") || name.ends_with(".json"));
    names.sort();
    let output = Command::new("sha256sum")
        .args(&names)
        .current_dir(&release.folder)
        .stderr(Stdio::inherit())
        .output()
        .context("`sha256sum` could not be run: install coreutils")?;
    if !output.status.success() {
        bail!("`sha256sum` failed: {}", output.status);
    }
    fs::write(release.file(SUMS), output.stdout)?;
    Ok(format!("{} in {SUMS}", names.len()))
}

pub(super) fn tag(release: &Release<'_>) -> Result<String> {
    let sums = fs::read_to_string(release.file(SUMS))?;
    let text = format!(
        "Harness {}\n\n{}\n\nSHA-256\n{sums}",
        release.version,
        readiness::changes(release)?
    );
    fs::write(release.file(TAG), &text)?;
    println!("{text}");
    Ok(format!("in {TAG}"))
}

/// What a person does now.
pub(super) fn what_is_left(release: &Release<'_>) -> String {
    let packages = package::order(release.tree).unwrap_or_default();
    let names: Vec<String> = packages
        .iter()
        .map(|name| release.published(name))
        .collect();
    format!(
        "Now, by hand:\n  git tag --sign --file {} v{} {}\n  publish, in this order: {}\n",
        release.file(TAG).display(),
        release.version,
        release.commit,
        names.join(", ")
    )
}
