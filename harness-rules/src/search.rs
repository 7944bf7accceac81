//! An inverted index over rules, fed one proposal at a time.
//!
//! A query's cost follows the query: only the postings of its words are read. The score of a rule
//! is the sum over the query's distinct words of how often its text has the word (at most
//! [`TERM_CAP`]) plus [`TAG_WEIGHT`] if a tag has it. Nothing in it depends on other rules, so
//! hiding one rule from a session cannot reorder the rest and give its arm away.

use std::collections::{BTreeSet, HashMap};

use harness_core::{Rule, RuleId};

use crate::words::words;

/// Times that one word counts in one text at most.
const TERM_CAP: u32 = 3;
/// What a word in a tag counts.
const TAG_WEIGHT: u32 = 2;
/// Distinct words of a query that are looked up; the rest is ignored.
const MAX_QUERY_WORDS: usize = 64;

/// A rule that matches, with what ties are broken by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) id: RuleId,
    pub(crate) score: u32,
    pub(crate) added_seq: u64,
}

#[derive(Default)]
pub(crate) struct SearchIndex {
    rules: Vec<(RuleId, u64)>,
    postings: HashMap<Box<str>, Vec<(u32, u32)>>,
}

impl SearchIndex {
    /// Adds a rule; its text never changes afterwards.
    pub(crate) fn insert(&mut self, rule: &Rule, added_seq: u64) {
        let Ok(slot) = u32::try_from(self.rules.len()) else {
            return;
        };
        self.rules.push((rule.id.clone(), added_seq));
        for (word, weight) in weights(rule) {
            self.postings
                .entry(word.into())
                .or_default()
                .push((slot, weight));
        }
    }

    /// All rules that share a word with the query, best first: by score, then the newest, then by
    /// id.
    pub(crate) fn search(&self, query: &str) -> Vec<Hit> {
        let mut scores: HashMap<u32, u32> = HashMap::new();
        for word in query_words(query) {
            for (slot, weight) in self.postings.get(word.as_str()).into_iter().flatten() {
                *scores.entry(*slot).or_default() += weight;
            }
        }
        let mut found: Vec<(u32, &(RuleId, u64))> = scores
            .into_iter()
            .filter_map(|(slot, score)| Some((score, self.rules.get(slot as usize)?)))
            .collect();
        found.sort_unstable_by(|(score_a, (id_a, seq_a)), (score_b, (id_b, seq_b))| {
            rank((*score_a, *seq_a, id_a), (*score_b, *seq_b, id_b))
        });
        found
            .into_iter()
            .map(|(score, (id, added_seq))| Hit {
                id: id.clone(),
                score,
                added_seq: *added_seq,
            })
            .collect()
    }
}

/// The order of hits: score, when the rule was added, id.
fn rank(a: (u32, u64, &RuleId), b: (u32, u64, &RuleId)) -> std::cmp::Ordering {
    b.0.cmp(&a.0)
        .then_with(|| b.1.cmp(&a.1))
        .then_with(|| a.2.cmp(b.2))
}

fn query_words(query: &str) -> BTreeSet<String> {
    words(query).into_iter().take(MAX_QUERY_WORDS).collect()
}

fn weights(rule: &Rule) -> HashMap<String, u32> {
    let mut counts: HashMap<String, u32> = HashMap::new();
    for word in words(rule.text.as_str()) {
        let count = counts.entry(word).or_default();
        *count = (*count + 1).min(TERM_CAP);
    }
    let tagged: BTreeSet<String> = rule
        .tags
        .iter()
        .flat_map(|tag| words(tag.as_str()))
        .collect();
    for word in tagged {
        *counts.entry(word).or_default() += TAG_WEIGHT;
    }
    counts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{rule, tagged_rule};

    fn ids(hits: &[Hit]) -> Vec<&str> {
        hits.iter().map(|hit| hit.id.as_str()).collect()
    }

    #[test]
    fn tags_count_double_repeats_are_capped_and_ties_go_to_the_newest() {
        let mut index = SearchIndex::default();
        index.insert(&rule("r-a", "order order order order order"), 1);
        index.insert(&tagged_rule("r-b", "order", &["order"]), 2);
        index.insert(&rule("r-c", "an order"), 3);
        index.insert(&rule("r-d", "the order"), 4);
        index.insert(&rule("r-e", "nothing"), 5);
        assert_eq!(ids(&index.search("ORDER")), ["r-b", "r-a", "r-d", "r-c"]);
    }

    fn plain_scan(rules: &[Rule], query: &str) -> Vec<Hit> {
        let wanted = query_words(query);
        let mut hits: Vec<Hit> = rules
            .iter()
            .enumerate()
            .filter_map(|(at, rule)| {
                let weights = weights(rule);
                let score = wanted.iter().filter_map(|word| weights.get(word)).sum();
                (score > 0).then(|| Hit {
                    id: rule.id.clone(),
                    score,
                    added_seq: at as u64,
                })
            })
            .collect();
        hits.sort_by(|a, b| rank((a.score, a.added_seq, &a.id), (b.score, b.added_seq, &b.id)));
        hits
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_index_answers_as_a_plain_scan_does(
            texts in prop::collection::vec("[a-d]{1,2}( [a-d]{1,2}){0,6}", 1..12),
            query in "[a-d]{1,2}( [a-d]{1,2}){0,4}",
        ) {
            let rules: Vec<Rule> = texts
                .iter()
                .enumerate()
                .map(|(at, text)| rule(&format!("r-{at}"), text))
                .collect();
            let mut index = SearchIndex::default();
            for (at, rule) in rules.iter().enumerate() {
                index.insert(rule, at as u64);
            }
            prop_assert_eq!(index.search(&query), plain_scan(&rules, &query));
        }
    }
}
