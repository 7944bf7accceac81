//! Verdicts, each judged where it stands.

use std::collections::HashSet;

use harness_core::{Retirement, Rule, RuleId};
use harness_store::wire::event::{
    Quarantine, RulePromote, RuleRetire, RuleRetireEvidence, TrialKind,
};

use super::{Replayed, Story};
use crate::verify::{Fault, Numbers, VerdictCheck, betting};

/// Active rules that a scope may have.
const BUDGET: usize = 32;

/// A verdict that says other numbers than follow.
const OTHER_NUMBERS: &str = "the verdict claims numbers that do not follow";

impl Replayed {
    pub(super) fn promote(&mut self, seq: u64, promoted: &RulePromote) {
        let Ok((rule, _)) = promoted.rule.clone().try_into_domain() else {
            return;
        };
        let derived = self.derive(&rule.id, promoted.trial, &promoted.key);
        let has_room = self.has_room(&rule);
        let promotions = self.promotions;
        let Some(story) = self.rules.get_mut(&rule.id) else {
            return;
        };
        let (numbers, fault) = match derived {
            Err(what) => (None, Some(what)),
            Ok(numbers) => {
                let reaches = betting::reaches(numbers.e_value.ln(), numbers.threshold);
                let fault = if story.status != "candidate" {
                    Some("the rule was not a candidate")
                } else if promoted.text_sha256 != story.text_sha256 || rule != story.rule {
                    Some("the promoted rule is not the one proposed")
                } else if numbers.t != Some(promoted.t) || promoted.promotions != promotions {
                    Some("the verdict counts trials or promotions that are not there")
                } else if story.is_stopped() {
                    Some("the replay was not over, or a case stopped it")
                } else if story.is_harmful(&numbers) {
                    Some("the evidence reaches the level of harm")
                } else if !has_room {
                    Some("the scope had as many active rules as it may")
                } else if !reaches {
                    Some("the evidence does not reach the level of promotion")
                } else if !betting::same(promoted.e_value, numbers.e_value)
                    || !betting::same(promoted.threshold, numbers.threshold)
                {
                    Some(OTHER_NUMBERS)
                } else {
                    None
                };
                (Some(numbers), fault)
            }
        };
        if fault.is_none() {
            story.status = "active";
            story.end();
            self.promotions += 1;
        }
        story.verdicts.push(VerdictCheck {
            seq,
            verdict: "promoted",
            numbers,
            fault: fault.map(|what| Fault { seq, what }),
        });
    }

    pub(super) fn retire(&mut self, seq: u64, retired: &RuleRetire) {
        let gives_way = retired.validator == "superseded" && retired.evidence.is_none();
        let (numbers, fault) = match (&retired.evidence, retired.reason) {
            (None, Retirement::Operator) => (None, None),
            (None, Retirement::Unproven) if gives_way => {
                let is_superseded = self.rules.values().any(|story| {
                    story.status == "active" && story.rule.supersedes.as_ref() == Some(&retired.id)
                });
                let fault = (!is_superseded).then_some("no active rule supersedes the rule");
                (None, fault)
            }
            (Some(evidence), reason) => {
                match self.derive(&retired.id, evidence.trial, &evidence.key) {
                    Ok(numbers) => {
                        let fault = self.retirement_fault(&retired.id, reason, evidence, &numbers);
                        (Some(numbers), fault)
                    }
                    Err(what) => (None, Some(what)),
                }
            }
            (None, _) => (None, Some("only an operator retires without evidence")),
        };
        let Some(story) = self.rules.get_mut(&retired.id) else {
            return;
        };
        let is_live = matches!(story.status, "candidate" | "active");
        let fault = fault.or((!is_live).then_some("the rule was not live"));
        if fault.is_none() {
            story.status = "retired";
            story.end();
        }
        story.verdicts.push(VerdictCheck {
            seq,
            verdict: if gives_way {
                "superseded"
            } else {
                retired.reason.as_str()
            },
            numbers,
            fault: fault.map(|what| Fault { seq, what }),
        });
    }

    fn retirement_fault(
        &self,
        id: &RuleId,
        reason: Retirement,
        evidence: &RuleRetireEvidence,
        numbers: &Numbers,
    ) -> Option<&'static str> {
        let story = self.rules.get(id)?;
        let opening = story.openings.last()?;
        let unfounded = match reason {
            Retirement::Harmful if !opening.forward && !opening.pairs.may_decide() => {
                Some("the replay was not over")
            }
            Retirement::Harmful => (!story.is_harmful(numbers))
                .then_some("the evidence does not reach the level of harm"),
            Retirement::Unproven if !opening.forward => {
                let stopped = opening.pairs.is_stopped() && opening.pairs.has_ended();
                (!stopped).then_some("no case stopped the replay")
            }
            Retirement::Unproven => {
                let is_proven = betting::reaches(numbers.e_value.ln(), numbers.threshold);
                let spent = !is_proven
                    && opening
                        .horizon
                        .is_some_and(|horizon| numbers.entered >= horizon)
                    && opening
                        .entries
                        .values()
                        .all(|entry| entry.outcome.is_some());
                (!spent || evidence.trial.kind != TrialKind::Trial)
                    .then_some("the horizon has not passed, sessions are open, or it is proven")
            }
            Retirement::Operator => Some("an operator's retirement carries no evidence"),
        };
        let level = match (reason, numbers.t) {
            (Retirement::Harmful, Some(t)) => betting::harm_level(opening.alpha, opening.phi, t),
            _ => numbers.threshold,
        };
        let says_so = betting::same(evidence.e_value, numbers.e_value)
            && betting::same(evidence.e_harm, numbers.e_harm)
            && betting::same(evidence.threshold, level)
            && evidence.entered == numbers.entered
            && evidence.t == numbers.t;
        unfounded.or((!says_so).then_some(OTHER_NUMBERS))
    }

    pub(super) fn quarantine(&mut self, seq: u64, quarantine: &Quarantine) {
        let follows = self.is_harmful(&quarantine.because)
            && quarantine.rules.iter().all(|id| {
                self.rules.get(id).is_some_and(|story| {
                    story.status == "active" && story.rule.parents.contains(&quarantine.because)
                })
            });
        for id in &quarantine.rules {
            match self.rules.get_mut(id) {
                Some(story) if follows => {
                    story.status = "candidate";
                    story.end();
                }
                _ => self.fault(id, seq, Err("the quarantine does not follow")),
            }
        }
    }

    /// Whether a scope takes one more active rule: those that no active rule of the scope corrects
    /// are within the budget then, or no more than they were.
    fn has_room(&self, rule: &Rule) -> bool {
        let active: Vec<&Rule> = self
            .rules
            .values()
            .filter(|story| story.status == "active" && story.rule.scope == rule.scope)
            .map(|story| &story.rule)
            .collect();
        let corrected: HashSet<&RuleId> = active
            .iter()
            .filter_map(|rule| rule.supersedes.as_ref())
            .collect();
        let stand: Vec<&RuleId> = active
            .iter()
            .map(|rule| &rule.id)
            .filter(|id| !corrected.contains(id))
            .collect();
        let corrects = stand
            .iter()
            .filter(|id| rule.supersedes.as_ref() == Some(**id))
            .count();
        let then = stand.len() + 1 - corrects;
        then <= BUDGET || then <= stand.len()
    }

    /// Whether a rule was retired because it did harm.
    fn is_harmful(&self, id: &RuleId) -> bool {
        self.rules.get(id).is_some_and(|story| {
            let believed = story
                .verdicts
                .iter()
                .rfind(|verdict| verdict.fault.is_none());
            story.status == "retired" && believed.is_some_and(|last| last.verdict == "harmful")
        })
    }
}

impl Story {
    /// Whether a replay is running that nothing may be promoted on: between turns with all their
    /// pairs it may, unless a case stops the rule.
    fn is_stopped(&self) -> bool {
        self.openings.last().is_some_and(|opening| {
            !opening.forward && (!opening.pairs.may_decide() || opening.pairs.is_stopped())
        })
    }

    /// Whether the numbers of the running opening reach its level of harm.
    fn is_harmful(&self, numbers: &Numbers) -> bool {
        self.openings.last().is_some_and(|opening| {
            let level = match numbers.t {
                Some(t) => betting::harm_level(opening.alpha, opening.phi, t),
                None => 1.0 / opening.alpha,
            };
            betting::reaches(numbers.e_harm.ln(), level)
        })
    }

    fn end(&mut self) {
        if let Some(opening) = self.openings.last_mut() {
            opening.running = false;
        }
    }
}
