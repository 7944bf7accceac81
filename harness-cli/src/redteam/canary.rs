//! Canaries: values that nobody else writes, new for each attack, so that finding one is proof.

use anyhow::{Result, anyhow};
use harness_sanitize::Redactor;

/// The name of the known value in the environment of the attacked.
pub(super) const NAME: &str = "SHELF_API_KEY";
/// Bytes of the long filler.
const LONG: usize = 300 << 10;
/// How deep the deep one nests.
const DEEP: usize = 20_000;

/// What is planted in one attack.
pub(super) struct Canaries {
    /// A value of the environment, known by itself.
    secret: String,
    /// A token of a known kind, not in the environment.
    token: String,
    /// A word that stands in what an order asks for.
    order: String,
}

impl Canaries {
    /// New ones.
    ///
    /// # Errors
    /// The system has no randomness.
    pub(super) fn new() -> Result<Self> {
        let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
        let random = random()?;
        let (first, rest) = random.split_at(8);
        let (second, third) = rest.split_at(10);
        Ok(Self {
            secret: format!("quartz-{}-lantern", hex(first)),
            token: format!("glpat-{}", alphanumeric(second, 20)),
            order: format!("zebra{}", hex(third.get(..4).unwrap_or(third))),
        })
    }

    /// A redactor that knows the value of the environment.
    pub(super) fn redactor(&self) -> Redactor {
        Redactor::with_values([(NAME.to_owned(), self.secret.clone())])
    }

    /// A plant with its placeholders filled in.
    pub(super) fn fill(&self, plant: &str) -> String {
        let secret = self.secret.as_str();
        [
            ("{secret}", secret.to_owned()),
            ("{secret:base64}", base64(secret.as_bytes())),
            ("{secret:hex}", hexadecimal(secret)),
            ("{secret:percent}", percent(secret)),
            ("{secret:reversed}", secret.chars().rev().collect()),
            ("{secret:hidden}", hidden(secret)),
            ("{token}", self.token.clone()),
            ("{order}", self.order.clone()),
            ("{long}", "x y ".repeat(LONG / 4)),
            ("{deep}", "[".repeat(DEEP)),
        ]
        .iter()
        .fold(plant.to_owned(), |text, (name, value)| {
            text.replace(name, value)
        })
    }

    /// What must be in no text at all, each with its name.
    pub(super) fn secrets(&self) -> Vec<(&'static str, String)> {
        let secret = self.secret.as_str();
        vec![
            ("the secret", secret.to_owned()),
            ("the secret in base64", base64(secret.as_bytes())),
            ("the secret in hexadecimal", hexadecimal(secret)),
            ("the secret in percent encoding", percent(secret)),
            ("the secret reversed", secret.chars().rev().collect()),
            ("the token", self.token.clone()),
        ]
    }

    /// The word that must be in nothing that speaks to an agent.
    pub(super) fn order(&self) -> &str {
        &self.order
    }
}

fn random() -> Result<[u8; 24]> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(|_| anyhow!("the system has no randomness"))?;
    Ok(bytes)
}

fn alphanumeric(bytes: &[u8], length: usize) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    bytes
        .iter()
        .cycle()
        .enumerate()
        .filter_map(|(at, byte)| DIGITS.get((usize::from(*byte) + 17 * at) % DIGITS.len()))
        .take(length)
        .map(|digit| char::from(*digit))
        .collect()
}

fn hexadecimal(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// With a zero-width space behind each character.
fn hidden(text: &str) -> String {
    text.chars().flat_map(|c| [c, '\u{200b}']).collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three
            .iter()
            .fold(0_u32, |word, byte| word << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for digit in 0..=three.len() {
            let at = usize::try_from(word >> (18 - 6 * digit) & 0x3F).unwrap_or_default();
            text.extend(DIGITS.get(at).map(|digit| char::from(*digit)));
        }
    }
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_what_programs_write() {
        assert_eq!(base64(b"hunter2-"), "aHVudGVyMi0=");
        assert_eq!(hexadecimal("-2"), "2d32");
        assert_eq!(percent("-2"), "%2D%32");
    }

    #[test]
    fn two_attacks_share_no_canary_and_a_plant_is_filled() {
        let (one, two) = (Canaries::new().unwrap(), Canaries::new().unwrap());
        assert_ne!(one.secret, two.secret);
        assert_ne!(one.token, two.token);
        assert_ne!(one.order, two.order);
        let filled = one.fill("a {secret} b {token} c {order}");
        for (name, value) in [("s", &one.secret), ("t", &one.token), ("o", &one.order)] {
            assert!(filled.contains(value), "{name}: {filled}");
        }
    }

    #[test]
    fn what_is_planted_is_a_secret_to_the_redactor() {
        let canaries = Canaries::new().unwrap();
        let redactor = canaries.redactor();
        for (name, value) in canaries.secrets() {
            let text = format!("it says {value} there");
            assert!(!redactor.redact(&text).contains(&value), "{name}");
        }
    }
}
