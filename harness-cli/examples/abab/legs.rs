//! The course: a rule is proven, then the legs, session by session, watched by the real loop.

use std::fs;

use anyhow::{Context as _, Result, bail};
use harness_core::{CleanText, Origin, RuleId, RuleStatus, TraceId, TurnPayload};
use harness_engine::{Harness, Recorded, Repair};
use harness_repair::ModelChoice;
use harness_rules::evidence::KEY_BYTES;
use harness_sanitize::{Gate, Intake, Redactor};

use crate::agent::{Agent, total_of};
use crate::clock::DemoClock;
use crate::names::{Names, Running};
use crate::place::Place;
use crate::reading::{Reader, Reading};
use crate::seeded::Dice;
use crate::tools::Tools;
use crate::world;

/// Sessions until the rule is proven, at most.
const MOST_PROVING: u32 = 400;
/// The tasks on which the rule is proven are none of those of the legs, which are numbered from 1.
const FIRST_PROVING: u32 = 1_000_000;
/// When the first session is; any time would do.
const BEGIN: &str = "2026-11-30T10:00:00Z";

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Decides every figure.
    pub(crate) seed: u64,
    /// Sessions of a leg.
    pub(crate) sessions: u32,
    /// Whether the agent's reader is broken.
    pub(crate) is_blind: bool,
}

/// A leg, as it went.
#[derive(Clone, Debug)]
pub(crate) struct Leg {
    /// Its name.
    pub(crate) name: &'static str,
    /// Whether each session failed, in order of task.
    pub(crate) failed: Vec<bool>,
    /// Sessions in which the agent read the rule, or what stood in its place.
    pub(crate) read: u32,
}

/// What came of it.
pub(crate) struct Course {
    /// Sessions until the rule was proven.
    pub(crate) proven_after: u32,
    /// The four legs, and the placebo's.
    pub(crate) legs: [Leg; 5],
}

/// Runs it all.
///
/// # Errors
/// A workspace cannot be used, or the rule was not proven.
pub(crate) async fn run(plan: Plan) -> Result<Course> {
    let begin = harness_core::Timestamp::parse(BEGIN)?;
    let mut stage = Stage {
        plan,
        clock: DemoClock::ending_at(begin, 0),
        intake: Intake::new(Gate::default(), Redactor::patterns_only()),
    };
    let mut dice = Dice::new(plan.seed, 0);
    let key: [u8; KEY_BYTES] = std::array::from_fn(|_| dice.below(256) as u8);
    let bare = Place::new(&stage.clock, key)?;
    let proven = Place::new(&stage.clock, key)?;
    let mut names = Names::new(key, dice);
    let (rule, proven_after) = stage.prove(&proven, &mut names).await?;
    let placebo = proven.copied()?;
    let seen = match plan.is_blind {
        true => Reading::Blind,
        false => Reading::AsItIs,
    };
    let order = [
        ("off", &bare, seen),
        ("on", &proven, seen),
        ("off-again", &bare, seen),
        ("on-again", &proven, seen),
        ("placebo", &placebo, Reading::Placebo),
    ];
    let mut legs = Vec::new();
    for (name, place, reading) in order {
        legs.push(stage.leg(name, place, reading, &rule, &mut names).await?);
    }
    let legs = legs.try_into();
    Ok(Course {
        proven_after,
        legs: legs.ok().context("there are five legs")?,
    })
}

struct Stage {
    plan: Plan,
    clock: DemoClock,
    intake: Intake,
}

/// One session, as it went.
struct Lived {
    failed: bool,
    /// Whether an answer that the agent read names the rule.
    read: bool,
    /// What the repair of it proposed.
    proposed: Option<RuleId>,
}

/// A session to be run.
struct Task<'a> {
    leg: &'a str,
    number: u32,
    reading: Reading,
    rule: Option<&'a RuleId>,
}

impl Stage {
    /// The rule of the built-in model, active by verdict, and how many sessions that took.
    async fn prove(&mut self, place: &Place, names: &mut Names) -> Result<(RuleId, u32)> {
        let repair = Repair::With(ModelChoice::Builtin);
        let mut harness = place.open(&self.clock, repair)?;
        let mut rule = None;
        for session in 1..=MOST_PROVING {
            let task = Task {
                leg: "proof",
                number: FIRST_PROVING + session,
                reading: Reading::AsItIs,
                rule: rule.as_ref(),
            };
            let lived = self.live(&harness, place, names, &task).await?;
            if let Some(rule) = &rule
                && status(&harness, rule)? == Some(RuleStatus::Active)
            {
                harness.close().await;
                return Ok((rule.clone(), session));
            }
            if rule.is_none() && lived.proposed.is_some() {
                rule = lived.proposed;
                // One rule, and no other beside it.
                harness.close().await;
                harness = place.open(&self.clock, Repair::Off)?;
            }
        }
        bail!("the rule was not proven in {MOST_PROVING} sessions");
    }

    async fn leg(
        &mut self,
        name: &'static str,
        place: &Place,
        reading: Reading,
        rule: &RuleId,
        names: &mut Names,
    ) -> Result<Leg> {
        let harness = place.open(&self.clock, Repair::Off)?;
        let mut leg = Leg {
            name,
            failed: Vec::new(),
            read: 0,
        };
        for number in 1..=self.plan.sessions {
            let task = Task {
                leg: name,
                number,
                reading,
                rule: Some(rule),
            };
            let lived = self.live(&harness, place, names, &task).await?;
            leg.failed.push(lived.failed);
            leg.read += u32::from(lived.read);
        }
        harness.close().await;
        Ok(leg)
    }

    /// One session: fresh files, the agent with its tools, one turn, the end.
    async fn live(
        &mut self,
        harness: &Harness,
        place: &Place,
        names: &mut Names,
        task: &Task<'_>,
    ) -> Result<Lived> {
        self.clock.next_session();
        let running = match task.rule {
            Some(rule) => running(harness, rule)?,
            None => None,
        };
        let id = names.next(task.leg, task.number, running.as_ref())?;
        // The check finds a session's files by its name.
        let folder = place.work().join(id.as_str());
        fs::rename(
            world::build(&place.work(), self.plan.seed, task.number)?,
            &folder,
        )?;
        let rules = Reader {
            tools: harness.begin_session(&id, None).await?,
            reading: task.reading,
        };
        let trace_id = TraceId::parse(&format!("{id}.0"))?;
        let agent = Agent::new(Tools::new(folder.clone()), &rules, &self.intake);
        let trace = tokio::task::block_in_place(|| agent.work(trace_id));
        let failed = total_of(&trace) != Some(world::right_total(&folder)?);
        let read = task.rule.is_some_and(|rule| {
            let answers = trace.spans().iter().filter(|span| span.is_task_tool());
            answers
                .into_iter()
                .any(|span| span.output.as_str().contains(rule.as_str()))
        });
        let mut turn = TurnPayload::new(id.clone(), 0, Origin::Live, trace);
        turn.ended_at = Some(self.clock.now());
        turn.task_summary = CleanText::new(world::REQUEST).ok();
        if harness.record_turn(turn) == Recorded::Refused {
            bail!("a turn was refused");
        }
        harness.end_session(&id);
        let settled = harness.settle(&id).await;
        if let Some(failure) = settled.failures.first() {
            bail!("a session was not worked off: {failure}");
        }
        if !settled.complete {
            bail!("a session was not worked off in time");
        }
        Ok(Lived {
            failed,
            read,
            proposed: settled.repair.and_then(|repair| repair.new_rule),
        })
    }
}

/// What the rule has running in this workspace, if it is known there.
fn running(harness: &Harness, rule: &RuleId) -> Result<Option<Running>> {
    let ledger = harness.book().ledger()?;
    Ok(ledger.rule(rule).and_then(|record| {
        let trial = record.open_trial()?;
        Some((rule.clone(), trial.name, trial.next_pi()))
    }))
}

fn status(harness: &Harness, rule: &RuleId) -> Result<Option<RuleStatus>> {
    let ledger = harness.book().ledger()?;
    Ok(ledger.rule(rule).map(|record| record.status))
}
