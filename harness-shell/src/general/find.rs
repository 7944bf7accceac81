//! `find`: its expression may remove, write and run.

use std::borrow::Cow;

use super::judge::{Judge, Judged};
use crate::policy::Use;
use crate::syntax::Word;

/// Tests and actions with one value that is text.
const WITH_TEXT: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
];
/// Tests with one value that is a file to look at.
const WITH_FILE: &[&str] = &["-newer", "-anewer", "-cnewer", "-samefile"];
/// Tests, operators and actions without a value that only read.
const PLAIN: &[&str] = &[
    "(",
    ")",
    "!",
    ",",
    "-a",
    "-and",
    "-o",
    "-or",
    "-not",
    "-daystart",
    "-depth",
    "-d",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-ls",
    "-mount",
    "-nogroup",
    "-noleaf",
    "-nouser",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-writable",
    "-xdev",
    "-nowarn",
    "-warn",
];
/// Actions that write the file they name.
const WRITING: &[&str] = &["-fprint", "-fprint0", "-fls", "-fprintf"];
/// Actions that run a command.
const RUNNING: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

impl Judge<'_> {
    /// What a search names and does, behind the program's name.
    pub(super) fn search(&mut self, words: &[Word<'_>]) -> Judged {
        let mut words = words.iter().peekable();
        while words
            .next_if(|word| matches!(&*word.text, "-H" | "-L" | "-P"))
            .is_some()
        {}
        let mut starts: Vec<&str> = Vec::new();
        while let Some(start) = words.next_if(|word| !begins_expression(&word.text)) {
            self.path(&start.text, Use::Read)?;
            starts.push(&start.text);
        }
        if starts.is_empty() {
            starts.push(".");
        }
        while let Some(word) = words.next() {
            let text = &*word.text;
            if PLAIN.contains(&text) {
            } else if WITH_TEXT.contains(&text) {
                words.next();
            } else if WITH_FILE.contains(&text) || text.starts_with("-newer") {
                if let Some(file) = words.next() {
                    self.path(&file.text, Use::Read)?;
                }
            } else if WRITING.contains(&text) {
                if let Some(file) = words.next() {
                    self.path(&file.text, Use::Overwrite)?;
                }
                self.ask("general.change", "writes what it finds to a file");
            } else if text == "-delete" {
                self.ask("general.remove", "removes all that it finds");
                for start in &starts {
                    self.path(start, Use::Overwrite)?;
                }
            } else if RUNNING.contains(&text) {
                let mut command = Vec::new();
                for word in words.by_ref() {
                    if matches!(&*word.text, ";" | "+") && !command.is_empty() {
                        break;
                    }
                    command.push(word.clone());
                }
                for start in &starts {
                    self.found(&command, start)?;
                }
            } else {
                self.ask_about("general.flag", text, "is nothing that `find` is known for");
            }
        }
        Ok(())
    }

    /// A command that is run for what is found beneath `start`.
    fn found(&mut self, command: &[Word<'_>], start: &str) -> Judged {
        // A name inside a text is no path: a shell would read it as one, and run what it says.
        let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"{}/._-=".contains(&byte);
        let is_text = |word: &Word<'_>| word.text.contains("{}") && !word.text.bytes().all(is_path);
        let is_run = command.first().is_some_and(|word| word.text.contains("{}"));
        if is_run || command.iter().any(is_text) {
            self.ask("general.code", "runs what it finds");
        }
        let filled: Vec<Word<'_>> = command.iter().map(|word| filled(word, start)).collect();
        self.unwrapped(&filled)
    }
}

fn begins_expression(word: &str) -> bool {
    word.starts_with('-') || matches!(word, "(" | ")" | "!" | ",")
}

/// A word with `{}` replaced by a name beneath `start`.
fn filled<'a>(word: &Word<'a>, start: &str) -> Word<'a> {
    let mut word = word.clone();
    if word.text.contains("{}") {
        let name = format!("{}/found", start.trim_end_matches('/'));
        word.text = Cow::Owned(word.text.replace("{}", &name));
    }
    word
}
