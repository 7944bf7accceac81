//! `harness journal`: reads events, oldest first.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use harness_store::wire::Line;
use harness_store::{Fold, Reader};

use super::Cli;
use crate::events::Shown;
use crate::exit::{Exit, Problem};

/// Pause between two looks at what was appended.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Events that `--last` asks for at most.
const MAX_LAST: usize = 1_000_000;

pub(super) fn run(
    cli: &mut Cli<'_>,
    last: Option<usize>,
    kind: Option<&str>,
    follow: bool,
) -> Result<Exit> {
    if last.is_some_and(|last| last > MAX_LAST) {
        let message = format!("--last is at most {MAX_LAST}; leave it out to read everything");
        return Err(Problem::usage(message).into());
    }
    let reader = cli.reader()?;
    let seen = print(cli, &reader, last, kind)?;
    if follow {
        go_on(cli, &reader, kind, seen)?;
    }
    Ok(Exit::Done)
}

/// Prints what is there and returns how many lines that was.
fn print(
    cli: &mut Cli<'_>,
    reader: &Reader,
    last: Option<usize>,
    kind: Option<&str>,
) -> Result<u64> {
    let mut kept = VecDeque::new();
    let mut seen = 0;
    for line in reader.records_from(0)? {
        let line = line?;
        seen += 1;
        let shown = Shown::of(&line)?;
        if kind.is_some_and(|kind| shown.kind() != kind) {
            continue;
        }
        match last {
            None => show(cli, &shown)?,
            Some(last) => {
                kept.push_back(shown);
                if kept.len() > last {
                    kept.pop_front();
                }
            }
        }
    }
    for shown in &kept {
        show(cli, shown)?;
    }
    Ok(seen)
}

fn show(cli: &mut Cli<'_>, shown: &Shown) -> Result<()> {
    if cli.out.is_json() {
        cli.out.json(&shown.value)?;
    } else {
        cli.out.line(shown.to_text())?;
    }
    Ok(())
}

/// Prints what is appended, until the reader of our output goes away or we are stopped.
fn go_on(cli: &mut Cli<'_>, reader: &Reader, kind: Option<&str>, seen: u64) -> Result<()> {
    let (found, fresh) = mpsc::channel();
    let mut tail = reader.follow(Tail { old: seen, found });
    loop {
        tail.refresh()?;
        for line in fresh.try_iter() {
            let shown = Shown::of(&line)?;
            if kind.is_none_or(|kind| shown.kind() == kind) {
                show(cli, &shown)?;
            }
        }
        cli.out.flush()?;
        thread::sleep(LOOK_EVERY);
    }
}

/// Passes on the lines behind those that were printed.
struct Tail {
    /// How many of them are still to come.
    old: u64,
    found: Sender<Line>,
}

impl Fold for Tail {
    fn apply(&mut self, line: &Line) {
        if self.old > 0 {
            self.old -= 1;
        } else {
            // The other end lives as long as the follower.
            let _ = self.found.send(line.clone());
        }
    }

    /// The journal is another one now; all of it is news.
    fn reset(&mut self) {
        self.old = 0;
    }
}
