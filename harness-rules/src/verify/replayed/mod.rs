//! The journal, read once from its beginning, with every verdict judged where it stands.

mod numbers;
mod proposals;
mod trials;
mod verdicts;

use std::collections::{BTreeMap, HashMap, HashSet};

use harness_core::{EpisodeId, Rule, RuleId};
use harness_store::wire::event::{Event, OriginDoc, TrialName};
use harness_store::wire::{Body, Line};

use super::paired::Paired;
use super::{Fault, VerdictCheck, Verification};

#[derive(Default)]
pub(super) struct Replayed {
    sessions: HashMap<String, Session>,
    proposed: HashSet<EpisodeId>,
    rules: BTreeMap<RuleId, Story>,
    promotions: u64,
    numbered: u64,
}

struct Session {
    seq: u64,
    live: bool,
    closed: bool,
    principal: Option<String>,
}

struct Story {
    rule: Rule,
    text_sha256: String,
    status: &'static str,
    openings: Vec<Opening>,
    verdicts: Vec<VerdictCheck>,
    faults: Vec<Fault>,
}

struct Opening {
    name: TrialName,
    seq: u64,
    evaluator: (String, String),
    log_capital: f64,
    pairs: Paired,
    commitment: String,
    alpha: f64,
    phi: f64,
    forward: bool,
    t: Option<u64>,
    horizon: Option<u64>,
    running: bool,
    entries: BTreeMap<String, Entry>,
}

struct Entry {
    pi_tenths: u32,
    /// `None` while it waits; then failed, fine, or dropped.
    outcome: Option<Option<bool>>,
}

type Checked = Result<(), &'static str>;

impl Replayed {
    pub(super) fn line(&mut self, line: &Line) {
        let Line::Chained(record) = line else {
            return;
        };
        let Body::Known(event) = &record.body else {
            return;
        };
        let seq = record.seq;
        match event {
            Event::SessionOpened(opened) => {
                let principal = opened.principal.as_ref();
                self.sessions
                    .entry(opened.session.as_str().to_owned())
                    .or_insert(Session {
                        seq,
                        live: opened.origin == OriginDoc::Live,
                        closed: false,
                        principal: principal.map(|principal| principal.as_str().to_owned()),
                    });
            }
            Event::SessionClosed(closed) => {
                if let Some(session) = self.sessions.get_mut(closed.session.as_str()) {
                    session.closed = true;
                }
            }
            Event::RuleAdd(added) => self.add(seq, added),
            Event::RuleImport(imported) => self.import(seq, imported),
            Event::TrialOpened(opened) => {
                let checked = self.open(seq, opened);
                self.fault(&opened.rule, seq, checked);
            }
            Event::TrialAssigned(assigned) => {
                let checked = self.enter(assigned);
                self.fault(&assigned.rule, seq, checked);
            }
            Event::TrialObserved(observed) => {
                let checked = self.observe(observed);
                self.fault(&observed.rule, seq, checked);
            }
            Event::ValidationCandidateStarted(started) => {
                let checked = self
                    .replay(&started.rule, started.trial)
                    .and_then(|opening| opening.pairs.turn(started));
                self.fault(&started.rule, seq, checked);
            }
            Event::ValidationReplayCase(pair) => {
                let checked = self.pair(pair);
                self.fault(&pair.rule, seq, checked);
            }
            Event::ValidationVerdict(ended) => {
                let checked = self
                    .replay(&ended.rule, ended.trial)
                    .and_then(|opening| opening.pairs.end(ended));
                self.fault(&ended.rule, seq, checked);
            }
            Event::RulePromote(promoted) => self.promote(seq, promoted),
            Event::RuleRetire(retired) => self.retire(seq, retired),
            Event::Quarantine(quarantine) => self.quarantine(seq, quarantine),
            _ => {}
        }
    }

    pub(super) fn into_verifications(self) -> BTreeMap<RuleId, Verification> {
        let stories = self.rules.into_iter();
        stories
            .map(|(rule, story)| {
                let verification = Verification {
                    rule: rule.clone(),
                    status: story.status,
                    verdicts: story.verdicts,
                    faults: story.faults,
                };
                (rule, verification)
            })
            .collect()
    }

    fn fault(&mut self, rule: &RuleId, seq: u64, checked: Checked) {
        if let (Err(what), Some(story)) = (checked, self.rules.get_mut(rule)) {
            story.faults.push(Fault { seq, what });
        }
    }
}
