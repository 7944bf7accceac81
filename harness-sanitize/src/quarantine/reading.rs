//! A text as its reader takes it: words, folded, each with its place.

use harness_core::text::fold::{Folded, fold_char};

/// A word as it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Its letters and digits, folded.
    pub(super) folded: String,
    /// Where it starts, in bytes of the text.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// Whether invisible characters stand in it.
    split: bool,
    /// Whether characters of other scripts stand in it, or styled ones.
    foreign: bool,
    /// Whether a sentence ends before it.
    pub(super) opens: bool,
}

impl Word {
    /// Whether it reads otherwise than it is written: with invisible characters in it, or in plain
    /// letters while it is written in others.
    pub(super) fn is_disguised(&self) -> bool {
        self.split || (self.foreign && self.folded.is_ascii())
    }
}

/// Whether a character is neither plain nor a Latin letter with a mark.
const fn is_lookalike(ch: char) -> bool {
    !matches!(ch, '\0'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')
}

/// Longest word that is read, in bytes of its folding; a longer one is data.
const MAX_WORD: usize = 64;

/// The words of `text`, whose first byte is byte `base` of the whole.
pub(super) fn words(text: &str, base: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut opens = true;
    for (at, ch) in text.char_indices() {
        let folded = fold_char(ch);
        let end = base + at + ch.len_utf8();
        if folded == Folded::Nothing && !ch.is_ascii_control() {
            if let Some(word) = &mut word {
                word.split = true;
            }
            continue;
        }
        let mut letters = folded.chars().filter(|ch| ch.is_alphanumeric()).peekable();
        if letters.peek().is_none() {
            // An apostrophe joins: `don't` is one word.
            if !matches!(ch, '\'' | '’') {
                words.extend(word.take());
                opens |= matches!(ch, '.' | '!' | '?' | ';');
            }
            continue;
        }
        let word = word.get_or_insert_with(|| Word {
            folded: String::new(),
            start: base + at,
            end,
            split: false,
            foreign: false,
            opens: std::mem::take(&mut opens),
        });
        word.end = end;
        word.foreign |= is_lookalike(ch);
        if word.folded.len() < MAX_WORD {
            word.folded.extend(letters);
        }
    }
    words.extend(word);
    words
}

/// A word of a phrase, folded as text is.
pub(super) fn folded(word: &str) -> String {
    word.chars()
        .flat_map(|ch| fold_char(ch).chars().collect::<Vec<_>>())
        .filter(|ch| ch.is_alphanumeric())
        .collect()
}
