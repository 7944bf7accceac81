//! Results in plain text: first words, a shell's complaint, an exit code.

use harness_core::ErrorClass;

use crate::class;

/// How the call failed, if the text announces that it did; `text` is trimmed.
pub(super) fn classify(text: &str) -> Option<ErrorClass> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let last = text.lines().next_back().unwrap_or(first);
    let more = lines.count();
    let named = || class::named_in(text).unwrap_or(ErrorClass::Other);
    if announces(first)
        || (more == 0 && is_refusal(first))
        || (more < MAX_SHELL_LINES && is_complaint_of_a_shell(first))
    {
        return Some(named());
    }
    match exit_code(last)? {
        0 => None,
        // As in a field: 1 may be an answer, unless the words name a failure.
        1 => class::named_in(text),
        _ => Some(named()),
    }
}

/// Lines from which on a shell's complaint is a note above the result, and not the result.
const MAX_SHELL_LINES: usize = 5;

/// Bytes of a refusal: a longer line tells of something.
const MAX_REFUSAL: usize = 200;

/// Whether a result's first line announces a failure.
fn announces(line: &str) -> bool {
    let line = line.trim_start_matches(['<', '[', '*', '#', '❌', '⚠', ' ']);
    let lower = line.to_lowercase();
    OPENERS.iter().any(|opener| lower.starts_with(opener))
        || names_an_exception(line)
        || starts_with_http_error(&lower)
}

/// Whether a line that is the whole result says nothing but that it did not work.
fn is_refusal(line: &str) -> bool {
    let lower = line.trim_end_matches(['.', '!']).to_lowercase();
    let head = lower.split(':').next().unwrap_or_default();
    lower.len() <= MAX_REFUSAL
        && (REFUSALS.contains(&head) || REFUSAL_ENDINGS.iter().any(|end| lower.ends_with(end)))
}

/// First words in lower case. `error` alone is none: a guide to error handling starts with it too.
const OPENERS: &[&str] = &[
    "error:",
    "error -",
    "error!",
    "error>",
    "error]",
    "error[",
    "error(",
    "error.",
    "error while",
    "error executing",
    "error calling",
    "error invoking",
    "error running",
    "error during",
    "error occurred",
    "error encountered",
    "error code",
    "error reading",
    "error writing",
    "error parsing",
    "error fetching",
    "an error occurred",
    "an error has occurred",
    "an exception occurred",
    "exception:",
    "unhandled exception",
    "traceback (most recent call last)",
    "fatal:",
    "fatal error:",
    "failure:",
    "failed:",
    "failed to ",
    "panic:",
    "err:",
    "tool error",
    "tool call failed",
    "call failed",
    "command failed",
    "request failed",
    "execution failed",
    "execution timed out",
    "command timed out",
    "request timed out",
    "unknown tool",
    "no such tool",
    "invalid argument",
    "invalid parameter",
    "invalid request",
    "missing required",
];

/// What a refusal says before its colon, if it has one.
const REFUSALS: &[&str] = &[
    "error",
    "failed",
    "forbidden",
    "unauthorized",
    "permission denied",
    "access denied",
    "timed out",
    "timeout",
    "bad request",
    "not found",
    "internal server error",
    "service unavailable",
    "too many requests",
    "rate limit exceeded",
];

/// How a refusal ends.
const REFUSAL_ENDINGS: &[&str] = &[
    " not found",
    " does not exist",
    " already exists",
    " is not allowed",
    " not permitted",
    " is required",
    " is invalid",
    " timed out",
];

/// `ValueError: …`, `java.io.IOException: …`: one word with that ending, then a colon or nothing.
fn names_an_exception(line: &str) -> bool {
    let (name, _) = line.split_once(':').unwrap_or((line, ""));
    let plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    plain && (name.ends_with("Error") || name.ends_with("Exception"))
}

/// `HTTP 404 …`, `404 Not Found`: an error status with its usual word.
fn starts_with_http_error(lower: &str) -> bool {
    let mut words = lower
        .split([' ', ':', '/', ','])
        .filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let is_error = |word: Option<&str>| {
        word.filter(|word| word.len() == 3)
            .and_then(|word| word.parse().ok())
            .is_some_and(|status| class::of_http(status).is_some())
    };
    if first == "http" {
        let next = words.next();
        // `HTTP/1.1 404`
        return is_error(next)
            || (next.is_some_and(|word| word.contains('.')) && is_error(words.next()));
    }
    is_error(Some(first))
        && words.next().is_some_and(|word| {
            [
                "not",
                "bad",
                "unauthorized",
                "forbidden",
                "conflict",
                "internal",
                "service",
                "too",
                "gateway",
                "unprocessable",
                "client",
                "server",
            ]
            .contains(&word)
        })
}

/// `bash: line 1: …`, `cat: x: No such file or directory`.
fn is_complaint_of_a_shell(line: &str) -> bool {
    const SHELLS: &[&str] = &[
        "bash: ",
        "sh: ",
        "zsh: ",
        "dash: ",
        "/bin/bash: ",
        "/bin/sh: ",
    ];
    const ENDINGS: &[&str] = &[
        "no such file or directory",
        "permission denied",
        "command not found",
        "is a directory",
        "not a directory",
        "operation not permitted",
        "file exists",
        "directory not empty",
    ];
    let lower = line.to_lowercase();
    SHELLS.iter().any(|shell| lower.starts_with(shell))
        || (lower.contains(": ") && ENDINGS.iter().any(|ending| lower.ends_with(ending)))
}

/// The number in a line that tells nothing else: `exit code: 2`, `[exited with status 1]`.
fn exit_code(line: &str) -> Option<u32> {
    let line = line
        .trim()
        .trim_matches(['[', ']', '(', ')', '<', '>', '.'])
        .to_lowercase();
    let words: Vec<&str> = line
        .split([' ', ':', '='])
        .filter(|word| !word.is_empty())
        .collect();
    let (number, words) = words.split_last()?;
    const SAYING: &[&str] = &[
        "command", "process", "exit", "exited", "with", "code", "status", "failed", "returned",
        "finished",
    ];
    let exits = words.iter().any(|word| word.starts_with("exit"));
    (exits && words.iter().all(|word| SAYING.contains(word)))
        .then(|| number.parse().ok())
        .flatten()
}
