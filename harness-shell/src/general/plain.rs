//! Paths that need no closer look, told at once: most of those that a command names.

use super::places::SECRET_ENDINGS;

/// Whether a path needs no closer look: relative, of plain names, none of which a secret has. Looked
/// at byte by byte, once, for a command may have hundreds.
pub(super) fn is_plain(path: &str) -> bool {
    let (mut before, mut dot) = (b'/', path.len());
    for (at, byte) in path.bytes().enumerate() {
        let is_name = byte.is_ascii_alphanumeric();
        if !is_name && (before == b'/' || !matches!(byte, b'_' | b'-' | b'.' | b'/')) {
            return false;
        }
        if before == b'/' && names_a_secret(path.get(at..).unwrap_or_default()) {
            return false;
        }
        if before == b'0' && byte == b'x' {
            return false;
        }
        if byte == b'.' {
            dot = at;
        }
        before = byte;
    }
    // Each of the endings has one dot, at its start.
    let ending = path.get(dot..).unwrap_or_default();
    let mut keys = SECRET_ENDINGS.iter();
    before != b'/' && !keys.any(|key| ending.eq_ignore_ascii_case(key))
}

/// Whether the first part of a path is the name of a key, or may make its folder a repository.
fn names_a_secret(path: &str) -> bool {
    match path.as_bytes() {
        [b'i' | b'I', b'd' | b'D', b'_', ..] => true,
        [
            b'h' | b'H',
            b'e' | b'E',
            b'a' | b'A',
            b'd' | b'D',
            rest @ ..,
        ] => {
            matches!(rest, [] | [b'/', ..])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::general::context::Context;
    use crate::general::places::judge;
    use crate::policy::Use;

    #[test]
    fn a_plain_path_is_told_from_its_neighbour() {
        for (plain, other) in [
            ("a", ""),
            ("src/a.rs", "src//a.rs"),
            ("heads", "HEAD"),
            ("a/header", "a/head"),
            ("a/idea", "a/id_a"),
            ("00/x", "0x2f"),
            ("a.git", "a/.git"),
            ("a.pem.txt", "a.Pem"),
            ("pem", ".pem"),
            ("a..b", "a/..b"),
            ("a-b", "a/-b"),
            ("a/b", "a/b/"),
        ] {
            assert!(is_plain(plain), "{plain}");
            assert!(!is_plain(other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn nothing_speaks_against_a_plain_path_that_is_looked_at_closely(
            path in "(a|b0|/|/|/|-|\\.|0x2e|id_rsa|ID_dsa|Head|\\.env|\\.Pem|\\.git){1,4}"
        ) {
            if is_plain(&path) {
                let context = Context::by_spelling(Path::new("/srv/work")).unwrap();
                let folders = [context.workspace().to_path_buf()];
                let closely = format!("./{path}");
                prop_assert!(!is_plain(&closely));
                for usage in [Use::Read, Use::Add, Use::Overwrite] {
                    prop_assert_eq!(judge(&context, None, &folders, &closely, usage), None);
                }
            }
        }
    }
}
