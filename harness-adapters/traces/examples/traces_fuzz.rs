//! A fuzzer of the reader: seeded, without coverage, on the stable compiler.
//!
//! `fuzz [--seconds N] [--seed N] [--json]` grows documents from pieces that mean something to the
//! reader (messages, spans of every export, wire formats, attributes, nests), breaks some of them,
//! packs some, and checks on every document:
//!
//! - `clean`: every text of every trace is one that core accepts, within its bound;
//! - `turned`: every conversation has a turn, every turn a step, and every used span a turn;
//! - `bounded`: no list exceeds its bound;
//! - `repeated`: reading again says the same;
//! - `packed`: gzip changes nothing.
//!
//! No property panics. The first document that breaks one is printed, escaped, with its seed;
//! exit 1.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program reports on them"
)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use flate2::{Compression, write::GzEncoder};
use harness_core::{CleanText, SessionId, Trace};
use harness_sanitize::{Gate, Intake, Redactor};
use harness_traces::{Document, Limits, Reader};

/// Pieces that mean something: of JSON, names that the reader looks for, and hostile text.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\n",
    "null",
    "0",
    "-1",
    "1e999",
    "\\u0000",
    "\\ud800",
    "\"messages\":[",
    "\"role\":\"user\"",
    "\"role\":\"assistant\"",
    "\"role\":\"tool\"",
    "\"content\":\"words\"",
    "\"content\":[",
    "{\"type\":\"text\",\"text\":\"words\"}",
    "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"look\",\"input\":{}}",
    "{\"type\":\"tool_result\",\"tool_use_id\":\"1\",\"content\":\"found\"}",
    "\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]",
    "\"tool_call_id\":\"1\"",
    "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[",
    "]}]}]}",
    "\"traceId\":\"a1\"",
    "\"spanId\":\"b2\"",
    "\"parentSpanId\":\"b2\"",
    "\"name\":\"look\"",
    "\"startTimeUnixNano\":\"1700000000000000000\"",
    "\"status\":{\"code\":2}",
    "\"attributes\":[{\"key\":\"gen_ai.operation.name\",\"value\":{\"stringValue\":\"chat\"}}]",
    "\"attributes\":{\"openinference.span.kind\":\"TOOL\",\"input.value\":\"{}\"}",
    "\"attributes\":{\"llm.output_messages.0.message.content\":\"words\",\"a.0.1.2\":3}",
    "\"gen_ai.output.messages\":\"[{\\\"role\\\":\\\"assistant\\\",\\\"content\\\":\\\"words\\\"}]\"",
    "\"id\":\"b2\",\"startTime\":null",
    "\"type\":\"GENERATION\"",
    "\"output\":\"words\"",
    "\"span\":{",
    "\"session.id\":\"s\"",
    "\"sessionId\":\"repair-00000000000000aa\"",
    "\u{1b}[31m",
    "\u{202e}",
    "ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6",
    "HARNESS:",
];

/// Whole documents that are broken in places.
const WHOLE: &[&str] = &[
    r#"{"session_id":"s","messages":[{"role":"user","content":"ask"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"look","arguments":"{\"a\":[1]}"}}]},{"role":"tool","tool_call_id":"1","content":"Error: not found"},{"role":"assistant","content":"no"}]}"#,
    r#"[{"role":"user","content":"ask"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"look","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"found"}]}]"#,
    r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a1","spanId":"b1","name":"chat","startTimeUnixNano":"1700000000000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"words\"}]}]"}}]},{"traceId":"a1","spanId":"b2","parentSpanId":"b1","name":"look","status":{"code":2,"message":"not found"},"attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"look"}}]}]}]}]}"#,
    r#"{"span":{"id":"a1","timestamp":"2026-11-30T00:00:00Z","sessionId":"s","input":"ask","observations":[{"id":"b1","traceId":"a1","startTime":"2026-11-30T00:00:00Z","type":"GENERATION","output":{"role":"assistant","content":"words"}}]}}"#,
];

/// A span on the wire: one resource, one scope, one span with ids, a name and an attribute.
const WIRE: &[u8] = b"\x0a\x2f\x12\x2d\x12\x2b\x0a\x02\xa1\xa1\x12\x02\xb1\xb1\x2a\x04look\x4a\x1b\x0a\x09tool.name\x12\x0e\x0a\x0clook at this";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, default: u64| {
        let value = arguments
            .iter()
            .skip_while(|argument| *argument != name)
            .nth(1);
        value
            .and_then(|value| value.parse().ok())
            .unwrap_or(default)
    };
    let seconds = number("--seconds", 10);
    let seed = number("--seed", 1);
    let json = arguments.iter().any(|argument| argument == "--json");
    let intake = Intake::new(Gate::default(), Redactor::patterns_only());
    let mut random = Random(seed);
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        let bytes = document(&mut random);
        for (name, holds) in check(&bytes, &intake) {
            *counts.entry(name).or_default() += 1;
            if !holds {
                eprintln!(
                    "fuzz: `{name}` is broken by \"{}\" (seed {seed})",
                    bytes.escape_ascii()
                );
                return ExitCode::FAILURE;
            }
        }
    }
    for (target, texts) in counts {
        if json {
            println!("{{\"target\":\"{target}\",\"texts\":{texts},\"findings\":0}}");
        } else {
            println!("{target:16} {texts:10} documents, no finding");
        }
    }
    ExitCode::SUCCESS
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or_default()
    }

    fn pick<'p>(&mut self, from: &[&'p str]) -> &'p str {
        from.get(self.below(from.len()))
            .copied()
            .unwrap_or_default()
    }
}

fn document(random: &mut Random) -> Vec<u8> {
    let mut bytes: Vec<u8> = match random.below(4) {
        0 => (0..random.below(40))
            .map(|_| random.pick(PIECES))
            .collect::<String>()
            .into_bytes(),
        1 => WIRE.to_vec(),
        _ => random.pick(WHOLE).as_bytes().to_vec(),
    };
    for _ in 0..random.below(5) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 => {
                let byte = u8::try_from(random.below(256)).unwrap_or_default();
                bytes
                    .get_mut(at)
                    .map(|place| std::mem::replace(place, byte));
            }
            1 => {
                let piece = random.pick(PIECES).bytes().collect::<Vec<u8>>();
                bytes.splice(at..at, piece);
            }
            2 => bytes.truncate(at),
            _ => {
                let again: Vec<u8> = bytes.iter().skip(at).take(60).copied().collect();
                bytes.splice(at..at, again);
            }
        }
    }
    if random.below(300) == 0 {
        let line = [bytes.clone(), b"\n".to_vec()].concat();
        bytes = line.repeat(1 + 20_000 / line.len());
    }
    bytes
}

fn check(bytes: &[u8], intake: &Intake) -> Vec<(&'static str, bool)> {
    let read =
        |bytes: &[u8]| Reader::new(intake, Limits::default()).read_document(bytes, |_| name());
    let document = read(bytes);
    let turns = || document.conversations.iter().flat_map(|found| &found.turns);
    vec![
        ("clean", turns().all(is_clean)),
        ("turned", is_turned(&document)),
        (
            "bounded",
            document.unreadable.len() <= Limits::REPORTS
                && document.spans.dropped.len() <= Limits::REPORTS
                && turns().all(|turn| turn.spans().len() <= Trace::MAX_SPANS),
        ),
        ("repeated", read(bytes) == document),
        (
            "packed",
            bytes.starts_with(&[0x1f]) || read(&packed(bytes)) == document,
        ),
    ]
}

fn is_clean(turn: &Trace) -> bool {
    let fits = |text: &CleanText<'_>, max: usize| {
        text.len() <= max && CleanText::new(text.as_str()).is_ok()
    };
    fits(turn.request(), Limits::TEXT)
        && turn.spans().iter().all(|span| {
            fits(&span.name, Limits::NAME)
                && fits(&span.output, Limits::TEXT)
                && span
                    .arguments
                    .leaves()
                    .iter()
                    .all(|leaf| fits(&leaf.path, Limits::NAME) && fits(&leaf.value, Limits::VALUE))
        })
}

fn is_turned(document: &Document) -> bool {
    let conversations = &document.conversations;
    conversations.iter().all(|found| {
        !found.turns.is_empty() && found.turns.iter().all(|turn| !turn.spans().is_empty())
    }) && (document.spans.used == 0 || !conversations.is_empty())
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(bytes);
    match (written, encoder.finish()) {
        (Ok(()), Ok(packed)) => packed,
        _ => bytes.to_vec(),
    }
}

fn name() -> SessionId {
    SessionId::parse("unnamed").unwrap_or_else(|_| unreachable!("it is one"))
}
