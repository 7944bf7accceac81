//! `harness guard check`: what the guard would decide for a tool call, step by step. Nothing runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use async_trait::async_trait;
use harness_core::SessionId;
use harness_guard::{
    Answer, ApprovalRequest, Approver as _, ArgumentKind, Ask, Audit, AuditError, CallContext,
    Effect, Folder, Guard, GuardSetup, Mode, Network, Phase, PolicyFile, Role, Step, StepVerdict,
    ToolCall, ToolFailure, ToolSpec, Tools, from_fn, standard_specs,
};
use harness_store::GuardEvent;
use serde_json::{Map, Value, json};

use super::Cli;
use crate::exit::{Exit, Problem};
use crate::runtime;
use crate::terminal::Terminal;

/// Bytes of a call's file at most.
const MAX_FILE: u64 = 16 << 20;
/// Bytes of what a person is shown of a call.
const MAX_PREVIEW: usize = 16_384;
/// The keys of the file, of its phase, of its call and of a tool.
const KEYS: [&str; 8] = [
    "root", "phase", "mode", "goal", "plan", "policy", "tools", "call",
];
const PHASE_KEYS: [&str; 5] = ["name", "role", "grant", "deny", "network"];
const CALL_KEYS: [&str; 2] = ["name", "arguments"];
const TOOL_KEYS: [&str; 7] = [
    "name",
    "schema",
    "effect",
    "arguments",
    "confirm",
    "planning",
    "description",
];

pub(super) fn check(cli: &mut Cli<'_>, file: &Path, ask: bool) -> Result<Exit> {
    let asked = Asked::read(cli, file)?;
    runtime::start()?.block_on(asked.decide(cli, ask))
}

/// What is asked: a setup and a call.
struct Asked {
    setup: GuardSetup,
    phase: PhaseSpec,
    goal: String,
    plan: String,
    call: ToolCall,
}

struct PhaseSpec {
    name: String,
    role: Role,
    grant: Option<Vec<String>>,
    deny: Vec<String>,
    network: Network,
}

impl Asked {
    fn read(cli: &Cli<'_>, file: &Path) -> Result<Self> {
        let shown = file.display();
        let size = std::fs::metadata(file).with_context(|| format!("`{shown}` cannot be read"));
        if size.map_err(usage)?.len() > MAX_FILE {
            return Err(Problem::usage(format!("`{shown}` is longer than 16 MiB")).into());
        }
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("`{shown}` cannot be read"))
            .map_err(usage)?;
        let value: Value = serde_json::from_str(&text)
            .with_context(|| format!("`{shown}` is not JSON"))
            .map_err(usage)?;
        let fields = Fields::of(&value, "the file", &KEYS)?;
        let call = Fields::of(fields.needed("call")?, "`call`", &CALL_KEYS)?;
        let arguments = match call.get("arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => "{}".to_owned(),
        };
        let tools = tools(&fields)?;
        let phase = PhaseSpec::of(&fields)?;
        let mut config = cli.environment.guard_config().map_err(usage)?;
        if let Some(mode) = fields.text("mode")? {
            config.permission_mode = Mode::parse(mode).ok_or_else(|| {
                Problem::usage("`mode` is `default`, `acceptEdits` or `dangerouslySkipPermissions`")
            })?;
        }
        let root = match fields.text("root")? {
            Some(root) => PathBuf::from(root),
            None => std::env::current_dir()?,
        };
        let paths = cli.paths()?;
        let folder = Folder::open(&root, &[paths.root, paths.config_dir]).map_err(usage)?;
        let session = SessionId::parse("check").map_err(usage)?;
        let policy = fields
            .get("policy")
            .map(|policy| PolicyFile::parse(&policy.to_string(), &tools));
        let mut setup = GuardSetup::new(session, tools, folder, Arc::new(Nothing));
        setup.config = config;
        if let Some(policy) = policy {
            setup.policy = policy;
        }
        Ok(Self {
            setup,
            phase,
            goal: fields.text("goal")?.unwrap_or_default().to_owned(),
            plan: fields.text("plan")?.unwrap_or_default().to_owned(),
            call: ToolCall {
                id: "check".to_owned(),
                name: call.needed_text("name")?.to_owned(),
                arguments,
            },
        })
    }

    async fn decide(self, cli: &mut Cli<'_>, ask: bool) -> Result<Exit> {
        let guard = Guard::start(self.setup).await.map_err(usage)?;
        let phase = self.phase.build(guard.tools())?;
        let request = ApprovalRequest {
            tool: self.call.name.clone(),
            phase: phase.name().to_owned(),
            asks: Vec::new(),
            detail: String::new(),
            preview: cli
                .intake()
                .text(&self.call.arguments, MAX_PREVIEW)
                .into_owned(),
        };
        let ctx = CallContext {
            phase,
            goal: self.goal,
            plan: self.plan,
        };
        let steps = guard.explain(&ctx, &self.call).await;
        let mut decision = decision(&steps);
        let mut answer = None;
        if ask && let Some(StepVerdict::Asks(asks)) = steps.last().map(|step| &step.verdict) {
            let request = ApprovalRequest {
                asks: asks.clone(),
                ..request
            };
            let terminal = Terminal::new(cli.environment.redactor().clone());
            let said = terminal.ask(&request).await;
            answer = Some(said_as(said));
            decision = match said {
                Answer::Approve => "allow",
                Answer::Deny => "deny",
                Answer::Nobody => "confirm",
            };
        }
        show(cli, decision, &steps, answer)?;
        Ok(if decision == "allow" {
            Exit::Done
        } else {
            Exit::Found
        })
    }
}

fn decision(steps: &[Step]) -> &'static str {
    match steps.last().map(|step| &step.verdict) {
        Some(StepVerdict::Passed) => "allow",
        Some(StepVerdict::Asks(_)) => "confirm",
        Some(StepVerdict::Refused(_)) | None => "deny",
    }
}

const fn said_as(answer: Answer) -> &'static str {
    match answer {
        Answer::Approve => "approved",
        Answer::Deny => "denied",
        Answer::Nobody => "nobody to ask",
    }
}

fn show(
    cli: &mut Cli<'_>,
    decision: &str,
    steps: &[Step],
    answer: Option<&'static str>,
) -> Result<()> {
    if cli.out.is_json() {
        let steps: Vec<Value> = steps.iter().map(to_json).collect();
        let mut document = json!({"decision": decision, "steps": steps});
        if let (Some(answer), Some(fields)) = (answer, document.as_object_mut()) {
            fields.insert("answer".to_owned(), answer.into());
        }
        cli.out.json(&document)?;
        return Ok(());
    }
    for step in steps {
        let name = step.check.name();
        match &step.verdict {
            StepVerdict::Passed => cli.out.line(format_args!("{name:8} passed"))?,
            StepVerdict::Asks(asks) => {
                cli.out
                    .line(format_args!("{name:8} asks ({})", names(asks)))?;
            }
            StepVerdict::Refused(refusal) => {
                let error = refusal.denial.name();
                let style = cli.out.style();
                cli.out.line(format_args!(
                    "{name:8} {} {error}: {}",
                    style.bad("refused"),
                    refusal.detail
                ))?;
                cli.out
                    .line(format_args!("{:8} because {}", "", refusal.denial.why()))?;
            }
        }
    }
    if let Some(answer) = answer {
        cli.out.line(format_args!("{:8} {answer}", "person"))?;
    }
    cli.out.line(format_args!("decision: {decision}"))?;
    Ok(())
}

fn names(asks: &[Ask]) -> String {
    let names: Vec<&str> = asks.iter().map(|ask| ask.name()).collect();
    names.join(", ")
}

fn to_json(step: &Step) -> Value {
    let check = step.check.name();
    match &step.verdict {
        StepVerdict::Passed => json!({"check": check, "verdict": "passed"}),
        StepVerdict::Asks(asks) => {
            let asks: Vec<&str> = asks.iter().map(|ask| ask.name()).collect();
            json!({"check": check, "verdict": "asks", "asks": asks})
        }
        StepVerdict::Refused(refusal) => {
            let mut value = refusal.to_json();
            if let Some(fields) = value.as_object_mut() {
                fields.insert("check".to_owned(), check.into());
                fields.insert("verdict".to_owned(), "refused".into());
            }
            value
        }
    }
}

impl PhaseSpec {
    fn of(fields: &Fields<'_>) -> Result<Self> {
        let empty = Value::Object(Map::new());
        let phase = Fields::of(
            fields.get("phase").unwrap_or(&empty),
            "`phase`",
            &PHASE_KEYS,
        )?;
        let role = phase.text("role")?.unwrap_or("worker");
        Ok(Self {
            name: phase.text("name")?.unwrap_or("check").to_owned(),
            role: Role::parse(role).ok_or_else(|| {
                Problem::usage("`role` is `worker`, `verifier` or `orchestrator`")
            })?,
            grant: phase.texts("grant")?,
            deny: phase.texts("deny")?.unwrap_or_default(),
            network: match phase.get("network") {
                None | Some(Value::Bool(false)) => Network::Denied,
                Some(Value::Bool(true)) => Network::Allowed,
                Some(_) => {
                    return Err(Problem::usage("`network` is `true` or `false`").into());
                }
            },
        })
    }

    fn build(self, tools: &Tools) -> Result<Phase> {
        let deny: Vec<&str> = self.deny.iter().map(String::as_str).collect();
        let mut phase = Phase::new(&self.name, self.role)
            .and_then(|phase| phase.deny(&deny, tools))
            .map_err(usage)?;
        if let Some(grant) = &self.grant {
            let grant: Vec<&str> = grant.iter().map(String::as_str).collect();
            phase = phase.grant(&grant, tools).map_err(usage)?;
        }
        Ok(phase.network(self.network))
    }
}

/// The tools of the file, or the standard ones. None of them runs.
fn tools(fields: &Fields<'_>) -> Result<Tools> {
    let specs = match fields.get("tools") {
        None => standard_specs(),
        Some(Value::Array(items)) => items.iter().map(spec).collect::<Result<_>>()?,
        Some(_) => return Err(Problem::usage("`tools` is a list").into()),
    };
    let not_here = || from_fn(|_| Err(ToolFailure::new("nothing runs here")));
    specs
        .into_iter()
        .try_fold(Tools::new(), |tools, spec| tools.add(spec, not_here()))
        .map_err(usage)
}

fn spec(item: &Value) -> Result<ToolSpec> {
    let fields = Fields::of(item, "a tool", &TOOL_KEYS)?;
    let mut spec = ToolSpec::new(
        fields.needed_text("name")?,
        fields.needed("schema")?.clone(),
    );
    if let Some(description) = fields.text("description")? {
        spec = spec.description(description);
    }
    if let Some(effect) = fields.text("effect")? {
        let effect = Effect::parse(effect)
            .ok_or_else(|| Problem::usage("`effect` is `read`, `network`, `write` or `execute`"))?;
        spec = spec.effect(effect);
    }
    match fields.text("confirm")? {
        None => {}
        Some("always") => spec = spec.always_confirm(),
        Some(_) => return Err(Problem::usage("`confirm` is `always`, or left out").into()),
    }
    match fields.get("planning") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => spec = spec.planning(),
        Some(_) => return Err(Problem::usage("`planning` is `true` or `false`").into()),
    }
    let kinds = match fields.get("arguments") {
        None => return Ok(spec),
        Some(Value::Object(kinds)) => kinds,
        Some(_) => return Err(Problem::usage("`arguments` of a tool is an object").into()),
    };
    for (name, kind) in kinds {
        let kind = kind.as_str().and_then(ArgumentKind::parse).ok_or_else(|| {
            Problem::usage(
                "an argument is a `path`, `pattern`, `url`, `command`, `content`, `offset` or `count`",
            )
        })?;
        spec = spec.argument(name, kind);
    }
    Ok(spec)
}

/// An object of the file: none of its keys is unknown.
struct Fields<'a> {
    what: &'static str,
    fields: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    fn of(value: &'a Value, what: &'static str, keys: &[&str]) -> Result<Self> {
        let fields = value
            .as_object()
            .ok_or_else(|| Problem::usage(format!("{what} is no JSON object")))?;
        if fields.keys().any(|key| !keys.contains(&key.as_str())) {
            let keys = keys.join(", ");
            return Err(
                Problem::usage(format!("{what} has a key other than these: {keys}")).into(),
            );
        }
        Ok(Self { what, fields })
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name)
    }

    fn needed(&self, name: &str) -> Result<&'a Value> {
        let missing = || Problem::usage(format!("{} has no `{name}`", self.what));
        Ok(self.get(name).ok_or_else(missing)?)
    }

    fn text(&self, name: &str) -> Result<Option<&'a str>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Problem::usage(format!("`{name}` is no text")).into()),
        }
    }

    fn needed_text(&self, name: &str) -> Result<&'a str> {
        let missing = || Problem::usage(format!("{} has no `{name}`", self.what));
        Ok(self.text(name)?.ok_or_else(missing)?)
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<String>>> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let texts = value.as_array().and_then(|items| {
            items
                .iter()
                .map(|item| item.as_str().map(str::to_owned))
                .collect()
        });
        match texts {
            Some(texts) => Ok(Some(texts)),
            None => Err(Problem::usage(format!("`{name}` is no list of texts")).into()),
        }
    }
}

/// The caller's to mend.
fn usage(error: impl std::fmt::Display) -> anyhow::Error {
    Problem::usage(format!("{error:#}")).into()
}

/// Nothing is decided here, so there is nothing to record.
struct Nothing;

#[async_trait]
impl Audit for Nothing {
    async fn record(&self, _: Vec<GuardEvent>) -> Result<(), AuditError> {
        Ok(())
    }
}
