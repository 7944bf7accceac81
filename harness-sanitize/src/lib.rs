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
//! - A [`Scanner`] finds what is hidden, encoded or phrased like an order, and where; a
//!   [`Quarantine`] lets the rest pass byte for byte and fences what it flags.
//! - A fence ([`tool_result`], [`user_input`], [`external_document`]) cannot be closed from inside.
//! - A text that [`check_rule_text`] lets pass carries nothing over from its evidence but names.
//!
//! # Never
//! - No network, clock or environment: the caller hands in what it read, and what it drew at
//!   random. No file but for [`is_within`], which resolves links.
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

pub mod arguments;
mod delimiters;
mod gate;
mod intake;
mod intent;
mod literals;
mod prompt_audit;
mod quarantine;
pub mod rule_text;
mod secrets;
mod sequences;
mod stream;

pub use delimiters::{
    Delimited, Nonce, Origin, TRUST_BOUNDARIES, external_document, is_within, origin_of_file,
    tool_result, user_input,
};
pub use gate::{DEFAULT_MAX_LEN, Gate, GateBuilder, TRUNCATED};
pub use intake::Intake;
pub use intent::{Drift, intent_check};
pub use prompt_audit::{PromptFinding, audit_system_prompt, secret_env_names};
pub use quarantine::{
    Finding, FindingKind, Flagged, Level, MAX_FINDINGS, Quarantine, Quarantined, Scanner,
};
pub use rule_text::{CarryOver, EvidenceLeaves, check_rule_text};
pub use secrets::{Redacted, Redactor, SecretKind, SecretSpan, secret_shaped_name};
pub use stream::{GateStream, clean_stream};
