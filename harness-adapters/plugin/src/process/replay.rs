//! A process plugin that replays cases: the one port whose calls ask back.

use std::sync::Arc;

use async_trait::async_trait;
use harness_core::{
    Arguments, CleanString, CleanText, ErrorClass, EvalCase, Origin, SessionId, Span, SpanKind,
    SpanStatus, Speaker, Trace, TraceId, TurnPayload,
};
use harness_engine::{Replay, ReplayFailure, ReplayRun, Replayed};
use harness_sanitize::Intake;
use harness_sanitize::arguments::{LeafBounds, Node, take_apart, unreadable};
use serde_json::{Map, Value, json};

use super::failure::ProcessFailure;
use super::plugin::{CallError, Host, ProcessPlugin, Silent};
use crate::answer::{MAX_REASON, clean};
use crate::plugged::Plugged as _;

/// Times that a run calls back at most: for a tool, or to report a turn.
const MAX_STEPS: usize = 1024;
/// Bytes of a text of a turn that are kept.
const MAX_TEXT: usize = 8192;
/// Bytes of a step's name that are kept.
const MAX_NAME: usize = 128;
/// Bytes of the name of an environment's state that are kept.
const MAX_STATE: usize = 600;
const BOUNDS: LeafBounds = LeafBounds {
    value: 2048,
    raw: 256 << 10,
};

/// A plugin that runs the host's agent on captured cases. It is at work on one run at a time, and
/// on nothing else meanwhile: let another process score.
pub struct PluginReplay(Arc<ProcessPlugin>);

impl PluginReplay {
    /// Has `plugin` replay, if it declares that it does.
    pub fn new(plugin: Arc<ProcessPlugin>) -> Option<Self> {
        plugin.declared().replays.then_some(Self(plugin))
    }

    fn failure(&self, error: CallError) -> ReplayFailure {
        ReplayFailure(match error {
            CallError::Cannot(why) => self.0.intake().text(&why, MAX_REASON).into_owned(),
            CallError::Failed(failure) => clean(failure.to_string()),
        })
    }
}

#[async_trait]
impl Replay for PluginReplay {
    async fn environment(&self, case: &EvalCase) -> Result<CleanString, ReplayFailure> {
        let asked = json!({ "do": "environment", "case": of_case(case) });
        let limit = self.0.patience().call;
        let said = self.0.call(asked, limit, &mut Silent).await;
        let said = said.map_err(|error| self.failure(error))?;
        let state = said.get("state").and_then(Value::as_str);
        let state = state.ok_or(ProcessFailure::NoLine);
        let state = state.map_err(|failure| self.failure(failure.into()))?;
        Ok(self.0.intake().text(state, MAX_STATE).into_owned())
    }

    async fn run(&self, run: ReplayRun) -> Result<Replayed, ReplayFailure> {
        let asked = json!({
            "do": "replay",
            "case": of_case(&run.case),
            // As text: not every language has whole numbers of 64 bits.
            "seed": run.seed.to_string(),
        });
        let limit = self.0.patience().replay;
        let mut host = Run {
            run: &run,
            intake: self.0.intake(),
            steps: 0,
            turns: 0,
        };
        let said = self.0.call(asked, limit, &mut host).await;
        let said = said.map_err(|error| self.failure(error))?;
        replayed(&said).ok_or_else(|| self.failure(ProcessFailure::NoLine.into()))
    }
}

fn replayed(said: &Value) -> Option<Replayed> {
    Some(Replayed {
        session: SessionId::parse(said.get("session")?.as_str()?).ok()?,
        seed: said.get("seed")?.as_str()?.parse().ok()?,
    })
}

/// What a plugin is told of a case.
fn of_case(case: &EvalCase) -> Value {
    json!({
        "id": case.id.as_str(),
        "replay_input": case.replay_input.as_ref().map(CleanText::as_str),
    })
}

/// The host's side of one run.
struct Run<'r> {
    run: &'r ReplayRun,
    intake: &'r Intake,
    steps: usize,
    turns: u32,
}

#[async_trait]
impl Host for Run<'_> {
    async fn answer(&mut self, asks: Map<String, Value>) -> Result<Value, ProcessFailure> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(ProcessFailure::TooManySteps);
        }
        if let Some(tool) = asks.get("tool") {
            return self.tool(tool).await;
        }
        let turn = asks.get("turn").and_then(|turn| self.turn(turn));
        self.run.report(turn.ok_or(ProcessFailure::NoLine)?);
        self.turns += 1;
        Ok(json!({ "ok": true }))
    }
}

impl Run<'_> {
    /// One of the four tools, in the arm of this run.
    async fn tool(&self, asked: &Value) -> Result<Value, ProcessFailure> {
        let name = asked.get("name").and_then(Value::as_str);
        let name = name.ok_or(ProcessFailure::NoLine)?.to_owned();
        let arguments = asked.get("arguments").cloned().unwrap_or(Value::Null);
        let tools = self.run.tools.clone();
        let called = tokio::task::spawn_blocking(move || tools.call(&name, &arguments)).await;
        let mut result = called.map_err(|_| ProcessFailure::Ended)?;
        if let Some(Value::String(error)) = result.get_mut("error") {
            // It quotes the call.
            *error = self.intake.redactor().redact(error).into_owned();
        }
        Ok(result)
    }

    fn turn(&self, turn: &Value) -> Option<TurnPayload> {
        let session = SessionId::parse(turn.get("session")?.as_str()?).ok()?;
        let id = TraceId::parse(&format!("{session}#{}", self.turns)).ok()?;
        let spans = turn.get("spans")?.as_array()?;
        let spans: Vec<Span> = spans
            .iter()
            .take(Trace::MAX_SPANS)
            .map(|span| self.span(span))
            .collect::<Option<_>>()?;
        let request = self.text(turn.get("request")?.as_str()?, MAX_TEXT);
        let trace = Trace::new(id, request, spans);
        Some(TurnPayload::new(session, self.turns, Origin::Live, trace))
    }

    fn span(&self, span: &Value) -> Option<Span> {
        let text = |name: &str| span.get(name).and_then(Value::as_str);
        let kind = SpanKind::parse(text("kind")?)?;
        Some(Span {
            kind,
            name: self.text(text("name").unwrap_or_default(), MAX_NAME),
            speaker: match kind {
                SpanKind::Llm | SpanKind::Agent => Speaker::Agent,
                SpanKind::Tool => Speaker::Tool,
                SpanKind::Chain => Speaker::System,
            },
            arguments: self.arguments(span.get("arguments").unwrap_or(&Value::Null)),
            output: self.text(text("output").unwrap_or_default(), MAX_TEXT),
            status: match text("status") {
                None | Some("ok") => SpanStatus::Ok,
                Some("unknown") => SpanStatus::Unknown,
                Some(class) => SpanStatus::Failed(ErrorClass::parse(class)?),
            },
            started_at: None,
            ended_at: None,
            tokens: span.get("tokens").and_then(Value::as_u64),
        })
    }

    fn arguments(&self, arguments: &Value) -> Arguments {
        match arguments {
            Value::Null => Arguments::none(),
            Value::Object(_) => take_apart(arguments, &look, self.intake, BOUNDS),
            Value::String(text) => unreadable(text, self.intake, BOUNDS),
            other => unreadable(&other.to_string(), self.intake, BOUNDS),
        }
    }

    fn text(&self, text: &str, max: usize) -> CleanString {
        self.intake.text(text, max).into_owned()
    }
}

fn look(node: &Value) -> Node<'_, Value> {
    match node {
        Value::String(text) => Node::Text(text),
        Value::Object(fields) => Node::fields(fields),
        Value::Array(list) => Node::list(list),
        _ => Node::Other,
    }
}
