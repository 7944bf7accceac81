//! How long a look at the rules takes, and what one more costs, on one core and one disk.
//!
//! `cargo bench -p harness-rules --bench rules -- [--json]` prints one row a measurement:
//! `{"name","value","unit","n","baseline","ratio"}`. `value` is the median of `n` runs in
//! microseconds. The baseline of a search is a plain scan of the same texts; of what is durable, an
//! append of one line of the same length and a sync of it, measured turn by turn with it.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "this program reports on standard output, and a defect in it is to stop it"
)]

use std::fmt::Write as _;
use std::fs::File;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use harness_core::{
    Applicability, CleanString, CleanText, MetricRegistry, Notice, NoticeId, Origin,
    RepairSessionId, RuleId, Scope, SessionId, Severity, Signature, Tags, Timestamp,
};
use harness_rules::{
    Desks, EvaluatorIdentity, Opened, Proposal, ProposeOutcome, RuleReader, Scores, Settings,
    TaskSession, TaskToolset,
};
use harness_sanitize::{Gate, Intake, Redactor};
use harness_store::wire::event::{CloseReason, OriginDoc, SessionClosed, SessionOpened};
use harness_store::{NoticeToPost, OpenOptions, Original, TurnRecord, Workspace, WorkspacePaths};
use serde_json::json;

/// Scopes that rules are filed under.
const SCOPES: usize = 64;
/// Words that texts are made of.
const VOCABULARY: usize = 2_000;
/// Words of one rule.
const WORDS: usize = 12;

fn main() {
    let is_json = std::env::args().any(|argument| argument == "--json");
    let mut rows = Vec::new();
    for (rules, runs) in [(10_000, 301), (100_000, 51)] {
        looks(rules, runs, &mut rows);
    }
    looks_of_a_session(&mut rows);
    additions(&mut rows);
    session(&mut rows);
    for row in &rows {
        row.print(is_json);
    }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn word(&mut self) -> String {
        word(self.below(VOCABULARY))
    }

    fn text(&mut self) -> String {
        (0..WORDS)
            .map(|_| self.word())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

fn word(number: usize) -> String {
    const SYLLABLES: [&str; 13] = [
        "ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti",
    ];
    let mut rest = number;
    let mut word = String::new();
    for _ in 0..3 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}

fn clean(text: &str) -> CleanString {
    CleanText::new(text.to_owned()).expect("the texts of this program are clean")
}

fn scope_of(number: usize) -> String {
    format!("area-{}", number % SCOPES)
}

/// A rule of the scope of that number: scopes are full, so that a new rule has to correct one.
fn rule_of(number: usize) -> RuleId {
    RuleId::parse(&format!("r-{number:010x}")).expect("an id")
}

/// A workspace with so many active rules, taken over from another program.
struct Place {
    _folder: tempfile::TempDir,
    desks: Desks,
    texts: Vec<String>,
}

impl Place {
    fn with(rules: usize) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let original = folder.path().join("original");
        std::fs::create_dir(&original).expect("a folder");
        let mut random = Random(7);
        let mut lines = String::new();
        let mut texts = Vec::new();
        for number in 0..rules {
            let text = random.text();
            let doc = json!({
                "id": format!("r-{number:010x}"), "created_at": "2026-11-30T11:26:14.500145+00:00",
                "rule": text, "rationale": "it was so", "source_notice_id": null, "metric": null,
                "status": "active", "tags": [], "trial": null, "scope": scope_of(number),
                "applicability": "topical", "failure_signatures": [],
            });
            let _ = writeln!(lines, "{doc}");
            texts.push(text);
        }
        std::fs::write(original.join("rules.jsonl"), lines).expect("a file");
        let paths = WorkspacePaths {
            root: folder.path().join("root"),
            config_dir: folder.path().join("config"),
        };
        Workspace::init(&paths, Timestamp::EPOCH).expect("a workspace");
        let halves = Workspace::open(&paths, OpenOptions::default()).expect("an open one");
        let desks = Desks::of(halves, MetricRegistry::default(), Settings::default());
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        let original = Original::read(&original, &intake).expect("an original");
        let taken = desks.operator.import(original).expect("an import");
        assert_eq!(taken.rules.len(), rules);
        Self {
            _folder: folder,
            desks,
            texts,
        }
    }
}

/// What readers do, over so many rules.
fn looks(rules: usize, runs: usize, rows: &mut Vec<Row>) {
    let place = Place::with(rules);
    let reader = place.desks.book.unassigned_reader();
    let mut random = Random(11);
    let calls: Vec<_> = (0..runs)
        .map(|_| {
            let query = [random.word(), random.word(), random.word()].join(" ");
            (
                json!({ "query": query }),
                json!({ "scope": scope_of(random.below(SCOPES)) }),
                json!({ "rule_id": format!("r-{:010x}", random.below(rules)) }),
            )
        })
        .collect();
    let asked = |name: &'static str, reader: &RuleReader, arguments: &serde_json::Value| {
        let answer = reader.call(name, arguments);
        assert_eq!(answer["ok"], true, "{answer}");
    };
    let scan = |query: &serde_json::Value| {
        let words: Vec<&str> = query["query"]
            .as_str()
            .unwrap_or_default()
            .split(' ')
            .collect();
        place
            .texts
            .iter()
            .filter(|text| words.iter().any(|word| text.contains(word)))
            .count()
    };
    rows.push(Row::of(
        &format!("search/{rules}"),
        runs,
        |run| asked("harness_rules_search", &reader, &calls[run].0),
        Some(&|run: usize| {
            black_box(scan(&calls[run].0));
        }),
    ));
    rows.push(Row::of(
        &format!("read_scope/{rules}"),
        runs,
        |run| asked("harness_rules_read", &reader, &calls[run].1),
        None,
    ));
    let none = json!({});
    rows.push(Row::of(
        &format!("list/{rules}"),
        runs,
        |_| asked("harness_rules_list", &reader, &none),
        None,
    ));
    rows.push(Row::of(
        &format!("status/{rules}"),
        runs,
        |run| asked("harness_rule_status", &reader, &calls[run].2),
        None,
    ));
}

/// What a task agent's look costs where every rule is on trial: each answer tells which of them it
/// shows to this session. Those that it enters are on disk before; that is no part of this.
fn looks_of_a_session(rows: &mut Vec<Row>) {
    const RULES: usize = 10_000;
    const RUNS: usize = 301;
    let place = Place::with(RULES);
    let desks = &place.desks;
    desks.validation.decide(&evaluator()).expect("openings");
    let mut random = Random(19);
    let calls: Vec<_> = (0..RUNS)
        .map(|_| {
            let query = [random.word(), random.word(), random.word()].join(" ");
            (
                json!({ "query": query }),
                json!({ "scope": scope_of(random.below(SCOPES)) }),
            )
        })
        .collect();
    let is_shown_rules = |tools: &TaskToolset| {
        let answer = tools.call("harness_rules_read", &calls[0].1);
        answer["rules"]
            .as_array()
            .is_some_and(|rules| !rules.is_empty())
    };
    // One in twenty is shown none at all.
    let tools = (0..)
        .map(|number| begin(desks, number))
        .find(is_shown_rules)
        .expect("a session that is shown rules");
    for (search, read) in &calls {
        tools.call("harness_rules_search", search);
        tools.call("harness_rules_read", read);
    }
    for (name, tool) in [
        ("session_search/10000", "harness_rules_search"),
        ("session_read/10000", "harness_rules_read"),
    ] {
        rows.push(Row::of(
            name,
            RUNS,
            |run| {
                let (search, read) = &calls[run];
                let is_search = tool == "harness_rules_search";
                let answer = tools.call(tool, if is_search { search } else { read });
                assert_eq!(answer["ok"], true, "{answer}");
            },
            None,
        ));
    }
}

fn evaluator() -> EvaluatorIdentity {
    EvaluatorIdentity {
        name: clean("bench"),
        version: clean("1"),
    }
}

fn live(number: usize) -> SessionId {
    SessionId::parse(&format!("live-{number}")).expect("an id")
}

/// Begins a session that is happening.
fn begin(desks: &Desks, number: usize) -> TaskToolset {
    let opened = SessionOpened {
        session: live(number),
        origin: OriginDoc::Live,
        principal: None,
    };
    desks.watch.open_session(opened).expect("a session");
    desks.book.task_tools(TaskSession::new(live(number)))
}

/// A rule more, with everything that it is compared with, until it is on disk.
fn additions(rows: &mut Vec<Row>) {
    const RULES: usize = 10_000;
    const RUNS: usize = 7;
    let place = Place::with(RULES);
    let desks = &place.desks;
    let mut random = Random(13);
    let mut times = Vec::new();
    let mut baseline = Baseline::new();
    let mut baselines = Vec::new();
    for run in 0..RUNS {
        let proposal = Proposal {
            text: clean(&random.text()).paragraph().expect("one paragraph"),
            rationale: clean("it was so"),
            metric: None,
            tags: Tags::new(["bench"]).expect("tags"),
            scope: Some(Scope::parse(&scope_of(run)).expect("a scope")),
            scope_rationale: None,
            applicability: Some(Applicability::Topical),
            supersedes: Some(rule_of(run)),
        };
        let episode = episode(desks, run);
        let began = Instant::now();
        let outcome = episode.propose(proposal).expect("a proposal");
        times.push(began.elapsed());
        assert!(matches!(outcome, ProposeOutcome::Added(_)));
        baselines.push(baseline.measure());
    }
    rows.push(Row::from_times("durable_add/10000", times, Some(baselines)));
}

fn episode(desks: &Desks, number: usize) -> harness_rules::OpenEpisode {
    let id = NoticeId::parse(&format!("n-{number}")).expect("an id");
    let session = SessionId::parse(&format!("failed-{number}")).expect("an id");
    let notice = Notice {
        id: id.clone(),
        created_at: Timestamp::EPOCH,
        session: session.clone(),
        turn_index: 0,
        severity: Severity::Breach,
        metrics: Vec::new(),
        flagged_traces: Vec::new(),
        signal_breakdown: Vec::new(),
        signatures: vec![Signature::parse("breach:bench").expect("a signature")],
        summary: clean("it failed"),
        scope_hints: Vec::new(),
        recommended_scope: None,
        applicability_hint: Applicability::Topical,
        host_labels: Vec::new(),
        task_summary: None,
        principal: None,
        shown_rules: Vec::new(),
        resolution: None,
    };
    let mut record = turn(&session);
    record.notices.push(NoticeToPost { notice, dump: None });
    desks.watch.record_turn(record).expect("a turn");
    let now = Timestamp::from_micros(i64::MAX / 4);
    let episodes = desks.repair.episodes(now).expect("episodes");
    let episode = episodes
        .iter()
        .find(|episode| episode.notices().contains(&id))
        .expect("the episode of the notice");
    let session = RepairSessionId::from_bits(number as u64);
    match desks
        .repair
        .open(episode, clean("bench"), session)
        .expect("an opening")
    {
        Opened::Fresh(open) => open,
        Opened::Continued(_) => unreachable!("nothing was proposed"),
    }
}

fn turn(session: &SessionId) -> TurnRecord {
    TurnRecord {
        session: session.clone(),
        index: 0,
        digest: [7; 32],
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

/// The end of a session that had entered the trials of eight candidates, among a thousand rules:
/// its outcomes on disk, and the look of the desk that follows.
fn session(rows: &mut Vec<Row>) {
    const RULES: usize = 1_000;
    const CANDIDATES: usize = 8;
    const RUNS: usize = 41;
    let place = Place::with(RULES);
    let desks = &place.desks;
    let evaluator = evaluator();
    let mut random = Random(17);
    for number in 0..CANDIDATES {
        let proposal = Proposal {
            text: clean(&random.text()).paragraph().expect("one paragraph"),
            rationale: clean("it was so"),
            metric: None,
            tags: Tags::new(["bench"]).expect("tags"),
            scope: Some(Scope::parse(&scope_of(number)).expect("a scope")),
            scope_rationale: None,
            applicability: Some(Applicability::Topical),
            supersedes: Some(rule_of(number)),
        };
        let outcome = episode(desks, number)
            .propose(proposal)
            .expect("a proposal");
        assert!(matches!(outcome, ProposeOutcome::Added(_)));
    }
    desks.validation.decide(&evaluator).expect("openings");
    let mut baseline = Baseline::new();
    let (mut times, mut baselines) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        let (id, tools) = (live(run), begin(desks, run));
        for number in 0..CANDIDATES {
            let answer = tools.call("harness_rules_read", &json!({ "scope": scope_of(number) }));
            assert_eq!(answer["ok"], true);
        }
        let closed = SessionClosed {
            session: id.clone(),
            turns: 1,
            reason: CloseReason::Host,
        };
        let book = desks.book.clone();
        let began = Instant::now();
        desks
            .watch
            .close_session_with(closed, move || {
                book.outcomes_at_close(&id, Scores::Complete)
            })
            .expect("a close");
        desks.validation.decide(&evaluator).expect("a look");
        times.push(began.elapsed());
        baselines.push(baseline.measure());
    }
    rows.push(Row::from_times(
        "observed_session/1000",
        times,
        Some(baselines),
    ));
}

/// One line appended and synced, as cheaply as the disk lets anybody.
struct Baseline {
    _folder: tempfile::TempDir,
    file: File,
}

impl Baseline {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = File::create(folder.path().join("line")).expect("a file");
        Self {
            _folder: folder,
            file,
        }
    }

    fn measure(&mut self) -> Duration {
        let began = Instant::now();
        self.file.write_all(&[b'x'; 1024]).expect("a write");
        self.file.sync_data().expect("a sync");
        began.elapsed()
    }
}

struct Row {
    name: String,
    micros: f64,
    baseline: Option<f64>,
    runs: usize,
}

impl Row {
    fn of(name: &str, runs: usize, run: impl Fn(usize), baseline: Option<&dyn Fn(usize)>) -> Self {
        let (mut times, mut baselines) = (Vec::new(), Vec::new());
        for at in 0..runs {
            times.push(time(|| run(at)));
            if let Some(baseline) = baseline {
                baselines.push(time(|| baseline(at)));
            }
        }
        Self::from_times(name, times, baseline.map(|_| baselines))
    }

    fn from_times(name: &str, times: Vec<Duration>, baselines: Option<Vec<Duration>>) -> Self {
        Self {
            name: name.to_owned(),
            runs: times.len(),
            micros: median(times),
            baseline: baselines.map(median),
        }
    }

    fn print(&self, is_json: bool) {
        let Self {
            name,
            micros,
            baseline,
            runs,
        } = self;
        if is_json {
            let round = |number: f64| (number * 100.0).round() / 100.0;
            let row = json!({
                "name": name,
                "value": round(*micros),
                "unit": "us",
                "n": runs,
                "baseline": baseline.map(round),
                "ratio": baseline.map(|baseline| round(micros / baseline)),
            });
            println!("{row}");
        } else {
            let ratio = baseline
                .map(|baseline| format!("  {:8.2} x baseline", micros / baseline))
                .unwrap_or_default();
            println!("{name:28} {micros:10.1} us{ratio}");
        }
    }
}

fn time(run: impl FnOnce()) -> Duration {
    let began = Instant::now();
    run();
    began.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}
