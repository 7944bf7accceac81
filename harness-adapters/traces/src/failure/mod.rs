//! Whether a tool's result says that the call failed.
//!
//! Tools have no common way of saying so; these are the common ones. The rule is to believe a
//! result that *announces* a failure in the place where its form announces one (an `error` field,
//! the first words, an exit code), and nothing else: a page about errors, an empty list or an
//! order whose status is `failed` are answers.

mod structured;
mod text;

use harness_core::ErrorClass;
use serde_json::Value;

/// Bytes of a result that is read as JSON; a longer one is judged by its first words.
const MAX_JSON: usize = 1 << 20;

/// How the call failed, if `result` says that it did.
pub fn classify(result: &str) -> Option<ErrorClass> {
    let result = result.trim();
    let looks_like_json = result.starts_with(['{', '[', '"']) && result.len() <= MAX_JSON;
    if looks_like_json && let Ok(value) = serde_json::from_str::<Value>(result) {
        return structured::classify(&value);
    }
    text::classify(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ErrorClass as E;

    #[test]
    fn a_field_that_announces_a_failure_is_believed() {
        for (result, class) in [
            (r#"{"error":"shelf not found"}"#, E::NotFound),
            (
                r#"{"error":{"message":"depth is required"}}"#,
                E::MissingArgument,
            ),
            (
                r#"{"ok":false,"error":"depth must be positive"}"#,
                E::InvalidArgument,
            ),
            (r#"{"success":false}"#, E::Other),
            (
                r#"{"isError":true,"content":[{"type":"text","text":"request timed out"}]}"#,
                E::Timeout,
            ),
            (r#"{"status":429,"message":"slow down"}"#, E::RateLimited),
            (
                r#"{"status":"error","message":"internal failure"}"#,
                E::Internal,
            ),
            (r#"{"code":403,"message":"no"}"#, E::PermissionDenied),
            (
                r#"{"errors":[{"message":"unknown id 7"}],"data":null}"#,
                E::NotFound,
            ),
            (
                r#"{"stdout":"","stderr":"sh: frob: command not found","exit_code":127}"#,
                E::UnknownTool,
            ),
            (
                r#"{"stdout":"","stderr":"no such file","exit_code":1}"#,
                E::NotFound,
            ),
            (r#""Error: shelf not found""#, E::NotFound),
            (
                r#"[{"type":"text","text":"Error: not enough stamps"}]"#,
                E::Insufficient,
            ),
        ] {
            assert_eq!(classify(result), Some(class), "{result}");
        }
    }

    #[test]
    fn an_answer_in_json_is_an_answer() {
        for result in [
            "[]",
            "{}",
            "null",
            "0",
            r#"{"error":null,"items":[]}"#,
            r#"{"error":"","ok":true}"#,
            r#"{"ok":true,"error":"none"}"#,
            r#"{"success":true,"data":{"error":"in the log"}}"#,
            r#"{"status":200,"body":"error handling, a guide"}"#,
            r#"{"order":7,"status":"failed","message":"the card was declined"}"#,
            r#"{"status":"error","id":3,"rows":[1]}"#,
            r#"{"code":404,"city":"Basel"}"#,
            r#"{"file":"a.rs","errors":[{"line":3,"message":"unused"}]}"#,
            r#"{"stdout":"","stderr":"","exit_code":1}"#,
            r#"[{"title":"Error: the film"}]"#,
            r#"[{"type":"text","text":"three errors were fixed"}]"#,
        ] {
            assert_eq!(classify(result), None, "{result}");
        }
    }

    #[test]
    fn first_words_that_announce_a_failure_are_believed() {
        for (result, class) in [
            ("Error: shelf not found", E::NotFound),
            (
                "error while moving: the shelf is already empty",
                E::Conflict,
            ),
            (
                "Traceback (most recent call last):\n  File \"x\"\nKeyError: 'a'",
                E::Internal,
            ),
            ("ValueError: depth should be positive", E::InvalidArgument),
            ("java.io.IOException: broken pipe", E::Other),
            ("HTTP 503 Service Unavailable", E::Unavailable),
            ("HTTP/1.1 404 Not Found", E::NotFound),
            ("403 Forbidden", E::PermissionDenied),
            ("Forbidden.", E::PermissionDenied),
            ("Shelf B9 not found.", E::NotFound),
            ("/bin/bash: line 1: frob: command not found", E::UnknownTool),
            ("cat: notes: No such file or directory", E::NotFound),
            ("[ERROR] failed", E::Other),
            ("building\nerror in step 3\nexit code: 2", E::Other),
            ("no such file\n[exited with status 1]", E::NotFound),
        ] {
            assert_eq!(classify(result), Some(class), "{result}");
        }
    }

    #[test]
    fn a_text_that_speaks_of_errors_is_an_answer() {
        for result in [
            "",
            "Errors and how to handle them",
            "Error handling in five steps",
            "404 guests were invited",
            "Forbidden City: open until five",
            "Shelf B9 not found.\nThe box is on shelf B8.",
            "lost and found",
            "The call to the office failed to impress anyone",
            "no results",
            "ErrorKind, a page of the manual",
            "done\nexit code: 0",
            "2 of 30 lines differ\nexit code: 1",
            "cat: notes: No such file or directory\n1\n2\n3\n4\n5\n6",
            "log:\nTraceback (most recent call last):\nKeyError",
            "Transfer successful",
        ] {
            assert_eq!(classify(result), None, "{result}");
        }
    }
}
