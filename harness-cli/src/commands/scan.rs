//! `harness scan`: where injections and secrets stand, never what they are.

use std::io::{self, Read as _};

use anyhow::Result;
use harness_sanitize::{Redactor, Scanner};
use serde_json::json;

use super::Cli;
use crate::exit::Exit;

/// Bytes that are scanned at once.
const WINDOW: usize = 1 << 20;
/// Bytes of a window that the next one sees again, so that what lies across is seen whole. Of
/// something longer than this the start alone is sure to be found.
const OVERLAP: usize = 64 << 10;

pub(super) fn run(cli: &mut Cli<'_>) -> Result<Exit> {
    let mut input = io::stdin().lock();
    let mut window = Vec::new();
    let mut offset = 0;
    let mut covered = 0;
    let mut last_end = 0;
    let mut any = false;
    loop {
        let missing = WINDOW.saturating_sub(window.len());
        let read = input
            .by_ref()
            .take(missing as u64)
            .read_to_end(&mut window)?;
        let last = read < missing;
        let until = if last {
            window.len()
        } else {
            border(&window, WINDOW - OVERLAP)
        };
        for found in findings(&same_length(&window), cli.environment.redactor()) {
            // What starts behind the border is left to the next window.
            if found.start >= until || offset + found.start < covered {
                continue;
            }
            last_end = last_end.max(offset + found.end);
            cli.out.json(&json!({
                "kind": found.kind,
                "level": found.level,
                "start": offset + found.start,
                "end": offset + found.end,
            }))?;
            any = true;
        }
        if last {
            break;
        }
        covered = last_end;
        window.drain(..until);
        offset += until;
    }
    Ok(if any { Exit::Found } else { Exit::Done })
}

/// The last blank before `at`, or `at` where there is none nearby.
fn border(window: &[u8], at: usize) -> usize {
    let before = window.get(at.saturating_sub(OVERLAP)..at);
    let blank = before.and_then(|before| before.iter().rposition(u8::is_ascii_whitespace));
    blank.map_or(at, |blank| at.saturating_sub(OVERLAP) + blank + 1)
}

struct Found {
    kind: &'static str,
    level: &'static str,
    start: usize,
    end: usize,
}

/// Injections and secrets, by place.
fn findings(text: &str, redactor: &Redactor) -> Vec<Found> {
    let injections = Scanner::new().scan(text).into_iter().map(|finding| Found {
        kind: finding.kind.name(),
        level: finding.level().name(),
        start: finding.start,
        end: finding.end,
    });
    let secrets = redactor.find(text).into_iter().map(|secret| Found {
        kind: secret.kind.name(),
        level: "secret",
        start: secret.start,
        end: secret.end,
    });
    let mut found: Vec<Found> = injections.chain(secrets).collect();
    found.sort_by_key(|found| (found.start, found.end));
    found
}

/// The input as text of the same length, so that offsets are those of the input: a byte that
/// belongs to no character becomes `?`.
fn same_length(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{border, same_length};

    #[test]
    fn offsets_stay_where_they_are() {
        assert_eq!(same_length(b"a\xffb\xc3"), "a?b?");
        assert_eq!(same_length("žlu".as_bytes()), "žlu");
    }

    #[test]
    fn a_window_ends_where_no_word_is_cut() {
        assert_eq!(border(b"one two three", 9), 8);
        assert_eq!(border(b"onetwothree", 9), 9);
    }
}
