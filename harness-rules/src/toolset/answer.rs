//! What the four tools answer, as JSON objects with `ok`, from a view of the rules.

use harness_core::{Quoted, RuleId, RuleStatus, Scope, TASK_TOOLS};
use serde_json::{Value, json};

use crate::ledger::{Ledger, RuleRecord};
use crate::render::{DESCRIPTION, GUIDE};

/// Provisional rules that one answer shows at most.
const MAX_PROVISIONAL: usize = 3;
/// Rules that one `read` shows at most; a scope's budget is below it.
const MAX_READ: usize = 64;
/// The `limit` of a search: least, most, and where none is given.
const LIMIT: std::ops::RangeInclusive<u64> = 1..=50;
const DEFAULT_LIMIT: u64 = 10;
/// Bytes of a query at most.
const MAX_QUERY: usize = 1000;

/// A call of one of the four tools, its arguments checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    List,
    Read { scope: Scope },
    Search { query: String, limit: usize },
    Status { rule: RuleId },
}

impl Call {
    /// Checks a call. The error is the answer to give.
    pub(crate) fn parse(name: &str, arguments: &Value) -> Result<Self, Value> {
        let [list, read, search, status] = TASK_TOOLS;
        let fields: &[&str] = match name {
            _ if name == list => &[],
            _ if name == read => &["scope"],
            _ if name == search => &["query", "limit"],
            _ if name == status => &["rule_id"],
            _ => return Err(unsupported(name)),
        };
        let empty = serde_json::Map::new();
        let arguments = match arguments {
            Value::Null => &empty,
            Value::Object(map) => map,
            _ => return Err(failed("the arguments of a call are a JSON object")),
        };
        if let Some(odd) = arguments.keys().find(|key| !fields.contains(&key.as_str())) {
            return Err(failed(&format!("{name} has no argument {}", Quoted(odd))));
        }
        match name {
            _ if name == list => Ok(Self::List),
            _ if name == read => match arguments.get("scope") {
                None | Some(Value::Null) => Ok(Self::Read {
                    scope: Scope::global(),
                }),
                Some(value) => Scope::parse(text(value, "scope")?)
                    .map(|scope| Self::Read { scope })
                    .map_err(|error| failed(&error.to_string())),
            },
            _ if name == search => {
                let query = text(arguments.get("query").unwrap_or(&Value::Null), "query")?;
                if query.trim().is_empty() || query.len() > MAX_QUERY {
                    return Err(failed("`query` is 1 to 1000 bytes of text"));
                }
                let limit = match arguments.get("limit") {
                    None | Some(Value::Null) => Some(DEFAULT_LIMIT),
                    Some(value) => value.as_u64().filter(|limit| LIMIT.contains(limit)),
                };
                let limit = limit
                    .and_then(|limit| usize::try_from(limit).ok())
                    .ok_or_else(|| failed("`limit` is a whole number from 1 to 50"))?;
                Ok(Self::Search {
                    query: query.to_owned(),
                    limit,
                })
            }
            _ => {
                let id = text(arguments.get("rule_id").unwrap_or(&Value::Null), "rule_id")?;
                RuleId::parse(id)
                    .map(|rule| Self::Status { rule })
                    .map_err(|error| failed(&error.to_string()))
            }
        }
    }

    /// The answer over the rules that `shows` lets through. `list` and `status` do not ask it: they
    /// are alike in every arm.
    pub(crate) fn answer(&self, ledger: &Ledger, shows: &dyn Fn(&RuleRecord) -> bool) -> Value {
        match self {
            Self::List => list(ledger),
            Self::Read { .. } | Self::Search { .. } => {
                self.answer_with(&Page::of(self, self.ranked(ledger), shows))
            }
            Self::Status { rule } => match ledger.rule(rule) {
                Some(record) => json!({
                    "ok": true,
                    "rule_id": rule.as_str(),
                    "status": record.status.as_str(),
                    "scope": record.rule.scope.as_str(),
                }),
                None => failed("no rule has that id"),
            },
        }
    }

    /// The answer of a `read` or `search` that holds these rules.
    pub(crate) fn answer_with(&self, page: &Page<'_>) -> Value {
        let rules: Vec<Value> = page.shown.iter().map(|record| document(record)).collect();
        match self {
            Self::Read { scope } => json!({ "ok": true, "scope": scope.as_str(), "rules": rules }),
            _ => json!({ "ok": true, "rules": rules }),
        }
    }

    /// The live rules that the answer is taken from, best first: active ones before candidates, those
    /// of a scope in the order in which they came, those of a search by relevance.
    pub(crate) fn ranked<'a>(
        &self,
        ledger: &'a Ledger,
    ) -> Box<dyn Iterator<Item = &'a RuleRecord> + 'a> {
        match self {
            Self::List | Self::Status { .. } => Box::new(std::iter::empty()),
            Self::Read { scope } => Box::new(ledger.live_in(scope)),
            Self::Search { query, .. } => {
                let found = ledger.index().search(query);
                Box::new(found.filter_map(|id| ledger.rule(id)))
            }
        }
    }

    /// Rules that the answer shows at most.
    const fn limit(&self) -> usize {
        match self {
            Self::Search { limit, .. } => *limit,
            _ => MAX_READ,
        }
    }

    /// Whether rules other than the caller's own are looked at: only these answers can differ
    /// between arms.
    pub(crate) const fn reads_rules(&self) -> bool {
        matches!(self, Self::Read { .. } | Self::Search { .. })
    }
}

/// The ids of the rules whose text an answer holds.
pub(crate) fn surfaced(answer: &Value) -> Vec<RuleId> {
    answer
        .get("rules")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|rule| RuleId::parse(rule.get("id")?.as_str()?).ok())
        .collect()
}

/// The answer of a failed call.
pub(crate) fn failed(reason: &str) -> Value {
    json!({ "ok": false, "error": reason })
}

/// The answer to any other name.
pub(crate) fn unsupported(name: &str) -> Value {
    let shown = Quoted(name).to_string();
    failed(&format!(
        "unsupported capability '{}'",
        shown.trim_matches('`')
    ))
}

/// The rules that one answer shows, filled from the best rule on.
pub(crate) struct Page<'a> {
    shown: Vec<&'a RuleRecord>,
    provisional: usize,
    limit: usize,
}

impl<'a> Page<'a> {
    /// A page of the rules that `shows` lets through.
    fn of(
        call: &Call,
        ranked: impl Iterator<Item = &'a RuleRecord>,
        shows: &dyn Fn(&RuleRecord) -> bool,
    ) -> Self {
        let mut page = Self::empty(call);
        for record in ranked {
            if !page.has_room_for(record) {
                break;
            }
            if shows(record) {
                page.show(record);
            }
        }
        page
    }

    pub(crate) const fn empty(call: &Call) -> Self {
        Self {
            shown: Vec::new(),
            provisional: 0,
            limit: call.limit(),
        }
    }

    /// Whether the page would hold the rule if it were shown. If not, it holds none of those behind
    /// it either, as what is behind a candidate is one too.
    pub(crate) fn has_room_for(&self, record: &RuleRecord) -> bool {
        let is_active = record.status == RuleStatus::Active;
        self.shown.len() < self.limit && (is_active || self.provisional < MAX_PROVISIONAL)
    }

    /// Puts a rule on the page; there must be room for it.
    pub(crate) fn show(&mut self, record: &'a RuleRecord) {
        self.provisional += usize::from(record.status == RuleStatus::Candidate);
        self.shown.push(record);
    }
}

fn document(record: &RuleRecord) -> Value {
    let provisional = record.status == RuleStatus::Candidate;
    json!({
        "id": record.rule.id.as_str(),
        "scope": record.rule.scope.as_str(),
        "status": if provisional { "provisional" } else { "active" },
        "rule": record.rule.text.as_str(),
    })
}

fn list(ledger: &Ledger) -> Value {
    let scopes: Vec<Value> = crate::render::scope_counts(ledger)
        .into_iter()
        .map(|(scope, (active, provisional))| {
            json!({
                "scope": scope.as_str(),
                "active": active,
                "provisional": provisional,
            })
        })
        .collect();
    json!({ "ok": true, "description": DESCRIPTION, "guide": GUIDE, "scopes": scopes })
}

fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, Value> {
    value
        .as_str()
        .ok_or_else(|| failed(&format!("`{name}` is text and must be given")))
}
