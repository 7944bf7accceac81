//! Secrets: what they look like, what they are called, and the ones of our own environment.

mod assignments;
mod encodings;
mod find;
mod kinds;
mod known;
mod names;
mod redact;
mod writer;

pub use find::{SecretKind, SecretSpan};
pub use names::secret_shaped_name;
pub use redact::Redactor;
pub use writer::Redacted;
