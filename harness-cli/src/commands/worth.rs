//! `harness worth`: what all active rules together change, by the sessions that are shown none, and
//! what each verdict says of its rule.

use anyhow::Result;
use harness_core::{RuleId, RuleStatus};
use harness_rules::verify::Numbers;
use harness_rules::{Worth, WorthArms};
use serde_json::{Value, json};

use super::Cli;
use super::verify::derive_all;
use crate::exit::Exit;

/// A rule and the numbers of the verdict that made it active.
type Proven = (RuleId, Numbers);

pub(super) fn run(cli: &mut Cli<'_>) -> Result<Exit> {
    let desks = cli.desks()?;
    let worth = desks.book.worth()?;
    let active: Vec<RuleId> = desks
        .book
        .ledger()?
        .live_rules()
        .filter(|record| record.status == RuleStatus::Active)
        .map(|record| record.rule.id.clone())
        .collect();
    let mut verifications = derive_all(&desks.reader)?;
    let mut proven = Vec::new();
    for rule in active {
        let verification = verifications.remove(&rule);
        let mut verdicts = verification.into_iter().flat_map(|found| found.verdicts);
        let last = verdicts.rfind(|check| check.verdict == "promoted" && check.fault.is_none());
        if let Some(numbers) = last.and_then(|check| check.numbers) {
            proven.push((rule, numbers));
        }
    }
    if cli.out.is_json() {
        cli.out.json(&document(&worth, &proven))?;
    } else {
        for line in tell(&worth, &proven) {
            cli.out.line(line)?;
        }
    }
    // An interval that takes in everything says nothing.
    let tells = worth
        .arms
        .is_some_and(|arms| arms.difference.low > -1.0 || arms.difference.high < 1.0);
    Ok(if tells { Exit::Done } else { Exit::CannotTell })
}

fn document(worth: &Worth, proven: &[Proven]) -> Value {
    let arm = |(failed, fine): (u64, u64)| json!({ "failed": failed, "fine": fine });
    json!({
        "since": worth.since.map(|since| since.to_string()),
        "pending": worth.pending,
        "dropped": worth.dropped,
        "with_rules": worth.arms.map(|arms| arm(arms.shown)),
        "without_rules": worth.arms.map(|arms| arm(arms.null)),
        "difference": worth.arms.map(|arms| json!({
            "estimate": arms.difference.estimate,
            "low": arms.difference.low,
            "high": arms.difference.high,
        })),
        "rules": proven.iter().map(|(rule, numbers)| json!({
            "id": rule.as_str(),
            "shown": arm(numbers.treated),
            "hidden": arm(numbers.control),
            "pairs": numbers.replay.map(|replay| json!({
                "wins": replay.wins,
                "losses": replay.losses,
            })),
        })).collect::<Vec<_>>(),
    })
}

fn tell(worth: &Worth, proven: &[Proven]) -> Vec<String> {
    let rate = |(failed, fine): (u64, u64)| {
        let all = failed + fine;
        let percent = 100.0 * failed as f64 / all.max(1) as f64;
        format!("{failed} of {all} sessions failed ({percent:.1} %)")
    };
    let mut lines = match (&worth.arms, worth.since) {
        (None, _) => vec![
            "the workspace's key is not here, so nobody can say which sessions were shown rules"
                .to_owned(),
        ],
        (_, None) => vec!["no session has read rules while one was active".to_owned()],
        (
            Some(WorthArms {
                shown,
                null,
                difference,
            }),
            Some(since),
        ) => vec![
            format!("since {since}"),
            format!("with rules:    {}", rate(*shown)),
            format!("without rules: {}", rate(*null)),
            format!(
                "difference {:+.3}, at any time within {:+.3} to {:+.3} (95 %)",
                difference.estimate, difference.low, difference.high
            ),
            format!(
                "{} sessions have not ended, {} are left out for an outage",
                worth.pending, worth.dropped
            ),
        ],
    };
    for (rule, numbers) in proven {
        lines.push(match numbers.replay.filter(|_| numbers.principals == 0) {
            Some(replay) => format!(
                "{rule}: proven by replay, {} pairs won and {} lost",
                replay.wins, replay.losses
            ),
            None => format!(
                "{rule}: when it was proven, shown {}, hidden {}",
                rate(numbers.treated),
                rate(numbers.control)
            ),
        });
    }
    lines
}
