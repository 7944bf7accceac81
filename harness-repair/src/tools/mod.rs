//! The tools of a repair episode: these nine, and nothing else.

mod call;
mod carry_out;
mod fields;
mod schema;

use harness_core::TASK_TOOLS;

pub use harness_rules::ToolSchema;
pub use schema::repair_tools;

/// A tool of the episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    NoticeRead,
    TraceInspect,
    /// One of the four tools that read rules.
    Read(&'static str),
    RuleAdd,
    NoticeAck,
    NoticeResolve,
}

impl Tool {
    pub(crate) const NOTICE_READ: &'static str = "harness_notice_read";
    pub(crate) const TRACE_INSPECT: &'static str = "harness_trace_inspect";
    pub(crate) const RULE_ADD: &'static str = "harness_rule_add";
    pub(crate) const NOTICE_ACK: &'static str = "harness_notice_ack";
    pub(crate) const NOTICE_RESOLVE: &'static str = "harness_notice_resolve";

    /// The tool of exactly this name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            Self::NOTICE_READ => Some(Self::NoticeRead),
            Self::TRACE_INSPECT => Some(Self::TraceInspect),
            Self::RULE_ADD => Some(Self::RuleAdd),
            Self::NOTICE_ACK => Some(Self::NoticeAck),
            Self::NOTICE_RESOLVE => Some(Self::NoticeResolve),
            other => TASK_TOOLS
                .into_iter()
                .find(|task| *task == other)
                .map(Self::Read),
        }
    }
}
