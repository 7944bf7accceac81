//! Lessons from traces without a failed call to learn from: the same again, and nothing done.

use super::facts::{Facts, Went};
use super::lesson::Lesson;
use super::names::Name;

/// Calls that only repeat an earlier one, from which a tool is overused.
const MANY_REPEATS: usize = 2;

/// Ways of saying that something cannot be done.
const GIVES_UP: &[&str] = &[
    "i cannot",
    "i can't",
    "i can not",
    "i am unable",
    "i'm unable",
    "i am not able",
    "i'm not able",
    "it is not possible",
    "it's not possible",
    "there is nothing i can",
];
/// Ways of announcing what is then not done.
const ANNOUNCES: &[&str] = &[
    "i will ",
    "i'll ",
    "i am going to ",
    "i'm going to ",
    "let me ",
    "i shall ",
];

/// Ways of waiting for the other side, which ends a turn rightly.
const ASKS: &[&str] = &[
    "?",
    "please",
    "let me know",
    "confirm",
    "once you",
    "if you",
];

const REPEATS: &str = "Before calling {tool} again, look at what it already answered: the same \
     arguments give the same answer. Call it again only after something that it reads has changed; \
     otherwise go on to the next step.";
const GAVE_UP: &str = "Before saying that something cannot be done, look for a tool on offer that \
     could do it and try it; then say what was tried and what came of it.";
const ANNOUNCED: &str = "What is announced is done in the same turn: call the tool that does it \
     and report what it answered, instead of ending with an intention.";

/// The lesson of how a trace went on or ended.
pub(super) fn lesson(facts: &Facts) -> Option<Lesson> {
    repeats(facts).or_else(|| ending(facts))
}

/// A tool that answered, and was asked the same again and again.
fn repeats(facts: &Facts) -> Option<Lesson> {
    let repeats_of = |tool: &Name| {
        facts
            .calls
            .iter()
            .filter(|call| call.tool == *tool && call.repeats && call.went == Went::Well)
            .count()
    };
    let mut most: Option<(&Name, usize)> = None;
    for call in &facts.calls {
        let count = repeats_of(&call.tool);
        if count >= MANY_REPEATS && most.is_none_or(|(_, before)| count > before) {
            most = Some((&call.tool, count));
        }
    }
    let (tool, count) = most?;
    let calls = facts.calls.iter().filter(|call| call.tool == *tool).count();
    Some(Lesson {
        rule: REPEATS.replace("{tool}", &tool.to_string()),
        rationale: format!(
            "In the flagged trace {count} of {calls} calls of {tool} sent an earlier call again, \
             though it had been answered."
        ),
        tool: Some(tool.clone()),
        class: None,
        kind: "repeated call",
        metrics: &["step_efficiency", "coherence", "task_completion"],
    })
}

/// A turn that ended without one call, and without asking for anything.
fn ending(facts: &Facts) -> Option<Lesson> {
    let words = facts
        .last_words
        .as_deref()
        .filter(|_| !facts.any_call)?
        .to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
    if says(ASKS) {
        return None;
    }
    let (rule, rationale, kind) = if says(GIVES_UP) {
        (
            GAVE_UP,
            "The flagged trace ended with giving up, and no tool was called.",
            "gave up",
        )
    } else if says(ANNOUNCES) {
        (
            ANNOUNCED,
            "The flagged trace ended with an announcement, and no tool was called.",
            "announced",
        )
    } else {
        return None;
    };
    Some(Lesson {
        rule: rule.to_owned(),
        rationale: rationale.to_owned(),
        tool: None,
        class: None,
        kind,
        metrics: &["task_completion", "outcome_correct"],
    })
}
