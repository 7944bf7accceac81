//! `review`: one page on one crate, for whoever audits it.
//!
//! Everything on the page is read or run now: the promises from the docs of the crate's root, what
//! holds and shows each from `docs/promises.md`, the tests by one run of cargo, the surface from
//! the text, outside crates from their sources. What the page cannot tell stands on it.

mod outside;
mod page;
mod proofs;

use crate::apis::KINDS;
use crate::cited::{Cited, Place};
use crate::promises::{self, Name, PAGE, Promise};
use crate::surface::{self, Surface};
use crate::tree::{Member, Tree};
use crate::{fuzz, release};
use anyhow::{Context, Result, bail};
use outside::Outside;
use proofs::{Proofs, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Arguments of `review`.
#[derive(clap::Args)]
#[command(after_help = "\
Example: cargo xtask review harness-core
Exits 1 where a promise has no item, no test, or a test that fails.")]
pub(crate) struct Args {
    /// The crate
    #[arg(value_name = "CRATE")]
    name: String,
    /// One JSON document
    #[arg(long)]
    json: bool,
}

/// The page.
struct Review {
    name: String,
    version: String,
    /// The first line of the root's docs.
    about: String,
    promises: Vec<Kept>,
    /// Crates of ours that it names, and those that only its tests name.
    arrows: BTreeSet<String>,
    dev_arrows: BTreeSet<String>,
    outside: Vec<Outside>,
    /// Kind of API, and where which one is used.
    uses: BTreeMap<&'static str, BTreeSet<String>>,
    /// What differs from the surface record.
    unrecorded: Vec<String>,
    api: BTreeSet<String>,
    must_not_compile: Vec<Barred>,
    fuzzed_by: Vec<&'static str>,
}

/// A promise with what holds and what shows it.
struct Kept {
    promise: Promise,
    held_by: Vec<Held>,
    shown_by: Vec<Shown>,
}

/// What holds a promise, and where it stands; a section of the surface record stands nowhere.
struct Held {
    name: String,
    place: Option<Place>,
    there: bool,
}

/// What shows a promise, and how that came out.
struct Shown {
    name: String,
    place: Option<Place>,
    verdict: Verdict,
}

/// What does not compile, and what the compiler says of it.
struct Barred {
    name: String,
    says: String,
}

impl Kept {
    fn is_held(&self) -> bool {
        let is = |held: &Held| held.there;
        let shows = |shown: &Shown| shown.verdict == Verdict::Passed;
        !self.held_by.is_empty()
            && !self.shown_by.is_empty()
            && self.held_by.iter().all(is)
            && self.shown_by.iter().all(shows)
    }
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    let review = Review::of(tree, &args.name)?;
    print!(
        "{}",
        if args.json {
            review.json()?
        } else {
            review.text()
        }
    );
    let loose = review
        .promises
        .iter()
        .filter(|kept| !kept.is_held())
        .count();
    if review.promises.is_empty() {
        bail!("`{}` promises nothing", review.name);
    }
    if loose > 0 {
        bail!(
            "{loose} promise(s) of `{}` are not held, or not shown",
            review.name
        );
    }
    if !review.unrecorded.is_empty() {
        bail!(
            "the surface of `{}` is not as recorded: `cargo xtask surface`",
            review.name
        );
    }
    Ok(())
}

impl Review {
    fn of(tree: &Tree, name: &str) -> Result<Self> {
        let (files, members) = (tree.rust_files()?, tree.members()?);
        let member = members
            .iter()
            .find(|member| member.package.name == name)
            .with_context(|| {
                let names: Vec<&str> = members.iter().map(|m| m.package.name.as_str()).collect();
                format!("there is no crate `{name}`; there are {}", names.join(", "))
            })?;
        let cited = Cited::of(tree, &files, &members);
        let found = surface::collect(tree)?;
        let record = surface::record(&tree.read(surface::FILE)?)?;
        let own = |surface: &Surface| {
            let of = surface.get(name).cloned().unwrap_or_default();
            Surface::from([(name.to_owned(), of)])
        };
        let section = |section: &str| {
            let of = found.get(name).and_then(|of| of.get(section));
            of.cloned().unwrap_or_default()
        };
        let root = cited
            .root(member)?
            .map(|(_, text)| text)
            .unwrap_or_default();
        let about = root.lines().find_map(|line| line.strip_prefix("//! "));
        Ok(Self {
            name: name.to_owned(),
            version: member.package.version.to_string(),
            about: about.unwrap_or_default().to_owned(),
            promises: kept(tree, &cited, member, &root, &found)?,
            arrows: section(surface::ARROWS),
            dev_arrows: section(surface::DEV_ARROWS),
            outside: outside::of(tree, member, &section(surface::OUTSIDE))?,
            uses: KINDS
                .iter()
                .map(|kind| (kind.name, section(kind.name)))
                .collect(),
            unrecorded: surface::difference(&own(&record), &own(&found)),
            api: release::api::of_crate(tree, member)?,
            must_not_compile: barred(tree, member)?,
            fuzzed_by: fuzz::targets_of(name),
        })
    }
}

/// The promises of a crate, each with its row; its tests are run.
fn kept(
    tree: &Tree,
    cited: &Cited<'_>,
    member: &Member,
    root: &str,
    found: &Surface,
) -> Result<Vec<Kept>> {
    let page = cited.page(PAGE)?.unwrap_or_default();
    let rows = promises::rows(&page);
    let tied = promises::tied(&member.package.name, root, &rows);
    let mut proofs = Proofs::default();
    for name in tied
        .iter()
        .flat_map(|(_, rows)| rows)
        .flat_map(|row| row.shown_by())
    {
        if let Name::Code(test) = name {
            proofs.want(cited, &test)?;
        }
    }
    proofs.run(tree, cited)?;
    let mut promises = Vec::new();
    for (promise, rows) in tied {
        let mut kept = Kept {
            promise,
            held_by: Vec::new(),
            shown_by: Vec::new(),
        };
        for row in rows {
            for name in row.held_by() {
                let (place, there) = match &name {
                    Name::Code(item) => {
                        let place = cited.item(item)?;
                        let there = place.is_some();
                        (place, there)
                    }
                    Name::Surface(section) => {
                        (None, promises::breach(row, section, found).is_none())
                    }
                };
                let name = name.to_string();
                kept.held_by.push(Held { name, place, there });
            }
            for name in row.shown_by() {
                let (place, verdict) = match &name {
                    Name::Code(test) => (cited.test(test)?, proofs.verdict(test)),
                    Name::Surface(section) => match promises::breach(row, section, found) {
                        None => (None, Verdict::Passed),
                        Some(_) => (None, Verdict::Failed),
                    },
                };
                let name = name.to_string();
                kept.shown_by.push(Shown {
                    name,
                    place,
                    verdict,
                });
            }
        }
        promises.push(kept);
    }
    Ok(promises)
}

/// What must not compile, by the pinned messages.
fn barred(tree: &Tree, member: &Member) -> Result<Vec<Barred>> {
    let folder = member.folder.join("tests/ui");
    let mut barred = Vec::new();
    let Ok(entries) = fs::read_dir(tree.root().join(&folder)) else {
        return Ok(barred);
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "stderr") {
            let message = fs::read_to_string(&path)?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            barred.push(Barred {
                name: name.into_owned(),
                says: message.lines().next().unwrap_or_default().to_owned(),
            });
        }
    }
    barred.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(barred)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(there: &[bool], verdicts: &[Verdict]) -> Kept {
        let name = || "a-b::c".to_owned();
        let held = |&there: &bool| Held {
            name: name(),
            place: None,
            there,
        };
        let shown = |&verdict: &Verdict| Shown {
            name: name(),
            place: None,
            verdict,
        };
        Kept {
            promise: Promise {
                heading: "Never",
                text: "No network.".to_owned(),
            },
            held_by: there.iter().map(held).collect(),
            shown_by: verdicts.iter().map(shown).collect(),
        }
    }

    #[test]
    fn a_promise_is_held_by_an_item_and_by_tests_that_all_pass() {
        use Verdict::{Failed, NotFound, Passed};
        for (there, verdicts, is_held) in [
            (&[true][..], &[Passed, Passed][..], true),
            (&[], &[Passed], false),
            (&[true], &[], false),
            (&[true, false], &[Passed], false),
            (&[true], &[Passed, Failed], false),
            (&[true], &[Passed, NotFound], false),
        ] {
            assert_eq!(kept(there, verdicts).is_held(), is_held);
        }
    }

    #[test]
    fn both_pages_say_what_is_not_held() {
        let review = Review {
            name: "a-b".to_owned(),
            version: "0.1.0".to_owned(),
            about: "A crate.".to_owned(),
            promises: vec![kept(&[true], &[Verdict::Failed])],
            arrows: BTreeSet::new(),
            dev_arrows: BTreeSet::new(),
            outside: Vec::new(),
            uses: BTreeMap::from([("network", BTreeSet::new())]),
            unrecorded: Vec::new(),
            api: BTreeSet::new(),
            must_not_compile: Vec::new(),
            fuzzed_by: Vec::new(),
        };
        let text = review.text();
        assert!(text.contains("[NOT HELD] No network.") && text.contains("failed    a-b::c"));
        assert!(text.contains("network: none"));
        let json: serde_json::Value = serde_json::from_str(&review.json().unwrap()).unwrap();
        assert_eq!(json["promises"][0]["held"], false);
        assert_eq!(json["promises"][0]["shown_by"][0]["result"], "failed");
        assert!(!json["limits"].as_array().unwrap().is_empty());
    }
}
