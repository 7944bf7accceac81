//! The long words of a text: the only places where a token can stand.

use std::ops::Range;

/// Fewest bytes of a long word. No token is shorter.
pub(super) const MIN_WORD: usize = 15;

/// Whether a byte can be part of a long word: the alphabets of tokens, and what joins their parts.
const fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~' | b':' | b'%' | b'$' | b'|' | b'!'
        )
}

static IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        #[expect(
            clippy::indexing_slicing,
            reason = "evaluated at compile time, within bounds"
        )]
        {
            table[byte as usize] = in_word(byte);
        }
        byte += 1;
    }
    table
};

fn is_in_word(byte: u8) -> bool {
    IN_WORD.get(usize::from(byte)).copied().unwrap_or_default()
}

/// The long words of `text`, in order, as byte ranges.
///
/// Looks at every fifteenth byte and back from there, so that ordinary prose costs a fraction of
/// its length (the idea of Boyer and Moore).
pub(crate) fn long_words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut start = 0;
    std::iter::from_fn(move || {
        loop {
            let window = bytes.get(start..start + MIN_WORD)?;
            match window.iter().rposition(|&byte| !is_in_word(byte)) {
                Some(gap) => start += gap + 1,
                None => {
                    let behind = bytes.get(start + MIN_WORD..).unwrap_or_default();
                    let more = behind.iter().position(|&byte| !is_in_word(byte));
                    let end = start + MIN_WORD + more.unwrap_or(behind.len());
                    let word = start..end;
                    start = end + 1;
                    return Some(word);
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::long_words;

    #[test]
    fn long_words_are_found_wherever_they_stand() {
        let long = "abcdefghijklmno-0123";
        let text = format!("{long} short {long}é{long}\nabcdefghijklmn \"{long}\"");
        let found: Vec<_> = long_words(&text).map(|word| text.get(word)).collect();
        assert_eq!(found, [Some(long); 4]);
        assert_eq!(long_words("").count(), 0);
    }
}
