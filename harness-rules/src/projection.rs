//! The files of the rules as a projection of the ledger: written after each change, compared with
//! the journal by every audit, and written anew by the next writer where they differ.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use harness_core::{RuleId, Scope, layout};
use harness_store::wire::event::{ScopeCount, ScopeIndexRegenerated};
use harness_store::wire::json;
use harness_store::wire::rule::RuleDoc;
use harness_store::{Exported, Projection, Projects, Reader, StoreError, Tx};
use serde_json::Value;

use crate::decided;
use crate::ledger::{Ledger, RuleRecord};
use crate::render;
use crate::settings::Settings;

/// Writes what a commit changed. The commit stands whatever becomes of the files: they are compared
/// with the journal at the next open.
pub(crate) fn after_commit<E: Projects>(
    tx: &mut Tx<'_, E>,
    ledger: &Ledger,
    settings: &Settings,
    changed: &[RuleId],
) {
    let records: Vec<&RuleRecord> = changed.iter().filter_map(|id| ledger.rule(id)).collect();
    if records.is_empty() {
        return;
    }
    let scopes: BTreeSet<&Scope> = records.iter().map(|record| &record.rule.scope).collect();
    let mut files = vec![Projection::AppendRules(
        records.iter().map(|record| document(record)).collect(),
    )];
    files.extend(scopes.into_iter().map(|scope| {
        let page = render::page(ledger, scope, settings.provisional_text_in_files);
        Projection::Scope(scope.clone(), page)
    }));
    files.push(Projection::Guide(render::guide(ledger)));
    let _ = tx.project(&files);
}

/// Which files do not say what the journal says, with what is wrong. Files that were never written,
/// as there has been no rule, are no mismatch.
///
/// # Errors
/// A file cannot be read at all.
pub fn mismatches(
    reader: &Reader,
    ledger: &Ledger,
    settings: &Settings,
) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    if ledger.rules().next().is_none() {
        return Ok(found);
    }
    compare_rules(reader, ledger, &mut found)?;
    let scopes: BTreeSet<&Scope> = ledger.rules().map(|record| &record.rule.scope).collect();
    let mut pages: Vec<_> = scopes
        .into_iter()
        .map(|scope| {
            let page = render::page(ledger, scope, settings.provisional_text_in_files);
            (layout::scope_file(scope), page)
        })
        .collect();
    pages.push((layout::rules_guide(), render::guide(ledger)));
    for (path, expected) in pages {
        match reader.file(&path)? {
            Some(bytes) if bytes == expected.as_bytes() => {}
            Some(_) => found.push(format!("{path}: differs from the journal")),
            None => found.push(format!("{path}: is missing")),
        }
    }
    Ok(found)
}

fn compare_rules(
    reader: &Reader,
    ledger: &Ledger,
    found: &mut Vec<String>,
) -> Result<(), StoreError> {
    let path = layout::rules();
    let Some(bytes) = reader.file(&path)? else {
        found.push(format!("{path}: is missing"));
        return Ok(());
    };
    let mut latest: BTreeMap<RuleId, Value> = BTreeMap::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let read = serde_json::from_slice::<Value>(line)
            .and_then(|value| Ok((serde_json::from_value::<RuleDoc>(value.clone())?.id, value)));
        match read {
            Ok((id, value)) => {
                latest.insert(id, value);
            }
            Err(_) => found.push(format!("{path}: line {} does not read", at + 1)),
        }
    }
    for record in ledger.rules() {
        let id = &record.rule.id;
        match latest.remove(id) {
            Some(stored) if json::to_value(&document(record)) == Ok(stored.clone()) => {}
            Some(_) => found.push(format!("{path}: {id} differs from the journal")),
            None => found.push(format!("{path}: {id} is missing")),
        }
    }
    found.extend(
        latest
            .keys()
            .map(|id| format!("{path}: {id} is not in the journal")),
    );
    Ok(())
}

/// Writes a workspace that pandaprobe-harness 0.9 reads into `folder`, which must be empty or not
/// be there: rules as the ledger has them, everything else as the journal and the files have it.
///
/// # Errors
/// The folder is not empty or cannot be written, or the workspace cannot be read.
pub fn export(
    reader: &Reader,
    ledger: &Ledger,
    settings: &Settings,
    folder: &Path,
) -> Result<Exported, StoreError> {
    let (_, files) = rebuilt(ledger, settings, Vec::new());
    harness_store::export(reader, folder, &files)
}

/// Everything written anew, and the event that says why.
pub(crate) fn rebuilt(
    ledger: &Ledger,
    settings: &Settings,
    mismatched: Vec<String>,
) -> (ScopeIndexRegenerated, Vec<Projection>) {
    let mut records: Vec<&RuleRecord> = ledger.rules().collect();
    records.sort_by_key(|record| record.added_seq);
    let scopes: BTreeSet<&Scope> = records.iter().map(|record| &record.rule.scope).collect();
    let mut files = vec![Projection::ReplaceRules(
        records.iter().map(|record| document(record)).collect(),
    )];
    files.extend(scopes.into_iter().map(|scope| {
        let page = render::page(ledger, scope, settings.provisional_text_in_files);
        Projection::Scope(scope.clone(), page)
    }));
    files.push(Projection::Guide(render::guide(ledger)));
    let event = ScopeIndexRegenerated {
        path: layout::rules_guide().as_str().to_owned(),
        scopes: render::scope_counts(ledger)
            .into_iter()
            .map(|(scope, (active, provisional))| ScopeCount {
                scope,
                active,
                provisional,
            })
            .collect(),
        mismatched,
    };
    (event, files)
}

fn document(record: &RuleRecord) -> RuleDoc {
    let decided = decided::last(record);
    RuleDoc {
        // Of a rule that was taken over, another program's numbers stand there.
        trial: decided
            .as_ref()
            .filter(|_| !record.imported)
            .map(decided::Decided::as_09),
        x_trial: decided.as_ref().map(decided::Decided::trial),
        x_evidence: decided.as_ref().map(decided::Decided::evidence),
        x_imported: record.imported,
        ..RuleDoc::from_domain(&record.rule, record.status)
    }
}
