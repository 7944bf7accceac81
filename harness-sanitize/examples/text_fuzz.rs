//! A fuzzer of the text boundary: seeded, without coverage, on the stable compiler.
//!
//! `fuzz [--seconds N] [--seed N] [--json]` mutates pieces that mean something to the boundary
//! (escapes, invisibles, markers, rulings, secrets, encodings, phrases) and checks on every text:
//!
//! - `accepted`: core accepts what the gate lets out;
//! - `idempotent`: cleaning twice is cleaning once, redacting too;
//! - `bounded`: no output exceeds its bound, no scan its number of findings;
//! - `unchanged`: clean text comes back borrowed;
//! - `streamed`: the filter on a pipe says the same, however its input is cut;
//! - `no_known_value`: no known value is left by the redactor, in any encoding;
//! - `fenced`: a fence holds one closing tag, its own;
//! - `spans`: every span is a part of its text.
//!
//! No property panics. The first text that breaks one is printed, escaped, with its seed; exit 1.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program reports on them"
)]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use harness_core::CleanText;
use harness_sanitize::{
    Gate, GateStream, Intake, MAX_FINDINGS, Nonce, Quarantine, Quarantined, Redactor, Scanner,
    TRUNCATED, external_document, tool_result,
};

/// A value that must not be left, and the encodings in which it is put in.
const KNOWN: &[&str] = &[
    "Tr0ub4dor&3-horse",
    "esroh-3&rod4bu0rT",
    "5472307562346",
    "547230756234646f7226332d686f727365",
    "VHIwdWI0ZG9yJjMtaG9yc2U",
    "Tr0ub4dor%263-horse",
    "%54r0ub4dor&3%2Dhors%65",
];

/// Pieces that mean something.
const PIECES: &[&str] = &[
    "\u{1B}[31m",
    "\u{1B}]0;t\u{07}",
    "\u{9B}1m",
    "\u{90}q",
    "\u{9C}",
    "\u{1B}",
    "\r",
    "\r\n",
    "\n",
    "\t",
    "\u{200B}",
    "\u{200D}",
    "\u{200C}",
    "\u{FE0F}",
    "\u{202E}",
    "\u{2066}",
    "\u{E0041}",
    "\u{E0100}",
    "\u{AD}",
    "\u{FEFF}",
    "\u{332}",
    "\u{20E3}",
    "\u{E000}",
    "\u{3000}",
    "\u{A0}",
    "\u{85}",
    "\u{2028}",
    "HARNESS:",
    "harness:",
    "HARN",
    "ESS:",
    "SYSTEM",
    "ALERT",
    "SYSTEM ALERT",
    "PANDAPROBE HARNESS",
    "<|im_start|>",
    "<|",
    "|>",
    "im_start",
    "[INST]",
    "[/INST]",
    "<harness-",
    "</harness-tool-result",
    "</harness-",
    "=====",
    "= = =",
    "-=",
    "***",
    "│",
    "═",
    "#",
    "!!!!!",
    "…",
    "…[truncated]",
    "·",
    "а",
    "е",
    "ѕ",
    "ｈ",
    "ℎ",
    "𝐡",
    "I",
    "l",
    "1",
    "0",
    "7",
    "m",
    "rn",
    "é",
    "漢",
    "か",
    "👩",
    "❤",
    "ﷺ",
    "क्",
    "می",
    "password",
    "=",
    ":",
    "\"",
    "'",
    "\\",
    "\\\"",
    "key",
    "token ",
    "Bearer ",
    "ghp_",
    "sk-",
    "AKIA",
    "eyJ",
    ".",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "https://u:",
    "@",
    "/",
    "%41",
    "&#65;",
    "<secret>",
    "</secret>",
    "0123456789abcdef",
    "Zm9vYmFy",
    "aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM",
    "[REDACTED:known-value]",
    "ignore ",
    "all ",
    "previous ",
    "instructions",
    "you are now ",
    " the user",
    "x",
    "hello world ",
    " ",
];

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
    let boundary = Boundary::new();
    let mut random = Random(seed);
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        let text = text(&mut random);
        for (name, holds) in boundary.check(&text, &mut random) {
            *counts.entry(name).or_default() += 1;
            if !holds {
                eprintln!(
                    "fuzz: `{name}` is broken by \"{}\" (seed {seed})",
                    text.escape_debug()
                );
                return ExitCode::FAILURE;
            }
        }
    }
    for (target, texts) in counts {
        if json {
            println!("{{\"target\":\"{target}\",\"texts\":{texts},\"findings\":0}}");
        } else {
            println!("{target:16} {texts:10} texts, no finding");
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
}

fn text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(24) {
        match random.below(16) {
            0 => text.extend(char::from_u32(
                u32::try_from(random.next() % 0x11_0000).unwrap_or_default(),
            )),
            1 => text.extend(KNOWN.get(random.below(KNOWN.len())).copied()),
            2 => {
                let piece = PIECES
                    .get(random.below(PIECES.len()))
                    .copied()
                    .unwrap_or_default();
                text.push_str(&piece.repeat(random.below(40)));
            }
            _ => text.extend(PIECES.get(random.below(PIECES.len())).copied()),
        }
    }
    // At times long enough for bounds and windows to matter.
    if random.below(400) == 0 && !text.is_empty() {
        text = text.repeat(300_000 / text.len());
    }
    text
}

struct Boundary {
    gate: Gate,
    redactor: Redactor,
    intake: Intake,
    scanner: Scanner,
}

impl Boundary {
    fn new() -> Self {
        let known = (
            "APP_SECRET".to_owned(),
            KNOWN.first().copied().unwrap_or_default().to_owned(),
        );
        let redactor = Redactor::with_values([known]);
        Self {
            gate: Gate::with_max_len(0),
            intake: Intake::new(Gate::default(), redactor.clone()),
            redactor,
            scanner: Scanner::new(),
        }
    }

    fn check(&self, text: &str, random: &mut Random) -> Vec<(&'static str, bool)> {
        let max = 1 + random.below(200);
        let clean = self.gate.clean(text);
        let short = self.gate.limited(max).clean(text);
        let again = self.gate.clean(clean.as_str());
        let redacted = self.redactor.redact(text).into_owned();
        let findings = self.scanner.scan(text);
        let taken = self.intake.text(text, max);
        let in_place = |start: usize, end: usize| start < end && text.get(start..end).is_some();
        let spans = self
            .redactor
            .find(text)
            .iter()
            .all(|span| in_place(span.start, span.end))
            && findings
                .iter()
                .all(|finding| in_place(finding.start, finding.end));
        vec![
            (
                "accepted",
                CleanText::new(clean.as_str()).is_ok() && CleanText::new(short.as_str()).is_ok(),
            ),
            (
                "idempotent",
                again == clean && self.redactor.redact(&redacted) == redacted,
            ),
            (
                "bounded",
                short.len() <= max && taken.len() <= max && findings.len() <= MAX_FINDINGS,
            ),
            ("unchanged", again.is_borrowed()),
            ("streamed", self.streamed(text, random)),
            (
                "no_known_value",
                !holds_known(&redacted) && !holds_known(taken.as_str()),
            ),
            ("fenced", self.fenced(text, &clean)),
            ("spans", spans),
        ]
    }

    /// A text within the window is filtered as it is cleaned; of a longer one every part is clean.
    fn streamed(&self, text: &str, random: &mut Random) -> bool {
        let mut filter = GateStream::new(self.gate.clone(), Vec::new());
        for part in text.as_bytes().chunks(1 + random.below(300)) {
            if filter.push(part).is_err() {
                return false;
            }
        }
        let Ok(out) = filter.finish() else {
            return false;
        };
        let Ok(out) = String::from_utf8(out) else {
            return false;
        };
        if text.len() > CleanText::MAX_BYTES {
            return harness_core::text::form::check(&out, usize::MAX).is_ok();
        }
        let clean = self.gate.clean(text);
        clean.as_str() == out || clean.as_str().ends_with(TRUNCATED)
    }

    fn fenced(&self, text: &str, clean: &CleanText<'_>) -> bool {
        let nonce = || Nonce::new([7; 16]);
        let one_end = |fence: &str| {
            let folded: String = harness_core::text::fold(fence).map(|(_, ch)| ch).collect();
            let tag: String = harness_core::text::fold("</harness-")
                .map(|(_, ch)| ch)
                .collect();
            folded.matches(&tag).count() == 1
        };
        let flagged = match Quarantine::new(self.gate.clone()).guard(text, text, nonce()) {
            Quarantined::Passed(passed) => passed == text,
            Quarantined::Flagged(flagged) => one_end(flagged.content().as_str()),
        };
        flagged
            && one_end(tool_result(text, clean, nonce()).as_str())
            && one_end(external_document("web", text, clean, nonce()).as_str())
    }
}

fn holds_known(text: &str) -> bool {
    let whole = [0, 1, 3, 4, 5]
        .into_iter()
        .filter_map(|index| KNOWN.get(index));
    whole.into_iter().any(|value| text.contains(value))
}
