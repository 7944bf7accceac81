//! The mathematics of promotion: pure functions from counts to verdicts.
//!
//! A candidate is shown to a random half of the sessions in which it would matter. After each
//! outcome an *e-process* bets on the arm given the outcome; under "the treated are not better" no
//! bettor gains on average, so a large capital is evidence and may be looked at after every session.
//!
//! - [`Pi`], [`Arm`], [`Outcome`], [`Counts`]: what a trial has seen, as twelve numbers.
//! - [`benefit`], [`harm`]: the two e-processes over [`Counts`]; [`Pairs`] those of
//!   replay.
//! - [`ByPrincipal`]: the same, without whoever could have acted on seeing the arm.
//! - [`difference`]: what all rules together change, with an interval.
//! - [`Levels`], [`decide_all`]: the thresholds and the loop that keeps both error rates.
//! - [`MasterKey`], [`ArmKey`]: which session sees a rule, checkable once the key is revealed.
//!
//! Nothing here reads a clock, a file or a source of randomness, and every result is the same bits
//! on every machine: decisions use only the operations that IEEE 754 rounds exactly.
//!
//! Sources: the forward trial is a test by betting (Shafer 2021; Ramdas et al. 2023, "Game-theoretic
//! statistics and safe anytime-valid inference"); the false discovery rate is e-LOND's (Xu and
//! Ramdas 2024, "Online multiple testing with e-values").

mod alternatives;
mod assignment;
mod counts;
mod decide;
mod e_value;
mod hmac;
mod levels;
mod pi;
mod principals;
mod process;
mod replay;
mod worth;

pub use alternatives::{ALTERNATIVES, Alternative, alternatives};
pub use assignment::{ArmKey, KEY_BYTES, MasterKey};
pub use counts::{Arm, Counts, Outcome};
pub use decide::{Decision, OpenTrial, Verdict, decide_all};
pub use e_value::EValue;
pub use levels::{LevelOutOfRange, Levels};
pub use pi::Pi;
pub use principals::ByPrincipal;
pub use process::{Direction, benefit, factor, harm};
pub use replay::{CasePairs, CaseRole, PairResult, Pairs, VETO_THRESHOLD, paired, paired_harm};
pub use worth::{Difference, Unit, difference};
