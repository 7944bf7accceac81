//! Text that is safe to show to an agent: the type, and each part of what "clean" means.
//!
//! One file a rule: [`hidden`](self::hidden()) characters, decorative [runs](mod@self::runs),
//! [markers](mod@self::markers) of our own voice; [`fold`](mod@self::fold) is the reading of a
//! text that finds a marker in any disguise. [`form`](mod@self::form) puts them together into
//! the postcondition of the sanitiser, and [`CleanText`] is the proof that it holds. The
//! sanitiser finds what it repairs with the same functions, so the two cannot drift apart.

mod clean;
mod error;
pub mod fold;
mod fold_table;
pub mod form;
mod hidden;
pub mod markers;
mod paragraph;
mod quick;
pub mod runs;

pub use clean::{CleanString, CleanText, Separator};
pub use error::TextError;
pub use fold::fold;
pub use hidden::{Attachment, hidden};
pub use markers::MARKERS;
pub use paragraph::Paragraph;
