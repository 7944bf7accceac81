//! Where a marker may start: what passes over nearly all of a text.

/// A filter over three bytes: for each a set of first bytes, as bits, with which it may stand in
/// its place. It lets some through that start no marker, and holds back none that does.
#[derive(Clone, Debug)]
pub(super) struct Starts {
    first: [u32; 256],
    second: [u32; 256],
    third: [u32; 256],
}

impl Default for Starts {
    /// Without a marker: what is not ASCII may follow ASCII.
    fn default() -> Self {
        let follows = std::array::from_fn(|byte| if byte < 0x80 { 0 } else { Self::ASCII });
        Self {
            first: [0; 256],
            second: follows,
            third: follows,
        }
    }
}

impl Starts {
    /// The bits of first bytes that are ASCII; the others have those above.
    const ASCII: u32 = 0xFFFF;

    const fn bit(first: u8) -> u32 {
        let group = first.to_ascii_lowercase() % 16;
        if first.is_ascii() {
            1 << group
        } else {
            1 << (16 + group)
        }
    }

    pub(super) fn insert(&mut self, [first, second, third]: [u8; 3]) {
        let bit = Self::bit(first);
        for (table, byte) in [
            (&mut self.first, first),
            (&mut self.second, second),
            (&mut self.third, third),
        ] {
            if let Some(bits) = table.get_mut(usize::from(byte)) {
                *bits |= bit;
            }
        }
    }

    /// Takes a character that is not ASCII and starts a marker, whatever follows.
    pub(super) fn insert_other(&mut self, ch: char) {
        let mut buffer = [0; 4];
        match *ch.encode_utf8(&mut buffer).as_bytes() {
            [first, second, third, ..] => self.insert([first, second, third]),
            [first, second] => {
                self.insert([first, second, 0]);
                for bits in &mut self.third {
                    *bits |= Self::bit(first);
                }
            }
            _ => {}
        }
    }

    /// Where in `bytes` a marker may start, at the earliest.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        // Some places at once, without a branch for each.
        while let Some(some) = bytes.get(at..).and_then(<[u8]>::first_chunk::<SOME>) {
            let mut any = 0;
            for place in some.array_windows() {
                any |= self.told_by(place);
            }
            if any != 0
                && let Some(place) = some.array_windows().position(|at| self.told_by(at) != 0)
            {
                return Some(at + place);
            }
            at += SOME - 2;
        }
        let rest = bytes.get(at..)?;
        let found = rest.array_windows().position(|at| self.told_by(at) != 0);
        // Too near to the end to be told by three.
        found.map(|found| at + found).or_else(|| {
            let last = bytes.len().saturating_sub(2).max(at);
            let mut rest = bytes.get(last..)?.iter();
            let at = rest.position(|byte| bits(&self.first, *byte) != 0)?;
            Some(last + at)
        })
    }

    fn told_by(&self, [first, second, third]: &[u8; 3]) -> u32 {
        bits(&self.first, *first) & bits(&self.second, *second) & bits(&self.third, *third)
    }
}

/// Bytes that are looked at at once; what starts at the last two is not told by them.
const SOME: usize = 10;

fn bits(table: &[u32; 256], byte: u8) -> u32 {
    table.get(usize::from(byte)).copied().unwrap_or_default()
}

/// A set of characters, one bit each.
#[derive(Clone, Debug, Default)]
pub(super) struct CharSet(Vec<u64>);

impl CharSet {
    pub(super) fn insert(&mut self, ch: char) {
        let code = ch as usize;
        if self.0.len() <= code / 64 {
            self.0.resize(code / 64 + 1, 0);
        }
        if let Some(bits) = self.0.get_mut(code / 64) {
            *bits |= 1 << (code % 64);
        }
    }

    pub(super) fn contains(&self, ch: char) -> bool {
        let code = ch as usize;
        let bits = self.0.get(code / 64).copied().unwrap_or_default();
        bits >> (code % 64) & 1 != 0
    }
}
