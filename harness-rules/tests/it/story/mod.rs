//! Journals as made-up stories: steps that are true, or that lie in one thing.

mod replay;
mod verdicts;

use harness_core::{EpisodeId, Retirement, Rule, RuleId, RuleStatus, Timestamp};
use harness_rules::evidence::{Arm, ArmKey, Pi};
use harness_rules::ledger::{Ledger, Trial};
use harness_store::Fold;
use harness_store::wire::event::{
    CloseReason, Event, OriginDoc, Path, PendingReason, Quarantine, RuleAdd, SessionClosed,
    TrialAssigned, TrialKind, TrialName, TrialObserved, TrialObservedCause, TrialOpened,
};
use harness_store::wire::rule::RuleDoc;
use harness_store::wire::{Line, hex, json, parse_line, sha256_hex};

use crate::fixture::{FIRST, advice, clean, master, opened, proposal, rule_id, session_id, start};

/// Rules of a story; all but the first name the first as their parent.
pub(crate) const RULES: u8 = 4;

/// What happens next. A `lie` of 0 is the truth; any other number changes one thing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
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
pub(crate) struct Story {
    pub(crate) lines: Vec<Line>,
    pub(crate) keyless: Ledger,
    pub(crate) keyed: Ledger,
    sessions: u32,
}

pub(crate) fn id(rule: u8) -> RuleId {
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

    pub(crate) fn of(steps: &[Step]) -> Self {
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
}
