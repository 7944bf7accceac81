//! `harness scan`: where secrets stand, never what they are.

use std::io::{self, Read as _};

use anyhow::Result;
use serde_json::json;

use super::Cli;
use crate::exit::{Exit, Problem};

/// Bytes that are scanned at once; a secret is only seen whole.
const MAX_INPUT: u64 = 64 << 20;

pub(super) fn run(cli: &mut Cli<'_>) -> Result<Exit> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_INPUT + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT {
        let message = format!("the input is larger than {MAX_INPUT} bytes: scan it in parts");
        return Err(Problem::usage(message).into());
    }
    let found = cli.environment.redactor().find(&same_length(&bytes));
    for secret in &found {
        cli.out.json(&json!({
            "kind": secret.kind.name(),
            "level": "secret",
            "start": secret.start,
            "end": secret.end,
        }))?;
    }
    Ok(if found.is_empty() {
        Exit::Done
    } else {
        Exit::Found
    })
}

/// The input as text of the same length, so that offsets are those of the input: a byte that
/// belongs to no character becomes `?`.
fn same_length(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::same_length;

    #[test]
    fn offsets_stay_where_they_are() {
        assert_eq!(same_length(b"a\xffb\xc3"), "a?b?");
        assert_eq!(same_length("žlu".as_bytes()), "žlu");
    }
}
