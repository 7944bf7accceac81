//! `crash`: kills a running ingest at random moments, and counts what that cost.
//!
//! Each round feeds generated conversations to `harness run` and ends it by SIGKILL at a moment
//! drawn uniformly from the time that such a run takes. The workspace is then opened again and
//! examined from its plain files; the next round goes on with it, first with what the killed run
//! did not finish. A run that ended before its kill is none. This shows what a dead process
//! leaves; it does not show what a dead machine leaves, whose page cache is gone too.

mod journal;
mod mailbox;

use crate::conversations;
use crate::harness::{Harness, Profile};
use crate::tree::Tree;
use anyhow::{Context, Result, bail};
use mailbox::Mailbox;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

/// Sessions that one process is given in one round.
const SESSIONS: usize = 6;

/// Candidates that may lie about before the operator retires them: below every cap, so that
/// episodes go on proposing.
const CANDIDATES: usize = 2;

/// The time that a run takes is not known beforehand and grows with the workspace. A kill that came
/// too late shortens what we take it for, one in time lengthens it, so that about one in eleven
/// comes too late and every moment of a run is reached, the last ones too.
const SHRINK: f64 = 0.9;
/// See [`SHRINK`].
const GROW: f64 = 1.01;

/// Rounds without a kill, in a row, after which the experiment does not work.
const IDLE_ROUNDS: usize = 20;

/// The signal of [`Child::kill`].
const SIGKILL: i32 = 9;

/// The exit code of a run that found the workspace in use for too long.
const BUSY: i32 = 3;

/// Arguments of `crash`.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo xtask crash --kills 200 --json")]
pub(crate) struct Args {
    /// Kills to make
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    kills: u32,
    /// Processes that share the workspace, all killed in each round
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=16))]
    processes: u32,
    /// Seconds after which no further round is begun; the counts say how many kills were made
    #[arg(long, value_name = "SECONDS")]
    within_s: Option<u64>,
    /// Decides the moments, as far as a clock can be decided
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The counts as one JSON document
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The form that CI runs.
    pub(crate) fn short() -> Self {
        Self {
            kills: 20,
            processes: 1,
            within_s: None,
            seed: 1,
            json: false,
        }
    }
}

/// What went wrong, counted.
#[derive(Default)]
struct Cost {
    lost: usize,
    torn: usize,
    half: usize,
    chain_breaks: usize,
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    let mut experiment = Experiment::start(tree, args)?;
    let until = args
        .within_s
        .map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let (kills, cost) = match experiment.run(args.kills as usize, until) {
        Ok(done) => done,
        Err(error) => {
            let kept = experiment.harness.keep();
            return Err(error.context(format!("the workspace is kept in `{}`", kept.display())));
        }
    };
    let Cost {
        lost,
        torn,
        half,
        chain_breaks,
    } = cost;
    if args.json {
        // By hand, so that the keys keep the order in which people read them.
        println!(
            "{{\"kills\":{kills},\"lost\":{lost},\"torn\":{torn},\"half\":{half},\
             \"chain_breaks\":{chain_breaks}}}"
        );
    } else {
        println!(
            "crash: {kills} kills: {lost} lost, {torn} torn, {half} half, {chain_breaks} chain breaks"
        );
    }
    if lost + torn + half + chain_breaks > 0 {
        let kept = experiment.harness.keep();
        bail!(
            "a kill cost something; the workspace is kept in `{}`",
            kept.display()
        );
    }
    Ok(())
}

struct Experiment {
    harness: Harness,
    random: Random,
    processes: usize,
    sessions: usize,
    /// How long an undisturbed round takes, as far as we know.
    typical: Duration,
    /// What the last round was given, to be finished in this one.
    unfinished: Vec<PathBuf>,
    /// The journal as last seen.
    journal: Vec<u8>,
    /// How much of it was examined, and the number of its last line.
    examined: usize,
    last_seq: Option<u64>,
    /// What it says about the mailbox.
    events: Vec<Value>,
    cost: Cost,
    /// What was said already: what stays wrong is counted once.
    said: BTreeSet<String>,
}

impl Experiment {
    fn start(tree: &Tree, args: &Args) -> Result<Self> {
        let harness = Harness::build(tree, Profile::Release)?;
        harness.succeed("init", [""; 0])?;
        Ok(Self {
            harness,
            random: Random(args.seed),
            processes: args.processes as usize,
            sessions: 0,
            typical: Duration::ZERO,
            unfinished: Vec::new(),
            journal: Vec::new(),
            examined: 0,
            last_seq: None,
            events: Vec::new(),
            cost: Cost::default(),
            said: BTreeSet::new(),
        })
    }

    fn run(&mut self, wanted: usize, until: Option<Instant>) -> Result<(usize, Cost)> {
        let first = self.next_folder()?;
        let started = Instant::now();
        self.harness.ingest(&[&first])?;
        self.typical = started.elapsed();
        self.examine()?;
        let (mut kills, mut idle) = (0, 0);
        let in_time = || until.is_none_or(|until| Instant::now() < until);
        while kills < wanted && in_time() {
            let killed = self.round()?.min(wanted - kills);
            kills += killed;
            idle = if killed == 0 { idle + 1 } else { 0 };
            if idle > IDLE_ROUNDS {
                bail!("{IDLE_ROUNDS} runs in a row ended before they could be killed");
            }
            self.examine()?;
            self.make_room()?;
            if kills % 20 < killed {
                eprintln!("crash: {kills} of {wanted} kills");
            }
        }
        // Undisturbed, over everything: what was cut off is finished, and all of it holds.
        let everything = self.harness.ingest(&[&self.harness.traces()])?;
        let read = everything.get("sessions").and_then(Value::as_u64);
        if read != Some(self.sessions as u64) {
            bail!("the last run read {read:?} sessions, not {}", self.sessions);
        }
        self.examine()?;
        for kind in ["notice", "repair_started"] {
            if !self
                .events
                .iter()
                .any(|event| event.get("type") == Some(&kind.into()))
            {
                bail!("no `{kind}` was ever journaled: nothing was at stake");
            }
        }
        Ok((kills, std::mem::take(&mut self.cost)))
    }

    /// Starts the round's processes and kills those that still run at a random moment.
    fn round(&mut self) -> Result<usize> {
        let unfinished = std::mem::take(&mut self.unfinished);
        let mut children = Vec::new();
        for at in 0..self.processes {
            let mut command = self.harness.command("run")?;
            let folder = self.next_folder()?;
            command
                .arg("--traces")
                .args(unfinished.get(at))
                .arg(&folder);
            self.unfinished.push(folder);
            children.push(command.spawn().context("cannot start the run")?);
        }
        thread::sleep(self.typical.mul_f64(self.random.fraction()));
        // What a reader can see at this moment was acknowledged.
        let seen = journal::read(&self.harness.root())?;
        for child in &mut children {
            child.kill()?;
        }
        let mut killed = 0;
        for child in &mut children {
            killed += usize::from(self.was_killed(child)?);
        }
        self.typical = self
            .typical
            .mul_f64(if killed == 0 { SHRINK } else { GROW });
        self.see(seen);
        Ok(killed)
    }

    fn was_killed(&self, child: &mut Child) -> Result<bool> {
        let status = child.wait()?;
        let busy = self.processes > 1 && status.code() == Some(BUSY);
        match status.signal() {
            Some(SIGKILL) => Ok(true),
            _ if status.success() || busy => Ok(false),
            _ => bail!("a run failed by itself: {status}"),
        }
    }

    /// Opens the workspace as its next user would, then looks at every file that matters.
    fn examine(&mut self) -> Result<()> {
        let left = journal::read(&self.harness.root())?;
        self.see(left);
        self.harness.succeed("init", [""; 0])?;
        let opened = journal::read(&self.harness.root())?;
        self.see(opened);

        // What was examined before is byte for byte the same, or counted as lost.
        let new = self.journal.get(self.examined..).unwrap_or_default();
        self.cost.torn += report("torn in the journal", journal::torn(new));
        self.cost.chain_breaks += report("gaps", journal::gaps(&mut self.last_seq, new));
        self.events
            .extend(journal::events(new).filter(mailbox::concerns));
        self.examined = self.journal.len();
        if journal::ends_within_commit(&self.journal) {
            self.cost.half += report("half", 1);
        }

        let mailbox = Mailbox::read(&self.harness.root())?;
        self.cost.torn += report("torn in the mailbox", mailbox.torn);
        let half = mailbox::half(&self.events, &mailbox);
        self.cost.half += self.news("half", half);
        let lost = mailbox::missing_notices(&self.events, &mailbox);
        self.cost.lost += self.news("lost", lost);

        self.cost.torn += report("torn in a projection", self.torn_projections()?);
        self.audit()
    }

    /// Files that are written anew from the journal and do not read.
    fn torn_projections(&self) -> Result<usize> {
        let mut torn = 0;
        for (file, count) in [
            ("rules.jsonl", journal::torn as fn(&[u8]) -> usize),
            ("mailbox/status.json", |bytes| {
                usize::from(journal::event(bytes).is_none())
            }),
        ] {
            let path = self.harness.root().join(file);
            if path.exists() {
                torn += count(&fs::read(path)?);
            }
        }
        Ok(torn)
    }

    /// Counts what was not found before, and says it.
    fn news(&mut self, what: &str, found: Vec<String>) -> usize {
        let news = found.into_iter().filter(|news| {
            let new = self.said.insert(news.clone());
            if new {
                eprintln!("crash: {what}: {news}");
            }
            new
        });
        news.count()
    }

    fn audit(&mut self) -> Result<()> {
        let output = self.harness.output("audit", [""; 0])?;
        let audit: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("`harness audit` ({}) gave no JSON", output.status))?;
        if !output.status.success() {
            let breaks = audit
                .get("breaks")
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            eprintln!("crash: audit: {}: {audit}", output.status);
            self.cost.chain_breaks += breaks.max(1);
        }
        Ok(())
    }

    /// Takes note of the journal; what was there before must still be.
    fn see(&mut self, journal: Vec<u8>) {
        self.cost.lost += report("lost", journal::lost(&self.journal, &journal));
        self.journal = journal;
    }

    /// Retires candidates as an operator, so that the caps never stop the proposals.
    fn make_room(&self) -> Result<()> {
        let rules = self.harness.succeed("rules", ["--status", "candidate"])?;
        let ids: Vec<&str> = rules
            .get("rules")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|rule| rule.get("id").and_then(Value::as_str))
            .collect();
        if ids.len() > CANDIDATES {
            for id in ids {
                let args = [id, "--reason", "room for the next candidate"];
                self.harness.succeed("retire", args.map(OsStr::new))?;
            }
        }
        Ok(())
    }

    fn next_folder(&mut self) -> Result<PathBuf> {
        let folder = self.harness.traces().join(format!("{:06}", self.sessions));
        conversations::write(&folder, self.sessions, SESSIONS)?;
        self.sessions += SESSIONS;
        Ok(folder)
    }
}

/// Says what was counted, unless it is nothing.
fn report(what: &str, count: usize) -> usize {
    if count > 0 {
        eprintln!("crash: {what}: {count}");
    }
    count
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, seeded and good enough to pick moments.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    fn fraction(&mut self) -> f64 {
        // 53 bits: as many as the result can hold.
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_uniform_and_follow_from_the_seed() {
        let draw = |seed| {
            let mut random = Random(seed);
            (0..1000).map(|_| random.fraction()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let moments = draw(1);
        let mean = moments.iter().sum::<f64>() / 1000.0;
        assert!(moments.iter().all(|moment| (0.0..1.0).contains(moment)));
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
    }
}
