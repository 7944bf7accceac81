//! Events of the operator desk and of the writer itself.

use harness_core::{CleanString, RuleId, Scope};
use serde::{Deserialize, Serialize};

use crate::wire::as_text::{one, optional};

/// What an operator did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperatorAct {
    /// Created the workspace.
    Init,
    /// Retired a rule; a `rule_retire` follows.
    Retire,
    /// Cleared the breaker; a `breaker` follows.
    Resume,
}

/// An operator's own act, always with a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorAction {
    /// What.
    pub action: OperatorAct,
    /// To which rule.
    #[serde(with = "optional", default)]
    pub rule: Option<RuleId>,
    /// Why, in the operator's words, gated.
    #[serde(with = "one")]
    pub reason: CleanString,
}

/// Settings that change what later events mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The workspace's id.
    pub workspace: String,
    /// The format's version.
    pub version: u32,
}

/// How many rules a scope has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeCount {
    /// The scope.
    #[serde(with = "one")]
    pub scope: Scope,
    /// Active rules.
    pub active: u64,
    /// Candidates.
    pub provisional: u64,
}

/// The rendered files were written again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeIndexRegenerated {
    /// The index's path.
    pub path: String,
    /// What it lists.
    pub scopes: Vec<ScopeCount>,
    /// Files that did not say what the journal says; empty in the ordinary case.
    #[serde(default)]
    pub mismatched: Vec<String>,
}

/// A segment of the journal was closed; the chain goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// `seq` of the closed segment's first line.
    pub first_seq: u64,
    /// Lines in it.
    pub lines: u64,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
}

/// The journal did not end as it should have when a writer took it up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TailRepaired {
    /// Bytes after the last line feed that were cut off.
    pub dropped_bytes: u64,
    /// SHA-256 of those bytes, in hex.
    pub dropped_sha256: String,
    /// Whether the head was one that the anchor knows; `None` without an anchor.
    pub anchored: Option<bool>,
}

/// A record that could not be read was skipped and kept where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSkipped {
    /// The file, relative to the root.
    pub path: String,
    /// The byte at which the record begins.
    pub offset: u64,
    /// Why, gated.
    #[serde(with = "one")]
    pub reason: CleanString,
}
