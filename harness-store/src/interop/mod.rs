//! A workspace of pandaprobe-harness 0.9: reading one, taking one over, writing one.
//!
//! What is read is another program's word. Every text in it goes through the gate before anything
//! else looks at it, a record that does not read costs that record, and what is taken over says in
//! the journal that it was. What is written for 0.9 holds all of that again, the numbers of its
//! trials too; what trials here have shown is in the journal, where 0.9 does not look.

mod export;
mod history;
mod original;
mod take_over;

pub use export::{Exported, export};
pub use original::{Original, Unread};
pub use take_over::TakenOver;
