//! The end of a session.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use harness_core::CleanString;
use harness_store::GuardEvent;
use harness_store::wire::event::{GuardApproval, GuardRollback, GuardSessionEnd};

use super::{Guard, Inner};
use crate::answer::digest;
use crate::approval::{Answer, ApprovalRequest, Ask};
use crate::audit::AuditError;
use crate::budget::Microdollars;
use crate::session::{FileRollback, RolledBack};

/// Bytes of the list of files that a person is shown.
const MAX_PREVIEW: usize = 2000;
/// What is asked about, where it is no call.
const ROLLBACK: &str = "rollback";

/// What a session came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// Calls that ran.
    pub calls: u64,
    /// Answers of models.
    pub answers: u64,
    /// Tokens read, as far as reported.
    pub tokens_in: u64,
    /// Tokens written, as far as reported.
    pub tokens_out: u64,
    /// What it cost.
    pub cost: Microdollars,
    /// What became of the files, where a person wanted them back.
    pub rolled_back: Option<RolledBack>,
}

impl Guard {
    /// Ends the session: nothing runs any more, its token is revoked, and if it changed files a
    /// person may have them back as they were. After an abort as well. A second end does nothing
    /// more.
    ///
    /// # Errors
    /// The audit could not be written; the session has ended all the same.
    pub async fn end(&self) -> Result<SessionEnd, AuditError> {
        let guard = &*self.inner;
        let first = !guard.ended.swap(true, Ordering::AcqRel);
        guard.credentials().revoke();
        let mut events = Vec::new();
        let mut rolled_back = None;
        if first {
            guard.tell_abort().await;
            rolled_back = guard.offer_rollback(&mut events).await;
        }
        let count = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
        let end = SessionEnd {
            calls: count(&guard.counts.ran),
            answers: count(&guard.counts.answers),
            tokens_in: count(&guard.counts.tokens_in),
            tokens_out: count(&guard.counts.tokens_out),
            cost: guard.purse.spending().spent,
            rolled_back,
        };
        if first {
            events.push(GuardEvent::SessionEnd(GuardSessionEnd {
                session: guard.session.clone(),
                calls: end.calls,
                turns: end.answers,
                tokens_in: end.tokens_in,
                tokens_out: end.tokens_out,
                cost_microdollars: end.cost.get(),
            }));
        }
        guard.record(events).await?;
        Ok(end)
    }
}

impl Inner {
    async fn offer_rollback(&self, events: &mut Vec<GuardEvent>) -> Option<RolledBack> {
        let rollback = self.rollback.as_ref().filter(|files| !files.is_empty())?;
        let files = rollback.changed().join("\n");
        let request = ApprovalRequest {
            tool: ROLLBACK.to_owned(),
            phase: String::new(),
            asks: vec![Ask::Rollback],
            detail: format!("{} files were changed", rollback.len()),
            preview: self.preview(&files),
        };
        let answer =
            tokio::time::timeout(self.config.approval_timeout(), self.approver.ask(&request));
        let answer = answer.await.unwrap_or(Answer::Deny);
        let granted = answer == Answer::Approve;
        let source = if answer == Answer::Nobody {
            "nobody"
        } else {
            "person"
        };
        let approval = GuardApproval {
            session: self.session.clone(),
            call: 0,
            tool: ROLLBACK.to_owned(),
            source: source.to_owned(),
            asked: vec![Ask::Rollback.name().to_owned()],
            arguments: digest(&files),
        };
        if !granted {
            events.push(GuardEvent::ApprovalDenied(approval));
            return None;
        }
        events.push(GuardEvent::ApprovalGranted(approval));
        let done = restored(Arc::clone(rollback)).await;
        events.push(GuardEvent::Rollback(GuardRollback {
            session: self.session.clone(),
            restored: done.restored.len() as u64,
            kept: done.kept.len() as u64,
            failed: done.failed.len() as u64,
        }));
        Some(done)
    }

    fn preview(&self, text: &str) -> CleanString {
        self.intake.text(text, MAX_PREVIEW).into_owned()
    }
}

async fn restored(rollback: Arc<FileRollback>) -> RolledBack {
    tokio::task::spawn_blocking(move || rollback.restore())
        .await
        .unwrap_or_default()
}
