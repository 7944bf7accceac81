//! Whether the tree may be released: clean, of one version, with a changelog that says what is new.

use super::{Release, Version};
use crate::tree::Tree;
use anyhow::{Context, Result, bail};
use std::process::{Command, Stdio};

const CHANGELOG: &str = "CHANGELOG.md";
/// What marks an entry that alters what is allowed.
const STAR: char = '★';

/// Nothing is changed that is not committed.
pub(super) fn clean(release: &Release<'_>) -> Result<String> {
    let changed = git(release.tree, &["status", "--porcelain"])?;
    if !changed.is_empty() {
        bail!("the tree is not clean; commit or remove what `git status` lists:\n{changed}");
    }
    Ok(release.commit.clone())
}

/// Every manifest says the version, and the changelog has an entry for it that may come with it.
pub(super) fn agreed(release: &Release<'_>) -> Result<String> {
    let wanted = release.version.to_string();
    for member in release.tree.members()? {
        let found = member.package.version.to_string();
        if found != wanted {
            bail!(
                "`{}` has the version {found}: write {wanted} under [workspace.package] in Cargo.toml",
                member.package.name
            );
        }
    }
    let changelog = release.tree.read(CHANGELOG)?;
    let entry = entry(&changelog, &wanted)
        .with_context(|| format!("{CHANGELOG} has no heading `## {wanted}`: say what is new"))?;
    if !entry.lines().any(|line| line.starts_with("- ")) {
        bail!("{CHANGELOG} has nothing under `## {wanted}`: say what is new");
    }
    match last(release.tree)? {
        Some(before) if release.version <= before => {
            bail!("{wanted} is not above {before}, the last release: choose a higher version")
        }
        Some(before) if entry.contains(STAR) && !release.version.may_alter(before) => bail!(
            "{CHANGELOG} marks a change of what is allowed with {STAR}: after {before} that needs \
             a new minor version, not {wanted}"
        ),
        Some(before) => Ok(format!("{wanted} after {before}")),
        None => Ok(format!("{wanted}, the first release")),
    }
}

/// The commit that is checked out.
pub(super) fn commit(tree: &Tree) -> Result<String> {
    git(tree, &["rev-parse", "HEAD"])
}

/// The highest version that a tag `vX.Y.Z` of this history names.
pub(super) fn last(tree: &Tree) -> Result<Option<Version>> {
    let tags = git(tree, &["tag", "--merged", "HEAD", "--list", "v*"])?;
    Ok(tags
        .lines()
        .filter_map(|tag| Version::parse(tag.strip_prefix('v')?))
        .max())
}

/// What the changelog says of a version.
pub(super) fn changes(release: &Release<'_>) -> Result<String> {
    let changelog = release.tree.read(CHANGELOG)?;
    let entry = entry(&changelog, &release.version.to_string()).unwrap_or_default();
    Ok(entry.trim().to_owned())
}

fn entry<'a>(changelog: &'a str, version: &str) -> Option<&'a str> {
    let mut at = 0;
    let mut begin = None;
    for line in changelog.split_inclusive('\n') {
        if let Some(heading) = line.strip_prefix("## ") {
            if let Some(begin) = begin {
                return changelog.get(begin..at);
            }
            if heading.split_whitespace().next() == Some(version) {
                begin = Some(at + line.len());
            }
        }
        at += line.len();
    }
    changelog.get(begin?..)
}

/// Git in a tree, which it reads and never trusts to run anything.
fn git(tree: &Tree, args: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .args(["-c", "safe.directory=*", "-c", "core.fsmonitor=false"])
        .args(args)
        .current_dir(tree.root())
        .stderr(Stdio::inherit())
        .output()
        .context("git could not be run")?;
    if !output.status.success() {
        bail!("`git {}` failed: {}", args.join(" "), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_ends_at_the_next_version() {
        let changelog = "# Changelog\n\n## 0.2.0 (soon)\n\n- b\n\n## 0.1.0\n\n- a\n";
        assert_eq!(entry(changelog, "0.2.0").unwrap().trim(), "- b");
        assert_eq!(entry(changelog, "0.1.0").unwrap().trim(), "- a");
        assert_eq!(entry(changelog, "0.1"), None);
    }
}
