//! The packages, each built again from what is in it.

use super::Release;
use super::stage::Stage;
use crate::tree::{self, Tree};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Packages every crate but this one. Cargo orders them by their arrows and verifies each against
/// the packages before it, as a registry would serve them.
pub(super) fn build(release: &Release<'_>) -> Result<String> {
    let stage = Stage::of(release)?;
    let target = release.tree.target()?;
    let made = target.join("package");
    let mut cargo = stage
        .tree
        .cargo(["package", "--workspace", "--allow-dirty", "--quiet"]);
    cargo
        .args(["--exclude", &release.published("xtask")])
        .env("CARGO_TARGET_DIR", &target);
    tree::succeed(&mut cargo).context(
        "a crate does not build from its package: does it read a file outside its folder?",
    )?;
    let mut count = 0;
    for member in release.tree.members()? {
        if member.package.name == "xtask" {
            continue;
        }
        let file = format!(
            "{}-{}.crate",
            release.published(&member.package.name),
            release.version
        );
        let from = made.join(&file);
        fs::copy(&from, release.file(&file)).with_context(|| format!("cargo made no `{file}`"))?;
        forget(&from)?;
        count += 1;
    }
    if count == 0 {
        bail!("there is no crate to package");
    }
    Ok(format!("{count}, each built from its package"))
}

/// The crates in the order in which they can be published: an arrow points to one before.
pub(super) fn order(tree: &Tree) -> Result<Vec<String>> {
    let members = tree.members()?;
    let names: Vec<String> = members.iter().map(|m| m.package.name.to_string()).collect();
    let mut left: Vec<_> = members
        .iter()
        .filter(|member| member.package.name != "xtask")
        .collect();
    let mut order: Vec<String> = Vec::new();
    while !left.is_empty() {
        let ready = left.iter().position(|member| {
            member.package.dependencies.iter().all(|dependency| {
                dependency.name == member.package.name.as_str()
                    || !names.contains(&dependency.name)
                    || order.contains(&dependency.name)
            })
        });
        let at = ready.context("the crates depend on each other in a circle")?;
        order.push(left.remove(at).package.name.to_string());
    }
    Ok(order)
}

/// Removes a package and what was unpacked to verify it.
fn forget(package: &Path) -> Result<()> {
    fs::remove_file(package)?;
    let unpacked = package.with_extension("");
    if unpacked.is_dir() {
        fs::remove_dir_all(unpacked)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_published_after_those_that_it_needs() {
        let order = order(&Tree::here().unwrap()).unwrap();
        let at = |name: &str| order.iter().position(|n| n == name).unwrap();
        assert!(at("harness-core") < at("harness-sanitize"));
        assert!(at("harness-rules") < at("harness-engine"));
        assert_eq!(at("harness-cli"), order.len() - 1);
    }
}
