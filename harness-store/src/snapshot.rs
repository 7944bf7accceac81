//! A snapshot: what a writer derived from the journal up to one of its lines, so that the next one
//! need not read what is before.
//!
//! It is a projection and nothing rests on it but time. It names the line that it stands on: the
//! file, the byte, the SHA-256; whoever takes it up looks whether that line is there, and reads on
//! from it. A snapshot that stands on no line of this journal (another journal's, one from before a
//! tail was cut), that does not read, or that a newer version wrote, is dropped, the journal is
//! read from its first line, and a writer journals that. Verifying and auditing never look at it.
//!
//! It lies outside the root, beside the anchor: who can write the root alone cannot change what it
//! says, and edits of lines that it has taken in change nothing that it says. What it holds was
//! redacted before it came into the journal.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::folds::State;
use crate::folds::attempts::Attempts;
use crate::folds::breaker::Breaker;
use crate::folds::mailbox::Mailbox;
use crate::folds::sessions::Sessions;
use crate::root::Root;
use crate::wire::{sha256_hex, unhex};

/// Its file, in the workspace's folder outside the root.
pub(crate) const FILE: &str = "snapshot";
/// What it is, and which version wrote it. Another version may derive something else from the same
/// lines, or know kinds that this one does not, so its snapshot is not taken up. The number goes up
/// with whatever a fold derives differently within a version.
const FORMAT: &str = concat!("harness snapshot 2 of ", env!("CARGO_PKG_VERSION"));
/// Bytes that it has at most; what is larger is not written.
const MAX_SNAPSHOT: u64 = 256 << 20;
/// Lines that were added before an idle writer leaves a new one.
pub(crate) const EVERY: u64 = 4096;
/// Lines that were added before a busy writer does.
pub(crate) const EVERY_WHEN_BUSY: u64 = 16 * EVERY;

/// The line that a snapshot stands on: the last one that was taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Footing {
    /// The number of the first line of its file.
    pub(crate) first_seq: u64,
    /// Lines up to it, of any kind.
    pub(crate) lines: u64,
    /// The byte at which it begins.
    pub(crate) from: u64,
    /// The byte after its line feed.
    pub(crate) to: u64,
    /// SHA-256 of its bytes without the line feed.
    pub(crate) digest: [u8; 32],
}

/// What a writer had derived. Folds take their part of it, and only that is read: see
/// [`crate::Fold::take_up`].
#[derive(Debug)]
pub struct Snapshot {
    bytes: Vec<u8>,
    /// Where the body begins: a line for each part.
    body: usize,
    is_unreadable: bool,
}

impl Snapshot {
    pub(crate) fn mailbox(&mut self) -> Option<Mailbox> {
        self.part(0, Mailbox::restored)
    }

    pub(crate) fn breaker(&mut self) -> Option<Breaker> {
        self.part(1, |saved| Some(Breaker::restored(saved)))
    }

    pub(crate) fn sessions(&mut self) -> Option<Sessions> {
        self.part(2, |saved| Some(Sessions::restored(saved)))
    }

    pub(crate) fn attempts(&mut self) -> Option<Attempts> {
        self.part(3, |saved| Some(Attempts::restored(saved)))
    }

    fn part<S: DeserializeOwned, T>(
        &mut self,
        number: usize,
        restored: impl FnOnce(S) -> Option<T>,
    ) -> Option<T> {
        let body = self.bytes.get(self.body..).unwrap_or_default();
        let part = body.split(|byte| *byte == b'\n').nth(number);
        let part = part.and_then(|part| serde_json::from_slice(part).ok());
        let part = part.and_then(restored);
        self.is_unreadable |= part.is_none();
        part
    }

    /// Whether a part was wanted that does not read.
    pub(crate) const fn is_unreadable(&self) -> bool {
        self.is_unreadable
    }
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    first_seq: u64,
    lines: u64,
    from: u64,
    to: u64,
    line_sha256: String,
    body_sha256: String,
}

/// The snapshot, and the line that it stands on; `None` where there is none.
///
/// # Errors
/// Why it is not to be believed, in words.
pub(crate) fn read(config: &Root) -> Result<Option<(Footing, Snapshot)>, String> {
    let Some(bytes) = config
        .read(FILE, MAX_SNAPSHOT)
        .map_err(|error| error.to_string())?
    else {
        return Ok(None);
    };
    let body = bytes.iter().position(|byte| *byte == b'\n');
    let body = body.map_or(0, |at| at + 1);
    let (first, rest) = bytes.split_at_checked(body).unwrap_or((&[], &[]));
    let header: Header =
        serde_json::from_slice(first).map_err(|_| "it does not read".to_owned())?;
    if header.format != FORMAT {
        return Err("another version wrote it".to_owned());
    }
    if header.body_sha256 != sha256_hex(rest) {
        return Err("it is not as it was written".to_owned());
    }
    let footing = Footing {
        first_seq: header.first_seq,
        lines: header.lines,
        from: header.from,
        to: header.to,
        digest: unhex(&header.line_sha256).ok_or("it does not read")?,
    };
    let snapshot = Snapshot {
        bytes,
        body,
        is_unreadable: false,
    };
    Ok(Some((footing, snapshot)))
}

/// Leaves a snapshot.
pub(crate) fn leave(config: &Root, footing: &Footing, state: &State) -> Result<(), StoreError> {
    let unwritable = |error: serde_json::Error| StoreError::Unwritable {
        reason: error.to_string(),
    };
    let mut body = Vec::new();
    state.save(&mut body).map_err(unwritable)?;
    let header = Header {
        format: FORMAT.to_owned(),
        first_seq: footing.first_seq,
        lines: footing.lines,
        from: footing.from,
        to: footing.to,
        line_sha256: crate::wire::hex(&footing.digest),
        body_sha256: sha256_hex(&body),
    };
    let mut bytes = serde_json::to_vec(&header).map_err(unwritable)?;
    bytes.push(b'\n');
    bytes.extend(body);
    if bytes.len() as u64 > MAX_SNAPSHOT {
        return Err(StoreError::TooLarge {
            what: "the snapshot".to_owned(),
            limit: MAX_SNAPSHOT,
        });
    }
    config.replace(FILE, &bytes)
}
