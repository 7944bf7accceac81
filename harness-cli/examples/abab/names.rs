//! Names of sessions, chosen so that their arms are the ones that the seed's dice throw.
//!
//! An arm is a keyed hash of the session's name under a key that hangs on the rule's id, which is
//! random. So that a seed decides every figure all the same, the dice say which arm a session is
//! to be in, with the probability that the workspace would have put it there, and a name is
//! looked for that lands in it. The workspace knows nothing of this.

use anyhow::{Context as _, Result};
use harness_core::{RuleId, SessionId};
use harness_rules::MasterKey;
use harness_rules::evidence::{Arm, KEY_BYTES, Pi};
use harness_store::wire::event::{TrialKind, TrialName};

use crate::seeded::Dice;

/// Sessions of a hundred that are shown no rule.
const NULL_ARM: u64 = 5;
/// Names that are tried. The rarest that is thrown, no rule shown and the rarer arm of a trial or a
/// holdout (.05 × .1), takes 200 on average: none in so many is a chance of e^-100.
const TRIES: u32 = 20_000;

/// What a rule has running: its name, and the π of its next entry.
pub(crate) type Running = (RuleId, TrialName, Pi);

/// The names of a workspace with a key that is known here.
pub(crate) struct Names {
    master: MasterKey,
    dice: Dice,
}

impl Names {
    /// Names under this key.
    pub(crate) fn new(key: [u8; KEY_BYTES], dice: Dice) -> Self {
        let master = MasterKey::new(key);
        Self { master, dice }
    }

    /// The name of a session, which may enter what is running.
    ///
    /// # Errors
    /// None was found.
    pub(crate) fn next(
        &mut self,
        leg: &str,
        number: u32,
        running: Option<&Running>,
    ) -> Result<SessionId> {
        let is_null = self.dice.chance(NULL_ARM);
        let percent = running.map_or(0.0, |(_, _, pi)| pi.probability() * 100.0);
        let arm = match self.dice.chance(percent.round() as u64) {
            true => Arm::Treated,
            false => Arm::Control,
        };
        let fits = |name: &String| {
            self.master.in_null_arm(name) == is_null
                && running.is_none_or(|(rule, trial, pi)| {
                    let opening = u64::from(trial.opening);
                    let key = match trial.kind {
                        TrialKind::Trial => self.master.trial(rule.as_str(), opening),
                        TrialKind::Holdout => self.master.holdout(rule.as_str(), opening),
                    };
                    key.arm(name, *pi) == arm
                })
        };
        let name = (0..TRIES)
            .map(|attempt| format!("{leg}-{number:04}-{attempt}"))
            .find(fits)
            .context("no name lands in the arm that was thrown")?;
        Ok(SessionId::parse(&name)?)
    }
}
