//! The anchor: outside the root, what the journal's head is and is about to be.
//!
//! Two slots are written in turn. Each holds a counter, the confirmed head, the head to come and
//! a checksum. A slot is written before each append, under the lock, so that whenever a process
//! is killed, one slot is whole and the journal ends in one of its two heads. Cutting the
//! journal's tail, forging an append or writing the whole file anew leads to a head that the
//! anchor does not know.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::{StoreError, shown};
use crate::root::{Access, Handle, Root};
use crate::wire::{hex, sha256, unhex};

/// Its file, in the workspace's folder outside the root.
const FILE: &str = "anchor";
/// Bytes of a slot: two numbers of 20 digits and a counter, three digests, spaces and a line feed.
const SLOT: usize = 3 * 20 + 3 * 64 + 5 + 1;
/// How long a slot may wait to be synced.
pub(crate) const SYNC_EVERY: Duration = Duration::from_secs(1);

/// How far a journal goes: the lines up to and including the last one of the chain, and that
/// line's digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Lines.
    pub lines: u64,
    /// SHA-256 of the last line of the chain, without its line feed; zeros where there is none.
    pub digest: [u8; 32],
}

impl Head {
    /// The head of a journal without a line of the chain.
    pub const GENESIS: Self = Self {
        lines: 0,
        digest: [0; 32],
    };
}

/// What the newest whole slot says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    counter: u64,
    /// The head that is known to be on disk.
    pub(crate) confirmed: Head,
    /// The head after the append that was begun.
    pub(crate) coming: Head,
}

/// The anchor of a writer.
#[derive(Debug)]
pub(crate) struct Anchor {
    file: Handle,
    slot: Slot,
    /// The bytes of the file from which `slot` was read, if they were.
    bytes: Option<[u8; 2 * SLOT]>,
    synced_at: Instant,
    dirty: bool,
}

impl Slot {
    /// Reads the anchor of the workspace folder `folder`; `None` where there is none that reads.
    pub(crate) fn read(folder: &Root) -> Result<Option<Self>, StoreError> {
        let Some(file) = folder.open_if_there(FILE)? else {
            return Ok(None);
        };
        let (bytes, read) = slots(&file)
            .map_err(|error| StoreError::from_io(&error, "read", &folder.shown(FILE)))?;
        Ok(Self::newest(bytes.get(..read).unwrap_or_default()))
    }

    /// Whether the anchor knows `head`.
    pub(crate) fn knows(&self, head: &Head) -> bool {
        *head == self.confirmed || *head == self.coming
    }

    fn newest(bytes: &[u8]) -> Option<Self> {
        let mut newest: Option<Self> = None;
        for bytes in bytes.chunks_exact(SLOT) {
            newest = match (newest, Self::parse(bytes)) {
                (Some(one), Some(other)) if one.counter > other.counter => Some(one),
                (one, None) => one,
                (_, other) => other,
            };
        }
        newest
    }

    fn render(&self) -> String {
        let Self {
            counter,
            confirmed,
            coming,
        } = self;
        let body = format!(
            "{counter:020} {:020} {} {:020} {}",
            confirmed.lines,
            hex(&confirmed.digest),
            coming.lines,
            hex(&coming.digest)
        );
        format!("{body} {}\n", hex(&sha256(body.as_bytes())))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
        let (body, checksum) = text.rsplit_once(' ')?;
        let mut parts = body.split(' ');
        let counter = parts.next()?.parse().ok()?;
        let mut head = || {
            Some(Head {
                lines: parts.next()?.parse().ok()?,
                digest: unhex(parts.next()?)?,
            })
        };
        let slot = Self {
            counter,
            confirmed: head()?,
            coming: head()?,
        };
        let whole =
            unhex(checksum)? == sha256(body.as_bytes()) && slot.render().as_bytes() == bytes;
        whole.then_some(slot)
    }
}

impl Anchor {
    /// Opens the anchor for writing; `None` where there is none that reads.
    pub(crate) fn open(folder: &Root) -> Result<Option<Self>, StoreError> {
        let Some(slot) = Slot::read(folder)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            file: folder.open_file(FILE, Access::InPlace)?,
            slot,
            bytes: None,
            synced_at: Instant::now(),
            dirty: false,
        }))
    }

    /// Makes an anchor for a journal that ends in `head`; both slots are written and synced.
    pub(crate) fn create(folder: &Root, head: Head) -> Result<Self, StoreError> {
        let slot = |counter| Slot {
            counter,
            confirmed: head,
            coming: head,
        };
        let text = [slot(0).render(), slot(1).render()].concat();
        folder.replace(FILE, text.as_bytes())?;
        Ok(Self {
            file: folder.open_file(FILE, Access::InPlace)?,
            slot: slot(1),
            bytes: None,
            synced_at: Instant::now(),
            dirty: false,
        })
    }

    /// Reads again what another writer may have written.
    pub(crate) fn reload(&mut self) -> Result<(), StoreError> {
        let (bytes, read) = slots(&self.file).map_err(|error| failed(&error))?;
        if read == bytes.len() && self.bytes == Some(bytes) {
            return Ok(());
        }
        self.bytes = None;
        let newest = Slot::newest(bytes.get(..read).unwrap_or_default());
        self.slot = newest.ok_or_else(|| StoreError::Malformed {
            path: shown(Path::new(FILE)),
            reason: "neither slot is whole".to_owned(),
        })?;
        self.bytes = (read == bytes.len()).then_some(bytes);
        Ok(())
    }

    /// What the newest slot says.
    pub(crate) const fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Says that the journal ends in `now` and is about to end in `coming`. The caller holds the
    /// lock. Synced if the last sync is a second ago.
    pub(crate) fn announce(&mut self, now: Head, coming: Head) -> Result<(), StoreError> {
        let slot = Slot {
            counter: self.slot.counter.saturating_add(1),
            confirmed: now,
            coming,
        };
        let place = if slot.counter.is_multiple_of(2) {
            0
        } else {
            SLOT
        };
        let text = slot.render();
        // Until it is written, nobody knows what is there.
        let bytes = self.bytes.take();
        self.file
            .write_at(text.as_bytes(), place as u64)
            .map_err(|error| failed(&error))?;
        self.slot = slot;
        self.bytes = bytes.and_then(|mut bytes| {
            let there = bytes.get_mut(place..place + SLOT)?;
            (there.len() == text.len()).then(|| there.copy_from_slice(text.as_bytes()))?;
            Some(bytes)
        });
        self.dirty = true;
        if self.is_due() { self.sync() } else { Ok(()) }
    }

    /// Says that the journal ends in `head` and nothing is under way, and syncs. The caller holds
    /// the lock.
    pub(crate) fn settle(&mut self, head: Head) -> Result<(), StoreError> {
        if self.slot.confirmed != head || self.slot.coming != head {
            self.announce(head, head)?;
        }
        if self.dirty { self.sync() } else { Ok(()) }
    }

    fn is_due(&self) -> bool {
        self.dirty && self.synced_at.elapsed() >= SYNC_EVERY
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        self.file.sync().map_err(|error| failed(&error))?;
        self.dirty = false;
        self.synced_at = Instant::now();
        Ok(())
    }
}

/// The file, as far as it has both slots, and how many bytes of that there are.
fn slots(file: &Handle) -> std::io::Result<([u8; 2 * SLOT], usize)> {
    let mut bytes = [0; 2 * SLOT];
    let mut read = 0;
    while let Some(room) = bytes.get_mut(read..).filter(|room| !room.is_empty()) {
        match file.read_at(room, read as u64)? {
            0 => break,
            more => read += more,
        }
    }
    Ok((bytes, read))
}

fn failed(error: &std::io::Error) -> StoreError {
    StoreError::from_io(error, "keep", Path::new(FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lines: u64) -> Head {
        Head {
            lines,
            digest: sha256(&lines.to_be_bytes()),
        }
    }

    #[test]
    fn a_slot_reads_what_it_writes_and_any_other_byte_voids_it() {
        let slot = Slot {
            counter: 7,
            confirmed: head(3),
            coming: head(5),
        };
        let bytes = slot.render().into_bytes();
        assert_eq!(bytes.len(), SLOT);
        assert_eq!(Slot::parse(&bytes), Some(slot));
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_eq!(Slot::parse(&other), None, "byte {at}");
        }
    }

    #[test]
    fn one_slot_survives_a_write_cut_short_at_any_byte() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Root::open(dir.path()).unwrap();
        let mut anchor = Anchor::create(&folder, Head::GENESIS).unwrap();
        anchor.announce(Head::GENESIS, head(1)).unwrap();
        let before = *anchor.slot();
        let file = dir.path().join(FILE);
        let whole = std::fs::read(&file).unwrap();
        anchor.announce(head(1), head(2)).unwrap();
        let after = std::fs::read(&file).unwrap();
        let place = SLOT;
        for cut in 0..SLOT {
            let mut torn = whole.clone();
            torn[place..place + cut].copy_from_slice(&after[place..place + cut]);
            std::fs::write(&file, torn).unwrap();
            let read = Slot::read(&folder).unwrap().unwrap();
            assert!(read == before || read == *anchor.slot(), "cut {cut}");
        }
    }
}
