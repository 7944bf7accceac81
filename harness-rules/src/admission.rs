//! May this proposal become a candidate? Every check that can be made before anything is stored.
//!
//! The order is the one in which a model can mend things: form first (metric, scope), then what the
//! text carries over, then what is already known (opposition before novelty, refuted rules), then
//! room.

use std::collections::BTreeMap;
use std::fmt;

use harness_core::{
    Applicability, CleanString, MetricName, MetricRegistry, Notice, Paragraph, ResolutionKind,
    Retirement, Rule, RuleId, RuleStatus, Scope, Tags, Timestamp,
};
use harness_sanitize::{CarryOver, EvidenceLeaves, Redactor, check_rule_text};

use crate::ledger::{Ledger, MAX_ACTIVE_A_SCOPE};
use crate::novelty::{Difference, Reading, Relation, relation};
use crate::words::words_in;

/// Scopes a workspace has at most.
pub const MAX_SCOPES: usize = 64;
/// Candidates a scope has at most.
pub const MAX_CANDIDATES_A_SCOPE: usize = 3;
/// Candidates a workspace has at most.
pub const MAX_CANDIDATES: usize = 8;
/// Bytes of a scope rationale that are kept.
pub const MAX_SCOPE_RATIONALE: usize = 240;

/// What a repair model proposes. Text that skipped the gate has no way into it:
///
/// ```compile_fail
/// # use harness_rules::Proposal;
/// fn from_a_trace(raw: String, rest: Proposal) -> Proposal {
///     Proposal { text: raw, ..rest }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The advice.
    pub text: Paragraph,
    /// Why.
    pub rationale: CleanString,
    /// The metric its trial is to look at; `None` for any.
    pub metric: Option<MetricName>,
    /// Words to find it by.
    pub tags: Tags,
    /// Where to file it; `None` for the default.
    pub scope: Option<Scope>,
    /// Why there.
    pub scope_rationale: Option<CleanString>,
    /// How widely it applies; `None` for global in the global scope and topical elsewhere.
    pub applicability: Option<Applicability>,
    /// The rule it corrects.
    pub supersedes: Option<RuleId>,
}

/// Why a proposal is refused; a sentence that its model can act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposalRefusal {
    /// The metric is not one that is measured.
    UnknownMetric {
        /// Those that are.
        known: Vec<MetricName>,
    },
    /// The scope is a name of the host, not of what failed.
    HostLabel {
        /// The name.
        scope: Scope,
    },
    /// The text or the rationale is too long.
    TooLong,
    /// The text holds what looks like a secret, which no file may hold.
    Secret,
    /// The text repeats something of its evidence.
    CarriesOver(CarryOver),
    /// It differs from a live rule where that matters, and does not say that it corrects it.
    Conflict {
        /// The rule.
        with: RuleId,
        /// In what they differ.
        difference: Difference,
    },
    /// What it wants to correct is not a live rule.
    UnknownSuperseded,
    /// A rule that says the same was retired as harmful.
    Refuted {
        /// That rule.
        by: RuleId,
    },
    /// No room for another scope.
    ScopesFull,
    /// No room for another candidate, in this scope or at all.
    CandidatesFull,
    /// The scope has as many active rules as it may have.
    ScopeFull,
}

impl fmt::Display for ProposalRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownMetric { known } => {
                f.write_str("`metric` is not measured here; leave it out or use one of")?;
                for (at, metric) in known.iter().enumerate() {
                    write!(f, "{} {metric}", if at == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            Self::HostLabel { scope } => write!(
                f,
                "`{scope}` names where the agent runs, not what failed; choose an application, \
                 workflow or domain, or leave `scope` out"
            ),
            Self::TooLong => write!(
                f,
                "a rule is at most {} bytes, and so is its rationale",
                Rule::MAX_TEXT.min(Rule::MAX_RATIONALE)
            ),
            Self::Secret => {
                f.write_str("the rule holds what looks like a secret; say it in general terms")
            }
            Self::CarriesOver(carried) => carried.fmt(f),
            Self::Conflict { with, difference } => write!(
                f,
                "{with} gives the same advice but for {}; if this corrects it, propose again \
                 with `supersedes`, else resolve without a rule",
                difference.as_str()
            ),
            Self::UnknownSuperseded => f.write_str("`supersedes` names no live rule of that scope"),
            Self::Refuted { by } => {
                write!(f, "{by} said the same and was retired because it did harm")
            }
            Self::ScopesFull => write!(f, "there are {MAX_SCOPES} scopes already; use one of them"),
            Self::CandidatesFull => {
                f.write_str("as many rules are on trial as may be; resolve without a rule for now")
            }
            Self::ScopeFull => write!(
                f,
                "the scope has {MAX_ACTIVE_A_SCOPE} active rules; correct one of them with \
                 `supersedes`"
            ),
        }
    }
}

/// What becomes of a proposal.
#[derive(Debug)]
pub(crate) enum Admission {
    /// It may be stored as this rule.
    Admitted(Box<Rule>),
    /// A live rule says it already.
    Covered { by: RuleId, kind: ResolutionKind },
    /// It may not.
    Refused(ProposalRefusal),
}

/// What a proposal is judged by, beside the ledger.
pub(crate) struct Case<'a> {
    pub(crate) notices: &'a [Notice],
    pub(crate) evidence: &'a EvidenceLeaves,
    pub(crate) registry: &'a MetricRegistry,
}

pub(crate) fn admit(
    ledger: &Ledger,
    case: &Case<'_>,
    proposal: Proposal,
    id: RuleId,
    now: Timestamp,
) -> Admission {
    match judge(ledger, case, proposal, id, now) {
        Ok(admission) => admission,
        Err(refusal) => Admission::Refused(refusal),
    }
}

fn judge(
    ledger: &Ledger,
    case: &Case<'_>,
    proposal: Proposal,
    id: RuleId,
    now: Timestamp,
) -> Result<Admission, ProposalRefusal> {
    let rule = draft(case, proposal, id, now)?;
    check_rule_text(rule.text.as_clean(), case.evidence).map_err(ProposalRefusal::CarriesOver)?;
    check_superseded(ledger, &rule)?;
    if let Some(covered) = compare(ledger, &rule)? {
        return Ok(covered);
    }
    check_room(ledger, &rule)?;
    Ok(Admission::Admitted(Box::new(rule)))
}

fn draft(
    case: &Case<'_>,
    proposal: Proposal,
    id: RuleId,
    now: Timestamp,
) -> Result<Rule, ProposalRefusal> {
    if let Some(metric) = &proposal.metric
        && case.registry.get(metric).is_none()
    {
        let known = case.registry.iter().map(|spec| spec.name.clone()).collect();
        return Err(ProposalRefusal::UnknownMetric { known });
    }
    let text = proposal.text.as_str();
    if text.len() > Rule::MAX_TEXT || proposal.rationale.len() > Rule::MAX_RATIONALE {
        return Err(ProposalRefusal::TooLong);
    }
    // The store would cut it out, and what is left would not have the hash of the proposal.
    if Redactor::patterns_only().redact(text) != text {
        return Err(ProposalRefusal::Secret);
    }
    let scope = match (proposal.applicability, proposal.scope) {
        (Some(Applicability::Global), _) | (_, None) => Scope::global(),
        (_, Some(scope)) => scope,
    };
    let labelled = case
        .notices
        .iter()
        .any(|notice| notice.host_labels.contains(&scope));
    if labelled && !scope.is_global() {
        return Err(ProposalRefusal::HostLabel { scope });
    }
    let mut failure_signatures: Vec<_> = case
        .notices
        .iter()
        .flat_map(|notice| notice.signatures.iter().cloned())
        .collect();
    failure_signatures.sort();
    failure_signatures.dedup();
    let mut parents: Vec<RuleId> = case
        .notices
        .iter()
        .flat_map(|notice| notice.shown_rules.iter().cloned())
        .collect();
    parents.sort();
    parents.dedup();
    parents.truncate(Rule::MAX_PARENTS);
    Ok(Rule {
        id,
        created_at: now,
        text: proposal.text,
        rationale: proposal.rationale,
        source_notice: case.notices.first().map(|notice| notice.id.clone()),
        metric: proposal.metric,
        tags: proposal.tags,
        applicability: proposal.applicability.unwrap_or(if scope.is_global() {
            Applicability::Global
        } else {
            Applicability::Topical
        }),
        scope,
        failure_signatures,
        supersedes: proposal.supersedes,
        parents,
    })
}

fn check_superseded(ledger: &Ledger, rule: &Rule) -> Result<(), ProposalRefusal> {
    let known = rule.supersedes.as_ref().is_none_or(|id| {
        ledger
            .rule(id)
            .is_some_and(|old| old.status.is_live() && old.rule.scope == rule.scope)
    });
    if known {
        Ok(())
    } else {
        Err(ProposalRefusal::UnknownSuperseded)
    }
}

/// Compares with every rule that counts: live ones, and those that were refuted. A conflict with
/// any of them comes before coverage by another.
fn compare(ledger: &Ledger, rule: &Rule) -> Result<Option<Admission>, ProposalRefusal> {
    let refuted = RuleStatus::Retired(Retirement::Harmful);
    let words = words_in(rule.text.as_str());
    let new = Reading::new(rule, &words);
    let mut covered = None;
    for old in ledger
        .shelves()
        .comparable(rule)
        .into_iter()
        .filter_map(|id| ledger.rule(id))
    {
        if !(old.status.is_live() || old.status == refuted)
            || rule.supersedes.as_ref() == Some(&old.rule.id)
        {
            continue;
        }
        let by = old.rule.id.clone();
        match (relation(&new, &old.rule), old.status) {
            (Relation::Covered, RuleStatus::Retired(_)) => {
                return Err(ProposalRefusal::Refuted { by });
            }
            (Relation::Opposed(difference), status) if status.is_live() => {
                return Err(ProposalRefusal::Conflict {
                    with: by,
                    difference,
                });
            }
            (Relation::Covered, RuleStatus::Active) => {
                let kind = ResolutionKind::Duplicate;
                covered = Some(Admission::Covered { by, kind });
            }
            (Relation::Covered, _) if covered.is_none() => {
                let kind = ResolutionKind::AlreadyCovered;
                covered = Some(Admission::Covered { by, kind });
            }
            _ => {}
        }
    }
    Ok(covered)
}

fn check_room(ledger: &Ledger, rule: &Rule) -> Result<(), ProposalRefusal> {
    let counts = |id: &&RuleId| {
        let record = ledger.rule(id);
        record.is_some_and(|record| !record.quarantined)
    };
    let scopes: BTreeMap<&Scope, (usize, usize)> = ledger
        .shelves()
        .live_scopes()
        .map(|(scope, shelf)| {
            let candidates = shelf.candidates().filter(counts).count();
            (scope, (shelf.active().len(), candidates))
        })
        .collect();
    let all_candidates: usize = scopes.values().map(|(_, candidates)| candidates).sum();
    let (active, candidates) = scopes.get(&rule.scope).copied().unwrap_or_default();
    if !scopes.contains_key(&rule.scope) && scopes.len() >= MAX_SCOPES {
        Err(ProposalRefusal::ScopesFull)
    } else if candidates >= MAX_CANDIDATES_A_SCOPE || all_candidates >= MAX_CANDIDATES {
        Err(ProposalRefusal::CandidatesFull)
    } else if active >= MAX_ACTIVE_A_SCOPE && rule.supersedes.is_none() {
        Err(ProposalRefusal::ScopeFull)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::RuleRecord;
    use crate::testing::{record, rule};

    /// Advice that shares no word with that of another number.
    fn text(number: usize) -> String {
        let letter = |digit: usize| char::from(b'a' + (digit % 26) as u8);
        let name: String = [letter(number / 26), letter(number)].iter().collect();
        ["alph", "bet", "gamm", "delt", "epsil"]
            .map(|stem| format!("{name}{stem}"))
            .join(" ")
    }

    fn rule_in(scope: &str, number: usize) -> Rule {
        Rule {
            scope: Scope::parse(scope).unwrap(),
            ..rule(&format!("r-{number:03}"), &text(number))
        }
    }

    fn proposed(rule: Rule) -> Proposal {
        Proposal {
            text: rule.text,
            rationale: rule.rationale,
            metric: None,
            tags: rule.tags,
            scope: Some(rule.scope),
            scope_rationale: None,
            applicability: None,
            supersedes: rule.supersedes,
        }
    }

    fn judged(ledger: &Ledger, rule: Rule) -> Result<Admission, ProposalRefusal> {
        let case = Case {
            notices: &[],
            evidence: &EvidenceLeaves::new([], []),
            registry: &MetricRegistry::default(),
        };
        let id = RuleId::from_bits(1);
        judge(ledger, &case, proposed(rule), id, Timestamp::EPOCH)
    }

    fn refusal(ledger: &Ledger, rule: Rule) -> Option<ProposalRefusal> {
        judged(ledger, rule).err()
    }

    #[test]
    fn a_full_scope_takes_only_corrections() {
        let full = |active: usize| {
            let rules =
                (0..active).map(|number| record(rule_in("orders", number), RuleStatus::Active));
            Ledger::of(rules)
        };
        let new = || rule_in("orders", 500);
        let ledger = full(MAX_ACTIVE_A_SCOPE);
        assert_eq!(refusal(&ledger, new()), Some(ProposalRefusal::ScopeFull));
        let correction = Rule {
            supersedes: Some(rule_in("orders", 0).id),
            ..new()
        };
        assert_eq!(refusal(&ledger, correction), None);
        assert_eq!(refusal(&ledger, rule_in("stock", 500)), None);
        assert_eq!(refusal(&full(MAX_ACTIVE_A_SCOPE - 1), new()), None);
    }

    #[test]
    fn a_workspace_full_of_scopes_takes_rules_only_into_those() {
        let full = |scopes: usize| {
            let rules = (0..scopes)
                .map(|number| record(rule_in(&format!("s-{number}"), number), RuleStatus::Active));
            Ledger::of(rules)
        };
        let ledger = full(MAX_SCOPES);
        let another = || rule_in("another", 500);
        assert_eq!(
            refusal(&ledger, another()),
            Some(ProposalRefusal::ScopesFull)
        );
        assert_eq!(refusal(&ledger, rule_in("s-0", 500)), None);
        assert_eq!(refusal(&full(MAX_SCOPES - 1), another()), None);
    }

    #[test]
    fn a_quarantined_rule_stands_outside_the_caps() {
        let candidates = |quarantined: bool| {
            let numbers = 0..MAX_CANDIDATES_A_SCOPE;
            Ledger::of(numbers.map(|number| RuleRecord {
                quarantined: quarantined && number == 0,
                ..record(rule_in("orders", number), RuleStatus::Candidate)
            }))
        };
        let new = || rule_in("orders", 500);
        let full = Some(ProposalRefusal::CandidatesFull);
        assert_eq!(refusal(&candidates(false), new()), full);
        assert_eq!(refusal(&candidates(true), new()), None);
    }

    #[test]
    fn a_conflict_comes_before_coverage_by_another_rule() {
        let says = |id: &str, text: &str| record(rule(id, text), RuleStatus::Active);
        let five = "Retry a failing call at most 5 times before giving up on it.";
        let three = "Retry a failing call at most 3 times before giving up on it.";
        let new = || rule("r-new", five);
        for ids in [["r-1", "r-2"], ["r-2", "r-1"]] {
            let [covers, opposes] = ids;
            let both = Ledger::of([says(covers, five), says(opposes, three)]);
            let refused = refusal(&both, new());
            let with = RuleId::parse(opposes).unwrap();
            let difference = Difference::Number;
            assert_eq!(
                refused,
                Some(ProposalRefusal::Conflict { with, difference })
            );
        }
        let covered = judged(&Ledger::of([says("r-1", five)]), new());
        let kind = ResolutionKind::Duplicate;
        assert!(matches!(covered, Ok(Admission::Covered { kind: found, .. }) if found == kind));
    }
}
