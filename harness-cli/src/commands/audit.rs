//! `harness audit`: the chain, its anchor, the files beside it, and the timeline.

use anyhow::Result;
use harness_core::Timestamp;
use harness_rules::{Ledger, mismatches};
use harness_store::wire::hex;
use harness_store::{AuditReport, Reader};
use serde_json::{Value, json};

use super::Cli;
use crate::events::Shown;
use crate::exit::Exit;

/// What the rules add to the limits that the store's audit states.
const RULES_LIMIT: &str = "a rule's verdict is derived again by `harness verify`, not here";

/// One thing that is not as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The file, relative to the root.
    pub(crate) file: String,
    /// The event, where one is meant.
    pub(crate) seq: Option<u64>,
    /// The byte at which it begins, where one is meant.
    pub(crate) offset: Option<u64>,
    /// What is wrong.
    pub(crate) what: String,
}

/// An audit of everything: what the store sees, and what the rules see.
#[derive(Debug)]
pub(crate) struct Audit {
    /// What the store sees.
    pub(crate) report: AuditReport,
    /// What was found.
    pub(crate) findings: Vec<Finding>,
}

impl Audit {
    /// Audits a workspace.
    ///
    /// # Errors
    /// Something cannot be read at all.
    pub(crate) fn of(cli: &Cli<'_>, reader: &Reader) -> Result<Self> {
        let report = reader.audit()?;
        let book = cli.book(reader)?;
        let ledger = book.ledger()?;
        let mut findings: Vec<Finding> = report
            .breaks
            .iter()
            .map(|found| Finding {
                file: found.file.clone(),
                seq: found.seq,
                offset: found.offset,
                what: found.what.clone(),
            })
            .collect();
        findings.extend(doubts(&ledger));
        for mismatch in mismatches(reader, &ledger, book.settings())? {
            let (file, what) = mismatch.split_once(": ").unwrap_or(("", &mismatch));
            findings.push(Finding {
                file: file.to_owned(),
                seq: None,
                offset: None,
                what: what.to_owned(),
            });
        }
        drop(ledger);
        Ok(Self { report, findings })
    }

    /// 1 where something is broken, 5 where there is no anchor to tell by.
    pub(crate) fn exit(&self) -> Exit {
        if !self.report.ok || !self.findings.is_empty() || self.report.anchored == Some(false) {
            Exit::Found
        } else if self.report.anchored.is_none() {
            Exit::CannotTell
        } else {
            Exit::Done
        }
    }

    fn limits(&self) -> impl Iterator<Item = &'static str> {
        self.report.limits.iter().copied().chain([RULES_LIMIT])
    }

    /// The audit as a document.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "ok": self.exit() == Exit::Done,
            "events": self.report.events,
            "head": hex(&self.report.head.digest),
            "anchored": self.report.anchored,
            "breaks": self.findings.iter().map(to_json).collect::<Vec<_>>(),
            "foreign": self.report.foreign,
            "unreadable": self.report.unreadable,
            "torn_bytes": self.report.torn_bytes,
            "limits": self.limits().collect::<Vec<_>>(),
        })
    }
}

fn to_json(finding: &Finding) -> Value {
    json!({
        "file": finding.file,
        "seq": finding.seq,
        "offset": finding.offset,
        "what": finding.what,
    })
}

/// Claims of the journal that do not follow from the lines before them.
fn doubts(ledger: &Ledger) -> impl Iterator<Item = Finding> {
    ledger.doubts().iter().map(|doubt| Finding {
        file: harness_core::layout::journal().to_string(),
        seq: Some(doubt.seq),
        offset: None,
        what: doubt.to_string(),
    })
}

pub(super) fn run(cli: &mut Cli<'_>, since: Option<&str>, kind: Option<&str>) -> Result<Exit> {
    let since = since.map(Timestamp::parse).transpose()?;
    let reader = cli.reader()?;
    let audit = Audit::of(cli, &reader)?;
    if cli.out.is_json() {
        cli.out.json(&audit.to_json())?;
    } else {
        timeline(cli, &reader, since, kind)?;
        summary(cli, &audit)?;
    }
    Ok(audit.exit())
}

fn timeline(
    cli: &mut Cli<'_>,
    reader: &Reader,
    since: Option<Timestamp>,
    kind: Option<&str>,
) -> Result<()> {
    for line in reader.records_from(0)? {
        let line = line?;
        let is_late =
            since.is_none_or(|since| line.record().is_none_or(|record| record.ts >= since));
        let shown = Shown::of(&line)?;
        if is_late && kind.is_none_or(|kind| shown.kind() == kind) {
            cli.out.line(shown.to_text())?;
        }
    }
    Ok(())
}

fn summary(cli: &mut Cli<'_>, audit: &Audit) -> Result<()> {
    let style = cli.out.style();
    let report = &audit.report;
    let (verdict, anchor) = match (audit.exit(), report.anchored) {
        (Exit::Done, _) => (style.good("unbroken"), "the anchor knows this head"),
        (Exit::CannotTell, _) => (
            style.bad("cannot tell"),
            "there is no anchor to compare with",
        ),
        (_, Some(true)) => (style.bad("broken"), "the anchor knows this head"),
        (_, Some(false)) => (style.bad("broken"), "the anchor does not know this head"),
        (_, None) => (style.bad("broken"), "there is no anchor to compare with"),
    };
    cli.out.line("")?;
    cli.out.line(format_args!(
        "{verdict}: {} events, {} foreign, {} unreadable",
        report.events, report.foreign, report.unreadable
    ))?;
    cli.out
        .line(format_args!("head {}: {anchor}", hex(&report.head.digest)))?;
    for finding in &audit.findings {
        let place = finding
            .seq
            .map(|seq| format!(" event {seq}"))
            .unwrap_or_default();
        let byte = finding
            .offset
            .map(|at| format!(" byte {at}"))
            .unwrap_or_default();
        cli.out.line(format_args!(
            "  {}{place}{byte}: {}",
            finding.file, finding.what
        ))?;
    }
    for limit in audit.limits() {
        cli.out.line(format_args!("not seen by this: {limit}"))?;
    }
    Ok(())
}
