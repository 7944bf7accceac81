//! Control sequences (ECMA-48, as terminals read them), control characters and the invisible.
//!
//! A sequence goes as a whole, in its 7-bit form (`ESC [`) and its 8-bit form (U+009B). A string
//! (OSC, DCS, SOS, PM, APC) goes with its body up to its terminator; without one it ends with its
//! line, so that a stray introducer cannot swallow a text. Every form of line end becomes `\n`.

use harness_core::text::form::{drawn_at_start, is_control};
use harness_core::text::{Attachment, hidden};

const BEL: char = '\u{07}';
const CANCEL: char = '\u{18}';
const SUBSTITUTE: char = '\u{1A}';
const ESC: char = '\u{1B}';
const STRING_TERMINATOR: char = '\u{9C}';

/// The text without control sequences, control characters and invisible characters, line ends
/// normalised. Linear in its length.
pub(crate) fn strip(text: &str) -> String {
    let (text, _) = visible(text, End::Here);
    if text.is_ascii() || !text.contains(Attachment::concerns) {
        return text;
    }
    attached(&text)
}

/// Drops the joiners and variation selectors that act on nothing.
fn attached(text: &str) -> String {
    let mut attachment = Attachment::default();
    let mut chars = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(ch) = chars.next() {
        if attachment.accepts(ch, chars.peek().copied()) {
            out.push(ch);
        }
    }
    out
}

/// Whether a piece of text is the last of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Nothing follows: a sequence that is not complete goes all the same.
    Here,
    /// More follows: a sequence that may not be complete is left.
    More,
}

/// The visible characters of a piece of text, and how many of its bytes they cover.
pub(crate) fn visible(text: &str, end: End) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut rest = Rest {
        text,
        endless: false,
    };
    loop {
        let plain = drawn_at_start(rest.text.as_bytes());
        out.push_str(rest.text.get(..plain).unwrap_or_default());
        rest.skip_bytes(plain);
        let before = rest.text;
        let Some(ch) = rest.next() else { break };
        match ch {
            '\r' => {
                rest.skip_while(|next| next == '\r');
                rest.skip_one(|next| next == '\n');
            }
            _ => introduced(ch, &mut rest),
        }
        let sequence = matches!(ch, '\r' | ESC | '\u{80}'..='\u{9F}');
        if end == End::More && sequence && (rest.text.is_empty() || rest.endless) {
            return (out, text.len() - before.len());
        }
        match ch {
            '\r' | '\u{0B}' | '\u{0C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            _ if is_control(ch) || (hidden(ch) && !Attachment::concerns(ch)) => {}
            _ => out.push(ch),
        }
    }
    (out, text.len())
}

/// How many bytes of `text` the sequence at its start takes; 0 where none is.
pub(crate) fn sequence_at_start(text: &str) -> usize {
    let mut rest = Rest {
        text,
        endless: false,
    };
    match rest.next() {
        Some(ch @ (ESC | '\u{80}'..='\u{9F}')) => introduced(ch, &mut rest),
        _ => return 0,
    }
    text.len() - rest.text.len()
}

/// After `ch`: the rest of the sequence that it introduces, if it does.
fn introduced(ch: char, rest: &mut Rest<'_>) {
    match ch {
        ESC => escape(rest),
        '\u{9B}' => control_sequence(rest),
        '\u{90}' | '\u{98}' | '\u{9D}' | '\u{9E}' | '\u{9F}' => rest.skip_string(),
        '\u{8E}' | '\u{8F}' => rest.skip_one(|next| next.is_ascii_graphic()),
        _ => {}
    }
}

/// After `ESC`.
fn escape(rest: &mut Rest<'_>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            control_sequence(rest);
        }
        // OSC, DCS, SOS, PM, APC; `k` is the window title of screen and tmux.
        Some(']' | 'P' | 'X' | '^' | '_' | 'k') => {
            rest.next();
            rest.skip_string();
        }
        // Single shifts take the character that they shift.
        Some('N' | 'O') => {
            rest.next();
            rest.skip_one(|next| next.is_ascii_graphic());
        }
        Some(' '..='/') => {
            rest.skip_while(|next| matches!(next, ' '..='/'));
            rest.skip_one(|next| matches!(next, '0'..='~'));
        }
        Some('0'..='~') => {
            rest.next();
        }
        _ => {}
    }
}

/// After `ESC [`: parameters and intermediates, then one final character. Terminals ignore
/// control characters in between, and so does this.
fn control_sequence(rest: &mut Rest<'_>) {
    rest.skip_while(|next| {
        let ends = matches!(next, '\t' | '\n' | '\r' | CANCEL | SUBSTITUTE | ESC);
        matches!(next, ' '..='?') || (next.is_ascii_control() && !ends)
    });
    rest.skip_one(|next| matches!(next, '@'..='~' | CANCEL | SUBSTITUTE));
}

/// What is left of the text.
struct Rest<'a> {
    text: &'a str,
    /// Set once nothing that could end a string is left, so that it is looked for only once.
    endless: bool,
}

impl Rest<'_> {
    fn peek(&self) -> Option<char> {
        self.text.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.text.chars();
        let next = chars.next();
        self.text = chars.as_str();
        next
    }

    fn skip_one(&mut self, wanted: impl Fn(char) -> bool) {
        if self.peek().is_some_and(wanted) {
            self.next();
        }
    }

    fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        self.text = self.text.trim_start_matches(wanted);
    }

    fn skip_bytes(&mut self, count: usize) {
        self.text = self.text.get(count..).unwrap_or_default();
    }

    /// Skips the body of a string, and its terminator.
    fn skip_string(&mut self) {
        let stop = if self.endless {
            None
        } else {
            self.text.find(stops_string)
        };
        self.endless = stop.is_none();
        let body = stop.map_or(self.text, |at| self.text.get(..at).unwrap_or_default());
        let after = self.text.get(body.len()..).unwrap_or_default();
        let terminator = [BEL, STRING_TERMINATOR]
            .into_iter()
            .find(|&ch| after.starts_with(ch));
        if let Some(terminator) = terminator {
            self.skip_bytes(body.len() + terminator.len_utf8());
        } else if after.starts_with("\u{1B}\\") {
            self.skip_bytes(body.len() + 2);
        } else {
            let line = body.find(['\n', '\r']).unwrap_or(body.len());
            self.skip_bytes(line);
        }
    }
}

/// What ends a string or cannot be inside one.
fn stops_string(ch: char) -> bool {
    matches!(ch, BEL | CANCEL | SUBSTITUTE | ESC | '\u{80}'..='\u{9F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_goes_as_a_whole() {
        for (dirty, clean) in [
            ("a\u{1B}[31;1mb\u{1B}[0m", "ab"),
            ("a\u{9B}31mb", "ab"),
            ("\u{1B}]0;title\u{07}ok", "ok"),
            (
                "\u{1B}]8;;https://x.test\u{1B}\\link\u{1B}]8;;\u{1B}\\",
                "link",
            ),
            ("\u{9D}0;title\u{9C}ok", "ok"),
            ("\u{1B}P1$tx\u{9C}ok", "ok"),
            (
                "\u{1B}_apc\u{1B}\\ok\u{1B}^pm\u{1B}\\\u{1B}Xsos\u{1B}\\",
                "ok",
            ),
            ("\u{1B}ktitle\u{1B}\\ok", "ok"),
            ("\u{1B}(B\u{1B}#8\u{1B}=\u{1B}cok", "ok"),
            ("\u{1B}OAok\u{8F}A", "ok"),
            ("\u{1B}[3\u{08}1mok", "ok"),
            ("ok\u{1B}", "ok"),
            ("ok\u{1B}[", "ok"),
            ("ok\u{1B}[31", "ok"),
            ("ok\u{1B}]0;title", "ok"),
            ("\u{1B}P two\nlines \u{1B}\\ok", "ok"),
        ] {
            assert_eq!(strip(dirty), clean, "{dirty:?}");
        }
    }

    #[test]
    fn a_string_without_a_terminator_ends_with_its_line() {
        assert_eq!(strip("\u{1B}]0;title\nkept"), "\nkept");
        assert_eq!(strip("\u{1B}Pbody\nkept \u{1B}[1mtoo"), "\nkept too");
        assert_eq!(strip("\u{9D}a\nb\u{9D}c\nd"), "\nb\nd");
    }

    #[test]
    fn a_sequence_leaves_its_neighbours_alone() {
        assert_eq!(strip("\u{1B}é"), "é");
        assert_eq!(strip("\u{1B}[31é"), "é");
        assert_eq!(strip("\u{1B}\u{1B}[mx"), "x");
        assert_eq!(strip("[31m is text"), "[31m is text");
    }

    #[test]
    fn line_ends_become_one_kind() {
        assert_eq!(
            strip("a\r\nb\rc\r\r\nd\u{85}e\u{2028}f\u{0C}g"),
            "a\nb\nc\nd\ne\nf\ng"
        );
    }
}
