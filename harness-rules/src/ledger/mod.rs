//! What the journal says of rules and trials, folded line by line.
//!
//! Everything a rule's status rests on is here and nowhere else: `rules.jsonl` and the rendered
//! files are projections. A promotion is believed only if it follows from the lines before it (see
//! [`verdict`]), so an edited or forged one leaves a [`Doubt`] and the rule where it was.

mod budget;
mod doubt;
mod record;
mod replay;
mod session;
mod shelves;
mod tally;
mod trial;
mod units;
mod verdict;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU32;

use harness_core::{EpisodeId, Rule, RuleId, RuleStatus, Scope, SessionId, Timestamp};
use harness_store::Fold;
use harness_store::wire::event::{
    Event, Health, HealthState, RuleAdd, RuleImport, SessionOpened, TrialKind,
};
use harness_store::wire::rule::RuleDoc;
use harness_store::wire::{Body, Line, Record, sha256_hex};

pub use budget::MAX_ACTIVE_A_SCOPE;
pub use doubt::{Doubt, DoubtKind};
pub use record::RuleRecord;
pub use replay::{ReplayRecord, Turn};
pub(crate) use replay::{are_two, coin, has_its_session, may_count};
pub use session::SessionFacts;
use shelves::Shelves;
pub use trial::{Entry, Observation, Trial, TrialState};
pub(crate) use trial::{Verdict, arm_key};
use units::WorthUnit;
pub(crate) use verdict::SUPERSEDED;

use crate::evidence::MasterKey;
use crate::search::{SearchIndex, Slot};

/// The kinds of events that say anything of rules and trials; no other is read.
const TAKEN: [&str; 18] = [
    "session_opened",
    "session_closed",
    "health",
    "rule_add",
    "rule_import",
    "trial_opened",
    "trial_assigned",
    "trial_observed",
    "worth_assigned",
    "worth_observed",
    "validation_round_started",
    "validation_candidate_started",
    "validation_replay_case",
    "validation_verdict",
    "rule_promote",
    "rule_retire",
    "quarantine",
    "scope_full",
];

/// The fold.
pub struct Ledger {
    key: Option<MasterKey>,
    rules: BTreeMap<RuleId, RuleRecord>,
    sessions: HashMap<SessionId, SessionFacts>,
    proposals: HashMap<EpisodeId, RuleId>,
    /// The rules whose trials an open session has entered.
    waiting: HashMap<SessionId, BTreeSet<RuleId>>,
    /// The rules that supersede one, by the one that they supersede.
    corrections: BTreeMap<RuleId, BTreeSet<RuleId>>,
    index: SearchIndex,
    shelves: Shelves,
    /// Scopes that are full and of which people were told.
    told: BTreeSet<Scope>,
    live_sessions: u64,
    promotions: u32,
    last_t: u32,
    rounds: u64,
    down: bool,
    units: HashMap<SessionId, WorthUnit>,
    ended_units: Vec<SessionId>,
    units_since: Option<Timestamp>,
    doubts: Vec<Doubt>,
    last_seq: u64,
}

impl Ledger {
    /// Doubts that are kept; later ones are counted by nobody, as the first already fails an audit.
    pub const MAX_DOUBTS: usize = 256;

    /// An empty ledger. With the master key it knows each session's arm; without it, trials can be
    /// read and verdicts checked, but nothing is decided.
    pub fn new(key: Option<MasterKey>) -> Self {
        Self {
            key,
            rules: BTreeMap::new(),
            sessions: HashMap::new(),
            proposals: HashMap::new(),
            waiting: HashMap::new(),
            corrections: BTreeMap::new(),
            index: SearchIndex::default(),
            shelves: Shelves::default(),
            told: BTreeSet::new(),
            live_sessions: 0,
            promotions: 0,
            last_t: 0,
            rounds: 0,
            down: false,
            units: HashMap::new(),
            ended_units: Vec::new(),
            units_since: None,
            doubts: Vec::new(),
            last_seq: 0,
        }
    }

    /// A rule by id.
    pub fn rule(&self, id: &RuleId) -> Option<&RuleRecord> {
        self.rules.get(id)
    }

    /// All rules, in order of id.
    pub fn rules(&self) -> impl Iterator<Item = &RuleRecord> {
        self.rules.values()
    }

    /// Candidates and active rules, in order of id.
    pub fn live_rules(&self) -> impl Iterator<Item = &RuleRecord> {
        self.rules.values().filter(|record| record.status.is_live())
    }

    /// Candidates and active rules of a scope: active ones first, each kind in the order in which
    /// they came.
    pub(crate) fn live_in<'a>(
        &'a self,
        scope: &Scope,
    ) -> impl Iterator<Item = &'a RuleRecord> + use<'a> {
        self.shelves
            .scope(scope)
            .into_iter()
            .flat_map(|shelf| shelf.live())
            .filter_map(|id| self.rules.get(id))
    }

    /// What an episode proposed, if it did.
    pub fn proposal_of(&self, episode: &EpisodeId) -> Option<&RuleRecord> {
        self.proposals
            .get(episode)
            .and_then(|id| self.rules.get(id))
    }

    /// What is known of a session.
    pub fn session(&self, id: &SessionId) -> Option<&SessionFacts> {
        self.sessions.get(id)
    }

    /// How many live sessions have begun.
    pub(crate) const fn live_sessions(&self) -> u64 {
        self.live_sessions
    }

    /// Promotions by verdict so far, R.
    pub const fn promotions(&self) -> u32 {
        self.promotions
    }

    /// The number the next trial to be entered gets.
    pub fn next_t(&self) -> NonZeroU32 {
        NonZeroU32::MIN.saturating_add(self.last_t)
    }

    /// Rounds of replay so far.
    pub const fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Whether an evaluator's health check has failed and not yet passed again.
    pub const fn in_outage(&self) -> bool {
        self.down
    }

    /// Lines that claim what does not follow.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// The number of the last line that was read.
    pub const fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// A ledger of made-up rules, for this crate's own unit tests.
    #[cfg(test)]
    pub(crate) fn of(records: impl IntoIterator<Item = RuleRecord>) -> Self {
        let mut ledger = Self::new(None);
        for record in records {
            ledger.insert(record);
        }
        ledger
    }

    pub(crate) const fn key(&self) -> Option<&MasterKey> {
        self.key.as_ref()
    }

    pub(crate) const fn index(&self) -> &SearchIndex {
        &self.index
    }

    pub(crate) const fn shelves(&self) -> &Shelves {
        &self.shelves
    }

    fn doubt(&mut self, record: &Record, kind: DoubtKind) {
        if self.doubts.len() < Self::MAX_DOUBTS {
            self.doubts.push(Doubt {
                seq: record.seq,
                kind,
            });
        }
    }

    fn event(&mut self, record: &Record, event: &Event) {
        let verdict = match event {
            Event::SessionOpened(opened) => {
                self.open_session(record, opened);
                Ok(())
            }
            Event::SessionClosed(closed) => {
                if let Some(session) = self.sessions.get_mut(&closed.session) {
                    session.closed = true;
                }
                self.waiting.remove(&closed.session);
                Ok(())
            }
            Event::Health(Health { state, .. }) => {
                self.down = *state == HealthState::Down;
                Ok(())
            }
            Event::RuleAdd(added) => self.add(record, added),
            Event::RuleImport(imported) => self.import(record, imported),
            Event::TrialOpened(opened) => self.open_trial(record, opened),
            Event::TrialAssigned(assigned) => self.enter(assigned),
            Event::TrialObserved(observed) => self.observe(observed),
            Event::WorthAssigned(assigned) => self.enter_unit(record, assigned),
            Event::WorthObserved(observed) => self.observe_unit(observed),
            Event::ValidationRoundStarted(started) => {
                self.rounds = self.rounds.max(started.round);
                Ok(())
            }
            Event::ValidationCandidateStarted(started) => self.start_turn(started),
            Event::ValidationReplayCase(pair) => self.pair(pair),
            Event::ValidationVerdict(ended) => self.end_turn(ended),
            Event::RulePromote(promoted) => self.promote(record, promoted),
            Event::RuleRetire(retired) => self.retire(record, retired),
            Event::Quarantine(quarantine) => self.quarantine(record, quarantine),
            Event::ScopeFull(full) => self.scope_full(full),
            _ => Ok(()),
        };
        if let Err(kind) = verdict {
            self.doubt(record, kind);
        }
    }

    fn open_session(&mut self, record: &Record, opened: &SessionOpened) {
        if self.sessions.contains_key(&opened.session) {
            return;
        }
        let facts = SessionFacts::opened(record.seq, opened);
        self.live_sessions += u64::from(facts.live);
        self.sessions.insert(opened.session.clone(), facts);
    }

    fn add(&mut self, record: &Record, added: &RuleAdd) -> Result<(), DoubtKind> {
        let (rule, _) = self.new_rule(&added.rule, &added.text_sha256)?;
        if let Some(episode) = &added.episode {
            if self.proposals.contains_key(episode) {
                return Err(DoubtKind::SecondProposal(rule.id));
            }
            self.proposals.insert(episode.clone(), rule.id.clone());
        }
        let episode = added.episode.clone();
        self.insert(RuleRecord {
            text_sha256: added.text_sha256.clone(),
            status: RuleStatus::Candidate,
            quarantined: false,
            imported: false,
            episode,
            added_seq: record.seq,
            trials: Vec::new(),
            changed_at: record.ts,
            slot: Slot::default(),
            rule,
        });
        Ok(())
    }

    /// A rule of another program keeps its status, by that program's word: no promotion is counted.
    fn import(&mut self, record: &Record, imported: &RuleImport) -> Result<(), DoubtKind> {
        let (rule, status) = self.new_rule(&imported.rule, &imported.text_sha256)?;
        self.insert(RuleRecord {
            text_sha256: imported.text_sha256.clone(),
            status,
            quarantined: false,
            imported: true,
            episode: None,
            added_seq: record.seq,
            trials: Vec::new(),
            changed_at: record.ts,
            slot: Slot::default(),
            rule,
        });
        Ok(())
    }

    /// A rule that is not known yet and whose text has its hash.
    fn new_rule(&self, doc: &RuleDoc, text_sha256: &str) -> Result<(Rule, RuleStatus), DoubtKind> {
        let (rule, status) = doc
            .clone()
            .try_into_domain()
            .map_err(|_| DoubtKind::UnreadableRule)?;
        if sha256_hex(rule.text.as_str().as_bytes()) != text_sha256 {
            return Err(DoubtKind::TextChanged(rule.id));
        }
        if self.rules.contains_key(&rule.id) {
            return Err(DoubtKind::RepeatedRule(rule.id));
        }
        Ok((rule, status))
    }

    fn insert(&mut self, mut record: RuleRecord) {
        record.slot = self
            .index
            .insert(&record.rule, record.added_seq, record.status);
        self.shelves
            .insert(&record.rule, record.added_seq, record.status);
        if let Some(corrected) = &record.rule.supersedes {
            self.corrections
                .entry(corrected.clone())
                .or_default()
                .insert(record.rule.id.clone());
        }
        self.rules.insert(record.rule.id.clone(), record);
    }

    fn set_status(&mut self, id: &RuleId, status: RuleStatus, at: Timestamp) {
        let Some(record) = self.rules.get_mut(id) else {
            return;
        };
        self.index.refile(record.slot, status);
        self.shelves
            .refile(&record.rule, record.added_seq, record.status, status);
        record.status = status;
        record.changed_at = at;
        if let Some(trial) = record.open_trial_mut() {
            trial.state = TrialState::Ended;
        }
        let scope = record.rule.scope.clone();
        self.look_for_room(&scope);
    }

    /// Whether a rule of this status may have an opening of this kind.
    const fn fits(kind: TrialKind, status: RuleStatus) -> bool {
        matches!(
            (kind, status),
            (TrialKind::Trial, RuleStatus::Candidate) | (TrialKind::Holdout, RuleStatus::Active)
        )
    }
}

impl Fold for Ledger {
    fn apply(&mut self, line: &Line) {
        if let Line::Chained(record) = line {
            self.last_seq = record.seq;
            if let Body::Known(event) = &record.body {
                self.event(record, event);
            }
        }
    }

    fn reset(&mut self) {
        *self = Self::new(self.key.take());
    }

    /// The kinds that [`Ledger::event`] has an arm for.
    fn takes(&self, kind: &str) -> bool {
        TAKEN.contains(&kind)
    }

    fn pass(&mut self, seq: u64) {
        self.last_seq = seq;
    }
}
