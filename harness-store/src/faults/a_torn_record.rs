//! Whatever part of whatever record a journal ends in, the next writer cuts it, says so, and the
//! chain goes on.

use std::sync::Arc;

use harness_sanitize::Redactor;

use super::operations::PLAIN;
use super::recovery::{Stage, folder};
use crate::fixture::start;
use crate::journal::{Journal, Rotation};
use crate::redaction::Sink;
use crate::root::Root;
use crate::wire::Event;
use crate::wire::event::samples::of_every_kind;

#[test]
fn every_byte_of_every_kind() {
    let dir = folder();
    let place = Stage::before(dir.path(), &PLAIN).place;
    let (journal, anchor) = (place.journal(), place.anchor());
    let root = Arc::new(Root::open(&place.paths.root).unwrap());
    let config = Root::open(anchor.parent().unwrap()).unwrap();
    let sink = Sink::new(Arc::new(Redactor::patterns_only()));
    // An opening of the workspace begins with this and costs much more.
    let take_up = || {
        let (root, sink) = (Arc::clone(&root), sink.clone());
        Journal::open(root, &config, sink, Rotation::default(), start()).unwrap()
    };
    let before = std::fs::read(&journal).unwrap();
    let settled = std::fs::read(&anchor).unwrap();
    for (kind, event) in of_every_kind() {
        std::fs::write(&journal, &before).unwrap();
        std::fs::write(&anchor, &settled).unwrap();
        let mut writer = take_up();
        writer.append(&[vec![event]], start()).unwrap();
        let lines = writer.lines();
        let whole = std::fs::read(&journal).unwrap();
        let killed = std::fs::read(&anchor).unwrap();
        for cut in before.len() + 1..whole.len() {
            std::fs::write(&journal, &whole[..cut]).unwrap();
            std::fs::write(&anchor, &killed).unwrap();
            drop(take_up());
            let reader = place.reader();
            let last = reader.newest(1).unwrap();
            let Some((record, Event::TailRepaired(told))) = last[0].event() else {
                panic!("{kind} cut to {cut}: {last:?}");
            };
            assert_eq!(
                record.seq + 1,
                lines,
                "{kind} cut to {cut}: one gone, one told"
            );
            assert_eq!(told.dropped_bytes, (cut - before.len()) as u64);
            assert_eq!(told.anchored, Some(true));
            // What is appended behind the cut is the same each time, but for a number.
            if cut % 16 != 0 {
                continue;
            }
            let report = reader.verify_chain().unwrap();
            assert!(report.ok, "{kind} cut to {cut}: {:?}", report.breaks);
        }
    }
}
