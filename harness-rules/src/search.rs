//! An inverted index over rules, fed one proposal at a time.
//!
//! A query's cost follows the query: only the postings of its words are read. The score of a rule
//! is the sum over the query's distinct words of how often its text has the word (at most
//! [`TERM_CAP`]) plus [`TAG_WEIGHT`] if a tag has it. Nothing in it depends on other rules, so
//! hiding one rule from a session cannot reorder the rest and give its arm away.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use harness_core::{Rule, RuleId, RuleStatus};

use crate::words::words;

/// Times that one word counts in one text at most.
const TERM_CAP: u32 = 3;
/// What a word in a tag counts.
const TAG_WEIGHT: u32 = 2;
/// Distinct words of a query that are looked up; the rest is ignored.
const MAX_QUERY_WORDS: usize = 64;

/// A rule's place in an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot(u32);

#[derive(Default)]
pub(crate) struct SearchIndex {
    rules: Vec<Filed>,
    postings: HashMap<Box<str>, Vec<(Slot, u32)>>,
}

/// A rule as it is filed.
struct Filed {
    id: RuleId,
    added_seq: u64,
    /// `None` where it is not live.
    kind: Option<Kind>,
}

/// A live rule's status; the greater comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Candidate,
    Active,
}

impl Kind {
    const fn of(status: RuleStatus) -> Option<Self> {
        match status {
            RuleStatus::Active => Some(Self::Active),
            RuleStatus::Candidate => Some(Self::Candidate),
            RuleStatus::Retired(_) => None,
        }
    }
}

impl SearchIndex {
    /// Adds a rule; its text never changes afterwards.
    pub(crate) fn insert(&mut self, rule: &Rule, added_seq: u64, status: RuleStatus) -> Slot {
        let slot = Slot(u32::try_from(self.rules.len()).unwrap_or(u32::MAX));
        self.rules.push(Filed {
            id: rule.id.clone(),
            added_seq,
            kind: Kind::of(status),
        });
        for (word, weight) in weights(rule) {
            self.postings
                .entry(word.into())
                .or_default()
                .push((slot, weight));
        }
        slot
    }

    /// Takes note of a rule's new status.
    pub(crate) fn refile(&mut self, slot: Slot, status: RuleStatus) {
        if let Some(filed) = self.rules.get_mut(slot.0 as usize) {
            filed.kind = Kind::of(status);
        }
    }

    /// The live rules that share a word with the query, best first: active before candidate, then by
    /// score, then the newest, then by id. Each is found when it is asked for.
    pub(crate) fn search<'a>(&'a self, query: &str) -> impl Iterator<Item = &'a RuleId> + use<'a> {
        let mut found: Vec<(Slot, u32)> = query_words(query)
            .iter()
            .filter_map(|word| self.postings.get(word.as_str()))
            .flatten()
            .copied()
            .collect();
        // Runs that are in order already, one a word: stable sorting merges them.
        found.sort();
        let mut hits =
            BinaryHeap::from_iter(found.chunk_by(|a, b| a.0 == b.0).filter_map(|same| {
                let filed = self.rules.get(same.first()?.0.0 as usize)?;
                let score: u32 = same.iter().map(|(_, weight)| weight).sum();
                Some((filed.kind?, score, filed.added_seq, Reverse(&filed.id)))
            }));
        std::iter::from_fn(move || hits.pop().map(|(.., Reverse(id))| id))
    }
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
    use harness_core::Retirement;
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{rule, tagged_rule};

    const ACTIVE: RuleStatus = RuleStatus::Active;

    fn ids(index: &SearchIndex, query: &str) -> Vec<String> {
        let found = index.search(query);
        found.map(|id| id.as_str().to_owned()).collect()
    }

    #[test]
    fn tags_count_double_repeats_are_capped_and_ties_go_to_the_newest() {
        let mut index = SearchIndex::default();
        index.insert(&rule("r-a", "order order order order order"), 1, ACTIVE);
        index.insert(&tagged_rule("r-b", "order", &["order"]), 2, ACTIVE);
        index.insert(&rule("r-c", "an order"), 3, ACTIVE);
        index.insert(&rule("r-d", "the order"), 4, ACTIVE);
        index.insert(&rule("r-e", "nothing"), 5, ACTIVE);
        assert_eq!(ids(&index, "ORDER"), ["r-b", "r-a", "r-d", "r-c"]);
    }

    #[test]
    fn a_candidate_comes_after_every_active_rule_and_what_is_retired_not_at_all() {
        let mut index = SearchIndex::default();
        let best = index.insert(&rule("r-a", "order order"), 1, RuleStatus::Candidate);
        index.insert(&rule("r-b", "order"), 2, ACTIVE);
        assert_eq!(ids(&index, "order"), ["r-b", "r-a"]);
        index.refile(best, ACTIVE);
        assert_eq!(ids(&index, "order"), ["r-a", "r-b"]);
        index.refile(best, RuleStatus::Retired(Retirement::Unproven));
        assert_eq!(ids(&index, "order"), ["r-b"]);
    }

    fn plain_scan(rules: &[(Rule, RuleStatus)], query: &str) -> Vec<String> {
        let wanted = query_words(query);
        let mut hits: Vec<(bool, u32, usize, &Rule)> = rules
            .iter()
            .enumerate()
            .filter(|(_, (_, status))| status.is_live())
            .filter_map(|(at, (rule, status))| {
                let weights = weights(rule);
                let score = wanted.iter().filter_map(|word| weights.get(word)).sum();
                (score > 0).then_some((*status == ACTIVE, score, at, rule))
            })
            .collect();
        hits.sort_by_key(|(is_active, score, at, _)| Reverse((*is_active, *score, *at)));
        let ids = hits.iter().map(|(.., rule)| rule.id.as_str().to_owned());
        ids.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_index_answers_as_a_plain_scan_does(
            texts in prop::collection::vec(("[a-d]{1,2}( [a-d]{1,2}){0,6}", 0..3_usize), 1..12),
            query in "[a-d]{1,2}( [a-d]{1,2}){0,4}",
        ) {
            let statuses = [
                ACTIVE,
                RuleStatus::Candidate,
                RuleStatus::Retired(Retirement::Harmful),
            ];
            let rules: Vec<(Rule, RuleStatus)> = texts
                .iter()
                .enumerate()
                .map(|(at, (text, status))| (rule(&format!("r-{at}"), text), statuses[*status]))
                .collect();
            let mut index = SearchIndex::default();
            for (at, (rule, status)) in rules.iter().enumerate() {
                index.insert(rule, at as u64, *status);
            }
            prop_assert_eq!(ids(&index, &query), plain_scan(&rules, &query));
        }
    }
}
