//! The text boundary: everything that stands between untrusted bytes and an agent's context.
//!
//! # Promises
//! - Whatever goes into the [`Gate`] comes out as [`CleanText`](harness_core::CleanText): no
//!   control sequence, nothing invisible, no banner, no imitation of our own voice, within its
//!   bound. Cleaning twice is cleaning once, and clean text comes back borrowed, byte for byte.
//! - [`Intake`] redacts before it cleans and cleans before it cuts, so no part of a secret is left
//!   by a cut.
//! - A known value of the environment does not survive the [`Redactor`], plain, reversed or in
//!   base64, hexadecimal or percent encoding.
//! - A text that [`check_rule_text`] lets pass carries nothing over from its evidence but names.
//!
//! # Never
//! - No network, file, clock or environment: the caller hands in what it read.
//! - No panic on any input; every pass is linear in its input, every buffer has a bound.
//! - It is not HTML escaping: where clean text is rendered as a page, the renderer escapes it.
//! - It does not judge meaning: clean text may still be a lie or an instruction.
//!
//! # Who may depend on it
//! Every crate but core, on which alone it depends.
//!
//! # How it fails
//! The gate and the redactor are total: they remove, they do not refuse. Only a rule's text is
//! refused, with a reason that its author can act on and that quotes no secret.

#![forbid(unsafe_code)]

mod gate;
mod intake;
pub mod rule_text;
mod secrets;
mod sequences;
mod stream;

pub use gate::{DEFAULT_MAX_LEN, Gate, GateBuilder, TRUNCATED};
pub use intake::Intake;
pub use rule_text::{CarryOver, EvidenceLeaves, check_rule_text};
pub use secrets::{Redacted, Redactor, SecretKind, SecretSpan, secret_shaped_name};
pub use stream::{GateStream, clean_stream};
