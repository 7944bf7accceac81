//! A workspace of its own for each test, and hands to work on it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use harness_core::{
    Applicability, CleanString, CleanText, Condition, Episode, MetricFinding, MetricName,
    MetricRegistry, MetricSpec, Notice, NoticeId, Origin, Principal, RepairSessionId, RuleId,
    RuleStatus, Scope, Score, SessionId, Severity, Signature, Tags, Tier, Timestamp, TraceId,
};
use harness_rules::evidence::{Arm, MasterKey, Pi};
use harness_rules::verify::{Verification, verify};
use harness_rules::{
    Decided, Desks, EvaluatorIdentity, OpenEpisode, Opened, Proposal, ProposeOutcome,
    ProposedEpisode, RuleReader, Scores, Settings, TaskSession, TaskToolset, Usage,
};
use harness_store::wire::dump::DumpDoc;
use harness_store::wire::event::{
    CloseReason, Event, Health, HealthState, OriginDoc, SessionClosed, SessionOpened,
    TrialAssigned, TrialKind, TrialName, TrialObserved,
};
use harness_store::wire::{Line, sha256};
use harness_store::{
    Halves, NoticeToPost, OpenOptions, Opening, Reader, TurnOutcome, TurnRecord, Workspace,
    WorkspacePaths,
};
use serde_json::{Value, json};

/// The metric that most tests look at.
pub(crate) const METRIC: &str = "tool_correctness";
/// Another one that is measured.
pub(crate) const OTHER_METRIC: &str = "outcome_correct";
/// A condition of [`METRIC`].
pub(crate) const BREACH: (Condition, &str) = (Condition::Breach, METRIC);
/// The key of every workspace here, so that no run of the tests differs from another by it.
const KEY: [u8; 32] = [7; 32];
/// Long enough for a loaded machine, short enough for a hang to show.
const SOON: Duration = Duration::from_secs(60);

/// A workspace in a folder that goes with it.
pub(crate) struct Place {
    _dir: Option<tempfile::TempDir>,
    pub(crate) paths: WorkspacePaths,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let place = Self::at(dir.path());
        Workspace::init(&place.paths, start()).unwrap();
        std::fs::write(place.key_file(), KEY).unwrap();
        Self {
            _dir: Some(dir),
            ..place
        }
    }

    /// The workspace in `folder`, which stays.
    pub(crate) fn at(folder: &Path) -> Self {
        Self {
            _dir: None,
            paths: WorkspacePaths {
                root: folder.join("root"),
                config_dir: folder.join("config"),
            },
        }
    }

    /// The folder that the workspace is in.
    pub(crate) fn folder(&self) -> &Path {
        self.paths.root.parent().unwrap()
    }

    pub(crate) fn halves(&self) -> Halves {
        let options = OpenOptions {
            clock: ticking(),
            lock_wait: SOON,
            ..OpenOptions::default()
        };
        Workspace::open(&self.paths, options).unwrap()
    }

    pub(crate) fn open(&self) -> Desks {
        self.open_with(Settings::default())
    }

    pub(crate) fn open_with(&self, settings: Settings) -> Desks {
        Desks::of(self.halves(), registry(), settings)
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::open(&self.paths).unwrap()
    }

    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.paths.root.join(path)
    }

    pub(crate) fn key_file(&self) -> PathBuf {
        let id = self.reader().workspace().to_string();
        self.paths.config_dir.join(id).join("key")
    }

    pub(crate) fn lines(&self) -> Vec<Line> {
        let lines = self.reader().records_from(0).unwrap();
        lines.map(Result::unwrap).collect()
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        let lines = self.lines();
        lines
            .iter()
            .filter_map(|line| line.event().map(|(_, event)| event.clone()))
            .collect()
    }

    /// The entries, in order.
    pub(crate) fn entries(&self) -> Vec<TrialAssigned> {
        self.events()
            .into_iter()
            .filter_map(|event| match event {
                Event::TrialAssigned(assigned) => Some(assigned),
                _ => None,
            })
            .collect()
    }

    /// The outcomes, in order.
    pub(crate) fn outcomes(&self) -> Vec<TrialObserved> {
        self.events()
            .into_iter()
            .filter_map(|event| match event {
                Event::TrialObserved(observed) => Some(observed),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn verify(&self, rule: &RuleId) -> Verification {
        verify(rule, self.lines().into_iter()).unwrap()
    }
}

/// When every test begins.
pub(crate) fn start() -> Timestamp {
    Timestamp::parse("2026-11-30T10:00:00Z").unwrap()
}

/// Long after every attempt of a test.
pub(crate) fn later() -> Timestamp {
    start().plus_seconds(10 * 86_400)
}

/// A clock that goes on by a millisecond at each look.
fn ticking() -> harness_store::Clock {
    let micros = AtomicI64::new(start().as_micros());
    Arc::new(move || Timestamp::from_micros(micros.fetch_add(1000, Ordering::Relaxed)))
}

fn registry() -> MetricRegistry {
    let spec = |name: &str, tier| MetricSpec {
        name: metric(name),
        tier,
        threshold: Score::new(0.5).unwrap(),
    };
    MetricRegistry::new([
        spec(METRIC, Tier::Diagnosis),
        spec(OTHER_METRIC, Tier::Outcome),
    ])
}

pub(crate) fn clean(text: &str) -> CleanString {
    CleanText::new(text.to_owned()).unwrap()
}

pub(crate) fn metric(name: &str) -> MetricName {
    MetricName::parse(name).unwrap()
}

pub(crate) fn scope(name: &str) -> Scope {
    Scope::parse(name).unwrap()
}

pub(crate) fn session_id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

pub(crate) fn rule_id(id: &str) -> RuleId {
    RuleId::parse(id).unwrap()
}

/// The first opening of a candidate.
pub(crate) const FIRST: TrialName = TrialName {
    kind: TrialKind::Trial,
    opening: 1,
};

/// The holdout of a rule that was promoted by its first opening.
pub(crate) const HOLDOUT: TrialName = TrialName {
    kind: TrialKind::Holdout,
    opening: 2,
};

// Notices and rules.

/// A notice about one turn of a session of its own.
pub(crate) fn notice(id: &str) -> Notice {
    let session = session_id(&format!("failing-{id}"));
    let signature = Signature::parse("breach:tool_correctness").unwrap();
    let trace = TraceId::parse(&format!("trace-{id}")).unwrap();
    let score = Score::new(0.25).unwrap();
    Notice {
        id: NoticeId::parse(id).unwrap(),
        created_at: start(),
        session,
        turn_index: 0,
        severity: Severity::Breach,
        metrics: vec![MetricFinding {
            name: signature.metric.clone(),
            value: Some(score),
            threshold: Score::new(0.5).unwrap(),
            reason: Some(clean("most calls failed")),
            conditions: vec![signature.condition],
            trace: Some(trace.clone()),
            tier: Tier::Diagnosis,
        }],
        flagged_traces: vec![trace],
        signal_breakdown: Vec::new(),
        signatures: vec![signature],
        summary: clean("tool calls failed"),
        scope_hints: Vec::new(),
        recommended_scope: None,
        applicability_hint: Applicability::Topical,
        host_labels: Vec::new(),
        task_summary: None,
        principal: None,
        shown_rules: Vec::new(),
        resolution: None,
    }
}

/// Posts notices of one turn.
pub(crate) fn post(desks: &Desks, notices: Vec<Notice>) {
    post_with(desks, notices, None);
}

/// Posts notices of one turn, with an evaluation beside each.
pub(crate) fn post_with(desks: &Desks, notices: Vec<Notice>, dump: Option<&DumpDoc>) {
    let count = notices.len();
    let mut record = turn(&notices[0].session, notices[0].turn_index);
    record.notices = notices
        .into_iter()
        .map(|notice| NoticeToPost {
            notice,
            dump: dump.cloned(),
        })
        .collect();
    match desks.watch.record_turn(record).unwrap() {
        TurnOutcome::Recorded { posted, files, .. } => {
            assert_eq!((posted.len(), files), (count, Ok(())));
        }
        other => panic!("{other:?}"),
    }
}

fn turn(session: &SessionId, index: u32) -> TurnRecord {
    TurnRecord {
        session: session.clone(),
        index,
        digest: sha256(format!("{session} {index}").as_bytes()),
        origin: Origin::Live,
        principal: None,
        ended_at: None,
        scores: Vec::new(),
        gates: Vec::new(),
        counts: None,
        notices: Vec::new(),
        cooldown_turns: 10,
        observe_only: false,
        latest: None,
        events: Vec::new(),
    }
}

/// Advice, tagged `orders`, in the scope `orders`.
pub(crate) fn proposal(text: &str) -> Proposal {
    Proposal {
        text: clean(text).paragraph().unwrap(),
        rationale: clean("calls were made without it"),
        metric: Some(metric(METRIC)),
        tags: Tags::new(["orders"]).unwrap(),
        scope: Some(scope("orders")),
        scope_rationale: None,
        applicability: None,
        supersedes: None,
    }
}

/// The same, filed elsewhere.
pub(crate) fn proposal_in(name: &str, text: &str) -> Proposal {
    Proposal {
        scope: Some(scope(name)),
        ..proposal(text)
    }
}

/// Advice that has no word in common with that of another letter.
pub(crate) fn advice(letter: char) -> String {
    let made_up = ["alph", "bet", "gamm", "delt", "epsil", "zet", "thet"];
    made_up
        .map(|stem| format!("{letter}{stem}{letter}"))
        .join(" ")
}

pub(crate) fn begin(desks: &Desks, episode: &Episode) -> Opened {
    let session = RepairSessionId::from_bits(1);
    desks
        .repair
        .open(episode, clean("builtin"), session)
        .unwrap()
}

/// Posts a notice and opens its episode.
pub(crate) fn fresh_for(desks: &Desks, notice: Notice) -> OpenEpisode {
    let id = notice.id.clone();
    post(desks, vec![notice]);
    let episodes = desks.repair.episodes(later()).unwrap();
    let episode = episodes
        .iter()
        .find(|episode| episode.notices().contains(&id))
        .unwrap();
    match begin(desks, episode) {
        Opened::Fresh(open) => open,
        Opened::Continued(proposed) => panic!("{} was proposed before", proposed.rule()),
    }
}

pub(crate) fn fresh(desks: &Desks, id: &str) -> OpenEpisode {
    fresh_for(desks, notice(id))
}

pub(crate) fn added(outcome: ProposeOutcome) -> ProposedEpisode {
    match outcome {
        ProposeOutcome::Added(proposed) => proposed,
        ProposeOutcome::Covered { by, .. } => panic!("covered by {by}"),
        ProposeOutcome::Refused { reason, .. } => panic!("refused: {reason}"),
    }
}

/// A rule all the way from a notice to a candidate.
pub(crate) fn add_rule(desks: &Desks, id: &str, proposal: Proposal) -> RuleId {
    add_rule_for(desks, notice(id), proposal)
}

pub(crate) fn add_rule_for(desks: &Desks, notice: Notice, proposal: Proposal) -> RuleId {
    let proposed = added(fresh_for(desks, notice).propose(proposal).unwrap());
    let rule = proposed.rule().clone();
    proposed.acknowledge(None, Usage::default()).unwrap();
    rule
}

// Trials.

pub(crate) fn evaluator(version: &str) -> EvaluatorIdentity {
    EvaluatorIdentity {
        name: clean("embedded"),
        version: clean(version),
    }
}

pub(crate) fn decide(desks: &Desks) -> Decided {
    desks.validation.decide(&evaluator("1")).unwrap()
}

/// A candidate with an open trial.
pub(crate) fn rule_on_trial(desks: &Desks, id: &str, proposal: Proposal) -> RuleId {
    let rule = add_rule(desks, id, proposal);
    assert_eq!(decide(desks).opened, [(rule.clone(), FIRST)]);
    rule
}

pub(crate) fn status(desks: &Desks, rule: &RuleId) -> RuleStatus {
    desks.book.ledger().unwrap().rule(rule).unwrap().status
}

/// Names for sessions, each once, none of them in the null arm.
#[derive(Default)]
pub(crate) struct Names(u32);

impl Names {
    /// The next name that `fits`.
    pub(crate) fn that(&mut self, fits: impl Fn(&str) -> bool) -> String {
        loop {
            self.0 += 1;
            let name = format!("live-{}", self.0);
            if !master().in_null_arm(&name) && fits(&name) {
                return name;
            }
        }
    }

    pub(crate) fn any(&mut self) -> String {
        self.that(|_| true)
    }

    /// A name in this arm of an opening.
    pub(crate) fn in_arm(&mut self, rule: &RuleId, trial: TrialName, pi: Pi, arm: Arm) -> String {
        self.that(|name| arm_of(rule, trial, name, pi) == arm)
    }
}

pub(crate) fn master() -> MasterKey {
    MasterKey::new(KEY)
}

pub(crate) fn arm_of(rule: &RuleId, trial: TrialName, session: &str, pi: Pi) -> Arm {
    let opening = u64::from(trial.opening);
    let key = match trial.kind {
        TrialKind::Trial => master().trial(rule.as_str(), opening),
        TrialKind::Holdout => master().holdout(rule.as_str(), opening),
    };
    key.arm(session, pi)
}

/// A session with its tools.
pub(crate) struct Live {
    pub(crate) state: Arc<TaskSession>,
    pub(crate) tools: TaskToolset,
}

pub(crate) fn opened(name: &str, origin: OriginDoc, principal: Option<&str>) -> SessionOpened {
    SessionOpened {
        session: session_id(name),
        origin,
        principal: principal.map(|name| Principal::parse(name).unwrap()),
    }
}

impl Live {
    pub(crate) fn begin(desks: &Desks, name: &str) -> Self {
        Self::begin_as(desks, opened(name, OriginDoc::Live, None))
    }

    pub(crate) fn begin_as(desks: &Desks, opened: SessionOpened) -> Self {
        let live = Self::tools_of(desks, opened.session.as_str());
        assert_eq!(desks.watch.open_session(opened), Ok(Opening::Opened));
        live
    }

    /// The tools of a session, whether it was opened or not.
    pub(crate) fn tools_of(desks: &Desks, name: &str) -> Self {
        let state = TaskSession::new(session_id(name));
        let tools = desks.book.task_tools(Arc::clone(&state));
        Self { state, tools }
    }

    pub(crate) fn read(&self) -> Value {
        self.read_scope("orders")
    }

    pub(crate) fn read_scope(&self, scope: &str) -> Value {
        let answer = self
            .tools
            .call("harness_rules_read", &json!({ "scope": scope }));
        assert_eq!(answer["ok"], true, "{answer}");
        answer
    }

    pub(crate) fn search(&self, query: &str) -> Value {
        let answer = self
            .tools
            .call("harness_rules_search", &json!({ "query": query }));
        assert_eq!(answer["ok"], true, "{answer}");
        answer
    }

    /// Ends a turn in which `conditions` fired, with what that settles.
    pub(crate) fn turn(&self, desks: &Desks, conditions: &[(Condition, &str)]) {
        self.evaluated(desks, self.state.turn(), conditions);
    }

    /// Records that `conditions` fired in a turn that has ended, perhaps some time ago.
    pub(crate) fn evaluated(&self, desks: &Desks, index: u32, conditions: &[(Condition, &str)]) {
        let id = self.state.id().clone();
        let conditions: Vec<_> = conditions
            .iter()
            .map(|(condition, name)| (*condition, metric(name)))
            .collect();
        let (book, session) = (desks.book.clone(), id.clone());
        let outcome = desks
            .watch
            .record_turn_with(turn(&id, index), move || {
                book.outcomes_of_turn(&session, index, &conditions)
            })
            .unwrap();
        assert!(
            matches!(outcome, TurnOutcome::Recorded { .. }),
            "{outcome:?}"
        );
        self.state.turn_ended(index);
    }

    /// Closes the session, with what that settles.
    pub(crate) fn close(&self, desks: &Desks, scores: Scores) {
        let session = self.state.id().clone();
        let closed = SessionClosed {
            session: session.clone(),
            turns: self.state.turn(),
            reason: CloseReason::Host,
        };
        let book = desks.book.clone();
        let was_open = desks
            .watch
            .close_session_with(closed, move || book.outcomes_at_close(&session, scores));
        assert_eq!(was_open, Ok(true));
    }

    /// One turn, which fails or not, and the end.
    pub(crate) fn finish(&self, desks: &Desks, fails: bool) {
        if fails {
            self.turn(desks, &[BREACH]);
        }
        self.close(desks, Scores::Complete);
    }
}

/// The rules whose text an answer holds.
pub(crate) fn shown(answer: &Value) -> Vec<RuleId> {
    RuleReader::surfaced(answer)
}

/// Runs sessions of an agent that fails unless it reads the rule, until the rule is active.
pub(crate) fn promote(desks: &Desks, names: &mut Names, rule: &RuleId) {
    const ENOUGH: usize = 150;
    let scope = desks
        .book
        .ledger()
        .unwrap()
        .rule(rule)
        .unwrap()
        .rule
        .scope
        .clone();
    for _ in 0..ENOUGH {
        let live = Live::begin(desks, &names.any());
        let helped = shown(&live.read_scope(scope.as_str())).contains(rule);
        live.finish(desks, !helped);
        if decide(desks).promoted.contains(rule) {
            return;
        }
    }
    panic!("{rule} helped in {ENOUGH} sessions and is not active");
}

pub(crate) fn health(desks: &Desks, state: HealthState) {
    let change = Health {
        source: clean("embedded"),
        state,
        detail: clean("asked"),
    };
    desks.watch.append(SOON, vec![change.into()]).unwrap();
}
