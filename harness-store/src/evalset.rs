//! The eval set: `evalset/<case id>.json`, failures to fix and wins to protect, at most
//! [`EvalCase::MAX_CASES`]. The oldest failures go first, wins never.

use harness_core::{CaseId, CaseKind, EvalCase, layout};

use crate::error::StoreError;
use crate::root::Root;
use crate::wire::Event;
use crate::wire::eval_case::CaseDoc;
use crate::wire::event::EvalsetCapture;
use crate::writer::Core;

/// Bytes a case's file has at most.
const MAX_CASE: u64 = 1 << 20;

/// The cases, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvalSet {
    cases: Vec<EvalCase>,
    unreadable: Vec<(String, String)>,
}

/// What became of a case that was offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Capture {
    /// It is in the set, and whether it can be replayed: not if a secret was cut out of its input.
    Kept {
        /// Whether it can be replayed.
        replayable: bool,
        /// Failures that had to go.
        removed: Vec<CaseId>,
    },
    /// The set is full of wins; it was not taken.
    FullOfWins,
}

impl EvalSet {
    /// The cases, oldest first.
    pub fn cases(&self) -> &[EvalCase] {
        &self.cases
    }

    /// Files that are no case, by name, and why.
    pub fn unreadable(&self) -> &[(String, String)] {
        &self.unreadable
    }

    pub(crate) fn read(root: &Root) -> Result<Self, StoreError> {
        let mut set = Self::default();
        let folder = layout::evalset_folder();
        for name in root.list(folder.as_str())? {
            if layout::is_temporary(&name) {
                continue;
            }
            match read_case(root, &name) {
                Ok(case) => set.cases.push(case),
                Err(reason) => set.unreadable.push((name, reason)),
            }
        }
        set.cases
            .sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(set)
    }

    /// Writes a case, journals it and makes room for it. The caller holds the lock.
    ///
    /// # Errors
    /// The file or the journal cannot be written; then it is not in the set.
    pub(crate) fn keep(mut case: EvalCase, core: &mut Core) -> Result<Capture, StoreError> {
        let set = Self::read(&core.root)?;
        let others = set.cases.iter().filter(|other| other.id != case.id);
        let excess = (others.clone().count() + 1).saturating_sub(EvalCase::MAX_CASES);
        let removed: Vec<CaseId> = others
            .filter(|other| other.kind == CaseKind::Failure)
            .take(excess)
            .map(|other| other.id.clone())
            .collect();
        if removed.len() < excess {
            return Ok(Capture::FullOfWins);
        }
        let redacted = case
            .replay_input
            .as_ref()
            .is_some_and(|input| core.sink.text(input.as_str()) != input.as_str());
        if redacted {
            case.replay_input = None;
        }
        let path = layout::case(&case.id);
        let document = core.sink.document(&CaseDoc::from_domain(&case))?;
        let captured = Event::EvalsetCapture(EvalsetCapture {
            case: case.id.clone(),
            kind: case.kind,
            session: case.session.clone(),
        });
        let kept = core.root.replace(path.as_str(), &document);
        if let Err(error) = kept.and_then(|()| core.commit(vec![captured]).map(drop)) {
            if !set.cases.iter().any(|other| other.id == case.id) {
                // If this fails too, a case is in the set that nobody was told of.
                let _ = core.root.remove(path.as_str());
            }
            return Err(error);
        }
        for id in &removed {
            core.root.remove(layout::case(id).as_str())?;
        }
        Ok(Capture::Kept {
            replayable: case.replay_input.is_some(),
            removed,
        })
    }
}

fn read_case(root: &Root, name: &str) -> Result<EvalCase, String> {
    let id = name
        .strip_suffix(".json")
        .ok_or("not a file of ours")
        .and_then(|stem| CaseId::parse(stem).map_err(|_| "not named for a case"))?;
    let bytes = root
        .read(layout::case(&id).as_str(), MAX_CASE)
        .map_err(|error| error.to_string())?
        .ok_or("gone while it was read")?;
    let doc: CaseDoc = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    if doc.id != id {
        return Err("its id is not its name".to_owned());
    }
    doc.try_into_domain()
}
