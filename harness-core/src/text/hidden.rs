//! Characters that a reader does not see, and those of them that have honest work.

use super::fold::Ranges;
use super::fold_table::HIDDEN;

/// The hidden characters.
static HIDDEN_ONES: Ranges = Ranges::new(&HIDDEN);

/// Whether `ch` is neither hidden nor a control character, for most characters at a glance. What
/// is not calm may be neither as well.
pub(super) fn is_calm(ch: char) -> bool {
    match ch {
        ' '..='~' | '\n' | '\t' | '\u{AE}'..='\u{FF}' => true,
        _ => ch > '\u{FF}' && !HIDDEN_ONES.touches_page_of(ch),
    }
}

/// Whether `ch` is invisible, a bidirectional control, a tag, for private use or a separator of
/// lines or paragraphs, by Unicode property. Joiners and variation selectors are, too: whether
/// one may stand where it stands, [`Attachment`] decides.
pub fn hidden(ch: char) -> bool {
    !ch.is_ascii() && HIDDEN_ONES.contains(ch)
}

/// Decides, character by character, which joiners and variation selectors have something to act
/// on.
///
/// A variation selector may follow the character whose look it selects, and a joiner may follow
/// that: scripts and emoji need it (Persian and Hindi words, families, flags). Neither may follow
/// its own kind, an ASCII character or anything invisible, so no more than two stand between two
/// visible characters. The one ASCII exception is a keycap: digit, U+FE0F, U+20E3.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attachment {
    last: Last,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    /// Nothing, an ASCII character or white space: nothing may attach.
    #[default]
    Bare,
    /// A digit, `#` or `*`: may become a keycap.
    KeycapBase,
    /// A visible non-ASCII character.
    Base(char),
    /// A variation selector on a non-ASCII character.
    Selected,
    /// A joiner.
    Joined,
}

impl Attachment {
    /// Whether `ch` is a joiner or variation selector, the characters that this rule judges.
    pub const fn concerns(ch: char) -> bool {
        !matches!(Kind::of(ch), Kind::Other)
    }

    /// Takes the next character and, for a keycap, what follows it. Returns whether a joiner or
    /// variation selector may stand here; any other character may, as far as this rule goes.
    pub fn accepts(&mut self, ch: char, next: Option<char>) -> bool {
        let (accepted, last) = match Kind::of(ch) {
            Kind::Joiner => match self.last {
                Last::Base(_) | Last::Selected => (true, Last::Joined),
                _ => (false, self.last),
            },
            Kind::Selector => match self.last {
                Last::Base(base) if selects(ch, base) => (true, Last::Selected),
                Last::KeycapBase if ch == EMOJI_STYLE && next == Some(KEYCAP) => {
                    (true, Last::Selected)
                }
                _ => (false, self.last),
            },
            Kind::Other => (true, self.after(ch)),
        };
        self.last = last;
        accepted
    }

    fn after(self, ch: char) -> Last {
        match ch {
            '0'..='9' | '#' | '*' => Last::KeycapBase,
            _ if ch.is_ascii() || ch.is_whitespace() => Last::Bare,
            _ => Last::Base(ch),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Joiner,
    Selector,
    Other,
}

impl Kind {
    const fn of(ch: char) -> Self {
        match ch {
            '\u{200C}' | '\u{200D}' => Self::Joiner,
            '\u{FE00}'..='\u{FE0F}' | '\u{180B}'..='\u{180D}' | '\u{180F}' => Self::Selector,
            IDEOGRAPHIC_FIRST..=IDEOGRAPHIC_LAST => Self::Selector,
            _ => Self::Other,
        }
    }
}

const EMOJI_STYLE: char = '\u{FE0F}';
const KEYCAP: char = '\u{20E3}';
const IDEOGRAPHIC_FIRST: char = '\u{E0100}';
const IDEOGRAPHIC_LAST: char = '\u{E01EF}';

/// Whether `selector` has a meaning on `base`. The 240 ideographic selectors could carry a byte
/// on any character; they are kept for ideographs alone, as are those of Mongolian for Mongolian.
const fn selects(selector: char, base: char) -> bool {
    match selector {
        IDEOGRAPHIC_FIRST..=IDEOGRAPHIC_LAST => matches!(
            base,
            '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
                | '\u{20000}'..='\u{3FFFD}'
        ),
        '\u{180B}'..='\u{180D}' | '\u{180F}' => matches!(base, '\u{1800}'..='\u{18AF}'),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which joiners and selectors of a text may stand.
    fn accepted(text: &str) -> Vec<bool> {
        let mut attachment = Attachment::default();
        let mut rest = text.chars().peekable();
        let mut answers = Vec::new();
        while let Some(ch) = rest.next() {
            let answer = attachment.accepts(ch, rest.peek().copied());
            if Attachment::concerns(ch) {
                answers.push(answer);
            }
        }
        answers
    }

    #[test]
    fn hidden_is_a_property_not_a_list() {
        for ch in [
            '\u{AD}',
            '\u{200B}',
            '\u{202E}',
            '\u{2066}',
            '\u{FEFF}',
            '\u{E0041}',
            '\u{E000}',
        ] {
            assert!(hidden(ch), "{:04X}", u32::from(ch));
        }
        for ch in [
            '\u{2800}',
            '\u{3164}',
            '\u{115F}',
            '\u{2028}',
            '\u{FFFE}',
            '\u{10FFFD}',
        ] {
            assert!(hidden(ch), "{:04X}", u32::from(ch));
        }
        for ch in [
            'a', '\n', 'é', '\u{A0}', '\u{3000}', 'ж', '漢', '\u{0600}', '😀', '\u{0301}',
        ] {
            assert!(!hidden(ch), "{:04X}", u32::from(ch));
        }
    }

    #[test]
    fn what_is_calm_is_neither_hidden_nor_a_control() {
        let mut calm = ('\0'..=char::MAX).filter(|&ch| is_calm(ch));
        assert!(calm.all(|ch| !hidden(ch) && (!ch.is_control() || "\n\t".contains(ch))));
        assert!("aé漢б".chars().all(is_calm));
    }

    #[test]
    fn joiners_and_selectors_are_hidden() {
        let mut concerned = ('\0'..=char::MAX).filter(|&ch| Attachment::concerns(ch));
        assert!(concerned.all(hidden));
    }

    #[test]
    fn joiners_stand_where_a_script_or_an_emoji_needs_them() {
        assert_eq!(accepted("می\u{200C}خواهم"), [true]);
        assert_eq!(accepted("क्\u{200D}ष"), [true]);
        assert_eq!(accepted("❤\u{FE0F}\u{200D}🔥"), [true, true]);
        assert_eq!(accepted("7\u{FE0F}\u{20E3}"), [true]);
        assert_eq!(accepted("葛\u{E0100}"), [true]);
    }

    #[test]
    fn joiners_do_not_stand_where_they_could_carry_data() {
        assert_eq!(accepted("a\u{200D}b"), [false]);
        assert_eq!(accepted("\u{200C}"), [false]);
        assert_eq!(accepted("я\u{200D}\u{200D}"), [true, false]);
        assert_eq!(accepted("я\u{200D}\u{FE0F}"), [true, false]);
        assert_eq!(accepted("я\u{FE0F}\u{FE0E}"), [true, false]);
        assert_eq!(accepted("7\u{FE0F} "), [false]);
        assert_eq!(accepted("😀\u{E0100}"), [false]);
        assert_eq!(accepted("\u{3000}\u{FE0F}"), [false]);
    }
}
