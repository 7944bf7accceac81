//! The mailbox's files against the journal.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use harness_core::{WorkspacePath, layout};

use super::{AuditReport, Break};
use crate::error::StoreError;
use crate::folds::mailbox::Mailbox;
use crate::follow::{Fold, Follower};
use crate::mailbox_files::{MAX_NOTICE, file_name};
use crate::reader::Reader;
use crate::wire::notice::NoticeDoc;
use crate::wire::{Body, Line, json, sha256};

/// How often it is looked before a difference counts: a writer may be between the journal and the
/// files.
const LOOKS: usize = 4;
/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(25);

pub(super) fn verify(reader: &Reader, report: &mut AuditReport) -> Result<(), StoreError> {
    // From the first line on: an audit believes no snapshot.
    let mut mailbox = Follower::new(
        Arc::clone(reader.root()),
        (Mailbox::default(), Invalid::default()),
    );
    let mut found = Vec::new();
    // A broken journal explains no difference, so there is nothing to wait for.
    let looks = if report.breaks.is_empty() { LOOKS } else { 1 };
    for look in 0..looks {
        if look > 0 {
            thread::sleep(PAUSE);
        }
        mailbox.refresh()?;
        found = differences(reader, &mailbox.get().0)?;
        if found.is_empty() {
            break;
        }
    }
    report.unreadable += mailbox.get().1.0;
    for difference in found {
        report.broken(difference);
    }
    Ok(())
}

/// Records whose fields do not read.
#[derive(Default)]
struct Invalid(u64);

impl Fold for Invalid {
    fn apply(&mut self, line: &Line) {
        let body = line.record().map(|record| &record.body);
        self.0 += u64::from(matches!(body, Some(Body::Invalid { .. })));
    }

    fn reset(&mut self) {
        self.0 = 0;
    }
}

fn differences(reader: &Reader, mailbox: &Mailbox) -> Result<Vec<Break>, StoreError> {
    let pending = mailbox
        .pending()
        .filter_map(|notice| {
            let file = json::to_pretty(&NoticeDoc::from_domain(notice)).ok()?;
            Some((file_name(&notice.id), sha256(&file)))
        })
        .collect();
    let resolved = mailbox
        .resolved()
        .map(|(id, digest)| (file_name(id), *digest))
        .collect();
    let mut found = compare(reader, &layout::pending_folder(), pending)?;
    found.extend(compare(reader, &layout::processed_folder(), resolved)?);
    Ok(found)
}

fn compare(
    reader: &Reader,
    folder: &WorkspacePath,
    mut expected: BTreeMap<String, [u8; 32]>,
) -> Result<Vec<Break>, StoreError> {
    let mut found = Vec::new();
    let mut tell = |name: &str, what: &str| {
        found.push(Break {
            file: format!("{folder}/{name}"),
            seq: None,
            offset: None,
            what: what.to_owned(),
        });
    };
    for name in reader.list(folder)? {
        if layout::is_temporary(&name) {
            continue;
        }
        let Some(digest) = expected.remove(&name) else {
            tell(&name, "the journal does not know it there");
            continue;
        };
        let bytes = reader.root().read(&format!("{folder}/{name}"), MAX_NOTICE);
        match bytes {
            Ok(Some(bytes)) if sha256(&bytes) == digest => {}
            Err(error) => tell(&name, &error.to_string()),
            Ok(_) => tell(&name, "it does not say what the journal says"),
        }
    }
    for name in expected.keys() {
        tell(name, "it is gone");
    }
    Ok(found)
}
