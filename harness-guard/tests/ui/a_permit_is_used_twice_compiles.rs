//! An executor that runs a permitted call once.
use harness_guard::{Executor, Permitted, ToolFailure};

pub async fn run(tool: &dyn Executor, call: Permitted) -> Result<String, ToolFailure> {
    let _ = &call;
    tool.run(call).await
}

fn main() {}
