//! Every case against every backend.

use std::fs;
use std::process::ExitCode;

use harness_shell::{Backend, Ended, Limits, Sandbox, Unfit};
use rustix::process::geteuid;
use serde_json::{Value, json};

use crate::cases::{Bare, CASES, Case, Way};
use crate::stage::Stage;

/// Backends that the suite asks for. Of docker only the client may be here; it refuses by itself.
const BACKENDS: [Backend; 3] = [Backend::Native, Backend::Bubblewrap, Backend::Firejail];

/// The first number of an ordinary user, and the one of nobody.
const FIRST_USER: u32 = 1000;
const NOBODY: u32 = 65_534;
/// Numbers from here on belong to no account.
const NOBODYS: u32 = 62_000;

/// Cases that the short form goes on by.
const FOURTH: usize = 4;

/// What the host's environment must hold, for a case to look for.
const SECRET: &str = "HARNESS_ESCAPE_SECRET";

#[derive(Default)]
struct Count {
    escaped: u32,
    skipped: u32,
    broken: u32,
    cases: u32,
}

/// A stage with a sandbox, for all cases of the same limits.
struct Ground {
    limits: Limits,
    stage: Stage,
    sandbox: Sandbox,
}

/// Runs the suite.
pub(crate) fn run(arguments: impl Iterator<Item = String>) -> ExitCode {
    let (options, wanted): (Vec<String>, Vec<String>) =
        arguments.partition(|argument| argument.starts_with("--"));
    let is_short = match options.as_slice() {
        [] => false,
        [option] if option == "--short" => true,
        _ => panic!("the one option is --short"),
    };
    assert!(
        std::env::var_os(SECRET).is_some(),
        "set {SECRET}: a case looks whether it is inherited"
    );
    let is_root = geteuid().is_root();
    let user = if is_root { "root" } else { "unprivileged" };
    let mut count = Count::default();
    let is_wanted =
        |backend: &Backend| wanted.is_empty() || wanted.iter().any(|name| name == backend.name());
    for backend in BACKENDS.into_iter().filter(is_wanted) {
        let owner = if is_root {
            owner(backend)
        } else {
            geteuid().as_raw()
        };
        let mut grounds = Vec::new();
        let each = if is_short && backend != Backend::Native {
            FOURTH
        } else {
            1
        };
        for case in CASES.iter().step_by(each) {
            count.cases += 1;
            let mut row = match ground(&mut grounds, backend, (case.limits)(), owner) {
                Ok(ground) => one(&mut count, ground, case, is_root),
                Err(unfit) => {
                    count.skipped += 1;
                    json!({"skipped": unfit.to_string()})
                }
            };
            if row["attack"] == "escaped" {
                // What got out may have left something behind.
                grounds.clear();
            }
            row["backend"] = json!(backend.name());
            row["user"] = json!(user);
            row["case"] = json!(case.name);
            println!("{row}");
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
        json!({"escaped": escaped, "skipped": skipped, "broken": broken, "cases": cases, "user": user})
    );
    if [escaped, skipped, broken] == [0; 3] {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The ground for these limits, made where there is none yet.
fn ground(
    grounds: &mut Vec<Ground>,
    backend: Backend,
    limits: Limits,
    owner: u32,
) -> Result<&Ground, Unfit> {
    let at = match grounds.iter().position(|ground| ground.limits == limits) {
        Some(at) => at,
        None => {
            let stage = Stage::new(owner).expect("a stage");
            let sandbox = stage.sandbox(backend, limits)?;
            grounds.push(Ground {
                limits,
                stage,
                sandbox,
            });
            grounds.len() - 1
        }
    };
    Ok(&grounds[at])
}

fn one(count: &mut Count, ground: &Ground, case: &Case, is_root: bool) -> Value {
    let Ground {
        limits,
        stage,
        sandbox,
    } = ground;
    stage.reset().expect("a clean stage");
    let attacked = stage.run(sandbox, case.attack, case.way);
    let escaped = stage.escaped(case.sign, attacked.as_ref(), limits);
    stage.reset().expect("a clean stage");
    let twin = match case.way {
        // What is dropped tells nothing.
        Way::Dropped => Way::Closed,
        way => way,
    };
    let worked = stage.run(sandbox, case.twin, twin);
    let works = worked.as_ref().map(|outcome| outcome.ended) == Some(Ended::Exited(0));
    let bare = match case.bare {
        Bare::Works => true,
        Bare::WorksForRoot => is_root,
        Bare::Untried => false,
    };
    let is_attack = !bare || {
        let open = Stage::new(stage.owner()).expect("a stage");
        open.run_bare(case.attack, case.sign, case.way)
            .expect("a bare run")
    };
    count.escaped += u32::from(escaped);
    count.broken += u32::from(!works) + u32::from(!is_attack);
    let mut row = json!({
        "attack": if escaped { "escaped" } else { "refused" },
        "twin": if works { "works" } else { "fails" },
        "bare": if !bare { "untried" } else if is_attack { "works" } else { "fails" },
    });
    if escaped {
        row["attacked"] = json!(format!("{attacked:?}"));
    }
    if !works {
        row["worked"] = json!(format!("{worked:?}"));
    }
    row
}

/// Who commands run as where the host is root: for each backend somebody else, for the kernel counts
/// processes by user and the backends may be tried at the same time.
fn owner(backend: Backend) -> u32 {
    match backend {
        Backend::Firejail => ordinary_user(),
        _ => NOBODYS + backend as u32,
    }
}

/// The first account of an ordinary user, which firejail wants; else a number that is nobody's.
fn ordinary_user() -> u32 {
    let accounts = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let numbers = accounts
        .lines()
        .filter_map(|line| line.split(':').nth(2)?.parse::<u32>().ok());
    let mut ordinary = numbers.filter(|uid| *uid >= FIRST_USER && *uid != NOBODY);
    ordinary.next().unwrap_or(NOBODYS)
}
