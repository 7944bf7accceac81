//! A workspace in a temporary folder, and made-up turns.

use std::path::PathBuf;
use std::sync::Arc;

use harness_core::{
    Argument, Arguments, CleanString, CleanText, ErrorClass, Origin, SessionId, Span, SpanKind,
    SpanStatus, Speaker, Timestamp, Trace, TraceId, TurnPayload,
};
use harness_engine::{Config, EmbeddedEvaluator, Harness, ModelChoice, Repair, Setup, Verifier};
use harness_sanitize::Redactor;
use harness_store::{Workspace, WorkspacePaths};

pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        Workspace::init(
            &world.paths(),
            Timestamp::from_micros(1_800_000_000_000_000),
        )
        .unwrap();
        world
    }

    pub(crate) fn paths(&self) -> WorkspacePaths {
        WorkspacePaths {
            root: self.folder.path().join("root"),
            config_dir: self.folder.path().join("config"),
        }
    }

    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.paths().root.join(path)
    }

    pub(crate) fn setup(&self) -> Setup {
        Setup {
            paths: self.paths(),
            config: Config {
                eval_retry_s: 0,
                ..Config::default()
            },
            evaluator: Arc::new(EmbeddedEvaluator),
            verifier: None,
            repair: Repair::With(ModelChoice::Builtin),
            redactor: Redactor::patterns_only(),
            clock: None,
        }
    }

    pub(crate) fn open(&self, verifier: Option<Arc<dyn Verifier>>) -> Harness {
        Harness::open(Setup {
            verifier,
            ..self.setup()
        })
        .unwrap()
    }
}

pub(crate) fn clean(text: &str) -> CleanString {
    CleanText::new(text.to_owned()).unwrap()
}

pub(crate) fn session(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

pub(crate) fn call(tool: &str, argument: (&str, &str), output: &str, status: SpanStatus) -> Span {
    Span {
        kind: SpanKind::Tool,
        name: clean(tool),
        speaker: Speaker::Tool,
        arguments: Arguments::from_leaves(vec![Argument {
            path: clean(argument.0),
            value: clean(argument.1),
        }]),
        output: clean(output),
        status,
        started_at: None,
        ended_at: None,
        tokens: None,
    }
}

pub(crate) fn reply(text: &str) -> Span {
    Span {
        kind: SpanKind::Llm,
        name: clean("model"),
        speaker: Speaker::Agent,
        arguments: Arguments::none(),
        output: clean(text),
        status: SpanStatus::Ok,
        started_at: None,
        ended_at: None,
        tokens: None,
    }
}

/// A turn in which a file is asked for by a guessed name, again and again.
pub(crate) fn failing(name: &str, index: u32, origin: Origin) -> TurnPayload {
    let missing = SpanStatus::Failed(ErrorClass::NotFound);
    let read = || call("read_file", ("path", "march.txt"), "no such file", missing);
    let spans = vec![
        call(
            "list_files",
            ("folder", "inbox"),
            "a.txt b.txt",
            SpanStatus::Ok,
        ),
        read(),
        read(),
        read(),
        reply("I could not find the report."),
    ];
    payload(name, index, origin, spans)
}

/// A turn in which everything goes well.
pub(crate) fn fine(name: &str, index: u32, origin: Origin) -> TurnPayload {
    let spans = vec![
        call("read_file", ("path", "a.txt"), "12", SpanStatus::Ok),
        reply("The sum is 12."),
    ];
    payload(name, index, origin, spans)
}

fn payload(name: &str, index: u32, origin: Origin, spans: Vec<Span>) -> TurnPayload {
    let id = TraceId::parse(&format!("{name}#{index}")).unwrap();
    let trace = Trace::new(id, clean("Sum the report of March."), spans);
    TurnPayload::new(session(name), index, origin, trace)
}

/// The events of one kind in the journal.
pub(crate) fn events(world: &World, kind: &str) -> Vec<serde_json::Value> {
    std::fs::read_to_string(world.file("journal.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|event: &serde_json::Value| event["type"] == kind)
        .collect()
}
