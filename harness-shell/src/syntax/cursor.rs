//! A place in a text: blanks, line ends, and the here-documents that wait for one.

use std::cell::OnceCell;
use std::rc::Rc;

use super::script::HereDocument;
use super::{MAX_DEPTH, MAX_STAGES};

/// Why a text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    /// More bytes than are read.
    #[error("it is longer than a command that can be read")]
    TooLong,
    /// More levels than are read.
    #[error("it nests too deep to be read")]
    TooDeep,
    /// More commands or here-documents than are read.
    #[error("it has more commands than a person reads")]
    TooMany,
    /// It ends in the middle of something.
    #[error("a quotation, substitution or compound command is not closed")]
    Unclosed,
    /// It is not the grammar of a shell, or a part of it that is not read here.
    #[error("it is not a command that can be read as a shell would read it")]
    Syntax,
}

/// A here-document that is asked for and not read yet.
pub(super) struct Pending<'a> {
    pub(super) delimiter: String,
    pub(super) strip_tabs: bool,
    pub(super) quoted: bool,
    pub(super) document: Rc<OnceCell<HereDocument<'a>>>,
}

/// A place in a text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    stages: usize,
    pub(super) pending: Vec<Pending<'a>>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, depth: usize) -> Result<Self, Unreadable> {
        if depth > MAX_DEPTH {
            return Err(Unreadable::TooDeep);
        }
        if text.contains('\0') {
            return Err(Unreadable::Syntax);
        }
        Ok(Self {
            text,
            at: 0,
            depth,
            stages: 0,
            pending: Vec::new(),
        })
    }

    /// Everything is read, every here-document found.
    pub(super) fn finish(&self) -> Result<(), Unreadable> {
        if !self.pending.is_empty() {
            return Err(Unreadable::Unclosed);
        }
        self.is_at_end().then_some(()).ok_or(Unreadable::Syntax)
    }

    /// One level deeper while `inner` reads.
    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, Unreadable>,
    ) -> Result<T, Unreadable> {
        if self.depth >= MAX_DEPTH {
            return Err(Unreadable::TooDeep);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// One command more.
    pub(super) const fn count(&mut self) -> Result<(), Unreadable> {
        self.stages += 1;
        if self.stages > MAX_STAGES {
            return Err(Unreadable::TooMany);
        }
        Ok(())
    }

    pub(super) const fn depth(&self) -> usize {
        self.depth
    }

    pub(super) const fn place(&self) -> usize {
        self.at
    }

    pub(super) const fn go_back(&mut self, place: usize) {
        self.at = place;
    }

    pub(super) fn since(&self, place: usize) -> &'a str {
        self.text.get(place..self.at).unwrap_or_default()
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) const fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn peek_next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at + 1).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let ch = self.rest().chars().next()?;
        self.at += ch.len_utf8();
        Some(ch)
    }

    /// Over `expected`, if it is what comes next.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    /// Over the longest run of bytes that `wanted` holds for; ASCII only.
    pub(super) fn run(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        self.run_until_any(|byte| !(byte.is_ascii() && wanted(byte)))
    }

    /// Over the longest run of text without one of the ASCII bytes that `ends` holds for.
    pub(super) fn run_until(&mut self, ends: impl Fn(u8) -> bool) -> &'a str {
        self.run_until_any(|byte| byte.is_ascii() && ends(byte))
    }

    fn run_until_any(&mut self, ends: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| ends(*byte));
        self.at += length.unwrap_or(rest.len());
        self.since(start)
    }

    /// Over spaces, tabs, continued lines and a comment; line ends stay.
    pub(super) fn blanks(&mut self) {
        loop {
            self.run(|byte| matches!(byte, b' ' | b'\t'));
            match self.peek() {
                Some(b'\\') if self.eat("\\\n") => continue,
                Some(b'#') => drop(self.run_until(|byte| byte == b'\n')),
                _ => {}
            }
            return;
        }
    }

    /// Over blanks and line ends.
    pub(super) fn lines(&mut self) -> Result<(), Unreadable> {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.line_end()?;
        }
    }

    /// Over one line end, and the here-documents that begin behind it.
    pub(super) fn line_end(&mut self) -> Result<(), Unreadable> {
        self.at += 1;
        for pending in std::mem::take(&mut self.pending) {
            let text = self.document(&pending.delimiter, pending.strip_tabs)?;
            let document = HereDocument {
                text,
                quoted: pending.quoted,
            };
            pending
                .document
                .set(document)
                .map_err(|_| Unreadable::Syntax)?;
        }
        Ok(())
    }

    fn document(&mut self, delimiter: &str, strip_tabs: bool) -> Result<&'a str, Unreadable> {
        let start = self.at;
        while !self.is_at_end() {
            let body = self.since(start);
            let line = self.run_until(|byte| byte == b'\n');
            let bare = if strip_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            let found = bare == delimiter;
            self.eat("\n");
            if found {
                return Ok(body);
            }
        }
        Err(Unreadable::Unclosed)
    }
}
