//! Where a commit ends, for everybody who reads lines.

/// Events of one commit at most; readers hold a commit in memory until its last line is there.
pub const MAX_COMMIT: usize = 4096;
/// Bytes of its lines at most.
pub const MAX_COMMIT_BYTES: u64 = 32 << 20;

/// The lines of a commit whose last is not there yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenCommit {
    lines: usize,
    bytes: u64,
}

impl OpenCommit {
    /// Takes the next line, its line feed counted; says whether a commit ends with it: it does not
    /// go on, or there is more of it than any commit of ours has.
    pub(crate) const fn ends_with(&mut self, goes_on: bool, bytes: u64) -> bool {
        let bytes = self.bytes.saturating_add(bytes);
        let ends = !goes_on || self.lines >= MAX_COMMIT || bytes > MAX_COMMIT_BYTES;
        *self = if ends {
            Self { lines: 0, bytes: 0 }
        } else {
            Self {
                lines: self.lines + 1,
                bytes,
            }
        };
        ends
    }

    /// Whether a line was taken in since the last commit ended.
    pub(crate) const fn is_open(&self) -> bool {
        self.lines > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_ends_with_its_last_line_or_with_more_than_there_can_be() {
        let mut open = OpenCommit::default();
        assert!(open.ends_with(false, 10) && !open.is_open());
        assert!(!open.ends_with(true, 10) && open.is_open());
        assert!(open.ends_with(false, 10));
        let mut ends = |bytes| (0..).take_while(|_| !open.ends_with(true, bytes)).count();
        assert_eq!([ends(1), ends(1)], [MAX_COMMIT; 2]);
        assert_eq!([ends(1 << 20), ends(1 << 20)], [32; 2]);
        assert_eq!(ends(u64::MAX), 0);
    }
}
