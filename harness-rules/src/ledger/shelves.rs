//! Rules by where they are filed and by what they say, so that a look at one scope costs that scope
//! and not every rule.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use harness_core::{Retirement, Rule, RuleId, RuleStatus, Scope};

use crate::words::normalised;

/// The rules of one scope that are live, or refuted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shelf {
    pub(crate) active: BTreeSet<RuleId>,
    pub(crate) candidates: BTreeSet<RuleId>,
    refuted: BTreeSet<RuleId>,
}

impl Shelf {
    /// Its live rules.
    pub(crate) fn live(&self) -> impl Iterator<Item = &RuleId> {
        self.active.iter().chain(&self.candidates)
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
    /// Files a rule that is new.
    pub(super) fn insert(&mut self, rule: &Rule, status: RuleStatus) {
        self.texts
            .entry(normalised(rule.text.as_str()))
            .or_default()
            .push(rule.id.clone());
        self.put(&rule.scope, &rule.id, status);
    }

    /// Files a rule anew, as its status changed from `before`.
    pub(super) fn refile(&mut self, rule: &Rule, before: RuleStatus, status: RuleStatus) {
        if let Some(shelf) = self.scopes.get_mut(&rule.scope) {
            shelf.active.remove(&rule.id);
            shelf.candidates.remove(&rule.id);
            shelf.refuted.remove(&rule.id);
        }
        if before == RuleStatus::Active {
            self.active = self.active.saturating_sub(1);
        }
        self.put(&rule.scope, &rule.id, status);
    }

    fn put(&mut self, scope: &Scope, id: &RuleId, status: RuleStatus) {
        let shelf = self.scopes.entry(scope.clone()).or_default();
        let place = match status {
            RuleStatus::Active => {
                self.active += 1;
                &mut shelf.active
            }
            RuleStatus::Candidate => &mut shelf.candidates,
            RuleStatus::Retired(Retirement::Harmful) => &mut shelf.refuted,
            RuleStatus::Retired(_) => return,
        };
        place.insert(id.clone());
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
            .flat_map(|shelf| shelf.live().chain(&shelf.refuted));
        let same = self
            .texts
            .get(&normalised(rule.text.as_str()))
            .into_iter()
            .flatten();
        here.chain(same).collect()
    }
}
