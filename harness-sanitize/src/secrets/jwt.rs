//! JSON web tokens (RFC 7519).

use super::encodings::from_base64;

/// The name of the kind.
pub(super) const NAME: &str = "jwt";

/// What an object starts with, in base64.
const OBJECT: &str = "eyJ";

/// The claims with which every manual shows what a token is.
const DOCUMENTED: [&[u8]; 2] = [b"\"sub\":\"1234567890\"", b"\"name\":\"John Doe\""];

/// Whether a token's header, where it starts like an object, ends like one (a header that was cut
/// or mistyped opens nothing), and its claims are not those of a manual.
pub(super) fn may_be_one(token: &str) -> bool {
    let mut parts = token.split('.');
    let header = parts.next().unwrap_or_default();
    let claims = from_base64(parts.next().unwrap_or_default());
    let holds = |claim: &[u8]| memchr::memmem::find(&claims, claim).is_some();
    let whole = !header.starts_with(OBJECT) || from_base64(header).ends_with(b"}");
    whole && !DOCUMENTED.into_iter().all(holds)
}

/// Whether a value starts like a token of two objects and is none, whatever it is called.
pub(super) fn is_spoilt(value: &str) -> bool {
    value.starts_with(OBJECT) && value.contains(".eyJ") && !may_be_one(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_claims_of_a_manual_are_no_secret() {
        // {"sub":"1234567890","name":"John Doe"}, and the same with another subject.
        let token = |claims: &str| format!("eyJhbGciOiJIUzI1NiJ9.{claims}.c2lnbmF0dXJl");
        let documented = token("eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0");
        let own = token("eyJzdWIiOiI4MjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0");
        assert!(!may_be_one(&documented) && is_spoilt(&documented));
        assert!(may_be_one(&own) && !is_spoilt(&own));
    }

    #[test]
    fn a_header_is_an_object() {
        // {"alg":"HS256"}
        assert!(may_be_one("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x"));
        assert!(!may_be_one("eyJhbGciOiJIUzI1NiJ.eyJzdWIiOiIxIn0.x"));
    }
}
