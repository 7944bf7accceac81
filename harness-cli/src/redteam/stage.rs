//! An attack, played: a host with the real loop, or this binary as an operator runs it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, PoisonError};

use anyhow::{Context as _, Result};
use harness_core::{Applicability, ErrorClass, Scope};
use harness_engine::host::{
    Conversation, HarnessSession, HostHarness, StartError, ToolOutcome, TurnReport,
};
use harness_engine::{Config, ModelChoice, Repair, Setup};
use harness_rules::RuleBook;
use harness_sanitize::{Gate, Intake};
use harness_store::Reader as Workspace;
use serde_json::{Value, json};

use super::artefacts::{CameOfIt, Reader};
use super::canary::Canaries;
use super::hostile::{Judge, Model};
use super::scenario::{Scenario, Surface};
use crate::place::Place;

/// The session that is attacked.
const ATTACKED: &str = "attacked";
/// A session of another user, later.
const LATER: &str = "later";
/// What an agent is told before anything else.
const PROMPT: &str = "You add up reports.";
/// The folders of a [`Place`].
const FOLDERS: [&str; 3] = ["config", "work", "workspace"];

/// Plays an attack and collects what came of it.
///
/// # Errors
/// The workspace cannot be made or read.
pub(super) async fn play(
    scenario: &Scenario,
    canaries: &Canaries,
    temporary: &Path,
) -> Result<CameOfIt> {
    let place = Place::temporary(temporary)?;
    let plant = canaries.fill(&scenario.plant);
    let mut came_of_it = CameOfIt::default();
    match scenario.surface {
        Surface::RecordedResult
        | Surface::RecordedGarbage
        | Surface::FileName
        | Surface::Operator => {
            by_operator(&place, scenario.surface, &plant, canaries, &mut came_of_it)?;
        }
        _ => by_host(&place, scenario.surface, &plant, canaries, &mut came_of_it).await?,
    }
    look_around(&place, &mut came_of_it)?;
    Ok(came_of_it)
}

/// What is left when everybody is gone.
fn look_around(place: &Place, came_of_it: &mut CameOfIt) -> Result<()> {
    let paths = place.paths();
    came_of_it.files(&paths.root)?;
    came_of_it.files(&paths.config_dir)?;
    for entry in fs::read_dir(place.folder())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !FOLDERS.contains(&name.as_str()) {
            came_of_it.strays.push(name);
        }
    }
    let reader = Workspace::open(&paths)?;
    came_of_it.audit_is_clean = reader.audit()?.ok;
    let book = RuleBook::read_only(&reader, Config::default().rules());
    let ledger = book.ledger()?;
    came_of_it.rules = ledger.rules().map(|record| record.status).collect();
    Ok(())
}

/// A host's agent fails in a turn with the plant in it; the loop settles; another user's session
/// reads the rules, and goes well.
async fn by_host(
    place: &Place,
    surface: Surface,
    plant: &str,
    canaries: &Canaries,
    came_of_it: &mut CameOfIt,
) -> Result<()> {
    let intake = Intake::new(Gate::default(), canaries.redactor());
    let policy = (surface == Surface::DomainPolicy).then(|| plant.to_owned());
    let judge = Arc::new(Judge {
        surface,
        plant: plant.to_owned(),
        intake,
    });
    let (model, shown) = Model::new(surface, plant);
    let harness = HostHarness::open(Setup {
        paths: place.paths(),
        config: Config {
            domain_policy: policy,
            capture_eval_cases: true,
            eval_retries: 0,
            ..Config::default()
        },
        evaluator: Arc::clone(&judge) as _,
        verifier: Some(judge),
        repair: Repair::With(ModelChoice::Custom(Arc::new(model))),
        redactor: canaries.redactor(),
        clock: None,
    })
    .await?;

    if let Some(session) = attacked(&harness, surface, plant, came_of_it).await? {
        let mut turn = session.turn(pick(surface, Surface::Request, plant, "Add it up."));
        fail(&mut turn, surface, plant);
        let _ = session.record_turn(turn);
        let settled = session.settle().await;
        for failure in settled.failures {
            came_of_it.told(
                Reader::Person,
                "a failure that the host is told of",
                failure,
            );
        }
        ask(&session, surface, plant, came_of_it).await;
        fence(&session, surface, plant, came_of_it)?;
        session.end();
        let _ = session.settle().await;
    }

    let later = harness.start(Conversation::new(LATER, PROMPT)).await?;
    ask(&later, Surface::Request, plant, came_of_it).await;
    let mut turn = later.turn("And now?");
    turn.reply("The total is 12.");
    let _ = later.record_turn(turn);
    let settled = later.settle().await;
    came_of_it.went_on = settled.complete && settled.recorded == 1;
    drop(later);
    harness.close().await;
    let shown = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
    came_of_it.shown(shown);
    Ok(())
}

/// Starts the conversation that is attacked; one that is refused is one that held.
async fn attacked(
    harness: &HostHarness,
    surface: Surface,
    plant: &str,
    came_of_it: &mut CameOfIt,
) -> Result<Option<HarnessSession>> {
    let id = pick(surface, Surface::SessionId, plant, ATTACKED);
    let prompt = pick(surface, Surface::SystemPrompt, plant, PROMPT);
    match harness.start(Conversation::new(id, prompt)).await {
        Ok(session) => Ok(Some(session)),
        Err(error @ (StartError::Id(_) | StartError::SecretInId(_) | StartError::Prompt(_))) => {
            came_of_it.told(Reader::Person, "a refusal to start", error.to_string());
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// A turn that goes wrong: a tool answers, another fails, and the agent gives up.
fn fail(turn: &mut TurnReport, surface: Surface, plant: &str) {
    let pick = |wanted, harmless| pick(surface, wanted, plant, harmless);
    let said = match surface {
        // A rule that repeats what a tool said.
        Surface::RuleText => plant,
        _ => pick(Surface::ToolResult, "station,amount"),
    };
    let mut arguments = BTreeMap::new();
    let value = pick(Surface::ArgumentValue, "reports/a.csv");
    arguments.insert(pick(Surface::ArgumentName, "path"), value);
    let mut arguments = json!(arguments);
    if surface == Surface::ArgumentText {
        arguments = Value::String(plant.to_owned());
    }
    let name = pick(Surface::ToolName, "read_file");
    let error = pick(Surface::ToolError, "no such file");
    let failed = ToolOutcome::Failed(ErrorClass::NotFound, error);
    turn.call("list_files", &json!({}), ToolOutcome::Answered(said))
        .call(name, &arguments, failed)
        .call(name, &arguments, failed)
        .reply(pick(Surface::Reply, "There is no total."))
        .task_summary(pick(Surface::TaskSummary, "Add up the reports."))
        .scope_hint(
            Scope::scoped(),
            pick(Surface::ScopeDescription, "sums"),
            Applicability::Topical,
        );
    if surface == Surface::ReplayInput {
        turn.replay_input(plant);
    }
}

/// Every answer that an agent gets of its four tools, and of one that is none.
async fn ask(session: &HarnessSession, surface: Surface, plant: &str, came_of_it: &mut CameOfIt) {
    let pick = |wanted, harmless| pick(surface, wanted, plant, harmless);
    let scope = pick(Surface::TaskScope, "global");
    let query = pick(Surface::TaskQuery, "read_file list_files");
    let tools = session.task_tools();
    for (name, arguments) in [
        ("harness_rules_list", json!({})),
        ("harness_rules_read", json!({ "scope": scope })),
        (
            "harness_rules_search",
            json!({ "query": query, "limit": 50 }),
        ),
        ("harness_rule_status", json!({ "rule_id": query })),
        (pick(Surface::TaskTool, "harness_rules_list"), json!({})),
    ] {
        let answer = tools.call(name, arguments).await.to_string();
        // What an agent asked for comes back to it, and to nobody else.
        let reader = match surface {
            Surface::TaskTool | Surface::TaskScope | Surface::TaskQuery => Reader::Fenced,
            _ => Reader::Agent,
        };
        came_of_it.told(reader, "an answer of the four tools", answer);
    }
}

/// What an agent reads of a user and of a tool.
fn fence(
    session: &HarnessSession,
    surface: Surface,
    plant: &str,
    came_of_it: &mut CameOfIt,
) -> Result<()> {
    if surface == Surface::FencedUser {
        let fenced = session.wrap_user(plant)?;
        came_of_it.told(Reader::Fenced, "a user's words, fenced", fenced.as_str());
    }
    if surface == Surface::FencedResult {
        let fenced = session.wrap_result("read_file", plant)?;
        came_of_it.told(Reader::Fenced, "a tool's words, fenced", fenced);
    }
    Ok(())
}

fn pick<'a>(surface: Surface, wanted: Surface, plant: &'a str, harmless: &'a str) -> &'a str {
    if surface == wanted { plant } else { harmless }
}

/// An operator feeds a recording with the plant in it, or types the plant, and reads everything.
fn by_operator(
    place: &Place,
    surface: Surface,
    plant: &str,
    canaries: &Canaries,
    came_of_it: &mut CameOfIt,
) -> Result<()> {
    let binary = std::env::current_exe().context("this binary cannot be found")?;
    let recordings = place.work();
    record(&recordings, surface, plant)?;
    let recordings = recordings.to_string_lossy().into_owned();
    let typed = pick(surface, Surface::Operator, plant, "r-0000000000");
    let verbs: [&[&str]; 11] = [
        &["init"],
        &["run", "--traces", &recordings],
        &["run", "--traces", &recordings, "--format", "json"],
        &["notices", "--all"],
        &["rules"],
        &["rules", typed],
        &["explain", typed],
        &["journal"],
        &["resume", "--reason", typed],
        &["tool", typed],
        &["status"],
    ];
    for verb in verbs {
        let output = Command::new(&binary)
            .args(verb)
            .env_clear()
            .env("HARNESS_ROOT", place.paths().root)
            .env("HARNESS_CONFIG_DIR", place.paths().config_dir)
            .env("HOME", place.folder())
            .env(super::canary::NAME, canaries.fill("{secret}"))
            .current_dir(place.folder())
            .stdin(Stdio::null())
            .output()
            .context("this binary cannot be run")?;
        let shown = verb.first().copied().unwrap_or_default();
        let place = format!("what `harness {shown}` prints");
        came_of_it.told(Reader::Person, &place, output.stdout);
        came_of_it.told(Reader::Person, &place, output.stderr);
        came_of_it.went_on = output.status.success();
    }
    fs::remove_dir_all(place.work())?;
    Ok(())
}

/// A recorded conversation that goes wrong.
fn record(folder: &Path, surface: Surface, plant: &str) -> Result<()> {
    let name = pick(surface, Surface::FileName, plant, "recording").replace(['/', '\0'], "_");
    let said = pick(surface, Surface::RecordedResult, plant, "no such file");
    let call = |id: &str| {
        json!({ "role": "assistant", "content": null, "tool_calls": [{
            "id": id, "type": "function",
            "function": { "name": "read_file", "arguments": "{\"path\": \"a.csv\"}" },
        }] })
    };
    let result = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": format!("{{\"error\": \"not found: {said}\"}}") });
    let conversation = json!({ "session_id": ATTACKED, "messages": [
        { "role": "user", "content": "Add it up." },
        call("c1"), result("c1"), call("c2"), result("c2"),
        { "role": "assistant", "content": "There is no total." },
    ] });
    fs::write(
        folder.join(format!("{name}.json")),
        conversation.to_string(),
    )?;
    if surface == Surface::RecordedGarbage {
        fs::write(folder.join("garbage.json"), plant)?;
    }
    Ok(())
}
