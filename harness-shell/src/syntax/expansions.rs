//! What follows a `$`.

use super::cursor::{Cursor, Unreadable};
use super::script::{Certainty, Substitution, Word};

impl<'a> Cursor<'a> {
    /// At an unquoted `$`.
    pub(super) fn dollar(&mut self, word: &mut Word<'a>, is_first: bool) -> Result<(), Unreadable> {
        match self.peek_next() {
            Some(b'\'') => {
                self.next();
                self.next();
                word.quoted = true;
                self.escaped_quotation(word)
            }
            Some(b'"') => {
                self.next();
                self.next();
                word.quoted = true;
                self.double_quoted(word, is_first)
            }
            _ => self.dollar_in_quotes(word, is_first),
        }
    }

    /// At a `$` where quotation marks mean nothing.
    pub(super) fn dollar_in_quotes(
        &mut self,
        word: &mut Word<'a>,
        is_first: bool,
    ) -> Result<(), Unreadable> {
        let place = self.place();
        self.next();
        match self.peek() {
            Some(b'(') if self.peek_next() == Some(b'(') => self.arithmetic_or(word, is_first),
            Some(b'(') => {
                self.next();
                self.substitution(word, is_first)
            }
            Some(b'{') => {
                self.next();
                self.braced(word, is_first)
            }
            // Numbers, whatever they are.
            Some(b'?' | b'#' | b'$' | b'!') => {
                self.next();
                word.push("0");
                Ok(())
            }
            Some(b'@' | b'*' | b'-' | b'0'..=b'9') => {
                self.next();
                unnamed(word, is_first);
                Ok(())
            }
            Some(byte) if byte == b'_' || byte.is_ascii_alphabetic() => {
                let name = self.run(is_name);
                named(word, name, is_first);
                Ok(())
            }
            _ => {
                word.push(self.since(place));
                Ok(())
            }
        }
    }

    /// Behind `$(`, `<(` or `>(`, to its `)`.
    pub(super) fn substitution(
        &mut self,
        word: &mut Word<'a>,
        is_first: bool,
    ) -> Result<(), Unreadable> {
        let script = self.nested(|cursor| {
            let script = cursor.script()?;
            if cursor.eat(")") {
                Ok(script)
            } else {
                Err(cursor.expected())
            }
        })?;
        word.unknown(Certainty::Output, is_first);
        word.expansions()
            .substitutions
            .push(Substitution::Script(script));
        Ok(())
    }

    /// Behind `$`, at `((`: an expression, or a substitution that begins with a subshell.
    fn arithmetic_or(&mut self, word: &mut Word<'a>, is_first: bool) -> Result<(), Unreadable> {
        let place = self.place();
        self.next();
        self.next();
        if self.arithmetic(word, is_first)? {
            return Ok(());
        }
        self.go_back(place);
        self.next();
        self.substitution(word, is_first)
    }

    /// Behind `((`, to its `))`. `false` where parentheses do not pair up that way.
    pub(super) fn arithmetic(
        &mut self,
        word: &mut Word<'a>,
        is_first: bool,
    ) -> Result<bool, Unreadable> {
        let start = self.place();
        let mut open = 0_usize;
        loop {
            self.run_until(|byte| matches!(byte, b'(' | b')' | b'\'' | b'"' | b'\\' | b'`'));
            match self.next().ok_or(Unreadable::Unclosed)? {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' if self.peek() == Some(b')') => break,
                ')' => return Ok(false),
                _ => return Err(Unreadable::Syntax),
            }
        }
        let expression = self.since(start);
        let expression = expression.get(..expression.len() - 1).unwrap_or_default();
        self.next();
        if expression.contains('$') {
            let mut inner = Word::default();
            self.nested(|cursor| {
                let mut inside = Cursor::new(expression, cursor.depth())?;
                inside.expanded(&mut inner, false, None)
            })?;
            word.take_substitutions(inner);
            unnamed(word, is_first);
        } else if expression
            .bytes()
            .any(|byte| byte == b'_' || byte.is_ascii_alphabetic())
        {
            // The value of a name is an expression too, and may run a command.
            unnamed(word, is_first);
        } else {
            word.push("0");
        }
        Ok(true)
    }

    /// Behind `${`, to its `}`.
    fn braced(&mut self, word: &mut Word<'a>, is_first: bool) -> Result<(), Unreadable> {
        let length = self.eat("#");
        let name = self.run(is_name);
        let is_plain = !name.is_empty() && self.eat("}");
        if is_plain {
            if length {
                word.push("0");
            } else {
                named(word, name, is_first);
            }
            return Ok(());
        }
        let mut inner = Word::default();
        loop {
            self.run_until(|byte| matches!(byte, b'}' | b'{' | b'\'' | b'"' | b'\\' | b'$' | b'`'));
            match self.peek().ok_or(Unreadable::Unclosed)? {
                b'}' => break,
                b'$' => self.nested(|cursor| cursor.dollar_in_quotes(&mut inner, false))?,
                b'`' => self.back_ticks(&mut inner, false)?,
                // What a quotation is in here depends on what is outside.
                _ => return Err(Unreadable::Syntax),
            }
        }
        self.next();
        word.take_substitutions(inner);
        unnamed(word, is_first);
        Ok(())
    }

    /// Behind `$'`, to the next `'`.
    fn escaped_quotation(&mut self, word: &mut Word<'a>) -> Result<(), Unreadable> {
        loop {
            word.push(self.run_until(|byte| matches!(byte, b'\'' | b'\\')));
            if self.next().ok_or(Unreadable::Unclosed)? == '\'' {
                return Ok(());
            }
            let ch = match self.next().ok_or(Unreadable::Unclosed)? {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'e' | 'E' => '\u{1B}',
                'f' => '\u{C}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{B}',
                ch @ ('\\' | '\'' | '"' | '?') => ch,
                'x' => self.code(16, 2, 0)?,
                'u' => self.code(16, 4, 0)?,
                'U' => self.code(16, 8, 0)?,
                ch @ '0'..='7' => self.code(8, 2, ch.to_digit(8).unwrap_or_default())?,
                // `\c` and what is no escape: written in another way.
                _ => return Err(Unreadable::Syntax),
            };
            word.push_char(ch);
        }
    }

    /// Up to `digits` digits as an ASCII character; a byte above would be half of one.
    fn code(&mut self, radix: u32, digits: usize, first: u32) -> Result<char, Unreadable> {
        let mut code = first;
        for _ in 0..digits {
            let digit = self
                .peek()
                .and_then(|byte| char::from(byte).to_digit(radix));
            let Some(digit) = digit else { break };
            self.next();
            code = code.saturating_mul(radix).saturating_add(digit);
        }
        match char::from_u32(code) {
            // A zero byte would end the word.
            Some(ch @ '\u{1}'..='\u{7F}') => Ok(ch),
            _ => Err(Unreadable::Syntax),
        }
    }
}

/// Whether a byte can be in a name.
pub(super) const fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

fn named<'a>(word: &mut Word<'a>, name: &'a str, is_first: bool) {
    match name {
        "HOME" if is_first => {
            word.home = true;
            word.push("~");
        }
        "PWD" if is_first => word.push("."),
        name => {
            word.unknown(Certainty::Variable, is_first);
            word.expansions().variables.push(Some(name));
        }
    }
}

fn unnamed(word: &mut Word<'_>, is_first: bool) {
    word.unknown(Certainty::Variable, is_first);
    word.expansions().variables.push(None);
}
