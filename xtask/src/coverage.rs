//! `coverage`: how many lines of each crate its tests reach, by cargo-llvm-cov.
//!
//! A line that no test reaches is a place to look; a line that one reaches is not shown to be
//! right. What is missing to measure ends the command with exit code 2, never with a figure.

use crate::tree::{Member, Tree};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Arguments of `coverage`.
#[derive(clap::Args)]
#[command(after_help = "\
Example: cargo xtask coverage harness-core
Builds everything once more, with counters. Exits 2 where a tool that it needs is missing.")]
pub(crate) struct Args {
    /// Crates, each by its own tests; all of them where none is named
    #[arg(value_name = "CRATE")]
    names: Vec<String>,
    /// One JSON document
    #[arg(long)]
    json: bool,
}

/// A tool that is not there, and how to get it.
#[derive(Debug)]
pub(crate) struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// The lines of a crate.
struct Lines {
    name: String,
    all: u64,
    reached: u64,
}

/// The two tools of LLVM that read what the counters counted.
struct Tools {
    cov: PathBuf,
    profdata: PathBuf,
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    let members = tree.members()?;
    for name in &args.names {
        if !members
            .iter()
            .any(|member| member.package.name == name.as_str())
        {
            bail!("there is no crate `{name}`");
        }
    }
    let tools = Tools::find()?;
    let there = tree.cargo(["llvm-cov", "--version"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        bail!(Missing(
            "cargo-llvm-cov is not there: `cargo install --locked cargo-llvm-cov`".to_owned()
        ));
    }
    let mut cargo = tree.cargo(["llvm-cov", "test", "--json", "--summary-only"]);
    cargo.args(["--lib", "--bins", "--test", "it"]);
    cargo
        .env("LLVM_COV", &tools.cov)
        .env("LLVM_PROFDATA", &tools.profdata);
    if args.names.is_empty() {
        cargo.arg("--workspace");
    }
    for name in &args.names {
        cargo.args(["--package", name]);
    }
    let report = tree.target()?.join("coverage.json");
    cargo.arg("--output-path").arg(&report);
    crate::tree::succeed(&mut cargo)?;
    let report: Value =
        serde_json::from_str(&tree.read(&report)?).context("cargo-llvm-cov wrote no JSON")?;
    let wanted = |member: &&Member| {
        args.names.is_empty()
            || args
                .names
                .iter()
                .any(|name| member.package.name == name.as_str())
    };
    let lines: Vec<Lines> = members
        .iter()
        .filter(wanted)
        .map(|member| of_crate(&report, member, tree.root()))
        .collect();
    if lines.iter().all(|lines| lines.all == 0) {
        bail!("cargo-llvm-cov told of no line of ours");
    }
    print!(
        "{}",
        if args.json {
            to_json(&lines)?
        } else {
            text(&lines)
        }
    );
    Ok(())
}

impl Tools {
    /// As the variables of cargo-llvm-cov name them, as the toolchain has them, or as a system
    /// package of the toolchain's own version of LLVM does.
    fn find() -> Result<Self> {
        if let (Some(cov), Some(profdata)) = (env::var_os("LLVM_COV"), env::var_os("LLVM_PROFDATA"))
        {
            return Ok(Self {
                cov: cov.into(),
                profdata: profdata.into(),
            });
        }
        let about = rustc(&["-vV"])?;
        let told = |key: &str| about.lines().find_map(|line| line.strip_prefix(key));
        let host = told("host: ").context("rustc does not say for what it builds")?;
        let llvm = told("LLVM version: ").context("rustc does not say which LLVM it has")?;
        let major = llvm.split('.').next().unwrap_or(llvm);
        let sysroot = PathBuf::from(rustc(&["--print", "sysroot"])?.trim());
        [
            sysroot.join("lib/rustlib").join(host).join("bin"),
            PathBuf::from(format!("/usr/lib/llvm-{major}/bin")),
        ]
        .iter()
        .map(|folder| Self {
            cov: folder.join("llvm-cov"),
            profdata: folder.join("llvm-profdata"),
        })
        .find(|tools| tools.cov.is_file() && tools.profdata.is_file())
        .ok_or_else(|| {
            Missing(format!(
                "llvm-cov and llvm-profdata {major} are not there: `rustup component add \
                 llvm-tools`, or the system's package llvm-{major}"
            ))
            .into()
        })
    }
}

fn rustc(args: &[&str]) -> Result<String> {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let output = rustc.args(args).stderr(Stdio::inherit()).output();
    let output = output.context("rustc could not be run")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Adds up what the report says of the files under a crate's `src`.
fn of_crate(report: &Value, member: &Member, root: &Path) -> Lines {
    let source = root.join(&member.folder).join("src");
    let files = report.pointer("/data/0/files").and_then(Value::as_array);
    let mut lines = Lines {
        name: member.package.name.to_string(),
        all: 0,
        reached: 0,
    };
    for file in files.into_iter().flatten() {
        let name = file.get("filename").and_then(Value::as_str);
        if name.is_some_and(|name| Path::new(name).starts_with(&source)) {
            let number = |path: &str| file.pointer(path).and_then(Value::as_u64).unwrap_or(0);
            lines.all += number("/summary/lines/count");
            lines.reached += number("/summary/lines/covered");
        }
    }
    lines
}

impl Lines {
    fn percent(&self) -> f64 {
        if self.all == 0 {
            return 0.0;
        }
        // Hundredths, and far below 2^53.
        (self.reached * 10_000 / self.all) as f64 / 100.0
    }
}

fn text(lines: &[Lines]) -> String {
    let row = |lines: &Lines| {
        format!(
            "{:<20} {:>8} of {:>8} lines {:>7.2} %\n",
            lines.name,
            lines.reached,
            lines.all,
            lines.percent()
        )
    };
    lines.iter().map(row).chain([row(&total(lines))]).collect()
}

fn to_json(lines: &[Lines]) -> Result<String> {
    let row = |lines: &Lines| {
        json!({
            "name": lines.name,
            "lines": lines.all,
            "reached": lines.reached,
            "percent": lines.percent(),
        })
    };
    let crates: Vec<Value> = lines.iter().map(row).collect();
    let document = json!({ "crates": crates, "total": row(&total(lines)) });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn total(lines: &[Lines]) -> Lines {
    Lines {
        name: "all".to_owned(),
        all: lines.iter().map(|lines| lines.all).sum(),
        reached: lines.iter().map(|lines| lines.reached).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_crate_are_those_of_its_source() {
        let tree = Tree::here().unwrap();
        let members = tree.members().unwrap();
        let core = members
            .iter()
            .find(|m| m.package.name == "harness-core")
            .unwrap();
        let file = |name: &str, count: u64, covered: u64| {
            json!({
                "filename": tree.root().join(name),
                "summary": { "lines": { "count": count, "covered": covered } },
            })
        };
        let files = [
            file("harness-core/src/id.rs", 10, 9),
            file("harness-core/src/text/mod.rs", 10, 10),
            file("harness-core/tests/it/main.rs", 100, 0),
            file("harness-cli/src/main.rs", 100, 0),
        ];
        let lines = of_crate(&json!({ "data": [{ "files": files }] }), core, tree.root());
        assert_eq!((lines.all, lines.reached), (20, 19));
        assert_eq!(text(&[lines]).lines().count(), 2);
    }

    #[test]
    fn a_share_is_told_and_of_nothing_it_is_nothing() {
        let lines = |all, reached| Lines {
            name: String::new(),
            all,
            reached,
        };
        assert_eq!(lines(3, 2).percent(), 66.66);
        assert_eq!(lines(0, 0).percent(), 0.0);
    }
}
