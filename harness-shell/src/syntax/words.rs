//! Words: quotations, and the pieces between them.

use std::borrow::Cow;

use super::cursor::{Cursor, Unreadable};
use super::script::{Certainty, Expansions, Substitution, Word};

/// Whether an unquoted byte ends a word.
pub(super) const fn ends_word(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}

/// Whether an unquoted byte is more than itself inside a word.
const fn is_special(byte: u8) -> bool {
    ends_word(byte)
        || matches!(
            byte,
            b'\\' | b'\'' | b'"' | b'$' | b'`' | b'*' | b'?' | b'[' | b'{' | b'~'
        )
}

/// Whether a byte is a visible character of ASCII and no more than itself. Most are told first.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'-' | b'.' | b'/')
        || (byte.is_ascii_graphic() && !is_special(byte))
}

/// Whether there is a control character, or a blank beyond ASCII: whether those part words depends
/// on the locale.
fn is_odd(piece: &str) -> bool {
    let odd = |ch: char| ch.is_control() || (ch.is_whitespace() && !ch.is_ascii());
    piece.chars().any(odd)
}

impl<'a> Word<'a> {
    pub(super) fn push(&mut self, text: &'a str) {
        if self.text.is_empty() {
            self.text = Cow::Borrowed(text);
        } else {
            self.text.to_mut().push_str(text);
        }
    }

    pub(super) fn push_char(&mut self, ch: char) {
        self.text.to_mut().push(ch);
    }

    pub(super) fn expansions(&mut self) -> &mut Expansions<'a> {
        self.expansions.get_or_insert_default()
    }

    /// The substitutions of another word are part of this one.
    pub(super) fn take_substitutions(&mut self, other: Self) {
        if let Some(other) = other.expansions {
            self.expansions().substitutions.extend(other.substitutions);
        }
    }

    /// A part that is not literal comes here.
    pub(super) fn unknown(&mut self, certainty: Certainty, is_first: bool) {
        self.certainty = self.certainty.max(certainty);
        self.begins_unknown |= is_first;
    }
}

impl<'a> Cursor<'a> {
    /// A word, up to an unquoted blank or operator; `None` where none begins.
    pub(super) fn word(&mut self) -> Result<Option<Word<'a>>, Unreadable> {
        let start = self.place();
        let mut word = Word::default();
        let mut brace = false;
        loop {
            let is_first = self.place() == start;
            let piece = self.piece()?;
            if brace && (piece.contains(',') || piece.contains("..")) {
                word.unknown(Certainty::Output, true);
            }
            word.push(piece);
            let is_first = is_first && piece.is_empty();
            let Some(byte) = self.peek() else { break };
            match byte {
                b'<' | b'>' if is_first && self.peek_next() == Some(b'(') => {
                    self.next();
                    self.next();
                    self.substitution(&mut word, is_first)?;
                }
                byte if ends_word(byte) => break,
                b'\\' => self.escape(&mut word)?,
                b'\'' => {
                    self.next();
                    word.quoted = true;
                    word.push(self.single_quoted()?);
                }
                b'"' => {
                    self.next();
                    word.quoted = true;
                    self.double_quoted(&mut word, is_first)?;
                }
                b'$' => self.dollar(&mut word, is_first)?,
                b'`' => self.back_ticks(&mut word, is_first)?,
                b'~' => {
                    self.next();
                    let alone = self
                        .peek()
                        .is_none_or(|next| next == b'/' || ends_word(next));
                    word.home |= is_first && alone;
                    // Another's home, or a folder that the shell remembers.
                    if is_first && !alone {
                        word.unknown(Certainty::Variable, true);
                        word.expansions().variables.push(None);
                    }
                    word.push("~");
                }
                b'{' => {
                    // `{}` alone is a placeholder; with a comma or dots, several words.
                    self.next();
                    brace = true;
                    word.push("{");
                }
                _ => {
                    let place = self.place();
                    self.next();
                    word.unknown(Certainty::Pattern, is_first);
                    word.push(self.since(place));
                }
            }
        }
        // An opening bracket alone is a command, not a pattern.
        if self.since(start) == "[" {
            return Ok(Some(Word {
                text: Cow::Borrowed("["),
                ..Word::default()
            }));
        }
        Ok((self.place() != start).then_some(word))
    }

    /// What of a word is itself.
    fn piece(&mut self) -> Result<&'a str, Unreadable> {
        let place = self.place();
        let plain = self.run(is_plain);
        if self.peek().is_none_or(is_special) {
            return Ok(plain);
        }
        self.go_back(place);
        let piece = self.run_until(is_special);
        if is_odd(piece) {
            return Err(Unreadable::Syntax);
        }
        Ok(piece)
    }

    fn escape(&mut self, word: &mut Word<'a>) -> Result<(), Unreadable> {
        self.next();
        let place = self.place();
        match self.next().ok_or(Unreadable::Unclosed)? {
            '\n' => {}
            _ => {
                word.quoted = true;
                word.push(self.since(place));
            }
        }
        Ok(())
    }

    fn single_quoted(&mut self) -> Result<&'a str, Unreadable> {
        let text = self.run_until(|byte| byte == b'\'');
        if self.eat("'") {
            Ok(text)
        } else {
            Err(Unreadable::Unclosed)
        }
    }

    /// Behind `"`, to the next one.
    pub(super) fn double_quoted(
        &mut self,
        word: &mut Word<'a>,
        is_first: bool,
    ) -> Result<(), Unreadable> {
        self.expanded(word, is_first, Some(b'"'))
    }

    /// The body of a here-document.
    pub(super) fn body(&mut self) -> Result<Word<'a>, Unreadable> {
        let mut word = Word::default();
        self.expanded(&mut word, false, None)?;
        Ok(word)
    }

    /// Text in which `$`, `` ` `` and `\` alone mean something, up to `end`.
    pub(super) fn expanded(
        &mut self,
        word: &mut Word<'a>,
        mut is_first: bool,
        end: Option<u8>,
    ) -> Result<(), Unreadable> {
        let stops = |byte: u8| matches!(byte, b'\\' | b'$' | b'`') || Some(byte) == end;
        loop {
            let piece = self.run_until(stops);
            is_first &= piece.is_empty();
            word.push(piece);
            match self.peek() {
                None if end.is_none() => return Ok(()),
                None => return Err(Unreadable::Unclosed),
                Some(b'\\') => {
                    self.next();
                    let place = self.place();
                    match self.peek() {
                        Some(b'\n') => drop(self.next()),
                        Some(b'$' | b'`' | b'"' | b'\\') => {
                            self.next();
                            word.push(self.since(place));
                        }
                        _ => word.push("\\"),
                    }
                    is_first = false;
                }
                Some(b'$') => {
                    self.dollar_in_quotes(word, is_first)?;
                    is_first = false;
                }
                Some(b'`') => {
                    self.back_ticks(word, is_first)?;
                    is_first = false;
                }
                Some(_) => {
                    self.next();
                    return Ok(());
                }
            }
        }
    }

    /// `` ` … ` ``: a script in which `` \` ``, `\\` and `\$` lose their backslash.
    pub(super) fn back_ticks(
        &mut self,
        word: &mut Word<'a>,
        is_first: bool,
    ) -> Result<(), Unreadable> {
        self.next();
        let mut text = String::new();
        loop {
            text.push_str(self.run_until(|byte| matches!(byte, b'`' | b'\\')));
            match self.next().ok_or(Unreadable::Unclosed)? {
                '`' => break,
                _ => match self.next().ok_or(Unreadable::Unclosed)? {
                    ch @ ('`' | '\\' | '$') => text.push(ch),
                    // Undone inside a double quotation only: which one this is, is told elsewhere.
                    '"' => return Err(Unreadable::Syntax),
                    ch => text.extend(['\\', ch]),
                },
            }
        }
        word.unknown(Certainty::Output, is_first);
        word.expansions()
            .substitutions
            .push(Substitution::Text(text));
        Ok(())
    }
}
