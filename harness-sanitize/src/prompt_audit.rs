//! The audit of a system prompt: nothing of the environment may be in it.

use crate::secrets::{Redactor, secret_shaped_name};

/// Most findings of one prompt.
const MAX_FINDINGS: usize = 64;
/// Shortest name of a variable that is looked for; a shorter one is a word.
const MIN_NAME: usize = 5;

/// How templates read the environment, in the languages agents are written in.
const INTERPOLATIONS: &[&str] = &[
    "os.environ",
    "os.getenv",
    "getenv(",
    "process.env",
    "std::env::",
    "env::var",
    "env!(",
    "System.getenv",
    "Environment.GetEnvironmentVariable",
    "ENV[",
    "$env:",
    "Deno.env",
    "import.meta.env",
];

/// What a system prompt holds that it must not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptFinding {
    /// A piece of code that reads the environment.
    Interpolation {
        /// Byte offset.
        at: usize,
    },
    /// The name of a variable that holds a secret.
    VariableName {
        /// The name; names are not secret.
        name: String,
        /// Byte offset.
        at: usize,
    },
    /// A secret: the value of such a variable in some encoding, or something that looks like one.
    Secret {
        /// Its kind.
        kind: &'static str,
        /// Byte offset.
        at: usize,
    },
}

/// The names of the variables that are likely to hold secrets, in order. The caller reads the
/// environment.
pub fn secret_env_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names
        .into_iter()
        .filter(|name| secret_shaped_name(name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What `prompt` holds of an environment of variables by name and value: code that would read it,
/// names and values of its secrets, and whatever else looks like a secret. A host with a finding
/// should not start. In order of kind, then place; 64 at most.
pub fn audit_system_prompt(prompt: &str, environment: &[(String, String)]) -> Vec<PromptFinding> {
    let mut found = Vec::new();
    for pattern in INTERPOLATIONS {
        found.extend(
            prompt
                .match_indices(pattern)
                .map(|(at, _)| PromptFinding::Interpolation { at }),
        );
    }
    let names = environment.iter().map(|(name, _)| name.as_str());
    for name in secret_env_names(names) {
        let place = prompt
            .match_indices(name)
            .find(|(at, _)| is_whole(prompt, *at, name.len()));
        found.extend(place.filter(|_| name.len() >= MIN_NAME).map(|(at, _)| {
            PromptFinding::VariableName {
                name: name.to_owned(),
                at,
            }
        }));
    }
    let redactor = Redactor::with_values(environment.iter().cloned());
    found.extend(
        redactor
            .find(prompt)
            .into_iter()
            .map(|span| PromptFinding::Secret {
                kind: span.kind.name(),
                at: span.start,
            }),
    );
    found.truncate(MAX_FINDINGS);
    found
}

/// Whether what stands at `at` is a name by itself and not part of a longer one.
fn is_whole(text: &str, at: usize, len: usize) -> bool {
    let joins = |ch: char| ch.is_alphanumeric() || ch == '_';
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let after = text.get(at + len..).and_then(|after| after.chars().next());
    !before.is_some_and(joins) && !after.is_some_and(joins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Vec<(String, String)> {
        [
            ("APP_TOKEN", "correct-horse-battery"),
            ("HOME", "/home/somebody"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    #[test]
    fn a_plain_prompt_passes() {
        let prompt = "You are a careful assistant. The environment is production; be brief.";
        assert_eq!(audit_system_prompt(prompt, &environment()), []);
        assert_eq!(
            audit_system_prompt("work in /home/somebody", &environment()),
            []
        );
    }

    #[test]
    fn names_values_and_interpolations_are_found() {
        for (prompt, expected) in [
            (
                "key: {os.environ['X']}",
                PromptFinding::Interpolation { at: 6 },
            ),
            (
                "use APP_TOKEN here",
                PromptFinding::VariableName {
                    name: "APP_TOKEN".to_owned(),
                    at: 4,
                },
            ),
            (
                "use correct-horse-battery",
                PromptFinding::Secret {
                    kind: "known-value",
                    at: 4,
                },
            ),
        ] {
            assert_eq!(audit_system_prompt(prompt, &environment()), [expected]);
        }
        assert_eq!(
            secret_env_names(["PATH", "DB_PASSWORD", "APP_TOKEN"]),
            ["APP_TOKEN", "DB_PASSWORD"]
        );
    }
}
