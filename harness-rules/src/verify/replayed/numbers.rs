//! The numbers of an opening, with the arms as the revealed key assigns them.

use std::collections::BTreeMap;

use harness_core::RuleId;
use harness_store::wire::event::TrialName;
use harness_store::wire::unhex;

use super::{Opening, Replayed};
use crate::verify::betting::{self, Cells};
use crate::verify::keyed::{commitment, is_treated};
use crate::verify::{Numbers, PairNumbers};

impl Replayed {
    /// The numbers of a running opening, with the arms as the revealed key assigns them.
    pub(super) fn derive(
        &self,
        id: &RuleId,
        name: TrialName,
        key: &str,
    ) -> Result<Numbers, &'static str> {
        let opening = self
            .rules
            .get(id)
            .and_then(|story| story.openings.last())
            .filter(|opening| opening.running && opening.name == name)
            .ok_or("the verdict is on a trial that is not running")?;
        let key: [u8; 32] = unhex(key).ok_or("the revealed key is not 32 bytes of hex")?;
        if commitment(&key) != opening.commitment {
            return Err("the revealed key is not the one committed to");
        }
        if !opening.forward {
            return opening
                .pairs
                .follows(&key)
                .then(|| opening.replayed(self.promotions))
                .ok_or("the order of the runs is not the one that the key throws");
        }
        let mut by_principal: BTreeMap<Option<String>, Cells> = BTreeMap::new();
        let (mut treated, mut control, mut all) = ((0, 0), (0, 0), Cells::new());
        for (session, entry) in &opening.entries {
            let principal = self
                .sessions
                .get(session)
                .and_then(|session| session.principal.clone());
            // Whoever entered is one of the principals, also without an outcome.
            let own = by_principal.entry(principal).or_default();
            let Some(Some(failed)) = entry.outcome else {
                continue;
            };
            let is_treated = is_treated(&key, session, entry.pi_tenths);
            let cell = (entry.pi_tenths, is_treated, failed);
            *own.entry(cell).or_default() += 1;
            *all.entry(cell).or_default() += 1;
            let arm = if is_treated {
                &mut treated
            } else {
                &mut control
            };
            if failed {
                arm.0 += 1;
            } else {
                arm.1 += 1;
            }
        }
        let threshold = match opening.t {
            Some(t) => betting::promotion_level(opening.alpha, opening.phi, t, self.promotions),
            None => 1.0 / opening.alpha,
        };
        let log_e = opening.log_capital + betting::log_promotion(&by_principal);
        let went_on_from = self
            .rules
            .get(id)
            .and_then(|story| story.openings.iter().rev().nth(1))
            .filter(|earlier| !earlier.forward && earlier.t.is_some() && earlier.t == opening.t);
        Ok(Numbers {
            replay: went_on_from.map(Opening::pair_numbers),
            capital: opening.log_capital.exp(),
            entered: opening.entries.len() as u64,
            treated,
            control,
            principals: by_principal.len(),
            e_value: log_e.exp(),
            e_harm: betting::log_harm(&all).exp(),
            threshold,
            t: opening.t,
            promotions: self.promotions,
        })
    }
}

impl Opening {
    fn pair_numbers(&self) -> PairNumbers {
        let sums = self.pairs.sums();
        PairNumbers {
            wins: sums.won,
            losses: sums.lost,
            counted: sums.counted,
            void: self.pairs.void,
            e_veto: sums.log_worst.exp(),
            vetoed: self.pairs.is_stopped(),
        }
    }

    /// The numbers of a replay.
    fn replayed(&self, promotions: u64) -> Numbers {
        let sums = self.pairs.sums();
        let t = self.t.unwrap_or(u64::MAX);
        Numbers {
            replay: Some(self.pair_numbers()),
            capital: 1.0,
            entered: sums.counted,
            treated: (0, 0),
            control: (0, 0),
            principals: 0,
            e_value: sums.log_benefit.exp(),
            e_harm: sums.log_harm.exp(),
            threshold: betting::promotion_level(self.alpha, self.phi, t, promotions),
            t: self.t,
            promotions,
        }
    }
}
