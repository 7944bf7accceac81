//! A text as its reader takes it: words, folded, each with its place.

use std::ops::Range;

use harness_core::text::fold::{Folded, fold_char};

use crate::sequences::sequence_at_start;

/// A text as it reads: its words, and their letters in one row.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// The folded letters and digits of all words.
    letters: String,
    /// The words, in order.
    pub(super) words: Vec<Word>,
}

impl Reading {
    /// The folded letters and digits of a word.
    pub(super) fn letters(&self, word: &Word) -> &str {
        self.letters.get(word.letters.clone()).unwrap_or_default()
    }

    /// Whether a word of a phrase reads otherwise than it is written: with something in it that is
    /// not drawn, or, of a phrase that `is_latin`, in other letters.
    pub(super) fn is_disguised(&self, word: &Word, is_latin: bool) -> bool {
        word.split || (is_latin && word.foreign && self.letters(word).is_ascii())
    }
}

/// A word as it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Where its letters are in the row of all.
    letters: Range<usize>,
    /// Where it starts, in bytes of the text.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// Whether something that is not drawn stands in it.
    split: bool,
    /// Whether characters of other scripts stand in it, or styled ones.
    foreign: bool,
    /// Whether a sentence ends before it.
    pub(super) opens: bool,
}

/// Whether a character is neither plain nor a Latin letter with a mark.
const fn is_lookalike(ch: char) -> bool {
    !matches!(ch, '\0'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')
}

/// Whether a character acts on a terminal and is not drawn. White space ends a word.
fn is_control(ch: char) -> bool {
    ch.is_control() && !ch.is_whitespace()
}

/// Longest word that is read, in bytes of its folding; a longer one is data.
const MAX_WORD: usize = 64;

/// Reads `text`, whose first byte is byte `base` of the whole.
pub(super) fn read(text: &str, base: usize) -> Reading {
    let mut letters = String::with_capacity(text.len());
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut opens = true;
    // Whether something that is not drawn stands behind the last letter; and how far that goes.
    let (mut parted, mut behind) = (false, 0);
    for (at, ch) in text.char_indices() {
        if at < behind {
            continue;
        }
        if is_control(ch) {
            behind = at + sequence_at_start(text.get(at..).unwrap_or_default());
            parted = true;
            continue;
        }
        let folded = fold_char(ch);
        if folded == Folded::Nothing && !ch.is_control() {
            parted = true;
            continue;
        }
        let before = letters.len();
        let (one, many) = match folded {
            Folded::Nothing => (None, ""),
            Folded::One(letter) => (Some(letter), ""),
            Folded::Many(letters) => (None, letters),
        };
        letters.extend(one.filter(|letter| letter.is_alphanumeric()));
        letters.extend(many.chars().filter(char::is_ascii_alphanumeric));
        if letters.len() == before {
            // An apostrophe joins: `don't` is one word.
            if !matches!(ch, '\'' | '’') {
                words.extend(word.take());
                opens |= matches!(ch, '.' | '!' | '?' | ';');
            }
            continue;
        }
        let is_parted = std::mem::take(&mut parted);
        if let Some(word) = &mut word {
            word.split |= is_parted;
        }
        let word = word.get_or_insert_with(|| Word {
            letters: before..before,
            start: base + at,
            end: base + at,
            split: false,
            foreign: false,
            opens: std::mem::take(&mut opens),
        });
        word.end = base + at + ch.len_utf8();
        word.foreign |= is_lookalike(ch);
        if before - word.letters.start < MAX_WORD {
            word.letters.end = letters.len();
        } else {
            letters.truncate(before);
        }
    }
    words.extend(word);
    Reading { letters, words }
}

/// A word of a phrase, folded as text is.
pub(super) fn folded(word: &str) -> String {
    word.chars()
        .flat_map(|ch| fold_char(ch).chars().collect::<Vec<_>>())
        .filter(|ch| ch.is_alphanumeric())
        .collect()
}
