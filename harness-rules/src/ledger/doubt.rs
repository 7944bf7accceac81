//! Lines of the journal that claim what does not follow from the lines before them.

use std::fmt;

use harness_core::{Quoted, RuleId, Scope, SessionId};

/// A claim that is not believed, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The journal's number of the line.
    pub seq: u64,
    /// What is wrong with it.
    pub kind: DoubtKind,
}

/// What can be wrong with a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DoubtKind {
    /// A proposal whose rule cannot be read.
    UnreadableRule,
    /// A rule whose text has not the hash recorded with it.
    TextChanged(RuleId),
    /// A rule proposed under an id that is taken.
    RepeatedRule(RuleId),
    /// A second proposal of one episode.
    SecondProposal(RuleId),
    /// An event of a rule that was never proposed, or not in that state.
    UnknownRule(RuleId),
    /// An opening with a number that is not the next, or of the wrong kind for the rule's status.
    BadOpening(RuleId),
    /// An entry that the rules of entry forbid.
    BadEntry(RuleId),
    /// An outcome of a session that never entered, or a second one.
    BadOutcome(RuleId),
    /// A unit of what the rules are worth that is none, is one twice, or has two outcomes.
    BadUnit(SessionId),
    /// A turn or pair of replay out of order, or one that counts and may not.
    BadReplay(RuleId),
    /// A key that is not the one committed to.
    BadKey(RuleId),
    /// A scope that is said to be full and is not, or of which that was said before.
    BadFilling(Scope),
    /// A verdict whose evidence does not reach its level, or a promotion without room.
    Unfounded(RuleId),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {}: ", self.seq)?;
        match &self.kind {
            DoubtKind::UnreadableRule => f.write_str("a proposed rule cannot be read"),
            DoubtKind::TextChanged(rule) => {
                write!(f, "the text of {rule} has not the hash recorded with it")
            }
            DoubtKind::RepeatedRule(rule) => write!(f, "{rule} was proposed before"),
            DoubtKind::SecondProposal(rule) => {
                write!(f, "the episode that proposed {rule} had proposed before")
            }
            DoubtKind::UnknownRule(rule) => {
                write!(
                    f,
                    "{rule} is not known here, or not in a state that allows this"
                )
            }
            DoubtKind::BadOpening(rule) => write!(f, "an opening of {rule} is out of order"),
            DoubtKind::BadEntry(rule) => {
                write!(
                    f,
                    "a session entered a trial of {rule} that it may not enter"
                )
            }
            DoubtKind::BadOutcome(rule) => {
                write!(
                    f,
                    "an outcome in a trial of {rule} belongs to no waiting entry"
                )
            }
            DoubtKind::BadUnit(session) => write!(
                f,
                "{} is no unit of what the rules are worth, or has an outcome already",
                Quoted(session.as_str())
            ),
            DoubtKind::BadReplay(rule) => {
                write!(f, "a replay of {rule} does not follow")
            }
            DoubtKind::BadKey(rule) => {
                write!(f, "the key revealed for {rule} is not the one committed to")
            }
            DoubtKind::BadFilling(scope) => {
                write!(f, "the scope {scope} was not full, or was known to be")
            }
            DoubtKind::Unfounded(rule) => {
                write!(
                    f,
                    "the verdict on {rule} does not follow from the events before it"
                )
            }
        }
    }
}
