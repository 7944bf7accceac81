//! Tools: what a host declares of each, and what follows from it.

mod argument;
mod bounds;
mod effect;
mod registry;
mod schema;
mod spec;
mod standard;

pub use argument::ArgumentKind;
pub use effect::Effect;
pub(crate) use registry::Tool;
pub use registry::{RegistryError, Tools};
pub(crate) use schema::{ArgumentPattern, SchemaFault};
pub use spec::{Role, ToolSpec};
pub use standard::standard_specs;
