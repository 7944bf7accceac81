//! One replay of one rule: turns over cases, decided as the desk decides them.

use std::num::NonZeroU32;

use harness_rules::ReplayBounds;
use harness_rules::evidence::{
    CaseRole, EValue, Levels, OpenTrial, PairResult, Pairs, Verdict, decide_all,
};

use crate::random::Random;

/// A case: what it is run for, and how often the agent is right without the rule and with it.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    role: CaseRole,
    without: f64,
    with: f64,
}

impl Case {
    pub(crate) const fn target(without: f64, with: f64) -> Self {
        Self {
            role: CaseRole::Target,
            without,
            with,
        }
    }

    pub(crate) const fn protected(without: f64, with: f64) -> Self {
        Self {
            role: CaseRole::Protected,
            without,
            with,
        }
    }
}

/// How a replay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The rule is active.
    Promoted,
    /// It did harm.
    Harmful,
    /// A case stopped it.
    Vetoed,
    /// New sessions decide.
    HandedOn,
}

/// One pair. The coin of the order is thrown as by the desk; this agent does not care.
fn pair(random: &mut Random, case: Case) -> PairResult {
    let with_first = random.below(2) == 0;
    let (first, second) = if with_first {
        (case.with, case.without)
    } else {
        (case.without, case.with)
    };
    let (first, second) = (random.chance(first), random.chance(second));
    let (with, without) = if with_first {
        (first, second)
    } else {
        (second, first)
    };
    match (with, without) {
        (true, false) => PairResult::Win,
        (false, true) => PairResult::Loss,
        _ => PairResult::Tie,
    }
}

/// Replays a rule to its end, as the first trial of a workspace. `left` is what it leaves of the
/// failures: all of them, for words that an agent can make nothing of. How able the agent is
/// wanders from rule to rule, as models and environments do.
pub(crate) fn run(random: &mut Random, ability: [f64; 5], left: f64) -> Ending {
    let bounds = ReplayBounds::default();
    let levels = Levels::default();
    let cases: Vec<Case> = ability
        .into_iter()
        .enumerate()
        .map(|(at, able)| {
            let able = able + if random.chance(0.5) { 0.03 } else { -0.03 };
            let helped = 1.0 - (1.0 - able) * left;
            if at < bounds.failures {
                Case::target(able, helped)
            } else {
                Case::protected(able, helped)
            }
        })
        .collect();
    let mut pairs = Pairs::default();
    for _ in 0..bounds.attempts {
        for _ in 0..bounds.seeds {
            for (at, case) in cases.iter().enumerate() {
                pairs.record(at, case.role, pair(random, *case));
            }
        }
        let now = OpenTrial {
            t: NonZeroU32::MIN,
            benefit: if pairs.is_vetoed() {
                EValue::ZERO
            } else {
                pairs.benefit()
            },
            harm: pairs.harm(),
            entered: 0,
            pending: 0,
            horizon: u32::MAX,
        };
        if let Some(decision) = decide_all(&levels, 0, &[now], |_| true).first() {
            return match decision.verdict {
                Verdict::Promoted => Ending::Promoted,
                Verdict::Harmful | Verdict::Unproven => Ending::Harmful,
            };
        }
    }
    if pairs.is_vetoed() {
        Ending::Vetoed
    } else {
        Ending::HandedOn
    }
}

/// What a rule has come to when its cases were looked at.
pub(crate) struct Seen {
    /// Whether it was vetoed by the pairs of that look.
    pub(crate) vetoed: [bool; 3],
    /// Whether its evidence alone would have promoted it by the first look.
    pub(crate) would_promote: bool,
}

/// Runs every case in so many pairs, looking after each number in `looks`.
pub(crate) fn looked_at(random: &mut Random, cases: &[Case], looks: &[u32; 3]) -> Seen {
    let level = Levels::default().promotion_threshold(NonZeroU32::MIN, 0);
    let mut pairs = Pairs::default();
    let mut seen = Seen {
        vetoed: [false; 3],
        would_promote: false,
    };
    let mut run = 0;
    for (at, look) in looks.iter().enumerate() {
        while run < *look {
            for (name, case) in cases.iter().enumerate() {
                pairs.record(name, case.role, pair(random, *case));
            }
            run += 1;
            seen.would_promote |= pairs.benefit().at_least(level);
        }
        seen.vetoed[at] = pairs.is_vetoed();
    }
    seen
}
