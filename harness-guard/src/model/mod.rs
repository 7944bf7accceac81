//! A model's turns: messages that fit, money that is there, time that ends.

mod context;
mod message;
mod turn;

pub use context::{SUMMARY_START, estimated_tokens};
pub(crate) use context::{Trimmed, trim};
pub use message::{Message, MessageRole};
pub use turn::{ModelReply, ModelRequest, ModelTurn};
