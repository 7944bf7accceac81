//! What the demo counted: from the sessions, from the journal, and from the verdict derived again.

use anyhow::Result;
use harness_core::RuleId;
use harness_rules::Ledger;
use harness_rules::verify::{Numbers, Verification};
use serde_json::{Value, json};

use super::stage::{Lived, Planted, Story};
use super::tamper::Tampering;
use crate::commands::audit::Audit;
use crate::commands::rules::known;
use crate::commands::verify::{numbers_to_json, to_json};
use crate::exit::Exit;

/// Sessions, and how many of them failed: the developer's check found the answer wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) sessions: u64,
    pub(super) failed: u64,
}

impl Count {
    fn of<'l>(lived: impl IntoIterator<Item = &'l Lived>) -> Self {
        lived
            .into_iter()
            .fold(Self::default(), |count, session| Self {
                sessions: count.sessions + 1,
                failed: count.failed + u64::from(session.failed),
            })
    }

    /// Failures a session; 0 where there is none.
    pub(super) fn rate(self) -> f64 {
        // Far below 2⁵³, where the conversion is exact.
        self.failed as f64 / self.sessions.max(1) as f64
    }

    fn to_json(self) -> Value {
        json!({ "sessions": self.sessions, "failed": self.failed, "rate": self.rate() })
    }
}

/// Sessions by whether the agent was really shown a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByArm {
    pub(super) hidden: Count,
    pub(super) shown: Count,
}

impl ByArm {
    fn of<'l>(lived: impl IntoIterator<Item = &'l Lived>, rule: &RuleId) -> Self {
        let (shown, hidden): (Vec<&Lived>, Vec<&Lived>) = lived
            .into_iter()
            .partition(|session| session.was_shown(rule));
        Self {
            hidden: Count::of(hidden),
            shown: Count::of(shown),
        }
    }
}

/// A control and what became of it.
#[derive(Debug)]
pub(super) struct ControlFigures {
    pub(super) planted: Planted,
    pub(super) status: &'static str,
    pub(super) arms: ByArm,
}

/// Everything that was counted.
#[derive(Debug)]
pub(super) struct Figures {
    /// The rule's text, as the journal has it.
    pub(super) text: String,
    pub(super) before: Count,
    pub(super) trial: ByArm,
    pub(super) after: Count,
    /// Of the sessions afterwards, those that were not shown the rule: holdout and null arm.
    pub(super) held_back: Count,
    pub(super) controls: Vec<ControlFigures>,
    pub(super) verification: Verification,
    pub(super) audit: Audit,
    pub(super) tampering: Tampering,
}

impl Figures {
    /// Counts.
    ///
    /// # Errors
    /// The journal does not know a rule of the demo's own.
    pub(super) fn of(
        story: &Story,
        ledger: &Ledger,
        verification: Verification,
        audit: Audit,
        tampering: Tampering,
    ) -> Result<Self> {
        let with_controls = || {
            let before = story.before.iter().skip(story.without_controls);
            before.chain(&story.trial)
        };
        let mut controls = Vec::new();
        for planted in &story.controls {
            controls.push(ControlFigures {
                planted: planted.clone(),
                status: known(ledger, &planted.rule)?.status.as_str(),
                arms: ByArm::of(with_controls(), &planted.rule),
            });
        }
        Ok(Self {
            text: known(ledger, &story.rule)?.rule.text.to_string(),
            before: Count::of(&story.before),
            trial: ByArm::of(&story.trial, &story.rule),
            after: Count::of(&story.after),
            held_back: ByArm::of(&story.after, &story.rule).hidden,
            controls,
            verification,
            audit,
            tampering,
        })
    }

    /// The verdict that promoted the rule: its event, and the numbers derived for it.
    pub(super) fn promotion(&self) -> Option<(u64, &Numbers)> {
        self.verification
            .verdicts
            .iter()
            .find(|check| check.verdict == "promoted" && check.fault.is_none())
            .and_then(|check| Some((check.seq, check.numbers.as_ref()?)))
    }

    /// 1 unless the loop closed and everything that should hold held.
    pub(super) fn exit(&self) -> Exit {
        let closed = self.promotion().is_some()
            && self.verification.follows()
            && self.after.rate() < self.before.rate()
            && self
                .controls
                .iter()
                .all(|control| control.status != "active")
            && self.audit.exit() == Exit::Done
            && self.tampering.found.is_some();
        if closed { Exit::Done } else { Exit::Found }
    }

    /// The figures as a document.
    pub(super) fn to_json(&self, story: &Story) -> Value {
        let controls: Vec<Value> = self.controls.iter().map(control_to_json).collect();
        json!({
            "closed": self.exit() == Exit::Done,
            "rule": {
                "id": story.rule.as_str(),
                "text": self.text,
                "status": self.verification.status,
            },
            "episode": {
                "id": story.repair.episode.as_str(),
                "status": story.repair.status.as_str(),
                "model": story.repair.model.as_str(),
            },
            "before": self.before.to_json(),
            "trial": {
                "hidden": self.trial.hidden.to_json(),
                "shown": self.trial.shown.to_json(),
            },
            "after": self.after.to_json(),
            "after_held_back": self.held_back.to_json(),
            "verdict": self.promotion().map(|(_, numbers)| numbers_to_json(numbers)),
            "verification": to_json(&self.verification),
            "controls": controls,
            "audit": self.audit.to_json(),
            "tampering": { "byte": self.tampering.byte, "found": self.tampering.found },
        })
    }
}

fn control_to_json(control: &ControlFigures) -> Value {
    json!({
        "control": control.planted.control.name,
        "id": control.planted.rule.as_str(),
        "text": control.planted.control.rule,
        "status": control.status,
        "hidden": control.arms.hidden.to_json(),
        "shown": control.arms.shown.to_json(),
    })
}
