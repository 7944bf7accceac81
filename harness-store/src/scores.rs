//! Scores and gate states: `state/scores/NNNNNNNN.jsonl`, one line an evaluated turn and one for
//! scores of it that came late, appended to the last segment until that is full.

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

/// Bytes after which a new segment is begun.
const SEGMENT: u64 = 8 << 20;

/// What is known of one conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionScores {
    turns: BTreeMap<u32, [u8; 32]>,
    unscored: BTreeMap<u32, BTreeSet<MetricName>>,
    gates: BTreeMap<MetricName, GateState>,
    last: Option<LastTurn>,
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
            sessions: BTreeMap::new(),
            segment: 0,
            file: None,
            offset: 0,
            skipped: 0,
        }
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
        loop {
            self.read_segment()?;
            let next = layout::scores_segment(self.segment.saturating_add(1));
            if self.root.file_id(next.as_str())?.is_none() {
                return Ok(());
            }
            // The segment was closed before the next was begun, but perhaps after it was read.
            self.read_segment()?;
            self.segment = self.segment.saturating_add(1);
            self.file = None;
            self.offset = 0;
        }
    }

    /// Appends lines and takes them in. The caller holds the lock and has refreshed.
    pub(crate) fn append(&mut self, lines: &[ScoresLine], sink: &Sink) -> Result<(), StoreError> {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend(sink.line(line)?);
        }
        let mut number = self.segment;
        if self.offset >= SEGMENT {
            number = number.saturating_add(1);
        }
        let path = layout::scores_segment(number);
        self.root.append_lines(path.as_str(), &bytes)?;
        self.refresh()
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
                Content::Bytes(bytes) => take(&mut self.sessions, &bytes).is_some(),
                Content::TooLong(_) => false,
            };
            self.skipped += u64::from(!read);
        }
        self.offset = reader.consumed();
        Ok(())
    }
}

/// Takes in one line; `None` if it does not read.
fn take(sessions: &mut BTreeMap<SessionId, SessionScores>, bytes: &[u8]) -> Option<()> {
    match serde_json::from_slice(bytes).ok()? {
        ScoresLine::Turn(line) => take_turn(sessions, line),
        ScoresLine::Gate(line) => {
            let gates = line.read_gate().ok()?;
            // A turn of ours knows better.
            let session = sessions.entry(line.session).or_default();
            if session.turns.is_empty() {
                session.gates = gates.into_iter().collect();
            }
            Some(())
        }
    }
}

fn take_turn(sessions: &mut BTreeMap<SessionId, SessionScores>, line: ScoreLine) -> Option<()> {
    let digest = unhex(&line.digest)?;
    let scores = line.read_scores().ok()?;
    let gates = line.read_gate().ok()?;
    let session = sessions.entry(line.session).or_default();
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

/// Reads every line of every segment, oldest first, for whoever needs more than the index.
pub(crate) fn each_line(root: &Root, mut each: impl FnMut(ScoresLine)) -> Result<(), StoreError> {
    for number in 0.. {
        let path = layout::scores_segment(number);
        let Some(file) = root.open_if_there(path.as_str())? else {
            break;
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
