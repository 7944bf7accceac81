//! An executor that runs a permitted call twice.
use harness_guard::{Executor, Permitted, ToolFailure};

pub async fn run(tool: &dyn Executor, call: Permitted) -> Result<String, ToolFailure> {
    let _ = tool.run(call).await;
    tool.run(call).await
}

fn main() {}
