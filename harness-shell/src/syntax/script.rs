//! What a text is made of.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

/// A list of pipelines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script<'a> {
    pub(crate) steps: Vec<Step<'a>>,
}

/// One pipeline, and how it is tied to the one before it.
#[derive(Clone, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) connector: Connector,
    pub(crate) stages: Vec<Stage<'a>>,
}

/// What stands before a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connector {
    /// `;`, `&`, a line end, or nothing.
    Then,
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// One command of a pipeline.
#[derive(Clone, Debug)]
pub(crate) struct Stage<'a> {
    pub(crate) body: Body<'a>,
    pub(crate) redirects: Vec<Redirect<'a>>,
}

/// A command without its redirections.
#[derive(Clone, Debug)]
pub(crate) enum Body<'a> {
    /// Assignments and words.
    Simple {
        assignments: Vec<Assignment<'a>>,
        words: Vec<Word<'a>>,
    },
    /// `( … )`.
    Subshell(Script<'a>),
    /// `{ … }`.
    Group(Script<'a>),
    /// `if`, `while`, `until`, `case`: scripts that may run, and words that are compared.
    Branches {
        words: Vec<Word<'a>>,
        scripts: Vec<Script<'a>>,
    },
    /// `for`, `select`: a variable that takes each word.
    Loop {
        variable: &'a str,
        words: Vec<Word<'a>>,
        script: Script<'a>,
    },
    /// `[[ … ]]`.
    Test(Vec<Word<'a>>),
    /// `(( … ))`, or the head of an arithmetic `for`.
    Arithmetic(Word<'a>),
    /// A function.
    Function {
        name: Word<'a>,
        body: Box<Stage<'a>>,
    },
}

/// `name=value`, `name+=value`, `name[i]=value` or `name=( … )`.
#[derive(Clone, Debug)]
pub(crate) struct Assignment<'a> {
    pub(crate) name: &'a str,
    /// More than one only for an array.
    pub(crate) values: Vec<Word<'a>>,
}

/// How much of a word is known before it is expanded. The maximum is the least known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// All of it.
    #[default]
    Literal,
    /// It is a pattern that file names may match.
    Pattern,
    /// A part is what a command prints, or braces make several words of it.
    Output,
    /// A part is the value of a variable, or of an expression over some.
    Variable,
}

/// A word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Word<'a> {
    /// What of it is literal; the rest is left out. A home folder is `~` with [`Self::home`].
    pub(crate) text: Cow<'a, str>,
    pub(crate) certainty: Certainty,
    /// The first part is not literal.
    pub(crate) begins_unknown: bool,
    /// Something in it was quoted.
    pub(crate) quoted: bool,
    /// `text` begins with the home folder, as `~`.
    pub(crate) home: bool,
    /// What the shell would put in; most words have nothing of it.
    pub(crate) expansions: Option<Box<Expansions<'a>>>,
}

/// What the shell would put into a word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expansions<'a> {
    /// Variables; `None` for an expression that is not a plain variable.
    pub(crate) variables: Vec<Option<&'a str>>,
    pub(crate) substitutions: Vec<Substitution<'a>>,
}

impl<'a> Word<'a> {
    pub(crate) fn variables(&self) -> &[Option<&'a str>] {
        self.expansions
            .as_ref()
            .map_or(&[], |expansions| &expansions.variables)
    }

    pub(crate) fn substitutions(&self) -> &[Substitution<'a>] {
        self.expansions
            .as_ref()
            .map_or(&[], |expansions| &expansions.substitutions)
    }

    /// The whole word, if all of it is known.
    pub(crate) fn literal(&self) -> Option<&str> {
        (self.certainty == Certainty::Literal && !self.home).then_some(&*self.text)
    }
}

/// A script whose output becomes part of a word.
#[derive(Clone, Debug)]
pub(crate) enum Substitution<'a> {
    /// `$( … )`, `<( … )`, `>( … )`.
    Script(Script<'a>),
    /// Between back-ticks: the text, its escapes undone, still to be read.
    Text(String),
}

/// A redirection.
#[derive(Clone, Debug)]
pub(crate) struct Redirect<'a> {
    pub(crate) operator: Operator,
    pub(crate) target: Target<'a>,
}

/// What a redirection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `<`.
    Read,
    /// `>`, `>|`, `&>`, `>&` with a name.
    Overwrite,
    /// `>>`, `&>>`.
    Append,
    /// `<>`.
    ReadWrite,
    /// `<&`, `>&` with a number or `-`.
    Duplicate,
    /// `<<`, `<<-`.
    HereDocument,
    /// `<<<`.
    HereString,
}

/// What a redirection is about.
#[derive(Clone, Debug)]
pub(crate) enum Target<'a> {
    Word(Word<'a>),
    /// Filled in where the line ends on which the document was asked for.
    Document(Rc<OnceCell<HereDocument<'a>>>),
}

/// The body of a here-document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HereDocument<'a> {
    pub(crate) text: &'a str,
    /// Its delimiter was quoted: nothing in it is expanded.
    pub(crate) quoted: bool,
}
