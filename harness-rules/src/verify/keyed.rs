//! Keyed hashing for the second opinion: HMAC-SHA256 (RFC 2104) as one expression, and the fraction
//! of a session.

use sha2::{Digest, Sha256};

const BLOCK: usize = 64;

/// HMAC-SHA256 of `message` under a 32-byte key, which is shorter than a block.
fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let pad = |byte: u8| -> Vec<u8> {
        key.iter()
            .copied()
            .chain(std::iter::repeat(0))
            .take(BLOCK)
            .map(|key| key ^ byte)
            .collect()
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message);
    let outer = Sha256::new()
        .chain_update(pad(0x5c))
        .chain_update(inner.finalize());
    outer.finalize().into()
}

/// Whether a session is treated: the first eight bytes of its keyed hash, as a fraction, below π.
/// Compared as 64-bit integers against ⌈π · 2⁶⁴⌉, with π given in tenths.
pub(super) fn is_treated(key: &[u8; 32], session: &str, pi_tenths: u32) -> bool {
    let head = hmac(key, session.as_bytes())
        .iter()
        .take(8)
        .fold(0_u64, |value, byte| (value << 8) | u64::from(*byte));
    let bound = ((u128::from(pi_tenths) << 64).div_ceil(10)).min(u128::from(u64::MAX));
    u128::from(head) < bound
}

/// SHA-256 of a key, in hex: what was published before the first assignment.
pub(super) fn commitment(key: &[u8; 32]) -> String {
    Sha256::digest(key)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn agrees_with_a_published_vector() {
        // RFC 4231, test case 4, has a 25-byte key; padding with zeros leaves an HMAC as it is.
        let mut key = [0; 32];
        for (slot, byte) in key.iter_mut().zip(1..=25) {
            *slot = byte;
        }
        assert_eq!(
            hex(&hmac(&key, &[0xcd; 50])),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        );
    }
}
