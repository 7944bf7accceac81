//! The rows of all benches as one table, and how they compare with those of a saved run.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// What was measured.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Table {
    rows: Vec<Row>,
}

/// One measurement.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    name: String,
    value: f64,
    unit: String,
    n: u64,
    /// What it was measured beside, in the same run and unit, and how many times that it is.
    baseline: Option<f64>,
    ratio: Option<f64>,
    /// How many times worse than the same row of a saved run it is; below 1 it is better.
    worse_by: Option<f64>,
}

impl Table {
    /// Takes what a bench has printed: one document with `rows`, or a row a line. What is neither
    /// is given back; it is a note for whoever reads.
    pub(super) fn take(&mut self, printed: &str) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        for line in printed.lines().filter(|line| !line.trim().is_empty()) {
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            if let Some(rows) = value.get("rows").and_then(Value::as_array) {
                for row in rows {
                    self.rows.push(Row::parse(row)?);
                }
            } else if value.get("name").is_some() {
                self.rows.push(Row::parse(&value)?);
            } else {
                notes.push(line.to_owned());
            }
        }
        Ok(notes)
    }

    /// Compares each row with the saved one of its name.
    pub(super) fn compare(&mut self, saved: &Self) {
        let saved: BTreeMap<&str, &Row> = saved
            .rows
            .iter()
            .map(|row| (row.name.as_str(), row))
            .collect();
        for row in &mut self.rows {
            let before = saved.get(row.name.as_str());
            row.worse_by = before.and_then(|before| row.worse_than(before));
        }
    }

    /// The rows that are worse than saved by more than a factor.
    pub(super) fn worse_than(&self, factor: f64) -> Vec<&str> {
        let worse = |row: &&Row| row.worse_by.is_some_and(|by| by > factor);
        let rows = self.rows.iter().filter(worse);
        rows.map(|row| row.name.as_str()).collect()
    }

    pub(super) fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file)
            .with_context(|| format!("cannot read `{}`", file.display()))?;
        let mut table = Self::default();
        let document = serde_json::from_str::<Value>(&text).unwrap_or_default();
        table.take(&document.to_string())?;
        if table.rows.is_empty() {
            bail!("`{}` is no saved run: `--save` writes one", file.display());
        }
        Ok(table)
    }

    pub(super) fn save(&self, file: &Path) -> Result<()> {
        fs::write(file, self.json()?).with_context(|| format!("cannot write `{}`", file.display()))
    }

    /// One document.
    pub(super) fn json(&self) -> Result<String> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let machine = json!({
            "os": std::env::consts::OS,
            "arch": std::env::consts::ARCH,
            "processors": processors,
        });
        let rows: Vec<Value> = self.rows.iter().map(Row::to_json).collect();
        let document = json!({ "machine": machine, "rows": rows });
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }

    /// A line a row.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "{:<44} {:>12} {:<6} {:>7} {:>8} {:>8}\n",
            "name", "value", "unit", "n", "ratio", "worse by"
        );
        let factor = |number: Option<f64>| {
            number.map_or_else(|| "-".to_owned(), |number| format!("{number:.2} x"))
        };
        for row in &self.rows {
            // Writing to a `String` does not fail.
            let _ = writeln!(
                text,
                "{:<44} {:>12.3} {:<6} {:>7} {:>8} {:>8}",
                row.name,
                row.value,
                row.unit,
                row.n,
                factor(row.ratio),
                factor(row.worse_by)
            );
        }
        text
    }
}

impl Row {
    fn parse(row: &Value) -> Result<Self> {
        let number = |key: &str| row.get(key).and_then(Value::as_f64);
        let text = |key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
        let read = || {
            Some(Self {
                name: text("name")?,
                value: number("value")?,
                unit: text("unit")?,
                n: row.get("n")?.as_u64()?,
                baseline: number("baseline"),
                ratio: number("ratio"),
                worse_by: None,
            })
        };
        read().with_context(|| format!("a bench printed `{row}`, which is no row"))
    }

    /// Ratios are compared where both have one: they do not depend on the machine.
    fn worse_than(&self, before: &Self) -> Option<f64> {
        if self.unit != before.unit {
            return None;
        }
        let (now, before) = match (self.ratio, before.ratio) {
            (Some(now), Some(before)) => (now, before),
            // Of work done in a second, less is worse.
            _ if self.unit.ends_with("/s") => (before.value, self.value),
            _ => (self.value, before.value),
        };
        (before > 0.0).then_some(now / before)
    }

    fn to_json(&self) -> Value {
        let mut row = json!({
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "n": self.n,
        });
        if let Some(fields) = row.as_object_mut() {
            for (key, number) in [
                ("baseline", self.baseline),
                ("ratio", self.ratio),
                ("worse_by", self.worse_by),
            ] {
                fields.extend(number.map(|number| (key.to_owned(), json!(number))));
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(printed: &str) -> Table {
        let mut table = Table::default();
        table.take(printed).unwrap();
        table
    }

    fn row(name: &str, value: f64, unit: &str, ratio: Option<f64>) -> String {
        json!({"name": name, "value": value, "unit": unit, "n": 3, "ratio": ratio}).to_string()
    }

    #[test]
    fn both_ways_to_print_rows_are_read_and_the_rest_is_a_note() {
        let (a, b) = (row("a", 1.0, "us", None), row("b", 2.0, "us", Some(4.0)));
        let mut lines = Table::default();
        let notes = lines
            .take(&format!("{a}\n{{\"skipped\":\"c\"}}\n{b}\n"))
            .unwrap();
        assert_eq!(notes, ["{\"skipped\":\"c\"}"]);
        assert_eq!(lines, table(&format!("{{\"rows\":[{a},{b}]}}")));
        assert!(Table::default().take("{\"name\":\"a\"}").is_err());
    }

    #[test]
    fn a_saved_run_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        let run = table(&row("a", 1.5, "us", Some(2.0)));
        run.save(&file).unwrap();
        assert_eq!(Table::read(&file).unwrap(), run);
        fs::write(&file, "{}").unwrap();
        assert!(Table::read(&file).is_err());
    }

    #[test]
    fn worse_is_longer_or_less_in_a_second_and_a_ratio_counts_first() {
        for (now, before, expected) in [
            (
                row("a", 3.0, "us", None),
                row("a", 2.0, "us", None),
                Some(1.5),
            ),
            (
                row("a", 3.0, "MB/s", None),
                row("a", 6.0, "MB/s", None),
                Some(2.0),
            ),
            (
                row("a", 3.0, "us", Some(1.0)),
                row("a", 2.0, "us", Some(2.0)),
                Some(0.5),
            ),
            (row("a", 3.0, "us", None), row("a", 2.0, "ms", None), None),
            (row("a", 3.0, "us", None), row("b", 2.0, "us", None), None),
        ] {
            let mut now = table(&now);
            now.compare(&table(&before));
            assert_eq!(now.rows[0].worse_by, expected);
            let is_worse = expected.is_some_and(|by| by > 1.2);
            assert_eq!(now.worse_than(1.2).len(), usize::from(is_worse));
        }
    }
}
