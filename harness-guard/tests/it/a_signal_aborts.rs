//! SIGINT and SIGTERM abort a session while it holds them, and end the process afterwards.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::time::Duration;

use harness_guard::{AbortController, SignalError};
use rustix::process::{Signal, getpid, kill_process};

/// Set in the process that is to be ended.
const CHILD: &str = "HARNESS_GUARD_TEST_SIGNAL";
/// How long the child waits for a signal that should end it.
const WAIT: Duration = Duration::from_secs(120);
/// What the child ends with if none did.
const SURVIVED: i32 = 7;

fn child(signal: Signal) -> ! {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for _ in 0..2 {
        let abort = AbortController::new();
        let held = abort.hold_signals().unwrap();
        assert!(matches!(abort.hold_signals(), Err(SignalError::Held)));
        kill_process(getpid(), signal).unwrap();
        runtime.block_on(abort.signal().aborted());
        assert!(abort.signal().is_aborted());
        drop(held);
    }
    kill_process(getpid(), signal).unwrap();
    std::thread::sleep(WAIT);
    std::process::exit(SURVIVED);
}

#[test]
fn while_it_is_held_and_the_default_is_back_afterwards() {
    match std::env::var(CHILD).as_deref() {
        Ok("int") => child(Signal::INT),
        Ok("term") => child(Signal::TERM),
        _ => {}
    }
    for (name, number) in [
        ("int", Signal::INT.as_raw()),
        ("term", Signal::TERM.as_raw()),
    ] {
        let ended = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "a_signal_aborts::while_it_is_held_and_the_default_is_back_afterwards",
            ])
            .env(CHILD, name)
            .output()
            .unwrap();
        assert_eq!(ended.status.signal(), Some(number), "{name}: {ended:?}");
    }
}
