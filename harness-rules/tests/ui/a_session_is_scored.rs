use harness_core::SessionId as Id;
use harness_rules::{RuleBook, Scores};

fn score(book: &RuleBook, session: &Id) {
    let _ = book.outcomes_of_turn(session, 0, &[]);
    let _ = book.outcomes_at_close(session, Scores::Complete);
}

fn main() {
    let _ = score;
}
