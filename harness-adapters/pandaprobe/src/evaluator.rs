//! The platform's judges as an evaluator.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use harness_core::{
    CleanString, CleanText, MetricName, MetricRegistry, MetricSpec, Score, Tier, Trace,
};
use harness_engine::{EvaluationError, Evaluator, HealthReport, Reading, ReadingValue};
use harness_rules::EvaluatorIdentity;

use crate::answer::{Id, Judged, RunState, text};
use crate::command::CommandError;
use crate::memory::Memory;
use crate::platform::{Platform, PlatformError};

/// The evaluator's name where scores are recorded.
const NAME: &str = "pandaprobe";
/// The version of how scores are asked for and read; the judges are the platform's.
const VERSION: &str = "1";
/// A score strictly below this is a breach.
const THRESHOLD: f64 = 0.5;
/// The metrics of the platform's judges that are used.
pub(crate) const METRICS: [(&str, Tier); 8] = [
    ("task_completion", Tier::Progress),
    ("coherence", Tier::Progress),
    ("tool_correctness", Tier::Diagnosis),
    ("argument_correctness", Tier::Diagnosis),
    ("plan_adherence", Tier::Explanation),
    ("plan_quality", Tier::Explanation),
    ("step_efficiency", Tier::Explanation),
    ("confidence", Tier::Explanation),
];
/// Health checks that are made before the platform counts as down.
const HEALTH_TRIES: u32 = 2;

/// Has the traces that the host sent to the platform scored there; a trace's id is its id on the
/// platform.
///
/// One batch of runs a tier that is asked for: progress every turn, the rest only once the engine
/// wants it. What is scored already is taken, and a run under way is waited for instead of started
/// again.
pub struct PandaprobeEvaluator {
    platform: Platform,
    memory: Arc<Memory>,
    down: Mutex<Option<(Instant, CleanString)>>,
}

impl PandaprobeEvaluator {
    /// An evaluator that remembers its runs in `memory`.
    pub const fn new(platform: Platform, memory: Arc<Memory>) -> Self {
        Self {
            platform,
            memory,
            down: Mutex::new(None),
        }
    }

    async fn judge(
        &self,
        trace: &Id,
        metrics: &[MetricName],
    ) -> Result<BTreeMap<MetricName, Judged>, PlatformError> {
        let mut found = BTreeMap::new();
        add(&mut found, metrics, self.platform.scores(trace).await?);
        let missing: Vec<MetricName> = metrics
            .iter()
            .filter(|metric| !found.contains_key(metric))
            .cloned()
            .collect();
        if missing.is_empty() {
            return Ok(found);
        }
        let Some(run) = self.run_for(trace, metrics, &missing).await? else {
            return Ok(found);
        };
        self.wait(&run, trace, metrics, &mut found).await?;
        Ok(found)
    }

    /// The run that scores what is missing: one that is under way, else a new one; none while the
    /// platform does not have the trace.
    async fn run_for(
        &self,
        trace: &Id,
        metrics: &[MetricName],
        missing: &[MetricName],
    ) -> Result<Option<Id>, PlatformError> {
        let names = joined(metrics);
        if let Some(run) = self.memory.run(trace, &names) {
            return Ok(Some(run));
        }
        if !self.has_come_in(trace).await? {
            return Ok(None);
        }
        let run = self.platform.batch(trace, missing).await?;
        let (memory, trace, started) = (Arc::clone(&self.memory), trace.clone(), run.clone());
        remember(move || memory.started(&trace, &names, &started)).await;
        Ok(Some(run))
    }

    /// Waits for the platform to have the whole trace. A run over a trace that it does not have is
    /// taken, billed, and scores nothing.
    async fn has_come_in(&self, trace: &Id) -> Result<bool, PlatformError> {
        for _ in 0..self.polls() {
            match self.platform.trace(trace).await {
                Ok(answer) if is_finished(&answer) => return Ok(true),
                Ok(_) | Err(CommandError::NotFound(_)) => {}
                Err(error) => return Err(error.into()),
            }
            self.pause().await;
        }
        Ok(false)
    }

    /// Waits for the scores of a run, to its end and for those that come late.
    async fn wait(
        &self,
        run: &Id,
        trace: &Id,
        metrics: &[MetricName],
        found: &mut BTreeMap<MetricName, Judged>,
    ) -> Result<(), PlatformError> {
        let is_whole = |found: &BTreeMap<MetricName, Judged>| found.len() == metrics.len();
        for _ in 0..self.polls() {
            let state = match self.platform.run_state(run).await {
                Ok(state) => state,
                // A run may be started before it can be found.
                Err(CommandError::NotFound(_)) => RunState::Running,
                Err(error) => return Err(error.into()),
            };
            if state != RunState::Running {
                let scores = self.platform.scores_of_run(run, trace).await?;
                add(found, metrics, scores);
            }
            if state == RunState::Failed || is_whole(found) {
                let (memory, run) = (Arc::clone(&self.memory), run.clone());
                remember(move || memory.forget(&run)).await;
                return Ok(());
            }
            self.pause().await;
        }
        Ok(())
    }

    fn polls(&self) -> u32 {
        self.platform.settings.polls.max(1)
    }

    async fn pause(&self) {
        tokio::time::sleep(self.platform.settings.interval).await;
    }

    async fn check(&self) -> Result<(), CommandError> {
        let mut tries = 1;
        loop {
            match self.platform.read().await {
                Err(CommandError::Failed(_) | CommandError::Deadline) if tries < HEALTH_TRIES => {
                    tries += 1;
                    self.pause().await;
                }
                read => return read,
            }
        }
    }
}

#[async_trait]
impl Evaluator for PandaprobeEvaluator {
    fn identity(&self) -> EvaluatorIdentity {
        EvaluatorIdentity {
            name: clean(NAME),
            version: clean(VERSION),
        }
    }

    fn registry(&self) -> MetricRegistry {
        MetricRegistry::new(METRICS.iter().filter_map(|(name, tier)| {
            Some(MetricSpec {
                name: MetricName::parse(name).ok()?,
                tier: *tier,
                threshold: Score::new(THRESHOLD)?,
            })
        }))
    }

    /// A real read. That it failed holds for a moment, so that an outage does not start a process
    /// for each turn of each session.
    async fn health(&self) -> HealthReport {
        let holds = self.platform.settings.health_holds;
        let known = {
            let down = self.down.lock().unwrap_or_else(PoisonError::into_inner);
            down.clone().filter(|(since, _)| since.elapsed() < holds)
        };
        if let Some((_, why)) = known {
            return HealthReport::Down(why);
        }
        let (down, report) = match self.check().await {
            Ok(()) => (None, HealthReport::Up),
            Err(error) => {
                let why = said(&error);
                (Some((Instant::now(), why.clone())), HealthReport::Down(why))
            }
        };
        *self.down.lock().unwrap_or_else(PoisonError::into_inner) = down;
        report
    }

    async fn score(&self, trace: &Trace, tier: Tier) -> Result<Vec<Reading>, EvaluationError> {
        let id = Id::parse(trace.id().as_str())
            .ok_or_else(|| EvaluationError::Unscorable(said(&PlatformError::BadId)))?;
        let metrics: Vec<MetricName> = self
            .registry()
            .iter()
            .filter(|spec| spec.tier == tier)
            .map(|spec| spec.name.clone())
            .collect();
        if metrics.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = self.judge(&id, &metrics).await.map_err(into_evaluation)?;
        if tier == Tier::Progress && found.len() == metrics.len() {
            let memory = Arc::clone(&self.memory);
            remember(move || memory.scored(&id)).await;
        }
        Ok(metrics
            .into_iter()
            .map(|metric| match found.remove(&metric) {
                Some(judged) => Reading {
                    metric,
                    value: ReadingValue::Scored(judged.score),
                    reason: judged.reason,
                },
                None => Reading {
                    metric,
                    value: ReadingValue::Pending,
                    reason: None,
                },
            })
            .collect())
    }
}

fn add(found: &mut BTreeMap<MetricName, Judged>, metrics: &[MetricName], scores: Vec<Judged>) {
    for judged in scores {
        if metrics.contains(&judged.metric) {
            found.insert(judged.metric.clone(), judged);
        }
    }
}

fn is_finished(trace: &serde_json::Value) -> bool {
    !matches!(text(trace, "status"), Some("PENDING" | "RUNNING"))
}

fn joined(metrics: &[MetricName]) -> String {
    let names: Vec<&str> = metrics.iter().map(MetricName::as_str).collect();
    names.join(",")
}

/// Writes the memory off the runtime's threads. What cannot be remembered costs at most a run more.
async fn remember(write: impl FnOnce() -> std::io::Result<()> + Send + 'static) {
    let _ = tokio::task::spawn_blocking(write).await;
}

fn into_evaluation(error: PlatformError) -> EvaluationError {
    let why = said(&error);
    match error {
        PlatformError::Command(CommandError::Refused(_))
        | PlatformError::BadId
        | PlatformError::BadSession => EvaluationError::Unscorable(why),
        PlatformError::Command(_) | PlatformError::Missing(_) => EvaluationError::Unavailable(why),
    }
}

/// An error's own words; whatever of the platform is in them has passed the intake.
fn said(error: &dyn std::error::Error) -> CleanString {
    CleanText::new(error.to_string()).unwrap_or_else(|_| CleanText::empty())
}

fn clean(text: &'static str) -> CleanString {
    CleanText::new(text).unwrap_or_else(|_| CleanText::empty())
}
