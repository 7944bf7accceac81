//! The invariants of `ARCHITECTURE.md`, each tied to the tests that hold it.
//!
//! Syntax: a paragraph that starts with `Invariant:` (or `- Invariant:`, or with the word in bold)
//! and ends with the tests, in one pair of brackets, comma-separated:
//!
//! ```text
//! Invariant: the journal is never rewritten in place.
//! [test: harness-store::nothing_acknowledged_is_lost::appends_only, harness-core::ui::raw_text]
//! ```
//!
//! The paragraph may run over several lines; it ends at a blank line, a list item or the next
//! invariant. A test is named as `cargo test -p CRATE` prints it, behind the crate's name:
//! - a unit test: `CRATE::module::tests::name`;
//! - an integration test in `tests/it/promise.rs`: `CRATE::promise::name`;
//! - a compile-fail case `tests/ui/name.rs` with its pinned `name.stderr`: `CRATE::ui::name`.

use crate::source;
use crate::tree::{Member, Tree};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Where the invariants stand.
const FILE: &str = "ARCHITECTURE.md";

/// One invariant, as written.
#[derive(Debug, PartialEq, Eq)]
struct Invariant {
    line: usize,
    tests: Vec<String>,
}

/// Invariants without a test, and tests that do not exist.
pub(crate) fn findings(tree: &Tree, files: &[PathBuf], members: &[Member]) -> Result<Vec<String>> {
    if !tree.root().join(FILE).is_file() {
        return Ok(vec![format!("{FILE}: there is none")]);
    }
    let invariants = parse(&tree.read(FILE)?);
    let mut found = Vec::new();
    if invariants.is_empty() {
        found.push(format!("{FILE}: no line starts with `Invariant:`"));
    }
    for Invariant { line, tests } in invariants {
        if tests.is_empty() {
            found.push(format!(
                "{FILE}:{line}: the invariant names no test; end it with `[test: CRATE::PATH::NAME]`"
            ));
        }
        for test in tests {
            if !exists(tree, files, members, &test)? {
                found.push(format!("{FILE}:{line}: there is no test `{test}`"));
            }
        }
    }
    Ok(found)
}

fn parse(text: &str) -> Vec<Invariant> {
    let mut invariants = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (at, line) in text.lines().enumerate() {
        let starts = starts_invariant(line);
        let goes_on = !line.trim().is_empty() && !line.trim_start().starts_with("- ");
        if starts || !goes_on {
            invariants.extend(open.take().map(close));
        }
        if starts {
            open = Some((at + 1, line.to_owned()));
        } else if let Some((_, paragraph)) = &mut open {
            paragraph.push(' ');
            paragraph.push_str(line.trim());
        }
    }
    invariants.extend(open.map(close));
    invariants
}

fn starts_invariant(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("- ").unwrap_or(line);
    line.trim_start_matches('*').starts_with("Invariant:")
}

fn close((line, paragraph): (usize, String)) -> Invariant {
    let named = paragraph
        .rsplit_once("[test:")
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or("", |(named, _)| named);
    let tests = named
        .split(',')
        .map(|test| test.trim().trim_matches('`').to_owned())
        .filter(|test| !test.is_empty())
        .collect();
    Invariant { line, tests }
}

fn exists(tree: &Tree, files: &[PathBuf], members: &[Member], test: &str) -> Result<bool> {
    let mut path = test.split("::");
    let krate = path.next().unwrap_or_default();
    let path: Vec<&str> = path.collect();
    let Some(member) = members.iter().find(|member| member.package.name == krate) else {
        return Ok(false);
    };
    let Some((name, modules)) = path.split_last() else {
        return Ok(false);
    };
    if modules == ["ui"] {
        let case = member.folder.join("tests/ui").join(name);
        return Ok(["rs", "stderr"]
            .iter()
            .all(|end| tree.root().join(case.with_extension(end)).is_file()));
    }
    for file in files {
        let Ok(within) = file.strip_prefix(&member.folder) else {
            continue;
        };
        let Some(inline) = module_path(within).and_then(|file| inline_modules(&file, modules))
        else {
            continue;
        };
        let code = source::code(&tree.read(file)?);
        if has_modules(&code, inline) && has_test(&code, name) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The modules that a file stands for: `src/a/b.rs` is `[a, b]`, `tests/it/a.rs` is `[a]`.
fn module_path(within: &Path) -> Option<Vec<String>> {
    let within = within
        .strip_prefix("src")
        .or_else(|_| within.strip_prefix("tests/it"))
        .ok()?;
    let mut modules: Vec<String> = within
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if matches!(
        modules.last().map(String::as_str),
        Some("lib" | "main" | "mod")
    ) {
        modules.pop();
    }
    Some(modules)
}

/// What is left of `modules` inside the file.
fn inline_modules<'a>(file: &[String], modules: &'a [&'a str]) -> Option<&'a [&'a str]> {
    let (outer, inline) = modules.split_at_checked(file.len())?;
    (outer == file).then_some(inline)
}

fn has_modules(code: &str, inline: &[&str]) -> bool {
    inline.iter().all(|module| {
        source::words(code, "mod").any(|at| {
            let rest = code.get(at + "mod".len()..).unwrap_or_default();
            first_word(rest) == *module
        })
    })
}

/// Whether a function `name` stands under a test attribute.
fn has_test(code: &str, name: &str) -> bool {
    source::words(code, "fn").any(|at| {
        let rest = code.get(at + "fn".len()..).unwrap_or_default();
        let before = code.get(..at).unwrap_or_default();
        let attributes = before.rsplit(['{', '}', ';']).next().unwrap_or_default();
        first_word(rest) == name
            && ["#[test]", "::test]", "::test("]
                .iter()
                .any(|test| attributes.contains(test))
    })
}

fn first_word(text: &str) -> &str {
    text.trim_start()
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invariants_are_read_with_their_tests() {
        let text = "\
# Title
Invariant: one. [test: a::b::c]

- Invariant: two, over
  two lines, see [the table](x).
  [test: `a::ui::x`, b::y]
- **Invariant:** three has none

No invariant: here [test: a::z]
Invariant: four [test: a::d]
Invariant: five [test: a::e]
";
        let tests: Vec<_> = parse(text)
            .into_iter()
            .map(|invariant| (invariant.line, invariant.tests.join(" ")))
            .collect();
        assert_eq!(
            tests,
            [
                (2, "a::b::c".to_owned()),
                (4, "a::ui::x b::y".to_owned()),
                (7, String::new()),
                (10, "a::d".to_owned()),
                (11, "a::e".to_owned()),
            ]
        );
    }

    #[test]
    fn a_test_is_a_function_under_a_test_attribute() {
        for (code, is_test) in [
            ("#[test] fn name() {}", true),
            ("#[test]\n#[should_panic]\nfn name() {}", true),
            ("#[tokio::test(flavor = x)] async fn name() {}", true),
            ("proptest! { #[test] fn name(a in b()) {} }", true),
            ("fn name() {}", false),
            ("#[test] fn other() {} fn name() {}", false),
            ("#[test] fn name_of_another() {}", false),
        ] {
            assert_eq!(has_test(code, "name"), is_test, "{code}");
        }
    }

    #[test]
    fn a_file_stands_for_its_modules() {
        for (file, modules) in [
            ("src/lib.rs", Some(vec![])),
            ("src/a/mod.rs", Some(vec!["a".to_owned()])),
            ("src/a/b.rs", Some(vec!["a".to_owned(), "b".to_owned()])),
            ("tests/it/promise.rs", Some(vec!["promise".to_owned()])),
            ("examples/x.rs", None),
        ] {
            assert_eq!(module_path(Path::new(file)), modules, "{file}");
        }
        let file = ["a".to_owned()];
        assert_eq!(inline_modules(&file, &["a", "tests"]), Some(&["tests"][..]));
        assert_eq!(inline_modules(&file, &["b", "tests"]), None);
    }

    #[test]
    fn an_invariant_is_tied_to_a_test_that_exists() {
        let tree = Tree::here().unwrap();
        let (files, members) = (tree.rust_files().unwrap(), tree.members().unwrap());
        let here = "xtask::invariants::tests::an_invariant_is_tied_to_a_test_that_exists";
        for (test, there) in [
            (here, true),
            ("xtask::invariants::tests::no_such_test", false),
            ("xtask::invariants::exists", false),
            (
                "xtask::tidy::tests::an_invariant_is_tied_to_a_test_that_exists",
                false,
            ),
            ("elsewhere::invariants::tests::x", false),
            ("xtask", false),
            ("", false),
        ] {
            assert_eq!(
                exists(&tree, &files, &members, test).unwrap(),
                there,
                "{test}"
            );
        }
    }
}
