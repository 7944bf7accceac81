//! The whole tree is dead before the call returns, however its members tried to get away.

use harness_shell::{Ended, Environment, Limits};

use crate::stage::{Stage, is_running};

/// `SLEEP` is a process that outlives any test; `started` is said once it is there.
fn dies(line: &str, number: &str) {
    let stage = Stage::new();
    let seconds = format!("86401.{}{number}", std::process::id());
    let outcome = stage.run(&line.replace("SLEEP", &format!("sleep {seconds}")));
    assert_eq!(outcome.ended, Ended::Exited(0), "{line}: {outcome:?}");
    assert_eq!(outcome.stdout.as_str(), "started\n", "{line}");
    assert!(!is_running(&seconds), "{line}");
}

#[test]
fn a_background_child_dies() {
    dies("SLEEP & echo started", "1");
}

#[test]
fn a_child_that_closed_its_streams_dies() {
    dies("SLEEP >/dev/null 2>&1 </dev/null & echo started", "2");
}

#[test]
fn a_child_that_forked_twice_dies() {
    dies("(SLEEP & ) >/dev/null 2>&1; echo started", "3");
}

#[test]
fn a_child_that_ignores_signals_dies() {
    dies("nohup SLEEP >/dev/null 2>&1 & echo started", "4");
}

#[test]
fn a_child_with_a_session_of_its_own_dies() {
    dies("setsid -f SLEEP >/dev/null 2>&1; echo started", "5");
}

#[test]
fn whoever_keeps_forking_dies() {
    // Each process starts the next and is gone; sixty of them, counted.
    dies(
        "perl -e 'my $n = 0; $n++ while $n < 60 and !(fork // 1); exec qw(SLEEP)' & echo started",
        "6",
    );
}

#[test]
fn a_call_that_nobody_waits_for_ends() {
    let stage = Stage::new();
    let sandbox = stage.sandbox(stage.confinement(Limits::default()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let seconds = format!("86401.{}7", std::process::id());
    let command = stage.bash(&format!("echo ready > started; sleep {seconds}"));
    runtime.block_on(async {
        let run = sandbox.run(command, Environment::default());
        let seen = async {
            while !stage.work().join("started").exists() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            outcome = run => panic!("{outcome:?}"),
            () = seen => {}
        }
    });
    // The runtime waits for its blocking threads.
    drop(runtime);
    assert!(!is_running(&seconds));
}

#[test]
fn calls_in_a_row_end_each_its_own_tree() {
    let stage = Stage::new();
    let sandbox = stage.sandbox(stage.confinement(Limits::default()));
    for number in 0..6 {
        let seconds = format!("86401.{}8{number}", std::process::id());
        // By turns one that leaves somebody behind and one that does not.
        let left = if number % 2 == 0 { "& " } else { "& kill $!; " };
        let line = format!("sleep {seconds} >/dev/null 2>&1 {left} echo {number}; ulimit -Hc");
        let outcome = stage.run_in(&sandbox, &line);
        assert_eq!(outcome.stdout.as_str(), format!("{number}\n0\n"));
        assert!(!is_running(&seconds), "{outcome:?}");
    }
}

#[test]
fn many_calls_at_once_end_each_its_own_tree() {
    let stage = Stage::new();
    let sandbox = stage.sandbox(stage.confinement(Limits::default()));
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (stage, sandbox) = (&stage, &sandbox);
            scope.spawn(move || {
                let line = format!("sleep 1000 & echo {number}");
                let outcome = stage.run_in(sandbox, &line);
                assert_eq!(
                    outcome.stdout.as_str(),
                    format!("{number}\n"),
                    "{outcome:?}"
                );
            });
        }
    });
}
