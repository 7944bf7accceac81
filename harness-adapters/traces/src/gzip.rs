//! Gzip, expanded within a bound: a small file may be large inside.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;

use crate::unreadable::Reason;

const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Whether `bytes` start as gzip does.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The bytes as they are, or what they hold if they are gzip. No more than `max` bytes are ever
/// expanded, whatever the file says of itself.
///
/// # Errors
/// Gzip that is broken, or that holds more.
pub(crate) fn expand(bytes: &[u8], max: usize) -> Result<Cow<'_, [u8]>, Reason> {
    if !is_gzip(bytes) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut expanded = Vec::new();
    let bound = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(bytes)
        .take(bound)
        .read_to_end(&mut expanded)
        .map_err(|_| Reason::Gzip)?;
    if expanded.len() > max {
        return Err(Reason::Expands { max });
    }
    Ok(Cow::Owned(expanded))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_is_packed_comes_back_and_what_is_not_stays() {
        assert_eq!(expand(&packed(b"a box"), 5).unwrap().as_ref(), b"a box");
        assert_eq!(expand(b"a box", 5).unwrap().as_ref(), b"a box");
        let two = [packed(b"a "), packed(b"box")].concat();
        assert_eq!(expand(&two, 5).unwrap().as_ref(), b"a box");
    }

    #[test]
    fn a_bomb_is_not_expanded_past_the_bound() {
        let bomb = packed(&vec![b'x'; 1 << 20]);
        assert!(bomb.len() < 4096);
        assert_eq!(expand(&bomb, 4096), Err(Reason::Expands { max: 4096 }));
    }

    #[test]
    fn a_torn_file_is_refused() {
        let whole = packed(b"a box on a shelf");
        for end in 2..whole.len() {
            assert_eq!(expand(&whole[..end], 100), Err(Reason::Gzip), "{end}");
        }
    }
}
