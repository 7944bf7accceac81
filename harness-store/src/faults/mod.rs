//! What the store makes of a disk that fails, tears, fills up, forgets or stops anywhere.
//!
//! The disk of these tests asks the kernel like the one of production, on real files, unless it is
//! told to fail. It syncs nothing, which only makes it faster, and it keeps a diary of what
//! changed and what was synced. From the diary follow the states in which a machine may find its
//! disk after a loss of power: everything that was synced is there, and of the rest any choice.

mod a_crash_anywhere;
mod a_failing_call;
mod a_torn_record;
mod another;
mod diary;
mod disk;
mod operations;
mod recovery;
