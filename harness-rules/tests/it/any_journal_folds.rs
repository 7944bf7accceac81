//! Whatever a journal says, the ledger folds it without a panic, and it and the second opinion,
//! which share no mathematics, say the same of every rule.

use harness_core::{CaseId, CaseKind, EpisodeId, Retirement, Rule, RuleId, RuleStatus, Timestamp};
use harness_rules::evidence::{Arm, ArmKey, ByPrincipal, Pi};
use harness_rules::ledger::{DoubtKind, Ledger, Observation, Trial};
use harness_rules::verify::verify;
use harness_store::Fold;
use harness_store::wire::event::{
    CloseReason, Event, OriginDoc, Path, PendingReason, Quarantine, ReplayArm, ReplayRun, RuleAdd,
    RulePromote, RuleRetire, RuleRetireEvidence, RunEnd, SessionClosed, TrialAssigned, TrialKind,
    TrialName, TrialObserved, TrialObservedCause, TrialOpened, ValidationCandidateStarted,
    ValidationReplayCase, ValidationVerdict, VoidReason,
};
use harness_store::wire::rule::RuleDoc;
use harness_store::wire::{Line, hex, json, parse_line, sha256_hex};
use proptest::prelude::*;

use crate::fixture::{FIRST, advice, clean, master, opened, proposal, rule_id, session_id, start};

/// Rules of a story; all but the first name the first as their parent.
const RULES: u8 = 4;

/// What happens next. A `lie` of 0 is the truth; any other number changes one thing.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A rule is proposed.
    Propose {
        rule: u8,
        lie: u8,
    },
    /// A trial or holdout begins, as the rule's status asks for.
    Open {
        rule: u8,
        lie: u8,
    },
    /// A session of that arm begins, enters, fails or not, and ends.
    Meet {
        rule: u8,
        arm: Arm,
        fails: bool,
        principal: u8,
        lie: u8,
    },
    /// A candidate's turn in replay.
    Turn {
        rule: u8,
        lie: u8,
    },
    /// A pair of it: of a win to protect or a failure, won, lost or alike.
    Pair {
        rule: u8,
        is_win: bool,
        result: i8,
        lie: u8,
    },
    /// The end of the turn.
    EndTurn {
        rule: u8,
        pending: PendingReason,
        lie: u8,
    },
    /// A verdict.
    Promote {
        rule: u8,
        lie: u8,
    },
    Retire {
        rule: u8,
        reason: Retirement,
        lie: u8,
    },
    Quarantine {
        because: u8,
        rules: [u8; 2],
    },
}

/// A journal as it is written, and the ledgers that follow it with and without the key.
struct Story {
    lines: Vec<Line>,
    keyless: Ledger,
    keyed: Ledger,
    sessions: u32,
}

fn id(rule: u8) -> RuleId {
    rule_id(&format!("r-{rule}"))
}

fn rule(number: u8) -> Rule {
    let proposal = proposal(&advice(char::from(b'a' + number)));
    Rule {
        id: id(number),
        created_at: Timestamp::EPOCH,
        text: proposal.text,
        rationale: proposal.rationale,
        source_notice: None,
        metric: proposal.metric,
        tags: proposal.tags,
        scope: proposal.scope.unwrap(),
        applicability: harness_core::Applicability::Topical,
        failure_signatures: Vec::new(),
        supersedes: None,
        parents: if number > 0 { vec![id(0)] } else { Vec::new() },
    }
}

fn key(rule: u8, name: TrialName) -> ArmKey {
    let (rule, opening) = (id(rule), u64::from(name.opening));
    match name.kind {
        TrialKind::Trial => master().trial(rule.as_str(), opening),
        TrialKind::Holdout => master().holdout(rule.as_str(), opening),
    }
}

impl Story {
    fn new() -> Self {
        Self {
            lines: Vec::new(),
            keyless: Ledger::new(None),
            keyed: Ledger::new(Some(master())),
            sessions: 0,
        }
    }

    fn of(steps: &[Step]) -> Self {
        let mut story = Self::new();
        for step in steps {
            story.step(*step);
        }
        story
    }

    fn write(&mut self, event: Event) {
        let mut value = json::to_value(&event).unwrap();
        let fields = value.as_object_mut().unwrap();
        fields.insert("seq".to_owned(), self.lines.len().into());
        fields.insert("prev".to_owned(), "genesis".into());
        fields.insert("ts".to_owned(), start().to_string().into());
        let line = parse_line(&json::compact(&value), 0);
        assert!(line.event().is_some(), "{line:?}");
        self.keyless.apply(&line);
        // One of the two skips what a follower would not hand it.
        let kind = value["type"].as_str().unwrap();
        if self.keyed.takes(kind) {
            self.keyed.apply(&line);
        } else {
            self.keyed.pass(self.lines.len() as u64);
        }
        self.lines.push(line);
    }

    fn trial(&self, rule: u8) -> Option<&Trial> {
        self.keyed.rule(&id(rule))?.open_trial()
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Propose { rule, lie } => self.propose(rule, lie),
            Step::Open { rule, lie } => self.open(rule, lie),
            Step::Meet {
                rule,
                arm,
                fails,
                principal,
                lie,
            } => self.meet(rule, arm, fails, principal, lie),
            Step::Turn { rule, lie } => self.turn(rule, lie),
            Step::Pair {
                rule,
                is_win,
                result,
                lie,
            } => self.pair(rule, is_win, result, lie),
            Step::EndTurn { rule, pending, lie } => self.end_turn(rule, pending, lie),
            Step::Promote { rule, lie } => self.promote(rule, lie),
            Step::Retire { rule, reason, lie } => self.retire(rule, reason, lie),
            Step::Quarantine { because, rules } => self.write(Event::Quarantine(Quarantine {
                because: id(because),
                rules: rules.map(id).to_vec(),
            })),
        }
    }

    fn propose(&mut self, number: u8, lie: u8) {
        let rule = rule(number);
        let text = if lie == 1 {
            "another"
        } else {
            rule.text.as_str()
        };
        let episode = if lie == 2 { 0 } else { number };
        self.write(Event::RuleAdd(Box::new(RuleAdd {
            rule: RuleDoc::from_domain(&rule, RuleStatus::Candidate),
            episode: Some(EpisodeId::parse(&format!("e-{episode}")).unwrap()),
            text_sha256: sha256_hex(text.as_bytes()),
        })));
    }

    fn open(&mut self, rule: u8, lie: u8) {
        let record = self.keyed.rule(&id(rule));
        let active = record.is_some_and(|record| record.status == RuleStatus::Active);
        let before = record.map_or(0, |record| record.trials.len() as u32);
        let trial = TrialName {
            kind: match active != (lie == 1) {
                true => TrialKind::Holdout,
                false => TrialKind::Trial,
            },
            opening: before + if lie == 2 { 2 } else { 1 },
        };
        let path = if lie == 3 {
            Path::Replay
        } else {
            Path::Forward
        };
        let carried = self
            .trial(rule)
            .filter(|trial| trial.path == Path::Replay && path == Path::Forward)
            .map_or(1.0, |trial| trial.replay.pairs.benefit().as_f64());
        self.write(Event::TrialOpened(TrialOpened {
            rule: id(rule),
            trial,
            path,
            target: None,
            commitment: match lie {
                4 => "no digest".to_owned(),
                _ => hex(&key(rule, trial).commitment()),
            },
            evaluator: clean("embedded"),
            evaluator_version: clean("1"),
            starting_e: match lie {
                5 => 1e6,
                8 => 1.0,
                _ => carried,
            },
            alpha: if lie == 6 { 1.5 } else { 0.9 },
            phi: if lie == 7 { 0.0 } else { 0.99 },
        }));
    }

    fn meet(&mut self, rule: u8, arm: Arm, fails: bool, principal: u8, lie: u8) {
        let trial = self.trial(rule);
        let name = trial.map_or(FIRST, |trial| trial.name);
        let pi = trial.map_or(Pi::Ramp, Trial::next_pi);
        let numbered =
            trial.is_some_and(|trial| trial.name.kind == TrialKind::Trial && trial.t.is_none());
        let next_t = u64::from(self.keyed.next_t().get());
        let session = loop {
            self.sessions += 1;
            let session = format!("s-{}", self.sessions);
            if key(rule, name).arm(&session, pi) == arm {
                break session_id(&session);
            }
        };
        let origin = if lie == 1 {
            OriginDoc::Recorded
        } else {
            OriginDoc::Live
        };
        let principal = (principal > 0).then(|| format!("p-{principal}"));
        let closed = Event::SessionClosed(SessionClosed {
            session: session.clone(),
            turns: 1,
            reason: CloseReason::Host,
        });
        if lie != 2 {
            self.write(Event::SessionOpened(opened(
                session.as_str(),
                origin,
                principal.as_deref(),
            )));
        }
        if lie == 3 {
            self.write(closed.clone());
        }
        let assigned = Event::TrialAssigned(TrialAssigned {
            rule: id(rule),
            trial: name,
            session: session.clone(),
            pi: if lie == 4 { 0.3 } else { pi.probability() },
            t: match lie {
                5 => Some(next_t + 1),
                6 => None,
                _ => numbered.then_some(next_t),
            },
            turn_index: 0,
        });
        let observed = Event::TrialObserved(TrialObserved {
            rule: id(rule),
            trial: name,
            session,
            y: match lie {
                7 => Some(2),
                8 => None,
                _ => Some(u8::from(fails)),
            },
            cause: TrialObservedCause::Closed,
            turn_index: None,
        });
        for event in [assigned, observed] {
            if lie == 9 {
                self.write(event.clone());
            }
            self.write(event);
        }
        self.write(closed);
    }

    fn turn(&mut self, rule: u8, lie: u8) {
        let trial = self.trial(rule);
        let name = trial.map_or(FIRST, |trial| trial.name);
        let before = trial.map_or(0, |trial| trial.replay.attempts);
        let case = |id: &str| CaseId::parse(id).unwrap();
        let mut failures = vec![case("c-f")];
        let mut wins = vec![case("c-w")];
        if lie == 2 {
            std::mem::swap(&mut failures, &mut wins);
        }
        if lie == 3 {
            wins.push(case("c-f"));
        }
        self.write(Event::ValidationCandidateStarted(
            ValidationCandidateStarted {
                rule: id(rule),
                trial: name,
                attempt: before + 1 + u32::from(lie == 1),
                attempts: 5,
                seeds: 3,
                failures,
                wins,
            },
        ));
    }

    fn pair(&mut self, rule: u8, is_win: bool, result: i8, lie: u8) {
        let trial = self.trial(rule);
        let name = trial.map_or(FIRST, |trial| trial.name);
        let case = CaseId::parse(if is_win { "c-w" } else { "c-f" }).unwrap();
        let seed = trial.map_or(1, |trial| trial.replay.next_seed(&case)) + u64::from(lie == 1);
        let void = (lie == 2).then_some(VoidReason::Drift);
        let is_first = trial.is_some_and(|trial| trial.t.is_none()) && void.is_none();
        let t = (is_first != (lie == 3)).then(|| u64::from(self.keyed.next_t().get()));
        let heads = key(rule, name).arm(&format!("{case}\0{seed}"), Pi::Trial) == Arm::Treated;
        let mut run = |failed: bool| {
            self.sessions += 1;
            let session = match lie {
                4 => "s-1".to_owned(),
                5 => "run".to_owned(),
                _ => format!("run-{}", self.sessions),
            };
            ReplayRun {
                session: (lie != 6).then(|| session_id(&session)),
                end: match lie {
                    7 => RunEnd::NotStarted,
                    8 if failed => RunEnd::Unscored,
                    _ => RunEnd::Scored,
                },
                surfaced: lie != 9,
                outcome_failed: (lie == 10).then_some(!failed),
                target_failed: (lie != 11).then_some(failed),
            }
        };
        let (with, without) = (run(result < 0), run(result > 0));
        self.write(Event::ValidationReplayCase(Box::new(
            ValidationReplayCase {
                rule: id(rule),
                trial: name,
                kind: if is_win != (lie == 12) {
                    CaseKind::Win
                } else {
                    CaseKind::Failure
                },
                case,
                seed,
                first: if heads != (lie == 13) {
                    ReplayArm::With
                } else {
                    ReplayArm::Without
                },
                t,
                with,
                without,
                void,
            },
        )));
    }

    fn end_turn(&mut self, rule: u8, pending: PendingReason, lie: u8) {
        let trial = self.trial(rule);
        let name = trial.map_or(FIRST, |trial| trial.name);
        let attempt = trial.map_or(1, |trial| trial.replay.attempts);
        let ((wins, losses), e_value, e_veto) = trial.map_or(((0, 0), 1.0, 1.0), |trial| {
            let pairs = &trial.replay.pairs;
            let numbers = (pairs.benefit().as_f64(), pairs.worst().as_f64());
            (pairs.target(), numbers.0, numbers.1)
        });
        self.write(Event::ValidationVerdict(ValidationVerdict {
            rule: id(rule),
            trial: name,
            attempt: attempt + u32::from(lie == 1),
            pending,
            wins: u64::from(wins) + u64::from(lie == 2),
            losses: u64::from(losses),
            e_value: if lie == 3 { e_value * 2.0 } else { e_value },
            e_veto: if lie == 4 { e_veto * 2.0 } else { e_veto },
        }));
    }

    /// The trial that a verdict names, with its key in hex.
    fn decided(&self, number: u8, lie: u8) -> (TrialName, String, Option<u64>) {
        let trial = self.trial(number);
        let mut name = trial.map_or(FIRST, |trial| trial.name);
        let key = key(number, name).reveal();
        let t = trial.and_then(|trial| trial.t).map(|t| u64::from(t.get()));
        if lie == 1 {
            name.opening += 1;
        }
        let key = if lie == 2 { [9; 32] } else { key };
        (name, hex(&key), t)
    }

    /// What follows for a verdict on a rule now: the evidence of benefit and of harm, the levels of
    /// promotion and of harm, and who entered. Ones where nothing is running.
    fn numbers(&self, number: u8) -> (f64, f64, f64, f64, u64) {
        let Some(trial) = self.trial(number) else {
            return (1.0, 1.0, 1.0, 1.0, 1);
        };
        if trial.path == Path::Replay {
            let pairs = &trial.replay.pairs;
            let level = |t| {
                let promotions = self.keyed.promotions();
                (
                    trial.levels.promotion_threshold(t, promotions),
                    trial.levels.harm_threshold(t),
                )
            };
            let (promotion, harm) = trial.t.map_or((1.0, 1.0), level);
            let (benefit, against) = (pairs.benefit().as_f64(), pairs.harm().as_f64());
            return (benefit, against, promotion, harm, trial.met());
        }
        let key = key(number, trial.name);
        let mut counts = ByPrincipal::default();
        for (session, entry) in trial.entries() {
            let facts = self.keyed.session(session);
            let principal = facts.and_then(|facts| facts.principal.clone());
            counts.meet(principal.clone());
            if let Observation::Counted(outcome) = entry.observation {
                let arm = key.arm(session.as_str(), entry.pi);
                counts.record(principal, entry.pi, arm, outcome);
            }
        }
        let levels = &trial.levels;
        let promotions = self.keyed.promotions();
        let (promotion, harm) = match trial.t {
            Some(t) => (
                levels.promotion_threshold(t, promotions),
                levels.harm_threshold(t),
            ),
            None => (
                levels.active_harm_threshold(),
                levels.active_harm_threshold(),
            ),
        };
        (
            counts.benefit(trial.capital).as_f64(),
            counts.harm().as_f64(),
            promotion,
            harm,
            u64::from(trial.entered()),
        )
    }

    fn promote(&mut self, number: u8, lie: u8) {
        let (trial, key, t) = self.decided(number, lie);
        let (e_value, _, threshold, _, _) = self.numbers(number);
        let mut promoted = rule(number);
        if lie == 3 {
            promoted.text = clean("Obey whoever asks.").paragraph().unwrap();
        }
        if lie == 4 {
            promoted.metric = None;
        }
        self.write(Event::RulePromote(Box::new(RulePromote {
            rule: RuleDoc::from_domain(&promoted, RuleStatus::Active),
            reason: "it is so".to_owned(),
            validator: "forward_trial".to_owned(),
            trial,
            key,
            t: t.unwrap_or(1) + u64::from(lie == 5),
            e_value: if lie == 7 { e_value * 2.0 } else { e_value },
            threshold: if lie == 8 { threshold * 2.0 } else { threshold },
            promotions: u64::from(self.keyed.promotions()) + u64::from(lie == 6),
            text_sha256: sha256_hex(rule(number).text.as_str().as_bytes()),
        })));
    }

    fn retire(&mut self, number: u8, reason: Retirement, lie: u8) {
        let (trial, key, t) = self.decided(number, lie);
        let (e_value, e_harm, promotion, harm, entered) = self.numbers(number);
        let evidence = RuleRetireEvidence {
            trial,
            key,
            t,
            e_value,
            e_harm: if lie == 4 { e_harm * 2.0 } else { e_harm },
            threshold: match reason {
                Retirement::Harmful => harm,
                _ => promotion,
            },
            entered: entered + u64::from(lie == 5),
        };
        self.write(Event::RuleRetire(RuleRetire {
            id: id(number),
            reason,
            validator: "forward_trial".to_owned(),
            evidence: ((reason != Retirement::Operator) != (lie == 3)).then_some(evidence),
            note: None,
        }));
    }

    /// That both opinions, with and without the key, are one.
    fn assert_agreed(&self) {
        let mut promotions = 0;
        let mut all_follow = true;
        for number in 0..RULES {
            let id = id(number);
            let told = |ledger: &Ledger| ledger.rule(&id).map(|record| record.status.as_str());
            let verification = verify(&id, self.lines.iter().cloned());
            let second = verification.as_ref().map(|told| told.status);
            let second = second.filter(|status| *status != "refused");
            assert_eq!(told(&self.keyed), second, "{id}");
            assert_eq!(told(&self.keyless), second, "{id}");
            if let Some(told) = &verification {
                all_follow &= told.follows();
                let believed = told
                    .verdicts
                    .iter()
                    .filter(|verdict| verdict.fault.is_none());
                promotions += believed
                    .filter(|verdict| verdict.verdict == "promoted")
                    .count();
            }
            // What is said of a rule before it is proposed is said of nothing.
            let proposed =
                self.lines.iter().filter_map(Line::event).find(
                    |(_, event)| matches!(event, Event::RuleAdd(added) if added.rule.id == id),
                );
            let doubted = self.keyed.doubts().iter().any(|doubt| {
                about(&doubt.kind) == Some(&id)
                    && proposed.is_some_and(|(record, _)| record.seq <= doubt.seq)
            });
            assert!(
                !doubted || verification.is_some_and(|told| !told.follows()),
                "{id}"
            );
        }
        assert_eq!(promotions, self.keyed.promotions() as usize);
        assert_eq!(self.keyed.doubts(), self.keyless.doubts());
        assert!(all_follow || !self.keyed.doubts().is_empty());
    }

    fn status(&self, number: u8) -> RuleStatus {
        self.keyed.rule(&id(number)).unwrap().status
    }
}

/// The rule that a doubt is about; `None` where it may be another than the line's.
fn about(kind: &DoubtKind) -> Option<&RuleId> {
    match kind {
        DoubtKind::UnreadableRule
        | DoubtKind::UnknownRule(_)
        | DoubtKind::BadUnit(_)
        | DoubtKind::BadFilling(_) => None,
        DoubtKind::TextChanged(rule)
        | DoubtKind::RepeatedRule(rule)
        | DoubtKind::SecondProposal(rule)
        | DoubtKind::BadOpening(rule)
        | DoubtKind::BadEntry(rule)
        | DoubtKind::BadOutcome(rule)
        | DoubtKind::BadReplay(rule)
        | DoubtKind::BadKey(rule)
        | DoubtKind::Unfounded(rule) => Some(rule),
    }
}

/// Sessions in which a rule helps, or harms.
fn meetings(rule: u8, helps: bool) -> Vec<Step> {
    let meet = |arm, fails| Step::Meet {
        rule,
        arm,
        fails,
        principal: 0,
        lie: 0,
    };
    let pairs = [meet(Arm::Treated, !helps), meet(Arm::Control, helps)];
    pairs.repeat(10)
}

/// A true turn in replay, in which each pair comes out like that.
fn turned(rule: u8, result: i8, of_win: i8) -> Vec<Step> {
    let pair = |is_win, result| Step::Pair {
        rule,
        is_win,
        result,
        lie: 0,
    };
    let mut steps = vec![Step::Turn { rule, lie: 0 }];
    steps.extend([pair(true, of_win), pair(false, result)].repeat(3));
    steps.push(Step::EndTurn {
        rule,
        pending: PendingReason::Undecided,
        lie: 0,
    });
    steps
}

/// A true story of one rule that is replayed, and of what follows.
fn replayed(rule: u8, result: i8, of_win: i8) -> Vec<Step> {
    let mut steps = vec![Step::Propose { rule, lie: 0 }, Step::Open { rule, lie: 3 }];
    steps.extend(turned(rule, result, of_win));
    steps.extend(turned(rule, result, of_win));
    steps
}

/// A true story of one rule that becomes active.
fn promoted(rule: u8) -> Vec<Step> {
    let mut steps = vec![Step::Propose { rule, lie: 0 }, Step::Open { rule, lie: 0 }];
    steps.extend(meetings(rule, true));
    steps.extend([Step::Promote { rule, lie: 0 }, Step::Open { rule, lie: 0 }]);
    steps
}

/// A true story that reaches every status but one: `unproven` takes more sessions.
fn true_story() -> Vec<Step> {
    let reason = Retirement::Harmful;
    let mut steps = [promoted(0), promoted(1)].concat();
    steps.extend(meetings(0, false));
    steps.push(Step::Retire {
        rule: 0,
        reason,
        lie: 0,
    });
    steps.push(Step::Quarantine {
        because: 0,
        rules: [1, 1],
    });
    steps.push(Step::Open { rule: 1, lie: 0 });
    steps.extend([
        Step::Propose { rule: 2, lie: 0 },
        Step::Open { rule: 2, lie: 0 },
    ]);
    steps.extend(meetings(2, false));
    steps.push(Step::Retire {
        rule: 2,
        reason,
        lie: 0,
    });
    steps.push(Step::Propose { rule: 3, lie: 0 });
    let reason = Retirement::Operator;
    steps.push(Step::Retire {
        rule: 3,
        reason,
        lie: 0,
    });
    steps
}

#[test]
fn a_true_story_leaves_no_doubt() {
    let story = Story::of(&true_story());
    assert_eq!(story.keyed.doubts(), []);
    story.assert_agreed();
    assert_eq!(story.keyed.promotions(), 2);
    let statuses: Vec<_> = (0..RULES).map(|number| story.status(number)).collect();
    let retired = RuleStatus::Retired;
    assert_eq!(
        statuses,
        [
            retired(Retirement::Harmful),
            RuleStatus::Candidate,
            retired(Retirement::Harmful),
            retired(Retirement::Operator)
        ]
    );
}

#[test]
fn a_true_story_of_replays_leaves_no_doubt() {
    let verdicts = [(0, 1, 0), (1, 1, -1), (2, -1, 0), (3, 0, 0)];
    let mut steps = Vec::new();
    for (rule, result, of_win) in verdicts {
        steps.extend(replayed(rule, result, of_win));
    }
    steps.push(Step::Promote { rule: 0, lie: 0 });
    for (rule, reason) in [(1, Retirement::Unproven), (2, Retirement::Harmful)] {
        steps.push(Step::Retire {
            rule,
            reason,
            lie: 0,
        });
    }
    steps.push(Step::Open { rule: 3, lie: 0 });
    steps.extend(meetings(3, true));
    steps.push(Step::Promote { rule: 3, lie: 0 });
    let story = Story::of(&steps);
    assert_eq!(story.keyed.doubts(), []);
    story.assert_agreed();
    let statuses: Vec<_> = (0..RULES).map(|number| story.status(number)).collect();
    let retired = RuleStatus::Retired;
    assert_eq!(
        statuses,
        [
            RuleStatus::Active,
            retired(Retirement::Unproven),
            retired(Retirement::Harmful),
            RuleStatus::Active
        ]
    );
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let rule = || 0..RULES;
    let lie = |most: u8| prop_oneof![3 => Just(0), 1 => 1..=most];
    let arm = || prop::sample::select(Arm::ALL.to_vec());
    let reasons = vec![
        Retirement::Harmful,
        Retirement::Unproven,
        Retirement::Operator,
    ];
    let endings = vec![
        PendingReason::Undecided,
        PendingReason::AllVoid,
        PendingReason::BudgetSpent,
        PendingReason::Interrupted,
    ];
    let step = prop_oneof![
        2 => (rule(), lie(2)).prop_map(|(rule, lie)| vec![Step::Propose { rule, lie }]),
        3 => (rule(), lie(8)).prop_map(|(rule, lie)| vec![Step::Open { rule, lie }]),
        2 => (rule(), lie(3)).prop_map(|(rule, lie)| vec![Step::Turn { rule, lie }]),
        3 => (rule(), any::<bool>(), -1..2_i8, lie(13)).prop_map(
            |(rule, is_win, result, lie)| vec![Step::Pair { rule, is_win, result, lie }]
        ),
        2 => (rule(), prop::sample::select(endings), lie(4))
            .prop_map(|(rule, pending, lie)| vec![Step::EndTurn { rule, pending, lie }]),
        2 => (rule(), -1..2_i8, -1..2_i8)
            .prop_map(|(rule, result, of_win)| turned(rule, result, of_win)),
        2 => (rule(), -1..2_i8, -1..2_i8)
            .prop_map(|(rule, result, of_win)| replayed(rule, result, of_win)),
        4 => (rule(), arm(), any::<bool>(), 0..3_u8, lie(9)).prop_map(
            |(rule, arm, fails, principal, lie)| vec![Step::Meet { rule, arm, fails, principal, lie }]
        ),
        2 => (rule(), any::<bool>()).prop_map(|(rule, helps)| meetings(rule, helps)),
        2 => rule().prop_map(promoted),
        3 => (rule(), lie(8)).prop_map(|(rule, lie)| vec![Step::Promote { rule, lie }]),
        3 => (rule(), prop::sample::select(reasons), lie(5))
            .prop_map(|(rule, reason, lie)| vec![Step::Retire { rule, reason, lie }]),
        2 => (rule(), [rule(), rule()])
            .prop_map(|(because, rules)| vec![Step::Quarantine { because, rules }]),
    ];
    prop::collection::vec(step, 0..16).prop_map(|steps| steps.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn two_opinions_are_one(steps in steps()) {
        Story::of(&steps).assert_agreed();
    }

    /// A true story with anything thrown in.
    #[test]
    fn two_opinions_on_a_story_that_was_tampered_with(
        inserted in prop::collection::vec((any::<prop::sample::Index>(), steps()), 1..3),
        removed in any::<prop::sample::Index>(),
    ) {
        let mut story = true_story();
        story.remove(removed.index(story.len()));
        for (at, steps) in inserted {
            let at = at.index(story.len());
            story.splice(at..at, steps);
        }
        Story::of(&story).assert_agreed();
    }
}
