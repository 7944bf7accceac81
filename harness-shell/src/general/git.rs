//! `git`: which of its commands only read, and which of its flags run something.

use std::sync::LazyLock;

use super::judge::{Judge, Judged};
use crate::policy::{Denial, Grammar, Operands, Takes, Use};
use crate::syntax::Word;

/// Flags before the command that set what git runs.
const STEERING: &[&str] = &[
    "-c",
    "--config-env",
    "--exec-path",
    "--namespace",
    "--git-dir",
    "--work-tree",
];

const RUNS: Denial = Denial {
    words: &[
        "--ext-diff",
        "--textconv",
        "--output",
        "--open-files-in-pager",
        "-O",
        "--upload-pack",
        "--receive-pack",
        "--exec",
        "--file",
        "--no-index",
    ],
    reason: "makes git run a program, or read or write a file of another place",
    instead: "leave it out",
    matches: &[
        "log --output=x",
        "diff --ext-diff",
        "diff --no-index a /etc/passwd",
    ],
    spares: &["log --oneline"],
};

/// The commands that only read.
static READERS: LazyLock<Vec<Grammar>> = LazyLock::new(|| {
    let reader = |name| {
        Grammar::new(name, "reads the repository", Operands::All(Use::Read))
            .flags(
                Takes::Nothing,
                &[
                    "-p",
                    "-s",
                    "-u",
                    "-w",
                    "-b",
                    "-l",
                    "-v",
                    "-a",
                    "-r",
                    "-i",
                    "-z",
                    "--all",
                    "--abbrev-ref",
                    "--cached",
                    "--branch",
                    "--decorate",
                    "--follow",
                    "--graph",
                    "--ignored",
                    "--merges",
                    "--minimal",
                    "--name-only",
                    "--name-status",
                    "--no-color",
                    "--no-merges",
                    "--no-patch",
                    "--numstat",
                    "--oneline",
                    "--patch",
                    "--porcelain",
                    "--reverse",
                    "--short",
                    "--show-current",
                    "--show-toplevel",
                    "--shortstat",
                    "--staged",
                    "--stat",
                    "--summary",
                    "--tags",
                    "--verify",
                    "--others",
                    "--exclude-standard",
                    "--modified",
                    "--is-inside-work-tree",
                ],
            )
            .flags(
                Takes::Optional,
                &[
                    "--color",
                    "--abbrev",
                    "--untracked-files",
                    "--pretty",
                    "--word-diff",
                ],
            )
            .flags(
                Takes::One(Use::Text),
                &[
                    "-n",
                    "-G",
                    "-L",
                    "-S",
                    "-U",
                    "--author",
                    "--date",
                    "--diff-filter",
                    "--format",
                    "--grep",
                    "--max-count",
                    "--since",
                    "--until",
                    "--unified",
                ],
            )
            .number_flags()
            .deny_flag(RUNS)
    };
    let mut readers: Vec<Grammar> = [
        "status",
        "log",
        "diff",
        "show",
        "blame",
        "rev-parse",
        "ls-files",
        "describe",
        "shortlog",
        "ls-tree",
        "cat-file",
        "rev-list",
        "merge-base",
    ]
    .into_iter()
    .map(reader)
    .collect();
    // With a word behind them these make or change something.
    readers.extend(["branch", "tag", "remote"].map(|name| {
        Grammar::new(
            name,
            "lists what the repository has",
            Operands::Subcommands(&[]),
        )
        .flags(
            Takes::Nothing,
            &[
                "-a",
                "-r",
                "-v",
                "-vv",
                "-l",
                "--list",
                "--show-current",
                "--all",
            ],
        )
    }));
    readers
});

impl Judge<'_> {
    /// What git is asked, behind its name.
    pub(super) fn repository(&mut self, words: &[Word<'_>]) -> Judged {
        let mut words = words;
        while let [word, rest @ ..] = words {
            let text = &*word.text;
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            if STEERING.contains(&name) || text.starts_with("-c") {
                let reason = "sets what git runs, or which repository it trusts";
                self.ask_about("general.git.steered", text, reason);
                words = if text.contains('=') && text.starts_with("--") {
                    rest
                } else {
                    rest.get(1..).unwrap_or_default()
                };
            } else if text == "-C" {
                self.ask(
                    "general.git.elsewhere",
                    "a repository that may not be the workspace's own",
                );
                if let Some(folder) = rest.first() {
                    self.path(&folder.text, Use::Read)?;
                }
                words = rest.get(1..).unwrap_or_default();
            } else if matches!(
                text,
                "--no-pager" | "-P" | "--version" | "--no-optional-locks"
            ) {
                words = rest;
            } else if text.starts_with('-') {
                self.ask_about("general.flag", text, "is a flag of git that is not known");
                words = rest;
            } else {
                return self.asked_of_git(text, rest);
            }
        }
        Ok(())
    }

    fn asked_of_git(&mut self, command: &str, words: &[Word<'_>]) -> Judged {
        // A folder below may hold a repository of somebody else's making, whose settings git obeys.
        if self.folders() != [self.context().workspace()] {
            self.ask(
                "general.git.elsewhere",
                "a repository that may not be the workspace's own",
            );
        }
        if let Some(grammar) = READERS.iter().find(|grammar| grammar.name() == command) {
            return self.by_grammar(grammar, words);
        }
        let forced = |word: &Word<'_>| {
            let text = &*word.text;
            text.starts_with("--force")
                || text.starts_with('+')
                || matches!(text, "--delete" | "--mirror" | "--prune")
                || (text.starts_with('-') && !text.starts_with("--") && text.contains(['f', 'd']))
        };
        if command == "push" && words.iter().any(forced) {
            let reason = "a forced push takes away what others may have built on";
            self.ask("general.git.forced", reason);
        } else {
            self.ask_about(
                "general.git",
                command,
                "changes the repository, or asks the network",
            );
        }
        Ok(())
    }
}
