//! Credentials of one session, for the children of its tools.

use std::fmt;

/// Random bytes of an id.
const ID_BYTES: usize = 12;
/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The system gave no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system's randomness cannot be read")]
pub struct RandomError;

/// An id and a token that nobody else has, for as long as the session lasts. They go into the
/// environment of a tool's child, and nowhere near a model.
pub struct SessionCredentials {
    id: String,
    token: Option<String>,
}

impl SessionCredentials {
    /// Draws both.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn draw() -> Result<Self, RandomError> {
        Ok(Self {
            id: url_safe(&drawn::<ID_BYTES>()?),
            token: Some(url_safe(&drawn::<TOKEN_BYTES>()?)),
        })
    }

    /// The id: 16 URL-safe characters.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The token: 43 URL-safe characters; none once it was revoked.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The variables for a child: none once the token was revoked.
    pub fn variables(&self) -> Vec<(&'static str, &str)> {
        self.token().map_or_else(Vec::new, |token| {
            vec![
                ("AGENT_SESSION_ID", self.id()),
                ("AGENT_SESSION_TOKEN", token),
            ]
        })
    }

    /// Whether `token` is the session's, in time that does not tell where it differs.
    pub fn is_token(&self, token: &str) -> bool {
        let Some(ours) = self.token() else {
            return false;
        };
        let differs = ours
            .bytes()
            .zip(token.bytes())
            .fold(0, |differs, (a, b)| differs | (a ^ b));
        ours.len() == token.len() && differs == 0
    }

    /// Ends the token.
    pub fn revoke(&mut self) {
        self.token = None;
    }
}

/// The id alone.
impl fmt::Debug for SessionCredentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SessionCredentials({}, ..)", self.id)
    }
}

fn drawn<const N: usize>() -> Result<[u8; N], RandomError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| RandomError)?;
    Ok(bytes)
}

/// Base64 for URLs, without padding (RFC 4648, section 5).
fn url_safe(bytes: &[u8]) -> String {
    bytes
        .chunks(3)
        .flat_map(|chunk| {
            let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            [18, 12, 6, 0]
                .into_iter()
                .take(chunk.len() + 1)
                .map(move |shift| (bits >> shift & 63) as usize)
        })
        .filter_map(|index| ALPHABET.get(index).map(|byte| char::from(*byte)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_that_of_the_standard() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"\xfb\xff\xfe", "-__-"),
        ] {
            assert_eq!(url_safe(bytes), text);
        }
    }
}
