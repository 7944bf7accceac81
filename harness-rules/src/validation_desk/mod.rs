//! The desk that opens trials and carries out their verdicts. No agent holds one.
//!
//! It is handed nothing to judge by: it reads the journal itself, under the writers' lock, and
//! writes what follows.
//!
//! ```compile_fail
//! # use harness_rules::{ValidationDesk, evidence::Counts, EvaluatorIdentity};
//! fn promote_by_hand(desk: &ValidationDesk, who: &EvaluatorIdentity, counts: &Counts) {
//!     let _ = desk.decide(who, counts);
//! }
//! ```

mod lines;
mod plan;

use harness_core::{Retirement, RuleId};
use harness_store::wire::event::TrialName;
use harness_store::{Reader, ValidationLog};

use crate::book::RuleBook;
use crate::desk::{COMMIT_DEADLINE, DeskError};
use crate::judge::EvaluatorIdentity;
use crate::ledger::Ledger;
use crate::projection;
use crate::replay::Cases;
use plan::{MAX_EVENTS, plan};

/// Looks of one call at most; what is left after them is for the next call.
const MAX_LOOKS: usize = 256;

/// What a look at the journal led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Rules that became active.
    pub promoted: Vec<RuleId>,
    /// Rules that were retired, and why.
    pub retired: Vec<(RuleId, Retirement)>,
    /// Rules that went back to candidate because a parent did harm.
    pub quarantined: Vec<RuleId>,
    /// Trials and holdouts that were opened.
    pub opened: Vec<(RuleId, TrialName)>,
}

impl Decided {
    /// Whether nothing came of it.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what another look led to.
    pub fn extend(&mut self, more: Self) {
        self.promoted.extend(more.promoted);
        self.retired.extend(more.retired);
        self.quarantined.extend(more.quarantined);
        self.opened.extend(more.opened);
    }
}

/// The validation desk.
pub struct ValidationDesk {
    pub(crate) book: RuleBook,
    pub(crate) reader: Reader,
    pub(crate) log: ValidationLog,
}

type Event = harness_store::ValidationEvent;

impl ValidationDesk {
    pub(crate) const fn new(book: RuleBook, reader: Reader, log: ValidationLog) -> Self {
        Self { book, reader, log }
    }

    /// Writes the files of the rules anew where they do not say what the journal says, and journals
    /// which did not. Returns those.
    ///
    /// # Errors
    /// The workspace cannot be read or written.
    pub fn restore_files(&self, reader: &Reader) -> Result<Vec<String>, DeskError> {
        let found = projection::mismatches(reader, &*self.book.ledger()?, self.book.settings())?;
        if found.is_empty() {
            return Ok(found);
        }
        let (book, reader) = (self.book.clone(), reader.clone());
        self.log.commit(COMMIT_DEADLINE, move |tx| {
            let view = book.ledger()?;
            let found = projection::mismatches(&reader, &view, book.settings())?;
            let (event, files) = projection::rebuilt(&view, book.settings(), found.clone());
            drop(view);
            tx.commit(vec![event.into()])?;
            tx.project(&files)?;
            Ok::<Vec<String>, DeskError>(found)
        })?
    }

    /// Decides everything that can be decided now, and opens what is due. Call it after outcomes
    /// were recorded and after rules were proposed; a call with nothing to do writes nothing.
    ///
    /// # Errors
    /// The journal cannot be read or written; then nothing was decided.
    pub fn decide(&self, evaluator: &EvaluatorIdentity) -> Result<Decided, DeskError> {
        let is_idle = {
            let view = self.book.ledger()?;
            plan(
                &view,
                &Cases::new(&self.reader),
                evaluator,
                self.book.settings(),
            )
            .0
            .is_empty()
        };
        if is_idle {
            return Ok(Decided::default());
        }
        let (book, reader, evaluator) = (self.book.clone(), self.reader.clone(), evaluator.clone());
        self.log.commit(COMMIT_DEADLINE, move |tx| {
            let cases = Cases::new(&reader);
            let look = |ledger: &Ledger| plan(ledger, &cases, &evaluator, book.settings());
            let mut decided = Decided::default();
            for _ in 0..MAX_LOOKS {
                let (events, more) = look(&*book.ledger()?);
                if events.is_empty() {
                    break;
                }
                // What a promoted rule supersedes goes at once, not at the next look; and there may
                // be more to open than one commit holds.
                let goes_on = !more.promoted.is_empty() || events.len() >= MAX_EVENTS;
                match tx.commit(events) {
                    Ok(_) => decided.extend(more),
                    // What is on disk is decided; the next look finds what is left.
                    Err(_) if !decided.is_nothing() => break,
                    Err(error) => return Err(error.into()),
                }
                if !goes_on {
                    break;
                }
            }
            let changed: Vec<RuleId> = decided
                .promoted
                .iter()
                .chain(decided.retired.iter().map(|(id, _)| id))
                .chain(&decided.quarantined)
                .cloned()
                .collect();
            projection::after_commit(tx, &*book.ledger()?, book.settings(), &changed);
            Ok::<Decided, DeskError>(decided)
        })?
    }
}
