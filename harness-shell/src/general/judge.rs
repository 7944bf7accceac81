//! The walk over a text: every simple command in it, and what each comes to.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::context::Context;
use super::names::{self, Known, Own};
use super::places;
use super::wrappers::{ENV, Wrapper, XARGS};
use super::{CommandText, MAX_COMMANDS, MAX_UNWRAP, MAX_WORDS};
use crate::decision::{Decision, Verdict};
use crate::policy::{Grammar, Refused, Use, read};
use crate::syntax::{
    self, Assignment, Body, Certainty, Connector, Operator, Redirect, Script, Stage, Step,
    Substitution, Target, Word,
};

/// Folders in which a command may find itself, at most; beyond, it is lost.
const MAX_FOLDERS: usize = 8;

/// A refusal ends the walk, and so does a text that is too long to follow; everything else lets it
/// go on.
pub(super) type Judged = Result<(), Box<Decision>>;

/// What a command reads from its input, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input<'a> {
    /// Whatever it is.
    Other,
    /// This text.
    Text(&'a str),
    /// What comes from the network.
    Fetched,
    /// Names beneath this folder, each ended by a zero byte.
    Names(&'a str),
}

/// Where a command may find itself.
#[derive(Clone, Debug)]
struct Whereabouts {
    folders: Vec<PathBuf>,
    /// Where it is instead, if the last `cd` failed.
    or_else: Vec<PathBuf>,
    is_lost: bool,
}

/// One walk.
pub(super) struct Judge<'c> {
    context: &'c Context,
    /// The first thing that asks a person.
    asked: Option<Decision>,
    adds: bool,
    commands: usize,
    unwrapped: usize,
    depth: usize,
    whereabouts: Whereabouts,
    /// Variables whose values the text itself has set.
    assigned: Vec<String>,
}

impl<'c> Judge<'c> {
    pub(super) fn new(context: &'c Context) -> Self {
        Self {
            context,
            asked: None,
            adds: false,
            commands: 0,
            unwrapped: 0,
            depth: 0,
            whereabouts: Whereabouts {
                folders: vec![context.workspace().to_path_buf()],
                or_else: Vec::new(),
                is_lost: false,
            },
            assigned: Vec::new(),
        }
    }

    pub(super) fn decide(mut self, command: CommandText<'_>) -> Decision {
        let judged = match command {
            CommandText::Line(line) => self.text(self.without_block(line)),
            CommandText::Argv(words) => {
                let words: Vec<Word<'_>> = words.iter().map(|word| literal(word)).collect();
                self.unwrapped(&words)
            }
        };
        match (judged, self.asked) {
            (Err(refused), _) => *refused,
            (Ok(()), Some(asked)) => asked,
            (Ok(()), None) if self.commands == 0 => {
                Decision::new(Verdict::Confirm, "general.empty", "there is no command")
            }
            (Ok(()), None) if self.adds => {
                let reason = "reads and adds beneath the workspace, and nothing else";
                Decision::new(Verdict::Allow, "general.add", reason)
            }
            (Ok(()), None) => {
                let reason = "reads beneath the workspace, and nothing else";
                Decision::new(Verdict::Allow, "general.read", reason)
            }
        }
    }

    pub(super) const fn context(&self) -> &'c Context {
        self.context
    }

    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.whereabouts.folders
    }

    /// A person is asked, unless something else has asked already.
    pub(super) fn ask(&mut self, rule: &'static str, reason: &'static str) {
        if self.asked.is_none() {
            self.asked = Some(Decision::new(Verdict::Confirm, rule, reason));
        }
    }

    pub(super) fn ask_about(&mut self, rule: &'static str, input: &str, reason: &str) {
        if self.asked.is_none() {
            self.asked = Some(Decision::about(Verdict::Confirm, rule, input, reason));
        }
    }

    pub(super) fn deny(&self, rule: &'static str, reason: &'static str) -> Box<Decision> {
        Box::new(Decision::new(Verdict::Deny, rule, reason))
    }

    pub(super) fn deny_about(
        &self,
        rule: &'static str,
        input: &str,
        reason: &str,
    ) -> Box<Decision> {
        Box::new(Decision::about(Verdict::Deny, rule, input, reason))
    }

    /// A text for a shell.
    pub(super) fn text(&mut self, text: &str) -> Judged {
        match syntax::parse(text, self.depth) {
            Ok(script) => {
                self.depth += 1;
                let judged = self.script(&script);
                self.depth -= 1;
                judged
            }
            Err(unreadable) => {
                if self.asked.is_none() {
                    let reason = unreadable.to_string();
                    self.asked = Some(Decision::new(Verdict::Confirm, "general.unread", reason));
                }
                // What cannot be read is one command, whatever it is.
                self.commands += 1;
                Ok(())
            }
        }
    }

    /// The line without the block of text that one of the host's own commands takes.
    fn without_block<'t>(&self, line: &'t str) -> &'t str {
        let (first, rest) = line.split_once('\n').unwrap_or((line, ""));
        let name = first.split([' ', '\t']).next().unwrap_or_default();
        let mut commands = self.context.host_commands().iter();
        let command = commands.find(|command| command.grammar.name() == name);
        let end = command.and_then(|command| command.block_end);
        let mut lines = rest.trim_end_matches('\n').split('\n');
        let is_block =
            end.is_some_and(|end| lines.next_back() == Some(end) && lines.all(|line| line != end));
        if is_block { first } else { line }
    }

    fn script(&mut self, script: &Script<'_>) -> Judged {
        for step in &script.steps {
            if step.connector != Connector::And {
                self.may_have_stayed();
            }
            self.step(step)?;
        }
        Ok(())
    }

    /// In a shell of its own: its folder is not the caller's.
    fn subshell(&mut self, script: &Script<'_>) -> Judged {
        let before = self.whereabouts.clone();
        let judged = self.script(script);
        self.whereabouts = before;
        judged
    }

    fn step(&mut self, step: &Step<'_>) -> Judged {
        if let [stage] = step.stages.as_slice() {
            return self.stage(stage, Input::Other);
        }
        let before = self.whereabouts.clone();
        let mut input = Input::Other;
        for stage in &step.stages {
            self.stage(stage, input)?;
            self.whereabouts.clone_from(&before);
            input = match (input, command_name(stage)) {
                (Input::Fetched, _) => Input::Fetched,
                (_, Some(name)) if names::fetches(name) => Input::Fetched,
                (_, Some("find")) => found_names(stage),
                _ => Input::Other,
            };
        }
        Ok(())
    }

    fn stage(&mut self, stage: &Stage<'_>, piped: Input<'_>) -> Judged {
        let mut input = piped;
        for redirect in &stage.redirects {
            input = self.redirect(redirect)?.unwrap_or(input);
        }
        match &stage.body {
            Body::Simple { assignments, words } => self.simple(assignments, words, input),
            Body::Subshell(script) => self.subshell(script),
            Body::Group(script) => self.script(script),
            Body::Branches { words, scripts } => {
                self.substituted(words)?;
                self.repeated(|judge| scripts.iter().try_for_each(|script| judge.script(script)))
            }
            Body::Loop {
                variable,
                words,
                script,
            } => {
                self.substituted(words)?;
                self.assign(variable, words);
                self.set_variable(variable, false)?;
                self.repeated(|judge| judge.script(script))
            }
            Body::Test(words) => {
                self.commands += 1;
                self.substituted(words)?;
                self.test(words, true)
            }
            Body::Arithmetic(word) => {
                self.commands += 1;
                self.substituted(std::slice::from_ref(word))?;
                if word.certainty != Certainty::Literal {
                    self.ask(
                        "general.arithmetic",
                        "the value of a name is an expression too",
                    );
                }
                Ok(())
            }
            Body::Function { name, body } => {
                if calls(body, &name.text) {
                    let reason = "is a function that calls itself, without end";
                    return Err(self.deny_about("general.bomb", &name.text, reason));
                }
                self.ask_about("general.function", &name.text, "gets another meaning");
                self.stage(body, Input::Other)
            }
        }
    }

    /// What may run, or run again: afterwards the command may be where it was before.
    fn repeated(&mut self, run: impl FnOnce(&mut Self) -> Judged) -> Judged {
        let before = self.whereabouts.clone();
        run(self)?;
        if self.whereabouts.folders != before.folders {
            self.ask(
                "general.folder",
                "changes the folder, or not, or more than once",
            );
            self.get_lost();
        }
        Ok(())
    }

    fn redirect<'r>(
        &mut self,
        redirect: &'r Redirect<'_>,
    ) -> Result<Option<Input<'r>>, Box<Decision>> {
        let word = match &redirect.target {
            Target::Word(word) => word,
            Target::Document(document) => {
                let Some(document) = document.get() else {
                    return Ok(None);
                };
                if !document.quoted {
                    match syntax::parse_body(document.text, self.depth) {
                        Ok(word) if word.literal().is_some() => {}
                        Ok(word) => {
                            self.substituted(std::slice::from_ref(&word))?;
                            self.unknown_words(std::slice::from_ref(&word));
                            return Ok(Some(Input::Other));
                        }
                        Err(unreadable) => {
                            self.ask_about("general.unread", "<<", &unreadable.to_string());
                            return Ok(Some(Input::Other));
                        }
                    }
                }
                return Ok(Some(Input::Text(document.text)));
            }
        };
        self.substituted(std::slice::from_ref(word))?;
        let usage = match redirect.operator {
            Operator::Duplicate | Operator::HereDocument => return Ok(None),
            Operator::HereString => {
                self.unknown_words(std::slice::from_ref(word));
                return Ok(Some(word.literal().map_or(Input::Other, Input::Text)));
            }
            Operator::Read => Use::Read,
            // What is there stays.
            Operator::Append => Use::Add,
            Operator::Overwrite | Operator::ReadWrite => Use::Overwrite,
        };
        if word.certainty >= Certainty::Output {
            self.ask(
                "general.unknown",
                "redirects to where only the shell would know",
            );
        }
        self.path(&word.text, usage)?;
        Ok((usage == Use::Read).then_some(Input::Other))
    }

    fn simple(
        &mut self,
        assignments: &[Assignment<'_>],
        words: &[Word<'_>],
        input: Input<'_>,
    ) -> Judged {
        for assignment in assignments {
            self.substituted(&assignment.values)?;
            self.set_variable(assignment.name, !words.is_empty())?;
            self.assign(assignment.name, &assignment.values);
        }
        self.substituted(words)?;
        if words.is_empty() {
            self.commands += 1;
            return Ok(());
        }
        self.command(words, input)
    }

    /// A command that another one runs.
    pub(super) fn unwrapped(&mut self, words: &[Word<'_>]) -> Judged {
        self.command(words, Input::Other)
    }

    fn command(&mut self, words: &[Word<'_>], input: Input<'_>) -> Judged {
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
    pub(super) fn by_grammar(&mut self, grammar: &Grammar, words: &[Word<'_>]) -> Judged {
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

    /// What becomes of a path.
    pub(super) fn path(&mut self, path: &str, usage: Use) -> Judged {
        if usage == Use::Text {
            return Ok(());
        }
        if self.whereabouts.is_lost && !path.starts_with(['/', '~']) {
            self.ask(
                "general.folder",
                "a path in a folder that only the shell would know",
            );
        }
        match places::judge(self.context, &self.whereabouts.folders, path, usage) {
            Some(decision) if decision.verdict() == Verdict::Deny => Err(Box::new(decision)),
            Some(decision) => {
                self.asked.get_or_insert(decision);
                Ok(())
            }
            None if places::is_device(path) => Ok(()),
            None => {
                self.adds |= usage != Use::Read;
                if usage == Use::Overwrite && !self.is_new(path) {
                    self.ask_about("general.change", path, "may be replaced or removed");
                }
                Ok(())
            }
        }
    }

    /// Nothing is there yet, as far as the file system tells.
    fn is_new(&self, path: &str) -> bool {
        let (Some(_), [folder]) = (self.context.held(), self.whereabouts.folders.as_slice()) else {
            return false;
        };
        let full = folder.join(path);
        let missing = |path: &Path| {
            let found = std::fs::symlink_metadata(path);
            found.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        };
        missing(&full) && full.parent().is_some_and(Path::is_dir)
    }

    /// What the shell does to put these words together: scripts whose output becomes part of them,
    /// and expressions, which may run what a variable holds.
    fn substituted(&mut self, words: &[Word<'_>]) -> Judged {
        if words.iter().flat_map(Word::variables).any(Option::is_none) {
            self.ask(
                "general.expression",
                "an expression that only the shell would know",
            );
        }
        for substitution in words.iter().flat_map(Word::substitutions) {
            match substitution {
                Substitution::Script(script) => self.subshell(script)?,
                Substitution::Text(text) => {
                    let before = self.whereabouts.clone();
                    self.text(text)?;
                    self.whereabouts = before;
                }
            }
        }
        Ok(())
    }

    /// Words that are only printed: a variable that the text has not set may be a secret.
    pub(super) fn unknown_words(&mut self, words: &[Word<'_>]) {
        let known = |name: &Option<&str>| {
            name.is_some_and(|name| self.assigned.iter().any(|assigned| assigned == name))
        };
        if !words.iter().flat_map(Word::variables).all(known) {
            self.ask("general.variable", "a variable whose value may be a secret");
        }
    }

    /// Words that mean something: what only the shell would know asks.
    fn certain_words(&mut self, words: &[Word<'_>]) {
        if words.iter().any(|word| word.certainty >= Certainty::Output) {
            self.ask("general.unknown", "a word that only the shell would know");
        }
    }

    /// A variable has a value that the text tells, unless another variable does. One that may have
    /// come with the environment is not among them: the assignment may not have been run.
    fn assign(&mut self, name: &str, values: &[Word<'_>]) {
        if names::variable(name) != names::Variable::Harmless {
            return;
        }
        self.assigned.retain(|assigned| assigned != name);
        let known = |name: &Option<&str>| {
            name.is_some_and(|name| self.assigned.iter().any(|assigned| assigned == name))
        };
        if values.iter().flat_map(Word::variables).all(known) {
            self.assigned.push(name.to_owned());
        }
    }

    /// The command goes to a folder, or stays where it is.
    pub(super) fn enter(&mut self, folder: &str) {
        let here = &mut self.whereabouts;
        let there: Vec<PathBuf> = here
            .folders
            .iter()
            .map(|start| places::from(self.context, start, folder))
            .collect();
        here.or_else.append(&mut here.folders);
        here.folders = there;
    }

    fn may_have_stayed(&mut self) {
        let here = &mut self.whereabouts;
        for folder in std::mem::take(&mut here.or_else) {
            if !here.folders.contains(&folder) {
                here.folders.push(folder);
            }
        }
        if here.folders.len() > MAX_FOLDERS {
            here.folders.truncate(MAX_FOLDERS);
            here.is_lost = true;
        }
    }

    pub(super) const fn get_lost(&mut self) {
        self.whereabouts.is_lost = true;
    }
}

fn literal(text: &str) -> Word<'_> {
    Word {
        text: Cow::Borrowed(text),
        quoted: true,
        ..Word::default()
    }
}

/// The bare name of a simple command.
fn command_name<'s>(stage: &'s Stage<'_>) -> Option<&'s str> {
    match &stage.body {
        Body::Simple { words, .. } => Some(names::bare(words.first()?.literal()?)),
        _ => None,
    }
}

/// The names that a `find` prints with zero bytes, if it does.
fn found_names<'s>(stage: &'s Stage<'_>) -> Input<'s> {
    let Body::Simple { words, .. } = &stage.body else {
        return Input::Other;
    };
    let start = words.get(1).and_then(Word::literal);
    match start {
        Some(start)
            if !start.starts_with(['-', '(', '!'])
                && words.last().and_then(Word::literal) == Some("-print0")
                && words.iter().all(|word| word.text != "-printf") =>
        {
            Input::Names(start)
        }
        _ => Input::Other,
    }
}

/// Whether a command with this name is somewhere in the stage.
fn calls(stage: &Stage<'_>, name: &str) -> bool {
    let in_script = |script: &Script<'_>| {
        let mut stages = script.steps.iter().flat_map(|step| &step.stages);
        stages.any(|stage| calls(stage, name))
    };
    match &stage.body {
        Body::Simple { words, .. } => words.first().is_some_and(|word| word.text == name),
        Body::Subshell(script) | Body::Group(script) | Body::Loop { script, .. } => {
            in_script(script)
        }
        Body::Branches { scripts, .. } => scripts.iter().any(in_script),
        Body::Function { body, .. } => calls(body, name),
        Body::Test(_) | Body::Arithmetic(_) => false,
    }
}
