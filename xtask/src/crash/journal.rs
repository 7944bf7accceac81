//! A journal judged from its bytes, with nothing of the code under test: lines of JSON that count
//! up, in closed segments and then in one open file.

use anyhow::{Result, bail};
use serde_json::Value;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Readings of the folder until no segment was closed meanwhile.
const READINGS: usize = 10;

/// The whole journal of a workspace, closed segments first.
pub(super) fn read(root: &Path) -> Result<Vec<u8>> {
    for _ in 0..READINGS {
        let files = files(root)?;
        let mut journal = Vec::new();
        for file in &files {
            match fs::read(file) {
                Ok(bytes) => journal.extend(bytes),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error.into()),
            }
        }
        if self::files(root)? == files {
            return Ok(journal);
        }
    }
    bail!("segments are closed faster than they can be read")
}

fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let segments = root.join("state/segments");
    if segments.is_dir() {
        for entry in fs::read_dir(segments)? {
            files.push(entry?.path());
        }
    }
    files.retain(|file| file.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    files.push(root.join("journal.jsonl"));
    Ok(files)
}

/// How many lines that were committed in `earlier` are not, byte for byte, where they were in
/// `later`.
pub(super) fn lost(earlier: &[u8], later: &[u8]) -> usize {
    let earlier = committed(earlier);
    if later.starts_with(earlier) {
        return 0;
    }
    let mut later = later.split_inclusive(|&byte| byte == b'\n');
    lines(earlier)
        .filter(|&line| later.next() != Some(line))
        .count()
}

/// How many lines are no JSON object; a last line without its line feed is one.
pub(super) fn torn(journal: &[u8]) -> usize {
    journal
        .split_inclusive(|&byte| byte == b'\n')
        .filter(|line| !line.ends_with(b"\n") || event(line).is_none())
        .count()
}

/// How many lines of a journal's part do not follow the one before them: a `seq` that does not
/// count up by one, or no `prev`. `last` is the number of the line before the part, afterwards
/// that of its last line.
pub(super) fn gaps(last: &mut Option<u64>, part: &[u8]) -> usize {
    let mut gaps = 0;
    for event in events(part) {
        let seq = event.get("seq").and_then(Value::as_u64);
        let expected = last.map_or(Some(0), |last| last.checked_add(1));
        if seq.is_none() || seq != expected || event.get("prev").is_none_or(|p| !p.is_string()) {
            gaps += 1;
        }
        *last = seq.or(*last);
    }
    gaps
}

/// Whether the last whole line belongs to a commit that goes on.
pub(super) fn ends_within_commit(journal: &[u8]) -> bool {
    committed(journal).len() != whole_lines(journal).len()
}

/// The events of all whole lines that read.
pub(super) fn events(journal: &[u8]) -> impl Iterator<Item = Value> {
    lines(journal).filter_map(event)
}

/// The part of a journal that ends in its last whole commit: all lines of a commit but its last
/// carry `more`, and without that last line the commit did not happen.
fn committed(journal: &[u8]) -> &[u8] {
    let whole = whole_lines(journal);
    let open: usize = lines(whole)
        .rev()
        .take_while(|line| event(line).is_some_and(|event| event.get("more") == Some(&true.into())))
        .map(<[u8]>::len)
        .sum();
    whole.get(..whole.len() - open).unwrap_or_default()
}

/// The part of a journal that ends in its last line feed.
fn whole_lines(journal: &[u8]) -> &[u8] {
    let end = journal.iter().rposition(|&byte| byte == b'\n');
    end.and_then(|end| journal.get(..=end)).unwrap_or_default()
}

fn lines(journal: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    whole_lines(journal).split_inclusive(|&byte| byte == b'\n')
}

/// The JSON object that a line or a file holds.
pub(super) fn event(line: &[u8]) -> Option<Value> {
    let value: Value = serde_json::from_slice(line).ok()?;
    value.is_object().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: &[u8] =
        b"{\"seq\":0,\"prev\":\"genesis\"}\n{\"seq\":1,\"prev\":\"a\"}\n{\"seq\":2,\"prev\":\"b\"}\n";

    #[test]
    fn what_was_there_is_lost_when_it_is_gone_or_different() {
        assert_eq!(lost(b"a\nb\n", b"a\nb\nc\n"), 0);
        assert_eq!(
            lost(b"a\nb\nc", b"a\nb\n"),
            0,
            "a torn line was never acknowledged"
        );
        let open = b"{}\n{\"more\":true}\n";
        assert_eq!(lost(open, b"{}\n"), 0, "nor was a commit without its end");
        assert!(ends_within_commit(open));
        assert_eq!(lost(b"a\nb\n", b"a\n"), 1);
        assert_eq!(lost(b"a\nb\n", b"a\nx\n"), 1);
        assert_eq!(lost(b"a\nb\n", b""), 2);
    }

    #[test]
    fn a_line_is_torn_when_it_is_no_whole_object() {
        assert_eq!(torn(THREE), 0);
        assert_eq!(torn(b""), 0);
        assert_eq!(torn(b"{\"seq\":0}\n{\"seq\""), 1);
        assert_eq!(torn(b"{\"seq\":0}\n{\"seq\":1}"), 1);
        assert_eq!(torn(b"{\"seq\":0\n{\"seq\":1}\n"), 1);
    }

    #[test]
    fn lines_count_up_by_one() {
        let gaps_of = |journal| gaps(&mut None, journal);
        assert_eq!(gaps_of(THREE), 0);
        assert_eq!(gaps_of(b"{\"seq\":1,\"prev\":\"a\"}\n"), 1);
        assert_eq!(gaps_of(b"{\"seq\":0}\n"), 1);
        assert_eq!(gaps_of(b"{\"type\":\"notice\"}\n"), 1);
        assert_eq!(gaps(&mut Some(1), b"{\"seq\":2,\"prev\":\"a\"}\n"), 0);
        assert_eq!(gaps(&mut Some(1), b"{\"seq\":3,\"prev\":\"a\"}\n"), 1);
    }
}
