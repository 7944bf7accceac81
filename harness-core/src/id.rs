//! Names of things. An id that exists is safe to show and, where it names a file, one path
//! component.

use std::fmt;

use crate::{CleanText, Quoted};

/// Why a string is not the id it was offered as. The fault lies with whoever supplied the string:
/// a model, a host, or a file that someone edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdError {
    what: &'static str,
    shown: String,
    rule: &'static str,
}

impl IdError {
    pub(crate) fn new(what: &'static str, text: &str, rule: &'static str) -> Self {
        Self {
            what,
            shown: Quoted(text).to_string(),
            rule,
        }
    }
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no {}: {}", self.shown, self.what, self.rule)
    }
}

impl std::error::Error for IdError {}

/// Bytes that an id which names a file may have at most.
const MAX_COMPONENT: usize = 128;
/// Characters that a session or trace id may have at most.
const MAX_LABEL: usize = 256;

const COMPONENT_RULE: &str =
    "an id is 1 to 128 characters of A-Z a-z 0-9 . _ - and neither `.` nor `..`";
const LABEL_RULE: &str = "an id is 1 to 256 printable characters without `/`";

fn is_component(text: &str) -> bool {
    (1..=MAX_COMPONENT).contains(&text.len())
        && text != "."
        && text != ".."
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

fn is_label(text: &str) -> bool {
    (1..=MAX_LABEL).contains(&text.chars().count())
        && !text.contains(['/', '\n', '\t'])
        && text.trim() == text
        && CleanText::new(text).is_ok()
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $holds:expr, $rule:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Checks `text` and keeps it as it is; nothing is ever repaired into an id.
            ///
            /// # Errors
            /// Text of another form, with the form in the message.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                if ($holds)(text) {
                    Ok(Self(text.into()))
                } else {
                    Err(IdError::new($what, text, $rule))
                }
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// A diagnostic notice: `n-<UTC stamp>-<8 hex>` where we made it, any safe path component
    /// where it was imported.
    NoticeId, "notice id", is_component, COMPONENT_RULE
);
id!(
    /// An eval case: `c-<10 hex>`, or any safe path component.
    CaseId, "case id", is_component, COMPONENT_RULE
);
id!(
    /// A rule: `r-<10 hex>`, or any safe path component.
    RuleId, "rule id", is_component, COMPONENT_RULE
);
id!(
    /// A failure episode: `e-<12 hex>`, derived from its notices.
    EpisodeId, "episode id", is_component, COMPONENT_RULE
);
id!(
    /// A unit of recorded agent work. Hashed where a file name is needed.
    TraceId, "trace id", is_label, LABEL_RULE
);
id!(
    /// Whose conversation it is, as the host says.
    Principal, "principal", is_label, LABEL_RULE
);

/// Prefix of the ids of repair sessions, barred to hosts.
const REPAIR_PREFIX: &str = "repair-";

id!(
    /// A conversation of the task agent. Hashed where a file name is needed.
    ///
    /// A repair session is not one of these: its prefix is refused here, so that repair activity
    /// has no way into anything that scores task activity.
    SessionId,
    "session id",
    |text: &str| is_label(text) && !text.starts_with(REPAIR_PREFIX),
    "a session id is 1 to 256 printable characters without `/`, and `repair-` starts only the \
     ids of repair sessions"
);

/// A session of the repair agent: `repair-<16 hex>`. Nothing that scores task activity takes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepairSessionId(u64);

impl RepairSessionId {
    /// Names a repair session by 64 random bits.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

impl fmt::Display for RepairSessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{REPAIR_PREFIX}{:016x}", self.0)
    }
}

impl NoticeId {
    /// `n-<UTC stamp>-<8 hex>`.
    pub fn from_parts(at: crate::Timestamp, random: u32) -> Self {
        Self(format!("n-{}-{random:08x}", at.stamp()).into())
    }
}

impl CaseId {
    /// `c-<10 hex>` from the low 40 bits.
    pub fn from_bits(random: u64) -> Self {
        Self(format!("c-{:010x}", random & 0xff_ffff_ffff).into())
    }
}

impl RuleId {
    /// `r-<10 hex>` from the low 40 bits.
    pub fn from_bits(random: u64) -> Self {
        Self(format!("r-{:010x}", random & 0xff_ffff_ffff).into())
    }
}

impl EpisodeId {
    /// `e-<12 hex>` from the first six bytes of the SHA-256 of the sorted notice ids.
    pub fn from_digest(digest: &[u8; 32]) -> Self {
        let hex: String = digest.iter().take(6).map(|b| format!("{b:02x}")).collect();
        Self(format!("e-{hex}").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn path_shaped_ids_are_refused_and_their_plain_twins_taken() {
        for bad in ["", ".", "..", "a/b", "../x", "a\\b", "a b", "a\0", "é"] {
            assert!(NoticeId::parse(bad).is_err(), "{bad:?}");
        }
        for good in [
            "a",
            "...",
            "n-20261130T112614500065-ad6bb5a1",
            ".hidden",
            "a..b",
        ] {
            assert!(NoticeId::parse(good).is_ok(), "{good:?}");
        }
        assert!(NoticeId::parse(&"x".repeat(129)).is_err());
        assert!(NoticeId::parse(&"x".repeat(128)).is_ok());
    }

    #[test]
    fn a_host_session_never_looks_like_a_repair_session() {
        assert!(SessionId::parse(&RepairSessionId::from_bits(7).to_string()).is_err());
        assert!(SessionId::parse("repair").is_ok());
    }

    #[test]
    fn labels_are_printable() {
        for bad in ["a/b", "a\nb", "a\u{1b}[0m", "a\u{202e}b", " a", ""] {
            assert!(SessionId::parse(bad).is_err(), "{bad:?}");
        }
        for good in ["airline-003-0", "žluťoučký kůň", "user@host:1"] {
            assert!(SessionId::parse(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn the_message_names_the_thing_and_the_rule() {
        let error = RuleId::parse("../../etc").unwrap_err().to_string();
        assert_eq!(
            error,
            "`../../etc` is no rule id: an id is 1 to 128 characters of A-Z a-z 0-9 . _ - and \
             neither `.` nor `..`"
        );
    }

    proptest! {
        #[test]
        fn a_component_never_leaves_its_folder(text in "\\PC{0,140}") {
            if let Ok(id) = CaseId::parse(&text) {
                let path = std::path::Path::new(id.as_str());
                prop_assert_eq!(path.components().count(), 1);
                prop_assert!(path.file_name().is_some());
            }
        }
    }
}
