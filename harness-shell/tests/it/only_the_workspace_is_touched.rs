//! What a confined process may touch: the workspace. Each act has a twin that works.

use std::fs;
use std::net::TcpListener;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, symlink};

use harness_shell::{Backend, Cause, Environment, Grant, Limits, RunError, Sandbox};

use crate::stage::{Stage, fails, intake, works};

#[test]
fn files_outside_are_neither_read_nor_written() {
    let stage = Stage::new();
    symlink(stage.outside(), stage.work().join("out")).unwrap();
    let sandbox = stage.sandbox(stage.confinement(Limits::default()));
    let outside = stage.outside().display().to_string();
    let run = |line: &str| stage.run_in(&sandbox, &line.replace("OUT", &outside));
    for line in [
        "cat OUT/secret",
        "cat out/secret",
        "echo x > OUT/new",
        "echo x >> out/secret",
        "rm OUT/secret",
        "mv OUT/secret .",
        "ln OUT/secret hard && cat hard",
        "mkdir OUT/folder",
        "truncate -s 0 OUT/secret",
        "cat /etc/shadow",
        "cat /etc/passwd",
    ] {
        fails(&run(line));
    }
    let secret = fs::read_to_string(stage.outside().join("secret")).unwrap();
    assert_eq!(secret, "outside\n");
    assert_eq!(fs::read_dir(stage.outside()).unwrap().count(), 1);
    for line in [
        "cat notes.txt",
        "echo x > new",
        "echo x >> notes.txt",
        "mkdir folder && mv new folder/ && ln folder/new hard && cat hard && rm hard",
        "truncate -s 0 notes.txt",
    ] {
        works(&run(line));
    }
}

#[test]
fn modes_and_times_outside_stay() {
    let stage = Stage::new();
    let file = stage.outside().join("secret");
    let before = fs::metadata(&file).unwrap();
    fails(&stage.run("chmod 600 OUT/secret"));
    fails(&stage.run("touch -d 2001-01-01 OUT/secret"));
    fails(&stage.run("touch -h -d 2001-01-01 OUT/secret"));
    let after = fs::metadata(&file).unwrap();
    assert_eq!(
        (after.mode(), after.mtime(), after.ctime()),
        (before.mode(), before.mtime(), before.ctime())
    );
    works(&stage.run("touch -d 2001-01-01 notes.txt"));
    works(&stage.run("perl -e 'open F, q(<), q(notes.txt); chmod(0600, *F) == 1 or die'"));
    let inside = fs::metadata(stage.work().join("notes.txt")).unwrap();
    assert_eq!(inside.mode() & 0o777, 0o600);
}

#[test]
fn what_is_granted_for_reading_keeps_its_mode() {
    let stage = Stage::new();
    let mut confinement = stage.confinement(Limits::default());
    confinement.reads = vec![stage.outside()];
    let sandbox = stage.sandbox(confinement);
    let outside = stage.outside().display().to_string();
    let run = |line: &str| stage.run_in(&sandbox, &line.replace("OUT", &outside));
    works(&run("cat OUT/secret"));
    fails(&run("echo x >> OUT/secret"));
    fails(&run(
        "perl -e 'open F, q(<), q(OUT/secret); chmod(0600, *F) == 1 or die'",
    ));
    fails(&run(
        "perl -e 'open F, q(<), q(OUT/secret); utime(undef, undef, *F) == 1 or die'",
    ));
}

#[test]
fn there_is_no_network_but_what_is_granted() {
    let stage = Stage::new();
    let listen = || TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let (granted, other) = (listen(), listen());
    let connect = |listener: &TcpListener| {
        let port = listener.local_addr().unwrap().port();
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}")
    };
    let mut confinement = stage.confinement(Limits::default());
    fails(&stage.run(&connect(&granted)));
    confinement.network.tcp_ports = vec![granted.local_addr().unwrap().port()];
    let sandbox = stage.sandbox(confinement);
    works(&stage.run_in(&sandbox, &connect(&granted)));
    fails(&stage.run_in(&sandbox, &connect(&other)));
    // A datagram is no TCP.
    let udp = "echo x > /dev/udp/127.0.0.1/9";
    fails(&stage.run_in(&sandbox, udp));
    let mut confinement = stage.confinement(Limits::default());
    confinement.network.udp = Grant::Granted;
    works(&stage.run_in(&stage.sandbox(confinement), udp));
}

#[test]
fn a_grant_that_a_backend_cannot_express_is_refused_not_dropped() {
    let stage = Stage::new();
    let mut confinement = stage.confinement(Limits::default());
    confinement.network.tcp_ports = vec![443];
    for backend in [Backend::Bubblewrap, Backend::Firejail, Backend::Docker] {
        let refused = Sandbox::start_with(backend, confinement.clone(), intake()).unwrap_err();
        assert!(
            matches!(refused.cause, Cause::CannotExpress(_) | Cause::Missing(_)),
            "{refused}"
        );
    }
}

#[test]
fn the_host_is_out_of_reach() {
    let stage = Stage::new();
    let host = std::process::id();
    fails(&stage.run(&format!("kill -0 {host}")));
    fails(&stage.run(&format!("cat /proc/{host}/environ")));
    works(&stage.run("sleep 5 & kill -0 $! && kill $!"));
}

#[test]
fn the_host_keeps_its_own_rights() {
    let stage = Stage::new();
    let before = fs::read_to_string("/proc/self/limits").unwrap();
    works(&stage.run(":"));
    fs::write(stage.outside().join("host"), "x").unwrap();
    assert_eq!(fs::read_to_string("/proc/self/limits").unwrap(), before);
}

#[test]
fn a_descriptor_that_was_left_open_is_closed() {
    let stage = Stage::new();
    let secret = fs::File::open(stage.outside().join("secret")).unwrap();
    rustix::io::fcntl_setfd(&secret, rustix::io::FdFlags::empty()).unwrap();
    let line = format!("cat <&{}", secret.as_raw_fd());
    fails(&stage.run(&line));
    // The twin: without the sandbox it is inherited and read.
    let plain = std::process::Command::new("/bin/bash")
        .args(["-c", &line])
        .output()
        .unwrap();
    assert_eq!(plain.stdout, b"outside\n");
}

#[test]
fn nothing_of_the_environment_is_inherited() {
    let stage = Stage::new();
    let said = stage.run("env | cut -d= -f1 | sort | tr '\\n' ' '");
    assert_eq!(said.stdout.as_str(), "HOME PATH PWD SHLVL TERM TMPDIR _ ");
}

#[test]
fn a_command_runs_in_the_workspace_that_it_was_allowed_for() {
    let (stage, other) = (Stage::new(), Stage::new());
    let sandbox = stage.sandbox(stage.confinement(Limits::default()));
    let environment = Environment::default();
    let refused = sandbox.run_blocking(&other.bash("true"), &environment);
    assert!(matches!(refused, Err(RunError::Elsewhere)), "{refused:?}");
    works(
        &sandbox
            .run_blocking(&stage.bash("true"), &environment)
            .unwrap(),
    );
}
