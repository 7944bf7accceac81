//! The policy of the restricted shell: data that proves itself when it loads.

mod binaries;
mod defaults;
mod denial;
mod grammar;
mod host;
mod language;
mod loaded;
mod reading;

use std::path::{Path, PathBuf};

pub use self::denial::Denial;
pub use self::grammar::{Grammar, Language, Operands, Takes, Use};
pub use self::host::HostCommand;
use self::loaded::judge;
pub use self::loaded::{LoadedPolicy, MAX_COMMAND, MAX_WORDS};
pub(crate) use self::reading::{Refused, read};
use crate::decision::{Decision, Verdict, quoted};
use crate::line;
use crate::workspace::{Workspace, relative};

/// Binaries of a policy at most.
pub const MAX_BINARIES: usize = 64;

/// Which binaries may run, and with which words. Every entry has been tried on its own lines.
#[derive(Clone, Debug)]
pub struct ShellPolicy {
    grammars: Vec<Grammar>,
}

/// Why a policy does not load. Always the fault of whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// More binaries than a person reviews.
    #[error("the policy lists more than {MAX_BINARIES} binaries")]
    TooMany,
    /// A name that is no bare name, or listed twice.
    #[error("{0} is no bare name of a binary, or is listed twice")]
    Name(String),
    /// An entry or a denial without a reason, or without lines on both sides.
    #[error("{0} needs a reason, a line that it refuses and one that it lets pass")]
    Unproven(String),
    /// An entry that does not do what its own line says.
    #[error("{line} is answered `{found}` by `{rule}`, not as its entry says")]
    Line {
        /// The line, escaped.
        line: String,
        /// What the policy answers.
        found: Verdict,
        /// The rule that answered.
        rule: &'static str,
    },
}

impl ShellPolicy {
    /// A policy of these binaries, each tried on its own lines.
    ///
    /// # Errors
    /// See [`PolicyError`].
    pub fn new(grammars: Vec<Grammar>) -> Result<Self, PolicyError> {
        if grammars.len() > MAX_BINARIES {
            return Err(PolicyError::TooMany);
        }
        let policy = Self { grammars };
        for (at, grammar) in policy.grammars.iter().enumerate() {
            let name = grammar.name();
            let bare = !name.is_empty() && !name.contains(['/', '\0']);
            let twice = policy
                .grammars
                .iter()
                .take(at)
                .any(|other| other.name() == name);
            if twice || !bare {
                return Err(PolicyError::Name(quoted(name)));
            }
            policy.prove(grammar)?;
        }
        Ok(policy)
    }

    /// The default policy: `cat`, `ls`, `jq` and `pandaprobe`.
    ///
    /// # Errors
    /// None, unless its own lines fail, which a test rules out.
    pub fn standard() -> Result<Self, PolicyError> {
        Self::new(Self::standard_grammars())
    }

    /// The entries of the default policy, to add to.
    pub fn standard_grammars() -> Vec<Grammar> {
        defaults::grammars()
    }

    /// What may run.
    pub fn grammars(&self) -> &[Grammar] {
        &self.grammars
    }

    /// The policy for one workspace: each binary resolved to a file, once and for all. `further`
    /// folders are searched behind the system's.
    pub fn load(&self, workspace: Workspace, further: &[PathBuf]) -> LoadedPolicy {
        let names = self.grammars.iter().map(Grammar::name);
        let binaries = binaries::resolve(names, further, &workspace);
        LoadedPolicy::new(self.clone(), workspace, binaries)
    }

    pub(crate) fn grammar(&self, name: &str) -> Option<&Grammar> {
        self.grammars.iter().find(|grammar| grammar.name() == name)
    }

    fn prove(&self, grammar: &Grammar) -> Result<(), PolicyError> {
        let unproven = |shown: &str| Err(PolicyError::Unproven(quoted(shown)));
        let lines = [grammar.allowed_lines(), grammar.denied_lines()];
        if grammar.reason().is_empty() || lines.iter().any(|lines| lines.is_empty()) {
            return unproven(grammar.name());
        }
        for line in grammar.allowed_lines() {
            self.expect(line, |found| found.is_allowed())?;
        }
        for line in grammar.denied_lines() {
            self.expect(line, |found| found.verdict() == Verdict::Deny)?;
        }
        let denials = grammar
            .denied_flags()
            .iter()
            .chain(grammar.denied_sequences());
        for denial in denials {
            let text = [denial.reason, denial.instead];
            let lines = [denial.words, denial.matches, denial.spares];
            if text.contains(&"") || lines.iter().any(|lines| lines.is_empty()) {
                return unproven(&denial.words.join(" "));
            }
            // That it is this denial that refuses is told by its reason.
            let by_this = |found: &Decision| {
                found.verdict() == Verdict::Deny && found.reason().ends_with(denial.reason)
            };
            for line in denial.matches {
                self.expect(line, by_this)?;
            }
            for line in denial.spares {
                self.expect(line, |found| !by_this(found))?;
            }
        }
        Ok(())
    }

    /// Judged by spelling alone: a line must not depend on a machine's files.
    fn expect(
        &self,
        line: &'static str,
        wanted: impl Fn(&Decision) -> bool,
    ) -> Result<(), PolicyError> {
        let admits = |path: &str| relative(path, Path::new("/srv/workspace")).map(drop);
        let found = match line::split(line) {
            Ok(words) => judge(self, &words, &admits),
            Err(error) => Decision::new(Verdict::Deny, "shell.line", error.to_string()),
        };
        if wanted(&found) {
            return Ok(());
        }
        Err(PolicyError::Line {
            line: quoted(line),
            found: found.verdict(),
            rule: found.rule(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grammar() -> Grammar {
        Grammar::new("wc", "counts", Operands::All(Use::Read)).flags(Takes::Nothing, &["-l"])
    }

    const NO_BYTES: Denial = Denial {
        words: &["-c", "--bytes"],
        reason: "counts bytes",
        instead: "count lines",
        matches: &["wc -c a", "wc --bytes=x a", "wc -lc a"],
        spares: &["wc -l a", "wc ./-c"],
    };

    #[test]
    fn the_default_policy_loads() {
        let policy = ShellPolicy::standard().unwrap();
        let names: Vec<&str> = policy.grammars().iter().map(Grammar::name).collect();
        assert_eq!(names, ["cat", "ls", "jq", "pandaprobe"]);
    }

    #[test]
    fn an_entry_proves_itself_or_the_policy_does_not_load() {
        let good = grammar().allows(&["wc -l a"]).denies(&["wc /a"]);
        assert!(ShellPolicy::new(vec![good.clone().deny_flag(NO_BYTES)]).is_ok());

        let wrong = grammar().allows(&["wc -l a", "wc -c a"]).denies(&["wc /a"]);
        let refused = ShellPolicy::new(vec![wrong]);
        assert!(matches!(refused, Err(PolicyError::Line { .. })));

        let bare = grammar().allows(&["wc a"]);
        assert!(matches!(
            ShellPolicy::new(vec![bare]),
            Err(PolicyError::Unproven(_))
        ));

        let twice = ShellPolicy::new(vec![good.clone(), good]);
        assert!(matches!(twice, Err(PolicyError::Name(_))));
    }

    #[test]
    fn a_denial_proves_itself_or_the_policy_does_not_load() {
        let with = |denial| {
            let good = grammar().allows(&["wc -l a"]).denies(&["wc /a"]);
            ShellPolicy::new(vec![good.deny_flag(denial)])
        };
        assert!(with(NO_BYTES).is_ok());
        let misses = Denial {
            matches: &["wc -l a"],
            ..NO_BYTES
        };
        assert!(matches!(with(misses), Err(PolicyError::Line { .. })));
        let hits = Denial {
            spares: &["wc -c a"],
            ..NO_BYTES
        };
        assert!(matches!(with(hits), Err(PolicyError::Line { .. })));
        let silent = Denial {
            reason: "",
            ..NO_BYTES
        };
        assert!(matches!(with(silent), Err(PolicyError::Unproven(_))));
    }
}
