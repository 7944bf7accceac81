//! A text as JSON, in ASCII.

/// Writes `text` in quotes; whatever is not printable ASCII is escaped.
pub(super) fn emit(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    // Texts that stand for themselves are frequent, and are looked at many bytes at a time.
    if text.as_bytes().iter().all(is_plain) {
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    for character in text.chars() {
        match character {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            // In range, so the cast keeps the value.
            ' '..='~' => out.push(character as u8),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
        }
    }
    out.push(b'"');
}
