//! The C ABI between host and plugin, and all `unsafe` of this crate.
//!
//! A library exports one symbol, `harness_plugin`, a [`Table`]: a magic number, the version of the
//! ABI, the size of the table, and two functions. `call` takes bytes and returns bytes: JSON both
//! ways, see [`Plugin`] for what it says. What a plugin returns it frees itself, in
//! `free`. In C:
//!
//! ```c
//! struct harness_bytes { uint8_t *at; size_t length; uint32_t status; };
//! struct harness_table {
//!     uint64_t magic; uint32_t version; uint32_t size;
//!     struct harness_bytes (*call)(const uint8_t *at, size_t length);
//!     void (*free)(struct harness_bytes);
//! };
//! ```

#![allow(
    unsafe_code,
    reason = "foreign code is loaded and called here, and nowhere else"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use libloading::Library;

use crate::author::{self, Plugin};
use crate::file::PinnedFile;

/// What a table starts with: "HARNESS\1" in ASCII.
pub const MAGIC: u64 = u64::from_be_bytes(*b"HARNESS\x01");
/// The version of this ABI. Another version is another table.
pub const VERSION: u32 = 1;
/// The symbol that a library exports.
pub const SYMBOL: &str = "harness_plugin";
/// Bytes of an answer that are taken; a longer one is that call's failure.
pub const MAX_ANSWER: usize = 1 << 20;

/// The call was carried out; the bytes are its answer.
pub const STATUS_OK: u32 = 0;
/// The plugin could not do it; the bytes say why, as text.
pub const STATUS_FAILED: u32 = 1;
/// The plugin panicked.
pub const STATUS_PANICKED: u32 = 2;

/// Bytes of a plugin's, until they are given back to it.
#[repr(C)]
#[derive(Debug)]
pub struct Bytes {
    /// Where they are; null if there are none.
    pub at: *mut u8,
    /// How many.
    pub length: usize,
    /// What they are, one of the statuses.
    pub status: u32,
}

/// What a library exports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// Size of this table in bytes.
    pub size: u32,
    /// Does what the bytes ask.
    pub call: Option<extern "C" fn(*const u8, usize) -> Bytes>,
    /// Takes back what `call` returned.
    pub free: Option<extern "C" fn(Bytes)>,
}

/// What the table of every version starts with.
#[repr(C)]
#[derive(Clone, Copy)]
struct Head {
    magic: u64,
    version: u32,
    size: u32,
}

/// Size of a table.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a few dozen bytes; there is no conversion that is const"
)]
pub const TABLE_SIZE: u32 = size_of::<Table>() as u32;

/// Why a library's symbol is no table of ours. The plugin's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// It could not be loaded: no library, of another machine, or without what it needs.
    #[error("it is no library that can be loaded here")]
    NoLibrary,
    /// It exports no such symbol.
    #[error("it exports no `{SYMBOL}`")]
    NoSymbol,
    /// The table starts with something else.
    #[error("its table is none of a plugin")]
    NotOurs,
    /// Another version.
    #[error("its table is of version {0}, this is version {VERSION}")]
    Version(u32),
    /// Another size, or a function is missing.
    #[error("its table is not laid out as version {VERSION} is")]
    Layout,
}

/// What a call came to, before the answer is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Called {
    Answer(Vec<u8>),
    Failed(Vec<u8>),
    Panicked,
    TooLong,
    Broken,
}

/// The functions of a library that stays loaded to the end of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Functions {
    call: extern "C" fn(*const u8, usize) -> Bytes,
    free: extern "C" fn(Bytes),
}

/// Loads a pinned file for good. Its initialisers run.
pub(crate) fn load(file: PinnedFile) -> Result<Functions, TableError> {
    // SAFETY: loading runs the library's initialisers. The host pinned the hash of exactly these
    // bytes, by which it vouches for them as for its own code, and they are sealed.
    let library = unsafe { Library::new(file.path()) }.map_err(|_| TableError::NoLibrary)?;
    // Never closed: the loader knows a library by the path it was loaded from, here the number of a
    // handle, and hands out the old library for another file that gets the same number.
    std::mem::forget(file);
    // Never unloaded: threads, statics and callbacks of the library may outlive every value here.
    let library = Box::leak(Box::new(library));
    // SAFETY: the symbol is read as the address of a table. That the address is one of a table is
    // vouched for by the pin and checked below, field by field, before anything is called.
    let symbol = unsafe { library.get::<*const Table>(SYMBOL.as_bytes()) };
    let at: *const Table = *symbol.map_err(|_| TableError::NoSymbol)?;
    if at.is_null() || !at.is_aligned() {
        return Err(TableError::NotOurs);
    }
    // SAFETY: `at` is an aligned address inside a library that is never unloaded. The head, which
    // all versions share, is read first and alone.
    let head = unsafe { at.cast::<Head>().read() };
    if head.magic != MAGIC {
        return Err(TableError::NotOurs);
    }
    if head.version != VERSION {
        return Err(TableError::Version(head.version));
    }
    if head.size != TABLE_SIZE {
        return Err(TableError::Layout);
    }
    // SAFETY: magic, version and size say that a whole table of this layout is here.
    let table = unsafe { at.read() };
    match (table.call, table.free) {
        (Some(call), Some(free)) => Ok(Functions { call, free }),
        _ => Err(TableError::Layout),
    }
}

impl Functions {
    /// Calls the plugin and copies its answer, within [`MAX_ANSWER`].
    pub(crate) fn call(self, asked: &[u8]) -> Called {
        let bytes = (self.call)(asked.as_ptr(), asked.len());
        let called = match (bytes.at.is_null(), bytes.length) {
            _ if bytes.status == STATUS_PANICKED => Called::Panicked,
            (true, 1..) => Called::Broken,
            (_, length) if length > MAX_ANSWER => Called::TooLong,
            (is_null, length) => {
                let copied = if is_null {
                    Vec::new()
                } else {
                    // SAFETY: by the ABI a plugin returns the address of `length` bytes that stay as
                    // they are until `free`, which is called below and not before; the address is
                    // not null and the length is within a bound far below `isize::MAX`.
                    unsafe { std::slice::from_raw_parts(bytes.at, length) }.to_vec()
                };
                match bytes.status {
                    STATUS_OK => Called::Answer(copied),
                    STATUS_FAILED => Called::Failed(copied),
                    _ => Called::Broken,
                }
            }
        };
        (self.free)(bytes);
        called
    }
}

/// The table of a plugin that is written with this crate.
pub const fn table<P: Plugin>() -> Table {
    Table {
        magic: MAGIC,
        version: VERSION,
        size: TABLE_SIZE,
        call: Some(call_plugin::<P>),
        free: Some(free_bytes),
    }
}

/// The author's side of `call`.
extern "C" fn call_plugin<P: Plugin>(at: *const u8, length: usize) -> Bytes {
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let asked = if at.is_null() {
            &[]
        } else {
            // SAFETY: by the ABI the host hands over the address of `length` bytes that stay as
            // they are until this function returns.
            unsafe { std::slice::from_raw_parts(at, length) }
        };
        author::answer::<P>(asked)
    }));
    match caught {
        Ok(Ok(answer)) => given(answer, STATUS_OK),
        Ok(Err(why)) => given(why.into_bytes(), STATUS_FAILED),
        Err(panic) => {
            // What a panic carries may panic when it is dropped.
            std::mem::forget(panic);
            given(Vec::new(), STATUS_PANICKED)
        }
    }
}

/// Gives bytes away as a boxed slice, which `free_bytes` takes back.
fn given(bytes: Vec<u8>, status: u32) -> Bytes {
    let boxed = bytes.into_boxed_slice();
    let length = boxed.len();
    Bytes {
        at: Box::into_raw(boxed).cast(),
        length,
        status,
    }
}

/// The author's side of `free`.
extern "C" fn free_bytes(bytes: Bytes) {
    if bytes.at.is_null() {
        return;
    }
    let slice = std::ptr::slice_from_raw_parts_mut(bytes.at, bytes.length);
    // SAFETY: by the ABI a host gives back, once, exactly what `call` returned: address and length
    // of a boxed slice made in `given`, by the same allocator.
    drop(unsafe { Box::from_raw(slice) });
}

/// Exports a type that is a [`Plugin`](crate::Plugin) as the plugin of this library, a `cdylib`.
///
/// The attribute that it writes names a symbol, which the compiler counts as `unsafe`: no other
/// library may export the same one. Nothing else about it is.
#[macro_export]
macro_rules! export_plugin {
    ($plugin:ty) => {
        #[allow(unsafe_code, missing_docs)]
        #[unsafe(export_name = "harness_plugin")]
        pub static HARNESS_PLUGIN: $crate::abi::Table = $crate::abi::table::<$plugin>();
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::author::tests::Echo;

    fn functions() -> Functions {
        let table = table::<Echo>();
        Functions {
            call: table.call.unwrap(),
            free: table.free.unwrap(),
        }
    }

    #[test]
    fn a_call_goes_out_and_back_and_an_empty_one_too() {
        let Called::Answer(answer) = functions().call(br#"{"do": "describe"}"#) else {
            panic!("no answer");
        };
        assert!(answer.starts_with(b"{"));
        assert!(matches!(functions().call(b""), Called::Failed(_)));
    }

    #[test]
    fn a_plugin_that_breaks_the_abi_is_a_failure() {
        extern "C" fn none(_: *const u8, length: usize) -> Bytes {
            Bytes {
                at: std::ptr::null_mut(),
                length,
                status: STATUS_OK,
            }
        }
        extern "C" fn strange(_: *const u8, _: usize) -> Bytes {
            Bytes {
                at: std::ptr::null_mut(),
                length: 0,
                status: 77,
            }
        }
        extern "C" fn free(_: Bytes) {}
        let with = |call| Functions { call, free };
        assert_eq!(with(none).call(b"x"), Called::Broken);
        assert_eq!(with(none).call(b""), Called::Answer(Vec::new()));
        assert_eq!(with(strange).call(b""), Called::Broken);
    }
}
