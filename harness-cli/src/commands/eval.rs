//! `harness eval`: the eval set against today's rules. To run a case takes the host's own agent,
//! which this binary does not have: it says so of each case, and where a host has replayed them,
//! how they came out last.

use std::collections::BTreeMap;

use anyhow::Result;
use harness_core::{CaseId, CaseKind, EvalCase};
use harness_store::wire::Event;
use harness_store::wire::event::CaseResult;
use serde_json::{Value, json};

use super::Cli;
use crate::exit::Exit;

/// Cases that are shown where no number is given: all that a set has.
const ALL: usize = EvalCase::MAX_CASES;

pub(super) fn run(cli: &mut Cli<'_>, sample: Option<usize>) -> Result<Exit> {
    let reader = cli.reader()?;
    let set = reader.eval_set()?;
    let mut last: BTreeMap<CaseId, (CaseResult, String)> = BTreeMap::new();
    for line in reader.records_from(0)? {
        if let Some((record, Event::Regression(regression))) = line?.event() {
            for case in &regression.cases {
                if case.result != CaseResult::Skipped {
                    last.insert(case.case.clone(), (case.result, record.ts.to_string()));
                }
            }
        }
    }
    let cases: Vec<&EvalCase> = set
        .cases()
        .iter()
        .rev()
        .take(sample.unwrap_or(ALL))
        .collect();
    // A win that failed when a host last ran it is found, whoever asks.
    let regressed = cases
        .iter()
        .filter(|case| case.kind == CaseKind::Win)
        .any(|case| matches!(last.get(&case.id), Some((CaseResult::Failed, _))));
    if cli.out.is_json() {
        cli.out.json(&json!({
            "cases": cases.iter().map(|case| to_json(case, last.get(&case.id))).collect::<Vec<_>>(),
            "skipped": cases.len(),
            "unreadable": set.unreadable().iter().map(|(name, reason)| json!({
                "path": name,
                "reason": reason,
            })).collect::<Vec<_>>(),
        }))?;
    } else {
        for case in &cases {
            let before = match last.get(&case.id) {
                Some((result, at)) => format!("{} when a host ran it at {at}", name(*result)),
                None => "never run by a host".to_owned(),
            };
            cli.out.line(format_args!(
                "{} {} skipped: {}; {before}",
                case.id,
                case.kind.as_str(),
                why(case)
            ))?;
        }
        for (file, reason) in set.unreadable() {
            cli.out
                .line(format_args!("{file:?} is no case: {reason}"))?;
        }
        if cases.is_empty() {
            cli.out.line("the eval set is empty")?;
        }
    }
    Ok(if regressed {
        Exit::Found
    } else if cases.is_empty() {
        Exit::Done
    } else {
        Exit::CannotTell
    })
}

fn to_json(case: &EvalCase, last: Option<&(CaseResult, String)>) -> Value {
    json!({
        "id": case.id.as_str(),
        "kind": case.kind.as_str(),
        "result": "skipped",
        "reason": why(case),
        "last": last.map(|(result, at)| json!({ "result": name(*result), "ts": at })),
    })
}

/// Why a case is not run here.
const fn why(case: &EvalCase) -> &'static str {
    if case.replay_input.is_some() {
        "only a host with a replay can run it"
    } else {
        "it cannot be replayed"
    }
}

const fn name(result: CaseResult) -> &'static str {
    match result {
        CaseResult::Passed => "passed",
        CaseResult::Failed => "failed",
        CaseResult::Void => "void",
        CaseResult::Skipped => "skipped",
    }
}
