//! Random bits of the operating system, for ids and temporary names.

use std::path::Path;

use rustix::io::Errno;

use crate::error::StoreError;

/// 64 random bits.
pub(crate) fn bits() -> Result<u64, StoreError> {
    bytes().map(u64::from_le_bytes)
}

/// Random bytes.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Io {
        doing: "read",
        path: crate::error::shown(Path::new("the system's randomness")),
        source: error
            .raw_os_error()
            .map_or(Errno::IO, Errno::from_raw_os_error),
    })?;
    Ok(bytes)
}
