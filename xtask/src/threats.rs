//! The pages that tell what is prevented, each row tied to what prevents it.
//!
//! On these pages every row of a table but its head names at least one test, and whatever in
//! back-ticks begins with the name of a crate of ours and `::` is a test or a public item that
//! exists (`cited.rs` says how they are named).

use crate::cited::Cited;
use anyhow::Result;

/// The pages.
const PAGES: [&str; 2] = ["docs/threat-model.md", "docs/threats.md"];

/// Rows without a test, and names of nothing.
pub(crate) fn findings(cited: &Cited<'_>) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for page in PAGES {
        let Some(text) = cited.page(page)? else {
            found.push(format!("{page}: there is none"));
            continue;
        };
        for Line {
            number,
            is_row,
            names,
        } in lines(&text)
        {
            let mut tests = 0;
            for name in names.into_iter().filter(|name| cited.is_ours(name)) {
                if cited.is_test(name)? {
                    tests += 1;
                } else if !cited.is_item(name)? {
                    found.push(format!(
                        "{page}:{number}: there is no test or public item `{name}`"
                    ));
                }
            }
            if is_row && tests == 0 {
                found.push(format!("{page}:{number}: the row names no test"));
            }
        }
    }
    Ok(found)
}

/// A line of a page.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    number: usize,
    /// A row of a table, and not its head.
    is_row: bool,
    /// What stands in back-ticks.
    names: Vec<&'a str>,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut ruled = false;
    text.lines()
        .enumerate()
        .map(|(at, line)| {
            let in_table = line.starts_with('|');
            let is_rule = in_table && line.chars().all(|c| matches!(c, '|' | '-' | ' ' | ':'));
            let is_row = in_table && ruled && !is_rule;
            ruled = in_table && (ruled || is_rule);
            Line {
                number: at + 1,
                is_row,
                names: line.split('`').skip(1).step_by(2).collect(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_names_are_told_from_the_rest() {
        let text =
            "Text with `a::b`.\n\n| head | `c::d` |\n|---|:--|\n| row | `e::f`, `g` |\n\nend";
        let seen: Vec<_> = lines(text)
            .into_iter()
            .filter(|line| line.is_row || !line.names.is_empty())
            .map(|line| (line.number, line.is_row, line.names))
            .collect();
        assert_eq!(
            seen,
            [
                (1, false, vec!["a::b"]),
                (3, false, vec!["c::d"]),
                (5, true, vec!["e::f", "g"]),
            ]
        );
    }
}
