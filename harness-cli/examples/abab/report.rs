//! What the legs show, and what they had to.

use std::fmt;

use serde_json::{Value, json};

use crate::legs::{Course, Leg, Plan};
use crate::paired::Pairs;

/// Two legs differ where chance alone would have them as uneven no more often than this.
const ALPHA: f64 = 0.001;

/// What is to be seen between two legs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Mends,
    Breaks,
    Nothing,
}

impl Change {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Mends => "fewer fail",
            Self::Breaks => "more fail",
            Self::Nothing => "no difference",
        }
    }

    fn of(pairs: Pairs) -> Self {
        if pairs.p_value() > ALPHA {
            Self::Nothing
        } else if pairs.mended > pairs.broken {
            Self::Mends
        } else {
            Self::Breaks
        }
    }
}

struct Comparison {
    from: &'static str,
    to: &'static str,
    pairs: Pairs,
    wanted: Change,
}

impl Comparison {
    fn new(from: &Leg, to: &Leg, wanted: Change) -> Self {
        Self {
            from: from.name,
            to: to.name,
            pairs: Pairs::of(&from.failed, &to.failed),
            wanted,
        }
    }
}

/// Everything that is told.
pub(crate) struct Report {
    plan: Plan,
    course: Course,
    comparisons: [Comparison; 5],
}

impl Report {
    /// Compares the legs.
    pub(crate) fn new(plan: Plan, course: Course) -> Self {
        let [off, on, off_again, on_again, placebo] = &course.legs;
        let comparisons = [
            Comparison::new(off, on, Change::Mends),
            Comparison::new(on, off_again, Change::Breaks),
            Comparison::new(off_again, on_again, Change::Mends),
            Comparison::new(off, off_again, Change::Nothing),
            Comparison::new(off, placebo, Change::Nothing),
        ];
        Self {
            plan,
            course,
            comparisons,
        }
    }

    /// What did not show as it had to, a line each.
    pub(crate) fn broken(&self) -> Vec<String> {
        let differ = |comparison: &&Comparison| Change::of(comparison.pairs) != comparison.wanted;
        let wrong = self.comparisons.iter().filter(differ).map(|comparison| {
            format!(
                "from `{}` to `{}`: {}, and not: {}",
                comparison.from,
                comparison.to,
                Change::of(comparison.pairs).as_str(),
                comparison.wanted.as_str(),
            )
        });
        // A placebo that nobody reads shows nothing, whatever it is.
        let [.., placebo] = &self.course.legs;
        let unread = (placebo.read * 2 < self.plan.sessions)
            .then(|| format!("the placebo was read in {} sessions only", placebo.read));
        wrong.chain(unread).collect()
    }

    pub(crate) fn json(&self) -> Value {
        let legs = self.course.legs.iter().map(|leg| {
            json!({
                "name": leg.name,
                "sessions": leg.failed.len(),
                "failed": failures(leg),
                "read": leg.read,
            })
        });
        let comparisons = self.comparisons.iter().map(|comparison| {
            json!({
                "from": comparison.from,
                "to": comparison.to,
                "mended": comparison.pairs.mended,
                "broken": comparison.pairs.broken,
                "p": comparison.pairs.p_value(),
                "shows": Change::of(comparison.pairs).as_str(),
            })
        });
        json!({
            "seed": self.plan.seed,
            "alpha": ALPHA,
            "proven_after": self.course.proven_after,
            "legs": legs.collect::<Vec<_>>(),
            "comparisons": comparisons.collect::<Vec<_>>(),
            "holds": self.broken().is_empty(),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "the rule was proven after {} sessions\n\nleg         sessions  failed  read",
            self.course.proven_after
        )?;
        for leg in &self.course.legs {
            writeln!(
                f,
                "{:<10}  {:>8}  {:>6}  {:>4}",
                leg.name,
                leg.failed.len(),
                failures(leg),
                leg.read
            )?;
        }
        writeln!(
            f,
            "\nfrom        to          mended  broken  p (two-sided, exact)"
        )?;
        for comparison in &self.comparisons {
            writeln!(
                f,
                "{:<10}  {:<10}  {:>6}  {:>6}  {:.1e}  {}",
                comparison.from,
                comparison.to,
                comparison.pairs.mended,
                comparison.pairs.broken,
                comparison.pairs.p_value(),
                Change::of(comparison.pairs).as_str(),
            )?;
        }
        Ok(())
    }
}

fn failures(leg: &Leg) -> usize {
    leg.failed.iter().filter(|failed| **failed).count()
}
