//! Two runs that differ only in a secret leave the same files, the same journal and the same
//! prompts: nothing that is written or shown depends on it, not even its length.
//!
//! Both begin as copies of one workspace, with one key, and run by one clock. What the system's
//! randomness makes, and the hashes over it, are masked: runs of eight hexadecimal digits and more;
//! so is how long a repair took.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness_core::{CleanString, ErrorClass, Score, Timestamp, TurnPayload};
use harness_engine::host::{Conversation, HostHarness, ToolOutcome};
use harness_engine::{
    Config, EmbeddedEvaluator, EvaluationError, ModelChoice, Repair, RepairModel, Setup, Verified,
    Verifier,
};
use harness_repair::{BuiltinModel, ModelError, ModelReply, ModelRequest};
use harness_sanitize::{Gate, Intake, Redactor};
use harness_store::{Workspace, WorkspacePaths};
use serde_json::json;

const SHORT: &str = "correct-horse-battery";
const LONG: &str = "a-much-longer-staple-of-many-words-7719";

fn paths(folder: &Path) -> WorkspacePaths {
    WorkspacePaths {
        root: folder.join("root"),
        config_dir: folder.join("config"),
    }
}

fn now() -> Timestamp {
    Timestamp::parse("2026-11-30T12:00:00Z").unwrap()
}

/// Finds every turn wrong, and says what it saw.
struct Wrong(Intake);

#[async_trait]
impl Verifier for Wrong {
    async fn verify(&self, turn: &TurnPayload) -> Result<Verified, EvaluationError> {
        let seen = format!("{} is wrong", turn.trace.request().as_str());
        Ok(Verified {
            score: Score::ZERO,
            reason: self.0.text(&seen, 200).into_owned(),
        })
    }
}

/// The built-in model, and all that it was shown.
struct Recorder(Arc<Mutex<String>>);

#[async_trait]
impl RepairModel for Recorder {
    fn name(&self) -> CleanString {
        BuiltinModel::new().name()
    }

    async fn reply(&self, request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let shown = format!("{:?}{:?}", request.prompt, request.exchange);
        self.0.lock().unwrap().push_str(&shown);
        BuiltinModel::new().reply(request).await
    }
}

/// What a run leaves: each file, and the prompts.
async fn run(folder: &Path, secret: &str, redactor: Redactor) -> BTreeMap<PathBuf, String> {
    let prompts = Arc::new(Mutex::new(String::new()));
    let harness = HostHarness::open(Setup {
        paths: paths(folder),
        config: Config {
            capture_eval_cases: true,
            ..Config::default()
        },
        evaluator: Arc::new(EmbeddedEvaluator),
        verifier: Some(Arc::new(Wrong(Intake::new(
            Gate::default(),
            redactor.clone(),
        )))),
        repair: Repair::With(ModelChoice::Custom(Arc::new(Recorder(Arc::clone(
            &prompts,
        ))))),
        redactor,
        clock: Some(Arc::new(now)),
    })
    .await
    .unwrap();
    let session = harness
        .start(Conversation::new("s", "Be brief."))
        .await
        .unwrap();
    let mut turn = session.turn(&format!("My key is {secret}."));
    let failed = format!("no such file; tried with {secret}");
    let failed = ToolOutcome::Failed(ErrorClass::NotFound, &failed);
    turn.call(
        "list_files",
        &json!({ "key": secret }),
        ToolOutcome::Answered(secret),
    )
    .call(
        "read_file",
        &json!({ "path": format!("{secret}/a") }),
        failed,
    )
    .call(
        "read_file",
        &json!({ "path": format!("{secret}/a") }),
        failed,
    )
    .reply(&format!("I tried {secret}."))
    .task_summary(&format!("With {secret}."))
    .replay_input(secret);
    let _ = session.record_turn(turn);
    session.end();
    let settled = session.settle().await;
    assert!(
        settled.complete && settled.failures.is_empty(),
        "{settled:?}"
    );
    assert!(settled.repair.unwrap().new_rule.is_some());
    drop(session);
    assert!(harness.close().await);

    let mut left = BTreeMap::new();
    collect(folder, folder, &mut left);
    left.insert(PathBuf::from("prompts"), prompts.lock().unwrap().clone());
    left.into_iter()
        .map(|(path, text)| {
            (
                PathBuf::from(masked(&path.to_string_lossy())),
                masked(&text),
            )
        })
        .collect()
}

fn collect(folder: &Path, from: &Path, left: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, from, left);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            left.insert(path.strip_prefix(from).unwrap().to_path_buf(), text);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

/// `text` with every run of eight hexadecimal digits and more replaced, and the time of a repair.
fn masked(text: &str) -> String {
    const RUN: usize = 8;
    const TOOK: &str = "\"elapsed_ms\":";
    let mut parts = text.split(TOOK);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(TOOK);
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    let mut out = String::new();
    let mut run = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() || ('a'..='f').contains(&c) {
            run.push(c);
            continue;
        }
        out.push_str(if run.len() < RUN { &run } else { "#" });
        run.clear();
        out.push(c);
    }
    out.pop();
    out
}

async fn both(redactor: impl Fn(&str) -> Redactor) -> [BTreeMap<PathBuf, String>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let origin = folder.path().join("origin");
    fs::create_dir(&origin).unwrap();
    Workspace::init(&paths(&origin), now()).unwrap();
    let mut left = Vec::new();
    for (name, secret) in [("one", SHORT), ("two", LONG)] {
        let place = folder.path().join(name);
        copy(&origin, &place);
        left.push(run(&place, secret, redactor(secret)).await);
    }
    left.try_into().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_depends_on_it() {
    let [one, two] =
        both(|secret| Redactor::with_values([("APP_TOKEN".to_owned(), secret.to_owned())])).await;
    assert!(one.len() > 10 && one[Path::new("prompts")].len() > 1000);
    assert_eq!(
        one.keys().collect::<Vec<_>>(),
        two.keys().collect::<Vec<_>>()
    );
    for (path, text) in &one {
        for (line, other) in text.lines().zip(two[path].lines()) {
            assert_eq!(line, other, "{}", path.display());
        }
        assert_eq!(text.len(), two[path].len(), "{}", path.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_it_is_no_secret_to_anybody_the_runs_do_differ() {
    let [one, two] = both(|_| Redactor::patterns_only()).await;
    let differ = |path: &str| one[Path::new(path)] != two[Path::new(path)];
    assert!(differ("prompts"));
    let any = |wanted: &str| {
        one.iter().any(|(path, text)| {
            path.starts_with(wanted) && two.get(path).is_some_and(|other| other != text)
        })
    };
    assert!(any("root/mailbox") && any("root/traces") && any("root/evalset"));
}
