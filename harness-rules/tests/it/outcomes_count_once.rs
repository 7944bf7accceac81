//! A session has one outcome in a trial: the first target condition from its turn of entry on, or
//! the end without one.

use harness_core::{Condition, RuleId};
use harness_rules::evidence::Outcome;
use harness_rules::ledger::Observation;
use harness_rules::{Desks, Proposal, Scores};
use harness_store::wire::event::{HealthState, TrialObservedCause};

use crate::fixture::{
    BREACH, Live, METRIC, Names, OTHER_METRIC, Place, add_rule, advice, decide, health,
    metric as named, proposal, rule_on_trial,
};

const OTHER_BREACH: (Condition, &str) = (Condition::Breach, OTHER_METRIC);

struct Trial {
    place: Place,
    desks: Desks,
    rule: RuleId,
    names: Names,
}

impl Trial {
    /// Of a rule with this metric.
    fn of(metric: Option<&str>) -> Self {
        let place = Place::new();
        let desks = place.open();
        let proposal = Proposal {
            metric: metric.map(named),
            ..proposal(&advice('a'))
        };
        let rule = rule_on_trial(&desks, "n-1", proposal);
        Self {
            place,
            desks,
            rule,
            names: Names::default(),
        }
    }

    fn begin(&mut self) -> Live {
        Live::begin(&self.desks, &self.names.any())
    }

    /// What counts of a session.
    fn observation(&self, live: &Live) -> Observation {
        let ledger = self.desks.book.ledger().unwrap();
        let trial = ledger.rule(&self.rule).unwrap().open_trial().unwrap();
        trial.entry(live.state.id()).unwrap().observation
    }

    /// Outcomes as the journal has them: y, cause, turn.
    fn outcomes(&self) -> Vec<(Option<u8>, TrialObservedCause, Option<u32>)> {
        let outcomes = self.place.outcomes().into_iter();
        outcomes
            .map(|outcome| (outcome.y, outcome.cause, outcome.turn_index))
            .collect()
    }
}

#[test]
fn the_first_target_condition_from_the_turn_of_entry_on_counts_once() {
    let mut trial = Trial::of(Some(METRIC));
    let live = trial.begin();
    live.turn(&trial.desks, &[BREACH]);
    live.read();
    assert_eq!(trial.outcomes(), []);
    assert_eq!(trial.observation(&live), Observation::Pending);
    live.turn(&trial.desks, &[]);
    assert_eq!(trial.outcomes(), []);
    live.turn(&trial.desks, &[(Condition::Stall, METRIC), BREACH]);
    live.turn(&trial.desks, &[BREACH]);
    live.close(&trial.desks, Scores::Complete);
    assert_eq!(
        trial.outcomes(),
        [(Some(1), TrialObservedCause::Condition, Some(2))]
    );
    assert_eq!(
        trial.observation(&live),
        Observation::Counted(Outcome::Failed)
    );
}

#[test]
fn a_condition_in_the_turn_of_entry_counts() {
    let mut trial = Trial::of(Some(METRIC));
    let live = trial.begin();
    live.turn(&trial.desks, &[]);
    live.read();
    live.turn(&trial.desks, &[BREACH]);
    assert_eq!(
        trial.outcomes(),
        [(Some(1), TrialObservedCause::Condition, Some(1))]
    );
}

#[test]
fn an_earlier_turn_that_is_evaluated_late_does_not_count() {
    let mut trial = Trial::of(Some(METRIC));
    let live = trial.begin();
    live.state.turn_ended(0);
    live.read();
    live.evaluated(&trial.desks, 0, &[BREACH]);
    assert_eq!(trial.outcomes(), []);
    live.evaluated(&trial.desks, 1, &[BREACH]);
    assert_eq!(
        trial.outcomes(),
        [(Some(1), TrialObservedCause::Condition, Some(1))]
    );
}

#[test]
fn a_session_that_never_entered_has_no_outcome() {
    let mut trial = Trial::of(Some(METRIC));
    let live = trial.begin();
    live.finish(&trial.desks, true);
    assert_eq!(trial.outcomes(), []);
}

#[test]
fn only_the_metric_of_the_rule_counts() {
    let mut trial = Trial::of(Some(METRIC));
    let live = trial.begin();
    live.read();
    live.turn(&trial.desks, &[OTHER_BREACH]);
    assert_eq!(trial.outcomes(), []);
    live.turn(&trial.desks, &[OTHER_BREACH, BREACH]);
    assert_eq!(
        trial.outcomes(),
        [(Some(1), TrialObservedCause::Condition, Some(1))]
    );
}

#[test]
fn any_metric_counts_for_a_rule_without_one() {
    let mut trial = Trial::of(None);
    let live = trial.begin();
    live.read();
    live.turn(&trial.desks, &[OTHER_BREACH]);
    assert_eq!(
        trial.outcomes(),
        [(Some(1), TrialObservedCause::Condition, Some(0))]
    );
}

#[test]
fn the_end_without_a_condition_is_fine_and_with_a_score_missing_it_is_not() {
    let mut trial = Trial::of(Some(METRIC));
    for (scores, y, cause, counted) in [
        (
            Scores::Complete,
            0,
            TrialObservedCause::Closed,
            Outcome::Fine,
        ),
        (
            Scores::Missing,
            1,
            TrialObservedCause::Missing,
            Outcome::Failed,
        ),
    ] {
        let live = trial.begin();
        live.read();
        live.turn(&trial.desks, &[]);
        live.close(&trial.desks, scores);
        assert_eq!(trial.outcomes().pop(), Some((Some(y), cause, None)));
        assert_eq!(trial.observation(&live), Observation::Counted(counted));
    }
    assert_eq!(trial.outcomes().len(), 2);
}

#[test]
fn a_turn_in_an_outage_drops_the_session_unless_it_has_counted() {
    let mut trial = Trial::of(Some(METRIC));
    let (counted, waiting, away) = (trial.begin(), trial.begin(), trial.begin());
    for live in [&counted, &waiting, &away] {
        live.read();
    }
    counted.turn(&trial.desks, &[BREACH]);
    health(&trial.desks, HealthState::Down);
    counted.turn(&trial.desks, &[]);
    waiting.turn(&trial.desks, &[]);
    health(&trial.desks, HealthState::Up);
    for live in [&counted, &waiting, &away] {
        live.turn(&trial.desks, &[]);
        live.close(&trial.desks, Scores::Complete);
    }
    assert_eq!(
        trial.observation(&counted),
        Observation::Counted(Outcome::Failed)
    );
    assert_eq!(trial.observation(&waiting), Observation::Dropped);
    assert_eq!(
        trial.observation(&away),
        Observation::Counted(Outcome::Fine)
    );
    assert_eq!(
        trial.outcomes(),
        [
            (Some(1), TrialObservedCause::Condition, Some(0)),
            (None, TrialObservedCause::Outage, Some(0)),
            (Some(0), TrialObservedCause::Closed, None),
        ]
    );
}

#[test]
fn a_session_has_an_outcome_in_each_trial_that_it_entered() {
    let mut trial = Trial::of(Some(METRIC));
    let other = Proposal {
        metric: Some(named(OTHER_METRIC)),
        ..proposal(&advice('b'))
    };
    let other = add_rule(&trial.desks, "n-2", other);
    decide(&trial.desks);
    let live = trial.begin();
    live.read();
    live.turn(&trial.desks, &[OTHER_BREACH]);
    live.close(&trial.desks, Scores::Complete);
    let by_rule: Vec<_> = trial
        .place
        .outcomes()
        .into_iter()
        .map(|outcome| (outcome.rule, outcome.y))
        .collect();
    assert_eq!(by_rule, [(other, Some(1)), (trial.rule.clone(), Some(0))]);
}

#[test]
fn turns_and_ends_of_a_closed_session_settle_nothing() {
    let mut trial = Trial::of(Some(METRIC));
    let live = trial.begin();
    live.read();
    let book = &trial.desks.book;
    let conditions = [(Condition::Breach, named(METRIC))];
    // The twin that is open would count.
    assert_eq!(
        book.outcomes_of_turn(live.state.id(), 0, &conditions)
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        book.outcomes_at_close(live.state.id(), Scores::Missing)
            .unwrap()
            .len(),
        1
    );
    live.close(&trial.desks, Scores::Complete);
    assert_eq!(
        book.outcomes_of_turn(live.state.id(), 0, &conditions)
            .unwrap(),
        []
    );
    assert_eq!(
        book.outcomes_at_close(live.state.id(), Scores::Missing)
            .unwrap(),
        []
    );
}
