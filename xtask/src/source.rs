//! Rust text, read far enough to search it: comments and literals blanked, test code set apart,
//! grouped imports spelled out.
//!
//! This is a lexer and no parser: it resolves no names and expands no macros. What it cannot tell
//! apart it keeps, so that a scan reports too much rather than too little.

use std::collections::BTreeSet;
use std::ops::Range;

/// The text with every comment and every literal turned into spaces. Length and line ends stay,
/// so that a position in the result is a position in the text.
pub(crate) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        if let Some(end) = opaque_end(bytes, at) {
            blank(&mut out, at..end);
            at = end;
        } else {
            at = (word_end(bytes, at)).max(at + 1);
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What is left of [`code`] without the items that only tests compile, and the names of the
/// modules in other files that were declared for tests only.
pub(crate) fn without_tests(code: &str) -> (String, BTreeSet<String>) {
    let bytes = code.as_bytes();
    let mut out = bytes.to_vec();
    let mut modules = BTreeSet::new();
    if code.contains("#![cfg(test)]") {
        blank(&mut out, 0..bytes.len());
    }
    let mut at = 0;
    while let Some(start) = find(bytes, at, b"#[") {
        let end = group_end(bytes, start + 1);
        at = end;
        if is_test_only(slice(bytes, start..end)) {
            at = item_end(bytes, end);
            if let Some(name) = module_elsewhere(slice(bytes, end..at)) {
                modules.insert(name);
            }
            blank(&mut out, start..at);
        }
    }
    (String::from_utf8_lossy(&out).into_owned(), modules)
}

/// Every path that a `use` of this [`code`] brings in, one an entry: `use a::{b, c::{self, d}};`
/// gives `a::b`, `a::c` and `a::c::d`.
pub(crate) fn imports(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for at in words(code, "use") {
        let rest = code.get(at + "use".len()..).unwrap_or_default();
        if !rest.starts_with(char::is_whitespace) {
            continue; // `use<'a>` in a bound
        }
        let tree = rest.split(';').next().unwrap_or_default();
        spell_out("", tree, &mut paths);
    }
    paths
}

/// Where `needle` stands in `code` and is no part of a longer name.
pub(crate) fn words<'a>(code: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = code.as_bytes();
    code.match_indices(needle)
        .map(|(at, _)| at)
        .filter(move |&at| {
            let before = at.checked_sub(1).map_or(b' ', |before| byte(bytes, before));
            let last = needle.bytes().next_back().unwrap_or(b' ');
            let after = byte(bytes, at + needle.len());
            !(is_word(before) || is_word(last) && is_word(after))
        })
}

/// Whether `code` has `name` at all, as a whole word.
pub(crate) fn has_word(code: &str, name: &str) -> bool {
    words(code, name).next().is_some()
}

fn spell_out(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    for part in top_level_parts(tree) {
        let part = part.trim();
        match part.split_once('{') {
            Some((head, rest)) => {
                let inner = rest.strip_suffix('}').unwrap_or(rest);
                spell_out(&format!("{prefix}{}", head.trim()), inner, paths);
            }
            None if part.is_empty() => {}
            None => paths.push(format!("{prefix}{part}").replace("::self", "")),
        }
    }
}

fn top_level_parts(tree: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    tree.split(|character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    })
    .collect()
}

/// The end of the comment or literal that starts at `at`, if one does.
fn opaque_end(bytes: &[u8], at: usize) -> Option<usize> {
    match (byte(bytes, at), byte(bytes, at + 1)) {
        (b'/', b'/') => Some(find(bytes, at, b"\n").unwrap_or(bytes.len())),
        (b'/', b'*') => Some(block_comment_end(bytes, at)),
        (b'"', _) => Some(quoted_end(bytes, at + 1, b'"')),
        (b'\'', _) => char_end(bytes, at),
        _ => prefixed_end(bytes, at),
    }
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_u32;
    let mut at = start;
    while at < bytes.len() {
        match (byte(bytes, at), byte(bytes, at + 1)) {
            (b'/', b'*') => (depth, at) = (depth + 1, at + 2),
            (b'*', b'/') => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

fn quoted_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start;
    while at < bytes.len() {
        match byte(bytes, at) {
            b'\\' => at += 2,
            found if found == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A character literal; `None` for a lifetime or a label.
fn char_end(bytes: &[u8], at: usize) -> Option<usize> {
    let first = byte(bytes, at + 1);
    if first == b'\\' {
        return Some(quoted_end(bytes, at + 1, b'\''));
    }
    let width = match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    let close = at + 1 + width;
    (byte(bytes, close) == b'\'').then_some(close + 1)
}

/// A literal with a prefix: `b'x'`, `b"…"`, `c"…"`, `r"…"`, `r#"…"#`, `br#"…"#`.
fn prefixed_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = word_end(bytes, at);
    let prefix = slice(bytes, at..end);
    match prefix {
        b"b" | b"c" if byte(bytes, end) == b'"' => Some(quoted_end(bytes, end + 1, b'"')),
        b"b" if byte(bytes, end) == b'\'' => char_end(bytes, end),
        b"r" | b"br" | b"cr" => {
            let hashes = bytes.iter().skip(end).take_while(|&&b| b == b'#').count();
            let open = end + hashes;
            if byte(bytes, open) != b'"' {
                return None; // a raw identifier
            }
            let mut close = vec![b'"'];
            close.resize(1 + hashes, b'#');
            Some(find(bytes, open + 1, &close).map_or(bytes.len(), |found| found + close.len()))
        }
        _ => None,
    }
}

fn is_test_only(attribute: &[u8]) -> bool {
    let dense: Vec<u8> = attribute
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    matches!(dense.as_slice(), b"#[test]" | b"#[cfg(test)]")
        || dense.starts_with(b"#[cfg(all(test,")
        || dense.ends_with(b"::test]")
        || dense.starts_with(b"#[tokio::test(")
}

/// The end of the item, field or statement that follows an attribute.
fn item_end(bytes: &[u8], start: usize) -> usize {
    const ITEMS: [&[u8]; 15] = [
        b"pub", b"fn", b"mod", b"use", b"impl", b"struct", b"enum", b"union", b"trait", b"type",
        b"const", b"static", b"async", b"unsafe", b"extern",
    ];
    let mut at = start;
    let mut first_word: Option<&[u8]> = None;
    while at < bytes.len() {
        match byte(bytes, at) {
            b'{' => return group_end(bytes, at),
            b'(' | b'[' => at = group_end(bytes, at),
            b';' => return at + 1,
            b',' if !first_word.is_some_and(|word| ITEMS.contains(&word)) => return at + 1,
            b'}' | b')' | b']' => return at,
            found if is_word(found) => {
                let end = word_end(bytes, at);
                first_word = first_word.or(Some(slice(bytes, at..end)));
                at = end;
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

fn module_elsewhere(item: &[u8]) -> Option<String> {
    let item = String::from_utf8_lossy(item);
    let declared = item.trim().strip_suffix(';')?;
    let at = words(declared, "mod").last()?;
    let name = declared.get(at + "mod".len()..)?.trim();
    name.bytes().all(is_word).then(|| name.to_owned())
}

/// The end of the bracketed group that opens at `open`.
fn group_end(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0_u32;
    for (at, found) in bytes.iter().enumerate().skip(open) {
        match found {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    bytes.len()
}

fn blank(out: &mut [u8], range: Range<usize>) {
    for byte in out.get_mut(range).into_iter().flatten() {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

fn find(bytes: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    bytes
        .get(from..)?
        .windows(needle.len())
        .position(|window| window == needle)
        .map(|at| from + at)
}

fn word_end(bytes: &[u8], at: usize) -> usize {
    at + bytes.iter().skip(at).take_while(|&&b| is_word(b)).count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(b' ')
}

fn slice(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a text, once blanked, still has the word `needle`.
    fn survives(text: &str) -> bool {
        let code = code(text);
        assert_eq!(code.len(), text.len(), "positions moved in {text:?}");
        has_word(&code, "needle")
    }

    #[test]
    fn comments_and_literals_are_blanked() {
        for text in [
            "// needle",
            "/* a /* needle */ needle */",
            r#""needle""#,
            r#""\" needle""#,
            "r\"\\\" ; r#\"\" needle\"#",
            r##"br#"x" needle"#"##,
            r#"b"needle" c"needle""#,
            "\"two\nlines needle\"",
            "'\"'; // needle '\"'",
            "b'\"' /*needle*/",
            "'\\'' /*needle*/ ; 'é' // needle",
        ] {
            assert!(!survives(text), "{text}");
        }
    }

    #[test]
    fn code_is_kept() {
        for text in [
            "needle",
            "/* a */ needle",
            r#""a" needle"#,
            "r#type + needle",
            "fn f<'a>(x: &'a str) { needle }",
            "'\\''; needle; '\\u{22}'",
            "'\"' + needle + '\"'",
            "b'\"' + needle",
            "r\"\\\" + needle",
            "'outer: loop { needle }",
            "'é' + needle",
            "1 / 2; needle",
        ] {
            assert!(survives(text), "{text}");
        }
    }

    #[test]
    fn line_ends_stay_where_they_are() {
        let text = "a /* x\ny */ b\n\"c\nd\" e";
        assert_eq!(code(text).lines().count(), text.lines().count());
    }

    #[test]
    fn test_items_are_set_apart() {
        for (text, kept) in [
            ("#[cfg(test)] mod tests { fn f() { needle } }", false),
            ("#[cfg(test)]\n#[allow(x)]\nmod t { needle }", false),
            ("#[test] fn f() { needle }", false),
            ("#[tokio::test] async fn f() { needle }", false),
            ("#[cfg(all(test, unix))] fn f<A, B>() { needle }", false),
            ("#[cfg(test)] fn f(a: [u8; 3]) { needle }", false),
            ("#![cfg(test)] fn f() { needle }", false),
            ("#[cfg(test)] const A: u8 = 1; needle", true),
            ("struct A { #[cfg(test)] b: u8, needle: u8 }", true),
            ("#[cfg(test)] mod tests { } needle", true),
            ("#[cfg(not(test))] fn f() { needle }", true),
            ("#[cfg(any(test, unix))] fn f() { needle }", true),
            ("#[derive(Debug)] struct Needle { needle: u8 }", true),
        ] {
            assert_eq!(has_word(&without_tests(text).0, "needle"), kept, "{text}");
        }
    }

    #[test]
    fn test_modules_in_other_files_are_named() {
        let (_, modules) = without_tests("#[cfg(test)] pub(crate) mod fakes; mod real;");
        assert_eq!(modules, BTreeSet::from(["fakes".to_owned()]));
    }

    #[test]
    fn imports_are_spelled_out() {
        assert_eq!(
            imports(
                "pub use std::{fs::{self as f, write}, env, io::{self, *}}; fn a() -> impl B + use<'a> {}"
            ),
            [
                "std::fs as f",
                "std::fs::write",
                "std::env",
                "std::io",
                "std::io::*"
            ]
        );
    }

    #[test]
    fn a_word_is_whole() {
        assert!(has_word("a.needle()", "needle"));
        assert!(has_word("fs::write(x)", "fs::write"));
        assert!(!has_word("needles", "needle"));
        assert!(!has_word("my_needle", "needle"));
        assert!(!has_word("ofs::write(x)", "fs::write"));
        assert!(has_word("fs::writer", "fs::"));
    }
}
