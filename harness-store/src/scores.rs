//! Scores and gate states: `state/scores/NNNNNNNN.jsonl`, one line an evaluated turn and one for
//! scores of it that came late, appended to the last segment until that is full. The newest
//! segments are kept, and of older ones nothing is known any more: the conversations whose last turn
//! stands there ended long ago, as the journal knows for ever, and take no further turn.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use harness_core::{MetricName, Score, SessionId, layout};

use crate::error::StoreError;
use crate::lines::{Content, LineReader};
use crate::redaction::Sink;
use crate::root::{FileId, Root};
use crate::wire::event::OriginDoc;
use crate::wire::score::{GateState, ScoreLine, ScoresLine};
use crate::wire::unhex;

/// How much is kept.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Bytes after which a new segment is begun.
    segment: u64,
    /// Segments that are kept.
    segments: u32,
}

/// Some 400,000 turns.
const BOUNDS: Bounds = Bounds {
    segment: 8 << 20,
    segments: 16,
};
/// What the name of a segment ends in.
const SUFFIX: &str = ".jsonl";

/// What is known of one conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionScores {
    turns: BTreeMap<u32, [u8; 32]>,
    unscored: BTreeMap<u32, BTreeSet<MetricName>>,
    gates: BTreeMap<MetricName, GateState>,
    last: Option<LastTurn>,
    /// The segment with the newest line of it.
    segment: u32,
}

/// The last turn of a conversation that was evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct LastTurn {
    /// Its number.
    pub index: u32,
    /// Live or recorded.
    pub origin: OriginDoc,
    /// Its scores; `None` where one was asked for and is missing.
    pub scores: Vec<(MetricName, Option<Score>)>,
}

impl SessionScores {
    /// The digest under which a turn was recorded.
    pub fn digest(&self, turn: u32) -> Option<&[u8; 32]> {
        self.turns.get(&turn)
    }

    /// How many turns were evaluated.
    pub fn turn_count(&self) -> usize {
        self.turns.len()
    }

    /// Whether a score that was asked for is missing, in any turn.
    pub fn is_missing_a_score(&self) -> bool {
        !self.unscored.is_empty()
    }

    /// The scores that were asked for and are missing in a turn.
    pub(crate) fn unscored(&self, turn: u32) -> Option<&BTreeSet<MetricName>> {
        self.unscored.get(&turn)
    }

    /// The gate's memory, by metric.
    pub const fn gates(&self) -> &BTreeMap<MetricName, GateState> {
        &self.gates
    }

    /// The last evaluated turn.
    pub const fn last(&self) -> Option<&LastTurn> {
        self.last.as_ref()
    }
}

/// The index over all segments. It follows them as a [`crate::Follower`] follows the journal.
#[derive(Debug)]
pub struct Scores {
    root: Arc<Root>,
    bounds: Bounds,
    sessions: BTreeMap<SessionId, SessionScores>,
    /// The segment being read, the file it was, and how far it was read.
    segment: u32,
    file: Option<FileId>,
    offset: u64,
    skipped: u64,
}

impl Scores {
    pub(crate) const fn new(root: Arc<Root>) -> Self {
        Self {
            root,
            bounds: BOUNDS,
            sessions: BTreeMap::new(),
            segment: 0,
            file: None,
            offset: 0,
            skipped: 0,
        }
    }

    /// Begins a segment with each line, and keeps two of them.
    #[cfg(test)]
    pub(crate) const fn keep_little(&mut self) {
        self.bounds = Bounds {
            segment: 1,
            segments: 2,
        };
    }

    /// What is known of a conversation.
    pub fn get(&self, session: &SessionId) -> Option<&SessionScores> {
        self.sessions.get(session)
    }

    /// All conversations, in order of name.
    pub fn iter(&self) -> impl Iterator<Item = (&SessionId, &SessionScores)> {
        self.sessions.iter()
    }

    /// Lines that did not read and were skipped.
    pub const fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Takes in what was appended since the last time.
    ///
    /// # Errors
    /// A segment cannot be read.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        let current = layout::scores_segment(self.segment);
        if self.root.file_id(current.as_str())?.is_none() {
            // There is none yet, or it was too old to be kept.
            let first = segments(&self.root)?
                .into_iter()
                .find(|at| *at > self.segment);
            self.go_to(first.unwrap_or(self.segment));
        }
        loop {
            self.read_segment()?;
            let next = layout::scores_segment(self.segment.saturating_add(1));
            if self.root.file_id(next.as_str())?.is_none() {
                return Ok(());
            }
            // The segment was closed before the next was begun, but perhaps after it was read.
            self.read_segment()?;
            self.go_to(self.segment.saturating_add(1));
        }
    }

    /// Appends lines and takes them in. The caller holds the lock and has refreshed.
    pub(crate) fn append(&mut self, lines: &[ScoresLine], sink: &Sink) -> Result<(), StoreError> {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend(sink.line(line)?);
        }
        let mut number = self.segment;
        if self.offset >= self.bounds.segment {
            number = number.saturating_add(1);
        }
        let path = layout::scores_segment(number);
        self.root.append_lines(path.as_str(), &bytes)?;
        if number > self.segment {
            // If it fails, what is too old goes with the next segment.
            let _ = self.remove_old(number);
        }
        self.refresh()
    }

    fn remove_old(&self, newest: u32) -> Result<(), StoreError> {
        let first = self.first_kept(newest);
        for old in segments(&self.root)?.into_iter().filter(|at| *at < first) {
            self.root.remove(layout::scores_segment(old).as_str())?;
        }
        Ok(())
    }

    /// The oldest segment that is kept beside the newest one.
    const fn first_kept(&self, newest: u32) -> u32 {
        (newest + 1).saturating_sub(self.bounds.segments)
    }

    /// Goes on to another segment, and forgets what is too old beside it.
    fn go_to(&mut self, segment: u32) {
        if segment == self.segment {
            return;
        }
        (self.segment, self.file, self.offset) = (segment, None, 0);
        let first = self.first_kept(segment);
        self.sessions.retain(|_, scores| scores.segment >= first);
    }

    fn read_segment(&mut self) -> Result<(), StoreError> {
        let path = layout::scores_segment(self.segment);
        let Some(file) = self.root.open_if_there(path.as_str())? else {
            return Ok(());
        };
        let failed = |error: std::io::Error| {
            StoreError::from_io(&error, "read", &self.root.shown(path.as_str()))
        };
        let (id, length) = file.standing().map_err(failed)?;
        // Lines are taken in by (session, turn), so reading a segment again changes nothing.
        if self.file != Some(id) || length < self.offset {
            self.file = Some(id);
            self.offset = 0;
        }
        let mut reader = LineReader::new(&file, self.offset, length);
        while let Some(raw) = reader.next_line().map_err(failed)? {
            let read = match raw.content {
                Content::Bytes(bytes) => take(&mut self.sessions, self.segment, &bytes).is_some(),
                Content::TooLong(_) => false,
            };
            self.skipped += u64::from(!read);
        }
        self.offset = reader.consumed();
        Ok(())
    }
}

/// Takes in one line; `None` if it does not read.
fn take(
    sessions: &mut BTreeMap<SessionId, SessionScores>,
    segment: u32,
    bytes: &[u8],
) -> Option<()> {
    match serde_json::from_slice(bytes).ok()? {
        ScoresLine::Turn(line) => take_turn(sessions, segment, line),
        ScoresLine::Gate(line) => {
            let gates = line.read_gate().ok()?;
            // A turn of ours knows better.
            let session = sessions.entry(line.session).or_default();
            session.segment = segment;
            if session.turns.is_empty() {
                session.gates = gates.into_iter().collect();
            }
            Some(())
        }
    }
}

fn take_turn(
    sessions: &mut BTreeMap<SessionId, SessionScores>,
    segment: u32,
    line: ScoreLine,
) -> Option<()> {
    let digest = unhex(&line.digest)?;
    let scores = line.read_scores().ok()?;
    let gates = line.read_gate().ok()?;
    let session = sessions.entry(line.session).or_default();
    session.segment = segment;
    session.turns.insert(line.turn, digest);
    session.gates = gates.into_iter().collect();
    let unscored = session.unscored.entry(line.turn).or_default();
    for (metric, score) in &scores {
        match score {
            Some(_) => unscored.remove(metric),
            None => unscored.insert(metric.clone()),
        };
    }
    if unscored.is_empty() {
        session.unscored.remove(&line.turn);
    }
    match &mut session.last {
        // A line may bring scores that an earlier one of its turn lacked.
        Some(last) if last.index == line.turn => {
            last.scores
                .retain(|(metric, _)| !scores.iter().any(|(late, _)| late == metric));
            last.scores.extend(scores);
        }
        Some(last) if last.index > line.turn => {}
        last => {
            *last = Some(LastTurn {
                index: line.turn,
                origin: line.origin,
                scores,
            });
        }
    }
    Some(())
}

/// The numbers of the segments that are there, in order.
fn segments(root: &Root) -> Result<Vec<u32>, StoreError> {
    let names = root.list(layout::scores_folder().as_str())?;
    let number = |name: &String| {
        let number: u32 = name.strip_suffix(SUFFIX)?.parse().ok()?;
        let path = layout::scores_segment(number);
        path.as_str()
            .ends_with(&format!("/{name}"))
            .then_some(number)
    };
    Ok(names.iter().filter_map(number).collect())
}

/// Reads every line of every segment, oldest first, for whoever needs more than the index.
pub(crate) fn each_line(root: &Root, mut each: impl FnMut(ScoresLine)) -> Result<(), StoreError> {
    for number in segments(root)? {
        let path = layout::scores_segment(number);
        // It may have become too old meanwhile.
        let Some(file) = root.open_if_there(path.as_str())? else {
            continue;
        };
        let failed =
            |error: std::io::Error| StoreError::from_io(&error, "read", &root.shown(path.as_str()));
        let length = file.length().map_err(failed)?;
        let mut reader = LineReader::new(&file, 0, length);
        while let Some(raw) = reader.next_line().map_err(failed)? {
            if let Content::Bytes(bytes) = raw.content
                && let Ok(line) = serde_json::from_slice(&bytes)
            {
                each(line);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use harness_sanitize::Redactor;

    use super::*;
    use crate::fixture::session;

    fn small(root: &Arc<Root>) -> Scores {
        let mut scores = Scores::new(Arc::clone(root));
        scores.keep_little();
        scores.refresh().unwrap();
        scores
    }

    fn line(name: &str) -> ScoresLine {
        let line = serde_json::json!({
            "ts": "2026-11-30T10:00:00.000000+00:00", "session": name, "turn": 0,
            "digest": "00".repeat(32), "origin": "live", "scores": {"coherence": 0.5}, "gate": {},
        });
        serde_json::from_value(line).unwrap()
    }

    #[test]
    fn the_newest_segments_are_kept_and_everybody_forgets_the_same() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("state/scores")).unwrap();
        let root = Arc::new(Root::open(dir.path()).unwrap());
        let sink = Sink::new(Arc::new(Redactor::patterns_only()));
        let (mut writer, mut late) = (small(&root), small(&root));
        let names: Vec<String> = (0..10).map(|number| format!("s-{number}")).collect();
        for name in &names {
            writer.append(&[line(name)], &sink).unwrap();
            assert!(writer.get(&session(name)).is_some());
            if name == "s-1" {
                late.refresh().unwrap();
            }
        }
        late.refresh().unwrap();
        assert_eq!(segments(&root).unwrap(), [8, 9]);
        for scores in [&writer, &late, &small(&root)] {
            let known: Vec<&str> = scores.iter().map(|(session, _)| session.as_str()).collect();
            assert_eq!(known, ["s-8", "s-9"]);
        }
        let mut lines = 0;
        each_line(&root, |_| lines += 1).unwrap();
        assert_eq!(lines, 2);
    }
}
