//! Channels that a reader does not see.

use harness_core::text::{Attachment, hidden};

use super::finding::{Finding, FindingKind};
use super::gathered::Gathered;

/// Fewest invisible characters in a row that carry text: fewer are leftovers of an editor.
const MIN_ROW: usize = 4;

/// Adds the hidden channels of `text`: tags that spell something, invisible characters in rows,
/// and characters that turn the order of reading around.
///
/// A flag emoji may hold tags; a joiner, a byte-order mark or a soft hyphen on its own is honest.
pub(super) fn hidden_channels(text: &str, found: &mut Gathered) {
    if text.is_ascii() {
        return;
    }
    // What reads from right to left may need its direction marked, other text never does.
    let turns = text.chars().any(is_right_to_left);
    let mut row = Row::default();
    for (at, ch) in text.char_indices() {
        if found.is_full() {
            return;
        }
        let end = at + ch.len_utf8();
        let overrides = matches!(ch, '\u{202D}' | '\u{202E}');
        let embeds = matches!(ch, '\u{202A}' | '\u{202B}' | '\u{2066}'..='\u{2068}');
        if overrides || (embeds && !turns) {
            found.push(Finding {
                kind: FindingKind::Reordering,
                start: at,
                end,
            });
        }
        if hidden(ch) && !is_drawn_blank(ch) {
            row.extend(at, end, ch);
        } else {
            row.close(Some(ch), found);
            row.after = Some(ch);
        }
    }
    row.close(None, found);
}

/// Letters of Hebrew, Arabic and their neighbours.
const fn is_right_to_left(ch: char) -> bool {
    matches!(ch, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

/// Private-use characters are drawn by icon fonts, blanks are seen as gaps.
const fn is_drawn_blank(ch: char) -> bool {
    matches!(
        ch,
        '\u{2028}' | '\u{2029}' | '\u{E000}'..='\u{F8FF}' | '\u{2800}' | '\u{3164}'
    )
}

#[derive(Default)]
struct Row {
    start: usize,
    end: usize,
    count: usize,
    tags: usize,
    /// Of a joiner or selector that stands where it may, once.
    honest: usize,
    /// Whether it holds a soft hyphen: a place to break a word.
    soft: bool,
    /// The visible character before the row.
    after: Option<char>,
}

impl Row {
    fn extend(&mut self, at: usize, end: usize, ch: char) {
        if self.count == 0 {
            self.start = at;
        }
        self.end = end;
        self.count += 1;
        self.soft |= ch == '\u{AD}';
        self.tags += usize::from(matches!(ch, '\u{E0000}'..='\u{E007F}'));
        self.honest += usize::from(self.count <= 2 && Attachment::concerns(ch));
    }

    /// Ends the row before the visible character `next`.
    fn close(&mut self, next: Option<char>, found: &mut Gathered) {
        let flag = self.after == Some('\u{1F3F4}') && self.tags == self.count && self.count <= 7;
        let letter = |ch: Option<char>| ch.is_some_and(|ch| ch.is_ascii_alphanumeric());
        let splits = self.count > 0 && !self.soft && letter(self.after) && letter(next);
        let unexplained = self.count - self.honest.min(self.count);
        let telling = !flag && (splits || self.tags > 0 || unexplained >= MIN_ROW);
        if telling {
            found.push(Finding {
                kind: FindingKind::HiddenText,
                start: self.start,
                end: self.end,
            });
        }
        (self.count, self.tags, self.honest, self.soft) = (0, 0, 0, false);
    }
}
