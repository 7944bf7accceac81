//! What became of sessions, as a file of an operator's says: `{SESSION ID: "failure" | "success"}`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use harness_core::{Quoted, SessionId};
use serde_json::Value;

use crate::exit::Problem;

/// Bytes of a file of labels at most.
const MAX_FILE: u64 = 64 << 20;

/// What became of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Failure,
    Success,
}

/// Reads a file of labels.
///
/// # Errors
/// The file cannot be read, or is no file of labels: the operator's fault.
pub(super) fn read(path: &Path) -> Result<BTreeMap<SessionId, Label>> {
    let shown = Quoted(&path.to_string_lossy()).to_string();
    let bad = |reason: String| Problem::usage(format!("the labels in {shown}: {reason}"));
    let size = fs::metadata(path)
        .map_err(|error| bad(error.to_string()))?
        .len();
    if size > MAX_FILE {
        return Err(bad(format!("{size} bytes, at most {MAX_FILE} are read")).into());
    }
    let bytes = fs::read(path).map_err(|error| bad(error.to_string()))?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
    labels(&value).map_err(|error| bad(format!("{error:#}")).into())
}

fn labels(value: &Value) -> Result<BTreeMap<SessionId, Label>> {
    let fields = value
        .as_object()
        .ok_or_else(|| Problem::usage("an object of session ids was expected"))?;
    fields
        .iter()
        .map(|(id, label)| {
            let label = match label.as_str() {
                Some("failure") => Label::Failure,
                Some("success") => Label::Success,
                _ => {
                    let message = format!("the label of {} is `failure` or `success`", Quoted(id));
                    return Err(Problem::usage(message).into());
                }
            };
            Ok((SessionId::parse(id)?, label))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_label_is_one_of_two_words() {
        let read = labels(&json!({ "a": "failure", "b": "success" })).unwrap();
        let read: Vec<Label> = read.into_values().collect();
        assert_eq!(read, [Label::Failure, Label::Success]);
        for bad in [
            json!([]),
            json!({ "a": "fail" }),
            json!({ "a": 1 }),
            json!({ "a/b": "failure" }),
        ] {
            assert!(labels(&bad).is_err(), "{bad}");
        }
    }
}
