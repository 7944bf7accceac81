//! Whatever part of its last line a journal ends in, the next writer cuts it, says so, and goes
//! on; nothing is glued on. The same for every kind of record: `faults::a_torn_record`.

use harness_core::RuleId;
use harness_store::wire::Event;
use harness_store::wire::event::{TrialAssigned, TrialKind, TrialName};
use harness_store::{EntryEvent, Tx};

use crate::fixture::{Place, SOON, opened, recovery, session, under_way};

#[test]
fn of_an_entry() {
    let event = EntryEvent::from(TrialAssigned {
        rule: RuleId::parse("r-0000000001").unwrap(),
        trial: TrialName {
            kind: TrialKind::Trial,
            opening: 1,
        },
        session: session("s"),
        pi: 0.1,
        t: Some(1),
        turn_index: 3,
    });
    let place = Place::new();
    let before = std::fs::read(place.journal()).unwrap();
    let job = move |tx: &mut Tx<'_, EntryEvent>| tx.commit(vec![event]);
    place.open().entries.commit(SOON, job).unwrap().unwrap();
    let whole = std::fs::read(place.journal()).unwrap();
    let lines = place.lines().len();
    let anchor = under_way(&std::fs::read(place.anchor()).unwrap());
    for cut in before.len() + 1..whole.len() {
        std::fs::write(place.journal(), &whole[..cut]).unwrap();
        // As a kill leaves it: the head before is confirmed, the one after is to come.
        std::fs::write(place.anchor(), &anchor).unwrap();
        drop(place.open());
        let after = place.lines();
        assert_eq!(after.len(), lines, "cut to {cut}: one gone, one told");
        let told = after.last().unwrap().event().unwrap().1.clone();
        let Event::TailRepaired(told) = told else {
            panic!("cut to {cut}: {told:?}");
        };
        assert_eq!(told.dropped_bytes, (cut - before.len()) as u64);
        assert_eq!(told.anchored, Some(true));
        let report = place.reader().audit().unwrap();
        assert!(report.ok, "cut to {cut}: {:?}", report.breaks);
    }
}

#[test]
fn a_whole_tail_is_left_alone() {
    let place = Place::new();
    let events = vec![opened("s").into(), recovery("s").into()];
    place.open().watch.append(SOON, events).unwrap();
    let before = std::fs::read(place.journal()).unwrap();
    drop(place.open());
    assert_eq!(std::fs::read(place.journal()).unwrap(), before);
}

#[test]
fn a_tail_torn_under_a_running_writer_is_repaired_too() {
    let place = Place::new();
    let halves = place.open();
    halves
        .watch
        .append(SOON, vec![recovery("one").into()])
        .unwrap();
    let mut bytes = std::fs::read(place.journal()).unwrap();
    bytes.extend_from_slice(b"{\"type\":\"reco");
    std::fs::write(place.journal(), &bytes).unwrap();
    halves
        .watch
        .append(SOON, vec![recovery("two").into()])
        .unwrap();
    drop(halves);
    let kinds = place.kinds();
    assert_eq!(
        kinds[kinds.len() - 3..],
        ["recovery", "tail_repaired", "recovery"]
    );
    assert!(place.reader().audit().unwrap().ok);
}
