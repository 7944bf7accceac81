//! Which class of failure an error's own words name.

use harness_core::ErrorClass;

/// Characters of a message that are looked at: an error says at its start what it is.
const HEAD: usize = 400;

/// The class that `message` names, if it names one. The first phrase of the table that occurs
/// decides, so what is specific stands before what is general.
pub(crate) fn named_in(message: &str) -> Option<ErrorClass> {
    let head: String = message
        .chars()
        .take(HEAD)
        .flat_map(char::to_lowercase)
        .collect();
    PHRASES
        .iter()
        .find(|(_, phrases)| phrases.iter().any(|phrase| head.contains(phrase)))
        .map(|(class, _)| *class)
        .or_else(|| code_in(&head))
}

/// The class of an HTTP status that is an error.
pub(crate) const fn of_http(status: u64) -> Option<ErrorClass> {
    Some(match status {
        400 | 422 => ErrorClass::InvalidArgument,
        401 => ErrorClass::Unauthenticated,
        402 => ErrorClass::Insufficient,
        403 => ErrorClass::PermissionDenied,
        404 | 410 => ErrorClass::NotFound,
        408 | 504 => ErrorClass::Timeout,
        409 | 412 | 423 => ErrorClass::Conflict,
        429 => ErrorClass::RateLimited,
        502 | 503 => ErrorClass::Unavailable,
        500 => ErrorClass::Internal,
        other if other / 100 == 4 || other / 100 == 5 => ErrorClass::Other,
        _ => return None,
    })
}

/// An HTTP status behind a word that announces one: `error 404`, `status code: 503`.
fn code_in(head: &str) -> Option<ErrorClass> {
    let mut words = head
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .peekable();
    while let Some(word) = words.next() {
        let announced = matches!(word, "http" | "error" | "status" | "code");
        if let (true, Some(next)) = (announced, words.peek())
            && next.len() == 3
            && let Some(class) = next.parse().ok().and_then(of_http)
        {
            return Some(class);
        }
    }
    None
}

/// In lower case.
const PHRASES: &[(ErrorClass, &[&str])] = &[
    (
        ErrorClass::MalformedCall,
        &[
            "invalid json",
            "not valid json",
            "json decode",
            "jsondecodeerror",
            "could not parse argument",
            "failed to parse argument",
            "malformed",
            "unexpected end of json",
        ],
    ),
    (
        ErrorClass::UnknownTool,
        &[
            "unknown tool",
            "unknown function",
            "unknown action",
            "unknown command",
            "no such tool",
            "no tool named",
            "tool not found",
            "function not found",
            "command not found",
            "unsupported capability",
        ],
    ),
    (
        ErrorClass::MissingArgument,
        &[
            "missing required",
            "required argument",
            "required parameter",
            "required property",
            "required positional",
            "field required",
            "missing argument",
            "missing parameter",
            "missing field",
            "is required",
            "must be provided",
        ],
    ),
    (
        ErrorClass::RateLimited,
        &["rate limit", "rate-limit", "ratelimit", "too many requests"],
    ),
    (
        ErrorClass::Timeout,
        &["timed out", "timeout", "time-out", "deadline exceeded"],
    ),
    (
        ErrorClass::Unauthenticated,
        &[
            "unauthenticated",
            "unauthorized",
            "not logged in",
            "not authenticated",
            "authentication",
            "invalid api key",
            "invalid token",
            "expired token",
            "token expired",
        ],
    ),
    (
        ErrorClass::PermissionDenied,
        &[
            "permission denied",
            "access denied",
            "forbidden",
            "not permitted",
            "not authorized",
            "not allowed",
            "read-only file system",
        ],
    ),
    (
        ErrorClass::Insufficient,
        &[
            "insufficient",
            "not enough",
            "out of stock",
            "out of memory",
            "no space left",
            "quota exceeded",
            "limit exceeded",
        ],
    ),
    (
        ErrorClass::NotFound,
        &[
            "not found",
            "does not exist",
            "doesn't exist",
            "no such",
            "could not find",
            "cannot find",
            "can't find",
            "unknown id",
            "no longer exists",
        ],
    ),
    (
        ErrorClass::Conflict,
        &[
            "already",
            "conflict",
            "not eligible",
            "not pending",
            "non-pending",
            "no longer",
            "not available",
            "cannot be",
            "can't be",
            "in use",
        ],
    ),
    (
        ErrorClass::Unavailable,
        &[
            "unavailable",
            "connection refused",
            "connection reset",
            "connection error",
            "could not connect",
            "failed to connect",
            "unreachable",
            "name resolution",
            "network error",
        ],
    ),
    (
        ErrorClass::InvalidArgument,
        &[
            "invalid",
            "not a valid",
            "unexpected keyword",
            "unexpected argument",
            "unrecognized",
            "must be",
            "must match",
            "must not",
            "should be",
            "does not match",
            "do not match",
            "does not add up",
            "out of range",
            "unsupported",
            "bad request",
            "unprocessable",
            "valueerror",
            "typeerror",
        ],
    ),
    (
        ErrorClass::Internal,
        &[
            "internal",
            "traceback",
            "panicked",
            "segmentation fault",
            "unhandled exception",
        ],
    ),
    // Found only after all that is plainer: "no customer found with that number".
    (
        ErrorClass::NotFound,
        &[" found with", " found for", "no results", "no match"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use ErrorClass as E;

    #[test]
    fn the_words_of_an_error_name_its_class() {
        for (message, class) in [
            (
                "Error: no shelf named B9 was found; item not found",
                E::NotFound,
            ),
            ("missing required argument: depth", E::MissingArgument),
            ("depth must be positive", E::InvalidArgument),
            ("Arguments are not valid JSON", E::MalformedCall),
            ("there is no tool named teleport", E::UnknownTool),
            ("403 Forbidden", E::PermissionDenied),
            ("you are not logged in", E::Unauthenticated),
            ("the parcel was already shipped", E::Conflict),
            ("not enough stamps", E::Insufficient),
            ("Too Many Requests", E::RateLimited),
            ("the request timed out", E::Timeout),
            ("connection refused", E::Unavailable),
            ("internal server error", E::Internal),
            ("error 404", E::NotFound),
            ("status code: 503", E::Unavailable),
        ] {
            assert_eq!(named_in(message), Some(class), "{message}");
        }
    }

    #[test]
    fn other_words_name_none() {
        for message in ["", "oops", "error", "room 404", "code 200", "error 4040"] {
            assert_eq!(named_in(message), None, "{message}");
        }
    }

    #[test]
    fn only_error_statuses_are_failures() {
        assert_eq!(of_http(404), Some(E::NotFound));
        assert_eq!(of_http(418), Some(E::Other));
        for fine in [0, 200, 204, 302, 399, 600] {
            assert_eq!(of_http(fine), None, "{fine}");
        }
    }
}
