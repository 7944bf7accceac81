//! Files beneath a held handle of a folder: regular, with one link, never through a symlink,
//! private. One operation a file.
//!
//! A path is taken apart once: its folder is opened with `openat2` beneath the handle, and what
//! follows works on the last name within that folder, so that nothing swapped in between leads
//! out of it.

mod append;
mod disk;
mod folder;
mod handle;
mod list;
mod open;
mod read;
mod remove;
mod rename;
mod replace;
mod standing;
mod sweep;

#[cfg(test)]
pub(crate) use disk::At;
pub(crate) use disk::{Disk, Kernel};
pub(crate) use folder::Root;
pub(crate) use handle::Handle;
pub(crate) use open::{Access, FileId};
