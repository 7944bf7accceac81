//! Whether the phase and the role have the tool.

use std::sync::Arc;

use crate::call::{CallContext, ToolCall};
use crate::guard::Inner;
use crate::refusal::{Denial, Refusal};
use crate::tool::Tool;

/// The tool is there, and granted.
pub(crate) struct Granted(Arc<Tool>);

impl Granted {
    pub(crate) const fn tool(&self) -> &Arc<Tool> {
        &self.0
    }
}

pub(super) fn check(guard: &Inner, ctx: &CallContext, call: &ToolCall) -> Result<Granted, Refusal> {
    let Some(tool) = guard.tools.get(&call.name) else {
        return Err(Refusal::new(
            Denial::UnknownTool,
            "no tool has that name: call one of those that you were given",
        ));
    };
    ctx.phase.admits(&tool.spec)?;
    Ok(Granted(Arc::clone(tool)))
}
