//! `escape`: whether anything gets out of a sandbox, as root and as an unprivileged user.
//!
//! The suite is an example of harness-shell, one run for each backend and user. A backend that is
//! missing, or a user that cannot be had, counts as skipped, and a skip fails.

use crate::tree::{self, Tree};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// What the suite asks for; docker's daemon is nowhere where this runs.
const BACKENDS: &[&str] = &["native", "bubblewrap", "firejail"];
/// A case looks whether this is inherited.
const SECRET: (&str, &str) = ("HARNESS_ESCAPE_SECRET", "not for the command");
/// The first number of an ordinary user, and the one of nobody.
const FIRST_USER: u32 = 1000;
const NOBODY: u32 = 65_534;

/// Arguments of `escape`.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo xtask escape --json")]
pub(crate) struct Args {
    /// The counts as one JSON object
    #[arg(long)]
    json: bool,
    /// Every case for the native backend, every fourth for the others
    #[arg(long)]
    short: bool,
}

impl Args {
    /// As `ci` runs it.
    pub(crate) const fn short() -> Self {
        Self {
            json: false,
            short: true,
        }
    }
}

/// Who runs the suite.
#[derive(Clone, Copy)]
enum User {
    /// Whoever runs this.
    Caller,
    /// An account, its user and group.
    Account(u32, u32),
}

#[derive(Default)]
struct Count {
    escaped: u64,
    skipped: u64,
    broken: u64,
    cases: u64,
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    let mut cargo = tree.cargo(["build", "--quiet", "--package", "harness-shell"]);
    tree::succeed(cargo.args(["--example", "escape"]))?;
    // A copy that any user can get at.
    let folder = TempDir::with_prefix("harness-xtask-").context("no temporary folder")?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    let suite = folder.path().join("escape");
    fs::copy(tree.target()?.join("debug/examples/escape"), &suite)?;

    let mut count = Count::default();
    let is_root = fs::metadata(folder.path())?.uid() == 0;
    let users = if is_root {
        let mut users = vec![User::Caller];
        match account()? {
            Some((user, group)) => users.push(User::Account(user, group)),
            None => {
                count.skipped += 1;
                eprintln!("escape: no account of an ordinary user; `useradd` makes one");
            }
        }
        users
    } else {
        count.skipped += 1;
        eprintln!("escape: not run as root, so not tried as root");
        vec![User::Caller]
    };
    for user in users {
        // Side by side where each has a user of its own, for the kernel counts processes by user.
        let at_once = match user {
            User::Caller if is_root => BACKENDS.len(),
            _ => 1,
        };
        for backends in BACKENDS.chunks(at_once) {
            let started: Vec<Child> = backends
                .iter()
                .map(|backend| start(&suite, backend, user, args))
                .collect::<Result<_>>()?;
            for child in started {
                count.add(child, args)?;
            }
        }
    }
    let Count {
        escaped,
        skipped,
        broken,
        cases,
    } = count;
    println!(
        "{}",
        if args.json {
            json!({"escaped": escaped, "skipped": skipped, "broken": broken, "cases": cases})
                .to_string()
        } else {
            format!("escape: {cases} cases, {escaped} escaped, {skipped} skipped, {broken} broken")
        }
    );
    if [escaped, skipped, broken] != [0; 3] || cases == 0 {
        bail!("not every attack was refused beside a twin that works");
    }
    Ok(())
}

fn start(suite: &Path, backend: &str, user: User, args: &Args) -> Result<Child> {
    let mut command = Command::new(suite);
    command
        .arg(backend)
        .args(args.short.then_some("--short"))
        .env(SECRET.0, SECRET.1)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if let User::Account(user, group) = user {
        command.uid(user).gid(group);
    }
    command.spawn().context("the suite does not start")
}

impl Count {
    /// Adds what a run says in its last line; the lines before it are shown if something is wrong.
    fn add(&mut self, child: Child, args: &Args) -> Result<()> {
        let output = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let rows: Vec<Value> = said
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()
            .context("the suite does not speak JSON")?;
        let (last, rows) = rows.split_last().context("the suite says nothing")?;
        for row in rows {
            let is_right =
                row["attack"] == "refused" && row["twin"] == "works" && row["bare"] != "fails";
            if !is_right {
                eprintln!("escape: {row}");
            } else if !args.json {
                let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
                let [backend, user, case] = ["backend", "user", "case"].map(text);
                println!("refused {backend:<10} {user:<12} {case}");
            }
        }
        let number = |key: &str| last[key].as_u64().with_context(|| format!("no `{key}`"));
        self.escaped += number("escaped")?;
        self.skipped += number("skipped")?;
        self.broken += number("broken")?;
        self.cases += number("cases")?;
        Ok(())
    }
}

/// The first account of an ordinary user: firejail runs for nobody else.
fn account() -> Result<Option<(u32, u32)>> {
    let accounts = fs::read_to_string("/etc/passwd").context("no accounts")?;
    let numbers = accounts.lines().filter_map(|line| {
        let mut fields = line.split(':').skip(2);
        let user = fields.next()?.parse::<u32>().ok()?;
        Some((user, fields.next()?.parse::<u32>().ok()?))
    });
    let mut ordinary = numbers.filter(|(user, _)| *user >= FIRST_USER && *user != NOBODY);
    Ok(ordinary.next())
}
