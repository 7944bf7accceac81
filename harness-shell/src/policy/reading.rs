//! The words of one command, read by the grammar of its binary: left to right, each exactly once.

use super::denial::Denial;
use super::grammar::{Grammar, Operands, Takes, Use};
use super::language;

/// What a command does, as far as its grammar tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading<'a> {
    /// What it names, and what becomes of that.
    pub(crate) uses: Vec<(Use, &'a str)>,
    /// Words that are no flag: operands, and values too, since a denied word that is missed costs
    /// more than a name that is refused.
    plain: Vec<&'a str>,
    /// Words that belong to no flag.
    operands: Vec<&'a str>,
    /// Where in `uses` the last of them is.
    last_operand: Option<usize>,
    has_program: bool,
    rest_is_text: bool,
}

/// Why a command cannot be read, or may not be what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused<'a> {
    /// A flag that the grammar does not name.
    UnknownFlag(&'a str),
    /// A flag lacks its value, or has one too many.
    Value(&'a str),
    /// A flag or a sequence that the grammar denies, and as what word.
    Denied(&'a str, Denial),
    /// A program that reads or does more than its input.
    Program(&'static str),
    /// Words that begin no known subcommand.
    Subcommand(&'a str),
    /// Too few operands.
    Operands,
}

/// Reads the words behind the binary's name.
pub(crate) fn read<'a>(grammar: &Grammar, words: &[&'a str]) -> Result<Reading<'a>, Refused<'a>> {
    for word in words {
        // Wherever it stands: what reads it as a value here may read it as a flag there.
        if word.starts_with("--") {
            let name = word.split_once('=').map_or(*word, |(name, _)| name);
            not_denied(grammar, name, word)?;
        }
    }
    let mut reading = Reading::default();
    let mut words = words.iter().copied();
    let mut flags_end = false;
    while let Some(word) = words.next() {
        if flags_end || word == "-" || !word.starts_with('-') {
            reading.operand(grammar, word)?;
        } else if word == "--" {
            flags_end = true;
        } else if word.starts_with("--") {
            reading.long(grammar, word, &mut words)?;
        } else {
            reading.cluster(grammar, word, &mut words)?;
        }
    }
    reading.finish(grammar)
}

impl<'a> Reading<'a> {
    /// `--name`, `--name=value`.
    fn long(
        &mut self,
        grammar: &Grammar,
        word: &'a str,
        words: &mut dyn Iterator<Item = &'a str>,
    ) -> Result<(), Refused<'a>> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        match (known(grammar, name, word)?, value) {
            (Takes::Nothing | Takes::RestIsText | Takes::Named(_), Some(_)) => {
                Err(Refused::Value(word))
            }
            (takes, value) => self.flag(grammar, word, takes, value, words),
        }
    }

    /// `-abc`: flags in a row, of which the last may take what is left or the next word.
    fn cluster(
        &mut self,
        grammar: &Grammar,
        word: &'a str,
        words: &mut dyn Iterator<Item = &'a str>,
    ) -> Result<(), Refused<'a>> {
        let letters = word.get(1..).unwrap_or_default();
        if grammar.reads_number_flags() && letters.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        let mut name = [0_u8; 5];
        for (at, letter) in letters.char_indices() {
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            let takes = known(grammar, short(letter, &mut name), word)?;
            let attached = (!rest.is_empty()).then_some(rest);
            match takes {
                Takes::Nothing | Takes::RestIsText => {
                    self.flag(grammar, word, takes, None, words)?;
                }
                Takes::Named(_) if attached.is_some() => return Err(Refused::Value(word)),
                _ => {
                    // Some read `-o=file` as `file`, some as `=file`: both are judged.
                    if let (Some(value), Takes::One(usage)) = (rest.strip_prefix('='), takes) {
                        self.value(grammar, usage, value);
                    }
                    return self.flag(grammar, word, takes, attached, words);
                }
            }
        }
        Ok(())
    }

    fn flag(
        &mut self,
        grammar: &Grammar,
        word: &'a str,
        takes: Takes,
        attached: Option<&'a str>,
        words: &mut dyn Iterator<Item = &'a str>,
    ) -> Result<(), Refused<'a>> {
        let mut value = || {
            attached
                .or_else(|| words.next())
                .ok_or(Refused::Value(word))
        };
        match takes {
            Takes::Nothing => {}
            Takes::RestIsText => self.rest_is_text = true,
            Takes::Optional => self.plain.extend(attached),
            Takes::One(usage) => {
                let value = value()?;
                self.value(grammar, usage, value);
            }
            Takes::Named(usage) => {
                let name = value()?;
                let value = words.next().ok_or(Refused::Value(word))?;
                self.value(grammar, Use::Text, name);
                self.value(grammar, usage, value);
            }
            Takes::Program => {
                let program = value()?;
                self.program(grammar, program)?;
            }
            Takes::ProgramFile => {
                let file = value()?;
                self.has_program = true;
                self.value(grammar, Use::Read, file);
            }
        }
        Ok(())
    }

    fn operand(&mut self, grammar: &Grammar, word: &'a str) -> Result<(), Refused<'a>> {
        self.operands.push(word);
        match grammar.operands() {
            Operands::ProgramThen(..) if !self.has_program => return self.program(grammar, word),
            _ if self.rest_is_text => self.plain.push(word),
            Operands::All(usage)
            | Operands::ProgramThen(_, usage)
            | Operands::To { others: usage, .. } => {
                // A lone `-` is standard input or output.
                let usage = if word == "-" { Use::Text } else { usage };
                self.last_operand = Some(self.uses.len());
                self.value(grammar, usage, word);
            }
            Operands::Then { first, rest } => {
                let usage = match self.operands.len() {
                    _ if word == "-" => Use::Text,
                    1 => first,
                    _ => rest,
                };
                self.value(grammar, usage, word);
            }
            Operands::Subcommands(_) => self.value(grammar, Use::Text, word),
        }
        Ok(())
    }

    fn program(&mut self, grammar: &Grammar, program: &'a str) -> Result<(), Refused<'a>> {
        self.has_program = true;
        let Operands::ProgramThen(language, _) = grammar.operands() else {
            return Ok(());
        };
        match language::reaches_out(language, program) {
            Some(what) => Err(Refused::Program(what)),
            None => Ok(()),
        }
    }

    fn value(&mut self, grammar: &Grammar, usage: Use, word: &'a str) {
        self.plain.push(word);
        match word.strip_prefix('@') {
            Some(file) if grammar.reads_response_files() => self.uses.push((Use::Read, file)),
            _ => self.uses.push((usage, word)),
        }
    }

    fn finish(mut self, grammar: &Grammar) -> Result<Self, Refused<'a>> {
        for denial in grammar.denied_sequences() {
            let mut plain = self.plain.iter();
            let mut last = "";
            if denial.words.iter().all(|wanted| {
                plain.any(|word| {
                    last = word;
                    word.eq_ignore_ascii_case(wanted)
                })
            }) {
                return Err(Refused::Denied(last, *denial));
            }
        }
        match grammar.operands() {
            Operands::To { last, .. } => {
                if self.operands.len() < 2 {
                    return Err(Refused::Operands);
                }
                let target = self.last_operand.and_then(|at| self.uses.get_mut(at));
                if let Some((usage, _)) = target {
                    *usage = last;
                }
            }
            Operands::Subcommands(known) => {
                let begins = |sequence: &&[&str]| {
                    sequence.len() <= self.operands.len()
                        && sequence.iter().zip(&self.operands).all(|(a, b)| a == b)
                };
                if let Some(first) = self.operands.first()
                    && !known.iter().any(begins)
                {
                    return Err(Refused::Subcommand(first));
                }
            }
            Operands::All(_) | Operands::ProgramThen(..) | Operands::Then { .. } => {}
        }
        Ok(self)
    }
}

/// What a flag takes, if it is known and not denied.
fn known<'a>(grammar: &Grammar, flag: &str, word: &'a str) -> Result<Takes, Refused<'a>> {
    not_denied(grammar, flag, word)?;
    grammar.takes(flag).ok_or(Refused::UnknownFlag(word))
}

fn not_denied<'a>(grammar: &Grammar, flag: &str, word: &'a str) -> Result<(), Refused<'a>> {
    let denied = |denial: &&Denial| denial.words.contains(&flag);
    match grammar.denied_flags().iter().find(denied) {
        Some(denial) => Err(Refused::Denied(word, *denial)),
        None => Ok(()),
    }
}

/// `-x`, without an allocation.
fn short(letter: char, buffer: &mut [u8; 5]) -> &str {
    let [dash, rest @ ..] = buffer;
    *dash = b'-';
    let length = 1 + letter.encode_utf8(rest).len();
    let bytes = buffer.get(..length).unwrap_or_default();
    std::str::from_utf8(bytes).unwrap_or_default()
}
