//! Whether a call that acts reaches for something that nobody spoke of.

use harness_sanitize::intent_check;
use serde_json::Value;

use super::arguments::ValidArguments;
use crate::approval::Ask;
use crate::call::CallContext;
use crate::guard::Inner;
use crate::mode::Mode;
use crate::refusal::Refusal;
use crate::tool::Tool;

/// The call was compared with what was asked for.
pub(crate) struct Steady {
    /// What it reaches for all the same: a person is asked, or it is recorded.
    pub(crate) drift: Option<&'static str>,
}

pub(super) fn check(
    guard: &Inner,
    ctx: &CallContext,
    tool: &Tool,
    arguments: &ValidArguments,
    asks: &mut Vec<Ask>,
) -> Result<Steady, Refusal> {
    if !tool.spec.does().acts() {
        return Ok(Steady { drift: None });
    }
    // As they read, not as they were escaped.
    let arguments = Value::Object(arguments.get().clone()).to_string();
    let drift = intent_check(&ctx.goal, &ctx.plan, &arguments)
        .err()
        .map(|drift| drift.reaches_for);
    if drift.is_some() && guard.mode != Mode::DangerouslySkipPermissions {
        asks.push(Ask::Drift);
    }
    Ok(Steady { drift })
}
