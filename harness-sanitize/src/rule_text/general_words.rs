//! Words that carry nothing, even where one is all of a leaf: those that every rule is made of.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::atoms::look;

/// Whether a word, as it looks, says nothing about the evidence.
pub(super) fn is_general(look: &str) -> bool {
    LOOKS.contains(look)
}

/// A word may be no more than a value somewhere (`true`, `error`), so it must be one that tells
/// nothing about anyone.
#[rustfmt::skip]
static GENERAL: &[&str] = &[
    "a", "access", "action", "add", "after", "again", "all", "always", "an", "and", "another",
    "answer", "any", "api", "argument", "arguments", "as", "ask", "at", "available", "be", "before",
    "by", "call", "calls", "cannot", "change", "check", "command", "confirm", "content", "csv",
    "data", "date", "default", "delete", "different", "do", "done", "each", "else", "empty", "end",
    "error", "errors", "exact", "exists", "fail", "failed", "fails", "false", "file", "files",
    "final", "find", "first", "folder", "for", "format", "found", "from", "get", "has", "help",
    "how", "html", "http", "https", "i", "id", "if", "in", "information", "input", "instead",
    "invalid", "is", "it", "its", "json", "key", "know", "last", "list", "look", "make", "message",
    "missing", "more", "must", "name", "names", "never", "new", "next", "no", "none", "not", "null",
    "number", "of", "ok", "on", "once", "one", "only", "open", "or", "other", "output", "path",
    "permission", "read", "reason", "repeat", "report", "request", "required", "result", "results",
    "retry", "return", "run", "same", "search", "see", "session", "set", "show", "sql", "start",
    "state", "status", "step", "steps", "stop", "success", "system", "task", "test", "text", "that",
    "the", "them", "then", "there", "this", "time", "to", "token", "tool", "tools", "true", "try",
    "turn", "type", "undefined", "unknown", "unless", "until", "update", "url", "use", "used",
    "user", "utc", "valid", "value", "values", "wait", "was", "what", "when", "where", "which",
    "with", "without", "write", "yes", "you",
];

static LOOKS: LazyLock<HashSet<String>> =
    LazyLock::new(|| GENERAL.iter().map(|word| look(word)).collect());
