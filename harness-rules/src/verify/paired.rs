//! A replay, derived a second time: each pair judged by what its line says of its two runs, the
//! turns it was planned in, and the coins of its order.

use std::collections::{BTreeMap, HashSet};

use harness_core::{CaseId, CaseKind};
use harness_store::wire::event::{
    PendingReason, ReplayArm, ReplayRun, RunEnd, ValidationCandidateStarted, ValidationReplayCase,
    ValidationVerdict,
};

use super::betting;
use super::keyed::is_treated;

/// A case stops a rule for good once the evidence that it harms the case is this.
const VETO: f64 = 3.0;

/// The pairs of one opening.
#[derive(Default)]
pub(super) struct Paired {
    cases: BTreeMap<CaseId, Case>,
    pub(super) void: u64,
    turns: u32,
    /// Whether a turn is going on; then how the last one ended.
    is_running: bool,
    was_complete: bool,
    has_ended: bool,
    counted_this_turn: bool,
    named: HashSet<String>,
    first: Vec<(CaseId, u64, bool)>,
}

#[derive(Default)]
struct Case {
    is_win: bool,
    run: u64,
    due: u64,
    won: u64,
    lost: u64,
    alike: u64,
    stops: bool,
}

/// What the pairs come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sums {
    pub(super) won: u64,
    pub(super) lost: u64,
    pub(super) counted: u64,
    pub(super) log_benefit: f64,
    pub(super) log_harm: f64,
    pub(super) log_worst: f64,
}

type Checked = Result<(), &'static str>;

impl Paired {
    pub(super) fn turn(&mut self, started: &ValidationCandidateStarted) -> Checked {
        if started.attempt != self.turns + 1 || started.attempt > started.attempts {
            return Err("the turn of the replay is out of order");
        }
        let failures = started.failures.iter().map(|id| (id, false));
        let wins = started.wins.iter().map(|id| (id, true));
        let planned: Vec<(&CaseId, bool)> = failures.chain(wins).collect();
        let changed = planned.iter().any(|(id, is_win)| {
            self.cases
                .get(id)
                .is_some_and(|case| case.run > 0 && case.is_win != *is_win)
        });
        if changed {
            return Err("a case changed from failure to win, or back");
        }
        for case in self.cases.values_mut() {
            case.due = 0;
        }
        for (id, is_win) in planned {
            let case = self.cases.entry(id.clone()).or_default();
            case.is_win = is_win;
            case.due = u64::from(started.seeds);
        }
        self.turns = started.attempt;
        (self.is_running, self.counted_this_turn) = (true, false);
        Ok(())
    }

    /// Takes a pair; `is_session` says whether a session of that name is known.
    pub(super) fn pair(
        &mut self,
        pair: &ValidationReplayCase,
        is_session: impl Fn(&str) -> bool,
    ) -> Checked {
        let case = self
            .cases
            .get_mut(&pair.case)
            .filter(|case| self.is_running && case.due > 0)
            .ok_or("the pair belongs to no turn of the replay")?;
        if case.is_win != (pair.kind == CaseKind::Win) || pair.seed != case.run + 1 {
            return Err("the pair is not the next of its case");
        }
        let names: Vec<&str> = [&pair.with, &pair.without]
            .into_iter()
            .filter_map(|run| run.session.as_ref().map(|session| session.as_str()))
            .collect();
        let counts = pair.void.is_none();
        if counts {
            let stands = |run: &ReplayRun| {
                run.surfaced
                    && match run.end {
                        RunEnd::NotStarted => false,
                        RunEnd::Unscored => true,
                        RunEnd::Scored => run.session.is_some(),
                    }
            };
            let fresh = |name: &str| !is_session(name) && !self.named.contains(name);
            let is_one = names.len() == 2 && names.first() == names.last();
            if !stands(&pair.with)
                || !stands(&pair.without)
                || is_one
                || !names.iter().all(|name| fresh(name))
            {
                return Err("a pair counts whose runs may not count");
            }
        }
        case.run += 1;
        case.due -= 1;
        if counts {
            self.counted_this_turn = true;
            match verdict_of(&pair.with, &pair.without) {
                1 => case.won += 1,
                -1 => case.lost += 1,
                _ => case.alike += 1,
            }
            case.stops |= betting::reaches(betting::log_pairs(case.lost, case.won), VETO);
        } else {
            self.void += 1;
        }
        self.named.extend(names.into_iter().map(str::to_owned));
        let with_first = pair.first == ReplayArm::With;
        self.first.push((pair.case.clone(), pair.seed, with_first));
        Ok(())
    }

    pub(super) fn end(&mut self, ended: &ValidationVerdict) -> Checked {
        if !self.is_running || ended.attempt != self.turns {
            return Err("no such turn of the replay is going on");
        }
        let all_run = self.cases.values().all(|case| case.due == 0);
        let complete = match ended.pending {
            PendingReason::Undecided => all_run && self.counted_this_turn,
            PendingReason::AllVoid => all_run && !self.counted_this_turn,
            _ => false,
        };
        let claims = matches!(
            ended.pending,
            PendingReason::Undecided | PendingReason::AllVoid
        );
        let sums = self.sums();
        let says_so = (ended.wins, ended.losses) == (sums.won, sums.lost)
            && betting::same(ended.e_value, sums.log_benefit.exp())
            && betting::same(ended.e_veto, sums.log_worst.exp());
        if claims != complete || !says_so {
            return Err("the end of the turn claims what does not follow");
        }
        (self.is_running, self.has_ended, self.was_complete) = (false, true, complete);
        Ok(())
    }

    pub(super) fn sums(&self) -> Sums {
        let targets = || self.cases.values().filter(|case| !case.is_win);
        let won = targets().map(|case| case.won).sum();
        let lost = targets().map(|case| case.lost).sum();
        let worst = self
            .cases
            .values()
            .filter(|case| case.won + case.lost + case.alike > 0)
            .map(|case| betting::log_pairs(case.lost, case.won))
            .fold(f64::NEG_INFINITY, f64::max);
        Sums {
            won,
            lost,
            counted: self
                .cases
                .values()
                .map(|case| case.won + case.lost + case.alike)
                .sum(),
            log_benefit: betting::log_pairs(won, lost),
            log_harm: betting::log_pairs(lost, won),
            log_worst: if worst.is_finite() { worst } else { 0.0 },
        }
    }

    /// Whether any case stops the rule.
    pub(super) fn is_stopped(&self) -> bool {
        self.cases.values().any(|case| case.stops)
    }

    pub(super) const fn is_running(&self) -> bool {
        self.is_running
    }

    /// Whether a verdict may rest on it: the last turn ended with all its pairs.
    pub(super) const fn may_decide(&self) -> bool {
        !self.is_running && self.was_complete
    }

    /// Whether a turn has ended and none is going on.
    pub(super) const fn has_ended(&self) -> bool {
        !self.is_running && self.has_ended
    }

    /// Whether the key throws the coins by which each pair's order was chosen.
    pub(super) fn follows(&self, key: &[u8; 32]) -> bool {
        const HALF: u32 = 5;
        self.first.iter().all(|(case, seed, with_first)| {
            is_treated(key, &format!("{case}\0{seed}"), HALF) == *with_first
        })
    }
}

/// 1 where the rule won, -1 where it lost, 0 where both runs came out alike: by the outcome if both
/// have one and the two differ, else by the target, a run without a score being a failure.
fn verdict_of(with: &ReplayRun, without: &ReplayRun) -> i8 {
    let by = |with: bool, without: bool| i8::from(without) - i8::from(with);
    if let (Some(with), Some(without)) = (with.outcome_failed, without.outcome_failed)
        && with != without
    {
        return by(with, without);
    }
    let failed = |run: &ReplayRun| run.end == RunEnd::Unscored || run.target_failed.unwrap_or(true);
    by(failed(with), failed(without))
}
