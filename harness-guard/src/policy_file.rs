//! The operator's policy: what is allowed beforehand, and what is denied whoever asks.

use serde_json::{Map, Value};

use crate::approval::Ask;
use crate::tool::{ArgumentPattern, Tools};

/// Bytes of a policy at most.
const MAX_POLICY: usize = 1 << 20;
/// Entries of one list at most.
const MAX_ENTRIES: usize = 1024;
/// The keys of an entry.
const KEYS: [&str; 3] = ["tool", "phase", "arguments"];

/// A policy: JSON, `{"allow": [ENTRY…], "deny": [ENTRY…]}`. An entry names a `tool`, and may name
/// a `phase` and `arguments`, a JSON Schema that they fit; in `deny` all three may be left out. A
/// denial wins over a grant. A grant fits only arguments that have each property it names; a
/// `pattern` in it is anchored only where it says so. What cannot be read, a key that is not known and a tool that there is
/// not included, denies every call.
#[derive(Debug)]
pub struct PolicyFile(Reading);

#[derive(Debug)]
enum Reading {
    Read { allow: Vec<Entry>, deny: Vec<Entry> },
    Unreadable(String),
}

#[derive(Debug)]
struct Entry {
    tool: Option<String>,
    phase: Option<String>,
    arguments: Option<ArgumentPattern>,
}

/// What a policy says of a call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ruling<'p> {
    /// It cannot be read.
    Unreadable(&'p str),
    /// No.
    Denied,
    /// Nothing.
    Silent,
    /// Yes, as far as this reaches.
    Granted(Reach),
}

/// How much a grant answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// What is asked about the tool as such.
    Tool,
    /// What is asked about these arguments too.
    Arguments,
}

impl Reach {
    pub(crate) const fn answers(self, ask: Ask) -> bool {
        match self {
            Self::Tool => ask.is_answered_by_tool(),
            Self::Arguments => true,
        }
    }
}

impl PolicyFile {
    /// A policy that says nothing.
    pub const fn silent() -> Self {
        Self(Reading::Read {
            allow: Vec::new(),
            deny: Vec::new(),
        })
    }

    /// Reads a policy for these tools. One that cannot be read denies everything:
    /// [`PolicyFile::problem`] says why.
    pub fn parse(text: &str, tools: &Tools) -> Self {
        Self(match read(text, tools) {
            Ok((allow, deny)) => Reading::Read { allow, deny },
            Err(reason) => Reading::Unreadable(reason),
        })
    }

    /// A policy that should be there and could not be loaded. It denies everything.
    pub fn missing(reason: &str) -> Self {
        Self(Reading::Unreadable(reason.chars().take(200).collect()))
    }

    /// Why it cannot be read, if so.
    pub fn problem(&self) -> Option<&str> {
        match &self.0 {
            Reading::Read { .. } => None,
            Reading::Unreadable(reason) => Some(reason),
        }
    }

    pub(crate) fn rule(
        &self,
        tool: &str,
        phase: &str,
        arguments: &Map<String, Value>,
    ) -> Ruling<'_> {
        let (allow, deny) = match &self.0 {
            Reading::Read { allow, deny } => (allow, deny),
            Reading::Unreadable(reason) => return Ruling::Unreadable(reason),
        };
        let fits = |entry: &&Entry| {
            entry.tool.as_ref().is_none_or(|name| name == tool)
                && entry.phase.as_ref().is_none_or(|name| name == phase)
                && entry
                    .arguments
                    .as_ref()
                    .is_none_or(|pattern| pattern.fits(arguments))
        };
        if deny.iter().any(|entry| fits(&entry)) {
            return Ruling::Denied;
        }
        allow
            .iter()
            .filter(fits)
            .map(|entry| match entry.arguments {
                Some(_) => Reach::Arguments,
                None => Reach::Tool,
            })
            .max()
            .map_or(Ruling::Silent, Ruling::Granted)
    }
}

fn read(text: &str, tools: &Tools) -> Result<(Vec<Entry>, Vec<Entry>), String> {
    if text.len() > MAX_POLICY {
        return Err("it is longer than 1 MiB".to_owned());
    }
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("it is not JSON (line {})", error.line()))?;
    let fields = value.as_object().ok_or("it is not a JSON object")?;
    if fields.keys().any(|key| key != "allow" && key != "deny") {
        return Err("it has a key other than `allow` and `deny`".to_owned());
    }
    let list = |name: &'static str| -> Result<Vec<Entry>, String> {
        let Some(value) = fields.get(name) else {
            return Ok(Vec::new());
        };
        let items = value
            .as_array()
            .filter(|items| items.len() <= MAX_ENTRIES)
            .ok_or_else(|| format!("`{name}` is not a list of at most {MAX_ENTRIES}"))?;
        let mut entries = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let entry = entry(item, name, tools)
                .map_err(|reason| format!("entry {} of `{name}` {reason}", at + 1))?;
            if name == "allow" && entry.tool.is_none() {
                return Err(format!("entry {} of `allow` names no tool", at + 1));
            }
            entries.push(entry);
        }
        Ok(entries)
    };
    Ok((list("allow")?, list("deny")?))
}

fn entry(item: &Value, list: &str, tools: &Tools) -> Result<Entry, String> {
    let fields = item.as_object().ok_or("is not an object")?;
    if fields.keys().any(|key| !KEYS.contains(&key.as_str())) {
        return Err("has a key other than `tool`, `phase` and `arguments`".to_owned());
    }
    let text = |name: &str| match fields.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("has a `{name}` that is no text")),
    };
    let tool = text("tool")?;
    if tool.as_ref().is_some_and(|name| tools.get(name).is_none()) {
        return Err("names a tool that there is not".to_owned());
    }
    let arguments = fields
        .get("arguments")
        .map(|schema| match list {
            "allow" => ArgumentPattern::new(&all_present(schema)),
            _ => ArgumentPattern::new(schema),
        })
        .transpose()
        .map_err(|_| "has `arguments` that are no JSON Schema".to_owned())?;
    Ok(Entry {
        tool,
        phase: text("phase")?,
        arguments,
    })
}

/// The schema with every property that it names required: what is left out is not what was granted.
fn all_present(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let Some(fields) = schema.as_object_mut() else {
        return schema;
    };
    let properties = fields.get("properties").and_then(Value::as_object);
    let mut names: Vec<Value> = properties
        .into_iter()
        .flat_map(|properties| properties.keys().cloned().map(Value::String))
        .collect();
    match fields.get("required") {
        Some(Value::Array(required)) => names.extend(required.iter().cloned()),
        // Not ours to mend: it is refused as it stands.
        Some(_) => return schema,
        None => {}
    }
    names.sort_by_key(|name| name.as_str().map(str::to_owned));
    names.dedup();
    fields.insert("required".to_owned(), Value::Array(names));
    schema
}
