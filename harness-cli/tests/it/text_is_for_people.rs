//! In a pipe, text has no colour, no progress and no escape of any kind.

use crate::operator::{Operator, failing, stderr, stdout};

#[test]
fn nothing_but_text_goes_into_a_pipe() {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[failing("a")]);
    for args in [
        &["run", "--traces", &folder][..],
        &["status"],
        &["rules"],
        &["notices", "--all"],
        &["journal"],
        &["audit"],
    ] {
        let output = operator.runs(args, 0);
        assert!(!stdout(&output).contains('\u{1b}'), "{args:?}");
        assert_eq!(stderr(&output), "", "{args:?}");
    }
}

#[test]
fn a_run_prints_one_line_a_session_and_a_summary() {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[failing("a")]);
    insta::assert_snapshot!(stdout(&operator.runs(&["run", "--traces", &folder], 0)), @r"
    a: 2 turns, 1 alerts, 1 notices, repair candidate_added
    1 sessions, 2 turns: 1 alerts, 1 notices, 1 episodes, 0 unreadable
    ");
}

#[test]
fn the_help_lists_every_verb() {
    let help = stdout(&Operator::new().runs(&["--help"], 0));
    let verbs: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  "))
        // What a verb does goes on in the next line, further in.
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    insta::assert_snapshot!(verbs.join(" "), @"demo init run status notices rules tool journal audit explain verify retire resume doctor import export redteam sanitize scan redact shell check-command check-url guard worth eval calibrate completions help");
}
