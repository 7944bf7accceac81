//! Where a marker may start: what passes over nearly all of a text.

/// A filter over three bytes: for each a set of first bytes, as bits, with which it may stand in
/// its place. It lets some through that start no marker, and holds back none that does.
#[derive(Clone, Debug)]
pub(super) struct Starts {
    first: [u16; 256],
    second: [u16; 256],
    third: [u16; 256],
}

impl Default for Starts {
    /// Without a marker: what is not ASCII may follow anything.
    fn default() -> Self {
        let bits = |byte: usize, of_others: u16| if byte < 0x80 { Self::ANY } else { of_others };
        Self {
            first: [0; 256],
            second: std::array::from_fn(|byte| bits(byte, !Self::ANY)),
            third: std::array::from_fn(|byte| bits(byte, u16::MAX)),
        }
    }
}

impl Starts {
    /// The bit of what is not ASCII.
    const ANY: u16 = 1 << 15;

    pub(super) fn insert(&mut self, [first, second, third]: [u8; 3]) {
        let bit = 1 << (first.to_ascii_lowercase() % 15);
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
        let mut bytes = ch.encode_utf8(&mut buffer).bytes();
        for table in [&mut self.first, &mut self.second] {
            let slot = bytes
                .next()
                .and_then(|byte| table.get_mut(usize::from(byte)));
            if let Some(bits) = slot {
                *bits |= Self::ANY;
            }
        }
    }

    /// Where in `bytes` a marker may start, at the earliest.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<usize> {
        let bits = |table: &[u16; 256], byte: u8| {
            table.get(usize::from(byte)).copied().unwrap_or_default()
        };
        let found = bytes.windows(3).position(|window| match window {
            [first, second, third] => {
                let pair = bits(&self.first, *first) & bits(&self.second, *second);
                pair & bits(&self.third, *third) != 0
            }
            _ => false,
        });
        // Too near to the end to be told by three.
        found.or_else(|| {
            let last = bytes.len().saturating_sub(2);
            let mut rest = bytes.get(last..)?.iter();
            let at = rest.position(|byte| bits(&self.first, *byte) != 0)?;
            Some(last + at)
        })
    }
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
