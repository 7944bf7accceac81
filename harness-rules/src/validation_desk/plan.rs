//! What a look at the journal leads to: the lines to be written, in their order.

use std::num::NonZeroU32;

use harness_core::{CleanText, Retirement, Rule, RuleId, RuleStatus};
use harness_store::wire::event::{Path, Quarantine, RuleRetire, TrialKind};

use super::lines::{Start, open, promotion, retirement};
use super::{Decided, Event};
use crate::evidence::{Decision, EValue, OpenTrial, Verdict, decide_all};
use crate::judge::EvaluatorIdentity;
use crate::ledger::{Ledger, RuleRecord, SUPERSEDED, Trial, Turn};
use crate::replay::Cases;
use crate::settings::Settings;

/// Lines after which nothing more is opened in one look; far below what a commit holds.
pub(super) const MAX_EVENTS: usize = 1024;

/// What follows from the journal as it is, and what that leads to.
pub(super) fn plan(
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
        if events.len() >= MAX_EVENTS {
            break;
        }
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
    let (benefit, harm) = (trial.benefit()?, trial.harm()?);
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
        let harms = trial.harm().is_some_and(|harm| harm.at_least(level));
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
    for (record, by) in ledger.superseded() {
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
    trial.levels == settings.levels && trial.has_key()
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
