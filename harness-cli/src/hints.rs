//! What the host knows of its sessions, from a file.
//!
//! ```json
//! {
//!   "task_summary": "what the task was",
//!   "principal": "whose conversation it was",
//!   "host_labels": ["names-of-the-host"],
//!   "scope_hints": [
//!     {"key": "orders", "description": "work on orders", "applicability": "topical", "recommended": true}
//!   ],
//!   "sessions": {"session-1": {"task_summary": "what it was in this one"}}
//! }
//! ```
//!
//! Every key may be left out. What stands outside `sessions` is for all; a session's own value
//! replaces it, key by key. An unknown key is an error, as a misspelt one would be silence.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use harness_core::{
    Applicability, CleanString, Principal, Quoted, Scope, ScopeHint, SessionId, TurnPayload,
};
use harness_sanitize::Intake;
use serde_json::{Map, Value};

use crate::exit::Problem;

/// Bytes of a file of hints at most.
const MAX_FILE: u64 = 16 << 20;

/// What is known of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    task_summary: Option<CleanString>,
    principal: Option<Principal>,
    host_labels: Option<Vec<Scope>>,
    scope_hints: Option<Vec<ScopeHint>>,
}

/// The hints of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    all: Known,
    sessions: BTreeMap<SessionId, Known>,
}

impl Hints {
    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read, is no such JSON, or holds a name that is none.
    pub(crate) fn read(path: &Path, intake: &Intake) -> Result<Self> {
        let shown = Quoted(&path.to_string_lossy()).to_string();
        let bad = |reason: &dyn std::fmt::Display| {
            Problem::usage(format!("the hints in {shown}: {reason}"))
        };
        let size = fs::metadata(path).map_err(|error| bad(&error))?.len();
        if size > MAX_FILE {
            return Err(bad(&format!("{size} bytes, at most {MAX_FILE} are read")).into());
        }
        let bytes = fs::read(path).map_err(|error| bad(&error))?;
        let value: Value = serde_json::from_slice(&bytes).map_err(|error| bad(&error))?;
        Self::from_value(&value, intake).map_err(|error| bad(&format!("{error:#}")).into())
    }

    fn from_value(value: &Value, intake: &Intake) -> Result<Self> {
        let mut fields = object(value)?.clone();
        let sessions = fields.remove("sessions").unwrap_or_default();
        let mut hints = Self {
            all: known(&fields, intake)?,
            sessions: BTreeMap::new(),
        };
        if !sessions.is_null() {
            for (id, fields) in object(&sessions).context("`sessions`")? {
                let known = known(object(fields)?, intake)
                    .with_context(|| format!("session {}", Quoted(id)))?;
                hints.sessions.insert(SessionId::parse(id)?, known);
            }
        }
        Ok(hints)
    }

    /// Adds to a turn what is known of its session.
    pub(crate) fn add_to(&self, turn: &mut TurnPayload) {
        let own = self.sessions.get(&turn.session);
        turn.task_summary = pick(own, &self.all, |known| known.task_summary.clone());
        turn.host_labels =
            pick(own, &self.all, |known| known.host_labels.clone()).unwrap_or_default();
        turn.scope_hints =
            pick(own, &self.all, |known| known.scope_hints.clone()).unwrap_or_default();
        turn.principal = self.principal_of(&turn.session);
    }

    fn principal_of(&self, session: &SessionId) -> Option<Principal> {
        pick(self.sessions.get(session), &self.all, |known| {
            known.principal.clone()
        })
    }
}

fn pick<T>(own: Option<&Known>, all: &Known, of: impl Fn(&Known) -> Option<T>) -> Option<T> {
    own.and_then(&of).or_else(|| of(all))
}

fn known(fields: &Map<String, Value>, intake: &Intake) -> Result<Known> {
    let mut known = Known::default();
    for (key, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        match key.as_str() {
            "task_summary" => {
                known.task_summary = Some(clean(
                    text(value, key)?,
                    TurnPayload::MAX_TASK_SUMMARY,
                    intake,
                ));
            }
            "principal" => known.principal = Some(Principal::parse(text(value, key)?)?),
            "host_labels" => {
                known.host_labels = Some(
                    list(value, key)?
                        .iter()
                        .map(|label| Ok(Scope::parse(text(label, key)?)?))
                        .collect::<Result<_>>()?,
                );
            }
            "scope_hints" => {
                known.scope_hints = Some(
                    list(value, key)?
                        .iter()
                        .map(|hint| scope_hint(object(hint)?, intake))
                        .collect::<Result<_>>()?,
                );
            }
            other => return Err(unknown(other)),
        }
    }
    Ok(known)
}

fn scope_hint(fields: &Map<String, Value>, intake: &Intake) -> Result<ScopeHint> {
    let key = fields.get("key").unwrap_or(&Value::Null);
    let mut hint = ScopeHint {
        key: Scope::parse(text(key, "key")?)?,
        description: CleanString::empty(),
        applicability: Applicability::Topical,
        recommended: false,
    };
    for (name, value) in fields {
        match name.as_str() {
            "key" => {}
            "description" => {
                hint.description = clean(text(value, name)?, ScopeHint::MAX_DESCRIPTION, intake);
            }
            "applicability" => hint.applicability = Applicability::parse(text(value, name)?)?,
            "recommended" => {
                hint.recommended = value
                    .as_bool()
                    .ok_or_else(|| Problem::usage("`recommended` is true or false"))?;
            }
            other => return Err(unknown(other)),
        }
    }
    Ok(hint)
}

fn clean(text: &str, max: usize, intake: &Intake) -> CleanString {
    intake.text(text, max).into_owned()
}

fn unknown(key: &str) -> anyhow::Error {
    Problem::usage(format!("there is no key {}", Quoted(key))).into()
}

fn object(value: &Value) -> Result<&Map<String, Value>> {
    Ok(value
        .as_object()
        .ok_or_else(|| Problem::usage("an object was expected"))?)
}

fn list<'v>(value: &'v Value, key: &str) -> Result<&'v Vec<Value>> {
    Ok(value
        .as_array()
        .ok_or_else(|| Problem::usage(format!("`{key}` is a list")))?)
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str> {
    Ok(value
        .as_str()
        .ok_or_else(|| Problem::usage(format!("`{key}` is text and must be given")))?)
}

#[cfg(test)]
mod tests {
    use harness_core::{Origin, Trace, TraceId};
    use harness_sanitize::{Gate, Redactor};
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<Hints> {
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        Hints::from_value(value, &intake)
    }

    fn turn(session: &str) -> TurnPayload {
        let trace = Trace::new(
            TraceId::parse("t").unwrap(),
            CleanString::empty(),
            Vec::new(),
        );
        TurnPayload::new(
            SessionId::parse(session).unwrap(),
            0,
            Origin::Recorded,
            trace,
        )
    }

    #[test]
    fn a_session_replaces_what_is_said_of_all() {
        let hints = read(&json!({
            "task_summary": "orders",
            "principal": "shop",
            "sessions": { "a": { "task_summary": "refunds" } },
        }))
        .unwrap();
        let summary = |session: &str| {
            let mut turn = turn(session);
            hints.add_to(&mut turn);
            let principal = turn.principal.unwrap().to_string();
            (turn.task_summary.unwrap().to_string(), principal)
        };
        assert_eq!(summary("a"), ("refunds".to_owned(), "shop".to_owned()));
        assert_eq!(summary("b"), ("orders".to_owned(), "shop".to_owned()));
    }

    #[test]
    fn a_scope_hint_is_read_whole() {
        let hints = read(&json!({ "scope_hints": [{
            "key": "orders", "description": "work on orders", "applicability": "task",
            "recommended": true,
        }] }))
        .unwrap();
        let mut turn = turn("a");
        hints.add_to(&mut turn);
        let hint = &turn.scope_hints[0];
        assert_eq!((hint.key.as_str(), hint.recommended), ("orders", true));
        assert_eq!(hint.applicability, Applicability::Task);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (value, says) in [
            (json!([]), "an object was expected"),
            (
                json!({ "task_sumary": "x" }),
                "there is no key `task_sumary`",
            ),
            (
                json!({ "principal": 7 }),
                "`principal` is text and must be given",
            ),
            (
                json!({ "scope_hints": [{}] }),
                "`key` is text and must be given",
            ),
            (
                json!({ "host_labels": ["../x"] }),
                "`../x` is no scope: a scope is a name, not a path",
            ),
            (
                json!({ "sessions": { "a/b": {} } }),
                "`a/b` is no session id",
            ),
            (
                json!({ "sessions": { "a": { "z": 1 } } }),
                "session `a`: there is no key `z`",
            ),
        ] {
            let error = format!("{:#}", read(&value).unwrap_err());
            assert!(error.starts_with(says), "{error}");
        }
        assert_eq!(read(&json!({})).unwrap(), Hints::default());
    }
}
