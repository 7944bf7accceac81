//! A child that stays is confined like a command, is spoken with, and is dead with its whole tree
//! before its handle is closed or dropped.

use std::time::Duration;

use harness_shell::{
    Backend, ConfinedChild, Ended, Environment, InputClosed, Lifetime, Limit, Limits, Outcome,
    RunError,
};

use crate::stage::{Stage, is_running};

/// Blocks on a runtime that waits for neither sockets nor time: a child needs none.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}

async fn start_for(stage: &Stage, limits: Limits, line: &str, stays: Lifetime) -> ConfinedChild {
    let sandbox = stage.sandbox(stage.confinement(limits));
    let line = line.replace("OUT", &stage.outside().display().to_string());
    let (child, enforcement) = sandbox
        .spawn(&stage.bash(&line), &Environment::default(), stays)
        .await
        .unwrap();
    assert_eq!(enforcement.backend, Backend::Native);
    child
}

async fn start(stage: &Stage, line: &str) -> ConfinedChild {
    start_for(stage, Limits::default(), line, Lifetime::UntilClosed).await
}

/// What it says, up to the end of a line.
async fn line(child: &mut ConfinedChild) -> String {
    let mut said = Vec::new();
    while !said.ends_with(b"\n") {
        said.extend(child.read().await.expect("a whole line"));
    }
    String::from_utf8(said).unwrap()
}

/// Everything that it says.
async fn rest(child: &mut ConfinedChild) -> Vec<u8> {
    let mut said = Vec::new();
    while let Some(chunk) = child.read().await {
        said.extend(chunk);
    }
    said
}

/// Says how a child ended that ends by itself.
fn comes_to(stage: &Stage, limits: Limits, script: &str) -> (Vec<u8>, Outcome) {
    block_on(async {
        let mut child = start_for(stage, limits, script, Lifetime::UntilClosed).await;
        let said = rest(&mut child).await;
        (said, child.wait().await.unwrap())
    })
}

#[test]
fn it_answers_as_long_as_it_is_asked() {
    let stage = Stage::new();
    block_on(async {
        let mut child = start(&stage, "while read -r x; do echo \"$x and $PWD\"; done").await;
        for word in ["one", "two"] {
            child.write(format!("{word}\n").as_bytes()).await.unwrap();
            let expected = format!("{word} and {}\n", stage.work().display());
            assert_eq!(line(&mut child).await, expected);
        }
        let outcome = child.close().await.unwrap();
        assert_eq!(outcome.ended, Ended::Cancelled);
        assert_eq!(outcome.stderr.as_str(), "");
    });
}

#[test]
fn commands_of_the_same_sandbox_end_without_it() {
    let stage = Stage::new();
    let sandbox = stage.sandbox(stage.confinement(Limits::default()));
    let echo = stage.bash("while read -r x; do echo \"$x\"; done");
    block_on(async {
        let (mut child, _) = sandbox
            .spawn(&echo, &Environment::default(), Lifetime::UntilClosed)
            .await
            .unwrap();
        for number in 0..3 {
            stage.run_in(&sandbox, "sleep 1000 & :");
            child.write(format!("{number}\n").as_bytes()).await.unwrap();
            assert_eq!(line(&mut child).await, format!("{number}\n"));
        }
        child.close().await.unwrap();
    });
}

#[test]
fn more_than_any_pipe_holds_goes_through_while_it_is_read() {
    /// Bytes: more than both queues and both pipes hold.
    const MANY: usize = 2 << 20;

    let stage = Stage::new();
    block_on(async {
        let mut child = start(&stage, "cat").await;
        let (input, output) = child.streams();
        let write = async { input.write(&vec![b'x'; MANY]).await.unwrap() };
        let read = async {
            let mut read = 0;
            while read < MANY {
                let chunk = output.read().await.unwrap();
                assert!(chunk.iter().all(|byte| *byte == b'x'));
                read += chunk.len();
            }
            read
        };
        let ((), read) = tokio::join!(write, read);
        assert_eq!(read, MANY);
    });
}

#[test]
fn what_nobody_reads_or_takes_waits_and_ends_all_the_same() {
    let stage = Stage::new();
    block_on(async {
        let child = start(&stage, "exec yes").await;
        assert_eq!(child.close().await.unwrap().ended, Ended::Cancelled);
        let mut deaf = start(&stage, "echo there; exec sleep 1000").await;
        assert_eq!(line(&mut deaf).await, "there\n");
        // It is taken though nobody reads it: the queue and the pipe hold more.
        deaf.write(&[b'x'; 1000]).await.unwrap();
        assert_eq!(deaf.close().await.unwrap().ended, Ended::Cancelled);
    });
}

#[test]
fn a_flood_of_errors_is_drained_and_bounded() {
    let stage = Stage::new();
    let limits = Limits {
        output_bytes: 1000,
        ..Limits::default()
    };
    let flood = "head -c 20000000 /dev/zero | tr '\\0' x >&2; echo done";
    let (said, outcome) = comes_to(&stage, limits, flood);
    assert_eq!(said, b"done\n");
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert!(outcome.stderr.as_str().len() <= 1000);
    assert_eq!(outcome.dropped_bytes, 20_000_000 - 1000);
    let (_, twin) = comes_to(&stage, limits, "echo little >&2");
    assert_eq!(
        (twin.stderr.as_str(), twin.dropped_bytes),
        ("little\n", 0),
        "{twin:?}"
    );
}

#[test]
fn what_it_said_last_is_read_and_who_speaks_to_the_dead_is_told() {
    let stage = Stage::new();
    block_on(async {
        let mut child = start(&stage, "head -c 50000 /dev/zero; exit 3").await;
        assert_eq!(rest(&mut child).await.len(), 50_000);
        let refused = loop {
            if let Err(refused) = child.write(b"are you there?\n").await {
                break refused;
            }
        };
        assert_eq!(refused, InputClosed);
        assert_eq!(child.wait().await.unwrap().ended, Ended::Exited(3));
    });
}

#[test]
fn one_that_closes_its_output_has_said_everything() {
    let stage = Stage::new();
    block_on(async {
        let mut child = start(&stage, "echo there; exec >&-; exec sleep 1000").await;
        assert_eq!(rest(&mut child).await, b"there\n");
        assert_eq!(child.close().await.unwrap().ended, Ended::Cancelled);
    });
}

/// Whoever `script` leaves behind, `SLEEP` among them, is dead when `end` is over.
fn dies<F: Future<Output = ()>>(script: &str, number: &str, end: impl FnOnce(ConfinedChild) -> F) {
    let stage = Stage::new();
    let seconds = format!("86402.{}{number}", std::process::id());
    block_on(async {
        let script = script.replace("SLEEP", &format!("sleep {seconds}"));
        let mut child = start(&stage, &script).await;
        assert_eq!(line(&mut child).await, "there\n");
        end(child).await;
        assert!(!is_running(&seconds), "{script}");
    });
}

/// Its output is closed to whoever leaves, and it goes on.
const LEAVES: [&str; 3] = [
    "SLEEP >/dev/null & echo there; exec sleep 1000",
    "(setsid SLEEP >/dev/null 2>&1 </dev/null & ); echo there; exec cat",
    "trap '' HUP TERM INT; (nohup SLEEP >/dev/null 2>&1 & ); echo there; exec sleep 1000",
];

#[test]
fn its_tree_is_dead_when_it_is_closed() {
    for (at, script) in LEAVES.into_iter().enumerate() {
        dies(script, &format!("1{at}"), async |child| {
            let outcome = child.close().await.unwrap();
            assert_eq!(outcome.ended, Ended::Cancelled);
        });
    }
}

#[test]
fn its_tree_is_dead_when_it_is_dropped() {
    for (at, script) in LEAVES.into_iter().enumerate() {
        dies(script, &format!("2{at}"), async |child| drop(child));
    }
}

#[test]
fn whoever_is_left_when_the_first_process_ends_is_dead_then() {
    let script = "(setsid SLEEP >/dev/null 2>&1 </dev/null & ); echo there; exit 5";
    dies(script, "3", async |mut child| {
        assert_eq!(child.read().await, None);
        assert_eq!(child.wait().await.unwrap().ended, Ended::Exited(5));
    });
}

#[test]
fn one_that_nobody_waits_for_to_start_is_dead() {
    let stage = Stage::new();
    let sandbox = stage.sandbox(stage.confinement(Limits::default()));
    let seconds = format!("86402.{}4", std::process::id());
    let command = stage.bash(&format!("exec sleep {seconds}"));
    block_on(async {
        let environment = Environment::default();
        let mut start = Box::pin(sandbox.spawn(&command, &environment, Lifetime::UntilClosed));
        // Asked once: by then the start is under way.
        std::future::poll_fn(|context| {
            let _ = start.as_mut().poll(context);
            std::task::Poll::Ready(())
        })
        .await;
        drop(start);
    });
    assert!(!is_running(&seconds));
}

#[test]
fn it_has_a_lifetime_and_no_wall_time() {
    let stage = Stage::new();
    let brief = Limits {
        wall: Duration::from_millis(1),
        ..Limits::default()
    };
    block_on(async {
        let lifetime = Lifetime::Within(Duration::from_secs(1));
        let mut child = start_for(&stage, brief, "sleep 1000", lifetime).await;
        assert_eq!(rest(&mut child).await, b"");
        assert_eq!(child.wait().await.unwrap().ended, Ended::TimedOut);
    });
    let (said, outcome) = comes_to(&stage, brief, "sleep 1; echo done");
    assert_eq!(said, b"done\n");
    assert_eq!(outcome.ended, Ended::Exited(0));
}

#[test]
fn its_bounds_are_those_of_a_command() {
    let stage = Stage::new();
    let limits = Limits {
        memory_bytes: 64 << 20,
        file_bytes: 1 << 20,
        ..Limits::default()
    };
    let hold = "perl -e 'my $x = q(x) x (30 << 20); sleep 100' & ";
    let (_, over) = comes_to(&stage, limits, &format!("{} wait", hold.repeat(4)));
    assert_eq!(over.ended, Ended::OverLimit(Limit::Memory), "{over:?}");
    let write = |count| format!("exec dd if=/dev/zero of=big bs=1024 count={count}");
    let (_, over) = comes_to(&stage, limits, &write(2048));
    assert_eq!(over.ended, Ended::OverLimit(Limit::FileSize), "{over:?}");
    let (_, within) = comes_to(&stage, limits, &write(10));
    assert_eq!(within.ended, Ended::Exited(0), "{within:?}");
}

#[test]
fn it_touches_what_a_command_may_touch() {
    let stage = Stage::new();
    let limits = Limits::default;
    for line in [
        "echo x > OUT/new",
        "cat OUT/secret",
        "cat /etc/passwd",
        "exec 3<>/dev/tcp/127.0.0.1/9",
        &format!("kill -0 {}", std::process::id()),
    ] {
        let (_, outcome) = comes_to(&stage, limits(), line);
        assert_ne!(outcome.ended, Ended::Exited(0), "{line}: {outcome:?}");
    }
    for line in ["echo x > new", "cat notes.txt", "kill -0 $$"] {
        let (_, outcome) = comes_to(&stage, limits(), line);
        assert_eq!(outcome.ended, Ended::Exited(0), "{line}: {outcome:?}");
    }
    let (said, _) = comes_to(&stage, limits(), "env | cut -d= -f1 | sort | tr '\\n' ' '");
    assert_eq!(said, b"HOME PATH PWD SHLVL TERM TMPDIR _ ");
}

#[test]
fn one_for_another_workspace_does_not_start() {
    let (stage, other) = (Stage::new(), Stage::new());
    let sandbox = stage.sandbox(stage.confinement(Limits::default()));
    let environment = Environment::default();
    block_on(async {
        let elsewhere = other.bash("true");
        let refused = sandbox.spawn(&elsewhere, &environment, Lifetime::UntilClosed);
        assert!(matches!(refused.await, Err(RunError::Elsewhere)));
    });
}
