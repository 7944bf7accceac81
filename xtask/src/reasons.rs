//! Every outside crate has its reason written where it is chosen: the root manifest.

use crate::tree::{Member, Tree};
use anyhow::Result;
use std::collections::BTreeSet;

/// Entries of `[workspace.dependencies]` without a comment above them or above their group, and
/// outside crates that a manifest names past that table.
pub(crate) fn findings(tree: &Tree, members: &[Member]) -> Result<Vec<String>> {
    let entries = entries(&tree.read("Cargo.toml")?);
    let mut found: Vec<String> = entries
        .iter()
        .filter(|entry| entry.reason == Reason::Missing)
        .map(|entry| {
            format!(
                "Cargo.toml:{}: `{}` has no reason; write a comment above it or its group",
                entry.line, entry.name
            )
        })
        .collect();
    let chosen: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    for member in members {
        for dependency in &member.package.dependencies {
            if !chosen.contains(dependency.name.as_str()) {
                found.push(format!(
                    "{}/Cargo.toml: `{}` is not in the root's [workspace.dependencies]",
                    member.folder.display(),
                    dependency.name
                ));
            }
        }
    }
    Ok(found)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Given,
    Missing,
}

struct Entry {
    line: usize,
    name: String,
    reason: Reason,
}

/// The entries of the table; a group ends at a blank line.
fn entries(manifest: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut in_table = false;
    let mut reason = Reason::Missing;
    for (at, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') {
            in_table = line == "[workspace.dependencies]";
        }
        if line.is_empty() || line.starts_with('[') {
            reason = Reason::Missing;
        } else if line.starts_with('#') {
            reason = Reason::Given;
        } else if let Some((name, _)) = line.split_once('=').filter(|_| in_table) {
            entries.push(Entry {
                line: at + 1,
                name: name.trim().trim_matches('"').to_owned(),
                reason,
            });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_counts_for_its_group() {
        let manifest = "\
# Not this one.
[workspace.dependencies]
bare = \"1\"

# A group.
a = \"1\"
b = { version = \"1\" }

late = \"1\"
[profile.dev]
debug = false
";
        let read: Vec<_> = entries(manifest)
            .into_iter()
            .map(|entry| (entry.line, entry.name, entry.reason))
            .collect();
        assert_eq!(
            read,
            [
                (3, "bare".to_owned(), Reason::Missing),
                (6, "a".to_owned(), Reason::Given),
                (7, "b".to_owned(), Reason::Given),
                (9, "late".to_owned(), Reason::Missing),
            ]
        );
    }
}
