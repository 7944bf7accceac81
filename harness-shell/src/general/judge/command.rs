//! One simple command: what its name means, and what its words come to.

use std::borrow::Cow;

use super::{Input, Judge, Judged, literal};
use crate::decision::{Decision, Verdict};
use crate::general::names::{self, Known, Own};
use crate::general::wrappers::{ENV, Wrapper, XARGS};
use crate::general::{MAX_COMMANDS, MAX_UNWRAP, MAX_WORDS};
use crate::policy::{Grammar, Refused, Use, read};
use crate::syntax::Word;

impl Judge<'_> {
    /// A command that another one runs.
    pub(in crate::general) fn unwrapped(&mut self, words: &[Word<'_>]) -> Judged {
        self.command(words, Input::Other)
    }

    pub(super) fn command(&mut self, words: &[Word<'_>], input: Input<'_>) -> Judged {
        self.commands += 1;
        if self.commands > MAX_COMMANDS || words.len() > MAX_WORDS {
            let reason = "more commands or words than a person reads";
            let asked = Decision::new(Verdict::Confirm, "general.size", reason);
            return Err(Box::new(self.asked.take().unwrap_or(asked)));
        }
        let Some((name, words)) = words.split_first() else {
            self.ask("general.empty", "there is no command");
            return Ok(());
        };
        let Some(name) = name.literal() else {
            self.ask_about(
                "general.name",
                &name.text,
                "is a name that only the shell would know",
            );
            return Ok(());
        };
        if self.unwrapped >= MAX_UNWRAP {
            self.ask(
                "general.size",
                "commands that run one another, too many to follow",
            );
            return Ok(());
        }
        self.unwrapped += 1;
        let judged = self.named(names::bare(name), words, input);
        self.unwrapped -= 1;
        judged
    }

    fn named(&mut self, name: &str, words: &[Word<'_>], input: Input<'_>) -> Judged {
        let context = self.context;
        let mut hosts = context.host_commands().iter();
        if let Some(command) = hosts.find(|command| command.grammar.name() == name) {
            return self.by_grammar(&command.grammar, words);
        }
        match names::known(name) {
            None if name.contains('/') => {
                self.ask_about("general.code", name, "is a program that is not read here");
                Ok(())
            }
            None => {
                self.ask_about("general.unknown", name, "is not a command that is known");
                Ok(())
            }
            Some(Known::Refused(why)) => Err(self.deny_about("general.refused", name, why)),
            Some(Known::Asks(rule, why)) => {
                self.ask_about(rule, name, why);
                self.named_paths(words)
            }
            Some(Known::Reader(grammar)) => self.by_grammar(grammar, words),
            Some(Known::Wrapper(wrapper)) => self.wrapped(wrapper, words, input),
            Some(Known::Own(own)) => self.own(*own, words, input),
        }
    }

    fn own(&mut self, own: Own, words: &[Word<'_>], input: Input<'_>) -> Judged {
        match own {
            Own::Cd => self.change_folder(words),
            Own::Text => {
                self.unknown_words(words);
                Ok(())
            }
            Own::Test => self.test(words, false),
            Own::Export => self.export(words),
            Own::Set => {
                self.options(words);
                Ok(())
            }
            Own::Shell => self.shell(words, input),
            Own::Eval => self.evaluation(words),
            Own::Find => {
                self.certain_words(words);
                self.search(words)
            }
            Own::Git => {
                self.certain_words(words);
                self.repository(words)
            }
            Own::Remove => self.removal(words),
            Own::Env => self.environment(words, input),
            Own::Xargs => self.arguments(words, input),
        }
    }

    /// `env`: variables, then a command.
    fn environment(&mut self, words: &[Word<'_>], input: Input<'_>) -> Judged {
        let texts: Vec<Option<&str>> = words.iter().map(Word::literal).collect();
        let Some(own) = ENV.own_words(&texts) else {
            self.ask("general.flag", "a flag of `env` that is not known");
            return self.named_paths(words);
        };
        let mut rest = words.get(own..).unwrap_or_default();
        while let [word, behind @ ..] = rest {
            let Some((name, _)) = word.text.split_once('=') else {
                break;
            };
            self.set_variable(name, true)?;
            rest = behind;
        }
        if rest.is_empty() {
            self.ask("general.environment", "prints the environment, secrets too");
            return Ok(());
        }
        self.command(rest, input)
    }

    /// `timeout`, `nohup` and their kin: flags, then a command.
    fn wrapped(&mut self, wrapper: &Wrapper, words: &[Word<'_>], input: Input<'_>) -> Judged {
        let texts: Vec<Option<&str>> = words.iter().map(Word::literal).collect();
        match wrapper.own_words(&texts).and_then(|own| words.get(own..)) {
            Some(rest) if !rest.is_empty() => self.command(rest, input),
            _ => {
                self.ask_about(
                    "general.flag",
                    wrapper.name,
                    "is asked in a way that is not known",
                );
                self.named_paths(words)
            }
        }
    }

    /// `xargs`: flags, then a command that gets further words from the input.
    fn arguments(&mut self, words: &[Word<'_>], input: Input<'_>) -> Judged {
        let texts: Vec<Option<&str>> = words.iter().map(Word::literal).collect();
        let Some(own) = XARGS.own_words(&texts) else {
            self.ask("general.flag", "a flag of `xargs` that is not known");
            return self.named_paths(words);
        };
        let (flags, command) = words.split_at(own.min(words.len()));
        let by_zero = flags
            .iter()
            .any(|flag| matches!(&*flag.text, "-0" | "--null"));
        let replaces = flags
            .iter()
            .any(|flag| flag.text.starts_with("-I") || flag.text.starts_with("--rep"));
        let mut command = command.to_vec();
        match input {
            // A name that ends at a zero byte is one word, and begins with the folder it is in.
            Input::Names(start) if by_zero && !replaces => {
                let text = Cow::Owned(start.to_owned());
                command.push(Word {
                    text,
                    quoted: true,
                    ..Word::default()
                });
            }
            _ => self.ask(
                "general.unknown",
                "gets words that only its input would tell",
            ),
        }
        if command.len() == 1 && own >= words.len() {
            command.insert(0, literal("echo"));
        }
        self.command(&command, Input::Other)
    }

    /// Words read by a grammar.
    pub(in crate::general) fn by_grammar(
        &mut self,
        grammar: &Grammar,
        words: &[Word<'_>],
    ) -> Judged {
        if grammar.only_prints() {
            self.unknown_words(words);
            let maybe_flag = |word: &Word<'_>| word.begins_unknown && !word.text.starts_with('-');
            if words.iter().any(maybe_flag) {
                self.ask("general.unknown", "a word that may turn out to be a flag");
            }
        } else {
            self.certain_words(words);
            let maybe_flag = |word: &Word<'_>| word.begins_unknown;
            if !grammar.denied_flags().is_empty() && words.iter().any(maybe_flag) {
                self.ask(
                    "general.unknown",
                    "a file name that may turn out to be a flag",
                );
            }
        }
        let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        match read(grammar, &texts) {
            Ok(reading) => {
                for (usage, path) in reading.uses {
                    self.path(path, usage)?;
                }
                Ok(())
            }
            Err(refused) => {
                self.refused(grammar, refused)?;
                self.named_paths(words)
            }
        }
    }

    fn refused(&mut self, grammar: &Grammar, refused: Refused<'_>) -> Judged {
        match refused {
            Refused::Denied(word, denial) => {
                let decision =
                    Decision::about(Verdict::Deny, "general.denied", word, denial.reason);
                return Err(Box::new(decision.or_rather(denial.instead)));
            }
            Refused::UnknownFlag(word) => {
                self.ask_about("general.flag", word, "has a flag that is not known");
            }
            Refused::Value(word) => {
                self.ask_about("general.flag", word, "lacks its value, or has one too many");
            }
            Refused::Program(what) => {
                let reason = "lets a program do more than work on its input";
                self.ask_about("general.program", what, reason);
            }
            Refused::Subcommand(word) => {
                self.ask_about(
                    "general.unknown",
                    word,
                    "is nothing that this command is known for",
                );
            }
            Refused::Operands => {
                self.ask_about("general.unknown", grammar.name(), "lacks an operand");
            }
        }
        Ok(())
    }

    /// The paths of a command that asks anyway: a secret among them is refused.
    fn named_paths(&mut self, words: &[Word<'_>]) -> Judged {
        for word in words.iter().filter(|word| !word.text.starts_with('-')) {
            let is_path = word.text.starts_with(['/', '~', '.']) || word.text.contains('/');
            if is_path && !word.text.contains("://") && !word.text.contains(char::is_whitespace) {
                self.path(&word.text, Use::Read)?;
            }
        }
        Ok(())
    }
}
