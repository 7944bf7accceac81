//! A call that no check has seen, handed to an executor.
use harness_guard::{Executor, ToolCall, ToolFailure};

pub async fn run(tool: &dyn Executor, call: ToolCall) -> Result<String, ToolFailure> {
    tool.run(call).await
}

fn main() {}
