//! The repair agent: a model, its bounds, and one episode at a time.

use std::sync::Arc;
use std::time::Duration;

use harness_core::{CleanString, Episode, RepairSessionId, RepairStatus};
use harness_rules::{Ended, Opened, RepairDesk, Usage};
use harness_sanitize::Intake;
use tokio::time::Instant;

use crate::attempt::{Attempt, Halted};
use crate::bounds::RepairBounds;
use crate::builtin::BuiltinModel;
use crate::model::RepairModel;
use crate::off_thread::{Lost, off_thread};
use crate::result::{RepairError, RepairResult};
use crate::trace::{Recording, TraceSink};
use crate::work::End;

/// Bytes of a domain policy that are shown.
const MAX_DOMAIN_POLICY: usize = 4096;

/// Which model repairs. There is no default: nobody is billed by silence.
#[derive(Clone)]
pub enum ModelChoice {
    /// Ours: offline, free, deterministic.
    Builtin,
    /// Any other.
    Custom(Arc<dyn RepairModel>),
}

/// Turns episodes into at most one candidate rule each.
#[derive(Clone)]
pub struct RepairAgent {
    pub(crate) model: Arc<dyn RepairModel>,
    pub(crate) intake: Arc<Intake>,
    pub(crate) bounds: RepairBounds,
    pub(crate) domain_policy: Option<CleanString>,
    sink: Option<Arc<dyn TraceSink>>,
}

impl RepairAgent {
    /// An agent with the default bounds. `intake` redacts and cleans all that the model is shown
    /// and all that it says.
    pub fn new(choice: ModelChoice, intake: Arc<Intake>) -> Self {
        let model: Arc<dyn RepairModel> = match choice {
            ModelChoice::Builtin => Arc::new(BuiltinModel::new()),
            ModelChoice::Custom(model) => model,
        };
        Self {
            model,
            intake,
            bounds: RepairBounds::default(),
            domain_policy: None,
            sink: None,
        }
    }

    /// The same agent with other bounds.
    #[must_use]
    pub fn with_bounds(mut self, bounds: RepairBounds) -> Self {
        self.bounds = bounds;
        self
    }

    /// The same agent with a host's description of authorised behaviour, cleaned and cut to 4 KiB.
    /// It is shown as data and widens nothing.
    #[must_use]
    pub fn with_domain_policy(mut self, policy: &str) -> Self {
        let policy = self.intake.text(policy, MAX_DOMAIN_POLICY).into_owned();
        self.domain_policy = (!policy.is_empty()).then_some(policy);
        self
    }

    /// The same agent, with the trace of each attempt going to `sink`. Without one there are none.
    #[must_use]
    pub fn with_traces(mut self, sink: Arc<dyn TraceSink>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Works on one episode until it ends or a bound is reached.
    ///
    /// An episode whose earlier attempt added a rule and got no further is acknowledged with that
    /// rule; the model is not asked again. The future may be dropped at any await: the desk then
    /// records a cancelled attempt, and every notice is pending or resolved, never between.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use harness_core::{Episode, RepairSessionId};
    /// # use harness_repair::RepairAgent;
    /// # use harness_rules::RepairDesk;
    /// # fn start(agent: RepairAgent, desk: Arc<RepairDesk>, episode: Episode) {
    /// let session = RepairSessionId::from_bits(0x5eed);
    /// tokio::spawn(async move { agent.run(desk, episode, session).await });
    /// # }
    /// ```
    ///
    /// # Errors
    /// Where the episode could not be opened, or its end not recorded, see [`RepairError`].
    pub async fn run(
        &self,
        desk: Arc<RepairDesk>,
        episode: Episode,
        session: RepairSessionId,
    ) -> Result<RepairResult, RepairError> {
        let began = Instant::now();
        let model = self.model.name();
        let opened = {
            let (episode, model) = (episode.clone(), model.clone());
            off_thread(move || desk.open(&episode, model, session))
                .await?
                .map_err(RepairError::NotOpened)?
        };
        let id = episode.id().clone();
        let mut recording = Recording::new(session, id, model.clone(), began, self.sink.clone());
        let halted = match opened {
            Opened::Fresh(open) => {
                Attempt::new(self, session, began, &mut recording)
                    .run(open)
                    .await?
            }
            Opened::Continued(proposed) => {
                let usage = Usage {
                    turns: 0,
                    tool_calls: 0,
                    output_tokens: 0,
                    elapsed_ms: 0,
                };
                let ended = off_thread(move || proposed.acknowledge(None, usage))
                    .await?
                    .map_err(RepairError::NotRecorded)?;
                Halted {
                    end: End::resolved(ended),
                    usage,
                    model_time: Duration::ZERO,
                }
            }
        };
        recording.ended(halted.end.ended.status);
        Ok(result(episode, session, model, halted))
    }
}

impl From<Lost> for RepairError {
    fn from(_: Lost) -> Self {
        Self::Stopped
    }
}

fn result(
    episode: Episode,
    repair_session: RepairSessionId,
    model: CleanString,
    halted: Halted,
) -> RepairResult {
    let Halted {
        end: End {
            ended: Ended { status, rule },
            category,
        },
        usage,
        model_time,
    } = halted;
    let covered = matches!(
        status,
        RepairStatus::Duplicate | RepairStatus::AlreadyCovered
    );
    let (existing_rule, new_rule) = if covered { (rule, None) } else { (None, rule) };
    RepairResult {
        session: episode.session().clone(),
        repair_session,
        episode: episode.id().clone(),
        notices: episode.notices().to_vec(),
        status,
        category,
        new_rule,
        existing_rule,
        model,
        usage,
        model_time,
    }
}
