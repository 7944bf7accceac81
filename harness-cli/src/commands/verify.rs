//! `harness verify`: derives a rule's verdict again from the journal alone, and compares the files.

use std::collections::BTreeMap;

use anyhow::Result;
use harness_core::RuleId;
use harness_rules::verify::{Numbers, VerdictCheck, Verification, verify_all};
use harness_store::Reader;
use serde_json::{Value, json};

use super::Cli;
use super::audit::Audit;
use crate::exit::{Exit, Problem};

/// Derives the verdicts of every rule.
///
/// # Errors
/// The journal cannot be read.
pub(crate) fn derive_all(reader: &Reader) -> Result<BTreeMap<RuleId, Verification>> {
    let mut failed = None;
    let lines = reader.records_from(0)?;
    let verifications =
        verify_all(lines.map_while(|line| line.map_err(|error| failed = Some(error)).ok()));
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(verifications),
    }
}

/// Derives the verdicts of a rule.
///
/// # Errors
/// The journal cannot be read, or proposes no such rule.
pub(crate) fn derive(reader: &Reader, rule: &RuleId) -> Result<Verification> {
    Ok(derive_all(reader)?.remove(rule).ok_or_else(|| {
        Problem::usage(format!(
            "the journal proposes no rule {rule}; `harness rules` lists them"
        ))
    })?)
}

pub(super) fn run(cli: &mut Cli<'_>, rule: &str) -> Result<Exit> {
    let rule = RuleId::parse(rule)?;
    let reader = cli.reader()?;
    let verification = derive(&reader, &rule)?;
    let audit = Audit::of(cli, &reader)?;
    let exit = if !verification.follows() || !audit.findings.is_empty() {
        Exit::Found
    } else if verification.verdicts.is_empty() {
        Exit::CannotTell
    } else {
        Exit::Done
    };
    if cli.out.is_json() {
        let mut document = to_json(&verification);
        if let Some(fields) = document.as_object_mut() {
            fields.insert("ok".to_owned(), (exit == Exit::Done).into());
            fields.insert("audit".to_owned(), audit.to_json());
        }
        cli.out.json(&document)?;
    } else {
        print(cli, &verification, &audit, exit)?;
    }
    Ok(exit)
}

/// A verification as a document.
pub(crate) fn to_json(verification: &Verification) -> Value {
    json!({
        "rule": verification.rule.as_str(),
        "status": verification.status,
        "follows": verification.follows(),
        "verdicts": verification.verdicts.iter().map(verdict_to_json).collect::<Vec<_>>(),
        "faults": verification.faults.iter().map(|fault| json!({
            "seq": fault.seq,
            "what": fault.what,
        })).collect::<Vec<_>>(),
    })
}

/// A verdict as a document.
pub(super) fn verdict_to_json(check: &VerdictCheck) -> Value {
    json!({
        "seq": check.seq,
        "verdict": check.verdict,
        "follows": check.fault.is_none(),
        "fault": check.fault.as_ref().map(ToString::to_string),
        "numbers": check.numbers.as_ref().map(numbers_to_json),
    })
}

/// What a verdict rests on, as a document.
pub(crate) fn numbers_to_json(numbers: &Numbers) -> Value {
    let arm = |(failed, fine): (u64, u64)| json!({ "failed": failed, "fine": fine });
    json!({
        "entered": numbers.entered,
        "treated": arm(numbers.treated),
        "control": arm(numbers.control),
        "principals": numbers.principals,
        "e_value": numbers.e_value,
        "e_harm": numbers.e_harm,
        "threshold": numbers.threshold,
        "t": numbers.t,
        "promotions": numbers.promotions,
        "capital": numbers.capital,
        "replay": numbers.replay.map(|replay| json!({
            "wins": replay.wins,
            "losses": replay.losses,
            "counted": replay.counted,
            "void": replay.void,
            "e_veto": replay.e_veto,
            "vetoed": replay.vetoed,
        })),
    })
}

fn print(cli: &mut Cli<'_>, verification: &Verification, audit: &Audit, exit: Exit) -> Result<()> {
    let style = cli.out.style();
    for check in &verification.verdicts {
        let follows = match &check.fault {
            None => style.good("follows from the journal"),
            Some(fault) => style.bad(format_args!("does not follow: {fault}")),
        };
        cli.out.line(format_args!(
            "event {}: {} {follows}",
            check.seq, check.verdict
        ))?;
        if let Some(numbers) = &check.numbers {
            for line in tell(numbers) {
                cli.out.line(format_args!("  {line}"))?;
            }
        }
    }
    for fault in &verification.faults {
        cli.out.line(style.bad(fault))?;
    }
    for finding in &audit.findings {
        let place = finding
            .seq
            .map(|seq| format!(" event {seq}"))
            .unwrap_or_default();
        cli.out
            .line(style.bad(format_args!("{}{place}: {}", finding.file, finding.what)))?;
    }
    let summary = match exit {
        Exit::Done => format!(
            "{} is {}, and that follows",
            verification.rule, verification.status
        ),
        Exit::CannotTell => format!(
            "{} is {}: there is no verdict yet",
            verification.rule, verification.status
        ),
        _ => format!(
            "{}: something does not follow, see above",
            verification.rule
        ),
    };
    cli.out.line(summary)?;
    Ok(())
}

/// What a verdict rests on, in lines.
pub(crate) fn tell(numbers: &Numbers) -> Vec<String> {
    let arm = |name: &str, (failed, fine): (u64, u64)| {
        format!("rule {name}: {failed} of {} sessions failed", failed + fine)
    };
    let mut lines = Vec::new();
    if let Some(replay) = &numbers.replay {
        lines.push(format!(
            "replayed: {} pairs won, {} lost, {} count in all, {} are void",
            replay.wins, replay.losses, replay.counted, replay.void
        ));
        lines.push(format!(
            "harm to any one case at most {:.4}{}",
            replay.e_veto,
            if replay.vetoed { ": vetoed" } else { "" }
        ));
    }
    if numbers.principals > 0 || numbers.replay.is_none() {
        lines.push(format!("{} sessions entered", numbers.entered));
        lines.push(arm("shown ", numbers.treated));
        lines.push(arm("hidden", numbers.control));
    }
    lines.push(format!(
        "e-value {:.4}, harm {:.4}, needed {:.4}",
        numbers.e_value, numbers.e_harm, numbers.threshold
    ));
    lines
}
