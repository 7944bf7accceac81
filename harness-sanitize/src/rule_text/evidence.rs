//! The leaves of a trace, indexed for the check.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use harness_core::ErrorClass;

use super::atoms::{Shape, atoms, digits, look, words};

/// Words in a row that are a sentence of someone else.
pub(super) const RUN_OF_WORDS: usize = 5;
/// Most words of a leaf that counts as one value.
pub(super) const VALUE_WORDS: usize = RUN_OF_WORDS - 1;
/// Most evidence that is indexed, in bytes; with more, no rule passes.
const MAX_EVIDENCE: usize = 4 << 20;

/// What a rule must not repeat, and the names that it may.
#[derive(Debug)]
pub struct EvidenceLeaves {
    /// Names of tools and arguments, and the error classes, as they look.
    names: HashSet<String>,
    /// Atoms that are no plain words, as they look.
    atoms: HashSet<String>,
    /// Numbers, digits only.
    numbers: HashSet<String>,
    /// Whole leaves of few words.
    values: HashSet<Vec<String>>,
    /// Hashes of every five words in a row.
    runs: HashSet<u64>,
    hasher: RandomState,
    bytes: usize,
}

impl EvidenceLeaves {
    /// Indexes `leaves`: the string and number leaves of the traces of an episode, arguments and
    /// results taken apart. `names` are the tools and arguments that a rule may name; the closed
    /// error classes may always be named.
    pub fn new<'a>(
        leaves: impl IntoIterator<Item = &'a str>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let classes = ErrorClass::ALL.iter().map(|class| class.as_str());
        let mut evidence = Self {
            names: names.into_iter().chain(classes).map(look).collect(),
            atoms: HashSet::new(),
            numbers: HashSet::new(),
            values: HashSet::new(),
            runs: HashSet::new(),
            hasher: RandomState::new(),
            bytes: 0,
        };
        for leaf in leaves {
            evidence.bytes = evidence.bytes.saturating_add(leaf.len());
            if evidence.is_complete() {
                evidence.add(leaf);
            }
        }
        evidence
    }

    fn add(&mut self, leaf: &str) {
        for atom in atoms(leaf) {
            let number = digits(atom.text);
            match atom.shape {
                Shape::Word => {}
                Shape::Number => {
                    self.numbers.insert(number);
                }
                _ => {
                    self.atoms.insert(look(atom.text));
                }
            }
        }
        let words: Vec<String> = words(leaf).into_iter().map(|(_, word)| word).collect();
        if (1..=VALUE_WORDS).contains(&words.len()) {
            self.values.insert(words.clone());
        }
        for run in words.windows(RUN_OF_WORDS) {
            self.runs.insert(self.hasher.hash_one(run));
        }
    }

    /// Whether all of the evidence is indexed.
    pub(super) const fn is_complete(&self) -> bool {
        self.bytes <= MAX_EVIDENCE
    }

    /// Whether `name`, as it looks, may be named.
    pub(super) fn may_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    pub(super) fn has_atom(&self, look: &str) -> bool {
        self.atoms.contains(look)
    }

    pub(super) fn has_number(&self, digits: &str) -> bool {
        self.numbers.contains(digits)
    }

    pub(super) fn has_value(&self, words: &[String]) -> bool {
        self.values.contains(words)
    }

    pub(super) fn has_run(&self, words: &[String]) -> bool {
        self.runs.contains(&self.hasher.hash_one(words))
    }
}
