//! `gates`: shows that each check can fail.
//!
//! In a copy of the tree one violation is planted at a time; its check must turn red and say what
//! was planted, and must be green before and after. The copy builds into the same target folder
//! as the tree, so that outside crates are compiled once.

mod plants;

use crate::harness::{Harness, Profile};
use crate::release::deny;
use crate::tree::Tree;
use crate::{conversations, experiments, surface, tidy};
use anyhow::{Context, Result, bail};
use plants::{Check, PLANTS, Plant};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Arguments of `gates`.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo xtask gates surface")]
pub(crate) struct Args {
    /// Only the plants whose check or description has this in it
    filter: Option<String>,
}

impl Args {
    /// Every plant.
    pub(crate) fn all() -> Self {
        Self { filter: None }
    }
}

/// The last gates, which need a binary rather than a copy of the tree.
const EDITED_JOURNAL: &str = "audit: an edited byte in the journal";
const BROKEN_READER: &str = "abab: a reader that reads nothing";

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    let wanted = |name: &str| args.filter.as_deref().is_none_or(|f| name.contains(f));
    let plants: Vec<&Plant> = PLANTS
        .iter()
        .filter(|plant| wanted(&plant.name()))
        .collect();
    let mut shown = plants.len();
    if !plants.is_empty() {
        let nursery = Nursery::copy(tree)?;
        let mut green: Vec<Check> = Vec::new();
        for plant in plants {
            if !green.contains(&plant.check) {
                nursery.expect_green(plant.check)?;
                green.push(plant.check);
            }
            nursery.show(plant).with_context(|| plant.name())?;
            println!("gates: red, then green: {}", plant.name());
        }
        fs::remove_dir_all(nursery.tree.root())?;
    }
    if wanted(EDITED_JOURNAL) {
        shown += 1;
        edited_journal(tree).context(EDITED_JOURNAL)?;
        println!("gates: red, then green: {EDITED_JOURNAL}");
    }
    if wanted(BROKEN_READER) {
        shown += 1;
        experiments::abab_can_fail(tree).context(BROKEN_READER)?;
        println!("gates: red, then green: {BROKEN_READER}");
    }
    if shown == 0 {
        bail!("no gate has that in its name");
    }
    Ok(())
}

/// The copy.
struct Nursery {
    tree: Tree,
    target: PathBuf,
}

impl Nursery {
    /// Copies what git would see. The place is always the same, so that what was built for the
    /// last copy is replaced rather than piled up.
    fn copy(tree: &Tree) -> Result<Self> {
        let target = tree.target()?;
        let root = target.join("gates");
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        for file in tree.files()? {
            let to = root.join(&file);
            fs::create_dir_all(to.parent().unwrap_or(&root))?;
            fs::copy(tree.root().join(&file), to)
                .with_context(|| format!("cannot copy `{}`", file.display()))?;
        }
        // A repository of its own: beneath the target folder the outer one ignores everything.
        let mut git = Command::new("git");
        git.args(["init", "--quiet"]).current_dir(&root);
        crate::tree::succeed(&mut git)?;
        Ok(Self {
            tree: Tree::copy_at(root),
            target,
        })
    }

    fn show(&self, plant: &Plant) -> Result<()> {
        let file = self.tree.root().join(plant.file);
        let before = plant.edit.apply(&file)?;
        let said = self.complaints(plant.check)?;
        match before {
            Some(text) => fs::write(&file, text)?,
            None => fs::remove_file(&file)?,
        }
        if said.is_empty() {
            bail!("the check stayed green");
        }
        if !said.contains(plant.red) {
            bail!(
                "the check is red, but does not say `{}`:\n{}",
                plant.red,
                opening(&said)
            );
        }
        self.expect_green(plant.check)
    }

    fn expect_green(&self, check: Check) -> Result<()> {
        let said = self.complaints(check)?;
        if !said.is_empty() {
            bail!("the check is red without a plant:\n{}", opening(&said));
        }
        Ok(())
    }

    /// What a check says; nothing if it is green.
    fn complaints(&self, check: Check) -> Result<String> {
        let text = |found: Result<Vec<String>>| match found {
            Ok(found) => found.join("\n"),
            Err(error) => format!("{error:#}"),
        };
        match check {
            Check::Surface => Ok(text(surface::check(&self.tree))),
            Check::Tidy => Ok(text(tidy::check(&self.tree))),
            Check::Deny => said_in_failure(&mut deny::command(&self.tree)),
            Check::Format => self.cargo(&["fmt", "--all", "--check", "--", "--color", "never"]),
            Check::Clippy(name) => self.cargo(&[
                "clippy",
                "--quiet",
                "--package",
                name,
                "--lib",
                "--",
                "-D",
                "warnings",
            ]),
            Check::Docs(name) => self.cargo(&["doc", "--quiet", "--no-deps", "--package", name]),
        }
    }

    fn cargo(&self, args: &[&str]) -> Result<String> {
        let mut cargo = self.tree.cargo(args);
        cargo
            .env("CARGO_TARGET_DIR", &self.target)
            .env("RUSTDOCFLAGS", "-D warnings");
        said_in_failure(&mut cargo)
    }
}

/// What a command that failed has said; nothing of one that succeeded.
fn said_in_failure(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::new());
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    Ok(format!(
        "{stdout}{}",
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// As much of a check's words as an error may repeat.
fn opening(said: &str) -> String {
    const LINES: usize = 30;
    said.lines().take(LINES).collect::<Vec<_>>().join("\n")
}

/// A workspace audits clean, then not with one bit of its journal changed, then clean again.
fn edited_journal(tree: &Tree) -> Result<()> {
    const SESSIONS: usize = 3;
    let harness = Harness::build(tree, Profile::Dev)?;
    harness.succeed("init", [""; 0])?;
    conversations::write(&harness.traces(), 0, SESSIONS)?;
    harness.ingest(&[&harness.traces()])?;

    let journal = harness.root().join("journal.jsonl");
    let written = fs::read(&journal)?;
    let mut edited = written.clone();
    let middle = edited.len() / 2;
    *edited.get_mut(middle).context("the journal is empty")? ^= 1;

    expect_audit(&harness, 0)?;
    fs::write(&journal, edited)?;
    expect_audit(&harness, 1)?;
    fs::write(&journal, written)?;
    expect_audit(&harness, 0)
}

fn expect_audit(harness: &Harness, code: i32) -> Result<()> {
    let output = harness.output("audit", [""; 0])?;
    if output.status.code() != Some(code) {
        bail!(
            "`harness audit` ended with {}, not {code}: {}",
            output.status,
            String::from_utf8_lossy(&output.stdout)
        );
    }
    Ok(())
}
