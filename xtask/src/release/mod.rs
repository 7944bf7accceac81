//! `release`: everything between a clean tree and a release, in one order.
//!
//! The command checks, builds and writes what a release consists of, and ends with the tag's text.
//! It pushes, tags and publishes nothing: those are a person's acts, and the last lines say how.
//!
//! A release writes beneath the target folder, one folder a name, version and commit, with a list
//! of the steps that are done, so that a second run of the same goes on where the first one failed.
//! A dry run takes every step in a temporary folder and leaves nothing behind.

pub(crate) mod api;
mod artefacts;
pub(crate) mod deny;
mod package;
mod readiness;
mod sbom;
mod stage;

use crate::ci;
use crate::tree::Tree;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Arguments of `release`.
#[derive(clap::Args)]
#[command(after_help = "\
Example: cargo xtask release --dry-run 0.1.0
Two of our names are taken in the public registry; `--prefix acme` packages `acme-harness-core` and
so on, with the libraries' names as they are.")]
pub(crate) struct Args {
    /// The version to release: three numbers
    version: String,
    /// Take every step, leave nothing behind
    #[arg(long)]
    dry_run: bool,
    /// What the packages' names begin with
    #[arg(long)]
    prefix: Option<String>,
}

/// One release under way.
struct Release<'a> {
    tree: &'a Tree,
    version: Version,
    prefix: Option<String>,
    commit: String,
    /// Where what it consists of is written.
    folder: PathBuf,
}

/// Three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u64,
    minor: u64,
    patch: u64,
}

/// A step: its name, and what it does; the answer is one line for whoever watches.
type Step = (&'static str, fn(&Release<'_>) -> Result<String>);

/// Cheap ones first. Each but the first two may be taken up again.
const STEPS: &[Step] = &[
    ("clean tree", readiness::clean),
    ("version and changelog", readiness::agreed),
    ("bans, licences, sources", deny::check),
    ("checks", |release| {
        ci::run(release.tree)?;
        Ok("everything that CI runs".to_owned())
    }),
    ("public API", api::compare),
    ("packages", package::build),
    ("bill of materials", sbom::write),
    ("sums", artefacts::sums),
    ("tag text", artefacts::tag),
];

/// Steps that say whether the tree may be released at all, and are taken every time.
const ALWAYS: usize = 2;

/// Which steps are done, one name a line.
const DONE: &str = "done";

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    let version = Version::parse(&args.version).with_context(|| {
        format!(
            "`{}` is no version: write three numbers, as 0.1.0",
            args.version
        )
    })?;
    if let Some(prefix) = args.prefix.as_deref()
        && !is_prefix(prefix)
    {
        bail!("`{prefix}` is no prefix: small letters, digits and `-`, a letter first");
    }
    let commit = readiness::commit(tree)?;
    let temporary = args.dry_run.then(TempDir::new).transpose()?;
    let folder = match &temporary {
        Some(folder) => folder.path().to_path_buf(),
        None => tree.target()?.join("releases").join(format!(
            "{}{version}-{}",
            args.prefix
                .as_deref()
                .map_or_else(String::new, |prefix| format!("{prefix}-")),
            commit.get(..12).unwrap_or(&commit)
        )),
    };
    fs::create_dir_all(&folder)?;
    let release = Release {
        tree,
        version,
        prefix: args.prefix.clone(),
        commit,
        folder,
    };
    release.take_steps()?;
    if args.dry_run {
        println!("release: a dry run; nothing is left behind");
    } else {
        println!("release: in {}", release.folder.display());
        print!("{}", artefacts::what_is_left(&release));
    }
    Ok(())
}

impl Release<'_> {
    fn take_steps(&self) -> Result<()> {
        let mut done = self.done();
        for (at, (name, step)) in STEPS.iter().enumerate() {
            if at >= ALWAYS && done.contains(*name) {
                println!("release: {name}: done before");
                continue;
            }
            let said = step(self).with_context(|| format!("release step `{name}`"))?;
            println!("release: {name}: {said}");
            done.insert((*name).to_owned());
            let list: Vec<&str> = done.iter().map(String::as_str).collect();
            fs::write(self.folder.join(DONE), list.join("\n") + "\n")?;
        }
        Ok(())
    }

    fn done(&self) -> BTreeSet<String> {
        fs::read_to_string(self.folder.join(DONE))
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// A crate's name as it is published.
    fn published(&self, name: &str) -> String {
        match &self.prefix {
            Some(prefix) => format!("{prefix}-{name}"),
            None => name.to_owned(),
        }
    }

    fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.join(name)
    }
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<u64> = text
            .split('.')
            .map(|part| {
                let plain = part == "0" || !part.starts_with('0');
                let digits = part.bytes().all(|byte| byte.is_ascii_digit());
                (plain && digits).then(|| part.parse().ok()).flatten()
            })
            .collect::<Option<_>>()?;
        match numbers[..] {
            [major, minor, patch] => Some(Self {
                major,
                minor,
                patch,
            }),
            _ => None,
        }
    }

    /// Whether a change of what is allowed may come with the step from `before` to this.
    fn may_alter(self, before: Self) -> bool {
        (self.major, self.minor) > (before.major, before.minor)
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

fn is_prefix(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !text.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_three_plain_numbers() {
        for (text, is_version) in [
            ("0.1.0", true),
            ("10.20.30", true),
            ("0.1", false),
            ("0.1.0.0", false),
            ("0.01.0", false),
            ("v0.1.0", false),
            ("0.1.0-rc1", false),
            ("", false),
        ] {
            assert_eq!(Version::parse(text).is_some(), is_version, "{text}");
        }
    }

    #[test]
    fn what_is_allowed_changes_with_a_minor_step_only() {
        let version = |text| Version::parse(text).unwrap();
        assert!(version("0.2.0").may_alter(version("0.1.7")));
        assert!(version("1.0.0").may_alter(version("0.9.0")));
        assert!(!version("0.1.8").may_alter(version("0.1.7")));
        assert!(!version("0.1.7").may_alter(version("0.1.7")));
    }

    #[test]
    fn a_prefix_is_a_package_name_by_itself() {
        for (text, is) in [
            ("acme", true),
            ("a-b1", true),
            ("1a", false),
            ("a-", false),
            ("A", false),
        ] {
            assert_eq!(is_prefix(text), is, "{text}");
        }
    }
}
