//! The bill of materials: CycloneDX 1.6, of the binary as it is built with default features.

use super::Release;
use anyhow::{Context, Result};
use cargo_metadata::{Metadata, MetadataCommand, Package, PackageId};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Its file.
const FILE: &str = "harness.cdx.json";
/// What it is of.
const ROOT: &str = "harness-cli";

/// Writes it. The same commit gives the same bytes: no time and no random number is in it.
pub(super) fn write(release: &Release<'_>) -> Result<String> {
    let metadata = MetadataCommand::new()
        .manifest_path(release.tree.root().join("Cargo.toml"))
        .other_options(["--locked".to_owned()])
        .exec()
        .context("cargo metadata failed")?;
    let sums = checksums(&release.tree.read("Cargo.lock")?);
    let bill = bill(&metadata, &sums).with_context(|| format!("there is no crate `{ROOT}`"))?;
    let count = bill
        .get("components")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    fs::write(
        release.file(FILE),
        serde_json::to_string_pretty(&bill)? + "\n",
    )?;
    Ok(format!("{count} components in {FILE}"))
}

fn bill(metadata: &Metadata, sums: &BTreeMap<(String, String), String>) -> Option<Value> {
    let root = metadata.packages.iter().find(|p| p.name == ROOT)?;
    let edges: BTreeMap<&PackageId, BTreeSet<&PackageId>> = metadata
        .resolve
        .as_ref()?
        .nodes
        .iter()
        .map(|node| {
            // What only tests use is no part of the product.
            let linked = node.deps.iter().filter(|dep| {
                dep.dep_kinds
                    .iter()
                    .any(|kind| kind.kind != cargo_metadata::DependencyKind::Development)
            });
            (&node.id, linked.map(|dep| &dep.pkg).collect())
        })
        .collect();
    let mut reached = BTreeSet::from([&root.id]);
    let mut open = vec![&root.id];
    while let Some(id) = open.pop() {
        for next in edges.get(id).into_iter().flatten() {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    let by_id: BTreeMap<&PackageId, &Package> =
        metadata.packages.iter().map(|p| (&p.id, p)).collect();
    let part = |id: &&PackageId| by_id.get(*id).copied();
    let components: Vec<Value> = reached
        .iter()
        .filter(|id| **id != &root.id)
        .filter_map(part)
        .map(|package| component(package, sums, "library"))
        .collect();
    let dependencies: Vec<Value> = reached
        .iter()
        .filter_map(|id| {
            let on: BTreeSet<String> = edges
                .get(id)?
                .iter()
                .filter_map(part)
                .map(reference)
                .collect();
            Some(json!({ "ref": reference(by_id.get(*id)?), "dependsOn": on }))
        })
        .collect();
    Some(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": component(root, sums, "application") },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn component(package: &Package, sums: &BTreeMap<(String, String), String>, kind: &str) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(package),
        "name": package.name.as_str(),
        "version": package.version.to_string(),
        "purl": reference(package),
    });
    let Some(fields) = component.as_object_mut() else {
        return component;
    };
    if let Some(licence) = &package.license {
        // Some old packages separate a choice by a slash.
        let expression = licence.replace('/', " OR ");
        fields.insert("licenses".to_owned(), json!([{ "expression": expression }]));
    }
    let key = (package.name.to_string(), package.version.to_string());
    if let Some(sum) = sums.get(&key) {
        fields.insert(
            "hashes".to_owned(),
            json!([{ "alg": "SHA-256", "content": sum }]),
        );
    }
    component
}

fn reference(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

/// The sums of the lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let mut sums = BTreeMap::new();
    for package in lock.split("[[package]]") {
        let field = |name: &str| {
            package.lines().find_map(|line| {
                let value = line.strip_prefix(name)?.strip_prefix(" = \"")?;
                value.strip_suffix('"').map(str::to_owned)
            })
        };
        if let (Some(name), Some(version), Some(sum)) =
            (field("name"), field("version"), field("checksum"))
        {
            sums.insert((name, version), sum);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    #[test]
    fn sums_are_those_of_the_lock_file() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"00\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n";
        let sums = checksums(lock);
        assert_eq!(sums.len(), 1);
        assert_eq!(sums[&("a".to_owned(), "1.0.0".to_owned())], "00");
    }

    #[test]
    fn the_bill_names_what_the_binary_links_and_no_more() {
        let root = Tree::here().unwrap().root().join("Cargo.toml");
        let metadata = MetadataCommand::new().manifest_path(root).exec().unwrap();
        let bill = bill(&metadata, &BTreeMap::new()).unwrap();
        let names: Vec<&str> = bill["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|component| component["name"].as_str().unwrap())
            .collect();
        assert!(names.contains(&"harness-core") && names.contains(&"clap"));
        assert!(!names.contains(&"trybuild") && !names.contains(&"xtask"));
    }
}
