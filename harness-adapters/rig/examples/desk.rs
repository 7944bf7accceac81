//! A help desk: a rig agent that answers from the files of a folder, under the harness.
//!
//! It guesses what a file is called and gives up. Its failure becomes a notice, a model on the wire
//! repairs it with one candidate rule, and a trial of that rule opens. Offline, both models are a
//! script on loopback:
//!
//! ```sh
//! cargo run -p harness-rig --example desk
//! ```
//!
//! Online, one variable names a model for both, and its provider's own variable holds the key:
//!
//! ```sh
//! DESK_MODEL=openai/gpt-5-mini cargo run -p harness-rig --example desk
//! ```

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use harness_core::{CleanText, Score, TurnPayload};
use harness_rig::rig_core::message::ToolName;
use harness_rig::rig_core::tool::{DynamicTool, ToolExecutionError, ToolOutput};
use harness_rig::{
    Config, Conversation, EmbeddedEvaluator, EvaluationError, HarnessAgent, HostHarness,
    ModelChoice, Redactor, Repair, RigRepairModel, Settled, Setup, Verified, Verifier,
    WorkspacePaths,
};
use serde_json::{Value, json};

#[path = "../tests/wire/mod.rs"]
pub(crate) mod wire;

use wire::{Format, Heard, Line, Said, Server, call, says};

const SYSTEM_PROMPT: &str = "You are the help desk of a small shop. Answer from the files.";
const QUESTION: &str = "When does the shop open on Sundays?";
/// The variable that names a model to use instead of the script.
const MODEL: &str = "DESK_MODEL";

/// The events of the journal that tell how far the loop came.
pub(crate) const SHOWN: [&str; 4] = [
    "notice",
    "repair_candidate_added",
    "repair_completed",
    "trial_opened",
];

/// A conversation of one question, watched and repaired.
async fn work(
    setup: Setup,
    model: RigRepairModel,
    folder: &Path,
) -> Result<Settled, Box<dyn Error>> {
    // README begins
    let harness = HostHarness::open(setup).await?;
    let conversation = Conversation::new("desk-1", SYSTEM_PROMPT);
    let mut agent = HarnessAgent::start(&harness, conversation, model.into_inner())
        .await?
        .dynamic_tool(list_files(folder))
        .dynamic_tool(read_file(folder))
        .build();
    let reply = agent.prompt(QUESTION).await?;
    say(&format!("desk: {reply}"));
    let settled = agent.finish().await;
    harness.close().await;
    // README ends
    Ok(settled)
}

/// The loop without a network: both models are a script on loopback.
pub(crate) async fn offline(place: &Path) -> Result<Settled, Box<dyn Error>> {
    let server = Server::start(scripted());
    let variables = vec![(
        harness_rig::BASE_URL_VARIABLE.to_owned(),
        Format::OpenAi.base_url(&server.url()),
    )];
    run(Format::OpenAi.spec(), variables, place).await
}

async fn run(
    spec: &str,
    variables: Vec<(String, String)>,
    place: &Path,
) -> Result<Settled, Box<dyn Error>> {
    let folder = place.join("files");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("hours-2031.txt"), "Sundays from eleven.\n")?;
    let model = RigRepairModel::from_spec(spec, variables.clone())?;
    let setup = Setup {
        paths: WorkspacePaths {
            root: place.join("root"),
            config_dir: place.join("config"),
        },
        config: Config::default(),
        evaluator: Arc::new(EmbeddedEvaluator),
        verifier: Some(Arc::new(SaysWhen)),
        repair: Repair::With(ModelChoice::Custom(Arc::new(model.clone()))),
        redactor: Redactor::with_values(variables),
        clock: None,
    };
    work(setup, model, &folder).await
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = std::env::temp_dir().join(format!("harness-desk-{}", std::process::id()));
    let settled = match std::env::var(MODEL) {
        Ok(spec) => run(&spec, std::env::vars().collect(), &place).await?,
        Err(_) => offline(&place).await?,
    };
    if let Some(repair) = &settled.repair {
        say(&format!(
            "episode {}: {}",
            repair.episode,
            repair.status.as_str()
        ));
    }
    let journal = place.join("root/journal.jsonl");
    let events = fs::read_to_string(&journal)?;
    for kind in SHOWN {
        let count = events.matches(&format!("\"type\":\"{kind}\"")).count();
        say(&format!("{kind}: {count}"));
    }
    say(&format!("journal: {}", journal.display()));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a program says what it does")]
fn say(text: &str) {
    println!("{text}");
}

/// The developer's check: right if the reply gives the hour.
struct SaysWhen;

#[async_trait]
impl Verifier for SaysWhen {
    async fn verify(&self, turn: &TurnPayload) -> Result<Verified, EvaluationError> {
        let reply = turn.trace.spans().last();
        let right = reply.is_some_and(|reply| reply.output.as_str().contains("eleven"));
        Ok(Verified {
            score: if right { Score::ONE } else { Score::ZERO },
            reason: CleanText::new("whether the reply gives the hour").unwrap_or_default(),
        })
    }
}

fn list_files(folder: &Path) -> DynamicTool {
    tool(
        "list_files",
        "The files there are.",
        json!({}),
        folder,
        |folder, _| {
            let names = fs::read_dir(folder)?
                .flatten()
                .map(|entry| entry.file_name());
            Ok(names
                .map(|name| name.to_string_lossy().into_owned() + "\n")
                .collect())
        },
    )
}

fn read_file(folder: &Path) -> DynamicTool {
    let parameters = json!({ "name": { "type": "string" } });
    tool(
        "read_file",
        "What is in a file.",
        parameters,
        folder,
        |folder, arguments| {
            let name = arguments
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or_default();
            // A name, never a path.
            let name = Path::new(name).file_name().unwrap_or_default();
            fs::read_to_string(folder.join(name))
        },
    )
}

fn tool(
    name: &'static str,
    description: &'static str,
    properties: Value,
    folder: &Path,
    work: fn(&Path, &Value) -> std::io::Result<String>,
) -> DynamicTool {
    let folder: PathBuf = folder.to_path_buf();
    let parameters = json!({ "type": "object", "properties": properties });
    let name = ToolName::new(name).unwrap_or_else(|_| unreachable!("the name is not empty"));
    DynamicTool::new(name, description, parameters, move |arguments| {
        let done = work(&folder, &arguments).map(ToolOutput::text);
        Box::pin(async move {
            done.map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => ToolExecutionError::not_found("no such file"),
                _ => ToolExecutionError::other("the file cannot be read"),
            })
        })
    })
}

/// What both models say: the desk's guesses, the repair agent's diligence.
fn scripted() -> impl FnMut(&Heard) -> Line + Send {
    let guess = || call("read_file", json!({ "name": "opening-hours.txt" }));
    let rule = "Before calling `read_file`, call `list_files` and use a name that it returned.";
    let add = json!({ "rule": rule, "rationale": "the same name was guessed again and again" });
    let mut desk: Vec<Said> = vec![
        call("list_files", json!({})),
        guess(),
        guess(),
        guess(),
        says("I could not find it."),
    ];
    let mut repair: Vec<Said> = vec![
        call("harness_notice_read", json!({})),
        call("harness_trace_inspect", json!({})),
        call(
            "harness_rules_search",
            json!({ "query": "read_file not_found" }),
        ),
        call("harness_rule_add", add),
        call("harness_notice_ack", json!({})),
    ];
    desk.reverse();
    repair.reverse();
    move |request| {
        let first = request.body.pointer("/messages/0/content");
        let first = first.map(Value::to_string).unwrap_or_default();
        let script = if first.contains(SYSTEM_PROMPT) {
            &mut desk
        } else {
            &mut repair
        };
        match script.pop() {
            Some(said) => Line::Body(Format::OpenAi.body(&said)),
            None => Line::status(404),
        }
    }
}
