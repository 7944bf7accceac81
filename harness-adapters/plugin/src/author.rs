//! The author's side: a safe trait, and what its calls say.
//!
//! A call is a JSON object with `do`: `describe`, `score` (with `trace` and `tier`), `verify` (with
//! `trace` and `turn`) or `reply` (with `prompt`, `exchange` and `tools`). A trace is `{id, request, spans: [{kind, name, speaker, arguments:
//! [{path, value}], output, status}], dropped}`: cleaned, bounded, and without the spans of the four
//! rule tools.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Value, json};

/// When a metric is asked for, and what it may alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Every turn; may stall or regress.
    Progress,
    /// Once progress or the outcome alerts; may breach.
    Diagnosis,
    /// On a confirmed breach; explains, and never alerts.
    Explanation,
}

impl Tier {
    /// The number in calls.
    pub const fn number(self) -> u8 {
        match self {
            Self::Progress => 1,
            Self::Diagnosis => 2,
            Self::Explanation => 3,
        }
    }
}

/// What a plugin is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// Its name where scores are recorded.
    pub name: &'static str,
    /// The version of its rules; scores of different versions are not compared.
    pub version: &'static str,
    /// The metrics it scores: name, tier, and the threshold below which a score is a breach.
    pub metrics: Vec<(&'static str, Tier, f64)>,
    /// Whether it checks outcomes.
    pub verifies: bool,
    /// Whether it can be the model of the repair agent.
    pub repairs: bool,
}

/// A score, from 0 (worst) to 1 (best).
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The metric; one that was declared.
    pub metric: &'static str,
    /// The score; none if the metric has nothing to say of this trace.
    pub score: Option<f64>,
    /// What in the trace led to it.
    pub reason: String,
}

/// What an author writes. One value is made for the thread that a host keeps for the plugin, at its
/// first call.
///
/// ```
/// use harness_plugin::{Description, Plugin, Scored, Tier, Value, export_plugin};
///
/// #[derive(Default)]
/// struct Brevity;
///
/// impl Plugin for Brevity {
///     fn describe(&self) -> Description {
///         Description {
///             name: "brevity",
///             version: "1",
///             metrics: vec![("brevity", Tier::Progress, 0.5)],
///             ..Description::default()
///         }
///     }
///
///     fn score(&mut self, trace: &Value, _tier: u8) -> Result<Vec<Scored>, String> {
///         let steps = trace["spans"].as_array().map_or(0, Vec::len);
///         Ok(vec![Scored {
///             metric: "brevity",
///             score: Some(1.0 / (1.0 + steps as f64 / 10.0)),
///             reason: format!("{steps} steps"),
///         }])
///     }
/// }
///
/// export_plugin!(Brevity);
/// # fn main() {}
/// ```
pub trait Plugin: Default + 'static {
    /// What it is. Asked once, when it is loaded.
    fn describe(&self) -> Description;

    /// Scores the metrics of a tier.
    ///
    /// # Errors
    /// The trace cannot be scored, and why.
    fn score(&mut self, trace: &Value, tier: u8) -> Result<Vec<Scored>, String>;

    /// Checks what a turn achieved: 1 for right, 0 for wrong, or between, and what it is about it.
    /// `turn` is `{session, index, task_summary}`.
    ///
    /// # Errors
    /// The outcome cannot be checked, and why.
    fn verify(&mut self, trace: &Value, turn: &Value) -> Result<(f64, String), String> {
        let _ = (trace, turn);
        Err("it checks no outcomes".to_owned())
    }

    /// One reply of the repair agent's model. `request` is `{prompt, exchange: [{reply: {text,
    /// calls}} | {answers: [{call_id, name, content}]} | {reminder}], tools: [{name, description,
    /// parameters}], max_output_tokens, temperature, reasoning_effort}`; the reply is `{text, calls:
    /// [{id, name, arguments}], output_tokens, stop: complete | truncated | refused}`.
    ///
    /// # Errors
    /// It does not reply to this, and why.
    fn reply(&mut self, request: &Value) -> Result<Value, String> {
        let _ = request;
        Err("it repairs nothing".to_owned())
    }
}

thread_local! {
    /// The plugins of this library that have been called on this thread; there is one.
    static MADE: RefCell<HashMap<TypeId, Box<dyn Any>>> = RefCell::default();
}

/// Answers a call. Bytes that are no call are an error, not a panic.
pub(crate) fn answer<P: Plugin>(asked: &[u8]) -> Result<Vec<u8>, String> {
    let asked: Value =
        serde_json::from_slice(asked).map_err(|_| "the call is no JSON".to_owned())?;
    MADE.with_borrow_mut(|made| {
        let made = made
            .entry(TypeId::of::<P>())
            .or_insert_with(|| Box::new(P::default()));
        let plugin = made
            .downcast_mut::<P>()
            .ok_or_else(|| "the plugin is another".to_owned())?;
        carry_out(plugin, &asked).map(|answer| answer.to_string().into_bytes())
    })
}

fn carry_out<P: Plugin>(plugin: &mut P, asked: &Value) -> Result<Value, String> {
    let part = |name: &str| asked.get(name).unwrap_or(&Value::Null);
    match part("do").as_str() {
        Some("describe") => {
            let description = plugin.describe();
            let metrics: Vec<Value> = description
                .metrics
                .iter()
                .map(|(name, tier, threshold)| {
                    json!({ "name": name, "tier": tier.number(), "threshold": threshold })
                })
                .collect();
            Ok(json!({
                "name": description.name,
                "version": description.version,
                "metrics": metrics,
                "verifies": description.verifies,
                "repairs": description.repairs,
            }))
        }
        Some("score") => {
            let tier = part("tier")
                .as_u64()
                .and_then(|tier| u8::try_from(tier).ok());
            let scores = plugin.score(part("trace"), tier.unwrap_or_default())?;
            let scores: Vec<Value> = scores
                .iter()
                .map(|scored| {
                    json!({
                        "metric": scored.metric,
                        "score": scored.score,
                        "reason": scored.reason,
                    })
                })
                .collect();
            Ok(json!({ "scores": scores }))
        }
        Some("verify") => {
            let (score, reason) = plugin.verify(part("trace"), part("turn"))?;
            Ok(json!({ "score": score, "reason": reason }))
        }
        Some("reply") => plugin.reply(asked),
        _ => Err("the call is none that this version knows".to_owned()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A plugin that counts its calls.
    #[derive(Default)]
    pub(crate) struct Echo {
        calls: u32,
    }

    impl Plugin for Echo {
        fn describe(&self) -> Description {
            Description {
                name: "echo",
                version: "1",
                metrics: vec![("echo", Tier::Diagnosis, 0.25)],
                ..Description::default()
            }
        }

        fn score(&mut self, trace: &Value, tier: u8) -> Result<Vec<Scored>, String> {
            self.calls += 1;
            Ok(vec![Scored {
                metric: "echo",
                score: None,
                reason: format!("{tier} {} {}", self.calls, trace["id"]),
            }])
        }
    }

    fn told(asked: &Value) -> Result<Value, String> {
        let answer = answer::<Echo>(asked.to_string().as_bytes())?;
        Ok(serde_json::from_slice(&answer).unwrap())
    }

    #[test]
    fn each_call_is_carried_out_by_the_same_value() {
        assert_eq!(
            told(&json!({"do": "describe"})),
            Ok(json!({
                "name": "echo", "version": "1", "verifies": false, "repairs": false,
                "metrics": [{"name": "echo", "tier": 2, "threshold": 0.25}],
            }))
        );
        for call in 1..3 {
            let scores = told(&json!({"do": "score", "tier": 2, "trace": {"id": "t"}})).unwrap();
            assert_eq!(scores["scores"][0]["reason"], format!("2 {call} \"t\""));
        }
        assert_eq!(
            told(&json!({"do": "verify"})),
            Err("it checks no outcomes".to_owned())
        );
    }

    #[test]
    fn what_is_no_call_is_an_error() {
        for asked in ["", "[", "3", "{}", r#"{"do": "dance"}"#] {
            assert!(answer::<Echo>(asked.as_bytes()).is_err(), "{asked}");
        }
    }
}
