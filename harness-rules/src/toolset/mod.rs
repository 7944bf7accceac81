//! The four read-only tools of a task agent. A toolset belongs to one session: it knows the
//! session's arms and remembers what it surfaced.

mod answer;
mod arm;
mod entry;
mod reader;
mod schema;
mod session;

pub(crate) use arm::RunArm;
pub use reader::RuleReader;
pub(crate) use reader::Sees;
pub use schema::{PREAMBLE, ToolSchema, task_tool_schemas};
pub use session::{TaskSession, TaskToolset};
