//! HMAC-SHA256 (RFC 2104, FIPS 198-1) over the one hash this crate may use.

use sha2::{Digest, Sha256};

/// Bytes of a SHA-256 digest.
pub(super) const DIGEST_BYTES: usize = 32;
/// Bytes that SHA-256 hashes at a time.
const BLOCK_BYTES: usize = 64;
/// What the key is combined with for the inner and for the outer hash.
const INNER_PAD: u8 = 0x36;
const OUTER_PAD: u8 = 0x5c;

/// The keyed hash of the parts of a message, one after the other.
pub(super) fn hmac_sha256(key: &[u8], message: &[&[u8]]) -> [u8; DIGEST_BYTES] {
    let digest_of_key;
    let key = if key.len() > BLOCK_BYTES {
        digest_of_key = sha256(&[key]);
        digest_of_key.as_slice()
    } else {
        key
    };
    let padded = |pad: u8| {
        let mut block = [pad; BLOCK_BYTES];
        for (byte, key) in block.iter_mut().zip(key) {
            *byte ^= key;
        }
        block
    };
    let mut inner = Sha256::new_with_prefix(padded(INNER_PAD));
    for part in message {
        inner.update(part);
    }
    sha256(&[&padded(OUTER_PAD), &inner.finalize()])
}

/// The hash of the parts of a message, one after the other.
pub(super) fn sha256(message: &[&[u8]]) -> [u8; DIGEST_BYTES] {
    let mut hash = Sha256::new();
    for part in message {
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// RFC 4231, test cases 1 to 4, 6 and 7 (case 5 truncates the result).
    #[test]
    fn the_vectors_of_rfc_4231_hold() {
        let counting: Vec<u8> = (1..=25).collect();
        let vectors: [(&[u8], &[u8], &str); 6] = [
            (
                &[0x0b; 20],
                b"Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 20],
                &[0xdd; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
            (
                &counting,
                &[0xcd; 50],
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
            ),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
            (
                &[0xaa; 131],
                b"This is a test using a larger than block-size key and a larger than \
                  block-size data. The key needs to be hashed before being used by the \
                  HMAC algorithm.",
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            ),
        ];
        for (key, message, expected) in vectors {
            assert_eq!(hex(&hmac_sha256(key, &[message])), expected);
            let (head, tail) = message.split_at(message.len() / 3);
            assert_eq!(hex(&hmac_sha256(key, &[head, tail])), expected, "in parts");
        }
    }

    #[test]
    fn a_key_of_exactly_one_block_is_not_hashed() {
        let key = [0x61; BLOCK_BYTES];
        assert_ne!(hmac_sha256(&key, &[]), hmac_sha256(&sha256(&[&key]), &[]));
        let longer = [0x61; BLOCK_BYTES + 1];
        assert_eq!(
            hmac_sha256(&longer, &[]),
            hmac_sha256(&sha256(&[&longer]), &[])
        );
    }
}
