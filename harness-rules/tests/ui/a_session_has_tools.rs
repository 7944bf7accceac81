use harness_core::SessionId as Id;
use harness_rules::{RuleBook, TaskSession, TaskToolset};

fn tools(book: &RuleBook, session: Id) -> TaskToolset {
    book.task_tools(TaskSession::new(session))
}

fn main() {
    let _ = tools;
}
