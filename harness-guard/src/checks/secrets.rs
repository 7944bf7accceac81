//! Whether a call that acts carries a secret out of our hands.

use serde_json::Value;

use super::arguments::ValidArguments;
use crate::guard::Inner;
use crate::refusal::{Denial, Refusal};
use crate::tool::{ArgumentKind, Tool};

/// No argument of a call that acts is shaped like a credential.
pub(crate) struct SecretFree(());

pub(super) fn check(
    guard: &Inner,
    tool: &Tool,
    arguments: &ValidArguments,
) -> Result<SecretFree, Refusal> {
    if tool.spec.does().acts() {
        for (name, value) in arguments.get() {
            if tool.spec.arguments.get(name) == Some(&ArgumentKind::Path) {
                continue;
            }
            if let Some(kind) = secret(guard, value) {
                return Err(Refusal::new(
                    Denial::SecretInArguments,
                    format!(
                        "`{name}` holds something like a secret ({kind}): name the variable that holds it instead"
                    ),
                ));
            }
        }
    }
    Ok(SecretFree(()))
}

/// The kind of the first secret in a value, keys included.
fn secret(guard: &Inner, value: &Value) -> Option<&'static str> {
    let in_text = |text: &str| {
        let found = guard.intake.redactor().find(text);
        found.first().map(|span| span.kind.name())
    };
    match value {
        Value::String(text) => in_text(text),
        Value::Array(items) => items.iter().find_map(|item| secret(guard, item)),
        Value::Object(fields) => fields
            .iter()
            .find_map(|(name, value)| in_text(name).or_else(|| secret(guard, value))),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
