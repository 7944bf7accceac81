//! Derives a verdict again from the journal alone.
//!
//! This is a second opinion: it shares the wire types with the rest of the workspace and nothing
//! else, not even the mathematics (see `betting`), so that one mistake cannot be in both. It needs
//! no key but the one a verdict reveals.

mod betting;
mod keyed;
mod paired;
mod replayed;

use std::collections::BTreeMap;
use std::fmt;

use harness_core::RuleId;
use harness_store::wire::Line;

use replayed::Replayed;

/// What a journal says about one rule's verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// The rule.
    pub rule: RuleId,
    /// Where the rule stands by this derivation: `candidate`, `active` or `retired`; `refused` if no
    /// proposal of it is believed.
    pub status: &'static str,
    /// Each verdict of the rule, in order.
    pub verdicts: Vec<VerdictCheck>,
    /// What is wrong apart from verdicts: a changed text, a bad opening, entry or outcome.
    pub faults: Vec<Fault>,
}

impl Verification {
    /// Whether everything follows.
    pub fn follows(&self) -> bool {
        self.faults.is_empty() && self.verdicts.iter().all(|verdict| verdict.fault.is_none())
    }
}

/// One verdict with the numbers derived for it.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictCheck {
    /// The journal's number of the verdict.
    pub seq: u64,
    /// `promoted`, `harmful`, `unproven` or `operator`.
    pub verdict: &'static str,
    /// The numbers, where evidence decided.
    pub numbers: Option<Numbers>,
    /// Why it does not follow, if it does not.
    pub fault: Option<Fault>,
}

/// What a replay showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairNumbers {
    /// Pairs of failures that the rule won.
    pub wins: u64,
    /// Pairs of failures that it lost.
    pub losses: u64,
    /// Pairs that count, ties and protected wins among them.
    pub counted: u64,
    /// Pairs that count for nothing.
    pub void: u64,
    /// The greatest evidence of harm in any one case.
    pub e_veto: f64,
    /// Whether a case stops the rule.
    pub vetoed: bool,
}

/// What a verdict rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// The replay that decided, or that the trial went on from.
    pub replay: Option<PairNumbers>,
    /// The evidence that the trial started with.
    pub capital: f64,
    /// Sessions that entered, or pairs that count where a replay decided.
    pub entered: u64,
    /// Treated sessions that failed, and that did not.
    pub treated: (u64, u64),
    /// Control sessions that failed, and that did not.
    pub control: (u64, u64),
    /// Principals whose sessions entered.
    pub principals: usize,
    /// The e-value that decides, after leaving out any one principal.
    pub e_value: f64,
    /// The e-value for harm.
    pub e_harm: f64,
    /// What it had to reach.
    pub threshold: f64,
    /// The trial's number; `None` for a holdout.
    pub t: Option<u64>,
    /// Promotions that followed before this verdict.
    pub promotions: u64,
}

/// Something that does not follow, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The journal's number of the line.
    pub seq: u64,
    /// What is wrong.
    pub what: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {}: {}", self.seq, self.what)
    }
}

/// Derives the verdicts of `rule` from the lines of a journal, given in order from the first.
/// `None` if no line proposes such a rule.
pub fn verify(rule: &RuleId, lines: impl Iterator<Item = Line>) -> Option<Verification> {
    verify_all(lines).remove(rule)
}

/// The same of every rule that the journal proposes, in one reading of it.
pub fn verify_all(lines: impl Iterator<Item = Line>) -> BTreeMap<RuleId, Verification> {
    let mut replayed = Replayed::default();
    for line in lines {
        replayed.line(&line);
    }
    replayed.into_verifications()
}
