//! A workspace of its own for each test, and events to fill it with.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use harness_core::{
    Applicability, CleanString, CleanText, EpisodeId, MetricFinding, MetricName, Notice, NoticeId,
    Origin, Principal, ResolutionKind, Rule, RuleId, RuleStatus, Scope, Score, SessionId, Severity,
    Signature, Tags, Tier, Timestamp, TraceId, TraceSignals,
};
use harness_store::wire::event::{
    OriginDoc, Recovery, RepairContext, RepairEnd, RepairNoticeResolved, RepairStarted,
    SessionOpened,
};
use harness_store::wire::rule::RuleDoc;
use harness_store::wire::score::GateState;
use harness_store::wire::sha256;
use harness_store::{
    Halves, Line, NoticeToPost, OpenOptions, Reader, Rotation, StoreError, TurnRecord, Workspace,
    WorkspacePaths,
};

/// Long enough for a loaded machine, short enough for a hang to show.
pub(crate) const SOON: Duration = Duration::from_secs(30);
/// Tells a copy of this test binary that it is a child, and where its workspace lies.
const CHILD: &str = "HARNESS_STORE_TEST_CHILD";

/// A workspace in a folder that goes with it.
pub(crate) struct Place {
    _dir: Option<tempfile::TempDir>,
    pub(crate) paths: WorkspacePaths,
}

impl Place {
    /// A folder, nothing in it.
    pub(crate) fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths_in(dir.path());
        Self {
            _dir: Some(dir),
            paths,
        }
    }

    /// A workspace in `folder`, which stays.
    pub(crate) fn at(folder: &Path) -> Self {
        Self {
            _dir: None,
            paths: paths_in(folder),
        }
    }

    /// A fresh workspace.
    pub(crate) fn new() -> Self {
        let place = Self::empty();
        Workspace::init(&place.paths, start()).unwrap();
        place
    }

    pub(crate) fn options() -> OpenOptions {
        OpenOptions {
            clock: ticking(),
            lock_wait: SOON,
            ..OpenOptions::default()
        }
    }

    pub(crate) fn open(&self) -> Halves {
        Workspace::open(&self.paths, Self::options()).unwrap()
    }

    /// Opened so that a segment is closed every few commits.
    pub(crate) fn open_rotating(&self) -> Halves {
        let options = OpenOptions {
            rotation: Rotation {
                bytes: 2_000,
                ..Rotation::default()
            },
            ..Self::options()
        };
        Workspace::open(&self.paths, options).unwrap()
    }

    /// The closed segments, oldest first.
    pub(crate) fn segments(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.file("state/segments")).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    }

    pub(crate) fn try_open(&self) -> Result<Halves, StoreError> {
        Workspace::open(&self.paths, Self::options())
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::open(&self.paths).unwrap()
    }

    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.paths.root.join(path)
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.file("journal.jsonl")
    }

    pub(crate) fn anchor(&self) -> PathBuf {
        let id = self.reader().workspace().to_string();
        self.paths.config_dir.join(id).join("anchor")
    }

    /// All lines of the journal.
    pub(crate) fn lines(&self) -> Vec<Line> {
        self.reader()
            .records_from(0)
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    /// The kinds of the lines of the chain, in order.
    pub(crate) fn kinds(&self) -> Vec<String> {
        std::fs::read_to_string(self.journal())
            .unwrap()
            .lines()
            .map(|line| {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                value["type"].as_str().unwrap().to_owned()
            })
            .collect()
    }
}

fn paths_in(folder: &Path) -> WorkspacePaths {
    WorkspacePaths {
        root: folder.join("root"),
        config_dir: folder.join("config"),
    }
}

/// When every test begins.
pub(crate) fn start() -> Timestamp {
    Timestamp::parse("2026-11-30T10:00:00Z").unwrap()
}

/// A clock that goes on by a millisecond at each look.
pub(crate) fn ticking() -> harness_store::Clock {
    let micros = AtomicI64::new(start().as_micros());
    Arc::new(move || Timestamp::from_micros(micros.fetch_add(1000, Ordering::Relaxed)))
}

pub(crate) fn clean(text: &str) -> CleanString {
    CleanText::new(text.to_owned()).unwrap()
}

pub(crate) fn session(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

pub(crate) fn metric(name: &str) -> MetricName {
    MetricName::parse(name).unwrap()
}

pub(crate) fn opened(name: &str) -> SessionOpened {
    SessionOpened {
        session: session(name),
        origin: OriginDoc::Live,
        principal: None,
    }
}

pub(crate) fn recovery(name: &str) -> Recovery {
    Recovery {
        session: session(name),
        signature: Signature::parse("breach:tool_correctness").unwrap(),
    }
}

pub(crate) fn notice(id: &str, name: &str, turn: u32, signature: &str) -> Notice {
    let signature = Signature::parse(signature).unwrap();
    let trace = TraceId::parse(&format!("{name}#{turn}")).unwrap();
    let score = Score::new(0.25).unwrap();
    Notice {
        id: NoticeId::parse(id).unwrap(),
        created_at: start(),
        session: session(name),
        turn_index: turn,
        severity: Severity::Breach,
        metrics: vec![MetricFinding {
            name: signature.metric.clone(),
            value: Some(score),
            threshold: Score::new(0.5).unwrap(),
            reason: Some(clean("3 of 4 calls failed")),
            conditions: vec![signature.condition],
            trace: Some(trace.clone()),
            tier: Tier::Diagnosis,
        }],
        flagged_traces: vec![trace.clone()],
        signal_breakdown: vec![TraceSignals {
            trace,
            scores: vec![(signature.metric.clone(), score)],
        }],
        summary: clean(&format!("{signature} at 0.25")),
        signatures: vec![signature],
        scope_hints: Vec::new(),
        recommended_scope: Some(Scope::parse("orders").unwrap()),
        applicability_hint: Applicability::Topical,
        host_labels: Vec::new(),
        task_summary: Some(clean("find an order — été")),
        principal: Some(Principal::parse("someone@example").unwrap()),
        shown_rules: Vec::new(),
        resolution: None,
    }
}

pub(crate) fn turn(name: &str, index: u32, notices: Vec<Notice>) -> TurnRecord {
    TurnRecord {
        session: session(name),
        index,
        digest: sha256(format!("{name} {index}").as_bytes()),
        origin: Origin::Live,
        principal: None,
        ended_at: Some(start().plus_seconds(i64::from(index) * 1000)),
        scores: vec![
            (metric("task_completion"), Score::new(0.5)),
            (metric("coherence"), None),
        ],
        gates: vec![(
            metric("task_completion"),
            GateState {
                peak: Score::new(0.5),
                turns_since_gain: index,
            },
        )],
        counts: None,
        notices: notices
            .into_iter()
            .map(|notice| NoticeToPost { notice, dump: None })
            .collect(),
        cooldown_turns: 10,
        observe_only: false,
        latest: None,
        events: Vec::new(),
    }
}

pub(crate) fn context(notices: &[&str], attempt: u32) -> RepairContext {
    RepairContext {
        episode: EpisodeId::parse("e-0123456789ab").unwrap(),
        notices: notices
            .iter()
            .map(|id| NoticeId::parse(id).unwrap())
            .collect(),
        attempt,
        repair_session: "repair-0000000000000001".to_owned(),
        recommended_scope: None,
        selected_scope: None,
        scope_rationale: None,
        considered_rules: Vec::new(),
        suppression: None,
    }
}

pub(crate) fn repair_started(notices: &[&str], attempt: u32) -> RepairStarted {
    RepairStarted {
        context: context(notices, attempt),
        model: clean("builtin"),
    }
}

pub(crate) fn repair_resolved(notices: &[&str], attempt: u32) -> RepairNoticeResolved {
    RepairNoticeResolved {
        context: context(notices, attempt),
        kind: ResolutionKind::Candidate,
        rule: Some(RuleId::parse("r-0000000001").unwrap()),
        note: None,
    }
}

pub(crate) fn repair_end(notices: &[&str], attempt: u32) -> RepairEnd {
    RepairEnd {
        context: context(notices, attempt),
        rule: Some(RuleId::parse("r-0000000001").unwrap()),
        category: None,
        turns: 2,
        tool_calls: 3,
        output_tokens: 400,
        elapsed_ms: 12,
    }
}

pub(crate) fn rule(id: &str, text: &str) -> RuleDoc {
    let rule = Rule {
        id: RuleId::parse(id).unwrap(),
        created_at: start(),
        text: clean(text).paragraph().unwrap(),
        rationale: clean("the same lookup failed three times"),
        source_notice: None,
        metric: Some(metric("tool_correctness")),
        tags: Tags::new(["lookup"]).unwrap(),
        scope: Scope::parse("orders").unwrap(),
        applicability: Applicability::Topical,
        failure_signatures: Vec::new(),
        supersedes: None,
        parents: Vec::new(),
    };
    RuleDoc::from_domain(&rule, RuleStatus::Candidate)
}

/// The anchor as it was when the last append had begun and nothing had settled: both slots of a
/// settled anchor name one head, so the slot before the last is the one that a kill leaves.
pub(crate) fn under_way(anchor: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(anchor).unwrap();
    let newest = text.lines().max().unwrap();
    text.lines()
        .map(|line| if line == newest { "0".repeat(line.len()) } else { line.to_owned() } + "\n")
        .collect::<String>()
        .into_bytes()
}

/// Copies a folder and everything in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The workspace of this process, if it is a child that a test started.
pub(crate) fn as_child() -> Option<Place> {
    std::env::var_os(CHILD).map(|folder| Place::at(Path::new(&folder)))
}

/// A copy of this test binary that runs `test` as a child on the workspace in `folder`; what it
/// prints can be read.
pub(crate) fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    command
}

/// Tells the parent of a child something, on a line of its own.
pub(crate) fn tell(text: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "\n{text}").unwrap();
    out.flush().unwrap();
}

/// Ends a child however a test ends.
pub(crate) struct Killed(pub(crate) Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
