//! A fuzzer of the command policies: seeded, without coverage, on the stable compiler.
//!
//! `fuzz [--seconds N] [--seed N] [--json]` puts pieces together that mean something to a shell
//! (words, quotations, operators, substitutions, wrappers, paths) and checks on every text:
//!
//! - `answered`: both policies answer, and the same text gets the same answer twice;
//! - `hidden`: a refused command behind the text in a substitution is not allowed;
//! - `appended`: what is not allowed does not become allowed by a harmless command behind it;
//! - `quoted`: words that are quoted for a shell come back as they were;
//! - `as_bash`: a text that is allowed is one that `bash -n` reads, where there is a bash (every
//!   hundredth text).
//!
//! No property panics. The first text that breaks one is printed, escaped, with its seed; exit 1.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program reports on them"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use harness_shell::general::{CommandText, Context, HostCommand, decide};
use harness_shell::{Decision, MAX_LINE, Verdict, split};

/// Pieces that mean something.
const PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    "\t",
    "\n",
    "\\\n",
    ";",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "(",
    ")",
    "{ ",
    "; }",
    "<",
    ">",
    ">>",
    "2>&1",
    "&>",
    "<<E\n",
    "\nE\n",
    "<<<",
    "<(",
    ">(",
    "$(",
    "`",
    "${",
    "}",
    "$((",
    "))",
    "$'",
    "'",
    "\"",
    "\\",
    "#",
    "!",
    "~",
    "*",
    "?",
    "[",
    "]",
    "[[ ",
    " ]]",
    "=",
    "x=",
    "x=(",
    "-",
    "--",
    "-c ",
    "-exec ",
    " \\;",
    "+",
    "{}",
    "if ",
    "; then ",
    "; fi",
    "while ",
    "; do ",
    "; done",
    "for x in ",
    "case x in ",
    "x) ",
    ";;",
    "esac",
    "f() ",
    "function ",
    "echo ",
    "cat ",
    "ls ",
    "find . ",
    "xargs ",
    "env ",
    "timeout 5 ",
    "bash -c ",
    "sh ",
    "eval ",
    "cd ",
    "cd .. ",
    "git ",
    "jq ",
    "sed ",
    "awk ",
    "sort ",
    "rm -rf ",
    "sudo ",
    "curl ",
    "notes.txt",
    "../x",
    "/etc/shadow",
    ".env",
    "a/b",
    "$HOME",
    "$x",
    "$?",
    "%2e",
    "é",
    "\u{a0}",
    "\u{200b}",
    "\0",
    "true",
    "x",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, default: u64| {
        let mut behind = arguments.iter().skip_while(|argument| *argument != name);
        let value = behind.nth(1).and_then(|value| value.parse().ok());
        value.unwrap_or(default)
    };
    let seconds = number("--seconds", 10);
    let seed = number("--seed", 1);
    let json = arguments.iter().any(|argument| argument == "--json");
    let Ok(context) = Context::by_spelling(Path::new("/srv/workspace")) else {
        return ExitCode::FAILURE;
    };
    let policies = Policies {
        context: context.with_host_commands(HostCommand::editor()),
        has_bash: as_bash("true").is_some(),
    };
    let mut random = Random(seed);
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        let text = text(&mut random);
        for (name, holds) in policies.check(&text, &mut random) {
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
    for _ in 0..random.below(20) {
        let piece = PIECES.get(random.below(PIECES.len())).copied();
        let piece = piece.unwrap_or_default();
        match random.below(40) {
            0 => text.push_str(&piece.repeat(random.below(40))),
            1 => text.extend(char::from_u32(
                u32::try_from(random.next() % 0x11_0000).unwrap_or_default(),
            )),
            _ => text.push_str(piece),
        }
    }
    text
}

struct Policies {
    context: Context,
    has_bash: bool,
}

impl Policies {
    fn decide(&self, line: &str) -> Decision {
        decide(CommandText::Line(line), &self.context)
    }

    fn check(&self, text: &str, random: &mut Random) -> Vec<(&'static str, bool)> {
        let decision = self.decide(text);
        let _ = split(text);
        let hidden = self.decide(&format!("{text}\necho $(sudo id)"));
        let appended = self.decide(&format!("{text}\ntrue"));
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let mut checks = vec![
            (
                "answered",
                self.decide(text) == decision && !decision.reason().is_empty(),
            ),
            // Within a quotation or a remark of the text it is no command.
            (
                "hidden",
                hidden.verdict() != Verdict::Allow || !decision.is_allowed(),
            ),
            (
                "appended",
                !appended.is_allowed()
                    || decision.is_allowed()
                    || decision.rule() == "general.empty"
                    || decision.rule() == "general.unread",
            ),
            (
                "quoted",
                matches!(split(&quoted(&words)), Ok(again) if again == words)
                    || text.len() > MAX_LINE / 4,
            ),
        ];
        if self.has_bash && decision.is_allowed() && random.below(100) == 0 {
            checks.push(("as_bash", as_bash(text) == Some(true)));
        }
        checks
    }
}

fn quoted(words: &[String]) -> String {
    let quote = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
    words.iter().map(quote).collect::<Vec<String>>().join(" ")
}

/// Whether bash reads a text, without running it.
fn as_bash(text: &str) -> Option<bool> {
    let mut bash = Command::new("bash");
    bash.args(["-n", "-c", text])
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    bash.status().ok().map(|status| status.success())
}
