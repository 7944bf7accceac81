//! sed: `e`, `w` and `r` in any place. A script that is not plainly made of harmless commands is
//! one that reaches out.

use std::iter::Peekable;
use std::str::Chars;

/// Commands that need nothing behind them.
const PLAIN: &str = "pPdDqQ=nNhHgGxlzF";
/// Commands with a label behind them.
const WITH_LABEL: &str = ":btT";
/// Commands with a text up to the end of the line.
const WITH_TEXT: &str = "aic";

/// What in `script` reaches out.
pub(super) fn reaches_out(script: &str) -> Option<&'static str> {
    match harmless(&mut script.chars().peekable()) {
        Some(()) => None,
        None => Some("a command other than plain editing"),
    }
}

/// Reads the whole script; `None` where something is not known to be harmless.
fn harmless(chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    loop {
        while chars
            .next_if(|ch| ch.is_ascii_whitespace() || *ch == ';')
            .is_some()
        {}
        if chars.peek().is_none() {
            return Some(());
        }
        address(chars)?;
        if chars.next_if_eq(&',').is_some() {
            while chars.next_if_eq(&' ').is_some() {}
            address(chars)?;
        }
        while chars.next_if(|ch| matches!(ch, ' ' | '!')).is_some() {}
        match chars.next()? {
            '{' | '}' => continue,
            's' => {
                let delimiter = delimiter(chars)?;
                part(chars, delimiter)?;
                part(chars, delimiter)?;
                while chars
                    .next_if(|ch| "gpiIM0123456789".contains(*ch))
                    .is_some()
                {}
            }
            'y' => {
                let delimiter = delimiter(chars)?;
                part(chars, delimiter)?;
                part(chars, delimiter)?;
            }
            // No backslash carries a remark on.
            '#' => {
                while chars.next_if(|ch| *ch != '\n').is_some() {}
                continue;
            }
            label if WITH_LABEL.contains(label) => {
                while chars.next_if_eq(&' ').is_some() {}
                while chars.next_if(|ch| ch.is_ascii_alphanumeric()).is_some() {}
            }
            text if WITH_TEXT.contains(text) => {
                // A backslash carries the text on to the next line.
                let mut escaped = false;
                while let Some(ch) = chars.next_if(|ch| *ch != '\n' || escaped) {
                    escaped = ch == '\\' && !escaped;
                }
                continue;
            }
            plain if PLAIN.contains(plain) => {
                while chars.next_if(char::is_ascii_digit).is_some() {}
            }
            _ => return None,
        }
        while chars.next_if_eq(&' ').is_some() {}
        match chars.peek() {
            None | Some(';' | '\n' | '}') => {}
            Some(_) => return None,
        }
    }
}

/// A line number, `$`, `/regex/`, or nothing.
fn address(chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    match chars.peek() {
        Some('/') => {
            chars.next();
            part(chars, '/')?;
            while chars.next_if(|ch| matches!(ch, 'I' | 'M')).is_some() {}
        }
        Some('\\') => {
            chars.next();
            let delimiter = delimiter(chars)?;
            part(chars, delimiter)?;
        }
        _ => {
            while chars
                .next_if(|ch| ch.is_ascii_digit() || "$~+".contains(*ch))
                .is_some()
            {}
        }
    }
    Some(())
}

fn delimiter(chars: &mut Peekable<Chars<'_>>) -> Option<char> {
    chars.next().filter(|ch| !matches!(ch, '\\' | '\n'))
}

/// Up to the next delimiter. One inside `[ ]` ends the part for some and not for others: refused.
fn part(chars: &mut Peekable<Chars<'_>>, delimiter: char) -> Option<()> {
    let mut in_brackets = false;
    loop {
        match chars.next()? {
            ch if ch == delimiter => return (!in_brackets).then_some(()),
            '\\' => drop(chars.next()?),
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reaches_out;

    #[test]
    fn scripts_that_reach_out_are_named() {
        for script in [
            "e",
            "b x;e id",
            ":a;e id",
            "#\\\ne id",
            "ta\ne id",
            "b x}e",
            "1e id",
            "s/a/id/e",
            "s/a/b/w f",
            "w f",
            "1r /etc/passwd",
            "R f",
            "W f",
            "xp",
            "s/[/]/x/",
            "s/a/b",
            "s/a/b/;e",
            "/x/{e\n}",
            "a x\ne id",
            "y/a/b/;w f",
            "$!w f",
            "s\\a\\b\\e",
            "s,a,b,ge",
            "b\ne",
            "#n\ne id",
        ] {
            assert!(reaches_out(script).is_some(), "{script}");
        }
    }

    #[test]
    fn plain_editing_does_not() {
        for script in [
            "p",
            "1,5p",
            "$d",
            "/a/,/b/d",
            "s/a/b/",
            "s/a/b/g;s/c/d/",
            "s|/|-|g",
            "y/abc/xyz/",
            "/x/!d",
            "/^$/d",
            "1~2p",
            "/a/{s/b/c/;p}",
            "5q",
            "a hello",
            ":a;N;$!ba;s/x/y/",
            "# e id\np",
            "s/e/w/",
            "s/[ab]/x/",
        ] {
            assert_eq!(reaches_out(script), None, "{script}");
        }
    }
}
