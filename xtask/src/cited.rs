//! What a page cites: a test, or an item of a crate, and whether it is there.
//!
//! A test is named as `cargo test -p CRATE` prints it, behind the crate's name:
//! - a unit test: `CRATE::module::tests::name`;
//! - an integration test in `tests/it/promise.rs`: `CRATE::promise::name`;
//! - a compile-fail case `tests/ui/name.rs` with its pinned `name.stderr`: `CRATE::ui::name`.
//!
//! An item is named as whoever depends on the crate writes it, with the crate's own name:
//! `harness-core::CleanText`.

use crate::source;
use crate::tree::{Member, Tree};
use anyhow::Result;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// The tree, to look things up in.
pub(crate) struct Cited<'a> {
    tree: &'a Tree,
    files: &'a [PathBuf],
    members: &'a [Member],
    /// The code of each file, read once.
    codes: Vec<OnceCell<String>>,
}

/// Where something is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

impl<'a> Cited<'a> {
    /// `files` and `members` are those of `tree`.
    pub(crate) fn of(tree: &'a Tree, files: &'a [PathBuf], members: &'a [Member]) -> Self {
        Self {
            tree,
            files,
            members,
            codes: files.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// The root of a crate, a library's before a binary's, and its text.
    pub(crate) fn root(&self, member: &Member) -> Result<Option<(PathBuf, String)>> {
        for root in ["src/lib.rs", "src/main.rs"] {
            let file = member.folder.join(root);
            if self.files.contains(&file) {
                let text = self.tree.read(&file)?;
                return Ok(Some((file, text)));
            }
        }
        Ok(None)
    }

    /// The text of a page, if there is one.
    pub(crate) fn page(&self, page: &str) -> Result<Option<String>> {
        if !self.tree.root().join(page).is_file() {
            return Ok(None);
        }
        self.tree.read(page).map(Some)
    }

    /// Whether `name` begins with the name of a crate of ours.
    pub(crate) fn is_ours(&self, name: &str) -> bool {
        name.split_once("::")
            .is_some_and(|(krate, _)| self.member(krate).is_some())
    }

    /// Whether there is such a test.
    pub(crate) fn is_test(&self, test: &str) -> Result<bool> {
        Ok(self.test(test)?.is_some())
    }

    /// Where a test stands, if there is such a test.
    pub(crate) fn test(&self, test: &str) -> Result<Option<Place>> {
        let Some((member, path)) = self.parts(test) else {
            return Ok(None);
        };
        let Some((name, modules)) = path.split_last() else {
            return Ok(None);
        };
        if modules == ["ui"] {
            let case = member.folder.join("tests/ui").join(name);
            let there = ["rs", "stderr"]
                .iter()
                .all(|end| self.tree.root().join(case.with_extension(end)).is_file());
            let file = case.with_extension("rs");
            return Ok(there.then_some(Place { file, line: 1 }));
        }
        for (at, file) in self.files.iter().enumerate() {
            let Ok(within) = file.strip_prefix(&member.folder) else {
                continue;
            };
            let Some(inline) = module_path(within).and_then(|file| inline_modules(&file, modules))
            else {
                continue;
            };
            let code = self.code(at)?;
            if let Some(at) = find_test(code, name).filter(|_| has_modules(code, inline)) {
                return Ok(Some(place(file, code, at)));
            }
        }
        Ok(None)
    }

    /// Whether the crate has an item of that name that is seen from outside its module:
    /// `CRATE::Type`, `CRATE::function`, `CRATE::Type::function` or `CRATE::module::function`.
    pub(crate) fn is_item(&self, item: &str) -> Result<bool> {
        Ok(self.item(item)?.is_some())
    }

    /// Where the last part of an item's name is declared, if there is such an item. Where several
    /// files declare it, the one that implements the part before it, or is that module.
    pub(crate) fn item(&self, item: &str) -> Result<Option<Place>> {
        let Some((member, path)) = self.parts(item) else {
            return Ok(None);
        };
        let Some((last, before)) = path.split_last() else {
            return Ok(None);
        };
        let mut missing: Vec<&str> = before.to_vec();
        let mut found: Option<(bool, Place)> = None;
        for (at, file) in self.files.iter().enumerate() {
            if !file.starts_with(member.folder.join("src")) {
                continue;
            }
            let within = file.strip_prefix(&member.folder).unwrap_or(file);
            let modules = module_path(within).unwrap_or_default();
            let is_module = |name: &str| modules.iter().any(|module| module == name);
            let code = self.code(at)?;
            missing.retain(|name| !is_module(name) && find_item(code, name).is_none());
            let implemented = before.last().and_then(|owner| find_impl(code, owner));
            let from = implemented.unwrap_or_default();
            let Some(at) = find_item(code.get(from..).unwrap_or_default(), last) else {
                continue;
            };
            let is_owner = implemented.is_some() || before.last().is_some_and(|m| is_module(m));
            if found.as_ref().is_none_or(|(sure, _)| is_owner && !sure) {
                found = Some((is_owner, place(file, code, from + at)));
            }
        }
        Ok(found.filter(|_| missing.is_empty()).map(|(_, place)| place))
    }

    fn code(&self, at: usize) -> Result<&str> {
        let (Some(file), Some(cell)) = (self.files.get(at), self.codes.get(at)) else {
            return Ok("");
        };
        if let Some(code) = cell.get() {
            return Ok(code);
        }
        let code = source::code(&self.tree.read(file)?);
        Ok(cell.get_or_init(|| code))
    }

    /// The files beneath a folder, with their code.
    pub(crate) fn code_beneath(&self, folder: &Path) -> Result<Vec<(&'a Path, &str)>> {
        let mut beneath = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            if file.starts_with(folder) {
                beneath.push((file.as_path(), self.code(at)?));
            }
        }
        Ok(beneath)
    }

    /// A crate of ours, by its name.
    pub(crate) fn member(&self, krate: &str) -> Option<&'a Member> {
        self.members
            .iter()
            .find(|member| member.package.name == krate)
    }

    fn parts<'t>(&self, name: &'t str) -> Option<(&'a Member, Vec<&'t str>)> {
        let (krate, path) = name.split_once("::")?;
        Some((self.member(krate)?, path.split("::").collect()))
    }
}

fn place(file: &Path, code: &str, at: usize) -> Place {
    let line = code.get(..at).unwrap_or_default().matches('\n').count() + 1;
    Place {
        file: file.to_path_buf(),
        line,
    }
}

/// Where a block that implements `owner` opens.
fn find_impl(code: &str, owner: &str) -> Option<usize> {
    source::words(code, owner).find(|&at| {
        let line = code.get(..at).and_then(|before| before.lines().next_back());
        line.is_some_and(|line| line.starts_with("impl"))
    })
}

/// Where something of that name is declared that is not private to its module.
fn find_item(code: &str, name: &str) -> Option<usize> {
    const KINDS: [&str; 7] = ["struct", "enum", "trait", "type", "const", "fn", "mod"];
    source::words(code, name).find(|&at| {
        let before = code.get(..at).unwrap_or_default().trim_end();
        let declared = KINDS.iter().find_map(|kind| before.strip_suffix(kind));
        declared.is_some_and(|before| {
            let line = before.rsplit(['{', '}', ';', ']']).next();
            line.is_some_and(|line| source::has_word(line, "pub"))
        })
    })
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

/// Where a function `name` stands under a test attribute.
fn find_test(code: &str, name: &str) -> Option<usize> {
    source::words(code, "fn").find(|&at| {
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
            assert_eq!(find_test(code, "name").is_some(), is_test, "{code}");
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
    fn what_is_cited_is_there_or_not() {
        let tree = Tree::here().unwrap();
        let (files, members) = (tree.rust_files().unwrap(), tree.members().unwrap());
        let cited = Cited::of(&tree, &files, &members);
        let here = "xtask::cited::tests::what_is_cited_is_there_or_not";
        for (test, there) in [
            (here, true),
            ("xtask::cited::tests::no_such_test", false),
            ("xtask::cited::parts", false),
            ("xtask::tidy::tests::what_is_cited_is_there_or_not", false),
            ("elsewhere::cited::tests::x", false),
            ("xtask", false),
            ("", false),
        ] {
            assert_eq!(cited.is_test(test).unwrap(), there, "{test}");
        }
    }

    #[test]
    fn an_item_is_public_and_declared() {
        for (code, is_item) in [
            ("pub struct Name;", true),
            ("pub(crate) fn name() {} pub enum Name {}", true),
            ("#[must_use]\npub const fn Name() {}", true),
            ("impl Other { pub fn Name(&self) {} }", true),
            ("struct Name;", false),
            ("pub struct NameOfAnother;", false),
            ("use other::Name;", false),
        ] {
            assert_eq!(find_item(code, "Name").is_some(), is_item, "{code}");
        }
    }
}
