//! Names that a secret goes by.

use super::vendors::names_vendor;

/// Longest name that is looked at, in bytes; a longer one names no secret.
const MAX_NAME: usize = 256;

/// Words that name a secret on their own.
const SECRETS: &[&str] = &[
    "secrets",
    "pwd",
    "pass",
    "secretkey",
    "accesskey",
    "privatekey",
    "credential",
    "credentials",
    "creds",
    "pat",
    "psk",
];

/// Endings of words that name a secret: `PGPASSWORD`, `authtoken`.
const ENDINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
];

/// Words that make a secret of a `key` behind them.
const KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "account",
    "signing",
    "signature",
    "encryption",
    "encrypt",
    "master",
    "service",
    "storage",
    "subscription",
    "license",
    "app",
    "admin",
    "deploy",
    "webhook",
    "session",
    "shared",
    "client",
    "consumer",
    "application",
    "rest",
    "server",
    "write",
];

/// Words behind a secret's name that make it something else: the size of a token is none.
const ABOUT: &[&str] = &[
    "count",
    "counts",
    "limit",
    "limits",
    "usage",
    "length",
    "len",
    "size",
    "type",
    "url",
    "uri",
    "endpoint",
    "file",
    "path",
    "dir",
    "name",
    "id",
    "expiry",
    "expires",
    "expiration",
    "ttl",
    "policy",
    "budget",
    "max",
    "min",
    "parallelism",
    "hint",
    "field",
    "prompt",
    "sock",
    "helper",
];

/// What the value behind a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// Nothing secret, as far as the name tells.
    NoSecret,
    /// A key of some sort: secret if it looks drawn at random.
    SomeKey,
    /// A token: issued by a machine.
    Token,
    /// A secret that a person may have chosen.
    Password,
    /// A password: it may be of several words.
    Phrase,
}

/// What the value behind `name` is.
pub(super) fn what_it_holds(name: &str) -> Holds {
    let words = words(name);
    let Some(last) = words.last() else {
        return Holds::NoSecret;
    };
    if words.len() == 1 && last == "auth" {
        return Holds::Token;
    }
    if !secret_shaped_name(name) {
        let first = words.first().map_or("", String::as_str);
        let keyed = last.ends_with("key") || last == "pass" || names_vendor(first);
        let is_public = words.iter().any(|word| PUBLIC.contains(&word.as_str()));
        return if keyed && !is_public && !ABOUT.contains(&last.as_str()) {
            Holds::SomeKey
        } else {
            Holds::NoSecret
        };
    }
    if words
        .iter()
        .any(|word| word == "key" || word.ends_with("token"))
    {
        return Holds::Token;
    }
    let ends = |endings: &[&str]| {
        words
            .iter()
            .any(|word| endings.iter().any(|end| word.ends_with(end)))
    };
    if ends(&["pass", "passwd", "password", "pwd", "passphrase"]) {
        Holds::Phrase
    } else if ends(&["secret"]) {
        Holds::Password
    } else {
        Holds::Token
    }
}

/// Words that make a key no secret.
const PUBLIC: &[&str] = &[
    "public",
    "primary",
    "foreign",
    "partition",
    "sort",
    "cache",
    "unique",
    "idempotency",
    "composite",
];

/// Whether a variable, key or argument of this name is likely to hold a secret: `OPENAI_API_KEY`,
/// `db.password`, `clientSecret`; but not `MAX_TOKENS`, `TOKEN_COUNT` or `PWD`.
pub fn secret_shaped_name(name: &str) -> bool {
    if name.len() > MAX_NAME {
        return false;
    }
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // The working folder, not a password; and a word too short to be a name by itself.
    if matches!(name, "PWD" | "OLDPWD") || words.as_slice() == ["pat"] {
        return false;
    }
    let Some(last) = words.iter().rposition(|word| names_secret(word)) else {
        return words.windows(2).any(|pair| match pair {
            [first, "key" | "keys"] => KEYS.contains(first),
            _ => false,
        }) && !ends_about(&words);
    };
    !words.iter().skip(last + 1).any(|word| ABOUT.contains(word))
}

fn names_secret(word: &str) -> bool {
    SECRETS.contains(&word) || ENDINGS.iter().any(|ending| word.ends_with(ending))
}

fn ends_about(words: &[&str]) -> bool {
    words.last().is_some_and(|word| ABOUT.contains(word))
}

/// The words of a name, lower case: cut at anything but letters and digits, and where lower case
/// turns to upper.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for ch in name.chars() {
        if !ch.is_alphanumeric() || (was_lower && ch.is_uppercase()) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if ch.is_alphanumeric() {
            word.extend(ch.to_lowercase());
        }
        was_lower = ch.is_lowercase();
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[cfg(test)]
mod tests {
    use super::secret_shaped_name;

    #[test]
    fn a_secret_is_known_by_its_name() {
        for name in [
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "db.password",
            "clientSecret",
            "PGPASSWORD",
            "STRIPE-SECRET-KEY",
            "HF_TOKEN",
            "apiKey",
            "PANDAPROBE_API_KEY",
            "token",
            "AGENT_SESSION_TOKEN",
            "password",
            "MYSQL_PWD",
            "aws_credentials",
            "apikey",
        ] {
            assert!(secret_shaped_name(name), "{name}");
        }
    }

    #[test]
    fn what_only_sounds_like_one_is_none() {
        for name in [
            "PATH",
            "PWD",
            "OLDPWD",
            "MAX_TOKENS",
            "TOKEN_COUNT",
            "TOKENIZERS_PARALLELISM",
            "HOME",
            "SSH_AUTH_SOCK",
            "PASSWORD_FILE",
            "KEYBOARD",
            "primary_key",
            "monkey",
            "secretary",
            "TOKEN_LIMIT",
            "token_type",
            "access_key_id",
            "",
        ] {
            assert!(!secret_shaped_name(name), "{name}");
        }
    }
}
