//! A copy of what is committed, as it is published: versions beside paths, names with the prefix.

use super::Release;
use crate::tree::Tree;
use anyhow::{Context, Result};
use std::fs;
use tempfile::TempDir;

/// The copy. It goes away with this value.
pub(super) struct Stage {
    pub(super) tree: Tree,
    _folder: TempDir,
}

impl Stage {
    /// Copies every file that git knows, and writes the manifests anew.
    pub(super) fn of(release: &Release<'_>) -> Result<Self> {
        let folder = TempDir::with_prefix("harness-release-")?;
        let root = folder.path();
        for file in release.tree.files()? {
            let to = root.join(&file);
            fs::create_dir_all(to.parent().unwrap_or(root))?;
            fs::copy(release.tree.root().join(&file), to)
                .with_context(|| format!("cannot copy `{}`", file.display()))?;
        }
        let members = release.tree.members()?;
        let names: Vec<&str> = members.iter().map(|m| m.package.name.as_str()).collect();
        let manifest = release.tree.read("Cargo.toml")?;
        fs::write(
            root.join("Cargo.toml"),
            workspace(&manifest, &names, release),
        )?;
        for member in &members {
            let path = member.folder.join("Cargo.toml");
            let has_library = member.package.targets.iter().any(|target| target.is_lib());
            let text = package(
                &release.tree.read(&path)?,
                &member.package.name,
                &release.published(&member.package.name),
                has_library,
            );
            fs::write(root.join(path), text)?;
        }
        Ok(Self {
            tree: Tree::copy_at(root.to_path_buf()),
            _folder: folder,
        })
    }
}

/// The workspace's manifest: what is ours has a version, a published name, and may be published.
fn workspace(manifest: &str, names: &[&str], release: &Release<'_>) -> String {
    let mut text = String::new();
    for line in manifest.lines() {
        let ours = line
            .split_once(" = { path = ")
            .filter(|(name, _)| names.contains(name));
        match ours {
            Some((name, rest)) => text.push_str(&format!(
                "{name} = {{ package = \"{}\", version = \"={}\", path = {rest}",
                release.published(name),
                release.version
            )),
            None if line == "publish = false" => text.push_str("publish = true"),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// A crate's manifest under its published name; the library keeps its own.
fn package(manifest: &str, name: &str, published: &str, has_library: bool) -> String {
    if name == published {
        return manifest.to_owned();
    }
    let renamed = manifest.replacen(
        &format!("name = \"{name}\""),
        &format!("name = \"{published}\""),
        1,
    );
    if has_library && !manifest.contains("\n[lib]") {
        format!("{renamed}\n[lib]\nname = \"{}\"\n", name.replace('-', "_"))
    } else {
        renamed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_resolves_under_its_prefix_with_a_version_beside_each_path() {
        let tree = Tree::here().unwrap();
        let release = Release {
            tree: &tree,
            version: super::super::Version::parse("0.1.0").unwrap(),
            prefix: Some("acme".to_owned()),
            commit: String::new(),
            folder: std::path::PathBuf::new(),
        };
        let stage = Stage::of(&release).unwrap();
        let members = stage.tree.members().unwrap();
        assert_eq!(members.len(), tree.members().unwrap().len());
        for member in members {
            let name = member.package.name.as_str();
            assert!(name.starts_with("acme-"), "{name}");
            for dependency in &member.package.dependencies {
                let ours = dependency.path.is_some();
                assert_eq!(ours, dependency.name.starts_with("acme-"), "{name}");
                assert_eq!(ours, dependency.req.to_string() == "=0.1.0", "{name}");
            }
        }
    }

    #[test]
    fn a_library_keeps_its_name_under_another_packages() {
        let manifest = "[package]\nname = \"a-b\"\n";
        assert_eq!(package(manifest, "a-b", "a-b", true), manifest);
        assert_eq!(
            package(manifest, "a-b", "x-a-b", true),
            "[package]\nname = \"x-a-b\"\n\n[lib]\nname = \"a_b\"\n"
        );
        assert_eq!(
            package(manifest, "a-b", "x-a-b", false),
            "[package]\nname = \"x-a-b\"\n"
        );
    }
}
