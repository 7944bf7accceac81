//! The vocabulary of Harness: workspace, notices and rules as values.
//!
//! # Promises
//! - A value that exists is safe: an id is one path component, a path stays in its workspace, a
//!   text has no hidden character, escape sequence, banner or imitation of our own voice.
//! - Parsing refuses; it never repairs a value into one that nobody chose.
//!
//! # Never
//! - No outside crate, no I/O, no clock, no randomness, no environment.
//! - No panic on any input; no list, text or name without a bound.
//!
//! # Who may depend on it
//! Every crate of the workspace. It depends on none.
//!
//! # How it fails
//! A constructor returns an error that names the thing, quotes it escaped and shortened, and says
//! what is allowed.

#![forbid(unsafe_code)]

pub mod condition;
pub mod episode;
pub mod error_class;
pub mod eval_case;
pub mod id;
pub mod layout;
pub mod metric;
pub mod notice;
pub mod prompt;
mod quoted;
pub mod rule;
pub mod scope;
pub mod setting;
pub mod text;
pub mod time;
pub mod trace;
pub mod turn;
mod untrusted;

pub use condition::{Condition, Severity, Signature};
pub use episode::{Episode, RepairStatus};
pub use error_class::ErrorClass;
pub use eval_case::{CaseKind, EvalCase};
pub use id::{
    CaseId, EpisodeId, IdError, NoticeId, Principal, RepairSessionId, RuleId, SessionId, TraceId,
};
pub use layout::WorkspacePath;
pub use metric::{MetricName, MetricRegistry, MetricSpec, Score, Tier};
pub use notice::{MetricFinding, Notice, Resolution, ResolutionKind, TraceSignals};
pub use prompt::{Prompt, PromptPart};
pub use quoted::Quoted;
pub use rule::{Retirement, Rule, RuleStatus, Tags};
pub use scope::{Applicability, Scope};
pub use setting::SettingError;
pub use text::{CleanString, CleanText, Paragraph, TextError};
pub use time::{Timestamp, TimestampError};
pub use trace::{Argument, Arguments, Span, SpanKind, SpanStatus, Speaker, TASK_TOOLS, Trace};
pub use turn::{Origin, ScopeHint, TurnPayload};
pub use untrusted::Untrusted;
