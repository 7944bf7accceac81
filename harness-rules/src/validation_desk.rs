//! The desk that opens trials and carries out their verdicts. No agent holds one.
//!
//! It is handed nothing to judge by: it reads the journal itself, under the writers' lock, and
//! writes what follows.
//!
//! ```compile_fail
//! # use harness_rules::{ValidationDesk, evidence::Counts, EvaluatorIdentity};
//! fn promote_by_hand(desk: &ValidationDesk, who: &EvaluatorIdentity, counts: &Counts) {
//!     let _ = desk.decide(who, counts);
//! }
//! ```

use std::num::NonZeroU32;

use harness_core::{CleanText, Retirement, Rule, RuleId, RuleStatus};
use harness_store::wire::event::{
    Path, Quarantine, RulePromote, RuleRetire, RuleRetireEvidence, TrialKind, TrialName,
    TrialOpened,
};
use harness_store::wire::hex;
use harness_store::wire::rule::RuleDoc;
use harness_store::{Reader, ValidationLog};

use crate::book::RuleBook;
use crate::desk::{COMMIT_DEADLINE, DeskError};
use crate::evidence::{Decision, EValue, OpenTrial, Verdict, decide_all};
use crate::judge::EvaluatorIdentity;
use crate::ledger::{Ledger, RuleRecord, SUPERSEDED, Trial, Turn, arm_key, evidence_of};
use crate::projection;
use crate::replay::Cases;
use crate::settings::Settings;

/// What a look at the journal led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Rules that became active.
    pub promoted: Vec<RuleId>,
    /// Rules that were retired, and why.
    pub retired: Vec<(RuleId, Retirement)>,
    /// Rules that went back to candidate because a parent did harm.
    pub quarantined: Vec<RuleId>,
    /// Trials and holdouts that were opened.
    pub opened: Vec<(RuleId, TrialName)>,
}

impl Decided {
    /// Whether nothing came of it.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what another look led to.
    pub fn extend(&mut self, more: Self) {
        self.promoted.extend(more.promoted);
        self.retired.extend(more.retired);
        self.quarantined.extend(more.quarantined);
        self.opened.extend(more.opened);
    }
}

/// The validation desk.
pub struct ValidationDesk {
    pub(crate) book: RuleBook,
    pub(crate) reader: Reader,
    pub(crate) log: ValidationLog,
}

type Event = harness_store::ValidationEvent;

impl ValidationDesk {
    pub(crate) const fn new(book: RuleBook, reader: Reader, log: ValidationLog) -> Self {
        Self { book, reader, log }
    }

    /// Writes the files of the rules anew where they do not say what the journal says, and journals
    /// which did not. Returns those.
    ///
    /// # Errors
    /// The workspace cannot be read or written.
    pub fn restore_files(&self, reader: &Reader) -> Result<Vec<String>, DeskError> {
        let found = projection::mismatches(reader, &*self.book.ledger()?, self.book.settings())?;
        if found.is_empty() {
            return Ok(found);
        }
        let (book, reader) = (self.book.clone(), reader.clone());
        self.log.commit(COMMIT_DEADLINE, move |tx| {
            let view = book.ledger()?;
            let found = projection::mismatches(&reader, &view, book.settings())?;
            let (event, files) = projection::rebuilt(&view, book.settings(), found.clone());
            drop(view);
            tx.commit(vec![event.into()])?;
            tx.project(&files)?;
            Ok::<Vec<String>, DeskError>(found)
        })?
    }

    /// Decides everything that can be decided now, and opens what is due. Call it after outcomes
    /// were recorded and after rules were proposed; a call with nothing to do writes nothing.
    ///
    /// # Errors
    /// The journal cannot be read or written; then nothing was decided.
    pub fn decide(&self, evaluator: &EvaluatorIdentity) -> Result<Decided, DeskError> {
        let is_idle = {
            let view = self.book.ledger()?;
            plan(
                &view,
                &Cases::new(&self.reader),
                evaluator,
                self.book.settings(),
            )
            .0
            .is_empty()
        };
        if is_idle {
            return Ok(Decided::default());
        }
        let (book, reader, evaluator) = (self.book.clone(), self.reader.clone(), evaluator.clone());
        self.log.commit(COMMIT_DEADLINE, move |tx| {
            let cases = Cases::new(&reader);
            let look = |ledger: &Ledger| plan(ledger, &cases, &evaluator, book.settings());
            let (events, mut decided) = look(&*book.ledger()?);
            tx.commit(events)?;
            if !decided.promoted.is_empty() {
                // What a promoted rule supersedes goes at once, not at the next look.
                let (events, more) = look(&*book.ledger()?);
                if !events.is_empty() {
                    tx.commit(events)?;
                    decided.extend(more);
                }
            }
            let changed: Vec<RuleId> = decided
                .promoted
                .iter()
                .chain(decided.retired.iter().map(|(id, _)| id))
                .chain(&decided.quarantined)
                .cloned()
                .collect();
            projection::after_commit(tx, &*book.ledger()?, book.settings(), &changed);
            Ok::<Decided, DeskError>(decided)
        })?
    }
}

fn plan(
    ledger: &Ledger,
    cases: &Cases<'_>,
    evaluator: &EvaluatorIdentity,
    settings: &Settings,
) -> (Vec<Event>, Decided) {
    let mut events = Vec::new();
    let mut decided = Decided::default();
    if ledger.key().is_none() {
        // Without the key nobody can be assigned; verdicts need none but their own.
        return (events, decided);
    }
    // Harm first: what it quarantines was active before any promotion of this look.
    let mut settled: Vec<RuleId> = Vec::new();
    harmful_active(ledger, &mut events, &mut decided, &mut settled);
    superseded(ledger, &mut events, &mut decided, &mut settled);
    for (record, trial, decision) in decisions(ledger, settings, &settled) {
        let id = record.rule.id.clone();
        settled.push(id.clone());
        match decision.verdict {
            Verdict::Promoted => {
                events.extend(promotion(record, trial, &decision));
                open(
                    ledger,
                    record,
                    Start::afresh(TrialKind::Holdout, Path::Forward),
                    evaluator,
                    settings,
                    &mut events,
                    &mut decided,
                );
                decided.promoted.push(id);
            }
            Verdict::Harmful | Verdict::Unproven => {
                let reason = match decision.verdict {
                    Verdict::Harmful => Retirement::Harmful,
                    _ => Retirement::Unproven,
                };
                events.extend(retirement(record, trial, reason, decision.threshold));
                decided.retired.push((id, reason));
            }
        }
    }
    events.extend(ledger.filled(&settled).map(Event::from));
    let promotions = ledger
        .promotions()
        .saturating_add(u32::try_from(decided.promoted.len()).unwrap_or(u32::MAX));
    for record in ledger.live_rules() {
        if settled.contains(&record.rule.id) {
            continue;
        }
        let current = record
            .open_trial()
            .filter(|trial| is_current(trial, settings))
            .filter(|trial| !evaluator.takes_over(ledger, record, trial));
        let start = match (current, record.status) {
            (Some(trial), _) if trial.is_open_replay() && is_over(trial, settings) => {
                if trial.replay.pairs.is_vetoed() {
                    let level = trial.t.map_or(f64::NAN, |t| {
                        trial.levels.promotion_threshold(t, promotions)
                    });
                    events.extend(retirement(record, trial, Retirement::Unproven, level));
                    decided
                        .retired
                        .push((record.rule.id.clone(), Retirement::Unproven));
                    continue;
                }
                if waits_for_room(trial, promotions) {
                    continue;
                }
                Start {
                    capital: trial.replay.pairs.benefit(),
                    ..Start::afresh(TrialKind::Trial, Path::Forward)
                }
            }
            (Some(_), _) => continue,
            (None, RuleStatus::Active) => Start::afresh(TrialKind::Holdout, Path::Forward),
            (None, _) => Start::afresh(TrialKind::Trial, path_of(record, cases, settings)),
        };
        open(
            ledger,
            record,
            start,
            evaluator,
            settings,
            &mut events,
            &mut decided,
        );
    }
    // A rule quarantined just now gets its new trial at the next look, when it is a candidate.
    (events, decided)
}

/// The verdicts on candidates that follow now, in the order in which they are to be journaled.
fn decisions<'a>(
    ledger: &'a Ledger,
    settings: &Settings,
    settled: &[RuleId],
) -> Vec<(&'a RuleRecord, &'a Trial, Decision)> {
    let open: Vec<(&RuleRecord, &Trial, OpenTrial)> = ledger
        .live_rules()
        .filter(|record| record.status == RuleStatus::Candidate)
        .filter(|record| !settled.contains(&record.rule.id))
        .filter_map(|record| {
            let trial = record
                .open_trial()
                .filter(|trial| is_current(trial, settings))?;
            Some((record, trial, standing(trial)?))
        })
        .collect();
    let trials: Vec<OpenTrial> = open.iter().map(|(_, _, trial)| *trial).collect();
    let of = |t: NonZeroU32| open.iter().find(|(_, _, open)| open.t == t);
    let mut come: Vec<&Rule> = Vec::new();
    let takes_room = |t: NonZeroU32| {
        let rule = of(t)
            .map(|(record, ..)| &record.rule)
            .filter(|rule| ledger.has_room(rule, settled, &come));
        come.extend(rule);
        rule.is_some()
    };
    decide_all(&settings.levels, ledger.promotions(), &trials, takes_room)
        .into_iter()
        .filter_map(|decision| {
            let (record, trial, _) = of(decision.t)?;
            Some((*record, *trial, decision))
        })
        .collect()
}

/// Whether a replay has the evidence that promotes, and so only waits for room in its scope: no
/// session is needed to show more.
fn waits_for_room(trial: &Trial, promotions: u32) -> bool {
    standing(trial).is_some_and(|standing| {
        let level = trial.levels.promotion_threshold(standing.t, promotions);
        standing.benefit.at_least(level)
    })
}

/// Where an opening stands, if it can be decided at all: a forward trial once it has met a session,
/// a replay between its turns. A replay has no horizon; its last turn ends it.
fn standing(trial: &Trial) -> Option<OpenTrial> {
    let (benefit, harm) = evidence_of(trial)?;
    let t = trial.t?;
    if !trial.is_open_replay() {
        return Some(OpenTrial {
            t,
            benefit,
            harm,
            entered: trial.entered(),
            pending: trial.pending(),
            horizon: trial.horizon?,
        });
    }
    trial.replay.is_decidable().then(|| OpenTrial {
        t,
        // What a case vetoes is not promoted, whatever the others show.
        benefit: if trial.replay.pairs.is_vetoed() {
            EValue::ZERO
        } else {
            benefit
        },
        harm,
        entered: 0,
        pending: 0,
        horizon: u32::MAX,
    })
}

/// Active rules whose holdout shows harm, and what descends from them.
fn harmful_active(
    ledger: &Ledger,
    events: &mut Vec<Event>,
    decided: &mut Decided,
    settled: &mut Vec<RuleId>,
) {
    for record in ledger.live_rules() {
        let Some(trial) = record
            .open_trial()
            .filter(|trial| trial.name.kind == TrialKind::Holdout)
        else {
            continue;
        };
        let level = trial.levels.active_harm_threshold();
        let harms = evidence_of(trial).is_some_and(|(_, harm)| harm.at_least(level));
        let id = &record.rule.id;
        if !harms || settled.contains(id) {
            continue;
        }
        events.extend(retirement(record, trial, Retirement::Harmful, level));
        decided.retired.push((id.clone(), Retirement::Harmful));
        settled.push(id.clone());
        let descendants: Vec<RuleId> = ledger
            .live_rules()
            .filter(|other| other.status == RuleStatus::Active)
            .filter(|other| other.rule.parents.contains(id) && !settled.contains(&other.rule.id))
            .map(|other| other.rule.id.clone())
            .collect();
        if !descendants.is_empty() {
            events.push(Event::from(Quarantine {
                because: id.clone(),
                rules: descendants.clone(),
            }));
            settled.extend(descendants.iter().cloned());
            decided.quarantined.extend(descendants);
        }
    }
}

/// Live rules that an active one supersedes. That proves nothing about them: they are retired as
/// unproven, which blocks no return.
fn superseded(
    ledger: &Ledger,
    events: &mut Vec<Event>,
    decided: &mut Decided,
    settled: &mut Vec<RuleId>,
) {
    for record in ledger.live_rules() {
        let Some(by) = ledger.superseding(&record.rule.id) else {
            continue;
        };
        let id = &record.rule.id;
        if settled.contains(id) || settled.contains(&by.rule.id) {
            continue;
        }
        events.push(Event::from(RuleRetire {
            id: id.clone(),
            reason: Retirement::Unproven,
            validator: SUPERSEDED.to_owned(),
            evidence: None,
            note: CleanText::new(format!("superseded by {}", by.rule.id)).ok(),
        }));
        decided.retired.push((id.clone(), Retirement::Unproven));
        settled.push(id.clone());
    }
}

/// Whether an opening is by today's error rates and key. Its outcomes are by one evaluator, so
/// whoever looks may decide it.
fn is_current(trial: &Trial, settings: &Settings) -> bool {
    trial.levels == settings.levels && trial.counts().is_some()
}

/// Whether a replay has had its last turn, or nobody is there to run another.
fn is_over(trial: &Trial, settings: &Settings) -> bool {
    trial.replay.turn != Turn::UnderWay
        && settings
            .replay
            .is_none_or(|bounds| trial.replay.attempts >= bounds.attempts)
}

/// Replay comes first where somebody can replay and a case shares a signature with the rule.
fn path_of(record: &RuleRecord, cases: &Cases<'_>, settings: &Settings) -> Path {
    if settings.replay.is_some() && cases.failures(&record.rule).next().is_some() {
        Path::Replay
    } else {
        Path::Forward
    }
}

/// How an opening begins.
#[derive(Clone, Copy)]
struct Start {
    kind: TrialKind,
    path: Path,
    capital: EValue,
}

impl Start {
    const fn afresh(kind: TrialKind, path: Path) -> Self {
        Self {
            kind,
            path,
            capital: EValue::ONE,
        }
    }
}

fn open(
    ledger: &Ledger,
    record: &RuleRecord,
    start: Start,
    evaluator: &EvaluatorIdentity,
    settings: &Settings,
    events: &mut Vec<Event>,
    decided: &mut Decided,
) {
    let Some(master) = ledger.key() else {
        return;
    };
    let name = TrialName {
        kind: start.kind,
        opening: u32::try_from(record.trials.len()).unwrap_or(u32::MAX - 1) + 1,
    };
    let id = &record.rule.id;
    decided.opened.push((id.clone(), name));
    events.push(Event::from(TrialOpened {
        rule: id.clone(),
        trial: name,
        path: start.path,
        target: record.rule.metric.clone(),
        commitment: hex(&arm_key(master, id, name).commitment()),
        evaluator: evaluator.name.clone(),
        evaluator_version: evaluator.version.clone(),
        starting_e: start.capital.as_f64(),
        alpha: settings.levels.alpha(),
        phi: settings.levels.phi(),
    }));
}

fn promotion(record: &RuleRecord, trial: &Trial, decision: &Decision) -> Option<Event> {
    let key = trial.key()?;
    Some(Event::from(RulePromote {
        rule: RuleDoc::from_domain(&record.rule, RuleStatus::Active),
        reason: format!(
            "trial {} met {} {}, judged by {} {}; e-value {:.1} reached {:.1}",
            decision.t,
            trial.met(),
            match trial.path {
                Path::Forward => "sessions",
                Path::Replay => "pairs",
            },
            trial.evaluator.0,
            trial.evaluator.1,
            decision.evidence.as_f64(),
            decision.threshold
        ),
        validator: validator_of(trial).to_owned(),
        trial: trial.name,
        key: hex(&key.reveal()),
        t: u64::from(decision.t.get()),
        e_value: decision.evidence.as_f64(),
        threshold: decision.threshold,
        promotions: u64::from(decision.promotions),
        text_sha256: record.text_sha256.clone(),
    }))
}

fn retirement(
    record: &RuleRecord,
    trial: &Trial,
    reason: Retirement,
    threshold: f64,
) -> Option<Event> {
    let (benefit, harm) = evidence_of(trial)?;
    let key = trial.key()?;
    Some(Event::from(RuleRetire {
        id: record.rule.id.clone(),
        reason,
        validator: validator_of(trial).to_owned(),
        evidence: Some(RuleRetireEvidence {
            trial: trial.name,
            key: hex(&key.reveal()),
            t: trial.t.map(NonZeroU32::get).map(u64::from),
            e_value: benefit.as_f64(),
            e_harm: harm.as_f64(),
            threshold,
            entered: trial.met(),
        }),
        note: CleanText::new(format!(
            "judged by {} {}",
            trial.evaluator.0, trial.evaluator.1
        ))
        .ok(),
    }))
}

const fn validator_of(trial: &Trial) -> &'static str {
    match (trial.name.kind, trial.path) {
        (TrialKind::Holdout, _) => "holdout",
        (TrialKind::Trial, Path::Forward) => "forward_trial",
        (TrialKind::Trial, Path::Replay) => "replay",
    }
}
