//! A plugin that is a process of its own, in any language: lines of JSON on its standard input and
//! output. This page is the protocol, version 1; nothing else is needed to write one.
//!
//! # Lines
//! Each line is one JSON object in UTF-8, ended by `\n`, of at most 1 MiB, in either direction. The
//! host calls, one call at a time; the plugin answers. A plugin that buffers its output flushes it
//! behind each line. Standard error is for people: the host keeps the first 4 KiB and shows them
//! when the plugin fails. There is no farewell: the host ends a plugin by killing it, and whatever
//! the plugin started with it.
//!
//! A call has `id`, a whole number that grows, and `do`, which names what is asked. The answer has
//! the same `id`, and either `answer`, an object, or `error`, a text: the plugin is well, and cannot
//! do this one thing. What a plugin does not know of a call it ignores; a `do` that it does not know
//! it answers with an `error`.
//!
//! ```json
//! {"id": 1, "do": "describe", "protocol": 1}
//! {"id": 1, "answer": {"protocol": 1, "name": "brevity", "version": "3",
//!     "metrics": [{"name": "brevity", "tier": 1, "threshold": 0.5}],
//!     "verifies": false, "repairs": false, "replays": false}}
//! ```
//!
//! # Calls
//! | `do` | call | answer |
//! |---|---|---|
//! | `describe` | `protocol` in the first call | `protocol`, `name`, `version`, `metrics`, `verifies`, `repairs`, `replays` |
//! | `score` | `trace`, `tier` | `scores`: `[{metric, score, reason}]` |
//! | `verify` | `trace`, `turn`: `{session, index, task_summary}` | `score`, `reason` |
//! | `environment` | `case`: `{id, replay_input}` | `state`, a text |
//! | `replay` | `case`, `seed`, a whole number as text | `session`, `seed` |
//! | `reply` | `prompt`, `exchange`, `tools`, `max_output_tokens`, `temperature`, `reasoning_effort` | `text`, `calls`, `output_tokens`, `stop` |
//!
//! They are the calls of a library, see [`Plugin`](crate::Plugin), with the same parts:
//! - `describe` is the first call, and may come again later. A plugin that does not answer it with
//!   `protocol` 1 is not used. Started again after a failure it must say the same. Scores are
//!   recorded under `name` and `version`: a plugin that scores otherwise has another version.
//! - A `tier` is 1 (progress), 2 (diagnosis) or 3 (explanation); a `threshold` and a `score` are
//!   numbers from 0 to 1, and a score of `null` says that the metric does not apply. A metric that
//!   was not declared for the tier is an error.
//! - A `trace` is `{id, request, spans: [{kind, name, speaker, arguments: [{path, value}], output,
//!   status}], dropped}`. It is what a judge may see: cleaned, bounded, without a sign of any trial.
//! - In `reply`, `exchange` is a list of `{reply: {text, calls}}`, `{answers: [{call_id, name,
//!   content}]}` and `{reminder}`, `tools` of `{name, description, parameters}`; the reply's `calls`
//!   are `[{id, name, arguments}]`, its `stop` is `complete`, `truncated` or `refused`.
//!
//! # Asking back
//! During `replay`, and no other call, the plugin asks back, any number of times up to 1,024; each
//! is answered before it goes on:
//!
//! ```json
//! {"id": 9, "do": "replay", "case": {"id": "c-0123456789", "replay_input": "sum march"}, "seed": "17"}
//! {"id": 9, "tool": {"name": "harness_rules_search", "arguments": {"query": "read_file"}}}
//! {"id": 9, "result": {"ok": true, "rules": []}}
//! {"id": 9, "turn": {"session": "run-5f3a", "request": "sum march", "spans": [
//!     {"kind": "TOOL", "name": "read_file", "arguments": {"path": "march"}, "status": "not_found"},
//!     {"kind": "LLM", "name": "m", "output": "There is no such file."}]}}
//! {"id": 9, "result": {"ok": true}}
//! {"id": 9, "answer": {"session": "run-5f3a", "seed": "17"}}
//! ```
//!
//! `tool` is one of the four read-only rule tools, in the arm of this run; the agent that is run has
//! no other rule tools. `turn` reports a finished turn, whose spans have a `kind` of `AGENT`, `LLM`,
//! `TOOL` or `CHAIN`, and a `status` of `ok`, `unknown` or the class of an error. The session is a
//! fresh one each time, the seed the one that was used. `environment`, before each run, brings the
//! case to where it begins and names the state that it is in.
//!
//! # What goes wrong
//! A plugin that ends, is silent past its deadline, says a line that is too long or none of these,
//! or answers another number, has failed, see [`ProcessFailure`]: its whole tree is killed, that call
//! comes to nothing, and the plugin is started anew at the next call after a rest, which doubles
//! with each failure in a row up to a bound. An answer of the right number that says something
//! impossible (a score of 7) costs that call alone.
//!
//! # What it can do
//! It runs in the sandbox of `harness-shell`: it reads the system's programs, its folder and what
//! its [`Needs`] declare, writes its folder, reaches no network but the ports that are declared,
//! and sees of the environment `PATH`, `HOME`, `TMPDIR`, `TERM` and the names that are declared.
//! Time is bounded by call, memory, files and processes by [`ProcessProgram::limits`].

mod failure;
mod lines;
mod plugin;
mod program;
mod replay;

pub use self::failure::{Failed, ProcessError, ProcessFailure};
pub use self::lines::{MAX_LINE, PROTOCOL};
pub use self::plugin::ProcessPlugin;
pub use self::program::{Needs, Patience, ProcessProgram};
pub use self::replay::PluginReplay;
