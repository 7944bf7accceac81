//! Writes `harness-core/src/text/fold_table.rs` to standard output.
//!
//! Core has no dependencies, so what it knows of Unicode is generated here, from the tables of
//! `unicode-security` (UTS 39 confusables), `unicode-normalization` (NFKD) and
//! `unicode-properties` (general category), and checked in. A test compares the two.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};
use unicode_security::confusable_detection::skeleton;

/// Format characters (Cf) that are drawn: the property `Prepended_Concatenation_Mark`.
const DRAWN_FORMAT: [(u32, u32); 7] = [
    (0x0600, 0x0605),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
];

/// `Default_Ignorable_Code_Point` outside the categories Cf and Co, and U+2800, a pattern of
/// Braille that is blank. Variation selectors are among them.
const IGNORABLE: [(u32, u32); 13] = [
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1D173, 0x1D17A),
    (0x1BCA0, 0x1BCA3),
    (0xE0000, 0xE0FFF),
];

/// Rounds of folding after which a character counts as settled. The deepest takes three.
const ROUNDS: usize = 8;

#[allow(
    dead_code,
    reason = "the test that includes this file calls `generate` alone"
)]
#[allow(
    clippy::print_stdout,
    reason = "standard output is what this program is for"
)]
fn main() {
    print!("{}", generate());
}

/// The whole generated file.
pub fn generate() -> String {
    let scalars = || (0x80..=0x10_FFFF).filter_map(char::from_u32);
    let ascii: Vec<String> = (0..0x80u8)
        .map(|byte| fold_ascii(char::from(byte)))
        .collect();
    let mut hidden = Vec::new();
    let mut dropped = Vec::new();
    let mut single: Vec<(char, String)> = Vec::new();
    for ch in scalars() {
        if is_hidden(ch) {
            hidden.push(ch);
        }
        if is_dropped(ch) {
            dropped.push(ch);
            continue;
        }
        if ch.general_category() == GeneralCategory::Unassigned {
            continue;
        }
        let folded = fold(ch, &ascii);
        if !folded.is_empty() && folded.is_ascii() {
            single.push((ch, folded));
        }
    }
    render(&ascii, &hidden, &dropped, &single)
}

fn is_hidden(ch: char) -> bool {
    let code = u32::from(ch);
    let within = |ranges: &[(u32, u32)]| {
        ranges
            .iter()
            .any(|&(low, high)| (low..=high).contains(&code))
    };
    let noncharacter = code & 0xFFFE == 0xFFFE || (0xFDD0..=0xFDEF).contains(&code);
    match ch.general_category() {
        GeneralCategory::Format => !within(&DRAWN_FORMAT),
        GeneralCategory::PrivateUse
        | GeneralCategory::Surrogate
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator => true,
        _ => noncharacter || within(&IGNORABLE),
    }
}

/// What a reader does not see, or sees as a dot or stroke on another character.
fn is_dropped(ch: char) -> bool {
    let mark = ch.general_category_group() == GeneralCategoryGroup::Mark;
    (mark || is_hidden(ch) || ch.is_control()) && !ch.is_whitespace()
}

/// Case and confusability are both equivalences, and `I` joins `i` with `l`: so the members of
/// one class share one name.
fn fold_ascii(ch: char) -> String {
    let lower = ch.to_ascii_lowercase();
    match lower {
        _ if ch.is_ascii_whitespace() => " ".into(),
        _ if ch.is_ascii_control() => String::new(),
        'i' | '1' | '|' => "l".into(),
        '0' => "o".into(),
        // The table of confusables draws `m` as `rn`.
        'm' => "rn".into(),
        '`' => "'".into(),
        '"' => "''".into(),
        _ => lower.into(),
    }
}

/// Compatibility decomposition, marks and invisibles dropped, skeleton, lower case: again and
/// again until nothing changes.
fn fold(ch: char, ascii: &[String]) -> String {
    if ch.is_whitespace() {
        return " ".into();
    }
    let mut text = String::from(ch);
    for _ in 0..ROUNDS {
        let visible: String = text.nfkd().filter(|&part| !is_dropped(part)).collect();
        let mut next = String::new();
        for part in visible.chars() {
            fold_part(part, ascii, &mut next);
        }
        if next == text {
            break;
        }
        text = next;
    }
    text
}

fn fold_part(part: char, ascii: &[String], out: &mut String) {
    if part.is_whitespace() {
        out.push(' ');
        return;
    }
    if let Some(known) = ascii.get(part as usize) {
        out.push_str(known);
        return;
    }
    let of = |text: &str| skeleton(text).collect::<String>();
    let upper_skeleton = of(part.encode_utf8(&mut [0; 4]));
    if upper_skeleton.is_ascii() {
        for part in upper_skeleton.chars() {
            fold_part(part, ascii, out);
        }
    } else {
        out.extend(upper_skeleton.chars().flat_map(char::to_lowercase));
    }
}

fn render(
    ascii: &[String],
    hidden: &[char],
    dropped: &[char],
    single: &[(char, String)],
) -> String {
    let mut strings: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, folded) in single.iter().filter(|(_, folded)| folded.len() > 1) {
        strings.insert(folded, 0);
    }
    for (index, slot) in strings.values_mut().enumerate() {
        *slot = index;
    }
    let packed = single.iter().map(|(ch, folded)| {
        let value = match folded.as_bytes() {
            [byte] => usize::from(*byte),
            _ => 0x80 + strings.get(folded.as_str()).copied().unwrap_or_default(),
        };
        format!("0x{:X}", (*ch as usize) << 11 | value)
    });
    let mut out = String::from(
        "//! Generated by `harness-sanitize/examples/fold_table.rs`, do not edit.\n//!\n",
    );
    let (major, minor, micro) = unicode_normalization::UNICODE_VERSION;
    let _ = writeln!(
        out,
        "//! Unicode {major}.{minor}.{micro}; {} folded characters.\n",
        single.len()
    );
    array(
        &mut out,
        "What each ASCII character folds to.",
        "ASCII",
        "&str",
        ascii.iter().map(|text| format!("{text:?}")),
    );
    array(
        &mut out,
        "Folded characters, ascending: code point, then 11 bits that are an ASCII character or 128 plus an index into [`STRINGS`].",
        "FOLDED",
        "u32",
        packed,
    );
    array(
        &mut out,
        "Foldings of more than one character.",
        "STRINGS",
        "&str",
        strings.keys().map(|text| format!("{text:?}")),
    );
    array(
        &mut out,
        "Characters that fold to nothing, as inclusive ranges.",
        "DROPPED",
        "(u32, u32)",
        ranges(dropped),
    );
    array(
        &mut out,
        "Invisible, bidirectional-control, tag, private-use and separator characters, variation selectors and joiners included, as inclusive ranges.",
        "HIDDEN",
        "(u32, u32)",
        ranges(hidden),
    );
    out.truncate(out.trim_end().len() + 1);
    out
}

fn ranges(chars: &[char]) -> impl Iterator<Item = String> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for code in chars.iter().map(|&ch| u32::from(ch)) {
        match found.last_mut() {
            // The surrogates are no characters, so a range may step over them.
            Some((_, high)) if *high + 1 == code || (*high == 0xD7FF && code == 0xE000) => {
                *high = code
            }
            _ => found.push((code, code)),
        }
    }
    found
        .into_iter()
        .map(|(low, high)| format!("(0x{low:X}, 0x{high:X})"))
}

/// One array, filled to a hundred columns and kept away from the formatter.
fn array(out: &mut String, doc: &str, name: &str, kind: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    let _ = writeln!(
        out,
        "/// {doc}\n#[rustfmt::skip]\npub(super) static {name}: [{kind}; {}] = [",
        items.len()
    );
    let mut line = String::from("   ");
    for item in items {
        if line.len() + item.len() + 2 > 100 {
            let _ = writeln!(out, "{line}");
            line = String::from("   ");
        }
        let _ = write!(line, " {item},");
    }
    let _ = writeln!(out, "{line}\n];\n");
}
