//! Settings out of variables: a field each, and a bad value is named.
//!
//! A crate that has settings says of each field how its text is read and what is allowed; this says
//! which variable is of which field, and whose fault a bad value is.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::Quoted;

/// Prefix of the variables: a field `name` is set by `HARNESS_NAME`.
pub const PREFIX: &str = "HARNESS_";

/// A bad value of a setting. The operator's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// The variable.
    pub variable: String,
    /// The value, escaped and shortened.
    pub shown: String,
    /// What is allowed.
    pub allowed: &'static str,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            variable,
            shown,
            allowed,
        } = self;
        write!(f, "{variable}={shown} is not allowed: {allowed}")
    }
}

impl Error for SettingError {}

/// Calls `set` with the field and the text of each of `variables` (names and values) that has the
/// prefix. `set` leaves alone what is no field of its own, as other crates have theirs, and answers
/// a bad text with what is allowed.
///
/// # Errors
/// The first value that is not allowed.
pub fn set_from_variables<'a>(
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    mut set: impl FnMut(&str, &str) -> Result<(), &'static str>,
) -> Result<(), SettingError> {
    for (name, value) in variables {
        let Some(field) = name.strip_prefix(PREFIX) else {
            continue;
        };
        set(&field.to_ascii_lowercase(), value.trim()).map_err(|allowed| SettingError {
            variable: name.to_owned(),
            shown: Quoted(value).to_string(),
            allowed,
        })?;
    }
    Ok(())
}

/// A number from `least` to `most`.
pub fn number<T: FromStr + PartialOrd>(text: &str, least: T, most: T) -> Option<T> {
    let number = text.parse().ok();
    number.filter(|number| *number >= least && *number <= most)
}

/// `true` or `false`, also written `1` and `0`.
pub fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variable_of_ours_sets_its_field_and_a_bad_value_is_named() {
        let set = |variables: &[(&'static str, &'static str)]| {
            let mut seen = Vec::new();
            let result = set_from_variables(variables.iter().copied(), |field, text| {
                seen.push(format!("{field}={text}"));
                number(text, 1, 9).map(drop).ok_or("a number from 1 to 9")
            });
            (seen, result.map_err(|error| error.to_string()))
        };
        assert_eq!(
            set(&[("HARNESS_MAX_TURNS", " 7 "), ("PATH", "x")]),
            (vec!["max_turns=7".to_owned()], Ok(()))
        );
        let (_, refused) = set(&[("HARNESS_MAX_TURNS", "1\u{1b}[m")]);
        assert_eq!(
            refused.unwrap_err(),
            r"HARNESS_MAX_TURNS=`1\u{1b}[m` is not allowed: a number from 1 to 9"
        );
    }

    #[test]
    fn a_number_is_within_its_bounds() {
        assert_eq!(number("0.5", 0.0, 1.0), Some(0.5));
        assert_eq!(number("9", 1, 9), Some(9));
        for text in ["", "10", "0", "-1", "1.5", "one"] {
            assert_eq!(number(text, 1, 9), None, "{text}");
        }
        assert_eq!(number("nan", 0.0, 1.0), None);
    }
}
