//! The envelope of a line, read without building what the line holds.
//!
//! [`Link::first`] proves or passes. It goes over every byte of a line by a grammar that is smaller
//! than JSON's and holds what our writer writes: ASCII, no white space between values, each key of
//! the envelope there once and spelt as it is, whole numbers and fractions of at most
//! [`MAX_DIGITS`], no surrogate escapes, nested at most [`MAX_DEPTH`] deep. A line of that grammar
//! reads by the full reader too, as a link of the chain with the same `type`, `seq`, `prev`, `ts`
//! and `more`. Of any other line this one says nothing.

use harness_core::Timestamp;

use super::MAX_LINE;
use super::envelope::GENESIS;
use super::hash::undigest;

/// Objects and lists within each other; the full reader goes deeper.
const MAX_DEPTH: usize = 64;
/// Digits of a whole number, or of a fraction; so many fit every type that a number is read as.
const MAX_DIGITS: usize = 17;

/// What is common to all lines of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link<'l> {
    /// Its kind.
    pub(crate) kind: &'l [u8],
    /// Its number.
    pub(crate) seq: u64,
    /// SHA-256 of the line before it; `None` for `genesis`.
    pub(crate) prev: Option<[u8; 32]>,
    /// When it was written: text that is a time.
    pub(crate) ts: &'l [u8],
    /// Whether its commit goes on in the next line.
    pub(crate) more: bool,
    /// Bytes of the line, its line feed not counted.
    pub(crate) length: usize,
}

impl<'l> Link<'l> {
    /// The link that the first line of `bytes` is, up to a line feed or the end of `bytes`; `None`
    /// if that is not a line as we write them.
    pub(crate) fn first(bytes: &'l [u8]) -> Option<Self> {
        let mut cursor = Cursor { rest: bytes };
        let (mut kind, mut seq, mut prev, mut ts, mut more) = (None, None, None, None, None);
        cursor.take(b'{')?;
        loop {
            let key = cursor.text()?.plain()?;
            cursor.take(b':')?;
            let is_new = match key {
                b"type" => kind.replace(cursor.text()?.plain()?).is_none(),
                b"seq" => seq.replace(cursor.whole_number()?).is_none(),
                b"prev" => prev.replace(cursor.digest()?).is_none(),
                b"ts" => ts.replace(cursor.time()?).is_none(),
                b"more" => more.replace(cursor.truth()?).is_none(),
                _ => cursor.value(1).is_some(),
            };
            if !is_new {
                return None;
            }
            if !cursor.goes_on(b'}')? {
                break;
            }
        }
        let length = bytes.len() - cursor.rest.len();
        let ends = matches!(cursor.rest.first(), None | Some(b'\n'));
        (ends && length <= MAX_LINE).then_some(())?;
        Some(Self {
            kind: kind?,
            seq: seq?,
            prev: prev?,
            ts: ts?,
            more: more.unwrap_or(false),
            length,
        })
    }

    /// The link that a line as we write them is; `None` for any other line.
    pub(crate) fn of(line: &'l [u8]) -> Option<Self> {
        Self::first(line).filter(|link| link.length == line.len())
    }
}

/// Whole lines one behind the other, each with the link that it is.
#[derive(Debug)]
pub(crate) struct Linked<'l> {
    /// The byte of the file at which the next line begins.
    offset: u64,
    rest: &'l [u8],
}

/// A line without its line feed.
#[derive(Debug)]
pub(crate) struct LinkedLine<'l> {
    /// The byte of the file at which it begins.
    pub(crate) offset: u64,
    /// The byte after its line feed.
    pub(crate) end: u64,
    pub(crate) bytes: &'l [u8],
    /// `None` if it is not a line as we write them.
    pub(crate) link: Option<Link<'l>>,
}

impl<'l> Linked<'l> {
    /// The lines that begin at byte `offset` of a file.
    pub(crate) const fn new(offset: u64, lines: &'l [u8]) -> Self {
        Self {
            offset,
            rest: lines,
        }
    }

    /// Whether there is no further line.
    pub(crate) const fn is_over(&self) -> bool {
        self.rest.is_empty()
    }
}

impl<'l> Iterator for Linked<'l> {
    type Item = LinkedLine<'l>;

    fn next(&mut self) -> Option<LinkedLine<'l>> {
        if self.rest.is_empty() {
            return None;
        }
        let link = Link::first(self.rest);
        let length = match &link {
            Some(link) => link.length,
            None => self.rest.iter().take_while(|byte| **byte != b'\n').count(),
        };
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest.get(1..).unwrap_or_default();
        let offset = self.offset;
        self.offset += length as u64 + 1;
        Some(LinkedLine {
            offset,
            end: self.offset,
            bytes,
            link,
        })
    }
}

/// What is left of the bytes.
struct Cursor<'l> {
    rest: &'l [u8],
}

/// What stands between two quotation marks.
struct Text<'l> {
    bytes: &'l [u8],
    has_escapes: bool,
}

impl<'l> Text<'l> {
    /// The text, if it is spelt as it is.
    fn plain(self) -> Option<&'l [u8]> {
        (!self.has_escapes).then_some(self.bytes)
    }
}

impl<'l> Cursor<'l> {
    fn take(&mut self, byte: u8) -> Option<()> {
        let (_, rest) = self
            .rest
            .split_first()
            .filter(|(first, _)| **first == byte)?;
        self.rest = rest;
        Some(())
    }

    fn take_all(&mut self, bytes: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(bytes)?;
        Some(())
    }

    /// Whether the object or list goes on; otherwise it ends here.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        match *first {
            b',' => Some(true),
            byte if byte == end => Some(false),
            _ => None,
        }
    }

    #[inline(always)]
    fn text(&mut self) -> Option<Text<'l>> {
        self.take(b'"')?;
        let (plain, rest) = self.rest.split_at_checked(plain_length(self.rest))?;
        if let Some((b'"', rest)) = rest.split_first() {
            self.rest = rest;
            return Some(Text {
                bytes: plain,
                has_escapes: false,
            });
        }
        self.escaped_text(plain.len())
    }

    /// A text that stands for itself for `plain` bytes and not beyond.
    #[cold]
    fn escaped_text(&mut self, plain: usize) -> Option<Text<'l>> {
        let whole = self.rest;
        self.skip(plain);
        while self.take(b'"').is_none() {
            self.escape()?;
            self.skip(plain_length(self.rest));
        }
        let bytes = whole.get(..whole.len() - self.rest.len() - 1)?;
        Some(Text {
            bytes,
            has_escapes: true,
        })
    }

    /// A digest; `Some(None)` is what stands for one in the first line.
    fn digest(&mut self) -> Option<Option<[u8; 32]>> {
        self.take(b'"')?;
        let digest = match self.take_all(GENESIS.as_bytes()) {
            Some(()) => None,
            None => Some(undigest(self.chunk()?)?),
        };
        self.take(b'"')?;
        Some(digest)
    }

    /// A time as we write it. Days that some months have not are left to the calendar.
    fn time(&mut self) -> Option<&'l [u8]> {
        const FORM: &[u8; 32] = b"0000-00-00T00:00:00.000000+00:00";
        self.take(b'"')?;
        let text: &[u8; 32] = self.chunk()?;
        self.take(b'"')?;
        let odd = text.iter().zip(FORM).fold(false, |odd, (byte, form)| {
            odd | (byte != form) & !(*form == b'0' && byte.is_ascii_digit())
        });
        (!odd && text.ends_with(b"+00:00")).then_some(())?;
        let digit = |at: usize| text.get(at).map_or(0, |byte| byte.wrapping_sub(b'0'));
        let pair = |at: usize| digit(at) * 10 + digit(at + 1);
        let (month, day) = (pair(5), pair(8));
        let is_common = pair(0) >= 20
            && (1..=12).contains(&month)
            && (1..=if month == 2 { 28 } else { 30 }).contains(&day)
            && pair(11) < 24
            && pair(14) < 60
            && pair(17) < 60;
        let is_time = || Timestamp::parse(str::from_utf8(text).ok()?).ok();
        (is_common || is_time().is_some()).then_some(text)
    }

    /// The next bytes.
    fn chunk<const N: usize>(&mut self) -> Option<&'l [u8; N]> {
        let (chunk, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(chunk)
    }

    fn escape(&mut self) -> Option<()> {
        self.take(b'\\')?;
        match *self.rest.first()? {
            b'"' | b'\\' | b'n' | b'r' | b't' => self.skip(1),
            b'u' => {
                self.skip(1);
                let digits: &[u8; 4] = self.chunk()?;
                let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                // One half of a pair; not every two halves make one.
                let is_half = matches!(digits, [b'd', b'8'..=b'9' | b'a'..=b'f', ..]);
                (digits.iter().all(is_hex) && !is_half).then_some(())?;
            }
            _ => return None,
        }
        Some(())
    }

    #[inline(always)]
    fn value(&mut self, depth: usize) -> Option<()> {
        match *self.rest.first()? {
            b'"' => self.text().map(drop),
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b't' => self.take_all(b"true"),
            b'f' => self.take_all(b"false"),
            b'n' => self.take_all(b"null"),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        (depth < MAX_DEPTH).then_some(())?;
        self.take(b'{')?;
        if self.take_all(b"}").is_some() {
            return Some(());
        }
        loop {
            self.text()?;
            self.take(b':')?;
            self.value(depth + 1)?;
            if !self.goes_on(b'}')? {
                return Some(());
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        (depth < MAX_DEPTH).then_some(())?;
        self.take(b'[')?;
        if self.take_all(b"]").is_some() {
            return Some(());
        }
        loop {
            self.value(depth + 1)?;
            if !self.goes_on(b']')? {
                return Some(());
            }
        }
    }

    fn truth(&mut self) -> Option<bool> {
        if self.take_all(b"true").is_some() {
            return Some(true);
        }
        self.take_all(b"false").map(|()| false)
    }

    fn number(&mut self) -> Option<()> {
        let _ = self.take_all(b"-");
        self.whole_number()?;
        if self.take_all(b".").is_some() {
            self.digits()?;
        }
        // What follows a number is looked at by whoever asked for it: an exponent is refused there.
        Some(())
    }

    /// A number without sign, fraction or a zero in front.
    fn whole_number(&mut self) -> Option<u64> {
        let digits = self.digits()?;
        let in_front = digits.len() > 1 && digits.first() == Some(&b'0');
        let value = |sum: u64, digit: &u8| sum * 10 + u64::from(digit - b'0');
        (!in_front).then(|| digits.iter().fold(0, value))
    }

    fn digits(&mut self) -> Option<&'l [u8]> {
        let count = self
            .rest
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        (1..=MAX_DIGITS).contains(&count).then_some(digits)
    }

    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }
}

/// How many bytes stand for themselves within quotation marks, up to the first that does not.
///
/// Eight at a time: a byte is marked in its top bit if it is above `~`, below a space (the
/// difference borrows), or equal to one of the two (zero less one). What a carry or borrow marks
/// beyond that lies above a mark that is right, and the lowest mark counts.
#[inline(always)]
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = ONES << 7;
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let equals = |byte: u8| (word ^ (ONES * u64::from(byte))).wrapping_sub(ONES);
        let low = word.wrapping_sub(ONES * u64::from(b' '));
        let high = word | word.wrapping_add(ONES);
        let marks = (high | low | equals(b'"') | equals(b'\\')) & TOP;
        if marks != 0 {
            return 8 * at + marks.trailing_zeros() as usize / 8;
        }
    }
    let is_plain = |byte: &&u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    8 * words.len() + rest.iter().take_while(is_plain).count()
}

#[cfg(test)]
mod tests;
