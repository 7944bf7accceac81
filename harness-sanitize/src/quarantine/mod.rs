//! Quarantine: what in a text speaks to the model instead of to the reader, and what happens then.
//!
//! A filter is one thin layer: it finds what is hidden and what is phrased like an order, not a
//! lie that reads like advice. The structure of what surrounds it carries the guarantee.

mod encoded;
mod finding;
mod flagged;
mod gathered;
mod hidden;
mod orders;
mod phrases;
mod reading;
mod scan;

pub use finding::{Finding, FindingKind, Level};
pub use flagged::{Flagged, Quarantine, Quarantined};
pub use gathered::MAX_FINDINGS;
pub use scan::Scanner;
