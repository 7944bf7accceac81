//! Phrases that give a model instructions, as sequences of words with gaps between.
//!
//! They are matched on folded words, so that case, spacing, line breaks, punctuation, accents,
//! invisible characters and look-alikes make no difference.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::finding::{Finding, FindingKind};
use super::gathered::Gathered;
use super::orders::{PHRASES, UNSPACED};
use super::reading::{Reading, folded};

/// The phrases, folded, by the first byte of their first word.
static BY_FIRST: LazyLock<[Vec<(String, Folded)>; 256]> = LazyLock::new(|| {
    let mut by_first = std::array::from_fn(|_| Vec::new());
    for phrase in PHRASES {
        let mut steps = phrase.steps.iter().map(|step| {
            let words = step.words.iter().flat_map(|word| readings(word));
            (step.gap, words.collect::<Vec<String>>())
        });
        let Some((_, first)) = steps.next() else {
            continue;
        };
        let mut words = phrase.steps.iter().flat_map(|step| step.words);
        let is_latin = words.all(|word| word.is_ascii());
        let after: Vec<(usize, Vec<String>)> = steps.collect();
        for word in first {
            let slot = word.bytes().next().map(usize::from);
            if let Some(slot) = slot.and_then(|byte| by_first.get_mut(byte)) {
                let (kind, steps) = (phrase.kind, after.clone());
                slot.push((
                    word,
                    Folded {
                        kind,
                        is_latin,
                        steps,
                    },
                ));
            }
        }
    }
    by_first
});

/// A word as it reads in small letters, with a capital, and in capitals: outside of Latin a letter
/// and its capital may be taken for different ones.
fn readings(word: &str) -> Vec<String> {
    let mut chars = word.chars();
    let first = chars.next().map(char::to_uppercase).into_iter().flatten();
    let capitalised: String = first.chain(chars).collect();
    let mut readings = vec![
        folded(word),
        folded(&capitalised),
        folded(&word.to_uppercase()),
    ];
    readings.dedup();
    readings
}

static UNSPACED_SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let phrases = UNSPACED.iter().map(|phrase| folded(phrase));
    AhoCorasick::new(phrases).ok()
});

struct Folded {
    kind: FindingKind,
    /// Written in plain letters.
    is_latin: bool,
    steps: Vec<(usize, Vec<String>)>,
}

/// Adds the phrases in a reading; one of disguised words counts as a disguise.
pub(super) fn phrases(reading: &Reading, found: &mut Gathered) {
    let words = &reading.words;
    for (index, word) in words.iter().enumerate() {
        if found.is_full() {
            return;
        }
        let letters = reading.letters(word);
        let first = letters.bytes().next().unwrap_or_default();
        let starting = BY_FIRST.get(usize::from(first)).into_iter().flatten();
        for (_, phrase) in starting.filter(|(start, _)| start == letters) {
            let Some(last) = end_of(&phrase.steps, reading, index) else {
                continue;
            };
            let part = words.get(index..=last).unwrap_or_default();
            found.push(Finding {
                kind: if part
                    .iter()
                    .any(|word| reading.is_disguised(word, phrase.is_latin))
                {
                    FindingKind::Disguise
                } else {
                    phrase.kind
                },
                start: word.start,
                end: part.last().map_or(word.end, |word| word.end),
            });
            break;
        }
        // The scripts that write no spaces lie behind U+3000.
        let unspaced = letters.bytes().any(|byte| byte >= 0xE3);
        if unspaced
            && UNSPACED_SEARCH
                .as_ref()
                .is_some_and(|search| search.is_match(letters))
        {
            found.push(Finding {
                kind: FindingKind::Override,
                start: word.start,
                end: word.end,
            });
        }
    }
}

/// The index of the word that ends a phrase whose first word is that at `index`.
fn end_of(steps: &[(usize, Vec<String>)], reading: &Reading, index: usize) -> Option<usize> {
    let mut at = index;
    for (gap, wanted) in steps {
        let after = reading.words.iter().enumerate().skip(at + 1).take(gap + 1);
        at = after
            .take_while(|(_, word)| !word.opens)
            .find(|(_, word)| wanted.iter().any(|wanted| wanted == reading.letters(word)))?
            .0;
    }
    Some(at)
}
