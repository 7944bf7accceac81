//! Time, memory, processes, file size and output are bounded, and what stays within runs.

use std::fs;
use std::time::Duration;

use harness_shell::{Ended, Limit, Limits, TIMEOUT_CODE};

use crate::stage::{Stage, fails, works};

#[test]
fn limits_are_in_force_before_the_command_is() {
    let stage = Stage::new();
    let limits = Limits {
        cpu: Duration::from_secs(7),
        memory_bytes: 100 << 20,
        file_bytes: 3 << 20,
        open_files: 33,
        ..Limits::default()
    };
    let said = stage.run_within(
        limits,
        "ulimit -t -d -f -n -c; for l in d f n c; do ulimit -H$l; done; \
         ulimit -n 34 2>/dev/null || echo kept",
    );
    let numbers: Vec<&str> = said
        .stdout
        .as_str()
        .lines()
        .filter_map(|line| line.split_whitespace().next_back())
        .collect();
    let expected = "7 102400 3072 33 0 102400 3072 33 0 kept";
    assert_eq!(numbers.join(" "), expected, "{said:?}");
}

#[test]
fn output_is_capped_as_it_arrives() {
    let stage = Stage::new();
    let limits = Limits {
        output_bytes: 1000,
        ..Limits::default()
    };
    let flood = stage.run_within(limits, "yes | head -c 20000000");
    assert_eq!(flood.ended, Ended::Exited(0));
    assert!(flood.stdout.as_str().len() <= 1000);
    assert_eq!(flood.dropped_bytes, 20_000_000 - 1000);
    let twin = stage.run_within(limits, "echo little");
    assert_eq!((twin.stdout.as_str(), twin.dropped_bytes), ("little\n", 0));
}

#[test]
fn a_secret_that_the_cap_cuts_does_not_come_back_in_part() {
    let stage = Stage::new();
    let limits = Limits {
        output_bytes: 100,
        ..Limits::default()
    };
    let line = "printf '%090d ghp_%s' 0 a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let cut = stage.run_within(limits, line);
    assert!(!cut.stdout.as_str().contains("a1B"), "{cut:?}");
    let twin = stage.run_within(limits, "printf '%090d gap_%s' 0 a1B2");
    assert!(twin.stdout.as_str().ends_with("gap_a1B2"), "{twin:?}");
}

#[test]
fn a_file_has_a_greatest_size() {
    let stage = Stage::new();
    let limits = Limits {
        file_bytes: 1 << 20,
        ..Limits::default()
    };
    let over = stage.run_within(limits, "exec dd if=/dev/zero of=big bs=1024 count=2048");
    assert_eq!(over.ended, Ended::OverLimit(Limit::FileSize), "{over:?}");
    fails(&stage.run_within(limits, "truncate -s 1G sparse"));
    works(&stage.run_within(limits, "head -c 1000 /dev/zero > small"));
    let small = fs::metadata(stage.work().join("small")).unwrap();
    assert_eq!(small.len(), 1000);
}

#[test]
fn processor_time_is_bounded() {
    let stage = Stage::new();
    let limits = Limits {
        cpu: Duration::from_secs(1),
        wall: Duration::from_secs(120),
        ..Limits::default()
    };
    let busy = stage.run_within(limits, "while :; do :; done");
    assert_eq!(busy.ended, Ended::OverLimit(Limit::Cpu), "{busy:?}");
    works(&stage.run_within(limits, ":"));
}

#[test]
fn memory_is_bounded_in_each_process_and_in_all_of_them() {
    let stage = Stage::new();
    let limits = Limits {
        memory_bytes: 64 << 20,
        wall: Duration::from_secs(120),
        ..Limits::default()
    };
    fails(&stage.run_within(limits, "head -c 100000000 /dev/zero | tail"));
    // Each of four stays within, all of them do not.
    let hold = "perl -e 'my $x = q(x) x (30 << 20); sleep 100' & ";
    let over = stage.run_within(limits, &format!("{} wait", hold.repeat(4)));
    assert_eq!(over.ended, Ended::OverLimit(Limit::Memory), "{over:?}");
    works(&stage.run_within(limits, "head -c 1000 /dev/zero | tail -c 1"));
}

#[test]
fn processes_are_bounded() {
    let stage = Stage::new();
    let limits = Limits {
        processes: 16,
        ..Limits::default()
    };
    // Counted: at most 64 forks, each of a process that waits.
    let bomb = "perl -e 'for (1..64) { my $p = fork; defined $p or exit 7; $p or sleep 100 } '";
    let over = stage.run_within(limits, bomb);
    assert_eq!(over.ended, Ended::Exited(7), "{over:?}");
    works(&stage.run_within(limits, "for i in 1 2 3; do (:); done"));
}

#[test]
fn a_timeout_is_an_outcome_of_its_own() {
    let stage = Stage::new();
    let limits = Limits {
        wall: Duration::from_secs(2),
        ..Limits::default()
    };
    let slow = stage.run_within(limits, "sleep 1000");
    assert_eq!(slow.ended, Ended::TimedOut);
    assert_eq!(slow.exit_code(), TIMEOUT_CODE);
    let quick = stage.run("echo a; exit 3");
    assert_eq!(quick.ended, Ended::Exited(3));
    // A command that says 124 by itself has not timed out.
    assert_eq!(stage.run("exit 124").ended, Ended::Exited(124));
}
