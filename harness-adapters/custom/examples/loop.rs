//! A loop written by hand, with the harness around it.
//!
//! The agent adds up reports on the real disk. It guesses what a report is called, and gives up
//! where it guesses wrong, unless a rule tells it to look first. [`work`] is all that the harness
//! asks of a host: the README shows it, and a test runs it.
//!
//! ```sh
//! HARNESS_ROOT=/tmp/sums HARNESS_CONFIG_DIR=/tmp/sums-config cargo run -p harness-custom --example loop
//! ```

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use harness_custom::{
    CleanText, Conversation, CustomHarness, ErrorClass, EvaluationError, HarnessSession,
    ModelChoice, Repair, Score, Settled, Setup, TRUST_BOUNDARIES, TaskTools, ToolOutcome,
    TurnPayload, Verified, Verifier, setup_from_variables,
};
use serde_json::{Value, json};

const SYSTEM_PROMPT: &str = "You add up the reports in a folder and say the total.";

/// Works through `requests` in the conversation `id`.
pub(crate) async fn work(
    setup: Setup,
    id: &str,
    agent: &mut Adder,
    requests: &[&str],
) -> Result<Settled, Box<dyn Error>> {
    // README begins
    let harness = CustomHarness::open(setup).await?;
    let conversation = Conversation::new(id, SYSTEM_PROMPT);
    let session = harness.start(conversation).await?;
    let (preamble, tools) = (HarnessSession::task_preamble(), session.task_tools());
    agent.system(&[SYSTEM_PROMPT, TRUST_BOUNDARIES, preamble]);
    agent.offer(TaskTools::for_openai());
    for request in requests {
        let mut turn = session.turn(request);
        let mut step = agent.hear(session.wrap_user(request)?.as_str());
        while let Step::Call(name, arguments) = step {
            if TaskTools::has(&name) {
                step = agent.hear(&tools.call(&name, arguments).await.to_string());
            } else {
                let result = agent.run(&name, &arguments);
                turn.call(&name, &arguments, result.outcome());
                step = agent.hear(&result.said);
            }
        }
        turn.reply(agent.reply());
        let _ = session.record_turn(turn);
    }
    session.end();
    let settled = session.settle().await;
    // README ends
    drop((session, tools));
    harness.close().await;
    Ok(settled)
}

/// What a tool said, and how it failed if it did.
struct ToolResult {
    said: String,
    failure: Option<ErrorClass>,
}

impl ToolResult {
    fn outcome(&self) -> ToolOutcome<'_> {
        match self.failure {
            Some(class) => ToolOutcome::Failed(class, &self.said),
            None => ToolOutcome::Answered(&self.said),
        }
    }
}

/// What the agent does next.
enum Step {
    Call(String, Value),
    Reply,
}

/// The agent: its "model" is a few lines that guess.
pub(crate) struct Adder {
    folder: PathBuf,
    heard: Vec<String>,
    reply: String,
}

impl Adder {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            heard: Vec::new(),
            reply: String::new(),
        }
    }

    /// A model would be sent this; the few lines do not read it.
    fn system(&mut self, _prompt: &[&str]) {}

    /// A model would be offered these; the few lines know their names.
    fn offer(&mut self, _tools: [Value; 4]) {}

    /// Hears what the user said or a tool answered, and decides.
    fn hear(&mut self, text: &str) -> Step {
        self.heard.push(text.trim().to_owned());
        let call = |name: &str, arguments| Step::Call(name.to_owned(), arguments);
        match self.heard.len() {
            1 => call(
                "harness_rules_search",
                json!({ "query": "list_files and read_file" }),
            ),
            2 => call("list_files", json!({ "folder": "." })),
            3 | 4 if self.total().is_none() => call("read_file", json!({ "path": self.guess() })),
            _ => {
                self.reply = match self.total() {
                    Some(total) => format!("The total is {total}."),
                    None => "I could not find the report.".to_owned(),
                };
                self.heard.clear();
                Step::Reply
            }
        }
    }

    /// What a report is called: as in the listing if a rule says to look there, else the usual.
    fn guess(&self) -> &str {
        match self.heard.as_slice() {
            [_, rules, listing, ..] if rules.contains("list_files") => listing,
            _ => "report.txt",
        }
    }

    fn total(&self) -> Option<u64> {
        self.heard.last()?.parse().ok()
    }

    fn reply(&self) -> &str {
        &self.reply
    }

    /// The agent's own tools, on the real disk.
    fn run(&self, name: &str, arguments: &Value) -> ToolResult {
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or(".");
        let answer = match name {
            "list_files" => fs::read_dir(self.folder.join(argument("folder"))).map(|entries| {
                let names = entries.flatten().map(|entry| entry.file_name());
                names
                    .map(|name| name.to_string_lossy().into_owned() + "\n")
                    .collect()
            }),
            _ => fs::read_to_string(self.folder.join(argument("path"))),
        };
        match answer {
            Ok(said) => ToolResult {
                said,
                failure: None,
            },
            Err(error) => ToolResult {
                said: error.to_string(),
                failure: Some(match error.kind() {
                    std::io::ErrorKind::NotFound => ErrorClass::NotFound,
                    _ => ErrorClass::Internal,
                }),
            },
        }
    }
}

/// The developer's check: right if the agent says a total.
pub(crate) struct SaysTheTotal;

#[async_trait]
impl Verifier for SaysTheTotal {
    async fn verify(&self, turn: &TurnPayload) -> Result<Verified, EvaluationError> {
        let reply = turn.trace.spans().last();
        let right = reply.is_some_and(|reply| reply.output.as_str().starts_with("The total is"));
        Ok(Verified {
            score: if right { Score::ONE } else { Score::ZERO },
            reason: CleanText::new("whether the reply gives a total").unwrap_or_default(),
        })
    }
}

/// A folder with one report, of a name that the agent does not guess.
pub(crate) fn reports(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("march-final.txt"), "12\n")
}

#[expect(clippy::print_stdout, reason = "a program says what it did")]
#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut setup = setup_from_variables(std::env::vars(), Repair::With(ModelChoice::Builtin))?;
    setup.verifier = Some(std::sync::Arc::new(SaysTheTotal));
    let folder = std::env::temp_dir().join("harness-sums");
    reports(&folder)?;
    let id = format!("sums-{}", std::process::id());
    let mut agent = Adder::new(&folder);
    let settled = work(setup, &id, &mut agent, &["Add up the reports."]).await?;
    println!("{settled:#?}");
    Ok(())
}
