//! Redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::cursor::{Cursor, Pending, Unreadable};
use super::script::{Operator, Redirect, Target};

/// Here-documents that one line may ask for.
const MAX_DOCUMENTS: usize = 16;

/// Operators, the longer before the shorter.
const OPERATORS: &[(&str, Operator)] = &[
    ("&>>", Operator::Append),
    ("&>", Operator::Overwrite),
    ("<<<", Operator::HereString),
    ("<<-", Operator::HereDocument),
    ("<<", Operator::HereDocument),
    ("<&", Operator::Duplicate),
    (">&", Operator::Duplicate),
    ("<>", Operator::ReadWrite),
    (">>", Operator::Append),
    (">|", Operator::Overwrite),
    ("<", Operator::Read),
    (">", Operator::Overwrite),
];

impl<'a> Cursor<'a> {
    /// A redirection, with the number of its descriptor; `None` where none begins.
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect<'a>>, Unreadable> {
        if !self
            .peek()
            .is_some_and(|byte| matches!(byte, b'<' | b'>' | b'&' | b'0'..=b'9'))
        {
            return Ok(None);
        }
        let place = self.place();
        self.run(|byte| byte.is_ascii_digit());
        let text = self.rest();
        let found = OPERATORS.iter().find(|(sign, _)| text.starts_with(sign));
        // `<(` and `>(` begin a word.
        let is_word = text.starts_with("<(") || text.starts_with(">(");
        let (Some((sign, operator)), false) = (found, is_word) else {
            self.go_back(place);
            return Ok(None);
        };
        self.eat(sign);
        self.blanks();
        self.no_descriptor()?;
        let word = self.word()?.ok_or(Unreadable::Syntax)?;
        if *operator == Operator::HereDocument {
            let delimiter = word.literal().ok_or(Unreadable::Syntax)?;
            if self.pending.len() >= MAX_DOCUMENTS {
                return Err(Unreadable::TooMany);
            }
            let document = Rc::new(OnceCell::new());
            self.pending.push(Pending {
                delimiter: delimiter.to_owned(),
                strip_tabs: *sign == "<<-",
                quoted: word.quoted,
                document: Rc::clone(&document),
            });
            return Ok(Some(Redirect {
                operator: Operator::HereDocument,
                target: Target::Document(document),
            }));
        }
        let is_descriptor = word.literal().is_some_and(|text| {
            text == "-" || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
        });
        let operator = match operator {
            Operator::Duplicate if !is_descriptor => Operator::Overwrite,
            operator => *operator,
        };
        Ok(Some(Redirect {
            operator,
            target: Target::Word(word),
        }))
    }

    /// A number right before a sign is the descriptor of another redirection, not a name.
    fn no_descriptor(&mut self) -> Result<(), Unreadable> {
        let place = self.place();
        let number = self.run(|byte| byte.is_ascii_digit());
        if !number.is_empty() && matches!(self.peek(), Some(b'<' | b'>')) {
            return Err(Unreadable::Syntax);
        }
        self.go_back(place);
        Ok(())
    }
}
