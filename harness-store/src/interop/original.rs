//! Reading a workspace of 0.9: all of it, once, before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use harness_core::{EvalCase, Notice, NoticeId, RuleId, SessionId, layout};
use harness_sanitize::Intake;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::history::{self, HistoryDoc};
use crate::error::StoreError;
use crate::reader::MAX_FILE;
use crate::root::Root;
use crate::wire::dump::DumpDoc;
use crate::wire::eval_case::CaseDoc;
use crate::wire::json;
use crate::wire::notice::NoticeDoc;
use crate::wire::rule::{RuleDoc, TrialDoc};

/// Where 0.9 keeps its scores.
pub(super) const HISTORY: &str = "state/score_history.json";
/// Bytes of one text that are kept.
const MAX_TEXT: usize = 64 << 10;
/// Bytes of a file with one document.
const MAX_DOCUMENT: u64 = 4 << 20;
/// Rules, notices, cases and conversations that are read, of each.
const MAX_RECORDS: usize = 100_000;
/// Records that do not read and are listed one by one.
const MAX_UNREAD: usize = 1000;

/// Why some were left out.
const TOO_MANY: &str = "there are more than a hundred thousand: the rest was not read";

/// What could not be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The file, relative to the folder; with a line number where a line is meant.
    pub place: String,
    /// Why, without its content.
    pub reason: String,
}

/// A workspace of 0.9 as it was read. Its texts went through the gate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Original {
    pub(super) rules: Vec<RuleDoc>,
    pub(super) notices: Vec<(Notice, Option<DumpDoc>)>,
    pub(super) cases: Vec<EvalCase>,
    pub(super) gates: BTreeMap<SessionId, BTreeMap<String, HistoryDoc>>,
    pub(super) scopes: Option<Value>,
    unread: Vec<Unread>,
}

impl Original {
    /// Reads the workspace in `folder`. Links in it are not followed, and nothing is written.
    ///
    /// # Errors
    /// The folder cannot be opened or listed. What is in it and does not read is in
    /// [`Original::unread`].
    pub fn read(folder: &Path, intake: &Intake) -> Result<Self, StoreError> {
        let source = Source {
            root: Root::open(folder)?,
            intake,
        };
        let mut original = Self::default();
        original.read_rules(&source);
        let mut known = BTreeSet::new();
        for folder in [layout::processed_folder(), layout::pending_folder()] {
            original.read_notices(&source, folder.as_str(), &mut known)?;
        }
        original.read_cases(&source)?;
        original.read_gates(&source);
        let scopes = layout::scope_metadata();
        original.scopes = original.document(&source, scopes.as_str());
        Ok(original)
    }

    /// Whether there was nothing at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What could not be read, at most a thousand entries.
    pub fn unread(&self) -> &[Unread] {
        &self.unread
    }

    /// The latest line of an id wins.
    fn read_rules(&mut self, source: &Source<'_>) {
        let path = layout::rules();
        let bytes = match source.root.read(path.as_str(), MAX_FILE) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(error) => return self.tell(path.as_str(), error.to_string()),
        };
        let mut latest: BTreeMap<RuleId, RuleDoc> = BTreeMap::new();
        for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            match source.parse(line).and_then(rule) {
                Ok(rule) if latest.len() >= MAX_RECORDS && !latest.contains_key(&rule.id) => {
                    return self.tell(path.as_str(), TOO_MANY.to_owned());
                }
                Ok(rule) => {
                    latest.insert(rule.id.clone(), rule);
                }
                Err(reason) => self.tell(&format!("{path} line {}", at + 1), reason),
            }
        }
        self.rules = latest.into_values().collect();
        self.rules.sort_by(|a, b| {
            let key = |rule: &RuleDoc| (rule.created_at, rule.id.clone());
            key(a).cmp(&key(b))
        });
    }

    /// Resolved notices first: one that was cut off between the two folders is resolved.
    fn read_notices(
        &mut self,
        source: &Source<'_>,
        folder: &str,
        known: &mut BTreeSet<NoticeId>,
    ) -> Result<(), StoreError> {
        for name in source.documents(folder)? {
            if known.len() >= MAX_RECORDS {
                self.tell(folder, TOO_MANY.to_owned());
                break;
            }
            let path = format!("{folder}/{name}");
            let Some(doc) = self.document::<NoticeDoc>(source, &path) else {
                continue;
            };
            match doc.try_into_domain() {
                Ok(notice) if format!("{}.json", notice.id) != name => {
                    self.tell(&path, "its id is not its name".to_owned());
                }
                Ok(notice) if !known.insert(notice.id.clone()) => {}
                Ok(notice) => {
                    let dump = self.document(source, layout::dump(&notice.id).as_str());
                    self.notices.push((notice, dump));
                }
                Err(reason) => self.tell(&path, reason),
            }
        }
        Ok(())
    }

    fn read_cases(&mut self, source: &Source<'_>) -> Result<(), StoreError> {
        let folder = layout::evalset_folder();
        for name in source.documents(folder.as_str())? {
            if self.cases.len() >= MAX_RECORDS {
                self.tell(folder.as_str(), TOO_MANY.to_owned());
                break;
            }
            let path = format!("{folder}/{name}");
            if let Some(doc) = self.document::<CaseDoc>(source, &path) {
                match doc.try_into_domain() {
                    Ok(case) if format!("{}.json", case.id) == name => self.cases.push(case),
                    Ok(_) => self.tell(&path, "its id is not its name".to_owned()),
                    Err(reason) => self.tell(&path, reason),
                }
            }
        }
        Ok(())
    }

    fn read_gates(&mut self, source: &Source<'_>) {
        let all: BTreeMap<String, Value> = self.document(source, HISTORY).unwrap_or_default();
        for (key, value) in all {
            let read = serde_json::from_value::<HistoryDoc>(value);
            match (history::parts(&key), read) {
                (Some((session, metric)), Ok(mut doc)) if doc.gate.reads(metric) => {
                    let surplus = doc.series.len().saturating_sub(history::MAX_SAMPLES);
                    doc.series.drain(..surplus);
                    let gates = self.gates.entry(session).or_default();
                    gates.insert(metric.to_owned(), doc);
                }
                _ => self.tell(HISTORY, "a key or its value is of another shape".to_owned()),
            }
        }
    }

    /// The document at `path`; what stands in the way is told.
    fn document<T: DeserializeOwned>(&mut self, source: &Source<'_>, path: &str) -> Option<T> {
        let limit = if path == HISTORY {
            MAX_FILE
        } else {
            MAX_DOCUMENT
        };
        let read = match source.root.read(path, limit) {
            Ok(None) => return None,
            Ok(Some(bytes)) => source
                .parse(&bytes)
                .and_then(|value| serde_json::from_value(value).map_err(|error| error.to_string())),
            Err(error) => Err(error.to_string()),
        };
        read.map_err(|reason| self.tell(path, reason)).ok()
    }

    fn tell(&mut self, place: &str, reason: String) {
        if self.unread.len() < MAX_UNREAD {
            self.unread.push(Unread {
                place: crate::error::quoted(place),
                reason,
            });
        }
    }
}

/// The folder, and the gate that everything from it goes through.
struct Source<'i> {
    root: Root,
    intake: &'i Intake,
}

impl Source<'_> {
    /// The names of documents in `folder`.
    fn documents(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        let mut names = self.root.list(folder)?;
        names.retain(|name| name.ends_with(".json"));
        Ok(names)
    }

    /// The value of some JSON, every text and key of it clean.
    fn parse(&self, bytes: &[u8]) -> Result<Value, String> {
        json::parse(bytes)
            .map(|value| self.cleaned(value))
            .map_err(|error| error.to_string())
    }

    fn cleaned(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.cleaned(item)).collect(),
            Value::Object(fields) => Value::Object(
                fields
                    .into_iter()
                    .map(|(key, value)| (self.text(&key), self.cleaned(value)))
                    .collect::<Map<_, _>>(),
            ),
            other => other,
        }
    }

    fn text(&self, text: &str) -> String {
        self.intake.text(text, MAX_TEXT).as_str().to_owned()
    }
}

/// The rule of a line, at the status that it had.
fn rule(mut value: Value) -> Result<RuleDoc, String> {
    // 0.9 allows line breaks in a rule; here it is one paragraph.
    if let Some(Value::String(text)) = value.get_mut("rule") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let mut rule: RuleDoc = serde_json::from_value(value).map_err(|error| error.to_string())?;
    rule.x_imported = true;
    rule.x_trial = None;
    rule.x_evidence = None;
    if let Some(trial) = &mut rule.trial {
        trial.observed_sessions.truncate(TrialDoc::MAX_SESSIONS);
        trial.breached_sessions.truncate(TrialDoc::MAX_SESSIONS);
    }
    rule.clone().try_into_domain()?;
    Ok(rule)
}
