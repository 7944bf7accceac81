//! Eight processes work on one workspace: a text that all of them propose is one rule, an episode
//! that all of them take up has one candidate and ends once, and nothing that any of them did is
//! lost.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use harness_core::{NoticeId, RepairSessionId};
use harness_rules::{
    Abandoned, Category, DeskError, Desks, OpenEpisode, Opened, ProposeOutcome, Settings, Usage,
    WithoutRule,
};
use harness_store::wire::event::Event;
use harness_store::{Mailbox, StoreError};

use crate::fixture::{Live, Place, advice, clean, evaluator, later, notice, post, proposal_in};

const PROCESSES: usize = 8;
/// How long a run is, if it is not to be short.
const ROUNDS: &str = "HARNESS_RULES_TEST_ROUNDS";
/// Tells a copy of this test binary that it is a child, and where its workspace lies.
const CHILD: &str = "HARNESS_RULES_TEST_CHILD";
const NAME: &str = "eight_processes_agree::one_text_is_one_rule_and_nothing_is_lost";
/// Texts that all of them propose; as many candidates as a workspace has room for, with those of
/// [`SHARED`].
const TEXTS: [char; 6] = ['a', 'b', 'c', 'd', 'e', 'f'];
/// Notices that all of them take up, and what the one who opens the episode proposes.
const SHARED: [(&str, char); 2] = [("n-shared-1", 'q'), ("n-shared-2", 'r')];
/// After which a process that waits for its turn gives up: a hang, not a slow machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Rounds of eight operations that each process does.
fn rounds() -> usize {
    std::env::var(ROUNDS).map_or(6, |rounds| rounds.parse().unwrap())
}

#[test]
fn one_text_is_one_rule_and_nothing_is_lost() {
    if let Some(folder) = std::env::var_os(CHILD) {
        return take_part(&Place::at(folder.as_ref()));
    }
    let place = Place::new();
    let desks = place.open();
    for (id, _) in SHARED {
        post(&desks, vec![notice(id)]);
    }
    drop(desks);
    let mut children: Vec<Ended> = (0..PROCESSES).map(|_| Ended(child(&place))).collect();
    for child in &mut children {
        assert!(child.0.wait().unwrap().success());
    }

    let report = place.reader().audit().unwrap();
    assert!(report.ok, "{:?}", report.breaks);
    assert_eq!(
        (report.anchored, report.unreadable, report.torn_bytes),
        (Some(true), 0, 0)
    );
    let events = place.events();
    let mut proposed: BTreeMap<String, usize> = BTreeMap::new();
    let mut by_shared = 0;
    let mut resolved: BTreeMap<NoticeId, usize> = BTreeMap::new();
    let (mut started, mut ended) = (0, 0);
    let (mut open, mut closed) = (BTreeSet::new(), BTreeSet::new());
    for event in events {
        match event {
            Event::RuleAdd(added) => {
                by_shared += usize::from(added.rule.rule.as_str().starts_with(['q', 'r']));
                *proposed.entry(added.rule.rule.to_string()).or_default() += 1;
            }
            Event::RepairNoticeResolved(told) => {
                for id in told.context.notices {
                    *resolved.entry(id).or_default() += 1;
                }
            }
            Event::RepairStarted(_) => started += 1,
            Event::RepairCompleted(_)
            | Event::RepairAlreadyCovered(_)
            | Event::RepairTimedOut(_)
            | Event::RepairCancelled(_) => ended += 1,
            Event::SessionOpened(told) => assert!(open.insert(told.session)),
            Event::SessionClosed(told) => assert!(closed.insert(told.session)),
            _ => {}
        }
    }
    assert!(proposed.values().all(|count| *count == 1), "{proposed:?}");
    let texts = TEXTS.len().min(rounds()) + SHARED.len();
    assert_eq!((proposed.len(), by_shared), (texts, SHARED.len()));
    assert!(resolved.values().all(|count| *count == 1), "{resolved:?}");
    assert_eq!(resolved.len(), PROCESSES * rounds() + SHARED.len());
    assert_eq!(started, ended);
    assert_eq!((open.len(), &open), (PROCESSES * rounds(), &closed));

    let mut mailbox = place.reader().follow(Mailbox::default());
    mailbox.refresh().unwrap();
    assert_eq!(mailbox.get().pending_count(), 0);
    let desks = place.open();
    let ledger = desks.book.ledger().unwrap();
    assert_eq!((ledger.doubts(), ledger.rules().count()), (&[][..], texts));
    let wrong = harness_rules::mismatches(&place.reader(), &ledger, &Settings::default());
    assert_eq!(wrong.unwrap(), Vec::<String>::new());
}

/// A copy of this test binary that takes part.
fn child(place: &Place) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([NAME, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, place.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Ends a child however a test ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Does what the others do too, each round under names of its own.
fn take_part(place: &Place) {
    let desks = place.open();
    for round in 0..rounds() {
        let own = format!("{}-{round}", std::process::id());
        let text = round % TEXTS.len();
        let area = format!("area-{}", text % 3);
        if let Some((id, letter)) = SHARED.get(round) {
            take_up(&desks, id, *letter, round);
        }
        let live = Live::begin(&desks, &format!("live-{own}"));
        live.read_scope(&area);
        live.finish(&desks, false);
        let id = format!("n-{own}");
        post(&desks, vec![notice(&id)]);
        while let Some(episode) = open(&desks, &id) {
            let Opened::Fresh(fresh) = episode else {
                panic!("nobody else takes up {id}");
            };
            if propose(fresh, &area, TEXTS[text]) {
                break;
            }
        }
        patiently(|| desks.validation.decide(&evaluator("1")));
    }
}

/// Takes up an episode that the others take up too. Whoever is first leaves that of the second
/// round behind with its proposal made, and somebody goes on with it.
fn take_up(desks: &Desks, id: &str, letter: char, round: usize) {
    while let Some(episode) = open(desks, id) {
        let (proposed, is_first) = match episode {
            Opened::Continued(proposed) => (proposed, false),
            Opened::Fresh(fresh) => {
                match fresh
                    .propose(proposal_in("shared", &advice(letter)))
                    .unwrap()
                {
                    ProposeOutcome::Added(proposed) => (proposed, true),
                    ProposeOutcome::Covered { by, .. } => panic!("{by} says it already"),
                    ProposeOutcome::Refused { reason, .. } => panic!("{reason}"),
                }
            }
        };
        if is_first && round == 1 {
            proposed
                .abandon(Abandoned::TimedOut, Category::TimeLimit, Usage::default())
                .unwrap();
        } else {
            proposed
                .acknowledge(Some(clean("done")), Usage::default())
                .unwrap();
        }
    }
}

/// Opens the episode of a notice once nobody else repairs; `None` if the notice does not wait.
fn open(desks: &Desks, id: &str) -> Option<Opened> {
    let id = NoticeId::parse(id).unwrap();
    let session = RepairSessionId::from_bits(u64::from(std::process::id()));
    patiently(|| {
        let episodes = desks.repair.episodes(later())?;
        let Some(episode) = episodes
            .iter()
            .find(|episode| episode.notices().contains(&id))
        else {
            return Ok(None);
        };
        match desks.repair.open(episode, clean("builtin"), session) {
            Ok(opened) => Ok(Some(opened)),
            Err(DeskError::NotPending(_)) => Ok(None),
            Err(error) => Err(error),
        }
    })
}

/// Proposes a text that the others propose too; whether that ended the episode.
fn propose(fresh: OpenEpisode, area: &str, letter: char) -> bool {
    let ended = match fresh.propose(proposal_in(area, &advice(letter))) {
        Ok(ProposeOutcome::Added(proposed)) => proposed.acknowledge(None, Usage::default()),
        Ok(ProposeOutcome::Covered { episode, by, .. }) => {
            episode.resolve(WithoutRule::AlreadyCovered(by), None, Usage::default())
        }
        Ok(ProposeOutcome::Refused { reason, .. }) => panic!("{reason}"),
        Err(error) => Err(error),
    };
    match ended {
        Ok(_) => true,
        Err(DeskError::Store(StoreError::Busy { .. })) => false,
        Err(error) => panic!("{error}"),
    }
}

/// Does something as soon as the others let it.
fn patiently<T>(mut work: impl FnMut() -> Result<T, DeskError>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        match work() {
            Ok(done) => return done,
            Err(DeskError::EpisodeUnderWay | DeskError::Store(StoreError::Busy { .. }))
                if Instant::now() < until =>
            {
                thread::sleep(Duration::from_millis(1));
            }
            Err(error) => panic!("{error}"),
        }
    }
}
