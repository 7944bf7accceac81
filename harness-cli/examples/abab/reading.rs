//! What the agent is given to read of the rule tools' answers.
//!
//! The tools are called all the same, on a real workspace: sessions enter, and are held out, as
//! ever. Only what reaches the agent differs.

use harness_rules::TaskToolset;
use serde_json::{Value, json};

use crate::agent::RuleTools;

/// Advice about nothing; it names no tool.
const PLACEBO: &str = "Take your time with every part of the work, stay friendly, and think about \
                       it calmly before going on. ";

/// What becomes of an answer before the agent reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Nothing.
    AsItIs,
    /// Each rule's text gives way to a placebo, to the byte as long and in the same place.
    Placebo,
    /// The rules are gone: the reader is broken.
    Blind,
}

impl Reading {
    fn of(self, mut answer: Value) -> Value {
        match self {
            Self::AsItIs => {}
            Self::Placebo => {
                let rules = answer.get_mut("rules").and_then(Value::as_array_mut);
                for text in rules
                    .into_iter()
                    .flatten()
                    .filter_map(|rule| rule.get_mut("rule"))
                {
                    let length = text.as_str().map_or(0, str::len);
                    *text = json!(placebo(length));
                }
            }
            Self::Blind => answer = json!({ "ok": true, "rules": [] }),
        }
        answer
    }
}

fn placebo(length: usize) -> String {
    PLACEBO.chars().cycle().take(length).collect()
}

/// The four tools of a session, read in one of these ways.
pub(crate) struct Reader {
    /// The session's tools.
    pub(crate) tools: TaskToolset,
    /// How they are read.
    pub(crate) reading: Reading,
}

impl RuleTools for Reader {
    fn call(&self, name: &str, arguments: &Value) -> Value {
        self.reading.of(self.tools.call(name, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::TOOLS;

    fn answer() -> Value {
        json!({ "ok": true, "rules": [
            { "id": "r-1", "rule": "Before calling `read_file`, call `list_files`." },
            { "id": "r-2", "rule": "Look twice." },
        ]})
    }

    #[test]
    fn a_placebo_is_as_long_and_in_the_same_place_and_names_no_tool() {
        let (real, read) = (answer(), Reading::Placebo.of(answer()));
        assert_eq!(read.to_string().len(), real.to_string().len());
        let rules = |answer: &Value| answer["rules"].as_array().unwrap().clone();
        for (real, read) in rules(&real).iter().zip(rules(&read)) {
            assert_eq!(real["id"], read["id"]);
            let [real, read] = [real, &read].map(|rule| rule["rule"].as_str().unwrap());
            assert_eq!(real.len(), read.len());
            assert!(!TOOLS.iter().any(|tool| read.contains(tool)), "{read}");
        }
        assert!(PLACEBO.is_ascii());
    }

    #[test]
    fn as_it_is_changes_nothing_and_a_broken_reader_reads_nothing() {
        assert_eq!(Reading::AsItIs.of(answer()), answer());
        let blind = json!({ "ok": true, "rules": [] });
        assert_eq!(Reading::Blind.of(answer()), blind);
    }
}
