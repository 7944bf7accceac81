//! The four tools of a session, as tools of rig.

use harness_engine::host::{HarnessSession, TaskTools};
use rig_core::message::ToolName;
use rig_core::tool::{DynamicTool, ToolOutput};

/// The four tools that read rules, bound to this session. They answer a JSON object with `ok`, and
/// never fail; there is nothing else that they could be asked to do.
pub fn task_tools(session: &HarnessSession) -> Vec<DynamicTool> {
    let tools = session.task_tools();
    TaskTools::specs()
        .into_iter()
        .filter_map(|spec| {
            let name = ToolName::new(spec.name).ok()?;
            let tools = tools.clone();
            let call = move |arguments| {
                let tools = tools.clone();
                Box::pin(
                    async move { Ok(ToolOutput::json(tools.call(spec.name, arguments).await)) },
                ) as _
            };
            Some(DynamicTool::new(
                name,
                spec.description,
                spec.parameters,
                call,
            ))
        })
        .collect()
}
