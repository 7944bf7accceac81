//! The demo's course: sessions of the agent, watched by the real loop.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use harness_core::{
    CleanText, NoticeId, Origin, RuleId, RuleStatus, SessionId, Trace, TraceId, TurnPayload,
};
use harness_engine::{Config, EmbeddedEvaluator, Harness, Recorded, Repair, Setup};
use harness_repair::{ModelChoice, RepairResult};
use harness_sanitize::{Intake, Redactor};
use harness_store::Workspace;

use super::agent::Agent;
use super::clock::DemoClock;
use super::controls::{CONTROLS, Control, PlantedControls};
use super::tools::Tools;
use super::verifier::FileVerifier;
use super::world;
use crate::exit::{Exit, Problem};
use crate::place::Place;

/// How long each part of the demo is, in sessions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The seed of the world.
    pub(crate) seed: u64,
    /// Watched without repair.
    pub(crate) watched: u32,
    /// With nothing on trial but the planted controls.
    pub(crate) controls: u32,
    /// Until the built-in model has proposed a rule, at most.
    pub(crate) repairing: u32,
    /// On trial, at most.
    pub(crate) trial: u32,
    /// With the rule proven.
    pub(crate) after: u32,
}

impl Plan {
    /// All sessions, at most.
    pub(crate) const fn most(&self) -> u32 {
        self.watched + self.controls + self.repairing + self.trial + self.after
    }
}

/// A session, as whoever runs the agent sees it.
#[derive(Clone, Debug)]
pub(crate) struct Lived {
    /// Its name.
    pub(crate) id: SessionId,
    /// What was done.
    pub(crate) trace: Trace,
    /// Whether a condition fired: the verifier found the answer wrong.
    pub(crate) failed: bool,
    /// What was noticed.
    pub(crate) notices: Vec<NoticeId>,
}

impl Lived {
    /// Whether the agent was shown a rule: its id is in an answer of the rule tools.
    pub(crate) fn was_shown(&self, rule: &RuleId) -> bool {
        self.trace
            .spans()
            .iter()
            .filter(|span| span.is_task_tool())
            .any(|span| span.output.as_str().contains(rule.as_str()))
    }
}

/// A rule of the demo's own and what it is for.
#[derive(Clone, Debug)]
pub(crate) struct Planted {
    /// Which control.
    pub(crate) control: Control,
    /// Its rule.
    pub(crate) rule: RuleId,
}

/// What happened.
#[derive(Debug)]
pub(crate) struct Story {
    /// Before there was a rule.
    pub(crate) before: Vec<Lived>,
    /// How many of those went by before the controls were on trial.
    pub(crate) without_controls: usize,
    /// The episode that proposed the rule.
    pub(crate) repair: RepairResult,
    /// The rule.
    pub(crate) rule: RuleId,
    /// The controls.
    pub(crate) controls: Vec<Planted>,
    /// While the rule was on trial.
    pub(crate) trial: Vec<Lived>,
    /// Afterwards.
    pub(crate) after: Vec<Lived>,
}

/// The stage.
pub(crate) struct Stage<'a> {
    place: &'a Place,
    plan: Plan,
    config: Config,
    intake: Intake,
    clock: DemoClock,
    next: u32,
}

impl<'a> Stage<'a> {
    /// A stage with a new workspace.
    ///
    /// # Errors
    /// The workspace cannot be made.
    pub(crate) fn new(
        place: &'a Place,
        plan: Plan,
        config: Config,
        redactor: &Redactor,
    ) -> Result<Self> {
        let clock = DemoClock::ending_at(crate::commands::now(), plan.most());
        Workspace::init(&place.paths(), clock.now())?;
        Ok(Self {
            place,
            plan,
            config,
            intake: Intake::new(harness_sanitize::Gate::default(), redactor.clone()),
            clock,
            next: 1,
        })
    }

    /// Plays the demo. `tell` is called after each session.
    ///
    /// # Errors
    /// The workspace cannot be used, or the built-in model proposed nothing.
    pub(crate) async fn play(mut self, tell: &dyn Fn()) -> Result<Story> {
        let harness = self.open(Repair::Off)?;
        let mut before = self.sessions(&harness, self.plan.watched, tell).await?;
        harness.close().await;

        let planted = ModelChoice::Custom(Arc::new(PlantedControls::default()));
        let harness = self.open(Repair::With(planted))?;
        let controls = self.plant(&harness, &mut before, tell).await?;
        let without_controls = before.len();
        harness.close().await;

        let harness = self.open(Repair::Off)?;
        before.extend(self.sessions(&harness, self.plan.controls, tell).await?);
        harness.close().await;

        let harness = self.open(Repair::With(ModelChoice::Builtin))?;
        let (repair, rule) = self.until_proposed(&harness, &mut before, tell).await?;
        let mut trial = Vec::new();
        for _ in 0..self.plan.trial {
            if status(&harness, &rule)? != Some(RuleStatus::Candidate) {
                break;
            }
            trial.push(self.session(&harness).await?);
            tell();
        }
        let after = self.sessions(&harness, self.plan.after, tell).await?;
        harness.close().await;
        Ok(Story {
            before,
            without_controls,
            repair,
            rule,
            controls,
            trial,
            after,
        })
    }

    fn open(&self, repair: Repair) -> Result<Harness> {
        Ok(Harness::open(Setup {
            paths: self.place.paths(),
            config: self.config.clone(),
            evaluator: Arc::new(EmbeddedEvaluator),
            verifier: Some(Arc::new(FileVerifier::new(self.place.work()))),
            repair,
            redactor: self.intake.redactor().clone(),
            clock: Some(self.clock.as_clock()),
        })?)
    }

    /// Lets the planted model work on notices that still wait, one a session, until it has placed
    /// each control.
    async fn plant(
        &mut self,
        harness: &Harness,
        lived: &mut Vec<Lived>,
        tell: &dyn Fn(),
    ) -> Result<Vec<Planted>> {
        let mut planted = Vec::new();
        for control in CONTROLS {
            let (session, repair) = self.live(harness).await?;
            lived.push(session);
            tell();
            let rule = repair
                .and_then(|result| result.new_rule)
                .with_context(|| format!("the control `{}` was not admitted", control.name))?;
            planted.push(Planted { control, rule });
        }
        Ok(planted)
    }

    async fn until_proposed(
        &mut self,
        harness: &Harness,
        lived: &mut Vec<Lived>,
        tell: &dyn Fn(),
    ) -> Result<(RepairResult, RuleId)> {
        for _ in 0..self.plan.repairing {
            let (session, repair) = self.live(harness).await?;
            lived.push(session);
            tell();
            if let Some((repair, rule)) = repair.and_then(|repair| {
                let rule = repair.new_rule.clone()?;
                Some((repair, rule))
            }) {
                return Ok((repair, rule));
            }
        }
        let message = "the built-in model proposed no rule for these failures";
        Err(Problem::new(Exit::Outside, message).into())
    }

    async fn sessions(
        &mut self,
        harness: &Harness,
        count: u32,
        tell: &dyn Fn(),
    ) -> Result<Vec<Lived>> {
        let mut lived = Vec::new();
        for _ in 0..count {
            lived.push(self.session(harness).await?);
            tell();
        }
        Ok(lived)
    }

    async fn session(&mut self, harness: &Harness) -> Result<Lived> {
        Ok(self.live(harness).await?.0)
    }

    /// One session: a fresh folder, the agent with its tools, one turn, the end.
    async fn live(&mut self, harness: &Harness) -> Result<(Lived, Option<RepairResult>)> {
        let number = self.next;
        self.next += 1;
        self.clock.next_session();
        let folder = world::build(&self.place.work(), self.plan.seed, number)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let id = SessionId::parse(&name)?;
        let rules = harness.begin_session(&id, None).await?;
        let trace_id = TraceId::parse(&format!("{id}.0"))?;
        let agent = Agent::new(Tools::new(folder), &rules, &self.intake);
        let trace = tokio::task::block_in_place(|| agent.work(trace_id));

        let mut turn = TurnPayload::new(id.clone(), 0, Origin::Live, trace.clone());
        turn.ended_at = Some(self.clock.now());
        turn.task_summary = CleanText::new(world::REQUEST).ok();
        if harness.record_turn(turn) == Recorded::Refused {
            return Err(Problem::new(Exit::Workspace, "a turn of the demo was refused").into());
        }
        harness.end_session(&id);
        let settled = harness.settle(&id).await;
        if let Some(failure) = settled.failures.first() {
            return Err(Problem::new(Exit::Workspace, failure.clone()).into());
        }
        let lived = Lived {
            id,
            trace,
            failed: settled.alerts > 0,
            notices: settled.notices,
        };
        Ok((lived, settled.repair))
    }
}

fn status(harness: &Harness, rule: &RuleId) -> Result<Option<RuleStatus>> {
    Ok(harness
        .book()
        .ledger()?
        .rule(rule)
        .map(|record| record.status))
}
