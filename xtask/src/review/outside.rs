//! The outside crates that a crate links in the end, told from their sources on this machine.

use crate::source;
use crate::tree::{Member, Tree};
use anyhow::{Context, Result};
use cargo_metadata::Package;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// One of them.
pub(super) struct Outside {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) licence: String,
    /// Whether the crate names it itself.
    pub(super) is_direct: bool,
    /// Lines with code on them.
    pub(super) lines: usize,
    /// How often the word `unsafe` is code.
    pub(super) unsafes: usize,
}

/// Folders of a package that nobody links.
const NOT_LINKED: [&str; 3] = ["tests", "benches", "examples"];

/// All of them; `direct` are the entries of the surface.
pub(super) fn of(tree: &Tree, member: &Member, direct: &BTreeSet<String>) -> Result<Vec<Outside>> {
    let packages = tree.resolved()?;
    let named = |name: &str| {
        direct
            .iter()
            .any(|entry| entry.split(' ').next() == Some(name))
    };
    let mut found = Vec::new();
    for (name, versions) in tree.linked(&member.package)? {
        for version in versions {
            let is_it = |package: &&Package| {
                package.name == name.as_str() && package.version.to_string() == version
            };
            let package = packages.iter().find(is_it);
            let package = package.with_context(|| format!("cargo does not know `{name}`"))?;
            if package.source.is_none() {
                continue; // one of ours
            }
            let (lines, unsafes) = count(package)?;
            found.push(Outside {
                is_direct: named(&name),
                name: name.clone(),
                version,
                licence: package
                    .license
                    .clone()
                    .unwrap_or_else(|| "not said".to_owned()),
                lines,
                unsafes,
            });
        }
    }
    found.sort_by_key(|outside| !outside.is_direct);
    Ok(found)
}

fn count(package: &Package) -> Result<(usize, usize)> {
    let folder = package.manifest_path.parent();
    let folder = folder.context("a package without a folder")?.as_std_path();
    let (mut lines, mut unsafes) = (0, 0);
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                if !NOT_LINKED.iter().any(|name| path.ends_with(name)) {
                    open.push(path);
                }
            } else if is_rust(&path) {
                let code = source::code(&String::from_utf8_lossy(&fs::read(&path)?));
                lines += code.lines().filter(|line| !line.trim().is_empty()).count();
                unsafes += source::words(&code, "unsafe").count();
            }
        }
    }
    Ok((lines, unsafes))
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "rs")
}
