//! Repairing what a failed append or a killed process left behind the journal's end, and telling of
//! it.

use std::io;

use harness_core::{CleanText, Timestamp, layout};
use sha2::{Digest, Sha256};

use super::end::MAX_SKIPPED;
use super::{Journal, failed};
use crate::error::StoreError;
use crate::root::{Handle, Root};
use crate::wire::event::{RecordSkipped, TailRepaired};
use crate::wire::{Event, hex};

/// Repairs that are kept to be told.
const MAX_OWED: usize = 2 * MAX_SKIPPED;

impl Journal {
    /// Cuts off what a failed append left: it was not acknowledged.
    pub(super) fn finish_cut(&mut self) -> Result<(), StoreError> {
        let Some(offset) = self.cut_to else {
            return Ok(());
        };
        // Another process may have repaired it and gone on; then nothing here is ours to cut.
        let ours = *self.anchor.slot();
        self.anchor.reload()?;
        if *self.anchor.slot() == ours {
            self.file
                .cut(offset)
                .and_then(|()| self.file.sync())
                .map_err(|error| failed(&self.root, &error, "repair"))?;
        }
        self.cut_to = None;
        Ok(())
    }

    /// Cuts what is behind the last complete commit, and journals that and every other way in
    /// which the journal did not end as it should. `anchored` is whether the anchor knows the
    /// head, `None` if there is no anchor to ask.
    pub(super) fn repair(
        &mut self,
        anchored: Option<bool>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let error = |error: io::Error, root: &Root| failed(root, &error, "repair");
        let length = self.file.length().map_err(|e| error(e, &self.root))?;
        let dropped = length.saturating_sub(self.end.offset);
        self.is_known &= anchored != Some(false);
        if dropped > 0 || anchored != Some(true) {
            let digest =
                digest_of(&self.file, self.end.offset, length).map_err(|e| error(e, &self.root))?;
            if dropped > 0 {
                self.file
                    .cut(self.end.offset)
                    .map_err(|e| error(e, &self.root))?;
            }
            self.owe(Event::TailRepaired(TailRepaired {
                dropped_bytes: dropped,
                dropped_sha256: hex(&digest),
                anchored,
            }));
        }
        for offset in std::mem::take(&mut self.end.unreadable) {
            self.owe(Event::RecordSkipped(RecordSkipped {
                path: layout::journal().as_str().to_owned(),
                offset,
                reason: CleanText::new("the line does not read")
                    .unwrap_or_else(|_| CleanText::empty()),
            }));
        }
        self.tell_owed(now)
    }

    /// Keeps something to tell until it can be told, once.
    fn owe(&mut self, event: Event) {
        if self.owed.len() < MAX_OWED && !self.owed.contains(&event) {
            self.owed.push(event);
        }
    }

    /// Tells what is owed, if anything is.
    pub(super) fn tell_owed(&mut self, now: Timestamp) -> Result<(), StoreError> {
        if self.owed.is_empty() {
            return Ok(());
        }
        self.append(&[], now).map(drop)
    }
}

/// SHA-256 of a region of a file.
fn digest_of(file: &Handle, from: u64, to: u64) -> io::Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut at = from;
    let mut buffer = [0; 8192];
    while at < to {
        let read = file.read_at(&mut buffer, at)?;
        if read == 0 {
            break;
        }
        hash.update(buffer.get(..read).unwrap_or_default());
        at += read as u64;
    }
    Ok(hash.finalize().into())
}
