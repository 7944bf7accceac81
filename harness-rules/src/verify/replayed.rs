//! The journal, read once from its beginning, with every verdict judged where it stands.

use std::collections::{BTreeMap, HashMap, HashSet};

use harness_core::{EpisodeId, Retirement, Rule, RuleId};
use harness_store::wire::event::{
    Event, OriginDoc, Path, Quarantine, RuleAdd, RuleImport, RulePromote, RuleRetire,
    RuleRetireEvidence, TrialAssigned, TrialKind, TrialName, TrialObserved, TrialOpened,
    ValidationReplayCase,
};
use harness_store::wire::{Body, Line, sha256_hex, unhex};

use super::betting::{self, Cells};
use super::keyed::{commitment, is_treated};
use super::paired::Paired;
use super::{Fault, Numbers, PairNumbers, VerdictCheck, Verification};

/// The status of a rule of which no proposal is believed.
const REFUSED: &str = "refused";

/// Entries of a trial with π = .1.
const RAMP: usize = 20;

/// Active rules that a scope may have.
const BUDGET: usize = 32;

/// The strictest error rate of an opening.
const LEAST_LEVEL: f64 = 1e-9;

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

/// A verdict that says other numbers than follow.
const OTHER_NUMBERS: &str = "the verdict claims numbers that do not follow";

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

    pub(super) fn into_verification(mut self, rule: &RuleId) -> Option<Verification> {
        let story = self.rules.remove(rule)?;
        Some(Verification {
            rule: rule.clone(),
            status: story.status,
            verdicts: story.verdicts,
            faults: story.faults,
        })
    }

    fn fault(&mut self, rule: &RuleId, seq: u64, checked: Checked) {
        if let (Err(what), Some(story)) = (checked, self.rules.get_mut(rule)) {
            story.faults.push(Fault { seq, what });
        }
    }

    fn add(&mut self, seq: u64, added: &RuleAdd) {
        let Ok((rule, _)) = added.rule.clone().try_into_domain() else {
            return;
        };
        let repeats = added
            .episode
            .iter()
            .any(|episode| self.proposed.contains(episode));
        let again = repeats.then_some("the episode that proposed the rule had proposed before");
        if self.begin(seq, rule, "candidate", &added.text_sha256, again) {
            self.proposed.extend(added.episode.clone());
        }
    }

    /// A rule of another program stands where that program had it; that is no promotion.
    fn import(&mut self, seq: u64, imported: &RuleImport) {
        if let Ok((rule, status)) = imported.rule.clone().try_into_domain() {
            self.begin(seq, rule, status.as_str(), &imported.text_sha256, None);
        }
    }

    /// Begins the story of a rule, if this line is believed; says whether it is.
    fn begin(
        &mut self,
        seq: u64,
        rule: Rule,
        status: &'static str,
        text_sha256: &str,
        objection: Option<&'static str>,
    ) -> bool {
        let id = rule.id.clone();
        let is_known = self
            .rules
            .get(&id)
            .is_some_and(|story| story.status != REFUSED);
        let fault = if sha256_hex(rule.text.as_str().as_bytes()) != text_sha256 {
            Some("the text of the rule has not the hash recorded with it")
        } else if is_known {
            Some("the rule was proposed before")
        } else {
            objection
        };
        let earlier = if is_known {
            None
        } else {
            self.rules.remove(&id)
        };
        if !is_known {
            let status = if fault.is_none() { status } else { REFUSED };
            let faults = earlier.map(|story| story.faults).unwrap_or_default();
            self.rules.insert(
                id.clone(),
                Story {
                    rule,
                    text_sha256: text_sha256.to_owned(),
                    status,
                    openings: Vec::new(),
                    verdicts: Vec::new(),
                    faults,
                },
            );
        }
        self.fault(&id, seq, fault.map_or(Ok(()), Err));
        fault.is_none()
    }

    fn open(&mut self, seq: u64, opened: &TrialOpened) -> Checked {
        let story = self
            .rules
            .get_mut(&opened.rule)
            .ok_or("the rule is unknown")?;
        let wanted = match opened.trial.kind {
            TrialKind::Trial => "candidate",
            TrialKind::Holdout => "active",
        };
        if story.status != wanted || opened.trial.opening as usize != story.openings.len() + 1 {
            return Err("the opening is out of order or does not fit the rule's status");
        }
        if opened.path == Path::Replay && opened.trial.kind != TrialKind::Trial {
            return Err("what is active is not replayed");
        }
        let is_level = |level| (LEAST_LEVEL..1.0).contains(&level);
        if !is_level(opened.alpha) || !is_level(opened.phi) || unhex(&opened.commitment).is_none() {
            return Err("the opening names no error rates or no key");
        }
        let evaluator = (
            opened.evaluator.as_str().to_owned(),
            opened.evaluator_version.as_str().to_owned(),
        );
        let replay = story.openings.last().filter(|last| {
            last.running
                && !last.forward
                && last.name.kind == TrialKind::Trial
                && opened.path == Path::Forward
                && last.evaluator == evaluator
                && (last.alpha, last.phi) == (opened.alpha, opened.phi)
        });
        if replay.is_some_and(|last| last.pairs.is_running() || last.pairs.is_stopped()) {
            return Err("the replay before the opening was not over, or a case stopped it");
        }
        let (log_capital, t) =
            replay.map_or((0.0, None), |last| (last.pairs.sums().log_benefit, last.t));
        if !betting::same(opened.starting_e, log_capital.exp()) {
            return Err("the opening starts with evidence that is not there");
        }
        if let Some(last) = story.openings.last_mut() {
            last.running = false;
        }
        story.openings.push(Opening {
            name: opened.trial,
            seq,
            evaluator,
            log_capital,
            pairs: Paired::default(),
            commitment: opened.commitment.clone(),
            alpha: opened.alpha,
            phi: opened.phi,
            forward: opened.path == Path::Forward,
            t,
            horizon: None,
            running: true,
            entries: BTreeMap::new(),
        });
        Ok(())
    }

    fn enter(&mut self, assigned: &TrialAssigned) -> Checked {
        let session = self
            .sessions
            .get(assigned.session.as_str())
            .ok_or("the session that enters is unknown")?;
        let opening = self
            .rules
            .get_mut(&assigned.rule)
            .and_then(|story| story.openings.last_mut())
            .filter(|opening| opening.running && opening.name == assigned.trial)
            .ok_or("no such trial is running")?;
        if !opening.forward || !session.live || session.closed || session.seq <= opening.seq {
            return Err("the session may not enter this trial");
        }
        if opening.entries.contains_key(assigned.session.as_str()) {
            return Err("the session entered before");
        }
        let is_trial = opening.name.kind == TrialKind::Trial;
        let pi_tenths = match (is_trial, opening.entries.len() < RAMP) {
            (true, true) => 1,
            (true, false) => 5,
            (false, _) => 9,
        };
        if assigned.pi != f64::from(pi_tenths) / 10.0 {
            return Err("the entry's probability is not the one due");
        }
        let is_first = is_trial && opening.t.is_none();
        if assigned.t != is_first.then_some(self.numbered + 1) {
            return Err("the trial's number is not the next");
        }
        let has_passed = opening
            .horizon
            .is_some_and(|most| opening.entries.len() as u64 >= most);
        if is_trial && has_passed {
            return Err("the trial's horizon had passed");
        }
        if is_first {
            self.numbered += 1;
            opening.t = Some(self.numbered);
        }
        if opening.horizon.is_none() {
            let level =
                |t| betting::promotion_level(opening.alpha, opening.phi, t, self.promotions);
            opening.horizon = opening.t.map(|t| betting::horizon(level(t)));
        }
        opening.entries.insert(
            assigned.session.as_str().to_owned(),
            Entry {
                pi_tenths,
                outcome: None,
            },
        );
        Ok(())
    }

    fn observe(&mut self, observed: &TrialObserved) -> Checked {
        let entry = self
            .rules
            .get_mut(&observed.rule)
            .and_then(|story| {
                story
                    .openings
                    .iter_mut()
                    .find(|opening| opening.name == observed.trial)
            })
            .and_then(|opening| opening.entries.get_mut(observed.session.as_str()))
            .ok_or("the outcome is of a session that did not enter")?;
        if entry.outcome.is_some() {
            return Err("the session had an outcome already");
        }
        entry.outcome = Some(match observed.y {
            None => None,
            Some(0) => Some(false),
            Some(1) => Some(true),
            Some(_) => return Err("an outcome is 0, 1 or null"),
        });
        Ok(())
    }

    /// The running replay of a rule.
    fn replay(&mut self, rule: &RuleId, name: TrialName) -> Result<&mut Opening, &'static str> {
        self.rules
            .get_mut(rule)
            .and_then(|story| story.openings.last_mut())
            .filter(|opening| opening.running && !opening.forward && opening.name == name)
            .ok_or("no such replay is running")
    }

    fn pair(&mut self, pair: &ValidationReplayCase) -> Checked {
        let next = self.numbered + 1;
        let is_session = |name: &str| self.sessions.contains_key(name);
        let opening = self
            .rules
            .get_mut(&pair.rule)
            .and_then(|story| story.openings.last_mut())
            .filter(|opening| opening.running && !opening.forward && opening.name == pair.trial)
            .ok_or("no such replay is running")?;
        let is_first = pair.void.is_none() && opening.t.is_none();
        if pair.t != is_first.then_some(next) {
            return Err("the trial's number is not the next");
        }
        opening.pairs.pair(pair, is_session)?;
        if is_first {
            opening.t = Some(next);
            self.numbered = next;
        }
        Ok(())
    }

    fn promote(&mut self, seq: u64, promoted: &RulePromote) {
        let Ok((rule, _)) = promoted.rule.clone().try_into_domain() else {
            return;
        };
        let derived = self.derive(&rule.id, promoted.trial, &promoted.key);
        let has_room = self.has_room(&rule);
        let promotions = self.promotions;
        let Some(story) = self.rules.get_mut(&rule.id) else {
            return;
        };
        let (numbers, fault) = match derived {
            Err(what) => (None, Some(what)),
            Ok(numbers) => {
                let reaches = betting::reaches(numbers.e_value.ln(), numbers.threshold);
                let fault = if story.status != "candidate" {
                    Some("the rule was not a candidate")
                } else if promoted.text_sha256 != story.text_sha256 || rule != story.rule {
                    Some("the promoted rule is not the one proposed")
                } else if numbers.t != Some(promoted.t) || promoted.promotions != promotions {
                    Some("the verdict counts trials or promotions that are not there")
                } else if story.is_stopped() {
                    Some("the replay was not over, or a case stopped it")
                } else if story.is_harmful(&numbers) {
                    Some("the evidence reaches the level of harm")
                } else if !has_room {
                    Some("the scope had as many active rules as it may")
                } else if !reaches {
                    Some("the evidence does not reach the level of promotion")
                } else if !betting::same(promoted.e_value, numbers.e_value)
                    || !betting::same(promoted.threshold, numbers.threshold)
                {
                    Some(OTHER_NUMBERS)
                } else {
                    None
                };
                (Some(numbers), fault)
            }
        };
        if fault.is_none() {
            story.status = "active";
            story.end();
            self.promotions += 1;
        }
        story.verdicts.push(VerdictCheck {
            seq,
            verdict: "promoted",
            numbers,
            fault: fault.map(|what| Fault { seq, what }),
        });
    }

    fn retire(&mut self, seq: u64, retired: &RuleRetire) {
        let gives_way = retired.validator == "superseded" && retired.evidence.is_none();
        let (numbers, fault) = match (&retired.evidence, retired.reason) {
            (None, Retirement::Operator) => (None, None),
            (None, Retirement::Unproven) if gives_way => {
                let is_superseded = self.rules.values().any(|story| {
                    story.status == "active" && story.rule.supersedes.as_ref() == Some(&retired.id)
                });
                let fault = (!is_superseded).then_some("no active rule supersedes the rule");
                (None, fault)
            }
            (Some(evidence), reason) => {
                match self.derive(&retired.id, evidence.trial, &evidence.key) {
                    Ok(numbers) => {
                        let fault = self.retirement_fault(&retired.id, reason, evidence, &numbers);
                        (Some(numbers), fault)
                    }
                    Err(what) => (None, Some(what)),
                }
            }
            (None, _) => (None, Some("only an operator retires without evidence")),
        };
        let Some(story) = self.rules.get_mut(&retired.id) else {
            return;
        };
        let is_live = matches!(story.status, "candidate" | "active");
        let fault = fault.or((!is_live).then_some("the rule was not live"));
        if fault.is_none() {
            story.status = "retired";
            story.end();
        }
        story.verdicts.push(VerdictCheck {
            seq,
            verdict: if gives_way {
                "superseded"
            } else {
                retired.reason.as_str()
            },
            numbers,
            fault: fault.map(|what| Fault { seq, what }),
        });
    }

    fn retirement_fault(
        &self,
        id: &RuleId,
        reason: Retirement,
        evidence: &RuleRetireEvidence,
        numbers: &Numbers,
    ) -> Option<&'static str> {
        let story = self.rules.get(id)?;
        let opening = story.openings.last()?;
        let unfounded = match reason {
            Retirement::Harmful if !opening.forward && !opening.pairs.may_decide() => {
                Some("the replay was not over")
            }
            Retirement::Harmful => (!story.is_harmful(numbers))
                .then_some("the evidence does not reach the level of harm"),
            Retirement::Unproven if !opening.forward => {
                let stopped = opening.pairs.is_stopped() && opening.pairs.has_ended();
                (!stopped).then_some("no case stopped the replay")
            }
            Retirement::Unproven => {
                let is_proven = betting::reaches(numbers.e_value.ln(), numbers.threshold);
                let spent = !is_proven
                    && opening
                        .horizon
                        .is_some_and(|horizon| numbers.entered >= horizon)
                    && opening
                        .entries
                        .values()
                        .all(|entry| entry.outcome.is_some());
                (!spent || evidence.trial.kind != TrialKind::Trial)
                    .then_some("the horizon has not passed, sessions are open, or it is proven")
            }
            Retirement::Operator => Some("an operator's retirement carries no evidence"),
        };
        let level = match (reason, numbers.t) {
            (Retirement::Harmful, Some(t)) => betting::harm_level(opening.alpha, opening.phi, t),
            _ => numbers.threshold,
        };
        let says_so = betting::same(evidence.e_value, numbers.e_value)
            && betting::same(evidence.e_harm, numbers.e_harm)
            && betting::same(evidence.threshold, level)
            && evidence.entered == numbers.entered
            && evidence.t == numbers.t;
        unfounded.or((!says_so).then_some(OTHER_NUMBERS))
    }

    fn quarantine(&mut self, seq: u64, quarantine: &Quarantine) {
        let follows = self.is_harmful(&quarantine.because)
            && quarantine.rules.iter().all(|id| {
                self.rules.get(id).is_some_and(|story| {
                    story.status == "active" && story.rule.parents.contains(&quarantine.because)
                })
            });
        for id in &quarantine.rules {
            match self.rules.get_mut(id) {
                Some(story) if follows => {
                    story.status = "candidate";
                    story.end();
                }
                _ => self.fault(id, seq, Err("the quarantine does not follow")),
            }
        }
    }

    /// Whether a scope takes one more active rule: those that no active rule of the scope corrects
    /// are within the budget then, or no more than they were.
    fn has_room(&self, rule: &Rule) -> bool {
        let active: Vec<&Rule> = self
            .rules
            .values()
            .filter(|story| story.status == "active" && story.rule.scope == rule.scope)
            .map(|story| &story.rule)
            .collect();
        let corrected: HashSet<&RuleId> = active
            .iter()
            .filter_map(|rule| rule.supersedes.as_ref())
            .collect();
        let stand: Vec<&RuleId> = active
            .iter()
            .map(|rule| &rule.id)
            .filter(|id| !corrected.contains(id))
            .collect();
        let corrects = stand
            .iter()
            .filter(|id| rule.supersedes.as_ref() == Some(**id))
            .count();
        let then = stand.len() + 1 - corrects;
        then <= BUDGET || then <= stand.len()
    }

    /// Whether a rule was retired because it did harm.
    fn is_harmful(&self, id: &RuleId) -> bool {
        self.rules.get(id).is_some_and(|story| {
            let believed = story
                .verdicts
                .iter()
                .rfind(|verdict| verdict.fault.is_none());
            story.status == "retired" && believed.is_some_and(|last| last.verdict == "harmful")
        })
    }

    /// The numbers of a running opening, with the arms as the revealed key assigns them.
    fn derive(&self, id: &RuleId, name: TrialName, key: &str) -> Result<Numbers, &'static str> {
        let opening = self
            .rules
            .get(id)
            .and_then(|story| story.openings.last())
            .filter(|opening| opening.running && opening.name == name)
            .ok_or("the verdict is on a trial that is not running")?;
        let key: [u8; 32] = unhex(key).ok_or("the revealed key is not 32 bytes of hex")?;
        if commitment(&key) != opening.commitment {
            return Err("the revealed key is not the one committed to");
        }
        if !opening.forward {
            return opening
                .pairs
                .follows(&key)
                .then(|| opening.replayed(self.promotions))
                .ok_or("the order of the runs is not the one that the key throws");
        }
        let mut by_principal: BTreeMap<Option<String>, Cells> = BTreeMap::new();
        let (mut treated, mut control, mut all) = ((0, 0), (0, 0), Cells::new());
        for (session, entry) in &opening.entries {
            let principal = self
                .sessions
                .get(session)
                .and_then(|session| session.principal.clone());
            // Whoever entered is one of the principals, also without an outcome.
            let own = by_principal.entry(principal).or_default();
            let Some(Some(failed)) = entry.outcome else {
                continue;
            };
            let is_treated = is_treated(&key, session, entry.pi_tenths);
            let cell = (entry.pi_tenths, is_treated, failed);
            *own.entry(cell).or_default() += 1;
            *all.entry(cell).or_default() += 1;
            let arm = if is_treated {
                &mut treated
            } else {
                &mut control
            };
            if failed {
                arm.0 += 1;
            } else {
                arm.1 += 1;
            }
        }
        let threshold = match opening.t {
            Some(t) => betting::promotion_level(opening.alpha, opening.phi, t, self.promotions),
            None => 1.0 / opening.alpha,
        };
        let log_e = opening.log_capital + betting::log_promotion(&by_principal);
        let went_on_from = self
            .rules
            .get(id)
            .and_then(|story| story.openings.iter().rev().nth(1))
            .filter(|earlier| !earlier.forward && earlier.t.is_some() && earlier.t == opening.t);
        Ok(Numbers {
            replay: went_on_from.map(Opening::pair_numbers),
            capital: opening.log_capital.exp(),
            entered: opening.entries.len() as u64,
            treated,
            control,
            principals: by_principal.len(),
            e_value: log_e.exp(),
            e_harm: betting::log_harm(&all).exp(),
            threshold,
            t: opening.t,
            promotions: self.promotions,
        })
    }
}

impl Opening {
    fn pair_numbers(&self) -> PairNumbers {
        let sums = self.pairs.sums();
        PairNumbers {
            wins: sums.won,
            losses: sums.lost,
            counted: sums.counted,
            void: self.pairs.void,
            e_veto: sums.log_worst.exp(),
            vetoed: self.pairs.is_stopped(),
        }
    }

    /// The numbers of a replay.
    fn replayed(&self, promotions: u64) -> Numbers {
        let sums = self.pairs.sums();
        let t = self.t.unwrap_or(u64::MAX);
        Numbers {
            replay: Some(self.pair_numbers()),
            capital: 1.0,
            entered: sums.counted,
            treated: (0, 0),
            control: (0, 0),
            principals: 0,
            e_value: sums.log_benefit.exp(),
            e_harm: sums.log_harm.exp(),
            threshold: betting::promotion_level(self.alpha, self.phi, t, promotions),
            t: self.t,
            promotions,
        }
    }
}

impl Story {
    /// Whether a replay is running that nothing may be promoted on: between turns with all their
    /// pairs it may, unless a case stops the rule.
    fn is_stopped(&self) -> bool {
        self.openings.last().is_some_and(|opening| {
            !opening.forward && (!opening.pairs.may_decide() || opening.pairs.is_stopped())
        })
    }

    /// Whether the numbers of the running opening reach its level of harm.
    fn is_harmful(&self, numbers: &Numbers) -> bool {
        self.openings.last().is_some_and(|opening| {
            let level = match numbers.t {
                Some(t) => betting::harm_level(opening.alpha, opening.phi, t),
                None => 1.0 / opening.alpha,
            };
            betting::reaches(numbers.e_harm.ln(), level)
        })
    }

    fn end(&mut self) {
        if let Some(opening) = self.openings.last_mut() {
            opening.running = false;
        }
    }
}
