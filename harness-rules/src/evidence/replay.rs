//! The e-value of paired replay: one case, with and without the candidate, in fair-coin order.

use super::e_value::EValue;

/// The chances of winning a pair that the e-value bets on.
const WIN_RATES: [f64; 5] = [0.6, 0.7, 0.8, 0.9, 0.99];

/// Evidence of harm at which a single case vetoes. Lower than any threshold of promotion, because
/// blocking a rule is not the error that α bounds.
pub const VETO_THRESHOLD: f64 = 3.0;

/// Evidence that the candidate wins pairs, after `wins` and `losses` (ties are dropped): the mean
/// over the win rates θ of (2θ)^wins · (2 − 2θ)^losses. Under "a win is no likelier than a loss" its
/// mean is at most one.
pub fn paired(wins: u32, losses: u32) -> EValue {
    let bets = WIN_RATES.into_iter().filter_map(|rate| {
        let win = EValue::new(2.0 * rate)?;
        let loss = EValue::new(2.0 - 2.0 * rate)?;
        Some(win.power(wins) * loss.power(losses))
    });
    EValue::mean(bets)
}

/// Evidence that the candidate loses pairs of this case; at [`VETO_THRESHOLD`] it is not promoted.
pub fn paired_harm(wins: u32, losses: u32) -> EValue {
    paired(losses, wins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_straight_wins_decide_and_five_do_not() {
        assert!(paired(6, 0).at_least(20.0));
        assert!(!paired(5, 0).at_least(20.0));
    }

    #[test]
    fn three_seeds_of_one_case_decide_nothing() {
        let three = paired(3, 0).as_f64();
        assert!((three - 4.4).abs() < 0.05, "{three}");
        assert_eq!(paired(0, 0), EValue::ONE);
    }

    #[test]
    fn no_bet_gains_where_wins_and_losses_are_as_likely() {
        for wins in 0..12 {
            for losses in 0..12 {
                let now = paired(wins, losses);
                let won = paired(wins + 1, losses);
                let lost = paired(wins, losses + 1);
                assert!(won > now && lost < now);
                let mean = (won.as_f64() + lost.as_f64()) / 2.0;
                assert!((mean / now.as_f64() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_case_vetoes_on_three_losses_more_than_wins_not_on_one() {
        assert!(paired_harm(0, 3).at_least(VETO_THRESHOLD));
        assert!(!paired_harm(0, 1).at_least(VETO_THRESHOLD));
        assert!(!paired_harm(3, 0).at_least(VETO_THRESHOLD));
    }
}
