//! Where everything lies in a workspace. Paths are derived from ids, never read from a file.

use std::fmt;

use crate::id::{CaseId, NoticeId};
use crate::scope::Scope;

/// A path inside a workspace, relative to its root. Only this module makes one, so it cannot
/// lead out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// The path with `/` between its parts.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! fixed {
    ($($(#[$doc:meta])* $name:ident = $path:literal;)*) => {
        $($(#[$doc])*
        pub fn $name() -> WorkspacePath {
            WorkspacePath($path.to_owned())
        })*
    };
}

fixed! {
    /// The event log: the one source of truth.
    journal = "journal.jsonl";
    /// The rules, as a projection of the journal.
    rules = "rules.jsonl";
    /// The guide to the four tools and the index of scopes.
    rules_guide = "rules.md";
    /// The folder of the rendered scopes.
    rules_folder = "rules";
    /// The scopes' descriptions, from the host.
    scope_metadata = "scope_metadata.json";
    /// The folder of the mailbox.
    mailbox = "mailbox";
    /// The notices that wait.
    pending_folder = "mailbox/pending";
    /// The notices that were resolved.
    processed_folder = "mailbox/processed";
    /// The mailbox in three numbers.
    mailbox_status = "mailbox/status.json";
    /// The folder of evaluation dumps.
    traces_folder = "traces";
    /// The last evaluation.
    latest_eval = "traces/latest_eval.json";
    /// The eval set.
    evalset_folder = "evalset";
    /// The folder of our own state.
    state_folder = "state";
    /// The folder of scores and gate state.
    scores_folder = "state/scores";
    /// The alert model that was fitted to this workload.
    alert_model = "state/alert_model.json";
    /// The folder of closed journal segments.
    segments_folder = "state/segments";
    /// The file whose kernel lock writers hold.
    lock = "state/lock";
    /// The file whose kernel lock a running repair holds: one repair at a time in a workspace.
    repair_lock = "state/repair.lock";
    /// The file whose kernel lock a round of replay holds: one at a time in a workspace.
    replay_lock = "state/replay.lock";
    /// The workspace's own id and format version.
    identity = "state/workspace.json";
}

/// The file of a pending notice.
pub fn pending(id: &NoticeId) -> WorkspacePath {
    WorkspacePath(format!("mailbox/pending/{id}.json"))
}

/// The file of a resolved notice.
pub fn processed(id: &NoticeId) -> WorkspacePath {
    WorkspacePath(format!("mailbox/processed/{id}.json"))
}

/// The evaluation dump of a notice.
pub fn dump(id: &NoticeId) -> WorkspacePath {
    WorkspacePath(format!("traces/{id}.json"))
}

/// The file of an eval case.
pub fn case(id: &CaseId) -> WorkspacePath {
    WorkspacePath(format!("evalset/{id}.json"))
}

/// The rendered rules of a scope.
pub fn scope_file(scope: &Scope) -> WorkspacePath {
    WorkspacePath(format!("rules/{scope}.md"))
}

/// The scores segment of that number.
pub fn scores_segment(number: u32) -> WorkspacePath {
    WorkspacePath(format!("state/scores/{number:08}.jsonl"))
}

/// The closed journal segment that begins with that event.
pub fn journal_segment(first_seq: u64) -> WorkspacePath {
    WorkspacePath(format!("state/segments/{first_seq:016}.jsonl"))
}

/// A temporary file beside `path`, to be renamed over it.
pub fn temporary(path: &WorkspacePath, random: u64) -> WorkspacePath {
    WorkspacePath(format!("{path}.{random:016x}.tmp"))
}

/// Whether a file name is one that [`temporary`] makes.
pub fn is_temporary(file_name: &str) -> bool {
    file_name
        .strip_suffix(".tmp")
        .and_then(|stem| stem.rsplit_once('.'))
        .is_some_and(|(_, random)| {
            random.len() == 16 && random.bytes().all(|b| b.is_ascii_hexdigit())
        })
}

/// The folders of a workspace, parents first.
pub fn folders() -> [WorkspacePath; 9] {
    [
        rules_folder(),
        mailbox(),
        pending_folder(),
        processed_folder(),
        traces_folder(),
        evalset_folder(),
        state_folder(),
        scores_folder(),
        segments_folder(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_stays_inside() {
        let id = NoticeId::parse("...").unwrap();
        for path in [pending(&id), processed(&id), dump(&id), journal(), lock()] {
            assert!(
                path.as_str()
                    .split('/')
                    .all(|part| !part.is_empty() && part != "." && part != ".."),
                "{path}"
            );
        }
    }

    #[test]
    fn temporaries_are_known_by_name() {
        let path = temporary(&rules_guide(), 7);
        assert!(is_temporary(path.as_str()));
        assert!(!is_temporary("rules.md"));
        assert!(!is_temporary("notes.tmp"));
    }
}
