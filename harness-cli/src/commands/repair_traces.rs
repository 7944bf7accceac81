//! Where the traces of repairs go: a file, or a collector.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use harness_core::Timestamp;
use harness_engine::{Config, Repair, RepairTrace, TraceSink};
use serde_json::Value;

use crate::commands::now;
use crate::exit::{Exit, Problem};

/// Traces that are kept until they are exported; one run repairs fewer.
const MAX_TRACES: usize = 10_000;

/// Keeps the traces of a run, to be exported behind it.
pub(super) struct RepairTraces {
    kept: Mutex<Vec<(RepairTrace, Timestamp)>>,
    to: Destination,
}

/// Where they go.
enum Destination {
    /// One request of the protocol a line.
    File(PathBuf),
    /// An address for traces.
    #[cfg(feature = "rig")]
    Collector(harness_rig::TraceCollector),
}

impl TraceSink for RepairTraces {
    fn take(&self, trace: RepairTrace) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_TRACES {
            kept.push((trace, now()));
        }
    }
}

impl RepairTraces {
    /// The traces that the configuration asks for, and the repair with them.
    ///
    /// # Errors
    /// They are asked for, and there is nowhere that they could go.
    pub(super) fn of(
        config: &Config,
        repair: Repair,
    ) -> Result<(Option<Arc<Self>>, Repair), Problem> {
        let Repair::With(model) = repair else {
            return Ok((None, repair));
        };
        if !config.trace_repair_agent {
            return Ok((None, Repair::With(model)));
        }
        let to = config.repair_trace_to.as_deref().ok_or_else(|| {
            Problem::usage(
                "HARNESS_TRACE_REPAIR_AGENT is set: say where to in HARNESS_REPAIR_TRACE_TO, a \
                 file or a collector's address",
            )
        })?;
        let traces = Arc::new(Self {
            kept: Mutex::default(),
            to: Destination::parse(to)?,
        });
        let sink: Arc<dyn TraceSink> = traces.clone();
        Ok((Some(traces), Repair::Traced(model, sink)))
    }

    /// Sends what was kept on its way.
    ///
    /// # Errors
    /// The file cannot be written, or the collector does not take it; both are outside parts.
    pub(super) async fn export(&self) -> Result<(), Problem> {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        let requests: Vec<Value> = kept.iter().map(|(trace, at)| trace.to_otlp(*at)).collect();
        self.to.take(&requests).await.map_err(|error| {
            let what = format!("the traces of repairs were not exported: {error}");
            Problem::new(Exit::Outside, what)
        })
    }
}

impl Destination {
    fn parse(text: &str) -> Result<Self, Problem> {
        if text.starts_with("http://") || text.starts_with("https://") {
            return Self::collector(text);
        }
        Ok(Self::File(PathBuf::from(text)))
    }

    #[cfg(feature = "rig")]
    fn collector(address: &str) -> Result<Self, Problem> {
        harness_rig::TraceCollector::new(address)
            .map(Self::Collector)
            .map_err(|error| Problem::usage(format!("HARNESS_REPAIR_TRACE_TO: {error}")))
    }

    #[cfg(not(feature = "rig"))]
    fn collector(_address: &str) -> Result<Self, Problem> {
        Err(Problem::usage(
            "HARNESS_REPAIR_TRACE_TO is an address: this build sends nothing; give a file, or \
             build with `--features rig`",
        ))
    }

    async fn take(&self, requests: &[Value]) -> Result<()> {
        match self {
            Self::File(path) => {
                let mut file = OpenOptions::new().create(true).append(true).open(path)?;
                for request in requests {
                    file.write_all(format!("{request}\n").as_bytes())?;
                }
            }
            #[cfg(feature = "rig")]
            Self::Collector(collector) => {
                for request in requests {
                    collector.send(request).await?;
                }
            }
        }
        Ok(())
    }
}
