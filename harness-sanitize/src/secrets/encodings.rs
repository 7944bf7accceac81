//! The encodings in which a known secret is looked for.

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What base64 of either alphabet decodes to, as far as it is that.
pub(crate) fn from_base64(digits: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    let mut bits = 0u32;
    let mut count = 0;
    for byte in digits.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xFF).unwrap_or_default());
        }
    }
    out
}

/// Every form of `value` that is a leak of it: as it is, reversed, with `+` for its blanks, as JSON
/// writes it, in hexadecimal and base64 (both alphabets; wherever in a longer encoded text it
/// starts). Percent encoding is not among them: there the text is decoded.
pub(super) fn forms(value: &str) -> Vec<String> {
    let reversed: String = value.chars().rev().collect();
    let mut forms = vec![value.to_owned(), reversed, json(value, Escape::Needed)];
    forms.push(json(value, Escape::NonAscii));
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    forms.push(hex.to_uppercase());
    forms.push(hex);
    forms.push(value.replace(' ', "+"));
    for shift in 0..3 {
        let encoded = base64(value.as_bytes(), shift);
        forms.push(encoded.replace('+', "-").replace('/', "_"));
        forms.push(encoded);
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    Needed,
    NonAscii,
}

fn json(value: &str, escape: Escape) -> String {
    let mut out = String::new();
    for ch in value.chars() {
        match ch {
            '"' | '\\' => out.extend(['\\', ch]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if ch.is_control() || (escape == Escape::NonAscii && !ch.is_ascii()) => {
                for unit in ch.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => out.push(ch),
        }
    }
    out
}

/// The base64 digits that `bytes` alone decide when `shift` other bytes stand before them.
fn base64(bytes: &[u8], shift: usize) -> String {
    let bits = |index: usize| bytes.get(index.wrapping_sub(shift)).copied();
    let total = bytes.len() + shift;
    let mut out = String::new();
    for digit in 0..(total * 8).div_ceil(6) {
        let first = digit * 6 / 8;
        let offset = digit * 6 % 8;
        // A digit covers one byte or two; all of it must be ours.
        let needs_second = offset > 2;
        let (Some(high), second) = (bits(first), bits(first + 1)) else {
            continue;
        };
        let low = match (needs_second, second) {
            (true, None) => continue,
            (_, second) => second.unwrap_or(0),
        };
        let pair = u16::from_be_bytes([high, low]);
        let value = usize::from(pair >> (10 - offset)) & 0x3F;
        out.push(BASE64.get(value).copied().map_or('A', char::from));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_found_at_each_alignment() {
        // "xhunter2-rosebud!" in base64 after zero, one and two other bytes.
        assert_eq!(base64(b"hunter2-", 0), "aHVudGVyMi");
        assert!("eGh1bnRlcjItcg==".contains(&base64(b"hunter2-", 1)));
        assert!("eHhodW50ZXIyLXI=".contains(&base64(b"hunter2-", 2)));
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        assert_eq!(from_base64("aHVudGVyMi0="), b"hunter2-");
        assert_eq!(from_base64("_-8!zz"), [0xFF, 0xEF]);
    }

    #[test]
    fn the_other_forms_are_what_programs_write() {
        let forms = forms("p\"s w/é");
        for form in [
            "é/w s\"p",
            "p\\\"s w/é",
            "p\\\"s w/\\u00e9",
            "p\"s+w/é",
            "70227320772fc3a9",
        ] {
            assert!(
                forms.iter().any(|found| found == form),
                "{form} in {forms:?}"
            );
        }
    }
}
