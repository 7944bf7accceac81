//! The few words of a reply that the metrics read. English only: in other languages a promise is
//! not seen, a failure that was owned up to counts as concealed, and a question to the user as an
//! answer.

/// A reply in lower case with plain apostrophes, so that each phrase is written once.
pub(super) fn plain(reply: &str) -> String {
    reply.to_lowercase().replace('’', "'")
}

/// Whether a reply (see [`plain`]) owns up to trouble.
pub(super) fn owns_up(reply: &str) -> bool {
    TROUBLE.iter().any(|phrase| reply.contains(phrase))
}

const TROUBLE: &[&str] = &[
    "error",
    "fail",
    "issue",
    "problem",
    "trouble",
    "unable",
    "unfortunately",
    "apolog",
    "sorry",
    "cannot",
    "can't",
    "couldn't",
    "could not",
    "wasn't able",
    "not able",
    "not possible",
    "not enough",
    "not sufficient",
    "insufficient",
    "not found",
    "no longer",
    "not available",
    "unavailable",
    "not allowed",
    "does not exist",
    "doesn't exist",
    "invalid",
    "however",
];

/// Whether a reply (see [`plain`]) asks the user for something.
pub(super) fn asks(reply: &str) -> bool {
    ["?", "please", "let me know"]
        .iter()
        .any(|phrase| reply.contains(phrase))
}

/// Words of a reply that may be a promise and nothing else; a longer one tells of something.
const MAX_PROMISE: usize = 40;

/// Whether a reply (see [`plain`]) only says what the agent is about to do: it is short, a
/// sentence of it promises an act, and nothing in it asks the user for anything first.
pub(super) fn only_promises(reply: &str) -> bool {
    let short = reply.split_whitespace().nth(MAX_PROMISE).is_none();
    let holds = || HOLDS.iter().any(|phrase| reply.contains(phrase));
    let waits = || asks(reply) || WAITING.iter().any(|phrase| reply.contains(phrase));
    short && (holds() || (!waits() && reply.split(['.', '!', '\n']).any(promises)))
}

fn promises(sentence: &str) -> bool {
    let words = || {
        sentence
            .split(|c: char| !c.is_alphabetic())
            .filter(|word| !word.is_empty())
    };
    let depends = words().any(|word| CONDITIONS.contains(&word));
    let act = PROMISES
        .iter()
        .find_map(|promise| Some(sentence.split_once(promise)?.1))
        .and_then(|act| {
            act.split(|c: char| !c.is_alphabetic())
                .find(|word| !word.is_empty() && !FILLERS.contains(word))
        });
    !depends && act.is_some_and(|act| ACTS.contains(&act))
}

/// Other words for waiting for the user.
const WAITING: &[&str] = &[
    "confirm",
    "provide",
    "i need",
    "i'll need",
    "i will need",
    "you can",
    "you may",
    "feel free",
    "would you",
];
const PROMISES: &[&str] = &[
    "i'll ",
    "i will ",
    "let me ",
    "i'm going to ",
    "i am going to ",
];
const FILLERS: &[&str] = &[
    "now", "then", "just", "first", "go", "ahead", "and", "quickly", "also",
];
const HOLDS: &[&str] = &[
    "one moment",
    "please hold",
    "give me a moment",
    "please wait",
    "bear with me",
];
const CONDITIONS: &[&str] = &[
    "if", "once", "when", "after", "unless", "until", "before", "would",
];
const ACTS: &[&str] = &[
    "add",
    "apply",
    "book",
    "calculate",
    "cancel",
    "change",
    "check",
    "create",
    "delete",
    "edit",
    "fetch",
    "find",
    "fix",
    "get",
    "initiate",
    "install",
    "look",
    "make",
    "move",
    "open",
    "pull",
    "proceed",
    "process",
    "read",
    "remove",
    "retrieve",
    "review",
    "run",
    "search",
    "send",
    "start",
    "submit",
    "try",
    "update",
    "upgrade",
    "verify",
    "write",
];

/// Whether a tool's name says that calling it ends the work: it hands over, submits or finishes.
pub(super) fn closes(tool: &str) -> bool {
    tool.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| CLOSING.contains(&word))
}

/// Whether a tool's name says that it hands the work to someone else.
pub(super) fn hands_over(tool: &str) -> bool {
    tool.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| HANDOVER.contains(&word))
}

const HANDOVER: &[&str] = &["transfer", "escalate", "handoff", "handover"];
const CLOSING: &[&str] = &[
    "transfer",
    "escalate",
    "handoff",
    "handover",
    "submit",
    "finish",
    "done",
    "complete",
    "final",
    "answer",
    "reply",
    "respond",
    "terminate",
    "exit",
    "stop",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_told_from_an_offer() {
        for promise in [
            "I'll now search for a shelf.",
            "Thanks! Let me check the upper rack for you.",
            "Understood. I will go ahead and move the box",
            "Please hold on.",
        ] {
            assert!(only_promises(&plain(promise)), "{promise}");
        }
        for other in [
            "The box is on the shelf.",
            "I'll check that. Which shelf do you mean?",
            "Once you confirm, I'll move the box.",
            &format!(
                "I will look. {}",
                "The red box is on the top shelf. ".repeat(6)
            ),
            "I'll be here when you need me.",
            "Let me know how it goes.",
            "",
        ] {
            assert!(!only_promises(&plain(other)), "{other}");
        }
    }

    #[test]
    fn a_question_is_told_from_an_answer() {
        for question in [
            "Which shelf?",
            "Please tell me the shelf.",
            "Let me know the shelf.",
        ] {
            assert!(asks(&plain(question)), "{question}");
        }
        assert!(!asks(&plain("It is on the shelf.")));
    }

    #[test]
    fn a_tool_that_ends_the_work_is_known_by_a_word_of_its_name() {
        for closing in ["transfer_to_person", "submit", "final-answer"] {
            assert!(closes(closing), "{closing}");
        }
        for other in ["search", "get_submission", "transferred_items", ""] {
            assert!(!closes(other), "{other}");
        }
        assert!(hands_over("transfer_to_person") && !hands_over("submit"));
    }
}
