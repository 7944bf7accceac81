//! One command of the binary: started, waited for, read, classified.

use std::io;
use std::pin::pin;

use harness_core::CleanString;
use harness_sanitize::Intake;
use serde_json::Value;
use tokio::process::Command;

use crate::group::{Group, bounded};
use crate::settings::Settings;

/// Bytes of an answer at most; a trace with all its spans is the longest.
const MAX_ANSWER: usize = 16 << 20;
/// Bytes of a complaint at most.
const MAX_COMPLAINT: usize = 64 << 10;
/// Bytes of a complaint's message that are kept.
const MAX_MESSAGE: usize = 300;
/// Where the binary finds whatever it is made of.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Why a command has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// It could not be started. The operator's fault.
    #[error("the platform's binary cannot be started: {0}")]
    NotStarted(String),
    /// No key, or a wrong one. The operator's fault.
    #[error("the platform does not let us in: {0}")]
    Auth(CleanString),
    /// There is no such thing; often there is not yet.
    #[error("the platform does not know it: {0}")]
    NotFound(CleanString),
    /// The platform does not take what it was asked. Ours, or the configuration's.
    #[error("the platform refuses the request: {0}")]
    Refused(CleanString),
    /// It failed, or could not be reached.
    #[error("the platform cannot be reached or failed: {0}")]
    Failed(CleanString),
    /// It did not end in time.
    #[error("the platform's binary did not end within its deadline")]
    Deadline,
    /// It wrote more than is read.
    #[error("the platform's binary wrote more than {MAX_ANSWER} bytes")]
    TooMuch,
    /// It said something that is no JSON.
    #[error("the platform's binary answered something that is no JSON")]
    NoJson,
}

/// Runs a command and returns its answer. When this returns, or its future is dropped, no process
/// of its group is left.
pub(crate) async fn run(
    settings: &Settings,
    intake: &Intake,
    arguments: &[&str],
) -> Result<Value, CommandError> {
    let mut command = Command::new(&settings.binary);
    command
        .args(["--format", "json"])
        .args(arguments)
        .env_clear()
        .env("PATH", PATH)
        .envs(settings.variables.iter().map(|(name, value)| (name, value)))
        .current_dir("/");
    let ended = tokio::time::timeout(settings.deadline, finish(&mut command)).await;
    let Ok(ended) = ended else {
        return Err(CommandError::Deadline);
    };
    let (code, answer, complaint) = ended?;
    match code {
        Some(0) => serde_json::from_slice(&answer).map_err(|_| CommandError::NoJson),
        code => Err(classified(code, &complaint, intake)),
    }
}

async fn finish(command: &mut Command) -> Result<(Option<i32>, Vec<u8>, Vec<u8>), CommandError> {
    let not_started = |error: io::Error| CommandError::NotStarted(error.to_string());
    let mut group = Group::start(command).map_err(not_started)?;
    let (answer, complaint) = group.outputs();
    let reading = async {
        tokio::try_join!(
            bounded(answer, MAX_ANSWER),
            bounded(complaint, MAX_COMPLAINT)
        )
    };
    let mut reading = pin!(reading);
    let read = tokio::select! {
        read = &mut reading => read,
        () = group.ended() => {
            // Whatever it left behind holds its pipes open.
            group.kill();
            reading.await
        }
    };
    let (answer, complaint) = read.map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => CommandError::TooMuch,
        _ => not_started(error),
    })?;
    group.ended().await;
    let status = group.reap().await.map_err(not_started)?;
    Ok((status.code(), answer, complaint))
}

/// What an exit code means, with the message of the complaint.
fn classified(code: Option<i32>, complaint: &[u8], intake: &Intake) -> CommandError {
    let complaint: Option<Value> = serde_json::from_slice(complaint).ok();
    let message = complaint
        .as_ref()
        .and_then(|complaint| complaint.get("error")?.get("message")?.as_str())
        .unwrap_or("it gave no reason");
    let message = intake.text(message, MAX_MESSAGE).into_owned();
    match code {
        Some(2) => CommandError::Auth(message),
        Some(3) => CommandError::NotFound(message),
        Some(4) => CommandError::Refused(message),
        _ => CommandError::Failed(message),
    }
}

#[cfg(test)]
mod tests {
    use harness_sanitize::{Gate, Redactor};

    use super::*;

    #[test]
    fn codes_are_told_apart_and_messages_are_cleaned() {
        let redactor =
            Redactor::with_values([("PANDAPROBE_API_KEY".to_owned(), "correct-horse".to_owned())]);
        let intake = Intake::new(Gate::default(), redactor);
        let told =
            |code, complaint: &str| classified(code, complaint.as_bytes(), &intake).to_string();
        let complaint = r#"{"error": {"message": "no \u001b[31mcorrect-horse"}}"#;
        assert_eq!(
            told(Some(2), complaint),
            "the platform does not let us in: no [REDACTED:known-value]"
        );
        assert_eq!(
            told(Some(3), "{}"),
            "the platform does not know it: it gave no reason"
        );
        assert_eq!(
            told(Some(4), "[]"),
            "the platform refuses the request: it gave no reason"
        );
        for code in [Some(1), Some(5), Some(77), None] {
            assert_eq!(
                told(code, "not json"),
                "the platform cannot be reached or failed: it gave no reason"
            );
        }
    }
}
