//! Which rules there are, and with which text.

use harness_core::Rule;
use harness_store::wire::event::{RuleAdd, RuleImport};
use harness_store::wire::sha256_hex;

use super::{Replayed, Story};

/// The status of a rule of which no proposal is believed.
const REFUSED: &str = "refused";

impl Replayed {
    pub(super) fn add(&mut self, seq: u64, added: &RuleAdd) {
        let Ok((rule, _)) = added.rule.clone().try_into_domain() else {
            return;
        };
        let repeats = added
            .episode
            .iter()
            .any(|episode| self.proposed.contains(episode));
        let again = repeats.then_some("the episode that proposed the rule had proposed before");
        if self.begin(seq, rule, "candidate", &added.text_sha256, again) {
            self.proposed.extend(added.episode.clone());
        }
    }

    /// A rule of another program stands where that program had it; that is no promotion.
    pub(super) fn import(&mut self, seq: u64, imported: &RuleImport) {
        if let Ok((rule, status)) = imported.rule.clone().try_into_domain() {
            self.begin(seq, rule, status.as_str(), &imported.text_sha256, None);
        }
    }

    /// Begins the story of a rule, if this line is believed; says whether it is.
    fn begin(
        &mut self,
        seq: u64,
        rule: Rule,
        status: &'static str,
        text_sha256: &str,
        objection: Option<&'static str>,
    ) -> bool {
        let id = rule.id.clone();
        let is_known = self
            .rules
            .get(&id)
            .is_some_and(|story| story.status != REFUSED);
        let fault = if sha256_hex(rule.text.as_str().as_bytes()) != text_sha256 {
            Some("the text of the rule has not the hash recorded with it")
        } else if is_known {
            Some("the rule was proposed before")
        } else {
            objection
        };
        let earlier = if is_known {
            None
        } else {
            self.rules.remove(&id)
        };
        if !is_known {
            let status = if fault.is_none() { status } else { REFUSED };
            let faults = earlier.map(|story| story.faults).unwrap_or_default();
            self.rules.insert(
                id.clone(),
                Story {
                    rule,
                    text_sha256: text_sha256.to_owned(),
                    status,
                    openings: Vec::new(),
                    verdicts: Vec::new(),
                    faults,
                },
            );
        }
        self.fault(&id, seq, fault.map_or(Ok(()), Err));
        fault.is_none()
    }
}
