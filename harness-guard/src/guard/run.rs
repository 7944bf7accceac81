//! Running a permitted call: in its time, to its end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use harness_core::ErrorClass;
use tokio::task::{AbortHandle, JoinHandle};

use super::Inner;
use super::record::Named;
use crate::answer::{ToolAnswer, prepare, withheld};
use crate::executor::{PANICKED, ToolFailure};
use crate::folder::PermittedPath;
use crate::outcome::Outcome;
use crate::permit::{Permitted, Proofs};
use crate::refusal::{Denial, Refusal};
use crate::session::FileRollback;
use crate::tool::Effect;

/// How long a tool that was ended has to be gone.
const ENDING: Duration = Duration::from_secs(2);

/// How a tool ended.
enum Ended {
    Said(Result<String, ToolFailure>),
    TimedOut,
    Aborted,
}

impl Inner {
    /// Keeps the files that a call may change, for the way back.
    pub(super) async fn keep_files(&self, proofs: &Proofs) -> Result<(), Refusal> {
        let Some(rollback) = self.rollback_of(proofs.granted.tool().spec.does()) else {
            return Ok(());
        };
        let paths = proofs.paths.get().to_vec();
        let kept = tokio::task::spawn_blocking(move || {
            paths.iter().try_for_each(|path| rollback.before(path))
        });
        match kept.await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Refusal::new(
                Denial::NoBackup,
                "a file that the call would change could not be kept",
            )),
        }
    }

    fn rollback_of(&self, effect: Effect) -> Option<Arc<FileRollback>> {
        self.rollback
            .as_ref()
            .filter(|_| effect == Effect::Write)
            .map(Arc::clone)
    }

    pub(super) async fn run(&self, permitted: Permitted, named: &Named<'_>) -> Outcome {
        self.counts.ran.fetch_add(1, Ordering::Relaxed);
        let tool = Arc::clone(permitted.granted());
        let changing = self.rollback_of(tool.spec.does()).map(|rollback| Changing {
            rollback,
            paths: permitted.paths().cloned().collect(),
        });
        let started = Instant::now();
        let executor = Arc::clone(&tool.executor);
        let task = tokio::spawn(async move { executor.run(permitted).await });
        let ended = self.to_its_end(task).await;
        let elapsed = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        drop(changing);

        let seconds = self.config.tool_timeout_s;
        let mut events = Vec::new();
        let said = match ended {
            Ended::Said(said) => said,
            Ended::TimedOut => {
                events.push(named.timeout(seconds));
                Err(ToolFailure::of(
                    ErrorClass::Timeout,
                    format!(
                        "The tool did not answer within {seconds} seconds and was ended. Ask for \
                         less at once; the same call will not fare better."
                    ),
                ))
            }
            Ended::Aborted => Err(ToolFailure::new("The session was aborted.")),
        };
        let (class, said) = match said {
            Ok(said) => (None, said),
            Err(failure) => (Some(failure.class), failure.said),
        };
        let name = tool.spec.name();
        let prepared = prepare(&self.intake, name, &said, self.config.tool_result_bytes);
        let (answer, audited) = prepared.unwrap_or_else(|_| withheld(&said));
        events.extend(named.result(class.is_none(), &answer, audited, elapsed));
        self.told(class, answer, events).await
    }

    /// The tool ran, so the model is told what it said; if that cannot be recorded, the next call
    /// cannot be either, and is refused.
    async fn told(
        &self,
        failed: Option<ErrorClass>,
        answer: ToolAnswer,
        events: Vec<harness_store::GuardEvent>,
    ) -> Outcome {
        let _ = self.record(events).await;
        if self.abort.signal().is_aborted() {
            self.tell_abort().await;
        }
        match failed {
            None => Outcome::Ran(answer),
            Some(class) => Outcome::Failed(class, answer),
        }
    }

    async fn to_its_end(&self, mut task: JoinHandle<Result<String, ToolFailure>>) -> Ended {
        let _ends = EndsOnDrop(task.abort_handle());
        let aborted = self.abort.signal();
        let ended = tokio::select! {
            biased;
            said = &mut task => {
                let panicked = |_| Err(ToolFailure::new(PANICKED));
                return Ended::Said(said.unwrap_or_else(panicked));
            }
            () = aborted.aborted() => Ended::Aborted,
            () = tokio::time::sleep(self.config.tool_timeout()) => Ended::TimedOut,
        };
        task.abort();
        // What it holds is gone when this returns, unless it blocks its thread.
        let _ = tokio::time::timeout(ENDING, task).await;
        ended
    }
}

/// Ends a task that nobody waits for any more.
struct EndsOnDrop(AbortHandle);

impl Drop for EndsOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Notes how files were left, however the call ends.
struct Changing {
    rollback: Arc<FileRollback>,
    paths: Vec<PermittedPath>,
}

impl Drop for Changing {
    fn drop(&mut self) {
        for path in &self.paths {
            self.rollback.after(path);
        }
    }
}
