//! Rules by where they are filed and by what they say, so that a look at one scope costs that scope
//! and not every rule.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use harness_core::{Retirement, Rule, RuleId, RuleStatus, Scope};

use crate::words::normalised;

/// The rules of one scope that are live, or refuted, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shelf {
    active: BTreeSet<(u64, RuleId)>,
    candidates: BTreeSet<(u64, RuleId)>,
    refuted: BTreeSet<(u64, RuleId)>,
}

impl Shelf {
    /// Its active rules.
    pub(crate) fn active(&self) -> impl ExactSizeIterator<Item = &RuleId> {
        self.active.iter().map(|(_, id)| id)
    }

    /// Its candidates.
    pub(crate) fn candidates(&self) -> impl ExactSizeIterator<Item = &RuleId> {
        self.candidates.iter().map(|(_, id)| id)
    }

    /// Its live rules, active ones first.
    pub(crate) fn live(&self) -> impl Iterator<Item = &RuleId> {
        self.active().chain(self.candidates())
    }

    fn has_live(&self) -> bool {
        !(self.active.is_empty() && self.candidates.is_empty())
    }
}

/// All scopes, and all texts.
#[derive(Debug, Default)]
pub(crate) struct Shelves {
    scopes: BTreeMap<Scope, Shelf>,
    /// Rules by their normalised text, whatever their status.
    texts: HashMap<String, Vec<RuleId>>,
    active: usize,
}

impl Shelves {
    /// Files a rule that is new; `added` is the number of its proposal.
    pub(super) fn insert(&mut self, rule: &Rule, added: u64, status: RuleStatus) {
        self.texts
            .entry(normalised(rule.text.as_str()))
            .or_default()
            .push(rule.id.clone());
        self.put(&rule.scope, (added, rule.id.clone()), status);
    }

    /// Files a rule anew, as its status changed from `before`.
    pub(super) fn refile(
        &mut self,
        rule: &Rule,
        added: u64,
        before: RuleStatus,
        status: RuleStatus,
    ) {
        let place = (added, rule.id.clone());
        if let Some(shelf) = self.scopes.get_mut(&rule.scope) {
            shelf.active.remove(&place);
            shelf.candidates.remove(&place);
            shelf.refuted.remove(&place);
        }
        if before == RuleStatus::Active {
            self.active = self.active.saturating_sub(1);
        }
        self.put(&rule.scope, place, status);
    }

    fn put(&mut self, scope: &Scope, place: (u64, RuleId), status: RuleStatus) {
        let shelf = self.scopes.entry(scope.clone()).or_default();
        let kind = match status {
            RuleStatus::Active => {
                self.active += 1;
                &mut shelf.active
            }
            RuleStatus::Candidate => &mut shelf.candidates,
            RuleStatus::Retired(Retirement::Harmful) => &mut shelf.refuted,
            RuleStatus::Retired(_) => return,
        };
        kind.insert(place);
    }

    /// How many rules are active.
    pub(crate) const fn active(&self) -> usize {
        self.active
    }

    /// The rules of a scope.
    pub(crate) fn scope(&self, scope: &Scope) -> Option<&Shelf> {
        self.scopes.get(scope)
    }

    /// Scopes that have a live rule, in order of name.
    pub(crate) fn live_scopes(&self) -> impl Iterator<Item = (&Scope, &Shelf)> {
        self.scopes.iter().filter(|(_, shelf)| shelf.has_live())
    }

    /// The rules that a new one has to be compared with, in order of id: those of its scope that
    /// are live or refuted, and those that say the same anywhere.
    pub(crate) fn comparable(&self, rule: &Rule) -> BTreeSet<&RuleId> {
        let here = self
            .scopes
            .get(&rule.scope)
            .into_iter()
            .flat_map(|shelf| shelf.live().chain(shelf.refuted.iter().map(|(_, id)| id)));
        let same = self
            .texts
            .get(&normalised(rule.text.as_str()))
            .into_iter()
            .flatten();
        here.chain(same).collect()
    }
}
