//! Taking a workspace of 0.9 over. Safe to repeat: what is here already is left as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use harness_core::{CaseId, CleanText, EvalCase, NoticeId, RuleId, Timestamp, layout};

use super::original::Original;
use crate::error::StoreError;
use crate::evalset::{Capture, EvalSet};
use crate::folds::notices::Notices;
use crate::follow::Follower;
use crate::halves::OperatorEvent;
use crate::journal::{MAX_COMMIT, MAX_COMMIT_BYTES};
use crate::mailbox_files;
use crate::wire::event::{NoticePosted, OperatorAct, OperatorAction, RuleImport};
use crate::wire::notice::NoticeDoc;
use crate::wire::score::{GateLine, ScoresLine};
use crate::wire::{Event, json, sha256_hex};
use crate::writer::{Core, Tx};

/// What was taken over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenOver {
    /// Rules that were not known here.
    pub rules: Vec<RuleId>,
    /// Notices that were not known here, pending and resolved.
    pub notices: Vec<NoticeId>,
    /// Eval cases that were not known here and found room.
    pub cases: Vec<CaseId>,
    /// Conversations whose gate was not known here.
    pub sessions: u64,
    /// Rules, notices, cases and conversations that were known.
    pub known: u64,
}

impl Tx<'_, OperatorEvent> {
    /// Takes over what `original` holds and this workspace does not: rules at the status that they
    /// had there, marked as imported; notices with their resolutions; eval cases; the gates'
    /// memory; descriptions of scopes, if there are none. `knows` says which rules are known.
    ///
    /// This is the only way to an imported rule: the set of events of this half has none.
    ///
    /// # Errors
    /// As for [`Tx::commit`], and whatever the system says of a file. What was committed before
    /// stays, and a repeated call goes on from there.
    pub fn take_over(
        &mut self,
        original: &Original,
        knows: impl Fn(&RuleId) -> bool,
    ) -> Result<TakenOver, StoreError> {
        let core = self.core();
        let mut taken = TakenOver::default();
        let mut events = new_rules(original, knows, &mut taken);
        events.extend(new_notices(original, core, &mut taken)?);
        let unlike = unlike_the_journal(original, core)?;
        commit(core, events, &taken, unlike.len())?;
        write_notices(original, core, &taken, unlike)?;
        keep_cases(original, core, &mut taken)?;
        keep_gates(original, core, &mut taken)?;
        let scopes = layout::scope_metadata();
        if let Some(doc) = &original.scopes
            && core.root.file_id(scopes.as_str())?.is_none()
        {
            let bytes = core.sink.document(doc)?;
            core.root.replace(scopes.as_str(), &bytes)?;
        }
        Ok(taken)
    }
}

fn new_rules(
    original: &Original,
    knows: impl Fn(&RuleId) -> bool,
    taken: &mut TakenOver,
) -> Vec<Event> {
    let mut events = Vec::new();
    for rule in &original.rules {
        if knows(&rule.id) {
            taken.known += 1;
            continue;
        }
        taken.rules.push(rule.id.clone());
        events.push(Event::RuleImport(Box::new(RuleImport {
            text_sha256: sha256_hex(rule.rule.as_str().as_bytes()),
            rule: rule.clone(),
        })));
    }
    events
}

fn new_notices(
    original: &Original,
    core: &mut Core,
    taken: &mut TakenOver,
) -> Result<Vec<Event>, StoreError> {
    let mailbox = &core.refreshed()?.mailbox;
    let mut events = Vec::new();
    for (notice, _) in &original.notices {
        if mailbox.get(&notice.id).is_some() || mailbox.is_resolved(&notice.id) {
            taken.known += 1;
            continue;
        }
        taken.notices.push(notice.id.clone());
        events.push(Event::Notice(Box::new(NoticePosted {
            notice: NoticeDoc::from_domain(notice),
            observe_only: false,
            turn_time: None,
        })));
    }
    Ok(events)
}

/// The notices that are known here and whose files do not say what the journal says: where this is
/// the original's own folder and an earlier call was cut short, they are still those of 0.9.
fn unlike_the_journal(
    original: &Original,
    core: &mut Core,
) -> Result<BTreeSet<NoticeId>, StoreError> {
    core.refreshed()?;
    let mailbox = &core.state.get().mailbox;
    let mut unlike = BTreeSet::new();
    for (notice, _) in &original.notices {
        if !mailbox_files::says_what_is_known(&core.root, mailbox, &notice.id) {
            unlike.insert(notice.id.clone());
        }
    }
    Ok(unlike)
}

/// The operator's act and what follows from it, in as few commits as there may be.
fn commit(
    core: &mut Core,
    mut events: Vec<Event>,
    taken: &TakenOver,
    unlike: usize,
) -> Result<(), StoreError> {
    if events.is_empty() && unlike == 0 {
        return Ok(());
    }
    let mut reason = format!(
        "{} rules and {} notices of pandaprobe-harness 0.9",
        taken.rules.len(),
        taken.notices.len()
    );
    if unlike > 0 {
        reason = format!("{reason}; {unlike} files of notices did not say what the journal says");
    }
    let act = Event::OperatorAction(OperatorAction {
        action: OperatorAct::Import,
        rule: None,
        reason: CleanText::new(reason).unwrap_or_else(|_| CleanText::empty()),
    });
    events.insert(0, act);
    // From the first commit on: the next may fail.
    core.files_lag = true;
    while !events.is_empty() {
        // Half of what a commit can hold leaves room for what encloses each event.
        let rest = events.split_off(fitting(&events, MAX_COMMIT, MAX_COMMIT_BYTES / 2));
        core.commit(std::mem::replace(&mut events, rest))?;
    }
    Ok(())
}

/// How many of `events`, from the first on and one at least, are at most `most` and take no more
/// than `room` bytes.
fn fitting(events: &[Event], most: usize, room: u64) -> usize {
    let mut taken = 0u64;
    let fits = |event: &&Event| {
        // What cannot be written takes no room: the commit says so.
        let bytes = json::to_line(*event).map_or(0, |line| line.len());
        taken = taken.saturating_add(bytes as u64);
        taken <= room
    };
    events.iter().take(most).take_while(fits).count().max(1)
}

/// Writes the files of the mailbox as the journal has them now, over those of 0.9 where this is
/// its own folder, and the evaluation dumps that are missing.
fn write_notices(
    original: &Original,
    core: &mut Core,
    taken: &TakenOver,
    unlike: BTreeSet<NoticeId>,
) -> Result<(), StoreError> {
    let new: BTreeSet<&NoticeId> = taken.notices.iter().collect();
    for (notice, dump) in &original.notices {
        let path = layout::dump(&notice.id);
        if let Some(dump) = dump
            && (new.contains(&notice.id) || core.root.file_id(path.as_str())?.is_none())
        {
            core.root
                .replace(path.as_str(), &core.sink.document(dump)?)?;
        }
    }
    let mut wanted = unlike;
    wanted.extend(taken.notices.iter().cloned());
    if wanted.is_empty() {
        return Ok(());
    }
    let mut notices = Follower::new(Arc::clone(&core.root), Notices::of(wanted));
    notices.refresh()?;
    for notice in notices.get().iter() {
        let doc = NoticeDoc::from_domain(notice);
        if notice.is_pending() {
            mailbox_files::post(&core.root, &core.sink, &doc, None)?;
        } else {
            mailbox_files::resolve(&core.root, &core.sink, &doc)?;
        }
    }
    core.files_lag = true;
    core.redo_files()?;
    let now = core.now();
    mailbox_files::write_status(&core.root, &core.sink, &core.state.get().mailbox, now)
}

fn keep_cases(
    original: &Original,
    core: &mut Core,
    taken: &mut TakenOver,
) -> Result<(), StoreError> {
    if original.cases.is_empty() {
        return Ok(());
    }
    let here = EvalSet::read(&core.root)?;
    // They fill what room there is and push nothing out.
    let room = EvalCase::MAX_CASES.saturating_sub(here.cases().len());
    for case in &original.cases {
        if here.cases().iter().any(|known| known.id == case.id) {
            taken.known += 1;
            continue;
        }
        if taken.cases.len() >= room {
            break;
        }
        if let Capture::Kept { .. } = EvalSet::keep(case.clone(), core)? {
            taken.cases.push(case.id.clone());
        }
    }
    Ok(())
}

fn keep_gates(
    original: &Original,
    core: &mut Core,
    taken: &mut TakenOver,
) -> Result<(), StoreError> {
    core.scores.refresh()?;
    let now: Timestamp = core.now();
    let mut lines = Vec::new();
    for (session, gates) in &original.gates {
        if core.scores.get(session).is_some() {
            taken.known += 1;
            continue;
        }
        let mut line = GateLine {
            ts: now,
            session: session.clone(),
            x_imported_gate: BTreeMap::new(),
            x_imported_series: BTreeMap::new(),
        };
        for (metric, doc) in gates {
            line.x_imported_gate.insert(metric.clone(), doc.gate);
            let series = doc.series.clone();
            line.x_imported_series.insert(metric.clone(), series);
        }
        // A line has a bound: the series goes first, and what is longer still is no session.
        if core.sink.line(&line).is_err() {
            line.x_imported_series.clear();
        }
        if core.sink.line(&line).is_ok() {
            taken.sessions += 1;
            lines.push(ScoresLine::Gate(line));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    core.scores.append(&lines, &core.sink)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::opened;

    #[test]
    fn a_commit_takes_what_fits_and_one_event_at_least() {
        let events: Vec<Event> = (0..9).map(|_| Event::SessionOpened(opened("s"))).collect();
        let each = json::to_line(&events[0]).unwrap().len() as u64;
        assert_eq!(fitting(&events, 100, u64::MAX), 9);
        assert_eq!(fitting(&events, 4, u64::MAX), 4);
        assert_eq!(fitting(&events, 100, 3 * each), 3);
        assert_eq!(fitting(&events, 100, 3 * each - 1), 2);
        assert_eq!(fitting(&events, 100, 0), 1);
    }
}
