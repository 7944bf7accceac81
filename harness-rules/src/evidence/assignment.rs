//! Which session sees a rule: a keyed hash of the session's id, and nothing else.
//!
//! The hash of a rule's key is journaled when its trial opens and the key itself with the verdict, so
//! that nobody could choose arms after the fact and anyone can check every one of them.

use std::fmt;

use super::counts::Arm;
use super::hmac::{DIGEST_BYTES, hmac_sha256, sha256};
use super::pi::Pi;

/// Bytes of every key here.
pub const KEY_BYTES: usize = DIGEST_BYTES;

/// ⌈.05 · 2⁶⁴⌉: the least fraction that is outside the null arm.
const NULL_ARM_BOUND: u64 = 922_337_203_685_477_581;

/// What all keys of a workspace are derived from. It never leaves the operator's configuration: no
/// method gives its bytes back.
#[derive(Clone)]
pub struct MasterKey([u8; KEY_BYTES]);

impl MasterKey {
    /// The key with these bytes, which must come from a source of cryptographic randomness.
    pub fn new(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }

    /// The key of a rule's forward trial. `opening` says how often this rule was opened, this time
    /// included; a number used once is never used again, as its key may have been revealed.
    pub fn trial(&self, rule: &str, opening: u64) -> ArmKey {
        self.derive(rule, "trial", opening)
    }

    /// The key of an active rule's holdout; `opening` as for [`MasterKey::trial`].
    pub fn holdout(&self, rule: &str, opening: u64) -> ArmKey {
        self.derive(rule, "holdout", opening)
    }

    /// Whether `session` is one of the 5 % that are shown no rule at all.
    pub fn in_null_arm(&self, session: &str) -> bool {
        let key = ArmKey(hmac_sha256(&self.0, &[b"null"]));
        key.fraction(session) < NULL_ARM_BOUND
    }

    /// HMAC(master key, rule ‖ 0 ‖ kind ‖ 0 ‖ opening in decimal). Ids hold no zero byte, so no two
    /// messages are alike.
    fn derive(&self, rule: &str, kind: &str, opening: u64) -> ArmKey {
        let opening = opening.to_string();
        let message = [rule, "\0", kind, "\0", &opening].map(str::as_bytes);
        ArmKey(hmac_sha256(&self.0, &message))
    }
}

/// The key that assigns arms in one trial or holdout of one rule.
#[derive(Clone, PartialEq, Eq)]
pub struct ArmKey([u8; KEY_BYTES]);

impl ArmKey {
    /// A key that a verdict has revealed, for checking its assignments.
    pub fn revealed(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }

    /// Gives the key away, for the verdict that ends its use.
    pub fn reveal(self) -> [u8; KEY_BYTES] {
        self.0
    }

    /// SHA-256 of the key, which is published before any session is assigned by it.
    pub fn commitment(&self) -> [u8; DIGEST_BYTES] {
        sha256(&[&self.0])
    }

    /// The arm of a session: treated iff its fraction is below π, compared in integers.
    pub fn arm(&self, session: &str, pi: Pi) -> Arm {
        if self.fraction(session) < pi.bound() {
            Arm::Treated
        } else {
            Arm::Control
        }
    }

    /// The first eight bytes of HMAC(key, session), big-endian: a fraction of 2⁶⁴.
    fn fraction(&self, session: &str) -> u64 {
        let digest = hmac_sha256(&self.0, &[session.as_bytes()]);
        digest
            .first_chunk()
            .map_or(u64::MAX, |bytes| u64::from_be_bytes(*bytes))
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(hidden)")
    }
}

impl fmt::Debug for ArmKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ArmKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "r-0123456789";

    fn master() -> MasterKey {
        MasterKey::new(std::array::from_fn(|at| at as u8))
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn treated(key: &ArmKey, pi: Pi) -> Vec<usize> {
        (0..12)
            .filter(|n| key.arm(&format!("s-{n}"), pi) == Arm::Treated)
            .collect()
    }

    /// Computed with another implementation of HMAC.
    #[test]
    fn keys_and_arms_are_those_of_an_independent_computation() {
        let key = master().trial(RULE, 1);
        assert_eq!(
            hex(&key.commitment()),
            "e0a35c43f275bec439da82d19367f7905ee5ef7eb0459ae0bb5b50ada41c4b60"
        );
        assert_eq!(treated(&key, Pi::Ramp), [3, 7, 11]);
        assert_eq!(treated(&key, Pi::Trial), [2, 3, 7, 8, 11]);
        assert_eq!(treated(&key, Pi::Holdout), [0, 1, 2, 3, 4, 6, 7, 8, 10, 11]);
        assert_eq!(
            hex(&key.reveal()),
            "bd3aa186f5e0102f7dc84b686439554865b69c5d25ae4423fb879667aa188a97"
        );
        assert_eq!(
            hex(&master().holdout(RULE, 12).reveal()),
            "6d3c48b2ac525b162689c14475d1d288377cdbe5022a5cf32afbaf19eabbbf9a"
        );
        let null: Vec<usize> = (0..100)
            .filter(|n| master().in_null_arm(&format!("s-{n}")))
            .collect();
        assert_eq!(null, [4, 9, 10, 78, 85]);
    }

    #[test]
    fn a_revealed_key_assigns_as_it_did() {
        let key = master().trial(RULE, 3);
        let revealed = ArmKey::revealed(key.clone().reveal());
        assert_eq!(revealed.commitment(), key.commitment());
        assert_eq!(treated(&revealed, Pi::Trial), treated(&key, Pi::Trial));
    }

    #[test]
    fn every_opening_and_kind_and_rule_has_its_own_key() {
        let keys = [
            master().trial(RULE, 1),
            master().trial(RULE, 11),
            master().holdout(RULE, 1),
            master().trial("r-012345678", 1),
            MasterKey::new([0; KEY_BYTES]).trial(RULE, 1),
        ];
        for (at, key) in keys.iter().enumerate() {
            for other in keys.iter().skip(at + 1) {
                assert!(key != other);
            }
        }
        assert!(keys[0] == master().trial(RULE, 1));
    }

    #[test]
    fn the_arms_have_their_shares_and_are_independent_between_rules() {
        const SESSIONS: usize = 20_000;
        let (one, two) = (master().trial(RULE, 1), master().trial("r-9876543210", 1));
        let share = |of: &dyn Fn(&str) -> bool| {
            let hits = (0..SESSIONS)
                .filter(|n| of(&format!("session {n}")))
                .count();
            hits as f64 / SESSIONS as f64
        };
        for pi in Pi::ALL {
            let found = share(&|id| one.arm(id, pi) == Arm::Treated);
            assert!((found - pi.probability()).abs() < 0.015, "{pi:?} {found}");
        }
        let both = share(&|id| [&one, &two].map(|key| key.arm(id, Pi::Trial)) == [Arm::Treated; 2]);
        assert!((both - 0.25).abs() < 0.015, "{both}");
        let null = share(&|id| master().in_null_arm(id));
        assert!((null - 0.05).abs() < 0.015, "{null}");
    }

    #[test]
    fn the_null_arm_is_a_twentieth_exactly() {
        assert_eq!(u128::from(NULL_ARM_BOUND), (1_u128 << 64).div_ceil(20));
    }

    #[test]
    fn debug_shows_no_key() {
        assert_eq!(format!("{:?}", master()), "MasterKey(hidden)");
        assert_eq!(format!("{:?}", master().trial(RULE, 1)), "ArmKey(hidden)");
    }
}
