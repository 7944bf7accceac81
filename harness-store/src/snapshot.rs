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

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::folds::State;
use crate::root::Root;
use crate::wire::saved::SavedState;
use crate::wire::{sha256_hex, unhex};

/// Its file, in the workspace's folder outside the root.
pub(crate) const FILE: &str = "snapshot";
/// What it is, and which version wrote it. Another version may derive something else from the same
/// lines, or know kinds that this one does not, so its snapshot is not taken up. The number goes up
/// with whatever a fold derives differently within a version.
const FORMAT: &str = concat!("harness snapshot 1 of ", env!("CARGO_PKG_VERSION"));
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

/// What a writer had derived. Folds take their part of it: see [`crate::Fold::take_up`].
#[derive(Debug, Default)]
pub struct Snapshot {
    pub(crate) state: State,
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
pub(crate) fn read(config: &Root) -> Result<Option<(Footing, Body)>, String> {
    let Some(bytes) = config
        .read(FILE, MAX_SNAPSHOT)
        .map_err(|error| error.to_string())?
    else {
        return Ok(None);
    };
    let at = bytes.iter().position(|byte| *byte == b'\n');
    let (first, body) = bytes
        .split_at_checked(at.map_or(0, |at| at + 1))
        .unwrap_or((&[], &[]));
    let header: Header =
        serde_json::from_slice(first).map_err(|_| "it does not read".to_owned())?;
    if header.format != FORMAT {
        return Err("another version wrote it".to_owned());
    }
    if header.body_sha256 != sha256_hex(body) {
        return Err("it is not as it was written".to_owned());
    }
    let footing = Footing {
        first_seq: header.first_seq,
        lines: header.lines,
        from: header.from,
        to: header.to,
        digest: unhex(&header.line_sha256).ok_or("it does not read")?,
    };
    Ok(Some((footing, Body(body.to_vec()))))
}

/// What is behind the first line, not yet looked at.
pub(crate) struct Body(Vec<u8>);

impl Body {
    /// What it holds.
    pub(crate) fn open(&self) -> Result<Snapshot, String> {
        let saved: SavedState =
            serde_json::from_slice(&self.0).map_err(|_| "it does not read".to_owned())?;
        let state = State::restored(saved).ok_or("it does not read")?;
        Ok(Snapshot { state })
    }
}

/// Leaves a snapshot.
pub(crate) fn leave(config: &Root, footing: &Footing, state: &State) -> Result<(), StoreError> {
    let unwritable = |error: serde_json::Error| StoreError::Unwritable {
        reason: error.to_string(),
    };
    let body = serde_json::to_vec(&state.saved()).map_err(unwritable)?;
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
