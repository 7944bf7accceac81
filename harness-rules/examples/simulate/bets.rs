//! A trial's evidence, session by session.
//!
//! The engine computes evidence from counts whenever it needs it; a simulation of a hundred million
//! sessions cannot. So the products of the same factors are carried along, and *screen*: only where
//! they come near a level is the evidence computed as the engine does, and only that decides.

use harness_rules::evidence::{
    ALTERNATIVES, Arm, Counts, Direction, EValue, Outcome, Pi, alternatives, benefit, factor, harm,
};

/// How near to a level the products must come before the exact evidence is asked.
const SCREEN: f64 = 1.0 - 1e-9;

/// Capital so small that it never comes back; dropping it keeps the arithmetic fast.
const LOST: f64 = 1e-200;

/// Every factor there is, by direction, π, arm and outcome.
pub(crate) struct Factors([[[[[f64; ALTERNATIVES]; 2]; 2]; 3]; 2]);

impl Factors {
    pub(crate) fn new() -> Self {
        Self([Direction::Benefit, Direction::Harm].map(|direction| {
            Pi::ALL.map(|pi| {
                Arm::ALL.map(|arm| {
                    Outcome::ALL.map(|outcome| {
                        let mut factors = [0.0; ALTERNATIVES];
                        for (own, alternative) in factors.iter_mut().zip(alternatives()) {
                            *own = factor(direction, alternative, pi, arm, outcome);
                        }
                        factors
                    })
                })
            })
        }))
    }
}

/// One trial's evidence so far.
#[derive(Clone)]
pub(crate) struct Bets<'a> {
    factors: &'a Factors,
    counts: Counts,
    capital: [[f64; ALTERNATIVES]; 2],
}

impl<'a> Bets<'a> {
    pub(crate) fn new(factors: &'a Factors) -> Self {
        Self {
            factors,
            counts: Counts::default(),
            capital: [[1.0; ALTERNATIVES]; 2],
        }
    }

    pub(crate) fn record(&mut self, pi: Pi, arm: Arm, outcome: Outcome) {
        self.counts.record(pi, arm, outcome);
        for (capital, factors) in self.capital.iter_mut().zip(&self.factors.0) {
            let factors = &factors[pi as usize][arm as usize][outcome as usize];
            for (capital, factor) in capital.iter_mut().zip(factors) {
                let next = *capital * factor;
                *capital = if next < LOST { 0.0 } else { next };
            }
        }
    }

    /// The evidence as the products have it, to a few parts in 10^13.
    pub(crate) fn estimate(&self, direction: Direction) -> f64 {
        let capital = &self.capital[direction as usize];
        capital.iter().sum::<f64>() / ALTERNATIVES as f64
    }

    /// The evidence as the engine has it.
    pub(crate) fn exact(&self, direction: Direction) -> EValue {
        match direction {
            Direction::Benefit => benefit(&self.counts),
            Direction::Harm => harm(&self.counts),
        }
    }

    /// Whether the evidence may have reached `level`; never false if it has.
    pub(crate) fn near(&self, direction: Direction, level: f64) -> bool {
        self.estimate(direction) >= level * SCREEN
    }
}
