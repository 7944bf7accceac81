//! `state/score_history.json` of 0.9: one gate and a series of samples for each
//! `<session>::<metric>`.

use std::collections::BTreeMap;

use harness_core::SessionId;
use serde::{Deserialize, Serialize};

use crate::wire::score::{GateDoc, SampleDoc, ScoresLine};

/// Samples of a key, the newest ones: what 0.9 keeps.
pub(super) const MAX_SAMPLES: usize = 500;
/// What stands between session and metric.
const SEPARATOR: &str = "::";

/// What 0.9 remembers of one metric of one session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HistoryDoc {
    pub(super) gate: GateDoc,
    #[serde(default)]
    pub(super) series: Vec<SampleDoc>,
}

/// Session and metric of a key.
pub(super) fn parts(key: &str) -> Option<(SessionId, &str)> {
    let (session, metric) = key.rsplit_once(SEPARATOR)?;
    Some((SessionId::parse(session).ok()?, metric))
}

/// The file, put together from the lines of `state/scores/`.
#[derive(Debug, Default)]
pub(super) struct History(BTreeMap<String, HistoryDoc>);

impl History {
    pub(super) fn take(&mut self, line: ScoresLine) {
        match line {
            ScoresLine::Gate(line) => {
                for (metric, gate) in line.x_imported_gate {
                    self.of(&line.session, &metric, gate);
                }
                for (metric, series) in line.x_imported_series {
                    series
                        .into_iter()
                        .for_each(|sample| self.push(&line.session, &metric, sample));
                }
            }
            ScoresLine::Turn(line) => {
                for (metric, gate) in line.gate {
                    self.of(&line.session, &metric, gate);
                }
                for (metric, value) in line.scores {
                    let Some(value) = value else {
                        continue;
                    };
                    let sample = SampleDoc {
                        value,
                        ts: line.ts,
                        run_id: None,
                    };
                    self.push(&line.session, &metric, sample);
                }
            }
        }
    }

    fn push(&mut self, session: &SessionId, metric: &str, sample: SampleDoc) {
        // A metric without a gate is none that 0.9 follows.
        if let Some(doc) = self.0.get_mut(&key(session, metric)) {
            if doc.series.len() == MAX_SAMPLES {
                doc.series.remove(0);
            }
            doc.series.push(sample);
        }
    }

    pub(super) const fn docs(&self) -> &BTreeMap<String, HistoryDoc> {
        &self.0
    }

    fn of(&mut self, session: &SessionId, metric: &str, gate: GateDoc) {
        let doc = self.0.entry(key(session, metric)).or_insert(HistoryDoc {
            gate,
            series: Vec::new(),
        });
        doc.gate = gate;
    }
}

fn key(session: &SessionId, metric: &str) -> String {
    format!("{}{SEPARATOR}{metric}", session.as_str())
}
