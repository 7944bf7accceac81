//! Decisions, in microseconds: the default policy of the restricted shell (`policy/…`) and the
//! policy for any command (`general/…`), each in a folder that exists, and on lines of 4 KiB.
//!
//! Goals: 5 µs for a command by the default policy, 50 µs for a line of 4 KiB. `held` asks the file
//! system about each path, which costs one call of the system a path and two more a folder; the
//! rows without it judge by spelling. The `adversarial` rows are lines made to be slow.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use harness_shell::general::{CommandText, Context, decide};
use harness_shell::{ShellPolicy, Workspace};

use crate::Row;

/// Batches of each measurement.
const BATCHES: usize = 501;
/// Decisions a batch: few, so that most batches end before the scheduler takes the core away.
const A_BATCH: u32 = 4;
/// Bytes of a long line.
const LONG: usize = 4096;

pub(crate) fn rows() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["notes.txt", "a.json"] {
        std::fs::write(folder.path().join(name), "{}").expect("a file");
    }
    std::fs::create_dir(folder.path().join("src")).expect("a folder");
    for at in 0..LONG / 12 {
        std::fs::write(folder.path().join(format!("src/m{at:03}.rs")), "").expect("a file");
    }
    let workspace = Workspace::open(folder.path(), &[]).expect("a workspace");
    let mut rows = Vec::new();

    let policy = ShellPolicy::standard()
        .expect("it loads")
        .load(workspace.clone(), &[]);
    for (name, line) in [
        ("cat", "cat -n notes.txt".to_owned()),
        ("jq", "jq -r '.a | length' a.json".to_owned()),
        ("ls", "ls -la".to_owned()),
        ("refused", "jq -n env".to_owned()),
        ("4_kib_program", long("jq '", ".a | ", ". ' a.json")),
    ] {
        let line = line.as_str();
        rows.push(row(&format!("policy/{name}"), || {
            drop(black_box(policy.decide_line(black_box(line))))
        }));
    }

    let held = Context::of(workspace);
    let spelled = Context::by_spelling(Path::new("/srv/workspace")).expect("it is absolute");
    let script = long("", SCRIPT, "");
    let paths: String = (0..LONG / 12)
        .map(|at| format!("src/m{at:03}.rs "))
        .collect();
    let paths = format!("cat {}", &paths[..LONG - 12]);
    for (name, line) in [
        ("short", "ls -la src | grep -n main | head -5"),
        ("denied", "cd src && sudo ls"),
        ("4_kib_words", &*long("echo ", "some words and more ", "")),
        ("4_kib_script", &*script),
        (
            "4_kib_document",
            &*long("cat <<'E'\n", "a line of a document\n", "E\n"),
        ),
        ("4_kib_paths", &*paths),
    ] {
        rows.push(row(&format!("general/{name}"), || judge(line, &spelled)));
        rows.push(row(&format!("general/{name}/held"), || judge(line, &held)));
    }

    for (name, part) in [
        ("opened", "$("),
        ("arithmetic", "$(("),
        ("back_ticks", "`a"),
        ("braces", "${a:-"),
        ("quotes", "\"'"),
        ("subshells", "( "),
        ("functions", "f() "),
        ("documents", "<<E "),
        ("wrappers", "env "),
        ("lists", "a;"),
        ("substitutions", "$(a) "),
        ("shells", "bash -c "),
        ("case", "case a in "),
    ] {
        let line = long("", part, "");
        rows.push(row(&format!("adversarial/{name}"), || {
            judge(&line, &spelled)
        }));
    }
    rows
}

fn judge(line: &str, context: &Context) {
    black_box(decide(CommandText::Line(black_box(line)), context));
}

/// A part of a script: two commands, and what is said about them.
const SCRIPT: &str = "\
if [ -f notes.txt ]; then wc -l notes.txt; fi
# What follows is a remark of some length, as scripts have them: what the line above is there for,
# and what is to be thought of before it is changed.
";

/// A line of [`LONG`] bytes or a little less.
fn long(start: &str, part: &str, end: &str) -> String {
    let room = LONG.saturating_sub(start.len() + end.len());
    format!("{start}{}{end}", part.repeat(room / part.len()))
}

/// The median of the batches' means.
fn row(name: &str, run: impl Fn()) -> Row {
    run();
    let mut means: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            (0..A_BATCH).for_each(|_| run());
            start.elapsed().as_secs_f64() * 1e6 / f64::from(A_BATCH)
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    Row {
        name: format!("decision/{name}"),
        value: means[BATCHES / 2],
        unit: "us",
        n: BATCHES,
        baseline: None,
    }
}
