//! Events of the operator desk and of the writer itself.

use harness_core::{CleanString, RuleId, Scope};
use serde::{Deserialize, Serialize};

use crate::wire::as_text::{one, optional};
use crate::wire::rule::RuleDoc;

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
    /// Took over another program's workspace; a `rule_import` a rule and a `notice` a notice
    /// follow.
    Import,
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

/// A rule was taken over from another program, at the status it had there. It is no proposal and
/// no promotion: nothing here proves it, and an active one is on holdout trial from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleImport {
    /// The rule, `x_imported`; its trial is the other program's word.
    #[serde(flatten)]
    pub rule: RuleDoc,
    /// SHA-256 of its text, in hex; what is shown later must have it.
    pub text_sha256: String,
}

/// An operator fitted an alert model to this workload. Says how well it did on tasks that it was
/// not fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlertModelFitted {
    /// SHA-256 of `state/alert_model.json`, in hex.
    pub sha256: String,
    /// Labelled sessions that it was fitted to.
    pub sessions: u64,
    /// Of those, failures.
    pub failures: u64,
    /// Tasks that they are of.
    pub tasks: u64,
    /// Parts of the cross-validation; a task is in one part as a whole.
    pub folds: u64,
    /// The cross-validated area under the ROC curve.
    pub auroc: f64,
    /// The lower end of its 95 % interval.
    pub auroc_low: f64,
    /// The upper end.
    pub auroc_high: f64,
    /// Failures among the tenth of the sessions with the highest risk, cross-validated.
    pub precision_top_tenth: f64,
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

/// A segment of the journal was closed; the chain goes on through this line, the first of the next
/// file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// `seq` of the closed segment's first line.
    pub first_seq: u64,
    /// Lines in it.
    pub lines: u64,
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
    /// The file, relative to the root, or by its name where it lies beside the anchor.
    pub path: String,
    /// The byte at which the record begins.
    pub offset: u64,
    /// Why, gated.
    #[serde(with = "one")]
    pub reason: CleanString,
}
