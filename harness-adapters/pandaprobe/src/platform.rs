//! The commands of the platform that are used, and no other.

use std::sync::Arc;

use harness_core::{MetricName, SessionId};
use harness_sanitize::Intake;
use serde_json::Value;

use crate::answer::{self, Id, Judged, RunState};
use crate::command::{self, CommandError};
use crate::settings::Settings;

/// Traces that the platform lists at most.
pub(crate) const MAX_LISTED: usize = 200;

/// Why the platform did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlatformError {
    /// The command has no answer.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The answer lacks what every such answer has. The platform's fault.
    #[error("the platform's answer has no `{0}`")]
    Missing(&'static str),
    /// A name that no trace of the platform has. The host's fault.
    #[error("the platform names traces by letters, digits and hyphens, 64 at most")]
    BadId,
    /// A session whose id could be read as an option of the binary. The host's fault.
    #[error("a session id that starts with `-` cannot be asked for")]
    BadSession,
}

/// The platform, as its binary knows it.
#[derive(Clone)]
pub struct Platform {
    pub(crate) settings: Arc<Settings>,
    pub(crate) intake: Arc<Intake>,
}

impl Platform {
    /// The platform behind a binary; every text of it goes through `intake`.
    pub fn new(settings: Settings, intake: Intake) -> Self {
        Self {
            settings: Arc::new(settings),
            intake: Arc::new(intake),
        }
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Result<Value, CommandError> {
        command::run(&self.settings, &self.intake, arguments).await
    }

    /// A read that needs the key, the project and the platform: all that health can mean.
    pub(crate) async fn read(&self) -> Result<(), CommandError> {
        self.run(&["traces", "list", "--limit", "1"])
            .await
            .map(|_| ())
    }

    pub(crate) async fn trace(&self, trace: &Id) -> Result<Value, CommandError> {
        self.run(&["traces", "get", trace.as_str()]).await
    }

    /// The finished traces of a session, newest first.
    pub(crate) async fn traces(
        &self,
        session: &SessionId,
        limit: usize,
    ) -> Result<Vec<Value>, PlatformError> {
        if session.as_str().starts_with('-') {
            return Err(PlatformError::BadSession);
        }
        let limit = limit.min(MAX_LISTED).to_string();
        let answer = self
            .run(&[
                "traces",
                "list",
                "--session-id",
                session.as_str(),
                "--status",
                "COMPLETED",
                "--sort-by",
                "started_at",
                "--sort-order",
                "desc",
                "--limit",
                &limit,
            ])
            .await?;
        Ok(answer::list(&answer).to_vec())
    }

    /// Starts a run over one trace and says its id.
    pub(crate) async fn batch(
        &self,
        trace: &Id,
        metrics: &[MetricName],
    ) -> Result<Id, PlatformError> {
        let names: Vec<&str> = metrics.iter().map(MetricName::as_str).collect();
        let answer = self
            .run(&[
                "evals",
                "runs",
                "batch",
                "--target",
                "trace",
                "--trace-ids",
                trace.as_str(),
                "--metrics",
                &names.join(","),
            ])
            .await?;
        answer::text(&answer, "id")
            .and_then(Id::parse)
            .ok_or(PlatformError::Missing("id"))
    }

    pub(crate) async fn run_state(&self, run: &Id) -> Result<RunState, CommandError> {
        let answer = self.run(&["evals", "runs", "get", run.as_str()]).await?;
        Ok(answer::run_state(&answer))
    }

    pub(crate) async fn scores_of_run(
        &self,
        run: &Id,
        trace: &Id,
    ) -> Result<Vec<Judged>, CommandError> {
        let command = ["evals", "runs", "scores", run.as_str(), "--target", "trace"];
        let answer = self.run(&command).await?;
        Ok(answer::judged(&answer, trace, &self.intake))
    }

    /// The scores that a trace has, whichever run they are of.
    pub(crate) async fn scores(&self, trace: &Id) -> Result<Vec<Judged>, CommandError> {
        let command = [
            "evals",
            "scores",
            "get",
            trace.as_str(),
            "--target",
            "trace",
        ];
        match self.run(&command).await {
            Ok(answer) => Ok(answer::judged(&answer, trace, &self.intake)),
            // A trace that has not come in has no scores.
            Err(CommandError::NotFound(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// The version of the binary, and the metrics that judges of traces know.
    pub(crate) async fn version(&self) -> Result<Value, CommandError> {
        self.run(&["version"]).await
    }

    pub(crate) async fn metrics(&self) -> Result<Vec<MetricName>, CommandError> {
        let answer = self.run(&["evals", "metrics"]).await?;
        Ok(answer::list(&answer)
            .iter()
            .filter_map(|entry| MetricName::parse(answer::text(entry, "name")?).ok())
            .collect())
    }
}
