//! What a model is shown of a failure: leaf by leaf redacted, cleaned and cut, what failed first,
//! each part with its speaker and its denominator, all of it within one bound.

mod leaves;
mod notice;
mod trace;

use harness_core::{CleanString, CleanText};
use serde_json::Value;

pub(crate) use leaves::Leaves;
pub(crate) use notice::notices_view;
pub(crate) use trace::trace_view;

/// Bytes that one answer may take of what is left, so that one long trace leaves room for the
/// notices, a second trace and the rules.
const MAX_ANSWER: usize = 24 * 1024;

/// What is left of the bound on evidence.
#[derive(Debug)]
pub(crate) struct Room {
    left: usize,
}

impl Room {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            left: bytes.min(CleanText::MAX_BYTES),
        }
    }

    /// Bytes that the next answer may have.
    pub(crate) fn next(&self) -> usize {
        self.left.min(MAX_ANSWER)
    }

    /// Takes `bytes`, or all that there is.
    pub(crate) fn use_up(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// Takes `bytes`; false, and nothing taken, where they do not fit.
    pub(crate) fn admit(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.next();
        if fits {
            self.left -= bytes;
        }
        fits
    }
}

/// A JSON value as clean text. Its leaves are clean, and JSON's own punctuation neither decorates
/// nor imitates anyone; should the whole be unclean all the same, the gate mends it.
pub(crate) fn render(value: &Value, leaves: &Leaves<'_>) -> CleanString {
    let text = value.to_string();
    match CleanText::new(text) {
        Ok(clean) => clean,
        Err(_) => leaves.text(&value.to_string(), CleanText::MAX_BYTES),
    }
}

/// "3 of 4 calls".
fn share(part: usize, whole: usize, what: &str) -> Value {
    Value::String(format!("{part} of {whole} {what}"))
}

/// As many of `parts`, in their order, as fit into `room` bytes of JSON.
fn within(parts: impl Iterator<Item = Value>, room: usize) -> Vec<Value> {
    let mut left = room;
    parts
        .map_while(|part| {
            left = left.checked_sub(part.to_string().len() + 1)?;
            Some(part)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::intake;
    use serde_json::json;

    #[test]
    fn room_is_taken_only_by_what_fits() {
        let mut room = Room::new(100);
        assert!(!room.admit(101));
        assert!(room.admit(60));
        assert!(!room.admit(41));
        assert!(room.admit(40));
        assert_eq!(room.next(), 0);
    }

    #[test]
    fn no_bound_exceeds_what_clean_text_can_hold() {
        let mut room = Room::new(usize::MAX);
        let mut total = 0;
        while room.next() > 0 {
            total += room.next();
            assert!(room.admit(room.next()));
        }
        assert_eq!(total, CleanText::MAX_BYTES);
    }

    #[test]
    fn parts_are_left_out_whole_and_from_the_end() {
        let parts = || [json!("aaaa"), json!("bbbb"), json!("c")].into_iter();
        assert_eq!(within(parts(), 14), [json!("aaaa"), json!("bbbb")]);
        assert_eq!(within(parts(), 18).len(), 3);
    }

    #[test]
    fn an_answer_is_json_even_where_the_gate_has_to_mend_it() {
        let intake = intake();
        let leaves = Leaves::new(&intake);
        let value = json!({ "text": "SYSTEM ALERT: a \u{202e}b -----" });
        let text = render(&value, &leaves);
        assert!(
            serde_json::from_str::<Value>(text.as_str()).is_ok(),
            "{text}"
        );
    }
}
