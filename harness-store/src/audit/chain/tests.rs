//! However many threads look at the lines, and wherever one block ends and the next begins, the
//! report is the one of a single reader that goes from line to line.

use proptest::prelude::*;

use super::*;
use crate::audit::verify_chain;
use crate::fixture::{Place, SOON, opened, recovery};
use crate::lines::LineReader;
use crate::wire::MAX_LINE;

/// A journal of several files with commits of several lines.
fn place() -> Place {
    let place = Place::new();
    let halves = place.open_rotating();
    halves.watch.open_session(opened("s")).unwrap();
    for lines in [1, 3, 2, 7, 1, 1, 4, 12, 1] {
        let commit = vec![recovery("s").into(); lines];
        halves.watch.append(SOON, commit).unwrap();
    }
    drop(halves);
    place
}

fn report_of(place: &Place, verify: impl FnOnce(&Reader, &mut Walk<'_>)) -> AuditReport {
    let reader = place.reader();
    let before = reader.slot().unwrap();
    let mut report = AuditReport::empty();
    let mut walk = Walk::new(before, &mut report);
    verify(&reader, &mut walk);
    walk.finish(reader.slot().unwrap());
    report.ok = report.breaks.is_empty();
    report
}

/// From line to line, each read by itself.
fn one_by_one(place: &Place) -> AuditReport {
    report_of(place, |reader, walk| {
        let read = |part: Opened, walk: &mut Walk<'_>| {
            let mut lines = LineReader::new(&part.file, 0, part.length);
            while let Some(raw) = lines.next_line().unwrap() {
                walk.take(&[Seen::alone(raw, reader.workspace())]);
            }
            Ok(())
        };
        walk.parts(reader, read).unwrap();
    })
}

fn shared(place: &Place, threads: usize, block: usize) -> AuditReport {
    let way = Way { threads, block };
    report_of(place, |reader, walk| {
        walk.parts(reader, |part, walk| {
            walk_part(&part.file, part.length, reader.workspace(), &way, walk)
        })
        .unwrap();
    })
}

fn assert_same(place: &Place) -> AuditReport {
    let told = one_by_one(place);
    for threads in [1, 2, 4] {
        for block in [1, 150, 300, 1_000, 4_096, 1 << 20] {
            let report = shared(place, threads, block);
            assert_eq!(report, told, "{threads} threads, blocks of {block}");
        }
    }
    assert_eq!(verify_chain(&place.reader()).unwrap(), told);
    told
}

/// Something that is done to the lines of a file.
#[derive(Clone, Debug)]
enum Edit {
    Change(usize, u8),
    Remove,
    Duplicate,
    Swap(usize),
    Insert(&'static [u8]),
    Tear(usize),
}

fn edits() -> impl Strategy<Value = Edit> {
    const STRANGE: [&[u8]; 6] = [
        b"\n",
        b"\r\n",
        b"{\"type\":\"health\",\"ok\":true}\n",
        b"not a line of ours\n",
        b"\xff\xfe\n",
        b"{\"more\":true,\"prev\":\"genesis\",\"seq\":0,\"ts\":\"2026-11-30T11:26:14.500145+00:00\",\"type\":\"recovery\"}\n",
    ];
    prop_oneof![
        (any::<usize>(), 1_u8..).prop_map(|(at, bits)| Edit::Change(at, bits)),
        Just(Edit::Remove),
        Just(Edit::Duplicate),
        any::<usize>().prop_map(Edit::Swap),
        prop::sample::select(&STRANGE[..]).prop_map(Edit::Insert),
        any::<usize>().prop_map(Edit::Tear),
    ]
}

fn edited(bytes: &[u8], line: usize, edit: &Edit) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    if lines.is_empty() {
        return bytes.to_vec();
    }
    let at = line % lines.len();
    match edit {
        Edit::Change(byte, bits) => {
            let byte = byte % lines[at].len();
            lines[at][byte] ^= bits;
        }
        Edit::Remove => drop(lines.remove(at)),
        Edit::Duplicate => lines.insert(at, lines[at].clone()),
        Edit::Swap(other) => {
            let other = other % lines.len();
            lines.swap(at, other);
        }
        Edit::Insert(strange) => lines.insert(at, strange.to_vec()),
        Edit::Tear(byte) => {
            let byte = byte % lines[at].len();
            lines.truncate(at + 1);
            lines[at].truncate(byte);
        }
    }
    lines.concat()
}

/// The files of the journal, the growing one last.
fn files(place: &Place) -> Vec<std::path::PathBuf> {
    let mut files = place.segments();
    files.sort();
    files.push(place.journal());
    files
}

#[test]
fn a_sound_journal_and_each_line_edited_in_each_way() {
    let place = place();
    assert!(assert_same(&place).ok);
    assert!(files(&place).len() > 2, "it has closed files");
    for file in files(&place) {
        let bytes = std::fs::read(&file).unwrap();
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        for line in 0..lines {
            for edit in [
                Edit::Change(9, 1),
                Edit::Remove,
                Edit::Duplicate,
                Edit::Swap(line + 1),
                Edit::Insert(b"\n"),
                Edit::Insert(b"{\"type\":\"health\",\"ok\":true}\n"),
                Edit::Tear(20),
            ] {
                std::fs::write(&file, edited(&bytes, line, &edit)).unwrap();
                let told = one_by_one(&place);
                for block in [1, 300] {
                    let what = format!("{edit:?} of line {line}");
                    assert_eq!(shared(&place, 3, block), told, "{what}");
                }
            }
        }
        std::fs::write(&file, &bytes).unwrap();
    }
    assert!(assert_same(&place).ok);
}

#[test]
fn lines_that_are_too_long_and_more_lines_than_are_handed_over_at_once() {
    let place = place();
    let bytes = std::fs::read(place.journal()).unwrap();
    let long = [vec![b'x'; MAX_LINE + 5], vec![b'\n']].concat();
    let longest = [vec![b'x'; MAX_LINE], vec![b'\n']].concat();
    let blank = vec![b'\n'; 3 * side_by_side::MAX_SEEN + 1];
    for odd in [&long, &longest, &blank] {
        for odd_first in [true, false] {
            let both = if odd_first {
                [odd.as_slice(), &bytes].concat()
            } else {
                [bytes.as_slice(), odd, b"torn"].concat()
            };
            std::fs::write(place.journal(), both).unwrap();
            let told = one_by_one(&place);
            assert!(!told.ok && told.unreadable > 0);
            for (threads, block) in [(1, 1 << 20), (2, 700), (4, 4_096), (4, 128 << 10)] {
                assert_eq!(shared(&place, threads, block), told, "{threads}, {block}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn several_edits(edits in prop::collection::vec((any::<usize>(), any::<usize>(), edits()), 1..5)) {
        let place = place();
        for (file, line, edit) in edits {
            let files = files(&place);
            let file = &files[file % files.len()];
            let bytes = std::fs::read(file).unwrap();
            std::fs::write(file, edited(&bytes, line, &edit)).unwrap();
        }
        assert_same(&place);
    }
}
