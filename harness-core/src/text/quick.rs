//! The quick part of the check: most text is plainly clean, and what may not be is named.
//!
//! A text is judged by blocks, without a branch inside one, so that many bytes are judged at once.
//! A block that passes is ASCII that is drawn, with so few decorations that none is part of a run
//! which does not reach into another block, and without what a marker cannot do without. The
//! judgement errs on one side only: what it passes needs no other.

use std::ops::Range;

/// Bytes of a block.
const BLOCK: usize = 64;

/// Bytes around a doubtful part that its rules must see: five decorations with three blanks
/// between each span 17, and the first word of a marker is shorter.
pub(super) const MARGIN: usize = 20;

/// Decorations that a block may hold: five within 17 bytes lie in two blocks at most, so one of
/// the two holds three of them.
const FEW: u8 = 2;

/// A part of a text that is not plainly clean, and what has to be looked for in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    /// Where it is, in bytes; characters lie whole within or outside.
    pub(super) part: Range<usize>,
    /// What it may hold.
    pub(super) of: Suspicion,
}

/// What a part may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Suspicion {
    /// Characters that clean text may not hold, or that only the characters around them allow.
    pub(super) characters: bool,
    /// Decorative runs.
    pub(super) runs: bool,
    /// Markers.
    pub(super) markers: bool,
}

impl Suspicion {
    const fn any(self) -> bool {
        self.characters | self.runs | self.markers
    }
}

/// The parts of a text that are not plainly clean, in order. Between two of them is a block at
/// least.
pub(super) fn doubtful(text: &str) -> impl Iterator<Item = Doubt> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut of = Suspicion::default();
        while at < bytes.len() {
            of = suspect(bytes, at);
            if of.any() {
                break;
            }
            at += BLOCK;
        }
        let start = at;
        while at < bytes.len() {
            let next = suspect(bytes, at);
            if !next.any() {
                break;
            }
            of.characters |= next.characters;
            of.runs |= next.runs;
            of.markers |= next.markers;
            at += BLOCK;
        }
        let part = start..at.min(bytes.len());
        (!part.is_empty()).then_some(Doubt { part, of })
    })
}

/// The blocks from byte `from` on that may hold a marker, in order. One that starts up to
/// [`MARGIN`] bytes before such a block may lie in no other.
pub(super) fn blocks_with_markers(bytes: &[u8], from: usize) -> impl Iterator<Item = Range<usize>> {
    let starts = (from..bytes.len()).step_by(BLOCK);
    starts
        .filter(|at| suspect(bytes, *at).markers)
        .map(|at| at..(at + BLOCK).min(bytes.len()))
}

/// What the block at `at` may hold. What is missing of the last one is filled up with blanks.
fn suspect(bytes: &[u8], at: usize) -> Suspicion {
    let rest = bytes.get(at..).unwrap_or_default();
    let suspect = |part: &[u8]| -> Option<Suspicion> {
        let block = part.first_chunk()?;
        let next = part.get(1..)?.first_chunk()?;
        Some(if is_prose(block, next) {
            Suspicion::default()
        } else {
            suspect_block(block, next)
        })
    };
    let suspicion = suspect(rest).or_else(|| {
        let mut last = [b' '; BLOCK + 1];
        for (slot, byte) in last.iter_mut().zip(rest) {
            *slot = *byte;
        }
        suspect(&last)
    });
    suspicion.unwrap_or_default()
}

/// Whether a block is prose: letters, digits, blanks, commas, dots and slashes, and few other signs.
fn is_prose(block: &[u8; BLOCK], next: &[u8; BLOCK]) -> bool {
    let mut passes = true;
    let mut signs = 0u8;
    for (byte, after) in block.iter().zip(next) {
        let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
        let digit_or_dot = byte.wrapping_sub(b'.') < 12;
        let word = letter | digit_or_dot | is_line(*byte) | (*byte == b' ') | (*byte == b',');
        signs += u8::from(!word);
        passes &= is_drawn(*byte) & !tells_of_a_marker(*byte, *after);
    }
    passes & (signs <= FEW)
}

/// What a block may hold that is no prose.
fn suspect_block(block: &[u8; BLOCK], next: &[u8; BLOCK]) -> Suspicion {
    let mut drawn = true;
    let mut told = false;
    let mut decorations = 0u8;
    for (byte, after) in block.iter().zip(next) {
        drawn &= is_drawn(*byte);
        told |= tells_of_a_marker(*byte, *after);
        decorations += u8::from(may_decorate(*byte));
    }
    Suspicion {
        characters: !drawn,
        runs: !drawn | (decorations > FEW),
        markers: !drawn | told,
    }
}

/// Whether a byte is ASCII that is drawn, or a blank between.
const fn is_drawn(byte: u8) -> bool {
    (byte.wrapping_sub(b' ') < 0x5F) | is_line(byte)
}

/// Whether a byte ends a line or is a tab.
const fn is_line(byte: u8) -> bool {
    byte.wrapping_sub(b'\t') < 2
}

/// Whether two bytes tell of a marker: each built-in one holds such a pair within its first
/// [`MARGIN`] bytes, however it is spelt in ASCII. Those that are words hold `ap` or `ys`.
const fn tells_of_a_marker(byte: u8, after: u8) -> bool {
    let small = byte | 0x20;
    let small_after = after | 0x20;
    (byte == b'<')
        | (byte == b'[')
        | ((small == b's') & (after.wrapping_sub(b':') < 2))
        | ((small == b'a') & (small_after == b'p'))
        | ((small == b'y') & (small_after == b's'))
}

/// Whether a byte may be a decoration. A comma passes for one.
const fn may_decorate(byte: u8) -> bool {
    (byte == b'!')
        | (byte.wrapping_sub(b'#') < 4)
        | (byte.wrapping_sub(b'*') < 4)
        | (byte == b':')
        | (byte.wrapping_sub(b'<') < 3)
        | (byte == b'@')
        | (byte.wrapping_sub(b'^') < 2)
        | (byte == b'|')
        | (byte == b'~')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::MARKERS;
    use crate::text::fold::{fold, fold_char};
    use crate::text::runs::is_decoration;

    #[test]
    fn no_decoration_is_missed() {
        for byte in (0..0x80u8).filter(|byte| is_decoration(char::from(*byte))) {
            let block = [byte; BLOCK];
            assert!(may_decorate(byte), "{byte:?}");
            assert!(!is_prose(&block, &block), "{byte:?}");
        }
    }

    /// A marker in any spelling of ASCII holds a pair that tells of it, near its start.
    #[test]
    fn no_marker_is_missed() {
        let spellings = |wanted: char| -> Vec<u8> {
            (0..0x80u8)
                .filter(|byte| fold_char(char::from(*byte)).chars().eq([wanted]))
                .collect()
        };
        for marker in MARKERS {
            let folded: Vec<char> = fold(marker).map(|(_, ch)| ch).collect();
            let told = folded.windows(2).take(MARGIN).any(|pair| {
                let (firsts, seconds) = (spellings(pair[0]), spellings(pair[1]));
                let pairs = firsts
                    .iter()
                    .flat_map(|first| seconds.iter().map(move |second| (*first, *second)));
                pairs.clone().next().is_some()
                    && pairs
                        .clone()
                        .all(|(first, second)| tells_of_a_marker(first, second))
            });
            assert!(told, "{marker}");
        }
    }

    #[test]
    fn what_is_plain_is_passed_over() {
        let words = "The committee met on Tuesday and agreed that 14 were sound.\n".repeat(9);
        assert_eq!(doubtful(&words).count(), 0);
        assert_eq!(doubtful("").count(), 0);
        let signs = format!("{words}(see: \"a\" - b) {words}");
        assert_eq!(doubtful(&signs).count(), 0);
        let doubts =
            |odd: &str| -> Vec<Doubt> { doubtful(&format!("{words}{odd}{words}")).collect() };
        let part = 512..576;
        let of = Suspicion {
            characters: true,
            runs: true,
            markers: true,
        };
        assert_eq!(
            doubts("é"),
            [Doubt {
                part: part.clone(),
                of
            }]
        );
        let of = Suspicion {
            runs: true,
            ..Suspicion::default()
        };
        assert_eq!(
            doubts("---"),
            [Doubt {
                part: part.clone(),
                of
            }]
        );
        let of = Suspicion {
            markers: true,
            ..Suspicion::default()
        };
        assert_eq!(doubts("<"), [Doubt { part, of }]);
    }
}
