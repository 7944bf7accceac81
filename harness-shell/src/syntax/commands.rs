//! Lists, pipelines, and simple and compound commands.

use super::cursor::{Cursor, Unreadable};
use super::expansions::is_name;
use super::script::{Assignment, Body, Connector, Redirect, Script, Stage, Step, Word};
use super::words::ends_word;

/// Words that end a list where a command could begin.
const CLOSERS: &[&str] = &["then", "elif", "else", "fi", "do", "done", "esac", "}"];

impl<'a> Cursor<'a> {
    /// A list, up to the end of the text, a `)`, a `;;` or a word that closes something.
    pub(super) fn script(&mut self) -> Result<Script<'a>, Unreadable> {
        let mut steps = Vec::new();
        let mut connector = Connector::Then;
        loop {
            self.lines()?;
            if self.closes() {
                break;
            }
            steps.push(self.pipeline(connector)?);
            self.blanks();
            connector = if self.eat("&&") {
                Connector::And
            } else if self.eat("||") {
                Connector::Or
            } else if self.rest().starts_with(";;") || self.rest().starts_with(";&") {
                break;
            } else if self.eat(";") || self.eat("&") || self.peek() == Some(b'\n') {
                Connector::Then
            } else {
                // Whoever asked for the list sees whether this is its end.
                return Ok(Script { steps });
            };
        }
        if connector == Connector::Then {
            Ok(Script { steps })
        } else {
            Err(self.expected())
        }
    }

    /// What is wrong where something else had to come.
    pub(super) const fn expected(&self) -> Unreadable {
        if self.is_at_end() {
            Unreadable::Unclosed
        } else {
            Unreadable::Syntax
        }
    }

    fn closes(&self) -> bool {
        let text = self.rest();
        text.is_empty()
            || text.starts_with(')')
            || text.starts_with(";;")
            || text.starts_with(";&")
            || CLOSERS.contains(&self.bare())
    }

    /// The unquoted letters and signs that come next, as far as they could be one reserved word.
    fn bare(&self) -> &'a str {
        let text = self.rest();
        let end = text.bytes().position(ends_word).unwrap_or(text.len());
        text.get(..end).unwrap_or_default()
    }

    /// Over a reserved word.
    fn reserved(&mut self, word: &str) -> Result<(), Unreadable> {
        if self.bare() == word {
            self.eat(word);
            Ok(())
        } else {
            Err(self.expected())
        }
    }

    fn pipeline(&mut self, connector: Connector) -> Result<Step<'a>, Unreadable> {
        let mut stages = Vec::new();
        while self.bare() == "!" {
            self.eat("!");
            self.blanks();
        }
        if self.bare() == "time" {
            self.eat("time");
            self.blanks();
            if self.bare() == "-p" {
                self.eat("-p");
                self.blanks();
            }
        }
        loop {
            stages.push(self.stage()?);
            self.blanks();
            if self.rest().starts_with("||") || !self.eat("|") {
                return Ok(Step { connector, stages });
            }
            self.eat("&");
            self.lines()?;
        }
    }

    fn stage(&mut self) -> Result<Stage<'a>, Unreadable> {
        self.count()?;
        let text = self.rest();
        let body = if text.starts_with("((") {
            let place = self.place();
            self.eat("((");
            let mut word = Word::default();
            if self.arithmetic(&mut word, true)? {
                Body::Arithmetic(word)
            } else {
                self.go_back(place);
                self.nested(Self::subshell)?
            }
        } else if text.starts_with('(') {
            self.nested(Self::subshell)?
        } else {
            match self.bare() {
                "{" => self.nested(Self::group)?,
                "[[" => self.test()?,
                "if" => self.nested(Self::conditional)?,
                "while" | "until" => self.nested(Self::repeated)?,
                "for" | "select" => self.nested(Self::for_each)?,
                "case" => self.nested(Self::cases)?,
                "function" => self.nested(Self::function)?,
                // A reserved word that closes nothing, or a construct that is not read.
                "coproc" | "in" | "]]" => return Err(Unreadable::Syntax),
                word if CLOSERS.contains(&word) => return Err(Unreadable::Syntax),
                _ => return self.simple(),
            }
        };
        let redirects = self.redirects()?;
        Ok(Stage { body, redirects })
    }

    fn redirects(&mut self) -> Result<Vec<Redirect<'a>>, Unreadable> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    fn simple(&mut self) -> Result<Stage<'a>, Unreadable> {
        let mut assignments = Vec::new();
        let mut words = Vec::new();
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                assignments.push(assignment);
                continue;
            }
            let place = self.place();
            let Some(word) = self.word()? else { break };
            let is_only = words.is_empty() && assignments.is_empty() && redirects.is_empty();
            let is_name = is_only && !word.quoted && word.literal() == Some(self.since(place));
            words.push(word);
            if is_name {
                self.blanks();
                if self.eat("(") {
                    self.blanks();
                    if !self.eat(")") {
                        return Err(Unreadable::Syntax);
                    }
                    let name = words.pop().unwrap_or_default();
                    let body = self.nested(|cursor| cursor.function_body(name))?;
                    return Ok(Stage {
                        body,
                        redirects: Vec::new(),
                    });
                }
            }
        }
        if assignments.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(self.expected());
        }
        Ok(Stage {
            body: Body::Simple { assignments, words },
            redirects,
        })
    }

    /// `name=value` and its kin; `None` where the next word is none.
    fn assignment(&mut self) -> Result<Option<Assignment<'a>>, Unreadable> {
        let place = self.place();
        let name = self.run(is_name);
        let starts = name.as_bytes().first();
        let is_name = starts.is_some_and(|byte| !byte.is_ascii_digit());
        if is_name && (self.eat("=") || self.eat("+=")) {
            let values = if self.eat("(") {
                self.elements()?
            } else {
                self.word()?.into_iter().collect()
            };
            return Ok(Some(Assignment { name, values }));
        }
        // An index is an expression and may run a command.
        let indexed = is_name && self.peek() == Some(b'[');
        self.go_back(place);
        if indexed {
            return Err(Unreadable::Syntax);
        }
        Ok(None)
    }

    /// Behind `=(`, to its `)`.
    fn elements(&mut self) -> Result<Vec<Word<'a>>, Unreadable> {
        let mut values = Vec::new();
        loop {
            self.lines()?;
            if self.eat(")") {
                // What touches the bracket is part of the word: a `#` there begins no remark.
                let ends = self.peek().is_none_or(ends_word);
                return if ends {
                    Ok(values)
                } else {
                    Err(Unreadable::Syntax)
                };
            }
            values.push(self.word()?.ok_or_else(|| self.expected())?);
        }
    }

    fn subshell(&mut self) -> Result<Body<'a>, Unreadable> {
        self.eat("(");
        let script = self.script()?;
        if self.eat(")") && !script.steps.is_empty() {
            Ok(Body::Subshell(script))
        } else {
            Err(self.expected())
        }
    }

    fn group(&mut self) -> Result<Body<'a>, Unreadable> {
        self.reserved("{")?;
        let script = self.script()?;
        self.reserved("}")?;
        Ok(Body::Group(script))
    }

    /// `[[ … ]]`, words and operators alike: they are judged, not evaluated.
    fn test(&mut self) -> Result<Body<'a>, Unreadable> {
        self.reserved("[[")?;
        let mut words = Vec::new();
        loop {
            self.lines()?;
            if self.bare() == "]]" {
                self.eat("]]");
                return Ok(Body::Test(words));
            }
            if self
                .run(|byte| matches!(byte, b'&' | b'|' | b'<' | b'>'))
                .is_empty()
            {
                words.push(self.word()?.ok_or_else(|| self.expected())?);
            }
        }
    }

    /// `if list; then list; [elif list; then list;] [else list;] fi`.
    fn conditional(&mut self) -> Result<Body<'a>, Unreadable> {
        self.reserved("if")?;
        let mut scripts = vec![self.script()?];
        self.reserved("then")?;
        scripts.push(self.script()?);
        while self.bare() == "elif" {
            self.eat("elif");
            scripts.push(self.script()?);
            self.reserved("then")?;
            scripts.push(self.script()?);
        }
        if self.bare() == "else" {
            self.eat("else");
            scripts.push(self.script()?);
        }
        self.reserved("fi")?;
        let words = Vec::new();
        Ok(Body::Branches { words, scripts })
    }

    fn repeated(&mut self) -> Result<Body<'a>, Unreadable> {
        self.run(|byte| byte.is_ascii_lowercase());
        let condition = self.script()?;
        let scripts = vec![condition, self.do_done()?];
        let words = Vec::new();
        Ok(Body::Branches { words, scripts })
    }

    fn do_done(&mut self) -> Result<Script<'a>, Unreadable> {
        self.reserved("do")?;
        let script = self.script()?;
        self.reserved("done")?;
        Ok(script)
    }

    fn for_each(&mut self) -> Result<Body<'a>, Unreadable> {
        self.run(|byte| byte.is_ascii_lowercase());
        self.blanks();
        let variable = self.run(is_name);
        let is_name = variable
            .bytes()
            .next()
            .is_some_and(|byte| !byte.is_ascii_digit());
        if !is_name {
            // An arithmetic head, among others.
            return Err(self.expected());
        }
        self.lines()?;
        let mut words = Vec::new();
        if self.bare() == "in" {
            self.eat("in");
            self.blanks();
            while let Some(word) = self.word()? {
                words.push(word);
                self.blanks();
            }
        }
        self.eat(";");
        self.lines()?;
        let script = self.do_done()?;
        Ok(Body::Loop {
            variable,
            words,
            script,
        })
    }

    /// `case word in [(]pattern [| pattern]…) list ;; … esac`.
    fn cases(&mut self) -> Result<Body<'a>, Unreadable> {
        self.reserved("case")?;
        self.blanks();
        let mut words = vec![self.word()?.ok_or_else(|| self.expected())?];
        let mut scripts = Vec::new();
        self.lines()?;
        self.reserved("in")?;
        loop {
            self.lines()?;
            if self.bare() == "esac" {
                self.eat("esac");
                return Ok(Body::Branches { words, scripts });
            }
            self.eat("(");
            loop {
                self.blanks();
                words.push(self.word()?.ok_or_else(|| self.expected())?);
                self.blanks();
                if self.eat(")") {
                    break;
                }
                if !self.eat("|") {
                    return Err(self.expected());
                }
            }
            scripts.push(self.script()?);
            self.blanks();
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) {
                self.lines()?;
                if self.bare() != "esac" {
                    return Err(self.expected());
                }
            }
        }
    }

    fn function(&mut self) -> Result<Body<'a>, Unreadable> {
        self.reserved("function")?;
        self.blanks();
        let name = self.word()?.ok_or_else(|| self.expected())?;
        if name.literal().is_none() {
            return Err(Unreadable::Syntax);
        }
        self.blanks();
        if self.eat("(") {
            self.blanks();
            if !self.eat(")") {
                return Err(Unreadable::Syntax);
            }
        }
        self.function_body(name)
    }

    fn function_body(&mut self, name: Word<'a>) -> Result<Body<'a>, Unreadable> {
        self.lines()?;
        let body = Box::new(self.stage()?);
        Ok(Body::Function { name, body })
    }
}
