//! A call that every check has seen, handed to an executor.
use harness_guard::{Executor, Permitted, ToolFailure};

pub async fn run(tool: &dyn Executor, call: Permitted) -> Result<String, ToolFailure> {
    tool.run(call).await
}

fn main() {}
