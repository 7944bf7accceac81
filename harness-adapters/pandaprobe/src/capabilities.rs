//! What the platform's binary can do on this machine, as measured.

use harness_core::MetricName;

use crate::answer::text;
use crate::evaluator::METRICS;
use crate::platform::Platform;

/// Bytes of a version that are shown.
const MAX_VERSION: usize = 64;

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// What, in a word.
    pub name: &'static str,
    /// What it came to, or why it did not.
    pub result: Result<String, String>,
}

/// Tries what costs nothing: whether the binary starts, whether a real read works (which its own
/// status command does not tell), which metrics its judges know. No run is started.
pub async fn measure(platform: &Platform) -> Vec<Capability> {
    let version = platform.version().await;
    let starts = Capability {
        name: "starts",
        result: match &version {
            Ok(answer) => {
                let version = text(answer, "version").unwrap_or("unknown");
                Ok(format!(
                    "version {}",
                    platform.intake.text(version, MAX_VERSION)
                ))
            }
            Err(error) => Err(error.to_string()),
        },
    };
    if version.is_err() {
        return vec![starts];
    }
    let reads = match platform.read().await {
        Ok(()) => Ok("lists traces with this key and project".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let judges = match platform.metrics().await {
        Ok(known) => judges(&known),
        Err(error) => Err(error.to_string()),
    };
    vec![
        starts,
        Capability {
            name: "reads",
            result: reads,
        },
        Capability {
            name: "judges",
            result: judges,
        },
    ]
}

fn judges(known: &[MetricName]) -> Result<String, String> {
    let knows = |name: &str| known.iter().any(|metric| metric.as_str() == name);
    let missing: Vec<&str> = METRICS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !knows(name))
        .collect();
    if missing.is_empty() {
        return Ok(format!("knows all {} metrics", METRICS.len()));
    }
    Err(format!("does not know {}", missing.join(", ")))
}
