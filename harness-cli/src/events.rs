//! Lines of the journal as an operator reads them: as the JSON they are, or as one line of text.

use anyhow::Result;
use harness_store::wire::{Body, Line, Record, hex, json};
use serde_json::{Value, json};

/// What a line that is none of ours is called.
const FOREIGN: &str = "foreign";
/// What a line that says nothing is called.
const UNREADABLE: &str = "unreadable";
/// The fields that a line of text shows, where the event has them.
const TOLD: [&str; 24] = [
    "session",
    "session_id",
    "turn_index",
    "severity",
    "signature",
    "repair_episode_id",
    "rule",
    "rule_id",
    "id",
    "scope",
    "trial",
    "trial_name",
    "attempt",
    "case",
    "kind",
    "state",
    "action",
    "model",
    "tool",
    "reason",
    "pending",
    "void",
    "y",
    "auroc",
];
/// Characters of a field that are shown.
const MAX_TOLD: usize = 80;

/// A line, ready to be shown.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// What stands on disk; for a line that does not read, where and why.
    pub(crate) value: Value,
    place: String,
}

impl Shown {
    /// Reads a line.
    ///
    /// # Errors
    /// An event that JSON cannot say, which none that was read from JSON is.
    pub(crate) fn of(line: &Line) -> Result<Self> {
        Ok(match line {
            Line::Chained(record) => Self {
                value: chained(record)?,
                place: format!("{:>6} {}", record.seq, record.ts),
            },
            Line::Foreign { offset, value, .. } => Self {
                value: value.clone(),
                place: format!("  byte {offset}"),
            },
            Line::Unreadable { offset, reason, .. } => Self {
                value: json!({ "type": UNREADABLE, "offset": offset, "reason": reason }),
                place: format!("  byte {offset}"),
            },
        })
    }

    /// The kind of event.
    pub(crate) fn kind(&self) -> &str {
        self.value
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or(FOREIGN)
    }

    /// One line: place, time, kind, and the fields that tell most.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{} {}", self.place, plain(self.kind()));
        for name in TOLD {
            if let Some(told) = self.value.get(name).and_then(told) {
                text.push_str(&format!(" {name}={told}"));
            }
        }
        text
    }
}

fn chained(record: &Record) -> Result<Value> {
    let event = match &record.body {
        Body::Known(event) => event,
        Body::Unknown { value, .. } | Body::Invalid { value, .. } => return Ok(value.clone()),
    };
    let mut value = json::to_value(event)?;
    if let Some(fields) = value.as_object_mut() {
        let prev = record
            .prev
            .map_or_else(|| "genesis".to_owned(), |digest| hex(&digest));
        fields.insert("seq".to_owned(), record.seq.into());
        fields.insert("prev".to_owned(), prev.into());
        fields.insert("ts".to_owned(), record.ts.to_string().into());
    }
    Ok(value)
}

fn told(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(plain(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A field as it is; quoted and escaped where it is more than a name, as anything may be in it.
fn plain(text: &str) -> String {
    let short: String = text.chars().take(MAX_TOLD).collect();
    let is_name = short
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte));
    if is_name && !short.is_empty() {
        short
    } else {
        String::from_utf8_lossy(&json::compact(&Value::String(short))).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use harness_store::wire::parse_line;

    use super::*;

    const LINE: &str = r#"{"action":"init","prev":"genesis","reason":"a reason","rule":null,"seq":0,"ts":"2026-11-30T11:26:14.500145+00:00","type":"operator_action"}"#;

    fn shown(line: &[u8]) -> Shown {
        Shown::of(&parse_line(line, 7)).unwrap()
    }

    #[test]
    fn a_line_is_shown_as_it_stands_on_disk() {
        let shown = shown(LINE.as_bytes());
        assert_eq!(shown.value, serde_json::from_str::<Value>(LINE).unwrap());
        assert_eq!(
            shown.to_text(),
            "     0 2026-11-30T11:26:14.500145+00:00 operator_action action=init reason=\"a reason\""
        );
    }

    #[test]
    fn what_does_not_read_is_shown_with_its_place() {
        let shown = shown(b"\xff{");
        assert_eq!(shown.kind(), UNREADABLE);
        assert!(shown.to_text().starts_with("  byte 7 unreadable"));
    }

    #[test]
    fn a_foreign_line_cannot_talk_to_the_terminal() {
        let foreign = shown("{\"type\":\"\\u001b[2Jx\u{202e}\"}".as_bytes());
        assert_eq!(foreign.to_text(), "  byte 7 \"\\u001b[2Jx\\u202e\"");
    }
}
