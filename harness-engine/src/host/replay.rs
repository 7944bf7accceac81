//! A host's own agent on a captured case: what it reports is as raw as of any turn, and comes in by
//! the same way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use harness_core::{CleanString, CleanText, EvalCase, SessionId};
use harness_sanitize::Intake;
use tokio::runtime::Handle;

use super::report::TurnReport;
use super::session::TraceNames;
use super::tools::TaskTools;
use crate::replay::{Replay, ReplayFailure, ReplayRun, Replayed};

/// One run of a case, as the host holds it: what to run, the four tools to run it with, and where
/// to report its turns. It is no session, and nothing is learned from it but how it came out.
pub struct HostRun {
    run: ReplayRun,
    intake: Arc<Intake>,
    tools: TaskTools,
    session: SessionId,
    traces: TraceNames,
    next_turn: AtomicU32,
}

impl HostRun {
    /// What is to be run; its replay input is what the host reported with the turn.
    pub const fn case(&self) -> &EvalCase {
        &self.run.case
    }

    /// What the agent's randomness is to begin with, as far as the host can have it so.
    pub const fn seed(&self) -> u64 {
        self.run.seed
    }

    /// The four tools for the agent of this run. It must have no other rule tools than these.
    pub fn task_tools(&self) -> TaskTools {
        self.tools.clone()
    }

    /// Begins the report of a turn in which the user said `user`.
    pub fn turn(&self, user: &str) -> TurnReport {
        TurnReport::new(Arc::clone(&self.intake), user)
    }

    /// Reports a finished turn, as the next of this run; a run of which none is reported counts
    /// for nothing.
    pub fn record_turn(&self, report: TurnReport) {
        let index = self.next_turn.fetch_add(1, Ordering::AcqRel);
        if let Ok(trace) = self.traces.of_turn(index) {
            self.run
                .report(report.finish(self.session.clone(), index, trace));
        }
    }
}

/// Runs a host's agent on captured cases. It may panic, hang or fail: that costs the pair, and
/// nothing else. It must not block its thread; a run that takes too long is dropped at its next
/// await.
#[async_trait]
pub trait HostReplay: Send + Sync {
    /// Brings the environment of a case to where a run begins, and names the state it is in; see
    /// [`Replay::environment`].
    ///
    /// # Errors
    /// [`ReplayFailure`]: it cannot be had now.
    async fn environment(&self, case: &EvalCase) -> Result<CleanString, ReplayFailure> {
        let _ = case;
        Ok(CleanText::empty())
    }

    /// Runs the case once, reporting its turns to `run`.
    ///
    /// # Errors
    /// [`ReplayFailure`].
    async fn run(&self, run: &HostRun) -> Result<(), ReplayFailure>;
}

/// A host's replay, as the engine takes it. Session and seed are not the host's to name.
pub(super) struct Replaying {
    pub(super) host: Arc<dyn HostReplay>,
    pub(super) intake: Arc<Intake>,
    pub(super) runtime: Handle,
}

#[async_trait]
impl Replay for Replaying {
    async fn environment(&self, case: &EvalCase) -> Result<CleanString, ReplayFailure> {
        self.host.environment(case).await
    }

    async fn run(&self, run: ReplayRun) -> Result<Replayed, ReplayFailure> {
        let failed = |why: &'static str| {
            ReplayFailure(CleanText::new(why).unwrap_or_else(|_| CleanText::empty()))
        };
        let random = getrandom::u64().map_err(|_| failed("the system gives no random numbers"))?;
        let session = SessionId::parse(&format!("replay-{random:016x}"))
            .map_err(|_| failed("the run has no name"))?;
        let seed = run.seed;
        let run = HostRun {
            tools: TaskTools::new(
                run.tools.clone(),
                Arc::clone(&self.intake),
                self.runtime.clone(),
            ),
            intake: Arc::clone(&self.intake),
            traces: TraceNames::new(&session, random),
            session,
            next_turn: AtomicU32::new(0),
            run,
        };
        self.host.run(&run).await?;
        Ok(Replayed {
            session: run.session,
            seed,
        })
    }
}
