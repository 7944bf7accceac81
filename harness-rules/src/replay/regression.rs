//! Runs of the eval set under the rules of today: nothing is decided by them, they are looked at.

use std::collections::BTreeSet;
use std::sync::Arc;

use harness_core::{CaseKind, EvalCase, RuleId, RuleStatus};
use harness_store::wire::event::{Regression, RegressionCase};

use crate::book::RuleBook;
use crate::desk::{COMMIT_DEADLINE, DeskError};
use crate::toolset::{RunArm, TaskToolset};
use crate::validation_desk::ValidationDesk;

/// A run that is shown what is active today.
pub struct TodayRun {
    book: RuleBook,
    arm: Arc<RunArm>,
}

impl TodayRun {
    /// Its four tools.
    pub fn tools(&self) -> TaskToolset {
        TaskToolset::of_run(self.book.clone(), Arc::clone(&self.arm))
    }

    /// Whether its agent has called one of them.
    pub fn has_called(&self) -> bool {
        self.arm.was_called()
    }
}

impl ValidationDesk {
    /// A run under today's active rules.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn run_today(&self) -> Result<TodayRun, DeskError> {
        let active: BTreeSet<RuleId> = self
            .book
            .ledger()?
            .live_rules()
            .filter(|record| record.status == RuleStatus::Active)
            .map(|record| record.rule.id.clone())
            .collect();
        Ok(TodayRun {
            book: self.book.clone(),
            arm: Arc::new(RunArm::new(None, active)),
        })
    }

    /// The newest cases of the eval set, at most `limit`, wins alone or all.
    ///
    /// # Errors
    /// The eval set cannot be listed.
    pub fn newest_cases(
        &self,
        kind: Option<CaseKind>,
        limit: usize,
    ) -> Result<Vec<EvalCase>, DeskError> {
        let set = self.reader.eval_set()?;
        Ok(set
            .cases()
            .iter()
            .rev()
            .filter(|case| kind.is_none_or(|kind| case.kind == kind))
            .take(limit)
            .cloned()
            .collect())
    }

    /// Journals how cases came out.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn record_regression(
        &self,
        promoted: Vec<RuleId>,
        cases: Vec<RegressionCase>,
    ) -> Result<(), DeskError> {
        let event = Regression { promoted, cases };
        self.log.append(COMMIT_DEADLINE, vec![event.into()])?;
        Ok(())
    }
}
