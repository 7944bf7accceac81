//! Commands of the shell itself: its folder, its variables, its tests.

use super::judge::{Judge, Judged};
use super::names::{Variable, variable};
use crate::policy::Use;
use crate::syntax::{Certainty, Word};

/// Tests whose words are files.
const OF_FILES: &[&str] = &[
    "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-p", "-r", "-s", "-u", "-w", "-x", "-G", "-L",
    "-N", "-O", "-S",
];
/// Operators between two words, and what else a test may hold.
const OF_WORDS: &[&str] = &["=", "==", "!=", "-z", "-n", "!", "(", ")", "]", "-a", "-o"];
/// Operators between two numbers.
const OF_NUMBERS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Flags of `set` that make a script stricter or louder.
const STRICTER: &[&str] = &[
    "-e", "-u", "-x", "-v", "-o", "-eu", "-ex", "-eux", "-euo", "-euxo", "pipefail", "errexit",
    "nounset", "xtrace", "+e", "+x", "+u",
];

impl Judge<'_> {
    /// `cd`.
    pub(super) fn change_folder(&mut self, words: &[Word<'_>]) -> Judged {
        let mut words = words
            .iter()
            .filter(|word| !matches!(&*word.text, "--" | "-L"));
        match (words.next(), words.next()) {
            (Some(folder), None)
                if folder.certainty == Certainty::Literal && folder.text != "-" =>
            {
                self.path(&folder.text, Use::Read)?;
                self.enter(&folder.text);
            }
            _ => {
                self.ask(
                    "general.folder",
                    "goes to a folder that only the shell would know",
                );
                self.get_lost();
            }
        }
        Ok(())
    }

    /// `test`, `[`, and what stands between `[[` and `]]`.
    pub(super) fn test(&mut self, words: &[Word<'_>], is_extended: bool) -> Judged {
        let mut of_file = false;
        for word in words {
            let text = &*word.text;
            if of_file {
                self.path(text, Use::Read)?;
                of_file = false;
            } else if word.quoted || OF_WORDS.contains(&text) || !text.starts_with('-') {
            } else if OF_FILES.contains(&text) {
                of_file = true;
            } else if OF_NUMBERS.contains(&text) {
                // Between double brackets a number is an expression, which may run a command.
                if is_extended {
                    self.ask("general.arithmetic", "compares expressions, not numbers");
                }
            } else {
                self.ask_about("general.flag", text, "is a test that is not known");
            }
        }
        self.unknown_words(words);
        Ok(())
    }

    /// `export`, `declare` and their kin.
    pub(super) fn export(&mut self, words: &[Word<'_>]) -> Judged {
        if words.is_empty() {
            self.ask("general.environment", "prints the environment, secrets too");
        }
        for word in words {
            let text = &*word.text;
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            if text.starts_with('-') {
                self.ask_about("general.flag", text, "changes what a variable is");
            } else {
                self.set_variable(name, true)?;
            }
        }
        self.unknown_words(words);
        Ok(())
    }

    /// `set`.
    pub(super) fn options(&mut self, words: &[Word<'_>]) {
        let stricter = |word: &Word<'_>| STRICTER.contains(&&*word.text);
        if words.is_empty() || !words.iter().all(stricter) {
            self.ask(
                "general.environment",
                "prints or changes what the shell knows",
            );
        }
    }

    /// A variable gets a value; `exported` if other programs see it.
    pub(super) fn set_variable(&mut self, name: &str, exported: bool) -> Judged {
        match variable(name) {
            Variable::Steers => {
                let reason = "decides what other programs run or load";
                Err(self.deny_about("general.variable", name, reason))
            }
            Variable::Harmless => Ok(()),
            Variable::Unknown if !exported => Ok(()),
            Variable::Unknown => {
                let reason = "is a variable that other programs may obey";
                self.ask_about("general.variable", name, reason);
                Ok(())
            }
        }
    }
}
