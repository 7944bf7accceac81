//! `surface`: the crate table, checked against what cargo resolves, the text and a record.
//!
//! `surface.json` beside this package's manifest holds, for each crate, its arrows to ours, its
//! outside crates and the kinds of API it uses, one entry a line, so that a change of surface is a
//! diff that a reviewer sees. What a crate links in the end is resolved for that crate alone, as
//! whoever depends on it gets it, with default features and for one platform. An entry too many
//! or too few fails, and so does a breach of the table itself.

use crate::apis::{self, KINDS};
use crate::law;
use crate::tree::Tree;
use anyhow::{Context, Result, bail};
use cargo_metadata::{Dependency, DependencyKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The record, from the root of the tree.
pub(crate) const FILE: &str = "xtask/surface.json";

/// Crates of ours in `[dependencies]`.
pub(crate) const ARROWS: &str = "arrows";
/// Crates of ours that only tests use.
pub(crate) const DEV_ARROWS: &str = "dev_arrows";
/// Outside crates in `[dependencies]` and `[build-dependencies]`.
pub(crate) const OUTSIDE: &str = "outside";
/// Outside crates that are linked in the end.
const TRANSITIVE: &str = "outside_transitive";

/// Crate, section, entries.
pub(crate) type Surface = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Arguments of `surface`.
#[derive(clap::Args)]
#[command(after_help = help())]
pub(crate) struct Args {
    /// Accept what is: write the record. The table is law and is checked all the same
    #[arg(long)]
    write: bool,
}

impl Args {
    /// Checks and writes nothing.
    pub(crate) fn check() -> Self {
        Self { write: false }
    }
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    if args.write {
        let found = collect(tree)?;
        refuse(&law::violations(&found))?;
        let text = serde_json::to_string_pretty(&found)? + "\n";
        fs::write(tree.root().join(FILE), text)
            .with_context(|| format!("cannot write `{FILE}`"))?;
        println!("surface: wrote {FILE}; the diff is what a reviewer reads");
        return Ok(());
    }
    refuse(&check(tree)?)?;
    println!("surface: as recorded in {FILE}, and within the table");
    Ok(())
}

/// Every breach of the table and every difference from the record.
pub(crate) fn check(tree: &Tree) -> Result<Vec<String>> {
    let found = collect(tree)?;
    let recorded = record(&tree.read(FILE)?)?;
    let mut findings = law::violations(&found);
    findings.extend(difference(&recorded, &found));
    Ok(findings)
}

/// The record, of its text.
pub(crate) fn record(text: &str) -> Result<Surface> {
    serde_json::from_str(text)
        .with_context(|| format!("`{FILE}` is no surface record; `--write` makes one"))
}

fn refuse(findings: &[String]) -> Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    for finding in findings {
        eprintln!("surface: {finding}");
    }
    bail!(
        "the surface is not what was agreed, {} finding(s). If a change is meant: \
         `cargo xtask surface --write`, and let the reviewer see the diff of {FILE}",
        findings.len()
    );
}

/// One line for each entry that only one of the two has.
pub(crate) fn difference(recorded: &Surface, found: &Surface) -> Vec<String> {
    let (recorded, found) = (lines(recorded), lines(found));
    let too_many = found
        .difference(&recorded)
        .map(|line| format!("+ {line} (found, not in the record)"));
    let too_few = recorded
        .difference(&found)
        .map(|line| format!("- {line} (in the record, not found)"));
    too_many.chain(too_few).collect()
}

fn lines(surface: &Surface) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (name, sections) in surface {
        lines.insert(name.clone());
        for (section, entries) in sections {
            lines.extend(entries.iter().map(|e| format!("{name} / {section} / {e}")));
        }
    }
    lines
}

/// The surface as it is.
pub(crate) fn collect(tree: &Tree) -> Result<Surface> {
    let files = tree.rust_files()?;
    let members = tree.members()?;
    let ours: BTreeSet<&str> = members
        .iter()
        .map(|member| member.package.name.as_str())
        .collect();
    let mut surface = Surface::new();
    for member in &members {
        let mut linked: BTreeSet<String> = tree.linked(&member.package)?.into_keys().collect();
        linked.retain(|name| !ours.contains(name.as_str()));
        let mut sections = BTreeMap::from([
            (ARROWS.to_owned(), BTreeSet::new()),
            (DEV_ARROWS.to_owned(), BTreeSet::new()),
            (OUTSIDE.to_owned(), BTreeSet::new()),
            (TRANSITIVE.to_owned(), linked),
        ]);
        for dependency in &member.package.dependencies {
            let section = match (ours.contains(dependency.name.as_str()), dependency.kind) {
                (true, DependencyKind::Development) => DEV_ARROWS,
                (true, _) => ARROWS,
                (false, DependencyKind::Development) => continue,
                (false, _) => OUTSIDE,
            };
            let entries = sections.entry(section.to_owned()).or_default();
            entries.insert(entry(dependency));
        }
        for (kind, uses) in apis::of_crate(tree, &files, member)? {
            sections.insert(kind.to_owned(), uses);
        }
        surface.insert(member.package.name.to_string(), sections);
    }
    Ok(surface)
}

/// A dependency with what marks it: `name (optional)`, `name (build)`, `name (cfg(unix))`.
fn entry(dependency: &Dependency) -> String {
    let mut entry = dependency.name.clone();
    if dependency.optional {
        entry.push_str(" (optional)");
    }
    if dependency.kind == DependencyKind::Build {
        entry.push_str(" (build)");
    }
    if let Some(target) = &dependency.target {
        entry.push_str(&format!(" ({target})"));
    }
    entry
}

fn help() -> String {
    let mut help = "Looked for in the text of each crate, test code left out:\n".to_owned();
    for kind in KINDS {
        help.push_str(&format!("  {:<12} {}\n", kind.name, kind.reason));
    }
    help + "\nExample: cargo xtask surface"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(entries: &[&str]) -> Surface {
        let entries = entries.iter().map(|&entry| entry.to_owned()).collect();
        let sections = BTreeMap::from([(OUTSIDE.to_owned(), entries)]);
        BTreeMap::from([("a".to_owned(), sections)])
    }

    #[test]
    fn an_entry_too_many_or_too_few_is_a_difference() {
        assert_eq!(
            difference(&surface(&["x", "y"]), &surface(&["y", "z"])),
            [
                "+ a / outside / z (found, not in the record)",
                "- a / outside / x (in the record, not found)"
            ]
        );
        assert_eq!(difference(&surface(&["x"]), &surface(&["x"])), [""; 0]);
    }

    #[test]
    fn a_crate_too_many_is_a_difference_even_when_it_is_empty() {
        let empty = BTreeMap::from([("b".to_owned(), BTreeMap::new())]);
        assert_eq!(
            difference(&Surface::new(), &empty),
            ["+ b (found, not in the record)"]
        );
    }

    #[test]
    fn the_record_reads_back_as_it_was_written() {
        let written = surface(&["x", "y"]);
        let text = serde_json::to_string_pretty(&written).unwrap();
        assert_eq!(serde_json::from_str::<Surface>(&text).unwrap(), written);
    }
}
