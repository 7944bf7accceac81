//! Thirty candidates on trial at once: what share of the promoted is useless, and what share of the
//! real is found.
//!
//! Five trials start every hundred sessions; one of each five, at a random place, is real and halves
//! failures. A session has an arm of its own in every open trial, and fails with probability .4,
//! halved for every real rule that it is shown. What is promoted is shown to every later session,
//! what is refuted or unproven to none.

use std::num::NonZeroU32;

use harness_rules::evidence::{
    Arm, Decision, Direction, EValue, Levels, OpenTrial, Pi, Verdict, decide_all,
};

use crate::bets::{Bets, Factors};
use crate::random::Random;
use crate::runs::Runs;
use crate::trial::{outcome, toss};

pub(crate) const CANDIDATES: usize = 30;
const BATCH: usize = 5;
const SESSIONS_BETWEEN_BATCHES: usize = 100;
const REAL_EFFECT: f64 = 0.5;
const BASELINE: f64 = 0.4;

/// Which errors are kept.
#[derive(Clone, Copy)]
pub(crate) enum Guarantee {
    /// As the engine does: for each rule, and for the workspace.
    Workspace,
    /// For each rule alone: every trial decided as if it were the first of its workspace.
    EachRule,
}

/// What one setting came to.
pub(crate) struct Overlap {
    pub(crate) guarantee: Guarantee,
    /// Sessions that a trial may enter, for a threshold of 20.
    pub(crate) horizon: u32,
    /// The mean share of useless rules among the promoted ones (none where none was promoted).
    pub(crate) fdr: f64,
    /// The mean share of promoted rules among the real ones.
    pub(crate) power: f64,
}

/// Each guarantee with the engine's horizon and with twice that; the first is the engine itself.
pub(crate) fn overlaps(factors: &Factors, runs: Runs) -> Vec<Overlap> {
    let mut overlaps = Vec::new();
    for guarantee in [Guarantee::Workspace, Guarantee::EachRule] {
        for stretch in [1, 2] {
            overlaps.push(overlap(factors, runs, guarantee, stretch));
        }
    }
    overlaps
}

fn overlap(factors: &Factors, runs: Runs, guarantee: Guarantee, stretch: u32) -> Overlap {
    let found = runs.of("overlap", |random| {
        World::new(factors, guarantee, stretch, random).run()
    });
    let n = found.len() as f64;
    Overlap {
        guarantee,
        horizon: Levels::default().horizon(NonZeroU32::MIN, 0) * stretch,
        fdr: found.iter().map(|(fdp, _)| fdp).sum::<f64>() / n,
        power: found.iter().map(|(_, power)| power).sum::<f64>() / n,
    }
}

enum State<'a> {
    Waiting,
    Open {
        bets: Box<Bets<'a>>,
        trial: OpenTrial,
    },
    Ended(Verdict),
}

struct Candidate<'a> {
    t: NonZeroU32,
    real: bool,
    state: State<'a>,
}

struct World<'a> {
    factors: &'a Factors,
    guarantee: Guarantee,
    stretch: u32,
    levels: Levels,
    random: Random,
    candidates: Vec<Candidate<'a>>,
    promotions: u32,
}

impl<'a> World<'a> {
    fn new(factors: &'a Factors, guarantee: Guarantee, stretch: u32, mut random: Random) -> Self {
        let mut candidates = Vec::new();
        let mut t = NonZeroU32::MIN;
        for _ in 0..CANDIDATES / BATCH {
            let real = random.below(BATCH);
            for place in 0..BATCH {
                candidates.push(Candidate {
                    t,
                    real: place == real,
                    state: State::Waiting,
                });
                t = t.saturating_add(1);
            }
        }
        Self {
            factors,
            guarantee,
            stretch,
            levels: Levels::default(),
            random,
            candidates,
            promotions: 0,
        }
    }

    /// Runs until every trial has ended: the false share of the promoted, the found share of the
    /// real.
    fn run(mut self) -> (f64, f64) {
        for session in 0.. {
            if session % SESSIONS_BETWEEN_BATCHES == 0 {
                self.open(session / SESSIONS_BETWEEN_BATCHES);
            }
            self.session();
            self.decide();
            if self
                .candidates
                .iter()
                .all(|c| matches!(c.state, State::Ended(_)))
            {
                break;
            }
        }
        let promoted = |real| {
            self.candidates
                .iter()
                .filter(|c| c.real == real && matches!(c.state, State::Ended(Verdict::Promoted)))
                .count() as f64
        };
        let (found, useless) = (promoted(true), promoted(false));
        let real = self.candidates.iter().filter(|c| c.real).count() as f64;
        (useless / (found + useless).max(1.0), found / real)
    }

    /// Opens the trials of a batch, which all meet their first session now.
    fn open(&mut self, batch: usize) {
        for candidate in self.candidates.iter_mut().skip(batch * BATCH).take(BATCH) {
            let horizon = match self.guarantee {
                Guarantee::Workspace => self.levels.horizon(candidate.t, self.promotions),
                Guarantee::EachRule => self.levels.horizon(NonZeroU32::MIN, 0),
            };
            candidate.state = State::Open {
                bets: Box::new(Bets::new(self.factors)),
                trial: OpenTrial {
                    t: candidate.t,
                    benefit: EValue::ONE,
                    harm: EValue::ONE,
                    entered: 0,
                    pending: 0,
                    horizon: horizon * self.stretch,
                },
            };
        }
    }

    fn session(&mut self) {
        let mut failure = BASELINE;
        let mut arms = [Arm::Control; CANDIDATES];
        for (candidate, arm) in self.candidates.iter().zip(&mut arms) {
            *arm = match candidate.state {
                State::Open { .. } => toss(&mut self.random),
                State::Ended(Verdict::Promoted) => Arm::Treated,
                State::Waiting | State::Ended(_) => Arm::Control,
            };
            if candidate.real && *arm == Arm::Treated {
                failure *= REAL_EFFECT;
            }
        }
        let outcome = outcome(&mut self.random, failure);
        for (candidate, arm) in self.candidates.iter_mut().zip(arms) {
            if let State::Open { bets, trial } = &mut candidate.state {
                bets.record(Pi::Trial, arm, outcome);
                trial.entered += 1;
                trial.benefit = estimate(bets, Direction::Benefit);
                trial.harm = estimate(bets, Direction::Harm);
            }
        }
    }

    fn decide(&mut self) {
        let open = self.candidates.iter().filter_map(|c| match &c.state {
            State::Open { trial, .. } => Some(*trial),
            _ => None,
        });
        let decisions: Vec<Decision> = match self.guarantee {
            Guarantee::Workspace => {
                let open: Vec<OpenTrial> = open.collect();
                decide_all(&self.levels, self.promotions, &open, |_| true)
            }
            Guarantee::EachRule => open
                .flat_map(|trial| {
                    let t = NonZeroU32::MIN;
                    let own = decide_all(&self.levels, 0, &[OpenTrial { t, ..trial }], |_| true);
                    own.into_iter().map(move |decision| Decision {
                        t: trial.t,
                        ..decision
                    })
                })
                .collect(),
        };
        for decision in decisions {
            for candidate in &mut self.candidates {
                if candidate.t == decision.t {
                    candidate.state = State::Ended(decision.verdict);
                }
            }
            if decision.verdict == Verdict::Promoted {
                self.promotions += 1;
            }
        }
    }
}

/// The products stand for the exact evidence here: the difference is some parts in 10^13, and no
/// figure of this world hangs on one decision.
fn estimate(bets: &Bets<'_>, direction: Direction) -> EValue {
    EValue::new(bets.estimate(direction)).expect("products of positive factors")
}
