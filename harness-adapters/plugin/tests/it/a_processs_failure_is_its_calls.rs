//! Whatever a process does is one call's failure, of a class that is known; the next call works.

use std::time::Duration;

use harness_plugin::{Patience, ProcessError, ProcessFailure};
use harness_shell::HostCommand;

use crate::library::Folder;
use crate::program::{PATIENT, Told, is_running, misbehaving, program, start};

#[tokio::test]
async fn what_breaks_the_protocol_ends_that_process_and_the_next_one_answers() {
    let folder = Folder::new();
    let told = Told::in_folder(&folder).await;
    let mut process = told.process().await;
    for (request, failure) in [
        ("garbage", ProcessFailure::NoLine),
        ("no object", ProcessFailure::NoLine),
        ("both", ProcessFailure::NoLine),
        ("asks back", ProcessFailure::NoLine),
        ("no end of line", ProcessFailure::TooLong),
        ("flood of lines", ProcessFailure::OtherId),
        ("another id", ProcessFailure::OtherId),
        ("no id", ProcessFailure::OtherId),
        ("crash", ProcessFailure::Ended),
        ("closes its output", ProcessFailure::Ended),
    ] {
        told.fails(request, failure).await;
        assert_eq!(told.plugin.last_failure().unwrap().failure, failure);
        let next = told.process().await;
        assert_ne!(next, process, "{request}");
        process = next;
        assert_eq!(told.process().await, process, "{request}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_is_a_failure_and_the_process_goes_on() {
    let folder = Folder::new();
    let told = Told::in_folder(&folder).await;
    let process = told.process().await;
    let says = "the evaluator is unavailable: the plugin's answer is not what was asked for: ";
    for (request, what) in [
        ("out of range", "a score is a number from 0 to 1"),
        ("undeclared", "it scores a metric that was not asked for"),
    ] {
        let expected = Err(format!("{says}{what}"));
        assert_eq!(told.told(request).await, expected);
        assert_eq!(told.process().await, process, "{request}");
    }
    let cannot = "the trace cannot be scored: it cannot";
    assert_eq!(told.told("cannot").await, Err(cannot.to_owned()));
    assert_eq!(told.told("complains").await, Ok("so".to_owned()));
    assert_eq!(told.process().await, process);
    assert_eq!(told.plugin.last_failure(), None);
}

#[tokio::test]
async fn what_is_said_unasked_is_not_taken_for_the_next_answer() {
    let folder = Folder::new();
    let told = Told::in_folder(&folder).await;
    assert_eq!(told.told("answers twice").await, Ok("so".to_owned()));
    told.fails("who are you", ProcessFailure::OtherId).await;
    assert!(told.process().await.starts_with("process "));
}

#[tokio::test]
async fn every_text_of_it_goes_through_the_gate() {
    let folder = Folder::new();
    let told = Told::in_folder(&folder).await;
    let said = told.told("whispers").await.unwrap();
    assert!(said.starts_with("ab ") && !said.contains("a1B2"), "{said}");
    told.fails("crash", ProcessFailure::Ended).await;
    let stderr = told.plugin.last_failure().unwrap().stderr;
    assert!(stderr.as_str().starts_with("it broke "), "{stderr}");
    assert!(!stderr.as_str().contains("a1B2"), "{stderr}");
}

#[tokio::test]
async fn a_hang_ends_at_its_deadline_with_whoever_it_left() {
    let folder = Folder::new();
    let seconds = format!("86403.{}1", std::process::id());
    let mut hangs = program(&folder, &misbehaving(), "");
    hangs.patience.call = Duration::from_secs(2);
    let told = Told::start(hangs).await;
    let request = format!("leaves one and hangs: {seconds}");
    told.fails(&request, ProcessFailure::TimedOut).await;
    assert!(!is_running(&seconds));
}

#[tokio::test]
async fn who_is_left_by_a_crash_or_by_dropping_the_plugin_is_dead() {
    let folder = Folder::new();
    let seconds = format!("86403.{}2", std::process::id());
    let told = Told::in_folder(&folder).await;
    let request = format!("leaves one and crashes: {seconds}");
    told.fails(&request, ProcessFailure::Ended).await;
    assert!(!is_running(&seconds));
    // Its own script is an argument of the process, and the folder's name is in no other.
    let own = folder.path("mine.py").display().to_string();
    std::fs::copy(misbehaving(), &own).unwrap();
    let told = Told::start(program(&folder, own.as_ref(), "")).await;
    assert!(told.process().await.starts_with("process ") && is_running(&own));
    drop(told);
    assert!(!is_running(&own));
}

#[tokio::test]
async fn a_call_that_is_given_up_ends_the_process_and_the_next_one_answers() {
    let folder = Folder::new();
    let told = Told::in_folder(&folder).await;
    let seconds = format!("86403.{}3", std::process::id());
    let request = format!("leaves one and hangs: {seconds}");
    tokio::select! {
        told = told.told(&request) => panic!("{told:?}"),
        () = async {
            while !is_running(&seconds) {
                tokio::task::yield_now().await;
            }
        } => {}
    }
    assert!(!is_running(&seconds));
    assert!(told.process().await.starts_with("process "));
}

#[tokio::test]
async fn one_that_failed_rests_before_it_is_started_again() {
    let folder = Folder::new();
    let day = Duration::from_secs(86_400);
    let mut rests = program(&folder, &misbehaving(), "");
    rests.patience = Patience {
        rest: day,
        longest_rest: day,
        ..PATIENT
    };
    let told = Told::start(rests).await;
    // What goes well needs no rest.
    for _ in 0..3 {
        told.process().await;
    }
    told.fails("crash", ProcessFailure::Ended).await;
    for _ in 0..3 {
        told.fails("who are you", ProcessFailure::Resting).await;
    }
    assert_eq!(
        std::fs::read(folder.path("starts")).unwrap(),
        b"x",
        "it was started again"
    );
}

#[tokio::test]
async fn one_that_becomes_another_is_not_used() {
    let folder = Folder::new();
    let told = Told::start(program(&folder, &misbehaving(), "changes")).await;
    told.process().await;
    told.fails("crash", ProcessFailure::Ended).await;
    told.fails("who are you", ProcessFailure::Changed).await;
}

#[tokio::test]
async fn one_that_does_not_describe_itself_is_none() {
    let folder = Folder::new();
    for (manner, failure, stderr) in [
        ("ends at once", ProcessFailure::Ended, "no key"),
        ("another version", ProcessFailure::Version, ""),
        ("no metrics", ProcessFailure::Undescribed, ""),
    ] {
        let refused = start(program(&folder, &misbehaving(), manner)).await;
        let Err(ProcessError::Handshake(failed)) = refused else {
            panic!("{manner}");
        };
        assert_eq!((failed.failure, failed.stderr.as_str()), (failure, stderr));
    }
    let mut silent = program(&folder, &misbehaving(), "is silent");
    silent.patience.describe = Duration::from_secs(1);
    let Err(ProcessError::Handshake(failed)) = start(silent).await else {
        panic!("it spoke");
    };
    assert_eq!(failed.failure, ProcessFailure::TimedOut);
    let absent = HostCommand::new("no-such-program", &[]);
    let mut none = program(&folder, &misbehaving(), "");
    none.command = absent;
    assert!(matches!(start(none).await, Err(ProcessError::Program(_))));
    assert!(start(program(&folder, &misbehaving(), "")).await.is_ok());
}
