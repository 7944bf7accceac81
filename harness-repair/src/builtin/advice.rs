//! What to do about each class of failure: the texts, and when one is worth a rule.
//!
//! `{tool}`, `{argument}` and `{helper}` stand for names in back-ticks. A text starts with the
//! tool that failed, so that rules about it can be told apart, and uses the same words for the
//! same advice, so that it is recognised when it comes again.

use harness_core::ErrorClass;

/// When failures of a class are the agent's to avoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worth {
    /// Always: the call could not have succeeded.
    Always,
    /// If it happened more than once, or the tool never worked afterwards.
    Unmended,
    /// If the agent insisted; once is the world's doing.
    Insisted,
    /// If the agent sent the same call again; once is the world's doing.
    Repeated,
}

/// Advice for one class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Advice {
    pub(super) class: ErrorClass,
    pub(super) worth: Worth,
    /// Where the trace shows a tool that helps: the words by which it is known, and the text.
    pub(super) helped: Option<(&'static [&'static str], &'static str)>,
    /// Where it does not.
    pub(super) alone: &'static str,
    /// Stands for `{argument}` where it is not clear which.
    pub(super) unnamed: &'static str,
}

/// Words in the names of tools that show what there is.
const LOOKING: &[&str] = &[
    "browse",
    "catalog",
    "catalogue",
    "describe",
    "dir",
    "enumerate",
    "find",
    "glob",
    "grep",
    "index",
    "list",
    "listing",
    "lookup",
    "ls",
    "query",
    "schema",
    "search",
    "show",
    "tree",
];
/// Words in the names of tools that make the caller known.
const SIGNING_IN: &[&str] = &[
    "auth",
    "authenticate",
    "authorize",
    "login",
    "logon",
    "signin",
];

const NAMED_BY_TOOL: &str = "its arguments";

/// The advice for a class.
pub(super) const fn advice(class: ErrorClass) -> Advice {
    let (worth, alone) = match class {
        ErrorClass::NotFound => (
            Worth::Unmended,
            "Before calling {tool}, find out which values of {argument} exist, with a tool that \
             lists or searches them, or by asking. When {tool} answers `not_found`, look first; \
             never repeat the call and never guess.",
        ),
        ErrorClass::InvalidArgument => (
            Worth::Unmended,
            "Before calling {tool}, check in its description or in an earlier result what \
             {argument} may be. When {tool} answers `invalid_argument`, change what was rejected; \
             never send the same call again.",
        ),
        ErrorClass::MissingArgument => (
            Worth::Unmended,
            "When calling {tool}, always give {argument}, or ask for what is not known. When it \
             answers `missing_argument`, add what is missing; never send the same call again.",
        ),
        ErrorClass::MalformedCall => (
            Worth::Always,
            "When calling {tool}, send a single JSON object with the argument names that it \
             declares. When it answers `malformed_call`, correct the form; never send the same \
             call again.",
        ),
        ErrorClass::UnknownTool => (
            Worth::Always,
            "Never call {tool}: no such tool is on offer and the call answers `unknown_tool`. \
             Choose the tool on offer that does the work, or say that there is none.",
        ),
        ErrorClass::PermissionDenied => (
            Worth::Insisted,
            "When {tool} answers `permission_denied`, do not call it again and look for no way \
             round it: say what is not allowed, and go on with what is.",
        ),
        ErrorClass::Unauthenticated => (
            Worth::Insisted,
            "When {tool} answers `unauthenticated`, do not repeat the call: sign in with the tool \
             that does it, or say that access is missing.",
        ),
        ErrorClass::Conflict => (
            Worth::Unmended,
            "Before calling {tool}, read the present state of what it changes and make sure that \
             the change is allowed. When it answers `conflict`, do not repeat the call: choose \
             another way, or say why it cannot be done.",
        ),
        ErrorClass::Insufficient => (
            Worth::Unmended,
            "Before calling {tool}, check that there is enough of what it takes. When it answers \
             `insufficient`, do not repeat the call: take less, take it from elsewhere, or say \
             what is lacking.",
        ),
        ErrorClass::RateLimited => (
            Worth::Repeated,
            "When {tool} answers `rate_limited`, do not repeat the call at once: go on with other \
             work, try later, and say so if it still fails.",
        ),
        ErrorClass::Timeout => (
            Worth::Repeated,
            "When {tool} answers `timeout`, do not repeat the call at once: ask it for less, or go \
             on with other work and try later, and say so if it still fails.",
        ),
        ErrorClass::Unavailable => (
            Worth::Repeated,
            "When {tool} answers `unavailable`, do not repeat the call at once: go on with other \
             work, try later, and say so if it still fails.",
        ),
        ErrorClass::Internal => (
            Worth::Repeated,
            "When {tool} answers `internal`, do not send the same call again: choose another way, \
             or say that the tool does not work.",
        ),
        ErrorClass::Other => (
            Worth::Repeated,
            "When a call of {tool} fails with `other`, do not send the same call again: change \
             {argument} as its answer says, choose another way, or say what does not work.",
        ),
    };
    let helped: Option<(&[&str], &str)> = match class {
        ErrorClass::NotFound => Some((
            LOOKING,
            "Before calling {tool}, call {helper} and use for {argument} only what it returned. \
             When {tool} answers `not_found`, look again with {helper}; never repeat the call and \
             never guess.",
        )),
        ErrorClass::Unauthenticated => Some((
            SIGNING_IN,
            "Before calling {tool}, sign in with {helper}. When {tool} answers `unauthenticated`, \
             do that first; do not repeat the call without it.",
        )),
        _ => None,
    };
    let unnamed = match class {
        ErrorClass::MissingArgument => "every argument that it requires",
        _ => NAMED_BY_TOOL,
    };
    Advice {
        class,
        worth,
        helped,
        alone,
        unnamed,
    }
}

impl Advice {
    /// Metrics that avoiding such failures should mend, best first.
    pub(super) const fn metrics(&self) -> &'static [&'static str] {
        if self.class.blames_arguments() {
            &[
                "argument_correctness",
                "tool_correctness",
                "outcome_correct",
            ]
        } else {
            &["tool_correctness", "outcome_correct", "task_completion"]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_starts_with_its_tool_names_its_class_and_holds_no_number() {
        for class in ErrorClass::ALL {
            let advice = advice(class);
            for text in [Some(advice.alone), advice.helped.map(|(_, text)| text)]
                .into_iter()
                .flatten()
            {
                let first = text.split_inclusive(['}', '`']).next().unwrap();
                assert!(first.ends_with("{tool}"), "{text}");
                assert!(text.contains(&format!("`{class}`")), "{text}");
                assert!(!text.chars().any(char::is_numeric), "{text}");
            }
        }
    }
}
