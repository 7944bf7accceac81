//! The operator's own acts. An operator can take a rule away and clear the breaker; not even an
//! operator can promote.

use harness_core::{CleanString, RuleId};
use harness_store::OperatorLog;
use harness_store::wire::event::{Breaker, BreakerState, OperatorAct, OperatorAction, RuleRetire};

use crate::book::RuleBook;
use crate::desk::{COMMIT_DEADLINE, DeskError};
use crate::projection;

/// The operator desk.
pub struct OperatorDesk {
    book: RuleBook,
    log: OperatorLog,
}

impl OperatorDesk {
    pub(crate) const fn new(book: RuleBook, log: OperatorLog) -> Self {
        Self { book, log }
    }

    /// Retires a live rule, for a reason that is kept.
    ///
    /// # Errors
    /// [`DeskError::NotLive`] for a rule that is unknown or retired already; or the journal cannot
    /// be written.
    pub fn retire(&self, rule: &RuleId, reason: CleanString) -> Result<(), DeskError> {
        let (book, id) = (self.book.clone(), rule.clone());
        self.log.commit(COMMIT_DEADLINE, move |tx| {
            let is_live = book
                .ledger()?
                .rule(&id)
                .is_some_and(|record| record.status.is_live());
            if !is_live {
                return Err(DeskError::NotLive(id));
            }
            tx.commit(vec![
                OperatorAction {
                    action: OperatorAct::Retire,
                    rule: Some(id.clone()),
                    reason: reason.clone(),
                }
                .into(),
                RuleRetire {
                    id: id.clone(),
                    reason: harness_core::Retirement::Operator,
                    validator: "operator".to_owned(),
                    evidence: None,
                    note: Some(reason),
                }
                .into(),
            ])?;
            projection::after_commit(tx, &*book.ledger()?, book.settings(), &[id]);
            Ok(())
        })?
    }

    /// Clears the breaker for everyone, for a reason that is kept.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn resume(&self, reason: CleanString) -> Result<(), DeskError> {
        self.log.commit(COMMIT_DEADLINE, move |tx| {
            tx.commit(vec![
                OperatorAction {
                    action: OperatorAct::Resume,
                    rule: None,
                    reason,
                }
                .into(),
                Breaker {
                    state: BreakerState::Resumed,
                    principal: None,
                    everyone: true,
                }
                .into(),
            ])?;
            Ok(())
        })?
    }
}
