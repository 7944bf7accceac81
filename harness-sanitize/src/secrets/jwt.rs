//! JSON web tokens (RFC 7519).

use super::encodings::from_base64;

/// The name of the kind.
pub(super) const NAME: &str = "jwt";

/// What an object starts with, in base64.
const OBJECT: &str = "eyJ";

/// Whether a token's header, where it starts like an object, ends like one: a header that was cut
/// or mistyped opens nothing.
pub(super) fn may_be_one(token: &str) -> bool {
    let header = token.split('.').next().unwrap_or_default();
    !header.starts_with(OBJECT) || from_base64(header).ends_with(b"}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_an_object() {
        // {"alg":"HS256"}
        assert!(may_be_one("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x"));
        assert!(!may_be_one("eyJhbGciOiJIUzI1NiJ.eyJzdWIiOiIxIn0.x"));
    }
}
