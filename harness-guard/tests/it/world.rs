//! A guard with everything around it: real files, a person and a resolver that are scripted.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness_core::SessionId;
use harness_guard::{
    Answer, ApprovalRequest, Approver, Ask, Audit, AuditError, CallContext, Executor, Folder,
    Guard, GuardSetup, Network, Outcome, Permitted, Phase, ResolveError, Resolver, Role, ToolCall,
    ToolFailure, Tools, standard_specs,
};
use harness_store::{Event, GuardEvent};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An audit in memory, which can be told to fail.
#[derive(Default)]
pub(crate) struct MemoryAudit {
    events: Mutex<Vec<Value>>,
    pub(crate) failing: std::sync::atomic::AtomicBool,
}

#[async_trait]
impl Audit for MemoryAudit {
    async fn record(&self, events: Vec<GuardEvent>) -> Result<(), AuditError> {
        if self.failing.load(Ordering::SeqCst) {
            return Err(AuditError("the disk is full".to_owned()));
        }
        let values = events
            .into_iter()
            .map(|event| serde_json::to_value(Event::from(event)).unwrap());
        self.events.lock().unwrap().extend(values);
        Ok(())
    }
}

impl MemoryAudit {
    pub(crate) fn all(&self) -> Vec<Value> {
        self.events.lock().unwrap().clone()
    }

    /// The kinds of the events, without the `guard.` and without the start.
    pub(crate) fn kinds(&self) -> Vec<String> {
        self.all()
            .iter()
            .skip(1)
            .map(|event| event["type"].as_str().unwrap()[6..].to_owned())
            .collect()
    }

    pub(crate) fn of(&self, kind: &str) -> Vec<Value> {
        let kind = format!("guard.{kind}");
        self.all()
            .into_iter()
            .filter(|event| event["type"] == *kind)
            .collect()
    }

    /// Everything, as it would stand on disk.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(&self.all()).unwrap()
    }
}

/// A person who always says the same, and remembers what they were asked.
pub(crate) struct Person {
    pub(crate) says: Answer,
    pub(crate) asked: Mutex<Vec<ApprovalRequest>>,
}

impl Person {
    pub(crate) fn who_says(says: Answer) -> Arc<Self> {
        Arc::new(Self {
            says,
            asked: Mutex::new(Vec::new()),
        })
    }

    pub(crate) fn asked(&self) -> Vec<Vec<Ask>> {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|request| request.asks.clone()).collect()
    }
}

#[async_trait]
impl Approver for Person {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        self.asked.lock().unwrap().push(request.clone());
        self.says
    }
}

/// A resolver that knows some names.
#[derive(Default)]
pub(crate) struct Names(pub(crate) BTreeMap<String, Vec<IpAddr>>);

impl Names {
    pub(crate) fn of(names: &[(&str, &[&str])]) -> Arc<Self> {
        let names = names.iter().map(|(name, addresses)| {
            let addresses = addresses.iter().map(|text| text.parse().unwrap());
            ((*name).to_owned(), addresses.collect())
        });
        Arc::new(Self(names.collect()))
    }
}

#[async_trait]
impl Resolver for Names {
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        self.0.get(host).cloned().ok_or(ResolveError)
    }
}

/// Runs the standard tools, as far as tests need, and counts.
#[derive(Clone, Default)]
pub(crate) struct Runner {
    pub(crate) runs: Arc<AtomicUsize>,
    pub(crate) says: Arc<Mutex<Option<Result<String, String>>>>,
}

#[async_trait]
impl Executor for Runner {
    async fn run(&self, call: Permitted) -> Result<String, ToolFailure> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        if let Some(said) = self.says.lock().unwrap().clone() {
            return said.map_err(ToolFailure::new);
        }
        let failed = |error: std::io::Error| ToolFailure::new(error.to_string());
        let path = call.path("path");
        match (call.tool(), path) {
            ("read_file", Some(path)) => {
                let bytes = path.read(1 << 20).map_err(failed)?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            ("write_file", Some(path)) => {
                let content = call.text("content").unwrap_or_default();
                path.write(content.as_bytes()).map_err(failed)?;
                Ok("written".to_owned())
            }
            _ => Ok("done".to_owned()),
        }
    }
}

pub(crate) struct World {
    pub(crate) place: TempDir,
    pub(crate) audit: Arc<MemoryAudit>,
    pub(crate) person: Arc<Person>,
    pub(crate) runner: Runner,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_person(Answer::Approve)
    }

    pub(crate) fn with_person(says: Answer) -> Self {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("work")).unwrap();
        Self {
            place,
            audit: Arc::default(),
            person: Person::who_says(says),
            runner: Runner::default(),
        }
    }

    pub(crate) fn work(&self) -> std::path::PathBuf {
        self.place.path().join("work").canonicalize().unwrap()
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.work().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.work().join(path)).unwrap()
    }

    pub(crate) fn tools(&self) -> Tools {
        standard_specs()
            .into_iter()
            .fold(Tools::new(), |tools, spec| {
                tools.add(spec, self.runner.clone()).unwrap()
            })
    }

    pub(crate) fn setup(&self) -> GuardSetup {
        let folder = Folder::open(Path::new(&self.work()), &[]).unwrap();
        let session = SessionId::parse("s-1").unwrap();
        let mut setup = GuardSetup::new(session, self.tools(), folder, self.audit.clone());
        setup.approver = self.person.clone();
        setup.resolver = Names::of(&[("example.org", &["8.8.8.8"])]);
        setup
    }

    pub(crate) async fn guard(&self) -> Guard {
        Guard::start(self.setup()).await.unwrap()
    }

    pub(crate) fn runs(&self) -> usize {
        self.runner.runs.load(Ordering::SeqCst)
    }

    pub(crate) fn says(&self, said: &str) {
        *self.runner.says.lock().unwrap() = Some(Ok(said.to_owned()));
    }

    pub(crate) fn fails_with(&self, said: &str) {
        *self.runner.says.lock().unwrap() = Some(Err(said.to_owned()));
    }
}

pub(crate) fn phase() -> Phase {
    Phase::new("build", Role::Worker)
        .unwrap()
        .network(Network::Allowed)
}

pub(crate) fn ctx() -> CallContext {
    CallContext::new(phase(), "Tidy the notes")
}

pub(crate) fn call(name: &str, arguments: Value) -> ToolCall {
    raw_call(name, &arguments.to_string())
}

pub(crate) fn raw_call(name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: "call-1".to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    }
}

pub(crate) fn read(path: &str) -> ToolCall {
    call("read_file", json!({ "path": path }))
}

pub(crate) fn write(path: &str, content: &str) -> ToolCall {
    call("write_file", json!({ "path": path, "content": content }))
}

/// The error of a refusal; a panic with what happened instead.
pub(crate) fn error_of(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Refused(refusal) => refusal.denial.name(),
        other => panic!("not refused: {other:?}"),
    }
}

pub(crate) fn ran(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Ran(_))
}
