//! The folded reading of a text: what the eye takes its characters for.
//!
//! Character by character: compatibility decomposition (NFKD), marks and invisibles dropped, the
//! skeleton of UTS 39 (confusables), lower case, white space as a space. `I`, `i`, `l`, `1` and
//! `|` are one letter here, as are `O`, `o` and `0`; `m` reads `rn`. Folding a folded text changes
//! nothing. The table is generated, see its file.

use super::fold_table::{ASCII, DROPPED, FOLDED, STRINGS};

/// What one character folds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folded {
    /// Nothing: an invisible, a mark, a control character.
    Nothing,
    /// One character; itself where the table has no better reading.
    One(char),
    /// Several, all ASCII.
    Many(&'static str),
}

impl Folded {
    /// The characters of the folding, in order.
    #[inline]
    pub fn chars(self) -> impl Iterator<Item = char> + Clone {
        let (one, many) = match self {
            Self::Nothing => (None, ""),
            Self::One(ch) => (Some(ch), ""),
            Self::Many(text) => (None, text),
        };
        Chars {
            one,
            many: many.as_bytes().iter(),
        }
    }
}

/// The characters of a folding: one, or several of ASCII.
#[derive(Clone)]
struct Chars {
    one: Option<char>,
    many: std::slice::Iter<'static, u8>,
}

impl Iterator for Chars {
    type Item = char;

    #[inline]
    fn next(&mut self) -> Option<char> {
        self.one
            .take()
            .or_else(|| self.many.next().map(|byte| char::from(*byte)))
    }
}

/// Folds a text: each folded character with the byte offset of the character it comes from.
pub fn fold(text: &str) -> impl Iterator<Item = (usize, char)> + Clone {
    text.char_indices()
        .flat_map(|(at, ch)| fold_char(ch).chars().map(move |folded| (at, folded)))
}

/// Folds one character.
#[inline]
pub fn fold_char(ch: char) -> Folded {
    match FOLDED_ASCII.get(u32::from(ch) as usize) {
        Some(folded) => *folded,
        None => fold_other(ch),
    }
}

/// What an ASCII character folds to if that is one; `None` for any other, see [`fold_char`].
#[inline]
pub(super) fn fold_plain(ch: char) -> Option<char> {
    let byte = PLAIN_ASCII.get(u32::from(ch) as usize)?;
    (*byte != 0).then(|| char::from(*byte))
}

/// Folds a character outside ASCII.
fn fold_other(ch: char) -> Folded {
    match NEAR.get(u32::from(ch) as usize) {
        Some(&DROPPED_NEAR) => Folded::Nothing,
        Some(near) => match near.checked_sub(TABLED) {
            Some(value) => tabled(u32::from(value)),
            None => Folded::One(ch),
        },
        None => fold_far(ch),
    }
}

/// The same for a character that is looked for in the tables.
fn fold_far(ch: char) -> Folded {
    let code = u32::from(ch);
    let page = page_of(code);
    let index = page.partition_point(|entry| entry >> VALUE_BITS < code);
    match page.get(index) {
        Some(entry) if entry >> VALUE_BITS == code => tabled(entry & VALUE_MASK),
        _ if UNSEEN.contains(ch) => Folded::Nothing,
        _ => Folded::One(ch),
    }
}

/// What a value of the table stands for: an ASCII character, or one of its strings.
fn tabled(value: u32) -> Folded {
    match u8::try_from(value) {
        Ok(byte) if byte.is_ascii() => Folded::One(char::from(byte)),
        _ => {
            let string = STRINGS.get((value - 0x80) as usize);
            folded(string.copied().unwrap_or_default())
        }
    }
}

/// Latin, Greek, Cyrillic and their marks, which are read most: for each character one of the two
/// below, or [`TABLED`] and its value in the table; 0 for one that stays.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, within bounds"
)]
static NEAR: [u16; 0x600] = {
    let mut near = [0; 0x600];
    let mut range = 0;
    while range < DROPPED.len() {
        let (low, high) = DROPPED[range];
        let mut code = low as usize;
        while code <= high as usize && code < near.len() {
            near[code] = DROPPED_NEAR;
            code += 1;
        }
        range += 1;
    }
    let mut index = 0;
    while index < FOLDED.len() {
        let code = (FOLDED[index] >> VALUE_BITS) as usize;
        if code < near.len() {
            near[code] = TABLED + (FOLDED[index] & VALUE_MASK) as u16;
        }
        index += 1;
    }
    near
};

/// It reads as nothing.
const DROPPED_NEAR: u16 = 1;
/// It reads as its value in the table says.
const TABLED: u16 = 2;

/// The characters outside ASCII that fold to ASCII, ascending.
pub(super) fn readable_as_ascii() -> impl Iterator<Item = char> {
    FOLDED
        .iter()
        .filter_map(|entry| char::from_u32(entry >> VALUE_BITS))
}

/// A set of characters: ascending, inclusive ranges, and for each page of 256 the first of them that
/// touches it, counted from 1; 0 where none does.
pub(super) struct Ranges {
    ranges: &'static [(u32, u32)],
    pages: [u16; PAGE_COUNT],
}

impl Ranges {
    pub(super) const fn new(ranges: &'static [(u32, u32)]) -> Self {
        let mut pages = [0; PAGE_COUNT];
        let mut index = ranges.len();
        while index > 0 {
            #[expect(
                clippy::indexing_slicing,
                reason = "evaluated at compile time, within bounds"
            )]
            let (low, high) = ranges[index - 1];
            let mut page = low >> 8;
            while page <= high >> 8 {
                #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
                {
                    pages[page as usize] = index as u16;
                }
                page += 1;
            }
            index -= 1;
        }
        Self { ranges, pages }
    }

    /// Whether one of the 256 characters that share all but the low byte of `ch` is in the set.
    pub(super) fn touches_page_of(&self, ch: char) -> bool {
        self.first_in_page_of(ch).is_some()
    }

    pub(super) fn contains(&self, ch: char) -> bool {
        let code = u32::from(ch);
        let from_page = self
            .first_in_page_of(ch)
            .and_then(|first| self.ranges.get(first..))
            .unwrap_or_default();
        let not_before = from_page.iter().find(|(_, high)| code <= *high);
        not_before.is_some_and(|(low, _)| *low <= code)
    }

    /// The place of the first range that touches the page of `ch`.
    fn first_in_page_of(&self, ch: char) -> Option<usize> {
        let first = self.pages.get(u32::from(ch) as usize >> 8)?;
        usize::from(*first).checked_sub(1)
    }
}

/// What a reader does not see, or sees as part of the character before.
static UNSEEN: Ranges = Ranges::new(&DROPPED);

/// Pages of 256 characters.
const PAGE_COUNT: usize = 0x1100;

const VALUE_BITS: u32 = 11;
const VALUE_MASK: u32 = (1 << VALUE_BITS) - 1;

/// What each ASCII character folds to.
static FOLDED_ASCII: [Folded; 128] = {
    let mut table = [Folded::Nothing; 128];
    let mut byte = 0;
    while byte < table.len() {
        #[expect(
            clippy::indexing_slicing,
            reason = "evaluated at compile time, within bounds"
        )]
        {
            table[byte] = folded(ASCII[byte]);
        }
        byte += 1;
    }
    table
};

/// The same where that is one character, in a byte; 0 where it is not.
static PLAIN_ASCII: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < table.len() {
        #[expect(
            clippy::indexing_slicing,
            reason = "evaluated at compile time, within bounds"
        )]
        if let [one] = ASCII[byte].as_bytes() {
            table[byte] = *one;
        }
        byte += 1;
    }
    table
};

const fn folded(text: &'static str) -> Folded {
    match text.as_bytes() {
        [] => Folded::Nothing,
        [byte] => Folded::One(*byte as char),
        _ => Folded::Many(text),
    }
}

/// The folded characters that share all but the low byte of `code`.
fn page_of(code: u32) -> &'static [u32] {
    let page = code as usize >> 8;
    match (PAGES.get(page), PAGES.get(page + 1)) {
        (Some(&start), Some(&end)) => FOLDED.get(start as usize..end as usize).unwrap_or_default(),
        _ => &[],
    }
}

/// Where in [`FOLDED`] each page of 256 characters starts.
static PAGES: [u16; PAGE_COUNT + 1] = {
    let mut pages = [0; PAGE_COUNT + 1];
    let mut page = 0;
    let mut index = 0;
    while page < pages.len() {
        #[expect(
            clippy::indexing_slicing,
            reason = "evaluated at compile time, within bounds"
        )]
        while index < FOLDED.len() && (FOLDED[index] >> VALUE_BITS) as usize >> 8 < page {
            index += 1;
        }
        #[expect(
            clippy::indexing_slicing,
            reason = "evaluated at compile time, within bounds"
        )]
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the table has fewer than 65536 entries"
        )]
        {
            pages[page] = index as u16;
        }
        page += 1;
    }
    pages
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plain_reads_as_one() {
        for ch in '\0'..'\u{100}' {
            let one = match fold_char(ch) {
                Folded::One(folded) if ch.is_ascii() => Some(folded),
                _ => None,
            };
            assert_eq!(fold_plain(ch), one, "{ch:?}");
        }
    }

    #[test]
    fn what_is_near_reads_as_the_tables_say() {
        for ch in '\u{80}'..'\u{600}' {
            assert_eq!(fold_other(ch), fold_far(ch), "{ch:?}");
        }
        assert_eq!(fold_char('\u{430}'), Folded::One('a'));
        assert_eq!(fold_char('\u{301}'), Folded::Nothing);
        assert_eq!(fold_char('\u{3C9}'), Folded::One('\u{3C9}'));
    }
}
