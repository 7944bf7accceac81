//! `/bin/true`, from the call to its whole tree being dead, under a backend; the baseline is the
//! same start without one, turn by turn with it. Both in milliseconds.

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::Instant;

use harness_sanitize::{Gate, Intake, Redactor};
use harness_shell::{
    Allowed, Backend, Confinement, Environment, Grammar, Operands, Sandbox, ShellPolicy, Use,
    Workspace,
};

use crate::Row;

/// Runs whose median is taken, of the plain one and the native backend turn by turn.
const RUNS: usize = 400;
/// Of the others, which take much longer.
const SLOW_RUNS: usize = 40;

pub(crate) fn rows() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a start");
    let workspace = Workspace::open(folder.path(), &[]).expect("a start");
    let command = command(&workspace);
    let mut rows = Vec::new();
    for (backend, runs) in [(Backend::Native, RUNS), (Backend::Bubblewrap, SLOW_RUNS)] {
        let confinement = Confinement::of(workspace.clone());
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        let sandbox = match Sandbox::start_with(backend, confinement, intake) {
            Ok((sandbox, enforcement)) => {
                eprintln!("{enforcement}");
                sandbox
            }
            Err(unfit) => {
                eprintln!("{unfit}");
                continue;
            }
        };
        let environment = Environment::default();
        let (mut plain, mut confined) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            let started = Instant::now();
            let output = unconfined(&command).output();
            plain.push(started.elapsed().as_secs_f64() * 1e3);
            assert!(black_box(output).is_ok_and(|output| output.status.success()));
            let started = Instant::now();
            let outcome = sandbox.run_blocking(&command, &environment);
            confined.push(started.elapsed().as_secs_f64() * 1e3);
            assert!(black_box(outcome).is_ok_and(|outcome| outcome.exit_code() == 0));
        }
        let baseline = median(plain);
        rows.push(Row {
            name: format!("spawn/{}", backend.name()),
            value: median(confined),
            unit: "ms",
            n: runs,
            baseline: Some(baseline),
        });
    }
    rows
}

/// The same command as anyone would start it, its output taken too.
fn unconfined(command: &Allowed) -> Command {
    let mut plain = Command::new(command.binary());
    plain
        .args(command.arguments())
        .current_dir(command.workspace().path())
        .env_clear()
        .stdin(Stdio::null());
    plain
}

fn command(workspace: &Workspace) -> Allowed {
    let nothing = Grammar::new("true", "what a start costs", Operands::All(Use::Text))
        .allows(&["true"])
        .denies(&["true --help"]);
    let policy = ShellPolicy::new(vec![nothing]).expect("a start");
    let allowed = policy.load(workspace.clone(), &[]);
    allowed
        .allow(vec!["true".to_owned()])
        .expect("an allowed command")
}

/// The middle one.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
