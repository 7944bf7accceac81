//! What a trial has seen: how many sessions of each arm ended how, for each π.

use super::pi::Pi;

/// Whether a session could see the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arm {
    /// The rule was shown.
    Treated,
    /// The rule was hidden.
    Control,
}

impl Arm {
    /// Both arms.
    pub const ALL: [Self; 2] = [Self::Treated, Self::Control];
}

/// How a session ended, counted once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// A target condition fired from the turn of entry on, or a score asked for was missing at
    /// closure: y = 1.
    Failed,
    /// The session closed without one: y = 0.
    Fine,
}

impl Outcome {
    /// Both outcomes.
    pub const ALL: [Self; 2] = [Self::Failed, Self::Fine];
}

const CELLS: usize = Pi::ALL.len() * Arm::ALL.len() * Outcome::ALL.len();

/// Sessions by π, arm and outcome. A sum, so the order of recording leaves no trace in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Counts {
    cells: [u32; CELLS],
}

impl Counts {
    /// Counts one more session. Stops counting at `u32::MAX`, far beyond any horizon.
    pub fn record(&mut self, pi: Pi, arm: Arm, outcome: Outcome) {
        if let Some(cell) = self.cells.get_mut(index(pi, arm, outcome)) {
            *cell = cell.saturating_add(1);
        }
    }

    /// How many sessions were recorded with exactly these.
    pub fn get(&self, pi: Pi, arm: Arm, outcome: Outcome) -> u32 {
        self.cells
            .get(index(pi, arm, outcome))
            .copied()
            .unwrap_or_default()
    }

    /// How many sessions were recorded.
    pub fn total(&self) -> u64 {
        self.cells.iter().copied().map(u64::from).sum()
    }

    /// How many sessions of `arm` ended with `outcome`, over every π.
    pub fn of(&self, arm: Arm, outcome: Outcome) -> u64 {
        Pi::ALL
            .into_iter()
            .map(|pi| u64::from(self.get(pi, arm, outcome)))
            .sum()
    }

    /// These counts and the others together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.zip(other, u32::saturating_add)
    }

    /// These counts without the others, which must be part of them (what is not there stays zero).
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.zip(other, u32::saturating_sub)
    }

    /// Each non-empty cell with its count, in the one order in which factors are multiplied.
    pub fn cells(&self) -> impl Iterator<Item = (Pi, Arm, Outcome, u32)> + '_ {
        Self::all_cells()
            .zip(self.cells)
            .filter(|(_, count)| *count > 0)
            .map(|((pi, arm, outcome), count)| (pi, arm, outcome, count))
    }

    /// Every cell, in that order.
    pub(super) fn all_cells() -> impl Iterator<Item = (Pi, Arm, Outcome)> {
        Pi::ALL
            .into_iter()
            .flat_map(|pi| Arm::ALL.into_iter().map(move |arm| (pi, arm)))
            .flat_map(|(pi, arm)| Outcome::ALL.into_iter().map(move |y| (pi, arm, y)))
    }

    fn zip(&self, other: &Self, combine: impl Fn(u32, u32) -> u32) -> Self {
        let mut cells = self.cells;
        for (cell, other) in cells.iter_mut().zip(other.cells) {
            *cell = combine(*cell, other);
        }
        Self { cells }
    }
}

/// The place of a cell; the order is that of [`Counts::cells`].
fn index(pi: Pi, arm: Arm, outcome: Outcome) -> usize {
    (pi as usize * Arm::ALL.len() + arm as usize) * Outcome::ALL.len() + outcome as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_is_counted_apart() {
        let mut counts = Counts::default();
        let mut expected = Vec::new();
        let mut n = 0;
        for pi in Pi::ALL {
            for arm in Arm::ALL {
                for outcome in Outcome::ALL {
                    n += 1;
                    for _ in 0..n {
                        counts.record(pi, arm, outcome);
                    }
                    expected.push((pi, arm, outcome, n));
                }
            }
        }
        assert_eq!(counts.cells().collect::<Vec<_>>(), expected);
        for (pi, arm, outcome, n) in expected {
            assert_eq!(counts.get(pi, arm, outcome), n);
        }
        assert_eq!(counts.total(), 78);
        assert_eq!(counts.of(Arm::Treated, Outcome::Failed), 1 + 5 + 9);
    }

    #[test]
    fn without_undoes_plus() {
        let mut one = Counts::default();
        one.record(Pi::Ramp, Arm::Control, Outcome::Failed);
        let mut two = Counts::default();
        two.record(Pi::Trial, Arm::Treated, Outcome::Fine);
        two.record(Pi::Ramp, Arm::Control, Outcome::Failed);
        assert_eq!(one.plus(&two).without(&two), one);
        assert_eq!(one.plus(&two).total(), 3);
        assert_eq!(Counts::default().cells().count(), 0);
    }
}
