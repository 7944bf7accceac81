//! The quick part of the check: most text is plainly clean, and what may not be is named.
//!
//! A text is judged by blocks, without a branch inside one, so that many bytes are judged at once.
//! A block that is plain needs no other judgement: it is drawn ASCII without what a marker cannot
//! do without, and where a run reached into it, another block would be doubtful on its account. A
//! block that is not plain is looked at again, for each of the three on its own. Both judgements
//! err on one side only.

use std::ops::Range;

/// Bytes of a block.
const BLOCK: usize = 64;

/// Bytes that are judged at once.
const LANES: usize = 16;

/// Bytes behind a block that its judgement sees.
const BEHIND: usize = 4;

/// Bytes around a doubtful part that its rules must see: five decorations with three blanks
/// between each span [`SPAN`], and the first word of a marker is shorter.
pub(super) const MARGIN: usize = 20;

/// Most bytes of five decorations with blanks between.
const SPAN: usize = 17;

/// Decorations that may stand in a block and around it. One more is a run, perhaps.
const FEW: u8 = 4;

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
    const ALL: Self = Self {
        characters: true,
        runs: true,
        markers: true,
    };

    const fn any(self) -> bool {
        self.characters | self.runs | self.markers
    }
}

/// Blocks in a row that may hold something. After [`EACH`] of them the next mostly may, too: then
/// only each [`EACH`]th is looked at, and the others pass for such.
#[derive(Default)]
struct Row(usize);

/// See [`Row`].
const EACH: usize = 4;

impl Row {
    /// Whether the next block may hold something, by `look` if need be.
    fn next(&mut self, look: impl FnOnce() -> bool) -> bool {
        let unseen = self.0 > EACH && !self.0.is_multiple_of(EACH);
        let may = unseen || look();
        self.0 = if may { self.0 + 1 } else { 0 };
        may
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
            at = past_plain(bytes, at);
            of = suspect(bytes, at);
            if of.any() {
                break;
            }
            at += BLOCK;
        }
        let start = at;
        let mut row = Row::default();
        while at < bytes.len() {
            let may = if of == Suspicion::ALL {
                row.next(|| suspect(bytes, at).any())
            } else {
                let next = suspect(bytes, at);
                of.characters |= next.characters;
                of.runs |= next.runs;
                of.markers |= next.markers;
                next.any()
            };
            if !may {
                break;
            }
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
    let mut row = Row::default();
    starts
        .filter(move |at| row.next(|| suspect(bytes, *at).markers))
        .map(|at| at..(at + BLOCK).min(bytes.len()))
}

/// Where, from the block at `at` on, the first one starts that is not plain or not whole.
fn past_plain(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk)
        && is_plain(block)
    {
        at += BLOCK;
    }
    at
}

/// What the block at `at` may hold. What is missing of the last one is filled up with letters.
fn suspect(bytes: &[u8], at: usize) -> Suspicion {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(block) if is_plain(block) => Suspicion::default(),
        Some(block) => suspect_block(block, bytes, at),
        None => {
            let mut last = [b'e'; BLOCK + BEHIND];
            for (slot, byte) in last.iter_mut().zip(rest) {
                *slot = *byte;
            }
            if is_plain(&last) {
                Suspicion::default()
            } else {
                suspect_block(&last, bytes, at)
            }
        }
    }
}

/// Whether a block is plain: drawn ASCII, without `^ _ | ~` and brackets, and none of the rows of
/// bytes starts in it that tell of a run or a marker. A run has a tab or one of those signs in it, or
/// its first five bytes are low: blanks and the signs before the letters.
///
/// Each rule is the greatest or the least of some bits, the cheapest one that holds for every byte.
#[expect(
    clippy::indexing_slicing,
    reason = "no index reaches the length of its array"
)]
fn is_plain(block: &[u8; BLOCK + BEHIND]) -> bool {
    let mut control = [0u8; LANES];
    let mut sign = [0u8; LANES];
    let mut least = [u8::MAX; LANES];
    let mut told = [false; LANES];
    for start in [0, LANES, 2 * LANES, 3 * LANES] {
        for lane in 0..LANES {
            let at = start + lane;
            let (byte, next) = (block[at], block[at + 1]);
            control[lane] = control[lane].max(byte ^ CONTROL);
            sign[lane] = sign[lane].max(byte & !SMALL);
            // Of five bytes in a row three, and nearly never of others, are all low.
            least[lane] = least[lane].min(byte.max(block[at + 2]).max(block[at + 4]));
            let small = byte | SMALL;
            // Behind the `s` a colon, a `y` of either case, and little else.
            told[lane] |= (byte == b'<')
                | ((small == b's') & (next & 0x9C == 0x18))
                | ((small == b'a') & (next & !SMALL == b'P'));
        }
    }
    let mut doubt = false;
    for lane in 0..LANES {
        doubt |= told[lane]
            | (control[lane] > b'\n' ^ CONTROL)
            | (sign[lane] > b'Z')
            | (least[lane] <= b'@');
    }
    !doubt
}

/// The bit between a capital and its small letter.
const SMALL: u8 = 0x20;

/// With these bits turned, a byte is greater than a turned line feed if it is another control
/// character or no ASCII; the deletion is greater than `Z` without its [`SMALL`] bit.
const CONTROL: u8 = 0x6A;

/// What the block at `at`, which is not plain, may hold. Of a run that reaches into it, five
/// decorations are in it or within [`SPAN`] bytes.
#[cold]
fn suspect_block(block: &[u8; BLOCK + BEHIND], bytes: &[u8], at: usize) -> Suspicion {
    let drawn = block.iter().take(BLOCK);
    if !drawn.fold(true, |drawn, byte| drawn & is_drawn(*byte)) {
        return Suspicion::ALL;
    }
    let mut told = false;
    let second = block.iter().skip(1);
    let third = block.iter().skip(2);
    for ((byte, second), third) in block.iter().zip(second).zip(third).take(BLOCK) {
        told |= tells_of_a_marker(*byte, *second, *third);
    }
    let around = at.saturating_sub(SPAN)..(at + BLOCK + SPAN).min(bytes.len());
    let around = bytes.get(around).unwrap_or_default();
    let decorations = around
        .iter()
        .fold(0u8, |count, byte| count + u8::from(may_decorate(*byte)));
    Suspicion {
        characters: false,
        runs: decorations > FEW,
        markers: told,
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

/// Whether bytes in a row tell of a marker: each built-in one holds such a row within its first
/// [`MARGIN`] bytes, however it is spelt in ASCII. Those that are words hold `s:`, `sy` or `apr`.
const fn tells_of_a_marker(first: u8, second: u8, third: u8) -> bool {
    let (small, small_second) = (first | SMALL, second | SMALL);
    (first == b'<')
        | (first == b'[')
        | ((small == b's') & ((second == b':') | (small_second == b'y')))
        | ((small == b'a') & (small_second == b'p') & (third | SMALL == b'r'))
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

    /// A text with `inside` at byte `at`, letters around.
    fn letters_around(inside: &str, at: usize) -> String {
        format!("{}{inside}{}", "e".repeat(at), "e".repeat(2 * BLOCK))
    }

    fn suspected(text: &str, wanted: fn(&Suspicion) -> bool) -> bool {
        doubtful(text).any(|doubt| wanted(&doubt.of))
    }

    #[test]
    fn a_plain_byte_is_drawn_and_no_tag() {
        for ch in '\0'..='\u{FF}' {
            let text = letters_around(&ch.to_string(), 70);
            let is_told =
                matches!(ch, '<' | '[') || !(ch.is_ascii_graphic() || "\n\t ".contains(ch));
            assert_eq!(
                suspected(&text, |of| of.characters || of.markers),
                is_told,
                "{ch:?}"
            );
        }
    }

    /// Wherever a run of ASCII stands in its block, it is suspected.
    #[test]
    fn no_run_is_missed() {
        let decorations = ('\0'..='~').filter(|ch| is_decoration(*ch));
        let mixed = ["-=-=-", "_-_-_", "~-^_=", "----_", "_----", "--_--"];
        let plain = decorations.map(|ch| ch.to_string().repeat(5));
        for run in plain.chain(mixed.map(str::to_owned)) {
            let signs: Vec<&str> = run.split_inclusive(|_| true).collect();
            for gap in ["", " ", "  ", "   ", "\t", " \t "] {
                let run = signs.join(gap);
                if crate::text::runs::runs(&run).next().is_none() {
                    continue;
                }
                for at in 0..BLOCK {
                    assert!(
                        suspected(&letters_around(&run, at), |of| of.runs),
                        "{run:?} at {at}"
                    );
                }
            }
        }
    }

    /// A marker in any spelling of ASCII holds bytes that tell of it, near its start and wherever it
    /// stands.
    #[test]
    fn no_marker_is_missed() {
        let spellings = |wanted: char| -> Vec<char> {
            ('\0'..='~')
                .filter(|ch| fold_char(*ch).chars().eq([wanted]))
                .collect()
        };
        for marker in MARKERS {
            let folded: Vec<char> = fold(marker).map(|(_, ch)| ch).take(MARGIN).collect();
            let rows = folded
                .windows(3)
                .map(|row| row.iter().map(|ch| spellings(*ch)));
            let tells = |row: [char; 3]| {
                let [first, second, third] = row.map(|ch| ch as u8);
                tells_of_a_marker(first, second, third)
            };
            let told = rows.map(Iterator::collect).any(|row: Vec<Vec<char>>| {
                let all = row[0].iter().flat_map(|first| {
                    let pairs = row[1].iter().map(move |second| (*first, *second));
                    pairs.flat_map(|(first, second)| {
                        row[2].iter().map(move |third| [first, second, *third])
                    })
                });
                all.clone().next().is_some()
                    && all
                        .clone()
                        .all(|row| tells(row) || tells([row[1], row[2], 'e']))
                    && all.clone().all(|row| {
                        let row: String = row.iter().collect();
                        (0..BLOCK).all(|at| suspected(&letters_around(&row, at), |of| of.markers))
                    })
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
            doubts("-----"),
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
