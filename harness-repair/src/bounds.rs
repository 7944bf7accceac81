//! The bounds of an attempt at an episode, and the account of what was used.

use std::time::Duration;

use harness_core::CleanText;

/// How much one attempt may use, and how its model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairBounds {
    /// From opening the episode to the last step.
    pub time: Duration,
    /// Replies of the model.
    pub model_turns: u32,
    /// Output tokens of all replies together.
    pub output_tokens: u64,
    /// Bytes of evidence (prompt data, notices, traces, rules) in all, at most
    /// [`CleanText::MAX_BYTES`]. Refusals of a call, bounded by the turns, do not count.
    pub evidence_bytes: usize,
    /// Sampling temperature; unset leaves it to the provider.
    pub temperature: Option<f64>,
    /// How much to reason, in the provider's word; unset leaves it to the provider.
    pub reasoning_effort: Option<String>,
}

impl Default for RepairBounds {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(60),
            model_turns: 6,
            output_tokens: 4096,
            evidence_bytes: CleanText::MAX_BYTES,
            temperature: None,
            reasoning_effort: None,
        }
    }
}

/// Output tokens kept back for each later turn, so that a provider which reports no usage, and
/// is charged the worst case, still gets to the end of an episode.
const RESERVED_TOKENS_A_TURN: u64 = 256;

/// Turns and output tokens of one attempt: granted before a reply, charged after it.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    turns_left: u32,
    tokens_left: u64,
    granted: u64,
    spent: u64,
    turns: u32,
    overdrawn: bool,
}

/// Which limit a reply ran into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exhausted {
    Turns,
    Tokens,
}

impl Account {
    pub(crate) const fn new(bounds: &RepairBounds) -> Self {
        Self {
            turns_left: bounds.model_turns,
            tokens_left: bounds.output_tokens,
            granted: 0,
            spent: 0,
            turns: 0,
            overdrawn: false,
        }
    }

    /// Output tokens for the next reply.
    pub(crate) fn grant(&mut self) -> Result<u64, Exhausted> {
        if self.turns_left == 0 {
            return Err(Exhausted::Turns);
        }
        if self.tokens_left == 0 {
            return Err(Exhausted::Tokens);
        }
        let later = u64::from(self.turns_left - 1) * RESERVED_TOKENS_A_TURN;
        let least = RESERVED_TOKENS_A_TURN.min(self.tokens_left);
        self.granted = self.tokens_left.saturating_sub(later).max(least);
        Ok(self.granted)
    }

    /// Charges a reply what it reported, or all that it was granted, and returns that.
    pub(crate) fn charge(&mut self, reported: Option<u64>) -> u64 {
        let used = reported.unwrap_or(self.granted);
        self.turns_left = self.turns_left.saturating_sub(1);
        self.turns += 1;
        self.spent = self.spent.saturating_add(used);
        self.overdrawn |= used > self.tokens_left;
        self.tokens_left = self.tokens_left.saturating_sub(used);
        used
    }

    /// Charges all that was granted for a reply that never arrived. It is no turn.
    pub(crate) const fn lose(&mut self) {
        self.spent = self.spent.saturating_add(self.granted);
        self.tokens_left = self.tokens_left.saturating_sub(self.granted);
    }

    /// Whether more was used than there was.
    pub(crate) const fn is_overdrawn(&self) -> bool {
        self.overdrawn
    }

    /// What the last reply was granted.
    pub(crate) const fn granted(&self) -> u64 {
        self.granted
    }

    pub(crate) const fn turns(&self) -> u32 {
        self.turns
    }

    pub(crate) const fn spent(&self) -> u64 {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn missing_usage_is_the_worst_case_and_still_leaves_every_turn_a_share() {
        let mut account = Account::new(&RepairBounds::default());
        let mut granted = Vec::new();
        while let Ok(tokens) = account.grant() {
            granted.push(tokens);
            account.charge(None);
        }
        assert_eq!(granted, [2816, 256, 256, 256, 256, 256]);
        assert_eq!((account.turns(), account.spent()), (6, 4096));
        assert_eq!(account.grant(), Err(Exhausted::Turns));
    }

    #[test]
    fn reported_usage_leaves_the_rest_to_later_turns() {
        let mut account = Account::new(&RepairBounds::default());
        account.grant().unwrap();
        account.charge(Some(96));
        assert_eq!(account.grant(), Ok(4000 - 4 * 256));
    }

    #[test]
    fn a_reply_beyond_all_that_is_left_is_refused_and_counted() {
        let mut account = Account::new(&RepairBounds::default());
        account.grant().unwrap();
        account.charge(Some(4097));
        assert!(account.is_overdrawn());
        assert_eq!(account.spent(), 4097);
        assert_eq!(account.grant(), Err(Exhausted::Tokens));
    }

    proptest! {
        #[test]
        fn grants_charged_in_full_never_exceed_the_bound(turns in 0u32..20, tokens in 0u64..10_000) {
            let bounds = RepairBounds { model_turns: turns, output_tokens: tokens, ..RepairBounds::default() };
            let mut account = Account::new(&bounds);
            let mut lost = turns % 3;
            while account.grant().is_ok() {
                if lost > 0 {
                    account.lose();
                    lost -= 1;
                } else {
                    account.charge(None);
                }
            }
            prop_assert!(account.spent() <= tokens);
            prop_assert!(account.turns() <= turns);
        }
    }
}
