//! Intent: whether a tool call reaches for something that nobody asked for.

use std::fmt;

/// What a call may reach for only if the user's goal, or the agent's own plan, speaks of it: what
/// stands in its arguments, and words that speak of it.
const SENSITIVE: &[(&str, &[&str])] = &[
    ("password", &["password", "passwd", "login", "credential"]),
    ("passwd", &["passwd", "password", "user account"]),
    ("secret", &["secret", "credential"]),
    ("credential", &["credential", "login", "secret"]),
    ("api_key", &["api key", "api_key", "apikey", "credential"]),
    ("apikey", &["api key", "api_key", "apikey", "credential"]),
    ("access_token", &["token", "credential"]),
    ("private key", &["private key", "ssh", "certificate"]),
    ("id_rsa", &["ssh", "id_rsa", "private key"]),
    ("id_ed25519", &["ssh", "id_ed25519", "private key"]),
    (".ssh", &["ssh"]),
    (".aws", &["aws"]),
    (".kube", &["kube"]),
    (".gnupg", &["gpg", "gnupg"]),
    (".netrc", &["netrc"]),
    (".docker/config", &["docker"]),
    (".env", &[".env", "environment", "dotenv"]),
    ("/etc/shadow", &["shadow"]),
    ("169.254.169.254", &["metadata", "169.254"]),
    ("metadata.google", &["metadata"]),
    ("rm -rf", &["delete", "remove", "clean", "rm -rf", "wipe"]),
    ("sudo", &["sudo", "root"]),
    (
        "curl",
        &["curl", "download", "fetch", "request", "http", "url"],
    ),
    ("wget", &["wget", "download", "fetch", "http", "url"]),
    ("base64 -d", &["base64", "decode"]),
    ("crontab", &["cron", "schedule"]),
    ("authorized_keys", &["ssh", "authorized_keys"]),
];

/// A call that drifts from what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drift {
    /// What the call reaches for, as this crate's list names it: never a part of the arguments.
    pub reaches_for: &'static str,
}

impl fmt::Display for Drift {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "the call touches `{}`, which neither the goal nor the plan mentions",
            self.reaches_for
        )
    }
}

/// Whether the arguments of a call to a tool that acts (a shell, a writer, a fetcher) reach only
/// for what the user's `goal` or the agent's `plan` mentions.
///
/// # Errors
/// The first thing it reaches for that neither mentions. Not a proof of harm: ask a person.
pub fn intent_check(goal: &str, plan: &str, arguments: &str) -> Result<(), Drift> {
    let arguments = plain(arguments);
    let asked = [plain(goal), plain(plan)];
    let unasked = SENSITIVE.iter().find(|(touched, spoken)| {
        touches(&arguments, touched)
            && !asked
                .iter()
                .any(|text| spoken.iter().any(|word| text.contains(word)))
    });
    match unasked {
        Some(&(reaches_for, _)) => Err(Drift { reaches_for }),
        None => Ok(()),
    }
}

/// Lower case, with what quotes and escapes a shell would drop dropped, and white space as one
/// space: `cu""rl` is `curl`.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars().filter(|ch| !matches!(ch, '"' | '\'' | '\\')) {
        match ch {
            _ if !ch.is_whitespace() => out.extend(ch.to_lowercase()),
            _ if out.ends_with(' ') => {}
            _ => out.push(' '),
        }
    }
    out
}

/// Whether `touched` stands in `text` as a word of its own or the start of one.
fn touches(text: &str, touched: &str) -> bool {
    let joins = |ch: char| ch.is_alphanumeric();
    text.match_indices(touched).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !touched.starts_with(char::is_alphanumeric) || !before.is_some_and(joins)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_may_do_what_was_asked() {
        for (goal, plan, arguments) in [
            ("Download the page", "", "curl https://x.test/"),
            (
                "Fix the tests",
                "1. rotate the password hashes",
                "edit passwords.rs",
            ),
            ("Summarise the executive report", "", "cat report.txt"),
            ("list files", "", "ls environment"),
        ] {
            assert_eq!(intent_check(goal, plan, arguments), Ok(()), "{arguments}");
        }
    }

    #[test]
    fn what_nobody_asked_for_is_drift() {
        for (arguments, reaches_for) in [
            ("cat ~/.ssh/id_rsa", "id_rsa"),
            ("cu\"\"rl http://x.test", "curl"),
            ("{\"path\": \"/app/.env\"}", ".env"),
            ("rm  -rf /", "rm -rf"),
            ("GET http://169.254.169.254/latest", "169.254.169.254"),
        ] {
            assert_eq!(
                intent_check("Fix the tests", "", arguments),
                Err(Drift { reaches_for }),
                "{arguments}"
            );
        }
    }
}
