//! What the store costs, each figure beside what it is measured against in the same run.
//!
//! `cargo bench -p harness-store [-- --json] [-- --events N]`

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench may panic, and prints"
)]

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions as FileOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use harness_core::{
    Applicability, CleanText, EpisodeId, MetricFinding, MetricName, Notice, NoticeId, Origin,
    ResolutionKind, RuleId, Scope, Score, SessionId, Severity, Signature, Tier, Timestamp, TraceId,
    layout,
};
use harness_store::wire::event::{
    CloseReason, NoticePosted, OriginDoc, Recovery, RepairContext, RepairEnd, RepairNoticeResolved,
    RuleAdd, SessionClosed, SessionOpened,
};
use harness_store::wire::notice::NoticeDoc;
use harness_store::wire::rule::RuleDoc;
use harness_store::wire::{json, sha256, sha256_hex};
use harness_store::{
    Halves, MAX_COMMIT, Mailbox, NoticeToPost, OpenOptions, Reader, Resolved, TurnOutcome,
    TurnRecord, WatchEvent, Workspace, WorkspacePaths,
};
use serde_json::{Value, json};

const EVENTS: usize = 1_000_000;
const RULES: usize = 10_000;
const PENDING: usize = 10_000;
/// Appends whose median is taken.
const APPENDS: usize = 1000;
/// Looks whose median is taken.
const LOOKS: usize = 20;
const APPENDERS: usize = 8;
/// Appends of each of them, and how often they take turns with one that appends alone.
const EACH: usize = 200;
const ROUNDS: usize = 9;
const SOON: Duration = Duration::from_secs(120);
/// Tells a copy of this program to follow a workspace and to say what that took.
const FOLLOW: &str = "--follow";

/// A figure, and what it is measured against.
struct Row {
    name: String,
    value: f64,
    unit: &'static str,
    n: usize,
    baseline: Option<f64>,
    ratio: Option<f64>,
}

#[derive(Default)]
struct Table(Vec<Row>);

impl Table {
    fn row(&mut self, name: impl Into<String>, value: f64, unit: &'static str, n: usize) {
        self.0.push(Row {
            name: name.into(),
            value,
            unit,
            n,
            baseline: None,
            ratio: None,
        });
    }

    /// A figure whose ratio to `baseline` is what counts.
    fn against(&mut self, name: &str, value: f64, unit: &'static str, n: usize, baseline: f64) {
        self.row(name, value, unit, n);
        let row = self.0.last_mut().unwrap();
        (row.baseline, row.ratio) = (Some(baseline), Some(value / baseline));
    }

    fn print(&self, as_json: bool) {
        if as_json {
            let rows: Vec<Value> = self.0.iter().map(to_json).collect();
            println!("{}", json!({ "machine": machine(), "rows": rows }));
            return;
        }
        for row in &self.0 {
            let mut text = format!(
                "{:<32} {:>12.3} {:<6} n={}",
                row.name, row.value, row.unit, row.n
            );
            if let (Some(baseline), Some(ratio)) = (row.baseline, row.ratio) {
                let _ = write!(text, "  beside {baseline:.3}: {ratio:.2}");
            }
            println!("{text}");
        }
    }
}

fn to_json(row: &Row) -> Value {
    let mut value = json!({ "name": row.name, "value": row.value, "unit": row.unit, "n": row.n });
    if let (Some(baseline), Some(ratio)) = (row.baseline, row.ratio) {
        value["baseline"] = json!(baseline);
        value["ratio"] = json!(ratio);
    }
    value
}

fn machine() -> Value {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    json!({ "os": std::env::consts::OS, "arch": std::env::consts::ARCH, "processors": processors })
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, argument, root, config_dir] = arguments.as_slice()
        && argument == FOLLOW
    {
        let (root, config_dir) = (root.into(), config_dir.into());
        return follow(&WorkspacePaths { root, config_dir });
    }
    let events = arguments
        .iter()
        .position(|argument| argument == "--events")
        .map_or(EVENTS, |at| arguments[at + 1].parse().unwrap());
    let mut table = Table::default();
    growth(&mut table);
    large(&mut table, events);
    table.print(arguments.iter().any(|argument| argument == "--json"));
}

/// What an operation costs in a workspace of 100, 1,000 and 10,000 events.
fn growth(table: &mut Table) {
    for size in [100, 1_000, 10_000] {
        let place = Place::new();
        let halves = place.open();
        fill(&halves, size, 0, size / 100);
        let cost = median(LOOKS, |at| {
            halves.watch.append(SOON, vec![recovery(at)]).unwrap();
        });
        table.row(format!("append at {size}"), millis(cost), "ms", size);
        let cost = median(LOOKS, |at| post(&halves, &format!("g-{at}")));
        table.row(format!("post at {size}"), millis(cost), "ms", size);
        let cost = median(LOOKS, |_| drop(halves.reader.newest(100).unwrap()));
        table.row(format!("newest 100 at {size}"), millis(cost), "ms", size);
    }
}

/// What everything costs in a large workspace.
fn large(table: &mut Table, events: usize) {
    let place = Place::new();
    let halves = place.open();
    fill(&halves, events, RULES, PENDING);
    drop(halves);
    place.write_pending();
    // The first opening looks at everything once; that is told too.
    let began = Instant::now();
    let halves = place.open();
    table.row("first open", millis(began.elapsed()), "ms", events);
    drop(halves);
    let cost = median(5, |_| drop(place.open()));
    let opening = open_cost(&place);
    table.row("cold open", millis(opening), "ms", events);
    table.row("open and close", millis(cost), "ms", events);
    // What needs all that was derived from the journal: the first turn with a notice.
    let cost = median(3, |at| {
        let halves = place.open();
        post(&halves, &format!("f-{at}"));
    });
    table.row("open, first post, close", millis(cost), "ms", events);

    let halves = place.open();
    let cost = median(LOOKS, |_| {
        assert_eq!(halves.reader.newest(100).unwrap().len(), 100);
    });
    table.row("newest 100", millis(cost), "ms", events);
    durable(table, &place, &halves);
    together(table, &halves);
    mailbox(table, &halves, events);
    verify(table, &place.reader(), events);
    memory(table, &place, events);
}

fn open_cost(place: &Place) -> Duration {
    let mut costs: Vec<Duration> = (0..5)
        .map(|_| {
            let began = Instant::now();
            let halves = place.open();
            let cost = began.elapsed();
            drop(halves);
            cost
        })
        .collect();
    costs.sort();
    costs[costs.len() / 2]
}

/// One durable append beside a bare write and sync of as many bytes.
fn durable(table: &mut Table, place: &Place, halves: &Halves) {
    let bare_path = place.paths.root.with_file_name("bare");
    let mut bare = FileOptions::new()
        .append(true)
        .create(true)
        .open(bare_path)
        .unwrap();
    let line = vec![b'x'; 300];
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // In turn, so that both see the same disk.
    for at in 0..APPENDS {
        ours.push(timed(|| {
            drop(halves.watch.append(SOON, vec![recovery(at)]).unwrap())
        }));
        theirs.push(timed(|| {
            bare.write_all(&line).unwrap();
            bare.sync_data().unwrap();
        }));
    }
    let (ours, theirs) = (middle(ours), middle(theirs));
    table.against(
        "durable append",
        millis(ours),
        "ms",
        APPENDS,
        millis(theirs),
    );
}

/// Appenders that wait side by side, beside one; in turn, so that both see the same disk.
fn together(table: &mut Table, halves: &Halves) {
    let cost = |appenders: usize| {
        timed(|| {
            thread::scope(|scope| {
                for _ in 0..appenders {
                    scope.spawn(|| {
                        for at in 0..EACH {
                            halves.watch.append(SOON, vec![recovery(at)]).unwrap();
                        }
                    });
                }
            });
        })
    };
    let (ones, eights) = (0..ROUNDS).map(|_| (cost(1), cost(APPENDERS))).unzip();
    let rate = |appenders: usize, costs| (appenders * EACH) as f64 / middle(costs).as_secs_f64();
    let (one, eight) = (rate(1, ones), rate(APPENDERS, eights));
    let appends = ROUNDS * APPENDERS * EACH;
    table.against("8 appenders", eight, "1/s", appends, one);
}

/// Posting, paging and resolving with all those notices pending.
fn mailbox(table: &mut Table, halves: &Halves, events: usize) {
    // The first look derives the mailbox; those after it cost the change.
    post(halves, "warm");
    let cost = median(LOOKS, |at| post(halves, &format!("p-{at}")));
    table.row("mailbox post", millis(cost), "ms", events);
    let mut follower = halves.reader.follow(Mailbox::default());
    follower.refresh().unwrap();
    let cost = median(LOOKS, |at| {
        follower.refresh().unwrap();
        let page: Vec<&Notice> = follower.get().pending().skip(at * 50).take(50).collect();
        assert_eq!(page.len(), 50);
    });
    table.row("mailbox page of 50", millis(cost), "ms", events);
    let cost = median(LOOKS, |at| resolve(halves, &format!("p-{at}")));
    table.row("mailbox resolve", millis(cost), "ms", events);
}

/// The chain from its first line, beside SHA-256 alone over as many bytes.
fn verify(table: &mut Table, reader: &Reader, events: usize) {
    let bytes = reader.journal_bytes().unwrap();
    let megabytes = bytes as f64 / 1e6;
    let block = vec![b'x'; 1 << 20];
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // In turn, so that both see the same machine.
    for _ in 0..LOOKS / 4 {
        ours.push(timed(|| assert!(reader.verify_chain().unwrap().ok)));
        theirs.push(timed(|| {
            for _ in 0..bytes >> 20 {
                std::hint::black_box(sha256(&block));
            }
        }));
    }
    let rate = |cost: Duration| megabytes / cost.as_secs_f64();
    table.against(
        "verify",
        rate(middle(ours)),
        "MB/s",
        events,
        rate(middle(theirs)),
    );
}

/// The most memory that a process ever holds which follows the mailbox and does nothing else, its
/// program included.
fn memory(table: &mut Table, place: &Place, events: usize) {
    let output = Command::new(std::env::current_exe().unwrap())
        .arg(FOLLOW)
        .args([&place.paths.root, &place.paths.config_dir])
        .output()
        .unwrap();
    assert!(output.status.success());
    let kibibytes: f64 = str::from_utf8(&output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    table.row("follower", kibibytes * 1024.0 / 1e6, "MB", events);
}

/// Follows the mailbox once to the end, and prints the process's high-water mark in KiB.
fn follow(paths: &WorkspacePaths) {
    let mut follower = Reader::open(paths).unwrap().follow(Mailbox::default());
    follower.refresh().unwrap();
    assert!(follower.get().pending_count() > 0);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mark = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!("{}", mark.unwrap().trim().trim_end_matches(" kB"));
}

/// A workspace in a folder that goes with it.
struct Place {
    _dir: tempfile::TempDir,
    paths: WorkspacePaths,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let paths = WorkspacePaths {
            root: dir.path().join("root"),
            config_dir: dir.path().join("config"),
        };
        Workspace::init(&paths, Timestamp::EPOCH).unwrap();
        Self { _dir: dir, paths }
    }

    fn open(&self) -> Halves {
        let options = OpenOptions {
            lock_wait: SOON,
            ..OpenOptions::default()
        };
        Workspace::open(&self.paths, options).unwrap()
    }

    fn reader(&self) -> Reader {
        Reader::open(&self.paths).unwrap()
    }

    /// The files of the pending notices, without a sync each: the store would take a while.
    fn write_pending(&self) {
        let mut mailbox = self.reader().follow(Mailbox::default());
        mailbox.refresh().unwrap();
        for notice in mailbox.get().pending() {
            let path = self.paths.root.join(layout::pending(&notice.id).as_str());
            write_private(
                &path,
                &json::to_pretty(&NoticeDoc::from_domain(notice)).unwrap(),
            );
        }
    }
}

fn write_private(path: &Path, bytes: &[u8]) {
    File::create(path).unwrap().write_all(bytes).unwrap();
}

/// Fills a workspace with sessions that open, fail, recover and close, with rules, and with
/// notices that wait.
fn fill(halves: &Halves, events: usize, rules: usize, notices: usize) {
    let rules: Vec<_> = (0..rules).map(|at| rule(at).into()).collect();
    for commit in rules.chunks(MAX_COMMIT) {
        halves.repair.append(SOON, commit.to_vec()).unwrap();
    }
    let posted = (0..notices).map(|at| {
        WatchEvent::from(NoticePosted {
            notice: NoticeDoc::from_domain(&notice(&format!("n-{at:06}"), "waiting")),
            observe_only: false,
            turn_time: None,
        })
    });
    let rest = events.saturating_sub(rules.len() + notices);
    let ordinary = (0..rest).map(|at| match at % 10 {
        0 => SessionOpened {
            session: session(&format!("s-{}", at / 10)),
            origin: OriginDoc::Live,
            principal: None,
        }
        .into(),
        9 => SessionClosed {
            session: session(&format!("s-{}", at / 10)),
            reason: CloseReason::Host,
            turns: 1,
        }
        .into(),
        _ => recovery(at / 10),
    });
    let mut commit = Vec::with_capacity(MAX_COMMIT);
    for event in posted.chain(ordinary) {
        commit.push(event);
        if commit.len() == MAX_COMMIT {
            halves
                .watch
                .append(SOON, std::mem::take(&mut commit))
                .unwrap();
        }
    }
    halves.watch.append(SOON, commit).unwrap();
}

fn session(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

fn recovery(at: usize) -> WatchEvent {
    Recovery {
        session: session(&format!("s-{at}")),
        signature: Signature::parse("breach:tool_correctness").unwrap(),
    }
    .into()
}

fn rule(at: usize) -> RuleAdd {
    let text = format!("Look order number {at} up by its id before answering.");
    let doc: RuleDoc = serde_json::from_value(json!({
        "id": format!("r-{at:010}"), "created_at": "2026-11-30T10:00:00Z", "rule": text,
        "rationale": "the same lookup failed three times", "status": "candidate",
        "tags": ["lookup"], "scope": "orders", "applicability": "topical",
    }))
    .unwrap();
    RuleAdd {
        text_sha256: sha256_hex(text.as_bytes()),
        rule: doc,
        episode: None,
    }
}

fn notice(id: &str, of: &str) -> Notice {
    let signature = Signature::parse("breach:tool_correctness").unwrap();
    let trace = TraceId::parse(&format!("{of}#1")).unwrap();
    Notice {
        id: NoticeId::parse(id).unwrap(),
        created_at: Timestamp::EPOCH,
        session: session(of),
        turn_index: 1,
        severity: Severity::Breach,
        metrics: vec![MetricFinding {
            name: MetricName::parse("tool_correctness").unwrap(),
            value: Score::new(0.25),
            threshold: Score::new(0.5).unwrap(),
            reason: Some(CleanText::new("3 of 4 calls failed").unwrap()),
            conditions: vec![signature.condition],
            trace: Some(trace.clone()),
            tier: Tier::Diagnosis,
        }],
        flagged_traces: vec![trace],
        signal_breakdown: Vec::new(),
        summary: CleanText::new("tool_correctness at 0.25").unwrap(),
        signatures: vec![signature],
        scope_hints: Vec::new(),
        recommended_scope: Some(Scope::parse("orders").unwrap()),
        applicability_hint: Applicability::Topical,
        host_labels: Vec::new(),
        task_summary: None,
        principal: None,
        shown_rules: Vec::new(),
        resolution: None,
    }
}

/// Posts a notice of that name, as the engine does at the end of a turn.
fn post(halves: &Halves, name: &str) {
    let record = TurnRecord {
        session: session(name),
        index: 1,
        digest: sha256(name.as_bytes()),
        origin: Origin::Live,
        principal: None,
        ended_at: None,
        scores: Vec::new(),
        gates: Vec::new(),
        counts: None,
        notices: vec![NoticeToPost {
            notice: notice(&format!("n-{name}"), name),
            dump: None,
        }],
        cooldown_turns: 10,
        observe_only: false,
        latest: None,
        events: Vec::new(),
    };
    let outcome = halves.watch.record_turn(record).unwrap();
    assert!(
        matches!(outcome, TurnOutcome::Recorded { files: Ok(()), .. }),
        "{outcome:?}"
    );
}

fn resolve(halves: &Halves, name: &str) {
    let context = RepairContext {
        episode: EpisodeId::parse("e-0123456789ab").unwrap(),
        notices: vec![NoticeId::parse(&format!("n-{name}")).unwrap()],
        attempt: 1,
        repair_session: "repair-0000000000000001".to_owned(),
        recommended_scope: None,
        selected_scope: None,
        scope_rationale: None,
        considered_rules: Vec::new(),
        suppression: None,
    };
    let rule = Some(RuleId::parse("r-0000000001").unwrap());
    let resolved = RepairNoticeResolved {
        context: context.clone(),
        kind: ResolutionKind::Candidate,
        rule: rule.clone(),
        note: None,
    };
    let end = RepairEnd {
        context,
        rule,
        category: None,
        turns: 1,
        tool_calls: 1,
        output_tokens: 100,
        elapsed_ms: 1,
    };
    let outcome = halves.repair.resolve(SOON, resolved, end).unwrap();
    assert!(
        matches!(outcome, Resolved::Done { files: Ok(()) }),
        "{outcome:?}"
    );
}

fn timed(what: impl FnOnce()) -> Duration {
    let began = Instant::now();
    what();
    began.elapsed()
}

fn median(times: usize, mut what: impl FnMut(usize)) -> Duration {
    middle((0..times).map(|at| timed(|| what(at))).collect())
}

fn middle(mut costs: Vec<Duration>) -> Duration {
    costs.sort();
    costs[costs.len() / 2]
}

fn millis(cost: Duration) -> f64 {
    cost.as_secs_f64() * 1e3
}
