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
//! invariant. How a test is named stands in `cited.rs`.

use crate::cited::Cited;
use anyhow::Result;

/// Where the invariants stand.
const FILE: &str = "ARCHITECTURE.md";

/// One invariant, as written.
#[derive(Debug, PartialEq, Eq)]
struct Invariant {
    line: usize,
    tests: Vec<String>,
}

/// Invariants without a test, and tests that do not exist.
pub(crate) fn findings(cited: &Cited<'_>) -> Result<Vec<String>> {
    let Some(text) = cited.page(FILE)? else {
        return Ok(vec![format!("{FILE}: there is none")]);
    };
    let invariants = parse(&text);
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
            if !cited.is_test(&test)? {
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
}
