//! Writing a workspace that 0.9 reads.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use harness_core::{RuleId, layout};
use harness_sanitize::Redactor;
use serde_json::Value;

use super::history::History;
use super::original::HISTORY;
use crate::error::{StoreError, shown};
use crate::folds::mailbox::Mailbox;
use crate::folds::notices::Notices;
use crate::follow::{Fold, Follower};
use crate::mailbox_files;
use crate::reader::{MAX_FILE, Reader};
use crate::redaction::Sink;
use crate::root::Root;
use crate::scores;
use crate::wire::eval_case::CaseDoc;
use crate::wire::notice::NoticeDoc;
use crate::wire::rule::{RuleDoc, TrialDoc};
use crate::wire::{Body, Event, Line, json};
use crate::writer::{Projection, put};

/// The kinds of events that 0.9 knows.
const KINDS: [&str; 22] = [
    "notice",
    "recovery",
    "health",
    "skip",
    "evalset_capture",
    "rule_add",
    "rule_promote",
    "rule_retire",
    "scope_index_regenerated",
    "repair_started",
    "repair_model_turn",
    "repair_tool_call",
    "repair_candidate_added",
    "repair_notice_resolved",
    "repair_completed",
    "repair_duplicate",
    "repair_already_covered",
    "repair_no_proposal",
    "repair_unactionable",
    "repair_timed_out",
    "repair_failed",
    "validation",
];
/// What only our lines have: in a journal without the others they would be a broken chain.
const ENVELOPE: [&str; 3] = ["seq", "prev", "more"];
/// Bytes of journal that are written at a time.
const CHUNK: usize = 1 << 20;

/// How much was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Events of kinds that 0.9 knows, without their links.
    pub events: u64,
    /// Notices, pending and resolved.
    pub notices: u64,
    /// Eval cases.
    pub cases: u64,
    /// Keys of the score history.
    pub series: u64,
}

/// Writes what 0.9 reads of a workspace into `folder`, which must be empty or not be there;
/// `rules` are the files of the rules as they follow from the journal now.
///
/// # Errors
/// [`StoreError::NotEmpty`] for a folder with something in it; the workspace cannot be read or the
/// folder not written.
pub fn export(
    reader: &Reader,
    folder: &Path,
    rules: &[Projection],
) -> Result<Exported, StoreError> {
    let to = Root::create(folder)?;
    if !to.list(".")?.is_empty() {
        return Err(StoreError::NotEmpty {
            path: shown(folder),
        });
    }
    // 0.9 knows nothing of the others.
    for path in layout::folders()
        .iter()
        .take_while(|path| **path != layout::scores_folder())
    {
        to.make_folder(path.as_str())?;
    }
    let sink = Sink::new(Redactor::patterns_only().into());
    let mut exported = Exported::default();
    put(&to, &sink, &with_trials_of_09(reader, rules)?)?;
    write_journal(reader, &to, &sink, &mut exported)?;
    write_mailbox(reader, &to, &sink, &mut exported)?;
    write_documents(reader, &to, &sink)?;
    write_cases(reader, &to, &sink, &mut exported)?;
    let mut history = History::default();
    scores::each_line(reader.root(), |line| history.take(line))?;
    exported.series = history.docs().len() as u64;
    to.replace(HISTORY, &sink.document(history.docs())?)?;
    Ok(exported)
}

/// The files of the rules; one that was taken over says of its trial what 0.9 said. What it did
/// here is no trial as 0.9 counts them, and adds nothing to those numbers.
fn with_trials_of_09(reader: &Reader, rules: &[Projection]) -> Result<Vec<Projection>, StoreError> {
    let mut imports = Follower::new(Arc::clone(reader.root()), Trials::default());
    imports.refresh()?;
    let trials = &imports.get().0;
    let filled = |docs: &Vec<RuleDoc>| {
        let mut docs = docs.clone();
        for doc in &mut docs {
            if doc.trial.is_none() {
                doc.trial = trials.get(&doc.id).cloned();
            }
        }
        docs
    };
    let rules = rules.iter().map(|file| match file {
        Projection::AppendRules(docs) => Projection::AppendRules(filled(docs)),
        Projection::ReplaceRules(docs) => Projection::ReplaceRules(filled(docs)),
        other => other.clone(),
    });
    Ok(rules.collect())
}

/// The trials of rules that were taken over.
#[derive(Debug, Default)]
struct Trials(BTreeMap<RuleId, TrialDoc>);

impl Fold for Trials {
    fn apply(&mut self, line: &Line) {
        if let Some((_, Event::RuleImport(import))) = line.event()
            && let Some(trial) = &import.rule.trial
        {
            let id = import.rule.id.clone();
            self.0.entry(id).or_insert_with(|| trial.clone());
        }
    }

    fn reset(&mut self) {
        self.0.clear();
    }

    fn takes(&self, kind: &str) -> bool {
        kind == "rule_import"
    }
}

fn write_journal(
    reader: &Reader,
    to: &Root,
    sink: &Sink,
    exported: &mut Exported,
) -> Result<(), StoreError> {
    let path = layout::journal();
    let mut bytes = Vec::new();
    for line in reader.records_from(0)? {
        let Some(value) = as_09(&line?)? else {
            continue;
        };
        exported.events += 1;
        // Another program's line never passed our sink.
        bytes.extend(sink.line(&value)?);
        if bytes.len() >= CHUNK {
            to.append_lines(path.as_str(), &bytes)?;
            bytes.clear();
        }
    }
    to.append_lines(path.as_str(), &bytes)
}

/// A line as 0.9 has it; `None` for what it does not know.
fn as_09(line: &Line) -> Result<Option<Value>, StoreError> {
    let (mut value, ts) = match line {
        Line::Foreign { value, .. } => return Ok(Some(value.clone())),
        Line::Unreadable { .. } => return Ok(None),
        Line::Chained(record) => match &record.body {
            Body::Known(event) => {
                let value = json::to_value(event).map_err(|error| StoreError::Unwritable {
                    reason: error.to_string(),
                })?;
                (value, record.ts)
            }
            Body::Unknown { .. } | Body::Invalid { .. } => return Ok(None),
        },
    };
    let kind = value
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Ok(None);
    }
    if let Some(fields) = value.as_object_mut() {
        for key in ENVELOPE {
            fields.remove(key);
        }
        fields.insert("ts".to_owned(), ts.to_string().into());
    }
    Ok(Some(value))
}

fn write_mailbox(
    reader: &Reader,
    to: &Root,
    sink: &Sink,
    exported: &mut Exported,
) -> Result<(), StoreError> {
    let mut all = Follower::new(
        Arc::clone(reader.root()),
        (Mailbox::default(), Notices::default()),
    );
    all.refresh()?;
    let (mailbox, notices) = all.get();
    let mut updated = None;
    for notice in notices.iter() {
        exported.notices += 1;
        updated = updated.max(Some(notice.created_at));
        let mut doc = NoticeDoc::from_domain(notice);
        // 0.9 looks where this says.
        let dump = to.shown(layout::dump(&notice.id).as_str());
        doc.dump_path = dump.to_string_lossy().into_owned();
        let path = if notice.is_pending() {
            layout::pending(&notice.id)
        } else {
            layout::processed(&notice.id)
        };
        to.replace(path.as_str(), &sink.document(&doc)?)?;
    }
    let updated = updated.unwrap_or(harness_core::Timestamp::EPOCH);
    mailbox_files::write_status(to, sink, mailbox, updated)
}

/// Evaluation dumps and descriptions of scopes. What does not read was none of ours.
fn write_documents(reader: &Reader, to: &Root, sink: &Sink) -> Result<(), StoreError> {
    let folder = layout::traces_folder();
    let names = reader.root().list(folder.as_str())?;
    let dumps = names
        .iter()
        .filter(|name| name.ends_with(".json"))
        .map(|name| format!("{folder}/{name}"));
    for path in dumps.chain([layout::scope_metadata().as_str().to_owned()]) {
        let bytes = match reader.root().read(&path, MAX_FILE) {
            Err(StoreError::Refused { .. } | StoreError::TooLarge { .. }) => continue,
            read => read?.unwrap_or_default(),
        };
        if let Ok(document) = json::parse(&bytes) {
            to.replace(&path, &sink.document(&document)?)?;
        }
    }
    Ok(())
}

fn write_cases(
    reader: &Reader,
    to: &Root,
    sink: &Sink,
    exported: &mut Exported,
) -> Result<(), StoreError> {
    for case in reader.eval_set()?.cases() {
        exported.cases += 1;
        let mut doc = CaseDoc::from_domain(case);
        // 0.9 was given JSON and wants it back.
        let given = case
            .replay_input
            .as_ref()
            .and_then(|input| json::parse(input.as_str().as_bytes()).ok());
        if let Some(value) = given.filter(|value| value.is_object() || value.is_array()) {
            doc.replay_input = Some(value);
        }
        to.replace(layout::case(&case.id).as_str(), &sink.document(&doc)?)?;
    }
    Ok(())
}
