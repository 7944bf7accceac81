//! The result as JSON and as a table for people.

use std::fmt::{self, Write};

use serde_json::{Value, json};

use crate::further::Figure;
use crate::invalid::Invalid;
use crate::overlap::{CANDIDATES, Guarantee, Overlap};
use crate::rate::Rate;
use crate::rows::Row;

/// Everything that was simulated.
pub(crate) struct Report {
    pub(crate) alpha: f64,
    pub(crate) rows: Vec<Row>,
    pub(crate) overlaps: Vec<Overlap>,
    pub(crate) principals: Rate,
    pub(crate) invalid: Vec<Invalid>,
    pub(crate) further: Vec<Figure>,
}

impl Report {
    pub(crate) fn json(&self) -> Value {
        json!({
            "alpha": self.alpha,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "overlap": self.overlap(),
            "principals": {"promoted": rounded(self.principals.value())},
            "invalid": self.invalid.iter().map(|invalid| json!({
                "variant": invalid.variant,
                "promoted": rounded(invalid.promoted.value()),
            })).collect::<Vec<_>>(),
            "further": self.further.iter().map(|figure| {
                let (low, high) = figure.rate.interval();
                json!({
                    "name": figure.name,
                    "n": figure.rate.n,
                    "rate": rounded(figure.rate.value()),
                    "low": rounded(low),
                    "high": rounded(high),
                    "median_sessions": figure.median_sessions,
                })
            }).collect::<Vec<_>>(),
        })
    }

    /// The engine's own figures, and beside them the other guarantee and horizon.
    fn overlap(&self) -> Value {
        let settings = self.overlaps.iter().map(|overlap| {
            json!({
                "guarantee": name(overlap.guarantee),
                "horizon": overlap.horizon,
                "fdr": rounded(overlap.fdr),
                "power": rounded(overlap.power),
            })
        });
        let engine = self.overlaps.first();
        json!({
            "candidates": CANDIDATES,
            "fdr": engine.map(|overlap| rounded(overlap.fdr)),
            "power": engine.map(|overlap| rounded(overlap.power)),
            "settings": settings.collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        writeln!(
            text,
            "baseline  drift  effect    promoted  99.9 % interval  sessions  harmful"
        )?;
        for row in &self.rows {
            let (low, high) = row.promoted.interval();
            writeln!(
                text,
                "{:<8}  {:<5}  {:<8}  {:>8.4}  {low:>6.4} to {high:<6.4}  {:>8}  {:>7.4}",
                row.baseline,
                row.drift,
                row.effect,
                row.promoted.value(),
                median(row.median_sessions),
                row.retired.value(),
            )?;
        }
        writeln!(
            text,
            "\n{CANDIDATES} overlapping candidates, a fifth of them real"
        )?;
        for overlap in &self.overlaps {
            writeln!(
                text,
                "  {:<9} horizon {}: false discovery rate {:.3}, power {:.3}",
                name(overlap.guarantee),
                overlap.horizon,
                overlap.fdr,
                overlap.power
            )?;
        }
        writeln!(
            text,
            "\nan attacker sees the arm, each principal left out: promoted {:.4}",
            self.principals.value()
        )?;
        writeln!(text, "\ninvalid variants: a useless rule is promoted at")?;
        for invalid in &self.invalid {
            writeln!(
                text,
                "  {:.4}  {}",
                invalid.promoted.value(),
                invalid.variant
            )?;
        }
        writeln!(text, "\nfurther figures")?;
        for figure in &self.further {
            writeln!(
                text,
                "  {:.4}  {:>8}  {}",
                figure.rate.value(),
                median(figure.median_sessions),
                figure.name
            )?;
        }
        f.write_str(&text)
    }
}

fn row(row: &Row) -> Value {
    let (low, high) = row.promoted.interval();
    json!({
        "baseline": row.baseline,
        "effect": row.effect,
        "drift": row.drift,
        "n": row.promoted.n,
        "promoted": rounded(row.promoted.value()),
        "low": rounded(low),
        "high": rounded(high),
        "median_sessions": row.median_sessions,
        "retired": rounded(row.retired.value()),
    })
}

fn name(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::Workspace => "workspace",
        Guarantee::EachRule => "each rule",
    }
}

fn median(sessions: Option<u32>) -> String {
    sessions.map_or_else(|| "-".into(), |sessions| sessions.to_string())
}

/// To a hundred-thousandth, a single run of the largest simulation.
fn rounded(number: f64) -> f64 {
    (number * 1e5).round() / 1e5
}
