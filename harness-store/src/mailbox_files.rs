//! The mailbox's files: a projection of the journal. Everything here happens under the lock,
//! after the journal's record.

use std::collections::BTreeSet;
use std::sync::Arc;

use harness_core::{NoticeId, Severity, Timestamp, layout};

use crate::error::StoreError;
use crate::folds::mailbox::Mailbox;
use crate::folds::notices::Notices;
use crate::follow::Follower;
use crate::redaction::Sink;
use crate::root::Root;
use crate::wire::dump::{DumpDoc, StatusDoc};
use crate::wire::notice::NoticeDoc;
use crate::wire::{json, sha256};

/// Bytes a notice's file has at most.
pub(crate) const MAX_NOTICE: u64 = 4 << 20;

/// Writes a pending notice and its evaluation dump.
pub(crate) fn post(
    root: &Root,
    sink: &Sink,
    notice: &NoticeDoc,
    dump: Option<&DumpDoc>,
) -> Result<(), StoreError> {
    if let Some(dump) = dump {
        root.replace(layout::dump(&notice.id).as_str(), &sink.document(dump)?)?;
    }
    root.replace(
        layout::pending(&notice.id).as_str(),
        &sink.document(notice)?,
    )
}

/// Moves a resolved notice: its file in `processed/` first, then the one in `pending/` goes.
pub(crate) fn resolve(root: &Root, sink: &Sink, notice: &NoticeDoc) -> Result<(), StoreError> {
    root.replace(
        layout::processed(&notice.id).as_str(),
        &sink.document(notice)?,
    )?;
    root.remove(layout::pending(&notice.id).as_str())
}

/// Writes the mailbox in three numbers.
pub(crate) fn write_status(
    root: &Root,
    sink: &Sink,
    mailbox: &Mailbox,
    now: Timestamp,
) -> Result<(), StoreError> {
    let on_disk = |severity| match severity {
        Severity::Relative => Severity::Trend,
        other => other,
    };
    let status = StatusDoc {
        pending_count: mailbox.pending_count() as u64,
        max_severity: mailbox
            .max_severity()
            .map(|severity| on_disk(severity).as_str().to_owned()),
        latest_id: mailbox.latest().map(|notice| notice.id.clone()),
        updated_at: now,
    };
    root.replace(layout::mailbox_status().as_str(), &sink.document(&status)?)
}

/// Whether a notice's file says what the journal says. One that the journal does not know, or whose
/// file cannot be read, has nothing to be unlike.
pub(crate) fn says_what_is_known(root: &Root, mailbox: &Mailbox, id: &NoticeId) -> bool {
    let (path, expected) = match (mailbox.get(id), mailbox.digest_of_resolved(id)) {
        (Some(notice), _) => (
            layout::pending(id),
            json::to_pretty(&NoticeDoc::from_domain(notice))
                .ok()
                .map(|file| sha256(&file)),
        ),
        (None, digest) => (layout::processed(id), digest.copied()),
    };
    let (Some(expected), Ok(Some(file))) = (expected, root.read(path.as_str(), MAX_NOTICE)) else {
        return true;
    };
    sha256(&file) == expected
}

/// Does what a crash or a full disk left undone: writes files that are missing, moves those of
/// resolved notices. A file that the journal does not know is left alone; the audit reports it.
/// Evaluation dumps are not in the journal and are not made up.
pub(crate) fn redo(
    root: &Arc<Root>,
    sink: &Sink,
    mailbox: &Mailbox,
    now: Timestamp,
) -> Result<(), StoreError> {
    let pending = names(root, layout::pending_folder().as_str())?;
    let processed = names(root, layout::processed_folder().as_str())?;
    let mut changed = false;
    for notice in mailbox
        .pending()
        .filter(|notice| !pending.contains(&file_name(&notice.id)))
    {
        post(root, sink, &NoticeDoc::from_domain(notice), None)?;
        changed = true;
    }
    let mut missing = BTreeSet::new();
    for (id, _) in mailbox.resolved() {
        let name = file_name(id);
        if !processed.contains(&name) {
            missing.insert(id.clone());
        } else if pending.contains(&name) {
            root.remove(layout::pending(id).as_str())?;
            changed = true;
        }
    }
    if !missing.is_empty() {
        let mut notices = Follower::new(Arc::clone(root), Notices::of(missing));
        notices.refresh()?;
        for notice in notices.get().iter() {
            resolve(root, sink, &NoticeDoc::from_domain(notice))?;
        }
        changed = true;
    }
    let told = root.file_id(layout::mailbox_status().as_str())?.is_some();
    if changed || !told {
        write_status(root, sink, mailbox, now)?;
    }
    Ok(())
}

/// The name of a notice's file within its folder.
pub(crate) fn file_name(id: &NoticeId) -> String {
    format!("{id}.json")
}

fn names(root: &Root, folder: &str) -> Result<BTreeSet<String>, StoreError> {
    Ok(root.list(folder)?.into_iter().collect())
}
