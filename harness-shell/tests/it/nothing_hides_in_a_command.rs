//! A command that is refused is not allowed either behind anything that would run it; and what
//! would run it does not make a harmless one refused.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use harness_shell::general::{CommandText, Context, decide};
use harness_shell::{Verdict, Workspace};
use proptest::prelude::*;

/// Texts that run what stands in for `@`, and `%` where it stands quoted.
const HIDING: &[&str] = &[
    "@",
    "true; @",
    "true && @",
    "false || @",
    "true & @",
    "true\n@",
    "@ | cat",
    "cat notes.txt | @",
    "(@)",
    "{ @; }",
    "! @",
    "echo $(@)",
    "echo \"$(@)\"",
    "echo \"a $(echo $(@)) b\"",
    "cat <(@)",
    "if @; then true; fi",
    "if true; then @; else true; fi",
    "while @; do true; done",
    "for x in a b; do @; done",
    "for x in $(@); do true; done",
    "case a in a) @;; esac",
    "[[ -n $(@) ]]",
    "x=$(@)",
    "x=(a $(@))",
    "cat <<E\n$(@)\nE",
    "cat > /dev/null $(@)",
    "echo ${x:-$(@)}",
    "echo $(( $(@) + 1 ))",
    "bash -c %",
    "sh -lc %",
    "eval %",
    "bash <<< %",
    "timeout 5 bash -c %",
    "env A=b sh -c %",
    "nohup nice -n 5 sh -c %",
    "find . -exec sh -c % \\;",
    "find . -name a | xargs sh -c %",
    "xargs -n 1 sh -c %",
    "command sh -c %",
    "# remark\n@",
];

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn hidden(levels: &[&str], command: &str) -> String {
    levels.iter().fold(command.to_owned(), |inner, template| {
        template.replace('%', &quoted(&inner)).replace('@', &inner)
    })
}

fn verdict(line: &str) -> Verdict {
    let context = Context::by_spelling(Path::new("/srv/workspace")).unwrap();
    decide(CommandText::Line(line), &context).verdict()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn behind_anything_that_would_run_it(
        levels in prop::collection::vec(prop::sample::select(HIDING), 0..4),
        command in prop::sample::select(&["sudo id", "\"su\"do id", "/usr/bin/sudo id", "rm -rf /", "cat /etc/shadow"][..]),
    ) {
        let line = hidden(&levels, command);
        prop_assert_ne!(verdict(&line), Verdict::Allow, "{}", line);
        let twin = hidden(&levels, "wc -l notes.txt");
        prop_assert_ne!(verdict(&twin), Verdict::Deny, "{}", twin);
    }

    #[test]
    fn any_text_has_an_answer(line in "([a-z ]|[|&;<>(){}$`'\"\\\\\n#!*~=-]){0,80}") {
        let _ = verdict(&line);
    }
}

#[test]
fn each_hiding_place_is_seen_through_alone_and_within_another() {
    for template in HIDING {
        let line = hidden(&[template], "sudo id");
        assert_eq!(verdict(&line), Verdict::Deny, "{line}");
        for outer in HIDING {
            let line = hidden(&[template, outer], "sudo id");
            assert_ne!(verdict(&line), Verdict::Allow, "{line}");
            let twin = hidden(&[template, outer], "wc -l notes.txt");
            assert_ne!(verdict(&twin), Verdict::Deny, "{twin}");
        }
    }
}

#[test]
fn a_name_that_is_said_is_not_run() {
    for line in [
        "echo \"the exec summary\"",
        "grep -rn sudo src",
        "echo 'rm -rf /'",
        "ls su docker curl",
        "cat mkfs.txt # sudo",
    ] {
        assert_eq!(verdict(line), Verdict::Allow, "{line}");
    }
}

#[test]
fn a_link_that_leads_out_is_seen_where_there_is_a_file_system() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    fs::create_dir_all(work.join("sub")).unwrap();
    fs::write(folder.path().join("secret"), "x").unwrap();
    fs::write(work.join("notes.txt"), "x").unwrap();
    symlink("../secret", work.join("link")).unwrap();
    symlink("..", work.join("sub/up")).unwrap();
    let context = Context::of(Workspace::open(&work, &[]).unwrap());
    let answer = |line: &str| {
        let decision = decide(CommandText::Line(line), &context);
        (decision.verdict(), decision.rule())
    };
    assert_eq!(answer("cat link"), (Verdict::Deny, "general.path.link"));
    assert_eq!(answer("wc -l < link"), (Verdict::Deny, "general.path.link"));
    assert_eq!(
        answer("cat sub/up/../secret"),
        (Verdict::Deny, "general.path.link")
    );
    assert_eq!(answer("cat notes.txt"), (Verdict::Allow, "general.read"));
    assert_eq!(
        answer("cat sub/up/notes.txt"),
        (Verdict::Allow, "general.read")
    );
    // What is not there yet is added; what is there may be lost.
    assert_eq!(
        answer("sort notes.txt > sorted.txt"),
        (Verdict::Allow, "general.add")
    );
    assert_eq!(
        answer("sort notes.txt > notes.txt"),
        (Verdict::Confirm, "general.change")
    );
}

#[test]
fn words_for_no_shell_are_not_read_as_one() {
    let context = Context::by_spelling(Path::new("/srv/workspace")).unwrap();
    let answer = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        decide(CommandText::Argv(&words), &context).verdict()
    };
    assert_eq!(answer(&["echo", "$(sudo id)", ";", "sudo"]), Verdict::Allow);
    assert_eq!(answer(&["sudo", "id"]), Verdict::Deny);
    assert_eq!(answer(&["sh", "-c", "sudo id"]), Verdict::Deny);
    assert_eq!(answer(&[]), Verdict::Confirm);
}
