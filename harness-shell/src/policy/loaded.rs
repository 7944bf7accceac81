//! A policy at work: commands in, decisions and proofs out.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::ShellPolicy;
use super::grammar::Use;
use super::reading::{Refused, read};
use crate::allowed::{Allowed, Credentials};
use crate::decision::{Decision, Verdict};
use crate::line;
use crate::workspace::{PathRefusal, Workspace};

/// Words of a command at most, its name included.
pub const MAX_WORDS: usize = 256;
/// Bytes of a command at most, all words together.
pub const MAX_COMMAND: usize = 64 * 1024;

/// A policy for one workspace, with its binaries resolved.
#[derive(Clone, Debug)]
pub struct LoadedPolicy {
    policy: ShellPolicy,
    workspace: Workspace,
    binaries: BTreeMap<&'static str, Arc<Path>>,
}

impl LoadedPolicy {
    pub(super) const fn new(
        policy: ShellPolicy,
        workspace: Workspace,
        binaries: BTreeMap<&'static str, Arc<Path>>,
    ) -> Self {
        Self {
            policy,
            workspace,
            binaries,
        }
    }

    /// The folder that commands may touch.
    pub const fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The entries, and the file that each was resolved to; none where it is not installed in a
    /// folder that only its owner writes.
    pub fn binaries(&self) -> impl Iterator<Item = (&'static str, Option<&Path>)> {
        let names = self.policy.grammars().iter().map(super::Grammar::name);
        names.map(|name| (name, self.binaries.get(name).map(AsRef::as_ref)))
    }

    /// What the policy says of a command: the bare name of a binary, then its words. It answers
    /// `allow` exactly where [`Self::allow`] makes a proof.
    pub fn decide(&self, command: &[String]) -> Decision {
        let lookup = self.workspace.lookup();
        let admits = |path: &str| lookup.admits(path);
        let decision = judge(&self.policy, command, &admits);
        if decision.is_allowed() && self.binary(command).is_none() {
            let name = command.first().map_or("", String::as_str);
            let reason = "is not installed where only its owner can write";
            return Decision::about(Verdict::Deny, "shell.missing", name, reason)
                .or_rather("ask the operator to install it");
        }
        decision
    }

    /// The same of one line, split as a POSIX shell splits words, with nothing expanded.
    pub fn decide_line(&self, line: &str) -> Decision {
        match words(line) {
            Ok(command) => self.decide(&command),
            Err(refused) => refused,
        }
    }

    /// The proof that a command may run.
    ///
    /// # Errors
    /// The decision, where it is not `allow`.
    pub fn allow(&self, command: Vec<String>) -> Result<Allowed, Decision> {
        let decision = self.decide(&command);
        let grammar = command.first().and_then(|name| self.policy.grammar(name));
        match (self.binary(&command), grammar) {
            (Some(binary), Some(grammar)) if decision.is_allowed() => {
                let credentials = if grammar.sees_credentials() {
                    Credentials::Platform
                } else {
                    Credentials::None
                };
                let binary = Arc::clone(binary);
                Ok(Allowed::new(
                    binary,
                    command,
                    self.workspace.clone(),
                    credentials,
                ))
            }
            _ => Err(decision),
        }
    }

    /// The same of one line, split as a POSIX shell splits words, with nothing expanded.
    ///
    /// # Errors
    /// The decision, where it is not `allow`.
    pub fn allow_line(&self, line: &str) -> Result<Allowed, Decision> {
        self.allow(words(line)?)
    }

    fn binary(&self, command: &[String]) -> Option<&Arc<Path>> {
        self.binaries.get(command.first()?.as_str())
    }
}

fn words(line: &str) -> Result<Vec<String>, Decision> {
    line::split(line).map_err(|error| {
        Decision::new(Verdict::Deny, "shell.line", error.to_string())
            .or_rather("give one command and its words, without a shell's syntax")
    })
}

/// Judges a command; `admits` judges a path.
pub(super) fn judge(
    policy: &ShellPolicy,
    command: &[String],
    admits: &dyn Fn(&str) -> Result<(), PathRefusal>,
) -> Decision {
    let deny = |rule, reason| Decision::new(Verdict::Deny, rule, reason);
    let Some((name, words)) = command.split_first() else {
        return deny("shell.empty", "there is no command");
    };
    let bytes: usize = command.iter().map(String::len).sum();
    if command.len() > MAX_WORDS || bytes > MAX_COMMAND {
        return deny("shell.size", "the command has too many words or bytes");
    }
    if command.iter().any(|word| word.contains('\0')) {
        return deny("shell.zero", "a word holds a zero byte");
    }
    let Some(grammar) = policy.grammar(name) else {
        return Decision::about(Verdict::Deny, "shell.binary", name, "is not on the list")
            .or_rather("use a binary of the list, by its bare name");
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match read(grammar, &words) {
        Ok(reading) => {
            let paths = reading.uses.iter().filter(|(usage, _)| *usage != Use::Text);
            for (_, path) in paths {
                if let Err(refusal) = admits(path) {
                    return Decision::new(Verdict::Deny, "shell.path", refusal.to_string())
                        .or_rather("name a file beneath the workspace");
                }
            }
            Decision::new(Verdict::Allow, "shell.grammar", grammar.reason())
        }
        Err(refused) => refusal(refused),
    }
}

fn refusal(refused: Refused<'_>) -> Decision {
    let about = |rule, word, reason| Decision::about(Verdict::Deny, rule, word, reason);
    match refused {
        Refused::UnknownFlag(word) => about(
            "shell.flag.unknown",
            word,
            "has a flag that the policy does not know",
        )
        .or_rather("leave it out, or write it in full"),
        Refused::Value(word) => about(
            "shell.flag.value",
            word,
            "lacks its value, or has one too many",
        ),
        Refused::Denied(word, denial) => {
            about("shell.denied", word, denial.reason).or_rather(denial.instead)
        }
        Refused::Program(what) => about(
            "shell.program",
            what,
            "lets a program do more than work on its input",
        )
        .or_rather("pass values with flags and files as operands"),
        Refused::Subcommand(word) => {
            about("shell.subcommand", word, "begins no subcommand of the list")
        }
        Refused::Operands => {
            Decision::new(Verdict::Deny, "shell.operands", "an operand is missing")
        }
    }
}
