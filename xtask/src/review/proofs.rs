//! The tests that show a promise, run: one build and one run a crate.

use crate::cited::{Cited, Place};
use crate::source;
use crate::tree::{Member, Tree};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// How a test came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Failed,
    /// There is no such test, or it did not run.
    NotFound,
}

impl Verdict {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotFound => "not found",
        }
    }
}

/// Tests that are wanted, and then how each came out.
#[derive(Default)]
pub(super) struct Proofs {
    /// By crate, and by name within it.
    wanted: BTreeMap<String, BTreeMap<String, Place>>,
    verdicts: BTreeMap<String, Verdict>,
}

impl Proofs {
    /// Wants a test, if there is one of that name.
    pub(super) fn want(&mut self, cited: &Cited<'_>, test: &str) -> Result<()> {
        if let (Some(place), Some((krate, name))) = (cited.test(test)?, test.split_once("::")) {
            let of_crate = self.wanted.entry(krate.to_owned()).or_default();
            of_crate.insert(name.to_owned(), place);
        }
        Ok(())
    }

    /// Runs what is wanted.
    pub(super) fn run(&mut self, tree: &Tree, cited: &Cited<'_>) -> Result<()> {
        for (krate, tests) in &self.wanted {
            let member = cited.member(krate).context("a test of no crate")?;
            // Cases that must not compile are tried by the tests that name trybuild.
            let compilers = compilers(cited, member)?;
            let mut names: BTreeSet<&str> = BTreeSet::new();
            for name in tests.keys() {
                if is_case(name) {
                    names.extend(compilers.iter().map(String::as_str));
                } else {
                    names.insert(name);
                }
            }
            let in_source = tests.values().any(|place| is_within(place, member, "src"));
            let results = run(tree, member, in_source, &names)?;
            for name in tests.keys() {
                let of = |name: &str| results.get(name).copied().unwrap_or(Verdict::NotFound);
                let verdict = if !is_case(name) {
                    of(name)
                } else if compilers.is_empty() {
                    Verdict::NotFound
                } else {
                    let worst = compilers.iter().map(|name| of(name));
                    worst.fold(Verdict::Passed, worse)
                };
                self.verdicts.insert(format!("{krate}::{name}"), verdict);
            }
        }
        Ok(())
    }

    pub(super) fn verdict(&self, test: &str) -> Verdict {
        self.verdicts
            .get(test)
            .copied()
            .unwrap_or(Verdict::NotFound)
    }
}

fn is_case(name: &str) -> bool {
    name.starts_with("ui::")
}

fn is_within(place: &Place, member: &Member, folder: &str) -> bool {
    place.file.starts_with(member.folder.join(folder))
}

const fn worse(one: Verdict, other: Verdict) -> Verdict {
    match one {
        Verdict::Passed => other,
        Verdict::Failed | Verdict::NotFound => one,
    }
}

/// The integration tests that compile what must not compile.
fn compilers(cited: &Cited<'_>, member: &Member) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (file, code) in cited.code_beneath(&member.folder.join("tests/it"))? {
        if !source::has_word(code, "trybuild") {
            continue;
        }
        let promise = file.file_stem().unwrap_or_default().to_string_lossy();
        let (_, tests) = code.split_once("#[test]").unwrap_or_default();
        let named = source::words(tests, "fn").filter_map(|at| tests.get(at + "fn".len()..));
        found.extend(named.filter_map(|rest| {
            let name = rest.split('(').next()?.trim();
            Some(format!("{promise}::{name}"))
        }));
    }
    Ok(found)
}

/// One run of cargo.
fn run(
    tree: &Tree,
    member: &Member,
    in_source: bool,
    names: &BTreeSet<&str>,
) -> Result<BTreeMap<String, Verdict>> {
    let package = &member.package;
    let mut cargo = tree.cargo(["test", "--no-fail-fast", "--package", package.name.as_str()]);
    let has_library = package.targets.iter().any(|target| target.is_lib());
    // A promise of a library may be one of its features.
    cargo.args(has_library.then_some("--all-features"));
    if in_source {
        cargo.arg(if has_library { "--lib" } else { "--bins" });
    }
    if package
        .targets
        .iter()
        .any(|t| t.is_test() && t.name == "it")
    {
        cargo.args(["--test", "it"]);
    }
    cargo.args(["--", "--exact"]).args(names);
    let mut child = cargo.stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().context("cargo test has no output")?;
    let mut results = BTreeMap::new();
    for line in BufReader::new(stdout).split(b'\n') {
        if let Some((name, verdict)) = verdict(&String::from_utf8_lossy(&line?)) {
            results.insert(name, verdict);
        }
    }
    // A failed test is on the page; a build that failed leaves every test not found.
    child.wait()?;
    Ok(results)
}

/// What a line of the test runner says.
fn verdict(line: &str) -> Option<(String, Verdict)> {
    let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    let verdict = match result {
        "ok" => Verdict::Passed,
        "FAILED" => Verdict::Failed,
        _ => return None,
    };
    Some((name.to_owned(), verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_a_test_came_out() {
        for (line, expected) in [
            ("test a::b ... ok", Some(("a::b", Verdict::Passed))),
            ("test a::b ... FAILED", Some(("a::b", Verdict::Failed))),
            ("test a - should panic ... ok", Some(("a", Verdict::Passed))),
            ("test a::b ... ignored", None),
            ("test result: ok. 1 passed; 0 failed", None),
            ("a::b ... ok", None),
        ] {
            let expected = expected.map(|(name, verdict)| (name.to_owned(), verdict));
            assert_eq!(verdict(line), expected, "{line}");
        }
    }

    #[test]
    fn one_that_did_not_pass_decides() {
        use Verdict::{Failed, NotFound, Passed};
        assert_eq!(worse(Passed, Passed), Passed);
        assert_eq!(worse(Passed, Failed), Failed);
        assert_eq!(worse(NotFound, Passed), NotFound);
    }

    #[test]
    fn the_tests_that_compile_are_found() {
        let tree = Tree::here().unwrap();
        let (files, members) = (tree.rust_files().unwrap(), tree.members().unwrap());
        let cited = Cited::of(&tree, &files, &members);
        let of = |krate| compilers(&cited, cited.member(krate).unwrap()).unwrap();
        assert_eq!(
            of("harness-store"),
            ["a_half_appends_its_own_events::the_type_system_holds_it"]
        );
        assert_eq!(of("harness-traces"), [""; 0]);
    }
}
