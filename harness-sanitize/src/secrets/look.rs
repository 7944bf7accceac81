//! What a value looks like: drawn at random, chosen by a person, or standing for either.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Shortest stretch of letters that no word of a name reaches.
const MIN_RANDOM_WORD: usize = 16;
/// Shortest value that looks drawn at random.
const MIN_RANDOM: usize = 12;

/// Whether a long word can hold what [`looks_random`] or [`is_mixed`], by a count of its bytes alone.
pub(super) fn may_be_random(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    // A time, a version, a list of numbers.
    if letters < 3 && digits < 24 {
        return false;
    }
    digits > 1
        || capitals > 1
        || word.len() >= 20
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'=' || byte == b'_')
}

/// Whether a token was drawn, not written: letters and digits mixed without words in it, or one
/// stretch longer than any word.
pub(super) fn looks_random(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    if value.len() < MIN_RANDOM || is_placeholder(value) || is_mistyped_hex(value) {
        return false;
    }
    let solid = digits + letters == value.len();
    // Digits alone are a number up to the length of a card's or an account's.
    if letters < 3 {
        return (solid && value.len() >= 24) || is_uuid(value);
    }
    if digits < 3 {
        let long = value.len() >= 20 && !is_written_name(value);
        return long && (solid || (digits > 0 && !holds_words(value)));
    }
    !holds_words(value) && distinct(value) >= 6
}

/// Whether a value is hexadecimal but for one character in sixteen or less: a token of more letters
/// would hold more of them, and a hexadecimal one none.
fn is_mistyped_hex(value: &str) -> bool {
    let count =
        |wanted: fn(&u8) -> bool| value.as_bytes().iter().filter(|&byte| wanted(byte)).count();
    let lower = count(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let upper = count(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
    let others = value.len() - lower.max(upper);
    let solid = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    solid && value.len() >= 32 && (1..=value.len() / 16).contains(&others)
}

/// Whether a value has the form of a UUID.
fn is_uuid(value: &str) -> bool {
    let lengths = value.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12])
        && value
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Words that a machine puts before what it draws: where a token is for.
const STAGES: &[&str] = &["live", "test", "prod", "production", "sandbox"];

/// Whether a value holds written words: between its signs, or as its only letters.
fn holds_words(value: &str) -> bool {
    let written = |word: &str| {
        (4..MIN_RANDOM_WORD).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
            && word.bytes().any(|byte| b"aeiouy".contains(&byte))
            && word.bytes().any(|byte| !byte.is_ascii_hexdigit())
            && word.matches('q').count() == word.matches("qu").count()
            && !STAGES.contains(&word)
    };
    let joined = value.contains(['_', '-', '/', '.']);
    let mut words = value.split(['_', '-', '/', '.', '=', '+', '~', ':']);
    joined && words.any(written)
}

/// Whether a credential mixes letters of both cases, or letters and digits, without being words.
pub(super) fn is_mixed(value: &str) -> bool {
    let has = |wanted: fn(&u8) -> bool| value.as_bytes().iter().any(wanted);
    let upper_and_lower = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let digits = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    (digits || upper_and_lower) && !holds_words(value) && !is_written_name(value)
}

/// Whether letters are a name in camel case: short humps, each a capital and small letters.
fn is_written_name(value: &str) -> bool {
    let capitals = value.bytes().filter(u8::is_ascii_uppercase).count();
    let humps = value.bytes().zip(value.bytes().skip(1));
    let pairs =
        humps.filter(|(first, second)| first.is_ascii_uppercase() && second.is_ascii_uppercase());
    capitals > 0 && pairs.count() * 4 < capitals && capitals * 3 < value.len()
}

/// Whether a token behind a telling prefix is one, and not a word or a row of one letter.
pub(super) fn is_drawn(token: &str) -> bool {
    let has = |wanted: fn(&u8) -> bool| token.as_bytes().iter().any(wanted);
    let mixed =
        has(u8::is_ascii_digit) || (has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase));
    let enough = if token.len() < 24 { 6 } else { 9 };
    distinct(token) >= enough && mixed && !is_crossed_out(token) && !is_padded(token)
}

/// Whether the value was crossed out (`xxxx`, `****`) or is that of a manual, and what is left of it
/// is too little to be a secret of its own.
pub(super) fn is_crossed_out(value: &str) -> bool {
    let without_end = value.strip_suffix("EXAMPLE").unwrap_or(value);
    let crossed = ["XXXX", "xxxx", "****"]
        .iter()
        .any(|crosses| without_end.contains(crosses));
    let left = without_end.bytes().filter(|byte| !b"xX*".contains(byte));
    (crossed || without_end.len() < value.len()) && left.count() <= MOST_LEFT
}

/// Most characters that are left of a value that was crossed out: its prefix, and some of its own.
const MOST_LEFT: usize = 16;

/// How many different characters; a letter is one in either case.
pub(super) fn distinct(value: &str) -> usize {
    let mut seen = [0u64; 4];
    for byte in value.bytes() {
        let byte = byte.to_ascii_lowercase();
        if let Some(bits) = seen.get_mut(usize::from(byte / 64)) {
            *bits |= 1 << (byte % 64);
        }
    }
    seen.iter().map(|bits| bits.count_ones() as usize).sum()
}

/// Whether a machine issued this: nothing in it but what encodings of tokens hold.
pub(super) fn is_issued(value: &str) -> bool {
    value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-+/=.~:".contains(&byte))
}

/// Whether a value is digits and letters of hexadecimal alone.
pub(super) fn is_hex(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a web framework made this key: Django draws fifty small letters, digits and signs.
pub(super) fn is_framework_key(value: &str) -> bool {
    let signs = ['!', '@', '#', '$', '%', '^', '&', '*', '(', ')', '+'];
    value.len() >= 40
        && signs.iter().filter(|&&sign| value.contains(sign)).count() >= 4
        && !value.contains(|ch: char| ch.is_uppercase() || ch.is_whitespace())
}

/// Whether a person chose this: upper and lower case beyond a capital, or a sign that words do
/// not hold.
pub(super) fn is_chosen(value: &str) -> bool {
    let inner_capital = value.chars().skip(1).any(char::is_uppercase);
    (inner_capital && value.chars().any(char::is_lowercase) && value.len() >= 16)
        || value.contains(['!', '@', '#', '$', '%', '^', '*', '+', '~'])
}

/// Whether a value stands for a secret instead of being one.
pub(super) fn is_placeholder(value: &str) -> bool {
    distinct(value) < if value.len() < 24 { 4 } else { 5 }
        || is_padded(value)
        || is_crossed_out(value)
        || value.starts_with(['$', '<', '{', '[', '%', '(', '*', '/', '.', '#', '?'])
        || value.contains("${")
        || value.contains("{{")
        || STANDS_FOR_ONE
            .as_ref()
            .is_some_and(|search| search.is_match(value))
}

/// Whether a long value is one character for the most part: only the one that is left by a vote of
/// each against the others (Boyer and Moore) can be.
fn is_padded(value: &str) -> bool {
    let mut left = 0;
    let mut votes = 0usize;
    for byte in value.bytes() {
        if votes == 0 {
            left = byte;
        }
        votes = if byte == left { votes + 1 } else { votes - 1 };
    }
    let count = value.bytes().filter(|byte| *byte == left).count();
    value.len() >= MIN_RANDOM_WORD && count * 2 > value.len()
}

static STANDS_FOR_ONE: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .build(PLACEHOLDERS)
        .ok()
});

/// What documentation and code write in a secret's place.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "your_",
    "your-",
    "yourpass",
    "yourkey",
    "myapikey",
    "changeme",
    "change_me",
    "placeholder",
    "redacted",
    "process.env",
    "os.environ",
    "getenv",
    "env.",
    "...",
    "dummy",
    "invalid",
    "replace",
    "undefined",
    "required",
    "optional",
    "<",
    "null",
];
