//! Shells in the command: what they are given to run is judged like the text itself.

use super::judge::{Input, Judge, Judged};
use crate::syntax::Word;

impl Judge<'_> {
    /// `sh [flags] [-c text]`, behind the program's name.
    pub(super) fn shell(&mut self, words: &[Word<'_>], input: Input<'_>) -> Judged {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.literal() else {
                self.ask("general.code", "runs what only the shell would know");
                return Ok(());
            };
            let short = text.starts_with('-') && !text.starts_with("--");
            if short && text.contains('c') {
                return match words.next().and_then(Word::literal) {
                    Some(script) => {
                        if words.next().is_some() {
                            self.ask("general.code", "hands further words to a text that is run");
                        }
                        self.text(script)
                    }
                    None => {
                        self.ask("general.code", "runs a text that only the shell would know");
                        Ok(())
                    }
                };
            }
            if matches!(text, "-p" | "--privileged") {
                self.ask("general.shell", "keeps the privileges of its file");
            } else if matches!(
                text,
                "-l" | "-e" | "-u" | "-x" | "-eu" | "-ex" | "--login" | "--norc" | "--noprofile"
            ) {
            } else {
                self.ask_about("general.code", text, "is a script that is not read here");
                return Ok(());
            }
        }
        match input {
            Input::Text(script) => self.text(script),
            Input::Fetched => {
                let reason = "runs what comes from the network, unread";
                Err(self.deny("general.fetched", reason))
            }
            Input::Names(_) | Input::Other => {
                self.ask(
                    "general.code",
                    "a shell that reads its commands from its input",
                );
                Ok(())
            }
        }
    }

    /// `eval`: its words are a text.
    pub(super) fn evaluation(&mut self, words: &[Word<'_>]) -> Judged {
        let literals: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
        match literals {
            Some(words) => self.text(&words.join(" ")),
            None => {
                self.ask("general.code", "runs a text that only the shell would know");
                Ok(())
            }
        }
    }
}
