//! The e-values, thresholds and horizon of EVIDENCE, written down a second time and in the plainest
//! way: logarithms of doubles, every alternative spelled out, no shared table.

use std::collections::BTreeMap;

/// Sessions of one kind: (π in tenths, treated, failed) and how many.
pub(super) type Cells = BTreeMap<(u32, bool, bool), u64>;

const CONTROL_RATES: [f64; 12] = [
    0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97,
];
const REDUCTIONS: [f64; 5] = [0.02, 0.1, 0.25, 0.5, 0.75];

/// Relative slack for comparing two computations of one number in doubles.
const SLACK: f64 = 1e-9;

/// log E that the treated fail less.
pub(super) fn log_benefit(cells: &Cells) -> f64 {
    log_mean(cells, |low, high| (high, low))
}

/// log E that the treated fail more.
pub(super) fn log_harm(cells: &Cells) -> f64 {
    log_mean(cells, |low, high| (low, high))
}

/// `rates` gives (control, treated) from the lower and the higher rate of an alternative.
fn log_mean(cells: &Cells, rates: impl Fn(f64, f64) -> (f64, f64)) -> f64 {
    let mut logs = Vec::new();
    for high in CONTROL_RATES {
        for reduction in REDUCTIONS {
            let (control, treated) = rates(high * reduction, high);
            let mut log = 0.0;
            for ((pi_tenths, is_treated, failed), count) in cells {
                let pi = f64::from(*pi_tenths) / 10.0;
                let of = |rate: f64| if *failed { rate } else { 1.0 - rate };
                let own = of(if *is_treated { treated } else { control });
                let mixed = pi * of(treated) + (1.0 - pi) * of(control);
                log += (*count as f64) * (own / mixed).ln();
            }
            logs.push(log);
        }
    }
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().map(|log| (log - greatest).exp()).sum();
    greatest + (sum / logs.len() as f64).ln()
}

/// log E that pairs are won more often than lost.
pub(super) fn log_pairs(won: u64, lost: u64) -> f64 {
    const RATES: [f64; 5] = [0.6, 0.7, 0.8, 0.9, 0.99];
    let logs = RATES
        .map(|rate| (won as f64) * (2.0 * rate).ln() + (lost as f64) * (2.0 - 2.0 * rate).ln());
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().map(|log| (log - greatest).exp()).sum();
    greatest + (sum / RATES.len() as f64).ln()
}

/// log E for promotion: the least without any one principal, where there are two or more.
pub(super) fn log_promotion(by_principal: &BTreeMap<Option<String>, Cells>) -> f64 {
    let together = |without: Option<&Option<String>>| {
        let mut all = Cells::new();
        for (principal, cells) in by_principal {
            if Some(principal) != without {
                for (cell, count) in cells {
                    *all.entry(*cell).or_default() += count;
                }
            }
        }
        all
    };
    if by_principal.len() < 2 {
        return log_benefit(&together(None));
    }
    by_principal
        .keys()
        .map(|principal| log_benefit(&together(Some(principal))))
        .fold(f64::INFINITY, f64::min)
}

/// What promotes the t-th trial after `promotions`.
pub(super) fn promotion_level(alpha: f64, phi: f64, t: u64, promotions: u64) -> f64 {
    let share = (t as f64).powf(-1.5) / 2.612;
    (1.0 / alpha).max(1.0 / (phi * share * (promotions as f64 + 1.0)))
}

/// What ends the t-th trial as harmful.
pub(super) fn harm_level(alpha: f64, phi: f64, t: u64) -> f64 {
    promotion_level(alpha, phi, t, 0)
}

/// Sessions that may enter a trial whose level was `level` at its first entry.
pub(super) fn horizon(level: f64) -> u64 {
    (400.0 * level.ln() / 20_f64.ln()).round() as u64
}

/// Whether a log e-value reaches a level.
pub(super) fn reaches(log_e: f64, level: f64) -> bool {
    log_e >= level.ln() - SLACK
}

/// Whether a number that was written down is the one derived here; beyond what a double holds, the
/// largest double stands for it.
pub(super) fn same(claimed: f64, derived: f64) -> bool {
    /// Relative difference of two computations of one number; larger than [`SLACK`], as logarithms
    /// turn a sum's rounding into a factor.
    const TOLERANCE: f64 = 1e-6;
    let derived = derived.min(f64::MAX);
    claimed == derived || (claimed - derived).abs() <= TOLERANCE * derived.abs()
}
