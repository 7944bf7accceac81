//! The operator's own acts. An operator can take a rule away and clear the breaker; not even an
//! operator can promote.

use std::collections::BTreeSet;
use std::time::Duration;

use harness_core::{CleanString, RuleId};
use harness_store::wire::alert_model::AlertModelDoc;
use harness_store::wire::event::{
    AlertModelFitted, Breaker, BreakerState, OperatorAct, OperatorAction, RuleRetire,
};
use harness_store::{OperatorLog, Original, TakenOver};

use crate::book::RuleBook;
use crate::desk::{COMMIT_DEADLINE, DeskError};
use crate::projection;

/// How long taking over may take until its last commit begins: it writes a file a notice.
const IMPORT_DEADLINE: Duration = Duration::from_secs(600);

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

    /// Takes over a workspace of pandaprobe-harness 0.9. Its active rules are active here by its
    /// word, are marked as imported, and are on holdout trial from the next look on. Safe to
    /// repeat: what is known is left as it is.
    ///
    /// # Errors
    /// The journal or a file cannot be written; a repeated call goes on from there.
    pub fn import(&self, original: Original) -> Result<TakenOver, DeskError> {
        let book = self.book.clone();
        self.log.commit(IMPORT_DEADLINE, move |tx| {
            let known: BTreeSet<RuleId> = book
                .ledger()?
                .rules()
                .map(|record| record.rule.id.clone())
                .collect();
            let taken = tx.take_over(&original, |rule| known.contains(rule))?;
            if !taken.rules.is_empty() {
                let view = book.ledger()?;
                let (event, files) = projection::rebuilt(&view, book.settings(), Vec::new());
                drop(view);
                tx.commit(vec![event.into()])?;
                // The commit stands whatever becomes of the files: the next look mends them.
                let _ = tx.project(&files);
            }
            Ok(taken)
        })?
    }

    /// Keeps an alert model that was fitted to this workload, with the figures that it reached.
    ///
    /// # Errors
    /// The journal or the file cannot be written.
    pub fn keep_alert_model(
        &self,
        model: &AlertModelDoc,
        fitted: impl FnOnce(String) -> AlertModelFitted + Send + 'static,
    ) -> Result<(), DeskError> {
        Ok(self.log.keep_alert_model(COMMIT_DEADLINE, model, fitted)?)
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
