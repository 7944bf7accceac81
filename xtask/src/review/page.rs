//! The page, for people and for programs.

use super::{Kept, Review};
use crate::cited::Place;
use anyhow::Result;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What the page cannot tell.
const LIMITS: &[&str] = &[
    "a test shows what it tries, on this machine and at this time; it proves nothing of every input",
    "APIs are found by their names in the crate's own text: not in outside crates, not in what a \
     macro writes, not as a method of a value; reading a file is not looked for",
    "outside crates are those of default features on x86-64 Linux; lines and `unsafe` are counted \
     in all of their sources, code for other platforms and features included, tests left out",
    "a licence is what the crate's manifest says",
    "the public API is what rustdoc shows: hidden items are not in it",
    "what must not compile was tried in the cases named, with this compiler",
];

impl Review {
    /// As text.
    pub(super) fn text(&self) -> String {
        let mut page = format!("{} {}\n{}\n", self.name, self.version, self.about);
        // Writing to a `String` does not fail.
        let _ = self.write(&mut page);
        page
    }

    fn write(&self, page: &mut String) -> std::fmt::Result {
        for heading in ["Promises", "Never"] {
            writeln!(page, "\n{heading}")?;
            let under = |kept: &&Kept| kept.promise.heading == heading;
            for kept in self.promises.iter().filter(under) {
                let held = if kept.is_held() { "held" } else { "NOT HELD" };
                writeln!(page, "  [{held}] {}", kept.promise.text)?;
                for held in &kept.held_by {
                    let there = if held.there { "by" } else { "NOT FOUND" };
                    writeln!(
                        page,
                        "    {there:<9} {}{}",
                        held.name,
                        at(held.place.as_ref())
                    )?;
                }
                for shown in &kept.shown_by {
                    let verdict = shown.verdict.name();
                    writeln!(
                        page,
                        "    {verdict:<9} {}{}",
                        shown.name,
                        at(shown.place.as_ref())
                    )?;
                }
            }
        }
        list(page, "Arrows, to crates of ours", &self.arrows)?;
        list(page, "Arrows of its tests alone", &self.dev_arrows)?;
        writeln!(
            page,
            "\nOutside crates, the ones it names first ({})",
            self.outside.len()
        )?;
        for outside in &self.outside {
            writeln!(
                page,
                "  {} {} {}, {}, {} lines, {} unsafe",
                if outside.is_direct { "*" } else { " " },
                outside.name,
                outside.version,
                outside.licence,
                outside.lines,
                outside.unsafes
            )?;
        }
        writeln!(page, "\nUse of APIs")?;
        for (kind, entries) in &self.uses {
            if entries.is_empty() {
                writeln!(page, "  {kind}: none")?;
            }
            for entry in entries {
                writeln!(page, "  {kind}: {entry}")?;
            }
        }
        list(page, "Not as recorded in the surface", &self.unrecorded)?;
        writeln!(
            page,
            "\nWhat must not compile ({})",
            self.must_not_compile.len()
        )?;
        for barred in &self.must_not_compile {
            writeln!(page, "  {}: {}", barred.name, barred.says)?;
        }
        list(page, "Fuzz targets", &self.fuzzed_by)?;
        list(page, "Public API", &self.api)?;
        list(page, "What this page cannot tell", LIMITS)
    }

    /// As one JSON document.
    pub(super) fn json(&self) -> Result<String> {
        let promises: Vec<Value> = self.promises.iter().map(promise).collect();
        let outside: Vec<Value> = self
            .outside
            .iter()
            .map(|outside| {
                json!({
                    "name": outside.name,
                    "version": outside.version,
                    "licence": outside.licence,
                    "direct": outside.is_direct,
                    "lines": outside.lines,
                    "unsafe": outside.unsafes,
                })
            })
            .collect();
        let barred: Vec<Value> = self
            .must_not_compile
            .iter()
            .map(|barred| json!({ "name": barred.name, "says": barred.says }))
            .collect();
        let document = json!({
            "crate": self.name,
            "version": self.version,
            "about": self.about,
            "promises": promises,
            "arrows": self.arrows,
            "dev_arrows": self.dev_arrows,
            "outside": outside,
            "uses": self.uses,
            "unrecorded": self.unrecorded,
            "must_not_compile": barred,
            "fuzz_targets": self.fuzzed_by,
            "api": self.api,
            "limits": LIMITS,
        });
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }
}

fn promise(kept: &Kept) -> Value {
    let held_by: Vec<Value> = kept
        .held_by
        .iter()
        .map(|held| {
            json!({
                "name": held.name,
                "found": held.there,
                "place": held.place.as_ref().map(Place::to_string),
            })
        })
        .collect();
    let shown_by: Vec<Value> = kept
        .shown_by
        .iter()
        .map(|shown| {
            json!({
                "name": shown.name,
                "result": shown.verdict.name(),
                "place": shown.place.as_ref().map(Place::to_string),
            })
        })
        .collect();
    json!({
        "heading": kept.promise.heading,
        "text": kept.promise.text,
        "held": kept.is_held(),
        "held_by": held_by,
        "shown_by": shown_by,
    })
}

fn at(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| format!(" ({place})"))
}

/// A heading with how many there are, and each on a line.
fn list<T: std::fmt::Display>(
    page: &mut String,
    heading: &str,
    entries: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
) -> std::fmt::Result {
    let entries = entries.into_iter();
    writeln!(page, "\n{heading} ({})", entries.len())?;
    for entry in entries {
        writeln!(page, "  {entry}")?;
    }
    Ok(())
}
