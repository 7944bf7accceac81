//! What the last writer left in order: a note outside the root that nothing is left to be done for
//! the journal's head and the mailbox's files as they are.
//!
//! It is a cache and nothing rests on it but the time that opening takes. Whatever does not match
//! it, be it one event or one file more or less, is looked at in full.

use harness_core::layout;
use sha2::{Digest, Sha256};

use crate::anchor::Head;
use crate::error::StoreError;
use crate::root::Root;
use crate::wire::hex;

/// Its file, in the workspace's folder outside the root.
const FILE: &str = "settled";
/// Bytes it has at most.
const MAX_NOTE: u64 = 128;

/// Whether the note is there and still true.
pub(crate) fn holds(config: &Root, root: &Root, head: &Head) -> Result<bool, StoreError> {
    // A note that cannot be read is as good as none.
    let Ok(Some(note)) = config.read(FILE, MAX_NOTE) else {
        return Ok(false);
    };
    Ok(note == of(root, head)?.as_bytes())
}

/// Leaves the note. The caller holds the lock and has done what there was to do.
pub(crate) fn leave(config: &Root, root: &Root, head: &Head) -> Result<(), StoreError> {
    config.replace(FILE, of(root, head)?.as_bytes())
}

/// The head and the names of the mailbox's files, as one hash.
fn of(root: &Root, head: &Head) -> Result<String, StoreError> {
    let mut hash = Sha256::new();
    hash.update(head.lines.to_be_bytes());
    hash.update(head.digest);
    let folders = [
        layout::mailbox(),
        layout::pending_folder(),
        layout::processed_folder(),
    ];
    for folder in folders {
        hash.update(folder.as_str());
        for name in root.list(folder.as_str())? {
            hash.update(b"/");
            hash.update(name);
        }
    }
    let digest: [u8; 32] = hash.finalize().into();
    Ok(hex(&digest))
}
