//! A real workspace in a folder of its own, with one failure in its mailbox.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use harness_core::{CleanText, Episode, Notice, RepairSessionId, RuleId, Tags, Timestamp, Trace};
use harness_repair::{
    ModelChoice, RepairAgent, RepairBounds, RepairError, RepairModel, RepairResult,
};
use harness_rules::{
    Desks, OpenEpisode, Opened, Proposal, ProposeOutcome, RepairDesk, RuleBook, Settings, Usage,
};
use harness_sanitize::{Gate, Intake, Redactor};
use harness_store::wire::dump::DumpDoc;
use harness_store::wire::event::{OriginDoc, SessionOpened};
use harness_store::wire::trace::TraceDoc;
use harness_store::{
    Mailbox, NoticeToPost, OpenOptions, Reader, TurnOutcome, TurnRecord, Watch, Workspace as Store,
    WorkspacePaths,
};
use tempfile::TempDir;

use crate::failures::{guessing, notice, registry, text};

/// The terminal events of an attempt.
const TERMINAL: [&str; 8] = [
    "repair_completed",
    "repair_duplicate",
    "repair_already_covered",
    "repair_no_proposal",
    "repair_unactionable",
    "repair_timed_out",
    "repair_failed",
    "repair_cancelled",
];

pub(crate) struct Workspace {
    desk: Arc<RepairDesk>,
    book: RuleBook,
    watch: Watch,
    reader: Reader,
    /// The episode of the notice posted last.
    episode: RefCell<Option<Episode>>,
    /// The folder, where it goes with the workspace.
    _folder: Option<TempDir>,
}

impl Workspace {
    /// With an agent that guesses the name of a file.
    pub(crate) fn guessing() -> Self {
        Self::with(notice(1), guessing())
    }

    pub(crate) fn with(notice: Notice, trace: Trace) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut workspace = Self::at(folder.path());
        workspace._folder = Some(folder);
        workspace.post(notice, trace);
        workspace
    }

    /// The one in this folder, which is made where there is none. It turns to what waits there.
    pub(crate) fn at(folder: &Path) -> Self {
        let paths = WorkspacePaths {
            root: folder.join("root"),
            config_dir: folder.join("config"),
        };
        Store::init(&paths, now()).unwrap();
        let halves = Store::open(&paths, OpenOptions::default()).unwrap();
        let desks = Desks::of(halves, registry(), Settings::default());
        let workspace = Self {
            desk: Arc::new(desks.repair),
            book: desks.book,
            watch: desks.watch,
            reader: desks.reader,
            episode: RefCell::new(None),
            _folder: None,
        };
        let waiting = workspace.desk.episodes(now()).unwrap();
        *workspace.episode.borrow_mut() = waiting.into_iter().next();
        workspace
    }

    /// Posts another notice, of a session of its own, and turns to its episode.
    pub(crate) fn post(&self, notice: Notice, trace: Trace) {
        let session = notice.session.clone();
        self.watch
            .open_session(SessionOpened {
                session: session.clone(),
                origin: OriginDoc::Recorded,
                principal: None,
            })
            .unwrap();
        let dump = DumpDoc {
            session_id: session.clone(),
            turn_index: notice.turn_index,
            any_breach: true,
            any_alert: true,
            gate_breached: false,
            flagged_traces: notice.flagged_traces.clone(),
            signal_breakdown: std::collections::BTreeMap::default(),
            scores: Vec::new(),
            x_traces: vec![TraceDoc::keep(&trace)],
        };
        let id = notice.id.clone();
        let outcome = self
            .watch
            .record_turn(TurnRecord {
                session,
                index: notice.turn_index,
                digest: [0; 32],
                origin: harness_core::Origin::Recorded,
                principal: None,
                ended_at: None,
                scores: Vec::new(),
                gates: Vec::new(),
                counts: None,
                notices: vec![NoticeToPost {
                    notice,
                    dump: Some(dump),
                }],
                cooldown_turns: 0,
                observe_only: false,
                latest: None,
                events: Vec::new(),
            })
            .unwrap();
        assert!(matches!(outcome, TurnOutcome::Recorded { posted, .. } if posted == [id.clone()]));
        let waiting = self.desk.episodes(now()).unwrap();
        let episode = waiting
            .into_iter()
            .find(|episode| episode.notices() == [id.clone()]);
        *self.episode.borrow_mut() = Some(episode.unwrap());
    }

    /// Makes a rule a candidate, by way of an episode of its own.
    pub(crate) fn add_candidate(&self, rule: &str) -> RuleId {
        let before = self.episode.take();
        self.post(notice(90), crate::failures::trace(Vec::new()));
        let open = self.open();
        let proposal = Proposal {
            text: text(rule).paragraph().unwrap(),
            rationale: text("for the test"),
            metric: None,
            tags: Tags::default(),
            scope: None,
            scope_rationale: None,
            applicability: None,
            supersedes: None,
        };
        let ProposeOutcome::Added(proposed) = open.propose(proposal).unwrap() else {
            panic!("the rule is refused")
        };
        let ended = proposed.acknowledge(None, Usage::default()).unwrap();
        *self.episode.borrow_mut() = before;
        ended.rule.unwrap()
    }

    fn open(&self) -> OpenEpisode {
        let name = CleanText::new("test").unwrap();
        let session = RepairSessionId::from_bits(0);
        match self.desk.open(&self.episode(), name, session).unwrap() {
            Opened::Fresh(open) => open,
            Opened::Continued(_) => panic!("it has proposed"),
        }
    }

    pub(crate) fn episode(&self) -> Episode {
        self.episode.borrow().clone().unwrap()
    }

    /// Turns to this episode.
    pub(crate) fn turn_to(&self, episode: Episode) {
        *self.episode.borrow_mut() = Some(episode);
    }

    pub(crate) fn agent(&self, model: Arc<dyn RepairModel>) -> RepairAgent {
        RepairAgent::new(ModelChoice::Custom(model), intake())
    }

    pub(crate) fn builtin(&self) -> RepairAgent {
        RepairAgent::new(ModelChoice::Builtin, intake())
    }

    /// One attempt by a model within bounds.
    pub(crate) async fn run(
        &self,
        model: Arc<dyn RepairModel>,
        bounds: RepairBounds,
    ) -> Result<RepairResult, RepairError> {
        self.run_with(&self.agent(model).with_bounds(bounds)).await
    }

    /// One attempt by an agent.
    pub(crate) async fn run_with(&self, agent: &RepairAgent) -> Result<RepairResult, RepairError> {
        let session = RepairSessionId::from_bits(1);
        agent
            .run(Arc::clone(&self.desk), self.episode(), session)
            .await
    }

    /// The texts of the live rules.
    pub(crate) fn rules(&self) -> Vec<String> {
        let ledger = self.book.ledger().unwrap();
        ledger
            .live_rules()
            .map(|record| record.rule.text.as_str().to_owned())
            .collect()
    }

    /// Their scopes.
    pub(crate) fn scopes(&self) -> Vec<String> {
        let ledger = self.book.ledger().unwrap();
        ledger
            .live_rules()
            .map(|record| record.rule.scope.to_string())
            .collect()
    }

    /// How many notices wait.
    pub(crate) fn pending(&self) -> usize {
        let mut mailbox = self.reader.follow(Mailbox::default());
        mailbox.refresh().unwrap();
        mailbox.get().pending_count()
    }

    /// The kinds of the repair events of the last episode, in order.
    pub(crate) fn events(&self) -> Vec<String> {
        let episode = self.episode();
        self.reader
            .records_from(0)
            .unwrap()
            .filter_map(|line| {
                let line = line.unwrap();
                let (_, event) = line.event()?;
                let event = serde_json::to_value(event).unwrap();
                (event["repair_episode_id"] == episode.id().as_str())
                    .then(|| event["type"].as_str().map(str::to_owned))
                    .flatten()
            })
            .collect()
    }

    pub(crate) fn terminal_events(&self) -> Vec<String> {
        let mut events = self.events();
        events.retain(|event| TERMINAL.contains(&event.as_str()));
        events
    }

    /// The journal's own check of itself.
    pub(crate) fn audit_is_clean(&self) -> bool {
        self.reader.audit().unwrap().ok
    }
}

fn intake() -> Arc<Intake> {
    Arc::new(Intake::new(Gate::default(), Redactor::patterns_only()))
}

fn now() -> Timestamp {
    Timestamp::from_micros(1_900_000_000_000_000)
}
