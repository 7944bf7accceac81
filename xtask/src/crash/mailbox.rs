//! A mailbox judged from its files and from what the journal says must be in them.

use super::journal::event;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The ends of an episode that resolve its notices. Every other end leaves them pending.
const RESOLVING: [&str; 5] = [
    "repair_completed",
    "repair_duplicate",
    "repair_already_covered",
    "repair_no_proposal",
    "repair_unactionable",
];

/// The mailbox: which notices lie in which folder, and which files are no JSON.
#[derive(Default)]
pub(super) struct Mailbox {
    pub(super) pending: BTreeSet<String>,
    pub(super) processed: BTreeSet<String>,
    pub(super) torn: usize,
}

impl Mailbox {
    /// Reads both folders; one that does not exist is empty.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut mailbox = Self::default();
        for (name, notices) in [
            ("pending", &mut mailbox.pending),
            ("processed", &mut mailbox.processed),
        ] {
            let folder = root.join("mailbox").join(name);
            if !folder.exists() {
                continue;
            }
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.extension().is_none_or(|end| end != "json") {
                    continue; // a temporary file that its writer did not live to rename
                }
                let bytes =
                    fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
                if event(&bytes).is_none() {
                    mailbox.torn += 1;
                }
                notices.extend(path.file_stem().map(|id| id.to_string_lossy().into_owned()));
            }
        }
        Ok(mailbox)
    }
}

/// Whether an event says something about the mailbox.
pub(super) fn concerns(event: &Value) -> bool {
    text(event, "type").is_some_and(|kind| kind == "notice" || kind.starts_with("repair_"))
}

/// What stands between two states, one line each: a notice in both folders; an episode of which
/// some notices are resolved and others not, or none although its events say so.
pub(super) fn half(events: &[Value], mailbox: &Mailbox) -> Vec<String> {
    let mut found: Vec<String> = mailbox
        .pending
        .intersection(&mailbox.processed)
        .map(|id| format!("notice `{id}` is both pending and processed"))
        .collect();
    // An episode that failed may be tried again: once resolved it stays so.
    let mut episodes: BTreeMap<String, (bool, Vec<String>)> = BTreeMap::new();
    for event in events {
        let (Some(kind), Some(id)) = (text(event, "type"), text(event, "repair_episode_id")) else {
            continue;
        };
        let (resolved, notices) = episodes.entry(id).or_default();
        *resolved |= RESOLVING.contains(&kind.as_str());
        if let Some(ids) = event.get("notice_ids").and_then(Value::as_array) {
            *notices = ids
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
        }
    }
    for (id, (resolved, notices)) in episodes {
        let done = notices
            .iter()
            .filter(|&notice| mailbox.processed.contains(notice))
            .count();
        let should = if resolved { notices.len() } else { 0 };
        if done != should {
            found.push(format!(
                "episode `{id}`: {done} of {} notices resolved, its events say {should}",
                notices.len()
            ));
        }
    }
    found
}

/// Notices that the journal acknowledged and that lie nowhere, one line each.
pub(super) fn missing_notices(events: &[Value], mailbox: &Mailbox) -> Vec<String> {
    events
        .iter()
        .filter(|event| text(event, "type").as_deref() == Some("notice"))
        .filter_map(|event| text(event, "id"))
        .filter(|id| !mailbox.pending.contains(id) && !mailbox.processed.contains(id))
        .map(|id| format!("notice `{id}` is in the journal and in no folder"))
        .collect()
}

fn text(event: &Value, key: &str) -> Option<String> {
    event.get(key).and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn mailbox(pending: &[&str], processed: &[&str]) -> Mailbox {
        let set = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
        Mailbox {
            pending: set(pending),
            processed: set(processed),
            torn: 0,
        }
    }

    #[test]
    fn an_episode_is_resolved_as_a_whole_or_not_at_all() {
        let started =
            json!({"type": "repair_started", "repair_episode_id": "e", "notice_ids": ["a", "b"]});
        let ended = |kind| {
            vec![
                started.clone(),
                json!({"type": kind, "repair_episode_id": "e"}),
            ]
        };
        let open = vec![started.clone()];
        let completed = ended("repair_completed");
        let failed = ended("repair_failed");
        for (events, mailbox, halves) in [
            (&open, mailbox(&["a", "b"], &[]), 0),
            (&open, mailbox(&["a"], &["b"]), 1),
            (&completed, mailbox(&[], &["a", "b"]), 0),
            (&completed, mailbox(&["a"], &["b"]), 1),
            (&completed, mailbox(&["a", "b"], &[]), 1),
            (&completed, mailbox(&["a"], &["a", "b"]), 1),
            (&failed, mailbox(&["a", "b"], &[]), 0),
            (&failed, mailbox(&[], &["a", "b"]), 1),
        ] {
            let found = half(events, &mailbox);
            assert_eq!(found.len(), halves, "{events:?} {found:?}");
        }
    }

    #[test]
    fn an_acknowledged_notice_lies_somewhere() {
        let events = [json!({"type": "notice", "id": "a"})];
        assert!(concerns(&events[0]));
        assert_eq!(missing_notices(&events, &mailbox(&["a"], &[])), [""; 0]);
        assert_eq!(missing_notices(&events, &mailbox(&[], &["a"])), [""; 0]);
        assert_eq!(missing_notices(&events, &mailbox(&[], &[])).len(), 1);
    }
}
