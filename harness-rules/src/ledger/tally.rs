//! The counts of an opening by arm, with the evidence that they are.

use std::sync::OnceLock;

use harness_core::{Principal, SessionId};

use crate::evidence::{ArmKey, ByPrincipal, EValue, Outcome, Pi};

/// Counts by arm, as the key assigns it. Their evidence is computed when it is first asked for, and
/// again only after a change, so that a look at all openings costs what has changed.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    key: ArmKey,
    counts: ByPrincipal<Option<Principal>>,
    // INVARIANT: what `counts` comes to as they are, or nothing.
    benefit: OnceLock<EValue>,
    harm: OnceLock<EValue>,
}

impl Tally {
    pub(super) fn new(key: ArmKey) -> Self {
        Self {
            key,
            counts: ByPrincipal::default(),
            benefit: OnceLock::new(),
            harm: OnceLock::new(),
        }
    }

    pub(super) const fn key(&self) -> &ArmKey {
        &self.key
    }

    /// Takes note of a session that entered. It has no outcome, so it shows no harm.
    pub(super) fn meet(&mut self, principal: Option<Principal>) {
        self.counts.meet(principal);
        self.benefit = OnceLock::new();
    }

    /// Counts a session.
    pub(super) fn count(
        &mut self,
        session: &SessionId,
        principal: Option<Principal>,
        pi: Pi,
        outcome: Outcome,
    ) {
        let arm = self.key.arm(session.as_str(), pi);
        self.counts.record(principal, pi, arm, outcome);
        self.benefit = OnceLock::new();
        self.harm = OnceLock::new();
    }

    pub(super) fn benefit(&self, capital: EValue) -> EValue {
        capital
            * *self
                .benefit
                .get_or_init(|| self.counts.benefit(EValue::ONE))
    }

    pub(super) fn harm(&self) -> EValue {
        *self.harm.get_or_init(|| self.counts.harm())
    }
}
