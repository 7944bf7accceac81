//! Whatever is done to the journal afterwards, the audit sees it.

use std::path::Path;

use harness_store::wire::{hex, json, sha256};
use harness_store::{AuditReport, Reader};

use crate::fixture::{Place, SOON, copy_folder, notice, opened, recovery, turn};

/// A small workspace, closed in order, and its journal.
fn workspace() -> (Place, Vec<u8>) {
    let place = Place::new();
    let halves = place.open();
    halves.watch.open_session(opened("s")).unwrap();
    let posted = notice("n-1", "s", 1, "breach:tool_correctness");
    halves
        .watch
        .record_turn(turn("s", 1, vec![posted]))
        .unwrap();
    halves
        .watch
        .append(SOON, vec![recovery("s").into(), recovery("t").into()])
        .unwrap();
    drop(halves);
    let report = place.reader().audit().unwrap();
    assert!(report.ok, "{:?}", report.breaks);
    assert_eq!(report.anchored, Some(true));
    let bytes = std::fs::read(place.journal()).unwrap();
    (place, bytes)
}

fn audit(place: &Place) -> AuditReport {
    Reader::open(&place.paths).unwrap().audit().unwrap()
}

/// Writes `bytes` as the journal and expects the audit to see it.
fn shows(place: &Place, bytes: &[u8], what: &str) {
    std::fs::write(place.journal(), bytes).unwrap();
    let report = audit(place);
    assert!(
        !report.ok && !report.breaks.is_empty(),
        "{what} went unseen: {report:?}"
    );
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}

#[test]
fn each_byte() {
    let (place, bytes) = workspace();
    for at in 0..bytes.len() {
        let mut edited = bytes.clone();
        edited[at] ^= 1;
        shows(&place, &edited, &format!("byte {at}"));
    }
    std::fs::write(place.journal(), &bytes).unwrap();
    assert!(audit(&place).ok, "put back as it was, it is well again");
}

#[test]
fn lines_removed_inserted_reordered_duplicated_blank() {
    let (place, bytes) = workspace();
    let lines = lines(&bytes);
    for at in 0..lines.len() {
        let mut removed = lines.clone();
        removed.remove(at);
        shows(&place, &removed.concat(), &format!("line {at} removed"));

        let mut duplicated = lines.clone();
        duplicated.insert(at, lines[at].clone());
        shows(
            &place,
            &duplicated.concat(),
            &format!("line {at} duplicated"),
        );

        let mut blank = lines.clone();
        blank.insert(at, b"\n".to_vec());
        shows(&place, &blank.concat(), &format!("blank before line {at}"));

        let mut foreign = lines.clone();
        foreign.insert(at, b"{\"type\":\"health\",\"ok\":true}\n".to_vec());
        shows(
            &place,
            &foreign.concat(),
            &format!("foreign before line {at}"),
        );

        if at > 0 {
            let mut reordered = lines.clone();
            reordered.swap(at, at - 1);
            shows(&place, &reordered.concat(), &format!("line {at} moved up"));
        }
    }
    let mut blank = lines.clone();
    blank.push(b"\n".to_vec());
    shows(&place, &blank.concat(), "blank at the end");
}

#[test]
fn a_cut_tail() {
    let (place, bytes) = workspace();
    for cut in 0..bytes.len() {
        shows(&place, &bytes[..cut], &format!("cut to {cut}"));
    }
    std::fs::remove_file(place.journal()).unwrap();
    assert!(!audit(&place).ok, "the journal is gone");
}

#[test]
fn a_cut_tail_stays_marked_after_the_next_writer() {
    let (place, bytes) = workspace();
    let lines = lines(&bytes);
    std::fs::write(place.journal(), lines[..lines.len() - 1].concat()).unwrap();
    let halves = place.open();
    halves
        .watch
        .append(SOON, vec![recovery("s").into()])
        .unwrap();
    drop(halves);
    let report = audit(&place);
    assert!(!report.ok);
    assert_eq!(
        report.anchored,
        Some(true),
        "the anchor goes on from the mark"
    );
    assert_eq!(report.breaks.len(), 1, "{:?}", report.breaks);
}

/// A line that follows the chain as it should.
fn forged(seq: usize, prev: &str) -> Vec<u8> {
    let value = serde_json::json!({
        "type": "recovery", "session_id": "s", "signature": "breach:tool_correctness",
        "seq": seq, "prev": prev, "ts": "2026-11-30T11:26:14.500145+00:00",
    });
    json::to_line(&value).unwrap()
}

fn digest(line: &[u8]) -> String {
    hex(&sha256(&line[..line.len() - 1]))
}

#[test]
fn a_forged_append() {
    let (place, bytes) = workspace();
    let mut lines = lines(&bytes);
    let last = digest(&lines[lines.len() - 1]);
    lines.push(forged(lines.len(), &last));
    shows(&place, &lines.concat(), "a forged append");
}

#[test]
fn an_edit_under_a_running_writer_stays_marked() {
    let cut: fn(&[Vec<u8>]) -> Vec<u8> = |lines| lines[..lines.len() - 2].concat();
    let forge: fn(&[Vec<u8>]) -> Vec<u8> = |lines| {
        let last = digest(&lines[lines.len() - 1]);
        [lines.concat(), forged(lines.len(), &last)].concat()
    };
    let leave: fn(&[Vec<u8>]) -> Vec<u8> = |lines| lines.concat();
    for (edit, breaks) in [(cut, 1), (forge, 1), (leave, 0)] {
        let (place, _) = workspace();
        let halves = place.open();
        halves
            .watch
            .append(SOON, vec![recovery("s").into()])
            .unwrap();
        let bytes = std::fs::read(place.journal()).unwrap();
        std::fs::write(place.journal(), edit(&lines(&bytes))).unwrap();
        halves
            .watch
            .append(SOON, vec![recovery("s").into()])
            .unwrap();
        drop(halves);
        let report = audit(&place);
        assert_eq!(report.breaks.len(), breaks, "{:?}", report.breaks);
    }
}

#[test]
fn the_whole_file_rewritten() {
    let (place, bytes) = workspace();
    let mut rewritten: Vec<Vec<u8>> = Vec::new();
    for seq in 0..lines(&bytes).len() {
        let prev = rewritten
            .last()
            .map_or("genesis".to_owned(), |line| digest(line));
        rewritten.push(forged(seq, &prev));
    }
    // The mailbox too, so that only the anchor can tell.
    std::fs::remove_dir_all(place.file("mailbox/pending")).unwrap();
    shows(&place, &rewritten.concat(), "a whole rewrite");
    shows(&place, b"", "an emptied file");
}

#[test]
fn a_line_of_another_program_is_listed_and_no_break() {
    let (place, mut bytes) = workspace();
    bytes.extend_from_slice(
        b"{\"type\": \"health\", \"ok\": true, \"ts\": \"2026-11-30T11:26:14+00:00\"}\n",
    );
    std::fs::write(place.journal(), &bytes).unwrap();
    let report = audit(&place);
    assert!(report.ok, "{:?}", report.breaks);
    assert_eq!(report.foreign, 1);
    place
        .open()
        .watch
        .append(SOON, vec![recovery("s").into()])
        .unwrap();
    let report = audit(&place);
    assert!(
        report.ok,
        "the chain goes on over its bytes: {:?}",
        report.breaks
    );
    let edited = String::from_utf8(std::fs::read(place.journal()).unwrap()).unwrap();
    shows(
        &place,
        edited.replace("\"ok\": true", "\"ok\": null").as_bytes(),
        "a foreign line edited",
    );
}

#[test]
fn without_an_anchor_nobody_can_tell() {
    let (place, bytes) = workspace();
    std::fs::remove_file(place.anchor()).unwrap();
    assert_eq!(audit(&place).anchored, None);
    drop(place.open());
    let report = audit(&place);
    assert!(report.ok, "{:?}", report.breaks);
    assert_eq!(report.anchored, None, "nor after a writer made a new one");
    assert!(std::fs::read(place.journal()).unwrap().starts_with(&bytes));
}

#[test]
fn the_mailbox_against_the_journal() {
    let (place, _) = workspace();
    let pending = place.file("mailbox/pending/n-1.json");
    let text = std::fs::read_to_string(&pending).unwrap();
    let seen = |what: &str| {
        let report = audit(&place);
        assert_eq!(report.breaks.len(), 1, "{what}: {:?}", report.breaks);
        assert!(
            report.breaks[0].file.starts_with("mailbox/pending/n-"),
            "{what}"
        );
    };
    std::fs::write(&pending, text.replace("3 of 4", "1 of 4")).unwrap();
    seen("edited");
    std::fs::remove_file(&pending).unwrap();
    seen("gone");
    std::fs::write(&pending, &text).unwrap();
    std::fs::write(place.file("mailbox/pending/n-2.json"), &text).unwrap();
    seen("planted");
    std::fs::remove_file(place.file("mailbox/pending/n-2.json")).unwrap();
    assert!(audit(&place).ok);
}

#[test]
fn a_copy_that_is_edited_leaves_the_original_clean() {
    let (place, _) = workspace();
    let copy = tempfile::tempdir().unwrap();
    copy_folder(&place.paths.root, &copy.path().join("root"));
    copy_folder(&place.paths.config_dir, &copy.path().join("config"));
    let copied = Place::at(Path::new(copy.path()));
    let mut bytes = std::fs::read(copied.journal()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    shows(&copied, &bytes, "one byte in the copy");
    assert!(audit(&place).ok);
}
