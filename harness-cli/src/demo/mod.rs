//! `harness demo`: the whole loop, once round, offline and for real.
//!
//! A small agent adds up reports on the real disk ([`world`], [`agent`]). It guesses where they
//! lie, and often guesses wrong. A developer's check ([`verifier`]) says so, the loop notices, the
//! built-in model writes a rule, and a randomised trial over fresh sessions proves it: the half
//! that does not see the rule really does not see it. Planted controls ([`controls`]) are on trial
//! in the same sessions and stay unproven.
//!
//! Nothing is scripted past the agent's weakness ([`advice`] says how it understands a rule), and
//! no figure is written by hand.

mod advice;
mod agent;
mod clock;
mod controls;
mod figures;
mod report;
mod seeded;
mod stage;
mod tamper;
mod tools;
mod verifier;
mod world;

use std::path::PathBuf;

use anyhow::Result;
use harness_engine::Config;
use harness_store::Reader;

use self::figures::Figures;
use self::stage::{Plan, Stage};
use self::tamper::tamper;
use crate::commands::Cli;
use crate::commands::audit::Audit;
use crate::commands::verify::derive;
use crate::exit::Exit;
use crate::output::progress;
use crate::place::Place;
use crate::runtime;

/// The demo's length and seed. A rule that halves failures or better is nearly always proven well
/// within the trial; one that is not proven by then is reported as such.
const PLAN: Plan = Plan {
    seed: 20_261_130,
    watched: 10,
    controls: 50,
    repairing: 10,
    trial: 400,
    after: 80,
};
/// The error rate of promotion. Stricter than the default, so that a planted control is promoted
/// by chance in one demo of a thousand at most; a real effect shows all the same.
const ALPHA: f64 = 0.001;
/// Episodes a day that the demo's days need; its clock runs fast.
const EPISODES_PER_DAY: u32 = 1_000;

/// Runs the demo; exit 1 if the loop did not close.
///
/// # Errors
/// The workspace cannot be made or used.
pub(crate) fn run(cli: &mut Cli<'_>, keep: Option<PathBuf>) -> Result<Exit> {
    let place = match keep {
        Some(folder) => Place::keep(&folder)?,
        None => Place::temporary(cli.environment.temporary())?,
    };
    let asked = cli.environment.config()?;
    let config = Config {
        alpha: asked.alpha.min(ALPHA),
        fdr: asked.fdr,
        episodes_per_day: EPISODES_PER_DAY,
        ..Config::default()
    };
    let stage = Stage::new(&place, PLAN, config, cli.environment.redactor())?;
    let bar = progress(u64::from(PLAN.most()), "sessions");
    let story = runtime::start()?.block_on(stage.play(&|| bar.inc(1)))?;
    bar.finish_and_clear();

    let reader = Reader::open(&place.paths())?;
    let book = cli.book(&reader)?;
    let verification = derive(&reader, &story.rule)?;
    let audit = Audit::of(cli, &reader)?;
    let tampering = tamper(&place)?;
    let figures = Figures::of(&story, &*book.ledger()?, verification, audit, tampering)?;
    if cli.out.is_json() {
        cli.out.json(&figures.to_json(&story))?;
    } else {
        report::print(cli, &story, &figures, &place)?;
    }
    Ok(figures.exit())
}
