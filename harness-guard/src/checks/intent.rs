//! Whether a call that acts reaches for something that nobody spoke of.

use harness_sanitize::intent_check;

use crate::approval::Ask;
use crate::call::{CallContext, ToolCall};
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
    call: &ToolCall,
    asks: &mut Vec<Ask>,
) -> Result<Steady, Refusal> {
    if !tool.spec.effect.acts() {
        return Ok(Steady { drift: None });
    }
    let drift = intent_check(&ctx.goal, &ctx.plan, &call.arguments)
        .err()
        .map(|drift| drift.reaches_for);
    if drift.is_some() && guard.mode != Mode::DangerouslySkipPermissions {
        asks.push(Ask::Drift);
    }
    Ok(Steady { drift })
}
