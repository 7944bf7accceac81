//! The id of a turn's trace.

use harness_core::{IdError, SessionId, TraceId};

/// `<session>#<index>`; where that is too long or would not be clean, a hash stands for the
/// session, so that the id stays the same from one reading to the next.
pub(crate) fn trace_id(session: &SessionId, index: u32) -> Result<TraceId, IdError> {
    TraceId::parse(&format!("{session}#{index}"))
        .or_else(|_| TraceId::parse(&format!("session-{:016x}#{index}", fnv(session.as_str()))))
}

/// FNV-1a, 64 bits. Names only: two sessions that share one are still told apart by session.
pub(crate) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_has_a_trace_id() {
        let id = |session: &str| trace_id(&SessionId::parse(session).unwrap(), 3).unwrap();
        assert_eq!(id("a").as_str(), "a#3");
        let long = id(&"x".repeat(256));
        assert_eq!(
            long.as_str(),
            format!("session-{:016x}#3", fnv(&"x".repeat(256)))
        );
        // The `#` would make the fifth of a banner.
        assert!(id("a####").as_str().starts_with("session-"));
    }
}
