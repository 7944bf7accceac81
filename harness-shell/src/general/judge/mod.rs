//! The walk over a text: every simple command in it, and what each comes to.
//!
//! | file | what |
//! |---|---|
//! | this one | from a text to its simple commands, and what is decided in the end |
//! | `command` | what a simple command's name means, and what its words come to |
//! | `whereabouts` | where a command may find itself, and paths from there |

mod command;
mod whereabouts;

use std::borrow::Cow;

use self::whereabouts::Whereabouts;
use super::CommandText;
use super::context::Context;
use super::names;
use crate::decision::{Decision, Verdict};
use crate::policy::Use;
use crate::syntax::{
    self, Assignment, Body, Certainty, Connector, Operator, Redirect, Script, Stage, Step,
    Substitution, Target, Word,
};
use crate::workspace::{Lookup, Workspace};

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

/// One walk.
pub(super) struct Judge<'c> {
    context: &'c Context,
    held: Option<Lookup<'c>>,
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
            held: context.held().map(Workspace::lookup),
            asked: None,
            adds: false,
            commands: 0,
            unwrapped: 0,
            depth: 0,
            whereabouts: Whereabouts::at_the_start(context),
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
