//! What each crate promises, and what it never does, tied to what holds it and what shows it.
//!
//! The text of a promise is a bullet under **Promises** or **Never** in the docs of the crate's
//! root, and stands nowhere else. `docs/promises.md` has one table a crate, with one row a bullet:
//! the bullet's opening words, the items that hold it, the tests that show it. Names in
//! back-ticks are those of `cited.rs`; the name of the crate under whose heading the row stands
//! is left out.
//!
//! A third kind of name is a section of the surface record: `surface::network` says that the
//! crate's text uses no network API, `surface::clock@src/wait.rs` that this file alone uses a
//! clock (`@src/wait/`: this folder alone), `surface::clock::SystemTime::now` that one API is not
//! used. `cargo xtask surface` holds the record against the text.

use crate::cited::Cited;
use crate::surface::{self, Surface};
use crate::tree::Member;
use anyhow::Result;
use std::collections::BTreeMap;

/// Where the rows stand.
pub(crate) const PAGE: &str = "docs/promises.md";

/// The headings whose bullets are tied.
const HEADINGS: [&str; 2] = ["Promises", "Never"];

/// A bullet of a crate's root.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Promise {
    /// `Promises` or `Never`.
    pub(crate) heading: &'static str,
    /// In one line, without marks.
    pub(crate) text: String,
}

/// A row of the page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row<'a> {
    pub(crate) line: usize,
    krate: &'a str,
    opening: String,
    /// What holds it, and what shows it, as written.
    held_by: Vec<&'a str>,
    shown_by: Vec<&'a str>,
}

/// A name that a row cites.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    /// An item or a test, behind its crate's name.
    Code(String),
    /// A section of the surface record.
    Surface(Section),
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(name) => f.write_str(name),
            Self::Surface(section) => write!(f, "surface, {section}"),
        }
    }
}

/// What a row says of the surface record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Section {
    name: String,
    /// The one API that is meant, or all of them.
    api: Option<String>,
    /// The one file, or the folder, that may use it.
    place: Option<String>,
}

impl Section {
    /// The words behind `surface::`.
    fn parse(words: &str) -> Self {
        let (words, place) = match words.split_once('@') {
            Some((words, place)) => (words, Some(place.to_owned())),
            None => (words, None),
        };
        let (name, api) = match words.split_once("::") {
            Some((name, api)) => (name, Some(api.to_owned())),
            None => (words, None),
        };
        Self {
            name: name.to_owned(),
            api,
            place,
        }
    }

    /// Whether an entry of the section, `FILE: API`, is one that is meant.
    fn means(&self, entry: &str) -> bool {
        let api = entry.split_once(": ").map(|(_, api)| api);
        self.api.is_none() || self.api.as_deref() == api
    }

    /// Whether an entry is where it may be.
    fn admits(&self, entry: &str) -> bool {
        let file = entry.split_once(": ").map_or(entry, |(file, _)| file);
        self.place
            .as_deref()
            .is_some_and(|place| file == place || place.ends_with('/') && file.starts_with(place))
    }
}

impl std::fmt::Display for Section {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some(api) = &self.api {
            write!(f, "::{api}")?;
        }
        match &self.place {
            Some(place) => write!(f, " in {place} alone"),
            None => f.write_str(": none"),
        }
    }
}

impl Row<'_> {
    pub(crate) fn held_by(&self) -> Vec<Name> {
        self.names(&self.held_by)
    }

    pub(crate) fn shown_by(&self) -> Vec<Name> {
        self.names(&self.shown_by)
    }

    fn names(&self, written: &[&str]) -> Vec<Name> {
        written.iter().map(|name| self.name(name)).collect()
    }

    fn name(&self, written: &str) -> Name {
        if let Some(section) = written.strip_prefix("surface::") {
            return Name::Surface(Section::parse(section));
        }
        // Only the name of a package has a hyphen, and xtask has none.
        let first = written.split("::").next().unwrap_or_default();
        if first.contains('-') || first == "xtask" {
            Name::Code(written.to_owned())
        } else {
            Name::Code(format!("{}::{written}", self.krate))
        }
    }
}

/// The bullets of a crate's root, by its docs.
pub(crate) fn of_root(text: &str) -> Vec<Promise> {
    let mut promises: Vec<Promise> = Vec::new();
    let mut heading = None;
    let mut open = false;
    for line in text.lines().filter_map(|line| line.strip_prefix("//!")) {
        if let Some(title) = line.trim_start().strip_prefix('#') {
            let title = title.trim_start_matches('#').trim();
            heading = HEADINGS.into_iter().find(|heading| *heading == title);
            open = false;
        } else if let (Some(heading), Some(bullet)) = (heading, line.strip_prefix(" - ")) {
            promises.push(Promise {
                heading,
                text: plain(bullet),
            });
            open = true;
        } else if line.trim().is_empty() {
            open = false;
        } else if let (true, Some(last)) = (open, promises.last_mut()) {
            last.text = format!("{} {}", last.text, plain(line.trim()));
        }
    }
    promises
}

/// The rows of the page.
pub(crate) fn rows(page: &str) -> Vec<Row<'_>> {
    let mut krate = "";
    let mut rows = Vec::new();
    for (at, line) in page.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            krate = heading.trim();
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let is_rule = |cell: &&str| cell.chars().all(|c| matches!(c, '-' | ':'));
        let [opening, held_by, shown_by] = cells[..] else {
            continue;
        };
        if !line.starts_with('|') || cells.iter().all(is_rule) || opening == "promise" {
            continue;
        }
        rows.push(Row {
            line: at + 1,
            krate,
            opening: plain(opening),
            held_by: named(held_by),
            shown_by: named(shown_by),
        });
    }
    rows
}

/// The promises of a crate, each with its rows; one row is right.
pub(crate) fn tied<'r, 'a>(
    krate: &str,
    root: &str,
    rows: &'r [Row<'a>],
) -> Vec<(Promise, Vec<&'r Row<'a>>)> {
    of_root(root)
        .into_iter()
        .map(|promise| {
            let fits = |row: &&Row<'_>| row.krate == krate && opens(&promise.text, &row.opening);
            let rows = rows.iter().filter(fits).collect();
            (promise, rows)
        })
        .collect()
}

/// Bullets without a row, rows without a bullet, and names of nothing.
pub(crate) fn findings(cited: &Cited<'_>, members: &[Member]) -> Result<Vec<String>> {
    let Some(page) = cited.page(PAGE)? else {
        return Ok(vec![format!("{PAGE}: there is none")]);
    };
    let record = surface::record(cited.page(surface::FILE)?.as_deref().unwrap_or_default())?;
    let rows = rows(&page);
    let mut opened: BTreeMap<usize, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for member in members {
        let Some((file, root)) = cited.root(member)? else {
            continue;
        };
        for (promise, rows) in tied(&member.package.name, &root, &rows) {
            for row in &rows {
                *opened.entry(row.line).or_default() += 1;
            }
            if rows.len() != 1 {
                found.push(format!(
                    "{}: `{}` has {} rows in {PAGE}, not one",
                    file.display(),
                    opening_words(&promise.text),
                    rows.len()
                ));
            }
        }
    }
    for row in &rows {
        let mut wrong = wrong_with(row, cited, &record)?;
        match opened.get(&row.line) {
            Some(1) => {}
            None => wrong.push(format!("`{}` has no such promise", row.krate)),
            Some(many) => wrong.push(format!("it opens {many} promises, not one")),
        }
        found.extend(
            wrong
                .iter()
                .map(|wrong| format!("{PAGE}:{}: {wrong}", row.line)),
        );
    }
    Ok(found)
}

/// What a row lacks, and what it names that is not there.
fn wrong_with(row: &Row<'_>, cited: &Cited<'_>, record: &Surface) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let (held_by, shown_by) = (row.held_by(), row.shown_by());
    if held_by.is_empty() {
        wrong.push("the row does not name what holds it".to_owned());
    }
    if shown_by.is_empty() {
        wrong.push("the row does not name what shows it".to_owned());
    }
    for name in &held_by {
        match name {
            Name::Code(item) if cited.is_item(item)? => {}
            Name::Code(item) => wrong.push(format!("there is no item `{item}`")),
            Name::Surface(section) => wrong.extend(breach(row, section, record)),
        }
    }
    for name in &shown_by {
        match name {
            Name::Code(test) if cited.is_test(test)? => {}
            Name::Code(test) => wrong.push(format!("there is no test `{test}`")),
            Name::Surface(section) => wrong.extend(breach(row, section, record)),
        }
    }
    Ok(wrong)
}

/// How the record differs from what a row says of it.
pub(crate) fn breach(row: &Row<'_>, section: &Section, record: &Surface) -> Option<String> {
    let name = &section.name;
    let Some(entries) = record.get(row.krate).and_then(|of| of.get(name)) else {
        return Some(format!("the surface record has no section `{name}`"));
    };
    // A row may say the same of several places.
    let named: Vec<Section> = [row.held_by(), row.shown_by()]
        .concat()
        .into_iter()
        .filter_map(|cited| match cited {
            Name::Surface(other) if other.name == *name && other.api == section.api => Some(other),
            _ => None,
        })
        .collect();
    let stray = entries
        .iter()
        .find(|entry| section.means(entry) && !named.iter().any(|section| section.admits(entry)));
    if let Some(entry) = stray {
        return Some(format!("the surface record has `{name}`: `{entry}`"));
    }
    let place = section.place.as_deref()?;
    let used = entries
        .iter()
        .any(|entry| section.means(entry) && section.admits(entry));
    (!used).then(|| format!("`{place}` has no entry under `{name}` any more"))
}

/// Whether a promise begins with these words.
fn opens(promise: &str, opening: &str) -> bool {
    !opening.is_empty()
        && promise
            .strip_prefix(opening)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn opening_words(text: &str) -> String {
    const WORDS: usize = 8;
    let words: Vec<&str> = text.split(' ').take(WORDS).collect();
    words.join(" ")
}

/// Text without what marks code, links and stress.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '[', ']', '*']) {
        let (before, mark) = rest.split_at(at);
        plain.push_str(before);
        let target = mark
            .strip_prefix("](")
            .and_then(|link| link.split_once(')'));
        let mut after = mark.chars();
        after.next();
        rest = target.map_or(after.as_str(), |(_, after)| after);
    }
    plain + rest
}

fn named(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "\
//! A crate.
//!
//! # Promises
//! - A [`Value`](crate::Value) that exists
//!   is *safe*.
//! - Another.
//!
//! # Never
//! - No network.
//!
//! # How it fails
//! - Not a promise.
";

    const TABLE: &str = "\
## a-b
| promise | held by | shown by |
|---|---|---|
| A `Value` that exists | `Value::new` | `values::are_safe`, `c-d::it::works` |
| No network | `surface::network` | `surface::clock@src/a.rs` |
";

    #[test]
    fn bullets_are_read_without_their_marks() {
        let read: Vec<_> = of_root(ROOT)
            .into_iter()
            .map(|promise| (promise.heading, promise.text))
            .collect();
        assert_eq!(
            read,
            [
                ("Promises", "A Value that exists is safe.".to_owned()),
                ("Promises", "Another.".to_owned()),
                ("Never", "No network.".to_owned()),
            ]
        );
    }

    #[test]
    fn a_row_belongs_to_the_bullet_that_it_opens() {
        let rows = rows(TABLE);
        let lines: Vec<_> = tied("a-b", ROOT, &rows)
            .into_iter()
            .map(|(_, rows)| rows.iter().map(|row| row.line).collect::<Vec<_>>())
            .collect();
        assert_eq!(lines, [vec![4], vec![], vec![5]]);
        assert!(
            tied("c-d", ROOT, &rows)
                .iter()
                .all(|(_, rows)| rows.is_empty())
        );
        assert!(opens("No network.", "No network") && !opens("No networks.", "No network"));
    }

    #[test]
    fn names_are_behind_their_crate_or_the_heading() {
        let rows = rows(TABLE);
        assert_eq!(
            rows[0].shown_by(),
            [
                Name::Code("a-b::values::are_safe".to_owned()),
                Name::Code("c-d::it::works".to_owned()),
            ]
        );
        assert_eq!(
            rows[1].held_by(),
            [Name::Surface(Section::parse("network"))]
        );
    }

    #[test]
    fn a_section_has_entries_where_the_row_says_and_nowhere_else() {
        let rows = rows(TABLE);
        let record = |network: &[&str], clock: &[&str]| {
            let entries = |of: &[&str]| of.iter().map(|&entry| entry.to_owned()).collect();
            let sections = BTreeMap::from([
                ("network".to_owned(), entries(network)),
                ("clock".to_owned(), entries(clock)),
            ]);
            Surface::from([("a-b".to_owned(), sections)])
        };
        let wrong = |network: &[&str], clock: &[&str]| {
            let record = record(network, clock);
            let names = ["network", "clock@src/a.rs"].map(Section::parse);
            names
                .iter()
                .filter_map(|section| breach(&rows[1], section, &record))
                .count()
        };
        let here = ["src/a.rs: Instant::now"];
        assert_eq!(wrong(&[], &here), 0);
        assert_eq!(wrong(&["src/a.rs: TcpStream"], &here), 1);
        assert_eq!(wrong(&[], &["src/a.rs: x", "src/b.rs: Instant::now"]), 1);
        assert_eq!(wrong(&[], &[]), 1);
    }

    #[test]
    fn a_section_may_mean_one_api_or_one_folder() {
        let none = Section::parse("clock::SystemTime::now");
        assert!(
            none.means("src/a.rs: SystemTime::now") && !none.admits("src/a.rs: SystemTime::now")
        );
        assert!(!none.means("src/a.rs: Instant::now"));
        let folder = Section::parse("clock@src/a/");
        assert!(folder.means("src/a/b.rs: x") && folder.admits("src/a/b.rs: x"));
        assert!(!folder.admits("src/ab.rs: x"));
    }
}
