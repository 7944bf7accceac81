//! Refused input as it may appear in an error message: escaped, shortened, in back-ticks.

use std::fmt;

/// Displays refused input safely: control, escape and other odd characters escaped, at most
/// [`Quoted::MAX_CHARS`] characters, wrapped in back-ticks.
///
/// ```
/// # use harness_core::Quoted;
/// assert_eq!(Quoted("a\u{1b}[31m").to_string(), r"`a\u{1b}[31m`");
/// ```
#[derive(Clone, Copy)]
pub struct Quoted<'a>(pub &'a str);

impl Quoted<'_> {
    /// Characters of the input that are shown before `…` replaces the rest.
    pub const MAX_CHARS: usize = 48;
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`")?;
        for character in self.0.chars().take(Self::MAX_CHARS) {
            match character {
                ' '..='~' if character != '`' => write!(f, "{character}")?,
                '`' => write!(f, "{}", character.escape_unicode())?,
                other => write!(f, "{}", other.escape_default())?,
            }
        }
        if self.0.chars().nth(Self::MAX_CHARS).is_some() {
            f.write_str("…")?;
        }
        f.write_str("`")
    }
}

#[cfg(test)]
mod tests {
    use super::Quoted;

    #[test]
    fn long_input_is_shortened() {
        let shown = Quoted(&"x".repeat(200)).to_string();
        assert_eq!(shown, format!("`{}…`", "x".repeat(48)));
    }

    #[test]
    fn a_back_tick_cannot_close_the_quotation() {
        assert_eq!(Quoted("a`b").to_string(), r"`a\u{60}b`");
    }
}
