//! One line as an argument vector: words split as a POSIX shell splits them, and nothing expanded.
//!
//! What a shell would expand, redirect or chain is refused rather than taken literally: a caller
//! who wrote `*` or `|` meant a shell, and there is none.

use harness_core::Quoted;

use crate::decision::quoted;

/// Bytes of a line at most.
pub const MAX_LINE: usize = 4096;

/// Characters that mean something to a shell where they stand unquoted.
const META: &str = ";&|<>()$`*?[]{}!#~\n\r";

/// Why a line is no argument vector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The model's fault: too long.
    #[error("the line is longer than {MAX_LINE} bytes")]
    TooLong,
    /// The model's fault: nothing in it.
    #[error("the line is empty")]
    Empty,
    /// The model's fault: a quotation is not closed, or a backslash is last.
    #[error("{0} ends within a quotation")]
    Unclosed(String),
    /// The model's fault: a shell would act on this character.
    #[error("the line holds the metacharacter {0}: there is no shell; quote it or leave it out")]
    Metacharacter(String),
}

/// Splits `line`.
///
/// # Errors
/// See [`LineError`].
pub fn split(line: &str) -> Result<Vec<String>, LineError> {
    if line.len() > MAX_LINE {
        return Err(LineError::TooLong);
    }
    let unclosed = || LineError::Unclosed(quoted(line));
    let meta = |ch: char| LineError::Metacharacter(Quoted(&ch.to_string()).to_string());
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.trim_matches([' ', '\t']).chars();
    while let Some(ch) = chars.next() {
        match ch {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(unclosed)? {
                        '\'' => break,
                        ch => word.push(ch),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(unclosed)? {
                        '"' => break,
                        ch @ ('$' | '`') => return Err(meta(ch)),
                        '\\' => match chars.next().ok_or_else(unclosed)? {
                            ch @ ('"' | '\\' | '$' | '`') => word.push(ch),
                            '\n' => {}
                            ch => word.extend(['\\', ch]),
                        },
                        ch => word.push(ch),
                    }
                }
            }
            '\\' => match chars.next().ok_or_else(unclosed)? {
                '\n' => {}
                ch => word.get_or_insert_default().push(ch),
            },
            // A comment sign and a tilde mean something only where a word starts.
            '#' | '~' if word.is_some() => word.get_or_insert_default().push(ch),
            ch if META.contains(ch) => return Err(meta(ch)),
            ch => word.get_or_insert_default().push(ch),
        }
    }
    words.extend(word);
    if words.is_empty() {
        Err(LineError::Empty)
    } else {
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_words() {
        for (line, words) in [
            ("cat a b", &["cat", "a", "b"][..]),
            ("  cat\t'a b'  ", &["cat", "a b"]),
            (r#"jq '.[] | .a' "x y""#, &["jq", ".[] | .a", "x y"]),
            (r#"a"b"'c'\d ''"#, &["abcd", ""]),
            (r#""a\"b\\c\d""#, &[r#"a"b\c\d"#]),
            ("a~b c#d", &["a~b", "c#d"]),
        ] {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
    }

    #[test]
    fn what_a_shell_would_act_on_is_refused() {
        for line in [
            "a; b", "a & b", "a | b", "a > b", "a < b", "$(a)", "`a`", "a $b", "\"$b\"", "\"`b`\"",
            "a *", "a ?", "{a,b}", "~/x", "# x", "a\nb", "!a",
        ] {
            assert!(
                matches!(split(line), Err(LineError::Metacharacter(_))),
                "{line}"
            );
        }
        assert!(matches!(split("a 'b"), Err(LineError::Unclosed(_))));
        assert_eq!(split(" "), Err(LineError::Empty));
    }
}
