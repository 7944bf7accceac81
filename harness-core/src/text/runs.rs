//! Decorative runs: the rules and banners with which a text could imitate a frame of ours.
//!
//! Five or more decorations in a row, on one line, are a run. A *ruling* character (hyphen,
//! equals sign, asterisk, box drawing …) counts in any mixture and with up to [`MAX_GAP`] blanks
//! between; a *repeated* one (exclamation mark, vertical bar …) only next to its equal, since
//! mixtures of those are code and tables. What data is made of is never decoration: letters,
//! digits, brackets, quotes, commas, dots and slashes.

use super::fold::{Folded, fold_char};

/// Fewest decorations that make a run.
pub const RUN: usize = 5;

/// Decorations that the sanitiser leaves of a run.
pub const KEPT: usize = 3;

/// Most blanks between two ruling characters of one run.
pub const MAX_GAP: usize = 3;

/// A decorative run, as byte offsets into its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecorativeRun {
    /// Where its first decoration starts.
    pub start: usize,
    /// Where its first [`KEPT`] decorations end.
    pub kept: usize,
    /// Where its last decoration ends, marks on it included.
    pub end: usize,
}

/// The decorative runs of a text, in order, each as long as it can be.
pub fn runs(text: &str) -> impl Iterator<Item = DecorativeRun> {
    let mut at = 0;
    let mut open: Option<Open> = None;
    std::iter::from_fn(move || {
        loop {
            if open.is_none() {
                at = next_start(text.as_bytes(), at)?;
            }
            let Some(ch) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                return open.take().and_then(Open::close);
            };
            let end = at + ch.len_utf8();
            let closed = step(&mut open, at, end, ch);
            at = end;
            if closed.is_some() {
                return closed;
            }
        }
    })
}

/// Where, from byte `at` on, a run may start: before a stretch of decorations, blanks and
/// characters that are not ASCII, with enough of them for a run.
fn next_start(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += bytes
            .get(at..)?
            .windows(2)
            .position(|pair| matches!(pair, [first, second] if may_lead(*first, *second)))?;
        let mut decorations = 0;
        let mut gap = 0;
        let mut end = at;
        for &byte in bytes.get(at..)? {
            if may_decorate(byte) || byte >= FIRST_OF_OTHERS {
                decorations += 1;
                gap = 0;
            } else if matches!(byte, b' ' | b'\t') && gap < MAX_GAP {
                gap += 1;
            } else if byte.is_ascii() {
                break;
            }
            end += 1;
            if decorations >= RUN {
                return Some(at);
            }
        }
        // What stopped it may lead itself only if it decorates, and then it would not have.
        at = end;
    }
}

/// The least byte that a character outside ASCII starts with.
const FIRST_OF_OTHERS: u8 = 0xC0;

/// Whether a decoration may start with this byte.
const fn may_decorate(byte: u8) -> bool {
    of_pair(&PAIRS.0, byte) != 0
}

/// Whether a run may start with the first of two bytes, as far as the second tells: a ruling
/// character goes on with another or a blank, a repeated one with its equal; what is not ASCII may
/// stand on either. Of a decoration that is not ASCII they are the first two bytes.
const fn may_lead(first: u8, second: u8) -> bool {
    of_pair(&PAIRS.0, first) & of_pair(&PAIRS.1, second) != 0
}

const fn of_pair(table: &[u16; 256], byte: u8) -> u16 {
    #[expect(
        clippy::indexing_slicing,
        reason = "the table has an entry for every byte"
    )]
    table[byte as usize]
}

/// For the first and the second of two bytes the ways, as bits, in which a run may start with them.
static PAIRS: ([u16; 256], [u16; 256]) = {
    const RULING: u16 = 1;
    /// What stands behind one of these as the second byte of a decoration.
    const OTHERS: [(u8, u16); 4] = [(0xC2, 2), (0xE2, 4), (0xE3, 8), (0xEF, 16)];
    /// The first of those of the repeated characters.
    const REPEATED: u16 = 32;
    let (mut first, mut second) = ([0; 256], [0; 256]);
    let mut repeated = REPEATED;
    let mut all = 0;
    let mut byte = 0;
    #[expect(
        clippy::indexing_slicing,
        reason = "evaluated at compile time, within bounds"
    )]
    while byte < 0x80 {
        match ascii_decoration(byte as u8 as char) {
            Some(Decoration::Ruling) => {
                (first[byte], second[byte]) = (RULING, RULING);
                all |= RULING;
            }
            Some(Decoration::Repeated(_)) => {
                (first[byte], second[byte]) = (repeated, repeated);
                all |= repeated;
                repeated <<= 1;
            }
            None if matches!(byte as u8, b' ' | b'\t') => second[byte] = RULING,
            None => {}
        }
        byte += 1;
    }
    #[expect(
        clippy::indexing_slicing,
        reason = "evaluated at compile time, within bounds"
    )]
    while byte < 256 {
        if byte >= FIRST_OF_OTHERS as usize {
            second[byte] = all;
        }
        let mut other = 0;
        while other < OTHERS.len() {
            let (lead, bit) = OTHERS[other];
            if byte == lead as usize {
                first[byte] = bit;
            }
            if leads_to_a_decoration(lead, byte as u8) {
                second[byte] |= bit;
            }
            other += 1;
        }
        byte += 1;
    }
    (first, second)
};

/// Whether the first two bytes of a character that is not ASCII may be those of a decoration.
const fn leads_to_a_decoration(first: u8, second: u8) -> bool {
    match first {
        0xC2 => matches!(second, 0xAF | 0xB7),
        0xE2 => matches!(
            second,
            0x80 | 0x81 | 0x88 | 0x89 | 0x8B | 0x8E | 0x8F | 0x94
                ..=0x98 | 0x9C | 0x9D | 0xAC | 0xB8
        ),
        0xE3 => second == 0x80,
        0xEF => matches!(second, 0xBC..=0xBF),
        _ => false,
    }
}

/// Whether `ch` can be part of a decorative run.
pub fn is_decoration(ch: char) -> bool {
    decoration(ch).is_some()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decoration {
    /// Counts in any mixture.
    Ruling,
    /// Counts next to its equal.
    Repeated(char),
}

#[inline]
fn decoration(ch: char) -> Option<Decoration> {
    match ch {
        _ if ch.is_ascii() => ascii_decoration(ch),
        _ if !is_drawn_rule(ch) => None,
        // One that looks like a letter (the vertical line of a box) divides columns, as `|` does.
        _ if fold_char(ch).chars().any(char::is_alphanumeric) => Some(Decoration::Repeated(ch)),
        _ => Some(Decoration::Ruling),
    }
}

const fn ascii_decoration(ch: char) -> Option<Decoration> {
    match ch {
        '#' | '*' | '+' | '-' | '=' | '^' | '_' | '~' => Some(Decoration::Ruling),
        '!' | '$' | '%' | '&' | ':' | '<' | '>' | '@' | '|' => Some(Decoration::Repeated(ch)),
        _ => None,
    }
}

const fn is_drawn_rule(ch: char) -> bool {
    match ch {
        // Macron and middle dot, dashes, bullets, overlines, operators that repeat.
        '\u{AF}' | '\u{B7}' | '\u{2010}'..='\u{2017}' | '\u{2022}' | '\u{2023}' | '\u{203E}'
        | '\u{203F}' | '\u{2043}' | '\u{2212}' | '\u{2217}' | '\u{2219}' | '\u{2248}' | '\u{2261}'
        | '\u{22C5}' | '\u{22EF}' | '\u{2E3A}' | '\u{2E3B}' | '\u{3013}' | '\u{301C}' | '\u{3030}'
        // Lines of a scan, boxes, blocks, geometric shapes; stars and asterisks.
        | '\u{23AF}' | '\u{23BA}'..='\u{23BD}' | '\u{2500}'..='\u{25FF}' | '\u{2605}' | '\u{2606}'
        | '\u{2722}'..='\u{274B}' | '\u{2B1B}' | '\u{2B1C}'
        // The full-width twins of the ASCII ones.
        | '\u{FF03}' | '\u{FF0A}' | '\u{FF0B}' | '\u{FF0D}' | '\u{FF1D}' | '\u{FF3E}' | '\u{FF3F}'
        | '\u{FF5E}' | '\u{FFE3}' => true,
        _ => false,
    }
}

#[derive(Clone, Copy, Debug)]
struct Open {
    kind: Decoration,
    run: DecorativeRun,
    count: usize,
    gap: usize,
}

impl Open {
    const fn extend(&mut self, end: usize) {
        self.run.end = end;
        if self.count <= KEPT {
            self.run.kept = end;
        }
    }

    const fn close(self) -> Option<DecorativeRun> {
        if self.count >= RUN {
            Some(self.run)
        } else {
            None
        }
    }
}

/// Takes the character at `at..end`; returns the run that it ends.
#[inline]
fn step(open: &mut Option<Open>, at: usize, end: usize, ch: char) -> Option<DecorativeRun> {
    let Some(kind) = decoration(ch) else {
        return match open {
            // A mark or joiner stands on the decoration before it, and divides no run.
            Some(run) if !ch.is_ascii() && fold_char(ch) == Folded::Nothing => {
                if run.gap == 0 {
                    run.extend(end);
                }
                None
            }
            Some(run) if is_blank(ch) && run.kind == Decoration::Ruling && run.gap < MAX_GAP => {
                run.gap += 1;
                None
            }
            _ => open.take().and_then(Open::close),
        };
    };
    match open {
        Some(run) if run.kind == kind => {
            run.count += 1;
            run.gap = 0;
            run.extend(end);
            None
        }
        _ => open
            .replace(Open {
                kind,
                run: DecorativeRun {
                    start: at,
                    kept: end,
                    end,
                },
                count: 1,
                gap: 0,
            })
            .and_then(Open::close),
    }
}

fn is_blank(ch: char) -> bool {
    ch.is_whitespace() && ch != '\n'
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "tests may panic")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> Vec<(&str, &str)> {
        runs(text)
            .map(|run| (&text[run.start..run.kept], &text[run.kept..run.end]))
            .collect()
    }

    #[test]
    fn a_run_is_as_long_as_it_can_be() {
        assert_eq!(parts("a ===== b"), [("===", "==")]);
        assert_eq!(parts("= = = = = x"), [("= = =", " = =")]);
        assert_eq!(parts("=====!!!!!"), [("===", "=="), ("!!!", "!!")]);
        assert_eq!(
            parts("-=-=-  -=- a -----"),
            [("-=-", "=-  -=-"), ("---", "--")]
        );
        assert_eq!(
            parts("=\u{332}=\u{332}=\u{332}=\u{332}=\u{332}"),
            [("=\u{332}=\u{332}=\u{332}", "=\u{332}=\u{332}")]
        );
        assert_eq!(parts("====    ===="), []);
        assert_eq!(parts("│ │ │ │ │ │"), []);
        assert_eq!(parts("│││││"), [("│││", "││")]);
    }

    /// The runs of a text, one character after the other.
    fn step_by_step(text: &str) -> Vec<DecorativeRun> {
        let mut open = None;
        let stepped: Vec<Option<DecorativeRun>> = text
            .char_indices()
            .map(|(at, ch)| step(&mut open, at, at + ch.len_utf8(), ch))
            .collect();
        let last = open.and_then(Open::close);
        stepped.into_iter().chain([last]).flatten().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn what_is_passed_over_starts_no_run(
            parts in proptest::collection::vec(
                prop_oneof![
                    4 => "[-=!|: ]{1,6}",
                    1 => "[a-z<>_#\t\n]{1,3}",
                    1 => proptest::sample::select(vec![
                        "=====", "- - - - -", "!!!!!", "·", "─", "│", "＝", "\u{332}", "\u{200D}", "\u{FE0F}", "é", "\u{A0}", "§",
                    ]).prop_map(str::to_owned),
                ],
                0..14,
            ),
        ) {
            let text = parts.concat();
            prop_assert_eq!(runs(&text).collect::<Vec<_>>(), step_by_step(&text));
        }
    }

    #[test]
    fn what_a_decoration_starts_with_is_known() {
        for ch in ('\0'..=char::MAX).filter(|&ch| is_decoration(ch)) {
            let mut buffer = [0; 4];
            let bytes = ch.encode_utf8(&mut buffer).as_bytes();
            assert!(
                may_decorate(bytes[0])
                    && bytes
                        .get(1)
                        .is_none_or(|second| may_lead(bytes[0], *second)),
                "{ch:?}"
            );
        }
    }

    /// The sanitiser breaks a marker between two letters, with a character that can be part of a
    /// run: it must not find itself next to another.
    #[test]
    fn no_ruling_character_looks_like_a_letter() {
        for ch in ('\0'..='\u{1FFFF}').filter(|&ch| decoration(ch) == Some(Decoration::Ruling)) {
            assert!(!fold_char(ch).chars().any(char::is_alphanumeric), "{ch:?}");
        }
    }
}
