//! What `completions` prints is the command line as it is, in the words of a shell.

use std::process::Command;

use crate::operator::{Operator, stdout};

#[test]
fn bash_completes_a_verb_and_a_flag() {
    let operator = Operator::new();
    let script = stdout(&operator.runs(&["completions", "bash"], 0));
    for (words, expected) in [
        (&["harness", "veri"][..], "verify"),
        (&["harness", "run", "--obs"], "--observe-only"),
        (&["harness", "nothing-of-the-kind"], ""),
    ] {
        let at = words.len() - 1;
        let (now, before) = (words[at], words[at - 1]);
        let line = format!(
            "{script}\nCOMP_WORDS=({}); COMP_CWORD={at}\n\
             _harness harness {now} {before}\necho \"${{COMPREPLY[*]}}\"",
            words.join(" ")
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &line])
            .output()
            .unwrap();
        assert_eq!(stdout(&output).trim(), expected, "{words:?}");
    }
}

#[test]
fn every_shell_knows_every_verb_and_another_word_is_no_shell() {
    let operator = Operator::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(&operator.runs(&["completions", shell], 0));
        for verb in ["audit", "check-command", "completions"] {
            assert!(script.contains(verb), "{shell}: {verb}");
        }
    }
    operator.runs(&["completions", "csh"], 2);
}
