//! Recorded conversations of our own making, in the shape of chat-completion message lists: an
//! agent that fails for a different reason in each session, and now and then one that works.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Turns a session: more than a stall needs, fewer than end a session by count.
const TURNS: usize = 8;

/// Calls a failing turn makes before it gives up.
const CALLS: usize = 3;

/// One way to fail: the tool, its arguments, what it answers, and what the agent says in the end.
struct Failure {
    tool: &'static str,
    argument: (&'static str, &'static str),
    error: &'static str,
    answer: &'static str,
}

const FAILURES: [Failure; 6] = [
    Failure {
        tool: "read_file",
        argument: ("path", "notes/today.txt"),
        error: "Error: no such file or directory",
        answer: "I could not find the notes.",
    },
    Failure {
        tool: "book_room",
        argument: ("date", "next tuesday"),
        error: "Error: invalid argument `date`: expected YYYY-MM-DD",
        answer: "I was unable to book the room.",
    },
    Failure {
        tool: "delete_record",
        argument: ("record_id", "current"),
        error: "Error: permission denied",
        answer: "I cannot do that, sorry.",
    },
    Failure {
        tool: "fetch_report",
        argument: ("quarter", "last"),
        error: "Error: the request timed out",
        answer: "The report is not available, I give up.",
    },
    Failure {
        tool: "send_invoice",
        argument: ("customer", "everyone"),
        error: "Error: missing required argument `amount`",
        answer: "I failed to send the invoice.",
    },
    Failure {
        tool: "lookup_weather",
        argument: ("city", "here"),
        error: "Error: unknown tool",
        answer: "Something went wrong.",
    },
];

/// Writes `count` sessions into `folder`, which is made; `first` numbers the first of them.
pub(crate) fn write(folder: &Path, first: usize, count: usize) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    for number in first..first + count {
        let file = folder.join(format!("session-{number:06}.json"));
        fs::write(&file, conversation(number).to_string())
            .with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    Ok(())
}

/// A session; its number decides what becomes of it, and it shares its text with no other.
fn conversation(number: usize) -> Value {
    let works = number % 7 == 6;
    let mut messages = vec![json!({"role": "system", "content": "You are an office assistant."})];
    let failure = FAILURES.iter().cycle().nth(number % FAILURES.len());
    for turn in 0..TURNS {
        messages.push(json!({
            "role": "user",
            "content": format!("Request {turn} of session {number}: please take care of it."),
        }));
        if let Some(failure) = failure {
            messages.extend(turn_messages(failure, number, turn, works));
        }
    }
    json!({
        "session_id": format!("office-{number:06}"),
        "model": "generated",
        "messages": messages,
    })
}

fn turn_messages(failure: &Failure, number: usize, turn: usize, works: bool) -> Vec<Value> {
    let calls = if works { 1 } else { CALLS };
    let mut messages = Vec::new();
    for call in 0..calls {
        let id = format!("call-{number}-{turn}-{call}");
        let (name, value) = failure.argument;
        messages.push(json!({
            "role": "assistant",
            "content": null,
            "tool_calls": [{
                "id": id,
                "type": "function",
                "function": {
                    "name": failure.tool,
                    "arguments": json!({name: value}).to_string(),
                },
            }],
        }));
        let content = if works { "done" } else { failure.error };
        messages.push(json!({
            "role": "tool",
            "tool_call_id": id,
            "name": failure.tool,
            "content": content,
        }));
    }
    let answer = if works {
        format!("Request {turn} is done.")
    } else {
        failure.answer.to_owned()
    };
    messages.push(json!({"role": "assistant", "content": answer}));
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_is_answered_under_its_own_id() {
        for number in 0..14 {
            let session = conversation(number);
            let messages = session["messages"].as_array().unwrap();
            let asked: Vec<_> = messages
                .iter()
                .filter_map(|message| message["tool_calls"][0]["id"].as_str())
                .collect();
            let answered: Vec<_> = messages
                .iter()
                .filter_map(|message| message["tool_call_id"].as_str())
                .collect();
            assert_eq!(asked, answered);
            assert!(asked.len() >= TURNS);
        }
    }

    #[test]
    fn sessions_fail_in_several_ways_and_some_work() {
        let texts: Vec<_> = (0..7).map(|n| conversation(n).to_string()).collect();
        assert!(texts.iter().any(|text| text.contains("permission denied")));
        assert!(texts.iter().any(|text| text.contains("timed out")));
        assert!(texts.iter().any(|text| !text.contains("Error")));
    }
}
