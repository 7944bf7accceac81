//! What the workspace knows of each session: what alerted, and what its turns scored.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use harness_core::SessionId;
use harness_store::Reader;
use harness_store::wire::Event;
use harness_store::wire::score::TurnCounts;

/// A session.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    /// The signatures of its notices, posted or only journaled; it alerted if there are any.
    pub(super) signatures: BTreeSet<String>,
    /// Its evaluated turns.
    pub(super) turns: BTreeMap<u32, Turn>,
}

/// An evaluated turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    /// Scores by metric; `None` where one was asked for and is missing.
    pub(super) scores: BTreeMap<String, Option<f64>>,
    /// How much was done, where that was counted.
    pub(super) counts: Option<TurnCounts>,
}

impl Session {
    /// The scores of a metric.
    pub(super) fn scores<'a>(&'a self, metric: &'a str) -> impl Iterator<Item = f64> + 'a {
        self.turns
            .values()
            .filter_map(move |turn| turn.scores.get(metric).copied().flatten())
    }

    /// The lowest score of a metric.
    pub(super) fn lowest(&self, metric: &str) -> Option<f64> {
        self.scores(metric).min_by(f64::total_cmp)
    }

    /// How bad the evaluator thinks it went: whoever alerted comes first, then whoever has the
    /// lowest score of any metric. In [0, 2].
    pub(super) fn risk(&self) -> f64 {
        let scores = self.turns.values().flat_map(|turn| turn.scores.values());
        let lowest = scores.copied().flatten().min_by(f64::total_cmp);
        let alerted = if self.signatures.is_empty() { 0.0 } else { 1.0 };
        alerted + 1.0 - lowest.unwrap_or(1.0)
    }
}

/// Every session of the workspace.
///
/// # Errors
/// The journal or the scores cannot be read.
pub(super) fn read(reader: &Reader) -> Result<BTreeMap<SessionId, Session>> {
    let mut sessions: BTreeMap<SessionId, Session> = BTreeMap::new();
    for line in reader.records_from(0)? {
        let line = line?;
        match line.event() {
            Some((_, Event::SessionOpened(opened))) => {
                sessions.entry(opened.session.clone()).or_default();
            }
            Some((_, Event::Notice(posted))) => {
                let Ok(notice) = posted.notice.clone().try_into_domain() else {
                    continue;
                };
                let signatures = notice.signatures.iter().map(ToString::to_string);
                let session = sessions.entry(notice.session).or_default();
                session.signatures.extend(signatures);
            }
            _ => {}
        }
    }
    reader.each_evaluated_turn(|line| {
        let session = sessions.entry(line.session).or_default();
        let turn = session.turns.entry(line.turn).or_default();
        turn.scores.extend(line.scores);
        turn.counts = line.counts.or(turn.counts);
    })?;
    Ok(sessions)
}

/// The task that a session is of: its id without the `-N` that tells repeated runs apart.
pub(super) fn task_of(session: &SessionId) -> &str {
    let id = session.as_str();
    match id.rsplit_once('-') {
        Some((task, run)) if !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_digit()) => {
            task
        }
        _ => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_task_differ_in_their_last_number() {
        for (id, task) in [
            ("shop-7-0", "shop-7"),
            ("shop-7-12", "shop-7"),
            ("shop-a", "shop-a"),
            ("shop-", "shop-"),
            ("shop", "shop"),
        ] {
            assert_eq!(task_of(&SessionId::parse(id).unwrap()), task);
        }
    }

    #[test]
    fn who_alerted_is_at_more_risk_than_who_did_not() {
        let scored = |score: f64| Session {
            turns: BTreeMap::from([(
                0,
                Turn {
                    scores: BTreeMap::from([("m".to_owned(), Some(score)), ("n".to_owned(), None)]),
                    counts: None,
                },
            )]),
            ..Session::default()
        };
        let mut alerted = scored(0.9);
        alerted.signatures.insert("breach:m".to_owned());
        assert!(alerted.risk() > scored(0.0).risk());
        assert!(scored(0.0).risk() > scored(0.5).risk());
        assert_eq!(Session::default().risk(), 0.0);
        assert_eq!(scored(0.25).lowest("m"), Some(0.25));
        assert_eq!(scored(0.25).lowest("n"), None);
    }
}
