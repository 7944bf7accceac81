//! Finding markers: one walk through a trie from each place where one may start.

use std::error::Error;
use std::fmt;
use std::sync::LazyLock;

use super::MARKERS;
use super::starts::{CharSet, Starts};
use crate::text::fold::{Folded, fold, fold_char, fold_plain, readable_as_ascii};
use crate::text::quick::{MARGIN, blocks_with_markers};

/// The visible character that the sanitiser puts into a marker to break it. It folds to nothing
/// that a marker may hold, so a broken marker is no marker.
pub const BREAK: char = '\u{B7}';

/// Longest marker, in bytes.
pub const MAX_MARKER_BYTES: usize = 64;
/// Most markers in a set, the built-in ones included.
pub const MAX_MARKERS: usize = 256;

/// Longest text that is searched byte by byte at once, in bytes.
const SHORT: usize = 64;

/// A set of markers, folded and ready to search for.
#[derive(Clone, Debug)]
pub struct Markers {
    count: usize,
    /// The folded markers as a trie; the first node is its root.
    nodes: Vec<Node>,
    /// What the first three bytes of a marker may be.
    starts: Starts,
    /// The other characters that may start a marker.
    other_starts: CharSet,
}

/// A node of the trie, at a distance from the next that is a power of two: the way from one to the
/// other is what a search waits for. The root comes after none, so that 0 stands for none.
#[derive(Clone, Debug)]
#[repr(align(256))]
struct Node {
    /// The nodes after this one by the drawn ASCII character that leads there. One after a blank
    /// goes on with every further blank.
    next: [u16; DRAWN],
    /// The same for other characters.
    others: Vec<(char, u16)>,
    /// Whether a letter or digit led here.
    letter: bool,
    /// The marker that ends here, by its place in the set.
    marker: Option<u8>,
}

/// How many characters of ASCII are drawn, from the blank on.
const DRAWN: usize = 95;

impl Node {
    const fn after(letter: bool) -> Self {
        Self {
            next: [0; DRAWN],
            others: Vec::new(),
            letter,
            marker: None,
        }
    }

    fn next(&self, folded: char) -> Option<u16> {
        let drawn = (folded as usize).wrapping_sub(' ' as usize);
        match self.next.get(drawn) {
            Some(&next) => (next != 0).then_some(next),
            None => self.next_other(folded),
        }
    }

    #[cold]
    fn next_other(&self, folded: char) -> Option<u16> {
        let mut others = self.others.iter();
        let found = others.find(|(wanted, _)| *wanted == folded);
        found.map(|(_, next)| *next)
    }

    fn lead(&mut self, folded: char, next: u16) {
        let drawn = (folded as usize).wrapping_sub(' ' as usize);
        match self.next.get_mut(drawn) {
            Some(slot) => *slot = next,
            None => self.others.push((folded, next)),
        }
    }
}

/// A marker found in a text, as byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where its first character starts.
    pub start: usize,
    /// Where [`BREAK`] goes, strictly inside.
    pub break_at: usize,
    /// Where its last character ends.
    pub end: usize,
    /// Which marker of the set: the built-in ones in the order of [`MARKERS`], then the others.
    pub index: usize,
}

/// Why a phrase cannot be a marker. The operator's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerError {
    /// Longer than [`MAX_MARKER_BYTES`].
    TooLong,
    /// The set already has [`MAX_MARKERS`].
    TooMany,
    /// Without two adjacent letters or digits, or with [`BREAK`] in it: it could not be broken.
    Unbreakable,
}

impl fmt::Display for MarkerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(out, "marker is longer than {MAX_MARKER_BYTES} bytes"),
            Self::TooMany => write!(out, "more than {MAX_MARKERS} markers"),
            Self::Unbreakable => {
                write!(
                    out,
                    "marker needs two adjacent letters and must not hold `{BREAK}`"
                )
            }
        }
    }
}

impl Error for MarkerError {}

impl Markers {
    /// The built-in set.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Markers> = LazyLock::new(|| {
            let mut markers = Markers {
                count: 0,
                nodes: vec![Node::after(false)],
                starts: Starts::default(),
                other_starts: CharSet::default(),
            };
            for phrase in MARKERS {
                markers.insert(phrase);
            }
            markers.index_starts();
            markers
        });
        &BUILT_IN
    }

    /// Adds a phrase to the set.
    ///
    /// # Errors
    /// See [`MarkerError`].
    pub fn add(&mut self, phrase: &str) -> Result<(), MarkerError> {
        if phrase.len() > MAX_MARKER_BYTES {
            return Err(MarkerError::TooLong);
        }
        if self.count >= MAX_MARKERS {
            return Err(MarkerError::TooMany);
        }
        if !is_breakable(phrase) {
            return Err(MarkerError::Unbreakable);
        }
        self.insert(phrase);
        self.index_starts();
        Ok(())
    }

    fn insert(&mut self, phrase: &str) {
        let mut at = 0;
        for ch in folded(phrase) {
            at = self.next(at, ch).unwrap_or_else(|| self.grow(at, ch));
        }
        let index = u8::try_from(self.count).ok();
        if let Some(node) = self.nodes.get_mut(usize::from(at)) {
            node.marker = node.marker.or(index);
        }
        self.count += 1;
    }

    /// A new node after `at`. The bounds of a set keep them within a `u16`.
    fn grow(&mut self, at: u16, ch: char) -> u16 {
        let new = u16::try_from(self.nodes.len()).unwrap_or_default();
        let mut node = Node::after(ch.is_alphanumeric());
        if ch == ' ' {
            node.lead(ch, new);
        }
        self.nodes.push(node);
        if let Some(before) = self.nodes.get_mut(usize::from(at)) {
            before.lead(ch, new);
        }
        new
    }

    fn index_starts(&mut self) {
        let mut starts = Starts::default();
        for first in 0..0x80u8 {
            let Some(node) = self.read(0, char::from(first)).filter(|&node| node != 0) else {
                continue;
            };
            for second in 0..0x80u8 {
                let Some(after) = self.read(node, char::from(second)) else {
                    continue;
                };
                // A blank may be followed by more of them, and a marker may have ended here.
                let open = second.is_ascii_whitespace() || self.marker(after).is_some();
                for third in 0..0x80u8 {
                    if open || self.read(after, char::from(third)).is_some() {
                        starts.insert([first, second, third]);
                    }
                }
            }
        }
        let root = self.nodes.first().into_iter();
        let as_given = root.flat_map(|root| &root.others).map(|&(ch, _)| ch);
        let starts_one = |ch: &char| self.read(0, *ch).is_some();
        let mut other_starts = CharSet::default();
        for ch in readable_as_ascii().chain(as_given).filter(starts_one) {
            other_starts.insert(ch);
            starts.insert_other(ch);
        }
        self.other_starts = other_starts;
        self.starts = starts;
    }

    /// The node after `ch`, or, where a marker ends within it, the node of that end.
    fn read(&self, from: u16, ch: char) -> Option<u16> {
        let mut node = from;
        for folded in fold_char(ch).chars() {
            node = self.next(node, folded)?;
            if self.marker(node).is_some() {
                break;
            }
        }
        Some(node)
    }

    fn next(&self, at: u16, folded: char) -> Option<u16> {
        self.nodes.get(usize::from(at))?.next(folded)
    }

    /// The first marker that starts at or after byte `from`, a character boundary; of several
    /// that start at one place, the shortest.
    pub fn find(&self, text: &str, from: usize) -> Option<Found> {
        // What is passed over by blocks tells of the built-in markers alone.
        let by_blocks = self.count == MARKERS.len() && text.len() > from.saturating_add(SHORT);
        if !by_blocks {
            return self.find_before(text, from, text.len());
        }
        let mut searched = from;
        for block in blocks_with_markers(text.as_bytes(), from) {
            let start = searched.max(block.start.saturating_sub(MARGIN));
            let found = self.find_before(text, start, block.end);
            if found.is_some() {
                return found;
            }
            searched = block.end;
        }
        None
    }

    /// Every marker of `text` by its start, those that overlap others too.
    pub fn find_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Found> + 'a {
        let by_blocks = self.count == MARKERS.len();
        let whole = (!by_blocks).then_some(0..text.len());
        let blocks = by_blocks.then(|| blocks_with_markers(text.as_bytes(), 0));
        let mut parts = whole.into_iter().chain(blocks.into_iter().flatten());
        let mut part = 0..0;
        std::iter::from_fn(move || {
            loop {
                if part.start < part.end
                    && let Some(found) = self.find_before(text, part.start, part.end)
                {
                    part.start = found.start + 1;
                    return Some(found);
                }
                let searched = part.start.max(part.end);
                part = parts.next()?;
                part.start = searched.max(part.start.saturating_sub(MARGIN));
            }
        })
    }

    /// The first of those that start from byte `from` on and before byte `until`, or up to two
    /// bytes behind it. `from` may lie within a character.
    pub(in crate::text) fn find_before(
        &self,
        text: &str,
        from: usize,
        until: usize,
    ) -> Option<Found> {
        let mut at = from;
        // A start is told by three bytes.
        let end = (until + 2).min(text.len());
        loop {
            at += self.starts.find(text.as_bytes().get(at..end)?)?;
            let ch = text.get(at..)?.chars().next()?;
            let may_start = ch.is_ascii() || self.other_starts.contains(ch);
            if may_start && let Some(found) = self.find_at(text, at) {
                return Some(found);
            }
            at += ch.len_utf8();
        }
    }

    fn find_at(&self, text: &str, start: usize) -> Option<Found> {
        let mut node = self.nodes.first()?;
        let mut break_at = None;
        let mut after_letter = false;
        for (offset, ch) in text.get(start..)?.char_indices() {
            let ended = if let Some(folded) = fold_plain(ch) {
                node = self.after(node, folded)?;
                node.marker
            } else {
                match fold_char(ch) {
                    // What reads as nothing is passed over.
                    Folded::Nothing => continue,
                    Folded::One(folded) => {
                        node = self.after(node, folded)?;
                        node.marker
                    }
                    Folded::Many(folded) => self.after_all(&mut node, folded)?,
                }
            };
            if node.letter && after_letter && break_at.is_none() {
                break_at = Some(start + offset);
            }
            after_letter = node.letter;
            if let (Some(index), Some(break_at)) = (ended, break_at) {
                let end = start + offset + ch.len_utf8();
                return Some(Found {
                    start,
                    break_at,
                    end,
                    index: usize::from(index),
                });
            }
        }
        None
    }

    /// The node after a folded character.
    fn after(&self, node: &Node, folded: char) -> Option<&Node> {
        self.nodes.get(usize::from(node.next(folded)?))
    }

    /// The same after several, as which one character reads: the marker that ended with them or in
    /// the middle.
    fn after_all<'a>(&'a self, node: &mut &'a Node, folded: &str) -> Option<Option<u8>> {
        let mut ended = None;
        for ch in folded.chars() {
            match self.after(node, ch) {
                Some(next) => *node = next,
                None if ended.is_some() => break,
                None => return None,
            }
            ended = ended.or(node.marker);
        }
        Some(ended)
    }

    fn marker(&self, node: u16) -> Option<u8> {
        self.nodes.get(usize::from(node))?.marker
    }
}

/// A marker folded, one space for any white space.
fn folded(phrase: &str) -> Vec<char> {
    let mut folded: Vec<char> = fold(phrase.trim()).map(|(_, ch)| ch).collect();
    folded.dedup_by(|next, last| *next == ' ' && *last == ' ');
    folded
}

/// Whether a marker can be broken: between two letters, by a character that is not its own.
fn is_breakable(phrase: &str) -> bool {
    let folded = folded(phrase);
    let visible = |ch: char| fold_char(ch).chars().next();
    let letters: Vec<bool> = phrase
        .chars()
        .filter_map(visible)
        .map(char::is_alphanumeric)
        .collect();
    letters.windows(2).any(|pair| pair == [true, true]) && !folded.contains(&BREAK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_character_that_starts_a_marker_passes_the_filter() {
        let markers = Markers::built_in();
        for ch in
            ('\u{80}'..=char::MAX).filter(|&ch| markers.read(0, ch).is_some_and(|node| node != 0))
        {
            let text = format!("word {ch}word");
            assert_eq!(markers.starts.find(text.as_bytes()), Some(5), "{ch:?}");
            assert!(markers.other_starts.contains(ch), "{ch:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Passing over plain blocks passes over no marker.
        #[test]
        fn blocks_hide_no_marker(
            parts in proptest::collection::vec(
                prop_oneof![
                    2 => "[a-z ,.]{0,70}",
                    1 => "\\PC{0,4}",
                    2 => proptest::sample::select(vec![
                        "harness:", "hamess;", "PANDAPROBE", "HARNESS", "SYSTEM", " ", "\n\n", "ALERT", "<|im_start|>",
                        "[INST]", "<harness-", "é", "һarness:", "\u{200B}",
                    ]).prop_map(str::to_owned),
                ],
                0..10,
            ),
        ) {
            let text = parts.concat();
            let markers = Markers::built_in();
            for from in (0..text.len()).filter(|&from| text.is_char_boundary(from)) {
                let whole = markers.find_before(&text, from, text.len());
                prop_assert_eq!(markers.find(&text, from), whole);
            }
            let mut one_by_one = Vec::new();
            while let Some(found) = markers.find_before(
                &text,
                one_by_one.last().map_or(0, |last: &Found| last.start + 1),
                text.len(),
            ) {
                one_by_one.push(found);
            }
            prop_assert_eq!(markers.find_iter(&text).collect::<Vec<_>>(), one_by_one);
        }
    }
}
