//! `tidy`: what the compiler does not ask for and a reader relies on.
//!
//! - every module file opens with a `//!` doc;
//! - every crate root forbids `unsafe` (the one that loads plugins denies it, and one module of it
//!   allows it), and every `lib.rs` has the four headings in order;
//! - nothing is left unfinished (`todo!`, `unimplemented!`) and no test is left out (`#[ignore]`);
//! - every invariant of the architecture page names tests that exist (the syntax stands in
//!   `invariants.rs`), and so does every row of the threat pages (`threats.rs`); every promise of a
//!   crate is tied to what holds and what shows it (`promises.rs`);
//! - the container of `deploy/` is as closed as it should be (`deploy.rs`);
//! - every outside crate has its reason (`reasons.rs`).
//!
//! Long files are listed and do not fail. The whole check is also a test of this package.

use crate::cited::Cited;
use crate::tree::{Member, Tree};
use crate::{deploy, invariants, promises, reasons, source, threats};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// For `--help`.
pub(crate) const HELP: &str = "\
An invariant of ARCHITECTURE.md is a paragraph like this one:
  Invariant: the journal is never rewritten in place. [test: harness-store::journal::tests::appends]
A test is named as `cargo test -p CRATE` prints it, behind the crate's name; a compile-fail case
is CRATE::ui::NAME. Several tests are separated by commas.

Example: cargo xtask tidy";

/// A file longer than this is listed: it may hold two concepts.
const LONG_FILE_LINES: usize = 400;

/// The crate that loads foreign code, and the one module of it that may.
const LOADER: &str = "harness-adapters/plugin";
const UNSAFE_MODULE: &str = "src/abi.rs";

/// What the docs of every library open with, in this order.
const HEADINGS: [&str; 4] = ["Promises", "Never", "Who may depend on it", "How it fails"];

/// Runs the command.
pub(crate) fn run(tree: &Tree) -> Result<()> {
    let findings = check(tree)?;
    for finding in &findings {
        eprintln!("tidy: {finding}");
    }
    for (file, lines) in long_files(tree)? {
        println!(
            "tidy: note: {} has {lines} lines; is it two concepts?",
            file.display()
        );
    }
    if !findings.is_empty() {
        bail!("the tree is not tidy, {} finding(s)", findings.len());
    }
    println!("tidy: nothing to mend");
    Ok(())
}

/// Every finding, as `file: what`.
pub(crate) fn check(tree: &Tree) -> Result<Vec<String>> {
    let files = tree.rust_files()?;
    let members = tree.members()?;
    let mut findings = Vec::new();
    for file in &files {
        let text = tree.read(file)?;
        let complaints = [lacks_doc(file, &text), unfinished(&text)];
        for complaint in complaints.into_iter().flatten() {
            findings.push(format!("{}: {complaint}", file.display()));
        }
    }
    for member in &members {
        findings.extend(root_findings(tree, member)?);
    }
    findings.extend(loader_findings(tree, &files)?);
    let cited = Cited::of(tree, &files, &members);
    findings.extend(invariants::findings(&cited)?);
    findings.extend(threats::findings(&cited)?);
    findings.extend(promises::findings(&cited, &members)?);
    findings.extend(deploy::findings(tree)?);
    findings.extend(reasons::findings(tree, &members)?);
    Ok(findings)
}

fn long_files(tree: &Tree) -> Result<Vec<(PathBuf, usize)>> {
    let mut long = Vec::new();
    for file in tree.rust_files()? {
        let lines = tree.read(&file)?.lines().count();
        if lines > LONG_FILE_LINES {
            long.push((file, lines));
        }
    }
    Ok(long)
}

/// A module's doc stands before any of its code; only inner attributes may precede it.
fn lacks_doc(file: &Path, text: &str) -> Option<String> {
    // A compile-fail case is a fixture: its pinned message counts its lines.
    if file
        .parent()
        .is_some_and(|folder| folder.ends_with("tests/ui"))
    {
        return None;
    }
    let doc = text
        .lines()
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len() + 1;
            Some((start, line))
        })
        .find(|(_, line)| line.starts_with("//!"));
    let before = doc.and_then(|(start, _)| text.get(..start));
    let only_attributes = before.is_some_and(|before| {
        let code = source::code(before);
        let mut rest = code.trim();
        while let Some(attribute) = rest.strip_prefix("#![") {
            rest = attribute
                .split_once(']')
                .map_or("", |(_, after)| after.trim_start());
        }
        rest.is_empty()
    });
    (!only_attributes).then(|| "the file does not open with a `//!` doc".to_owned())
}

fn unfinished(text: &str) -> Option<String> {
    let code = source::code(text);
    for name in ["todo", "unimplemented"] {
        let used = source::words(&code, name).any(|at| {
            let rest = code.get(at + name.len()..).unwrap_or_default();
            rest.trim_start().starts_with('!')
        });
        if used {
            return Some(format!("`{name}!` is left in it"));
        }
    }
    code.contains("#[ignore")
        .then(|| "a test is left out with `#[ignore]`".to_owned())
}

fn root_findings(tree: &Tree, member: &Member) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for target in &member.package.targets {
        let Ok(file) = target.src_path.as_std_path().strip_prefix(tree.root()) else {
            continue;
        };
        if !file.starts_with(member.folder.join("src")) {
            continue;
        }
        let text = tree.read(file)?;
        let bar = if member.folder.ends_with(LOADER) {
            "#![deny(unsafe_code)]"
        } else {
            "#![forbid(unsafe_code)]"
        };
        if !source::code(&text).contains(bar) {
            findings.push(format!("{}: no `{bar}`", file.display()));
        }
        if file.ends_with("src/lib.rs") && !has_headings(&text) {
            findings.push(format!(
                "{}: its docs do not have the headings `{}`, in this order",
                file.display(),
                HEADINGS.map(|heading| format!("# {heading}")).join("`, `")
            ));
        }
    }
    Ok(findings)
}

/// Files of the loader's library, other than its one module, that allow `unsafe`.
fn loader_findings(tree: &Tree, files: &[PathBuf]) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for file in files {
        let Ok(within) = file.strip_prefix(LOADER) else {
            continue;
        };
        if !within.starts_with("src") || within == Path::new(UNSAFE_MODULE) {
            continue;
        }
        let code = source::code(&tree.read(file)?);
        if allows_unsafe(&code) {
            findings.push(format!(
                "{}: `unsafe` is allowed in {UNSAFE_MODULE} alone",
                file.display()
            ));
        }
    }
    Ok(findings)
}

/// Whether stripped text lifts the bar: by an attribute, in whatever list it stands.
fn allows_unsafe(code: &str) -> bool {
    let lifted = ["allow(", "expect(", "warn("];
    lifted.iter().any(|attribute| {
        code.match_indices(attribute).any(|(at, _)| {
            let rest = code.get(at..).unwrap_or_default();
            rest.split(')')
                .next()
                .unwrap_or_default()
                .contains("unsafe_code")
        })
    })
}

/// The four headings, each once and in order; others may follow.
fn has_headings(text: &str) -> bool {
    let headings: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! "))
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim())
        .filter(|heading| HEADINGS.contains(heading))
        .collect();
    headings == HEADINGS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        assert_eq!(check(&Tree::here().unwrap()).unwrap(), [""; 0]);
    }

    #[test]
    fn a_lifted_bar_is_found() {
        for (code, lifts) in [
            ("#![allow(unsafe_code)]", true),
            ("#[allow(dead_code, unsafe_code)]\nfn f() {}", true),
            ("#[expect(\n    unsafe_code\n)]", true),
            ("#![deny(unsafe_code)]", false),
            ("#[allow(dead_code)]\nlet unsafe_code = 1;", false),
        ] {
            assert_eq!(allows_unsafe(code), lifts, "{code}");
        }
    }

    #[test]
    fn a_module_opens_with_its_doc() {
        for (text, opens) in [
            ("//! Doc.\nuse a;", true),
            ("#![forbid(unsafe_code)]\n//! Doc.", true),
            (
                "#![allow(\n    a,\n    reason = \"b\"\n)]\n\n//! Doc.",
                true,
            ),
            ("// A comment.\n//! Doc.", true),
            ("use a;\n//! Doc.", false),
            ("/// Doc of an item.\nfn f() {}", false),
            ("", false),
        ] {
            let lacks = lacks_doc(Path::new("src/a.rs"), text);
            assert_eq!(lacks.is_none(), opens, "{text}");
        }
        assert_eq!(
            lacks_doc(Path::new("c/tests/ui/a.rs"), "fn main() {}"),
            None
        );
    }

    #[test]
    fn unfinished_code_is_found_and_its_name_in_a_text_is_not() {
        for (text, found) in [
            ("fn f() { todo!() }", true),
            ("fn f() { unimplemented !(\"later\") }", true),
            ("#[ignore]\nfn f() {}", true),
            ("#[ignore = \"slow\"]\nfn f() {}", true),
            ("// todo!()\nfn f() { g(\"todo!\") }", false),
            ("fn todo() {}", false),
        ] {
            assert_eq!(unfinished(text).is_some(), found, "{text}");
        }
    }

    #[test]
    fn the_four_headings_stand_in_order() {
        let all = "//! # Promises\n//! # Never\n//! # Who may depend on it\n//! # How it fails\n";
        assert!(has_headings(all));
        assert!(has_headings(&format!("{all}//! # Example\n")));
        assert!(has_headings(&all.replace("# ", "## ")));
        assert!(!has_headings(&all.replace("//! # Never\n", "")));
        assert!(!has_headings(&all.replace("# Never", "# How it fails")));
        assert!(!has_headings(&all.replace("# Never", "Never")));
    }
}
