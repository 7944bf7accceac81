//! Secrets: what they look like, what they are called, and the ones of our own environment.

mod assignments;
mod checksum;
mod context;
mod decoded;
mod encodings;
mod find;
mod forms;
mod jwt;
mod kinds;
mod known;
mod look;
mod names;
mod names_in_text;
mod private_keys;
mod redact;
mod spoken;
mod tokens;
mod urls;
mod vendors;
mod words;
mod writer;

pub use find::{SecretKind, SecretSpan};
pub use names::secret_shaped_name;
pub use redact::Redactor;
pub use writer::Redacted;

pub(crate) use encodings::from_base64;
pub(crate) use words::long_words;
