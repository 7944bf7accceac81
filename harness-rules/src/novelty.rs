//! Is a proposal new, a correction, or something that is already there?
//!
//! Opposition comes first: a rule of the same scope and subject that differs in a number, a name,
//! a negation or the order of steps is a correction or a conflict, however much the words overlap.
//! Then coverage, by the overlap of words: the thresholds are those of the design, looser where
//! the two answer the same failure or share tags.

use std::borrow::Cow;
use std::collections::BTreeSet;

use harness_core::{ErrorClass, Rule};

use crate::words::{literals, words_in};

/// Share of words in common, of all words of either, from which one rule covers another.
const JACCARD: f64 = 0.72;
/// Share of the smaller rule's words that the larger one has.
const CONTAINMENT: f64 = 0.88;
/// The same with a failure signature in common.
const JACCARD_SAME_FAILURE: f64 = 0.30;
const CONTAINMENT_SAME_FAILURE: f64 = 0.55;
/// The same with two meaningful tags in common.
const JACCARD_SAME_TAGS: f64 = 0.40;
const CONTAINMENT_SAME_TAGS: f64 = 0.65;
/// Words a rule needs to be compared by overlap at all; a shorter one would cover anything.
const FEWEST_WORDS: usize = 5;
/// Tags in common that count as the same topic.
const SAME_TAGS: usize = 2;
/// Characters from which a tag means something.
const MEANINGFUL_TAG: usize = 3;
/// Share of words in common from which two rules give advice on the same thing.
const SAME_ADVICE: f64 = 0.5;

const NEGATIONS: [&str; 7] = ["not", "never", "no", "don", "dont", "avoid", "without"];

/// How a proposal relates to one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// They have nothing to do with each other.
    Apart,
    /// Same advice but for a number, name, negation or order.
    Opposed(Difference),
    /// The rule already says it.
    Covered,
}

/// In what an opposed pair differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// One says what the other forbids.
    Negation,
    /// Another number.
    Number,
    /// Another name or literal.
    Literal,
    /// The same steps in another order.
    Order,
}

impl Difference {
    /// The word in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Negation => "a negation",
            Self::Number => "a number",
            Self::Literal => "a literal",
            Self::Order => "the order of steps",
        }
    }
}

/// A rule as it is compared with many: its words were looked for once.
pub(crate) struct Reading<'w> {
    rule: &'w Rule,
    words: &'w [Cow<'w, str>],
    /// Each word once, in the order of the alphabet.
    set: Vec<&'w str>,
}

impl<'w> Reading<'w> {
    /// A rule, and the words of its text in order.
    pub(crate) fn new(rule: &'w Rule, words: &'w [Cow<'w, str>]) -> Self {
        let mut set: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        set.sort_unstable();
        set.dedup();
        Self { rule, words, set }
    }

    fn text(&self) -> &'w str {
        self.rule.text.as_str()
    }

    /// The words that are neither numbers nor negations.
    fn plain(&self) -> Vec<&'w str> {
        let words = self.set.iter().copied();
        words
            .filter(|word| !is_number(word) && !is_negation(word))
            .collect()
    }
}

/// How `new` relates to `old`.
pub(crate) fn relation(new: &Reading<'_>, old: &Rule) -> Relation {
    let words = words_in(old.text.as_str());
    // The same but for case, punctuation and white space.
    if new.words == words {
        return Relation::Covered;
    }
    if new.rule.scope != old.scope || !same_subject(new.text(), old.text.as_str()) {
        return Relation::Apart;
    }
    let old = Reading::new(old, &words);
    let common = in_common(&new.set, &old.set);
    if let Some(difference) = opposition(new, &old, common) {
        return Relation::Opposed(difference);
    }
    if covers(new, &old, common) {
        Relation::Covered
    } else {
        Relation::Apart
    }
}

/// Whether both rules speak of the same thing: the first name each gives in back-ticks, and the
/// error classes. Rules without names are compared by their words alone.
fn same_subject(new: &str, old: &str) -> bool {
    let subject = |text| {
        let names = literals(text);
        let classes: BTreeSet<ErrorClass> = names
            .iter()
            .filter_map(|name| ErrorClass::parse(name))
            .collect();
        let first = names
            .into_iter()
            .find(|name| ErrorClass::parse(name).is_none());
        (first, classes)
    };
    let old = subject(old);
    if old.0.is_none() {
        return true;
    }
    let new = subject(new);
    new.0.is_none() || new == old
}

/// `common` words are in both.
fn opposition(new: &Reading<'_>, old: &Reading<'_>, common: usize) -> Option<Difference> {
    let new_plain = new.plain();
    // No share of them that is large enough, whatever the other's plain words are.
    if share(common, new_plain.len()) < SAME_ADVICE {
        return None;
    }
    let old_plain = old.plain();
    let common = in_common(&new_plain, &old_plain);
    if new_plain.len().min(old_plain.len()) < FEWEST_WORDS - 1
        || jaccard(common, new_plain.len(), old_plain.len()) < SAME_ADVICE
    {
        return None;
    }
    if negations(new.words) % 2 != negations(old.words) % 2 {
        return Some(Difference::Negation);
    }
    if !numbers(new.words).eq(numbers(old.words)) {
        return Some(Difference::Number);
    }
    let names = |text| literals(text).into_iter().collect::<BTreeSet<&str>>();
    if names(new.text()) != names(old.text()) {
        return Some(Difference::Literal);
    }
    let same_words = new_plain == old_plain;
    (same_words && content_order(new.words) != content_order(old.words))
        .then_some(Difference::Order)
}

/// `common` words are in both.
fn covers(new: &Reading<'_>, old: &Reading<'_>, common: usize) -> bool {
    let (ours, theirs) = (new.set.len(), old.set.len());
    if ours.min(theirs) < FEWEST_WORDS {
        return false;
    }
    let jaccard = jaccard(common, ours, theirs);
    let containment = share(common, ours.min(theirs));
    let at_least = |from: f64, contained: f64| jaccard >= from || containment >= contained;
    // The loosest bounds that there are.
    if !at_least(JACCARD_SAME_FAILURE, CONTAINMENT_SAME_FAILURE) {
        return false;
    }
    let (new, old) = (new.rule, old.rule);
    let same_failure = new
        .failure_signatures
        .iter()
        .any(|signature| old.failure_signatures.contains(signature));
    if same_failure {
        true
    } else if shared_tags(new, old) >= SAME_TAGS {
        at_least(JACCARD_SAME_TAGS, CONTAINMENT_SAME_TAGS)
    } else {
        at_least(JACCARD, CONTAINMENT)
    }
}

fn shared_tags(new: &Rule, old: &Rule) -> usize {
    let meaningful = |rule: &Rule| -> BTreeSet<String> {
        rule.tags
            .iter()
            .map(|tag| tag.as_str().to_lowercase())
            .filter(|tag| tag.chars().count() >= MEANINGFUL_TAG)
            .collect()
    };
    meaningful(new).intersection(&meaningful(old)).count()
}

/// How many words two lists have in common, each in the order of the alphabet.
fn in_common(ours: &[&str], theirs: &[&str]) -> usize {
    let mut theirs = theirs.iter().peekable();
    let is_there = |word: &&&str| {
        while theirs.next_if(|other| *other < *word).is_some() {}
        theirs.peek() == Some(word)
    };
    ours.iter().filter(is_there).count()
}

fn jaccard(common: usize, ours: usize, theirs: usize) -> f64 {
    share(common, ours + theirs - common)
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn is_number(word: &str) -> bool {
    word.chars().any(|character| character.is_numeric())
        || [
            "one", "two", "three", "four", "five", "six", "ten", "once", "twice",
        ]
        .contains(&word)
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

fn negations(words: &[Cow<'_, str>]) -> usize {
    words.iter().filter(|word| is_negation(word)).count()
}

fn numbers<'w>(words: &'w [Cow<'w, str>]) -> impl Iterator<Item = &'w str> {
    words
        .iter()
        .map(AsRef::as_ref)
        .filter(|word| is_number(word))
}

/// The longer words in order of first appearance: what is done, before what.
fn content_order<'w>(words: &'w [Cow<'w, str>]) -> Vec<&'w str> {
    let mut order: Vec<&str> = Vec::new();
    for word in words {
        if word.chars().count() > 3 && !order.contains(&word.as_ref()) {
            order.push(word);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rule;

    fn related(new: &str, old: &str) -> Relation {
        between(&rule("r-1", new), &rule("r-2", old))
    }

    fn between(new: &Rule, old: &Rule) -> Relation {
        relation(&Reading::new(new, &words_in(new.text.as_str())), old)
    }

    #[test]
    fn the_same_words_in_other_dress_are_covered() {
        assert_eq!(
            related("Look the order up first.", "look the ORDER up first!"),
            Relation::Covered
        );
    }

    #[test]
    fn a_correction_is_never_a_duplicate() {
        for (new, old, difference) in [
            (
                "Write every date as day, month and year.",
                "Never write every date as day, month and year.",
                Difference::Negation,
            ),
            (
                "Retry a failing call at most 3 times before giving up.",
                "Retry a failing call at most 5 times before giving up.",
                Difference::Number,
            ),
            (
                "Pass dates to `create_event` in the form `day-month-year`.",
                "Pass dates to `create_event` in the form `year-month-day`.",
                Difference::Literal,
            ),
            (
                "Close the ticket, afterwards inform the customer about it.",
                "Inform the customer about it, afterwards close the ticket.",
                Difference::Order,
            ),
        ] {
            assert_eq!(related(new, old), Relation::Opposed(difference), "{new}");
        }
    }

    #[test]
    fn rules_about_other_tools_stand_apart_though_their_words_overlap() {
        assert_eq!(
            related(
                "When `read_file` answers `not_found`, look at what exists before calling again.",
                "When `get_user` answers `not_found`, look at what exists before calling again.",
            ),
            Relation::Apart
        );
    }

    #[test]
    fn a_rule_of_two_words_covers_nothing_longer() {
        assert_eq!(
            related(
                "Look orders up by id before answering about delivery.",
                "Look orders."
            ),
            Relation::Apart
        );
    }

    #[test]
    fn rules_without_latin_letters_are_compared_too() {
        assert_eq!(
            related("回答前先查询订单编号再说话", "回答前先查询订单编号再说话吧"),
            Relation::Covered
        );
    }

    #[test]
    fn a_shared_failure_needs_less_overlap() {
        let signature = harness_core::Signature::parse("breach:tool_correctness").unwrap();
        let mut new = rule(
            "r-1",
            "Check the stock of an item before you promise a delivery day.",
        );
        let mut old = rule(
            "r-2",
            "Check the stock of every item before you answer; say what is missing.",
        );
        assert_eq!(between(&new, &old), Relation::Apart);
        new.failure_signatures = vec![signature.clone()];
        old.failure_signatures = vec![signature];
        assert_eq!(between(&new, &old), Relation::Covered);
    }
}
