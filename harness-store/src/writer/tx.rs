//! What a job may do while the lock is held.

use std::marker::PhantomData;

use harness_core::{Scope, Timestamp, layout};

use super::core::Core;
use crate::error::StoreError;
use crate::halves::{HalfEvent, Projects};
use crate::journal::Committed;
use crate::redaction::Sink;
use crate::root::Root;
use crate::wire::rule::RuleDoc;

/// The lock, held, in the hands of one half: it appends events of that half's closed set alone.
pub struct Tx<'w, E> {
    core: &'w mut Core,
    half: PhantomData<fn(E)>,
}

/// A file derived from the journal, to be written after it.
#[derive(Clone, Debug, PartialEq)]
pub enum Projection {
    /// Lines appended to `rules.jsonl`; the latest of an id wins.
    AppendRules(Vec<RuleDoc>),
    /// `rules.jsonl`, written anew.
    ReplaceRules(Vec<RuleDoc>),
    /// `rules.md`.
    Guide(String),
    /// `rules/<scope>.md`.
    Scope(Scope, String),
}

impl<'w, E: HalfEvent> Tx<'w, E> {
    pub(crate) fn new(core: &'w mut Core) -> Self {
        Self {
            core,
            half: PhantomData,
        }
    }

    /// Appends `events` in one write, all or nothing, at most [`crate::MAX_COMMIT`] of them. When
    /// it returns they are on disk.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if the caller's deadline has passed, and whatever the system says of
    /// the write. Then none of them is in the journal.
    pub fn commit(&mut self, events: Vec<E>) -> Result<Vec<Committed>, StoreError> {
        self.core
            .commit(events.into_iter().map(Into::into).collect())
    }

    /// The time, of the clock that the workspace was opened with.
    pub fn now(&self) -> Timestamp {
        self.core.now()
    }

    pub(crate) const fn core(&mut self) -> &mut Core {
        self.core
    }
}

impl<E: Projects> Tx<'_, E> {
    /// Writes files of the rules, after the commit that they follow from, and those of the mailbox
    /// that lag behind it. What is cut short here is written anew by whoever compares the files with
    /// the journal next.
    ///
    /// # Errors
    /// Whatever the system says of a write; files before it are written.
    pub fn project(&mut self, files: &[Projection]) -> Result<(), StoreError> {
        put(&self.core.root, &self.core.sink, files)?;
        self.core.redo_files()
    }
}

/// Writes files of the rules.
pub(crate) fn put(root: &Root, sink: &Sink, files: &[Projection]) -> Result<(), StoreError> {
    for file in files {
        match file {
            Projection::AppendRules(rules) => {
                root.append_lines(layout::rules().as_str(), &lines(sink, rules)?)?;
            }
            Projection::ReplaceRules(rules) => {
                root.replace(layout::rules().as_str(), &lines(sink, rules)?)?;
            }
            Projection::Guide(text) => {
                root.replace(layout::rules_guide().as_str(), sink.text(text).as_bytes())?;
            }
            Projection::Scope(scope, text) => {
                root.replace(
                    layout::scope_file(scope).as_str(),
                    sink.text(text).as_bytes(),
                )?;
            }
        }
    }
    Ok(())
}

fn lines(sink: &Sink, rules: &[RuleDoc]) -> Result<Vec<u8>, StoreError> {
    let mut lines = Vec::new();
    for rule in rules {
        lines.extend(sink.line(rule)?);
    }
    Ok(lines)
}

impl<E> std::fmt::Debug for Tx<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tx(..)")
    }
}
