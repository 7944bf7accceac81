//! The checksum that some tokens carry.

/// Digits of the checksum, in base 62.
const DIGITS: usize = 6;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Whether the last six characters of `token`, without its prefix, are the CRC-32 of the others in
/// base 62, as GitHub and npm make them: proof of a real token, however it looks. The opposite
/// proves nothing, since a mistyped token is still nearly one.
pub(super) fn holds(token: &str) -> bool {
    let Some(at) = token.len().checked_sub(DIGITS) else {
        return false;
    };
    match (token.as_bytes().get(..at), token.as_bytes().get(at..)) {
        (Some(body), Some(digits)) if !body.is_empty() => base62(crc32(body)) == digits,
        _ => false,
    }
}

fn base62(mut value: u32) -> [u8; DIGITS] {
    let mut digits = [b'0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62.get(value as usize % 62).copied().unwrap_or(b'0');
        value /= 62;
    }
    digits
}

/// CRC-32 as in ISO 3309, bit by bit: tokens are short.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc: u32, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        let body = "a".repeat(30);
        let digits = String::from_utf8(base62(crc32(body.as_bytes())).to_vec()).unwrap();
        assert!(holds(&format!("{body}{digits}")));
        assert!(!holds(&format!("b{body}{digits}")));
        assert!(!holds("short"));
    }
}
