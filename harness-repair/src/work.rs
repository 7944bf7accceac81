//! An episode at work: opened, perhaps with its one rule, not yet ended.
//!
//! Every method may wait for a disk, so the loop calls them off its caller's thread. Each consumes
//! the episode and gives it back only while it goes on: what has ended cannot be used again.

use std::sync::Arc;

use harness_core::CleanString;
use harness_rules::{
    Abandoned, Category, DeskError, Ended, ModelTurn, OpenEpisode, ProposedEpisode, ToolCallNote,
    Usage,
};
use harness_sanitize::Intake;

use crate::evidence::Room;

/// An episode that has been opened and not ended.
pub(crate) struct Work {
    pub(crate) stage: Stage,
    pub(crate) room: Room,
    pub(crate) intake: Arc<Intake>,
}

/// How far the episode is.
pub(crate) enum Stage {
    /// Nothing proposed yet.
    Open(OpenEpisode),
    /// The one rule is a candidate; what is left is to acknowledge the notices.
    Proposed(ProposedEpisode),
}

/// What a step left of the episode.
#[expect(
    clippy::large_enum_variant,
    reason = "one at a time, and moved on at once"
)]
pub(crate) enum After<T> {
    /// It goes on, and the step has this to say.
    Going(Work, T),
    /// It is over.
    Over(End),
}

/// How it ended, and why it was given up, if it was.
pub(crate) struct End {
    pub(crate) ended: Ended,
    pub(crate) category: Option<Category>,
}

impl End {
    /// An end that resolved the notices.
    pub(crate) const fn resolved(ended: Ended) -> Self {
        Self {
            ended,
            category: None,
        }
    }
}

/// The answer to a call.
pub(crate) struct Answered {
    /// A JSON object with `ok`.
    pub(crate) content: CleanString,
    /// Whether the call was one that can be carried out, whatever came of it.
    pub(crate) understood: bool,
}

impl Work {
    /// An opened episode, with the room that the prompt left.
    pub(crate) const fn new(episode: OpenEpisode, room: Room, intake: Arc<Intake>) -> Self {
        Self {
            stage: Stage::Open(episode),
            room,
            intake,
        }
    }

    /// Records a reply of the model, the `number`th of the attempt.
    pub(crate) fn note_turn(
        mut self,
        number: u32,
        turn: ModelTurn,
        usage: Usage,
    ) -> Result<After<()>, DeskError> {
        let noted = match &mut self.stage {
            Stage::Open(episode) => episode.note_model_turn(number, turn),
            Stage::Proposed(episode) => episode.note_model_turn(number, turn),
        };
        self.unless_lost(noted, (), usage)
    }

    /// Records a call whose answer goes back to the model.
    pub(crate) fn note_call(
        mut self,
        note: ToolCallNote,
        answered: Answered,
        usage: Usage,
    ) -> Result<After<Answered>, DeskError> {
        let noted = match &mut self.stage {
            Stage::Open(episode) => episode.note_tool_call(note),
            Stage::Proposed(episode) => episode.note_tool_call(note),
        };
        self.unless_lost(noted, answered, usage)
    }

    /// Ends the episode with its rule, once the model has nothing more to say. Without a rule it
    /// goes on.
    pub(crate) fn acknowledge(self, usage: Usage) -> Result<After<()>, DeskError> {
        match self.stage {
            Stage::Proposed(episode) => {
                let ended = episode.acknowledge(None, usage)?;
                Ok(After::Over(End::resolved(ended)))
            }
            stage @ Stage::Open(_) => Ok(After::Going(Self { stage, ..self }, ())),
        }
    }

    /// Ends the attempt; every notice stays pending, and a rule that was added stays the
    /// episode's.
    pub(crate) fn abandon(
        self,
        how: Abandoned,
        category: Category,
        usage: Usage,
    ) -> Result<End, DeskError> {
        self.stage.abandon(how, category, usage)
    }

    /// Goes on with what was noted; an attempt that cannot be recorded is given up.
    fn unless_lost<T>(
        self,
        noted: Result<(), DeskError>,
        say: T,
        usage: Usage,
    ) -> Result<After<T>, DeskError> {
        match noted {
            Ok(()) => Ok(After::Going(self, say)),
            Err(_) => self.stage.store_failed(usage).map(After::Over),
        }
    }
}

impl Stage {
    /// Gives up an attempt that can no longer be recorded step by step.
    pub(crate) fn store_failed(self, usage: Usage) -> Result<End, DeskError> {
        self.abandon(Abandoned::Failed, Category::StoreFailed, usage)
    }

    fn abandon(self, how: Abandoned, category: Category, usage: Usage) -> Result<End, DeskError> {
        let ended = match self {
            Self::Open(episode) => episode.abandon(how, category, usage),
            Self::Proposed(episode) => episode.abandon(how, category, usage),
        }?;
        Ok(End {
            ended,
            category: Some(category),
        })
    }
}
