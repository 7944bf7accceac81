//! Lines as the grammar reads them.

use super::*;

/// A script as text: one line a simple command, what is unknown marked.
fn shown(text: &str) -> Vec<String> {
    let script = parse(text, 0).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut lines = Vec::new();
    show(&script, &mut lines);
    lines
}

fn show(script: &Script<'_>, lines: &mut Vec<String>) {
    for stage in script.steps.iter().flat_map(|step| &step.stages) {
        show_stage(stage, lines);
    }
}

fn show_stage(stage: &Stage<'_>, lines: &mut Vec<String>) {
    let mut words: Vec<&Word<'_>> = Vec::new();
    match &stage.body {
        Body::Simple {
            assignments,
            words: simple,
        } => {
            words.extend(assignments.iter().flat_map(|assignment| &assignment.values));
            words.extend(simple);
        }
        Body::Subshell(script) | Body::Group(script) => show(script, lines),
        Body::Branches {
            words: compared,
            scripts,
        } => {
            words.extend(compared);
            scripts.iter().for_each(|script| show(script, lines));
        }
        Body::Loop {
            words: each,
            script,
            ..
        } => {
            words.extend(each);
            show(script, lines);
        }
        Body::Test(tested) => words.extend(tested),
        Body::Arithmetic(word) => words.push(word),
        Body::Function { body: inner, .. } => show_stage(inner, lines),
    }
    let mut line: Vec<String> = Vec::new();
    for word in &words {
        line.push(format!("{}{}", word.text, mark(word)));
    }
    for redirect in &stage.redirects {
        match &redirect.target {
            Target::Word(word) => line.push(format!(
                "{:?}:{}{}",
                redirect.operator,
                word.text,
                mark(word)
            )),
            Target::Document(document) => {
                line.push(format!("doc:{}", document.get().unwrap().text))
            }
        }
    }
    lines.push(line.join(" "));
    for substitution in words.iter().flat_map(|word| word.substitutions()) {
        match substitution {
            Substitution::Script(script) => show(script, lines),
            Substitution::Text(text) => lines.extend(shown(text)),
        }
    }
}

fn mark(word: &Word<'_>) -> &'static str {
    match word.certainty {
        Certainty::Literal => "",
        Certainty::Pattern => "[*]",
        Certainty::Output => "[out]",
        Certainty::Variable => "[var]",
    }
}

#[test]
fn words_are_read_as_a_shell_reads_them() {
    for (text, lines) in [
        ("ls -la", &["ls -la"][..]),
        (r#"/bin/cu""rl x"#, &["/bin/curl x"]),
        (r"r\m -r'f' /", &["rm -rf /"]),
        ("a\\\nb", &["ab"]),
        (r#"echo "a b" 'c d' e\ f"#, &["echo a b c d e f"]),
        (r"echo $'a\tb\x41\101'", &["echo a\tbAA"]),
        ("ls *.py", &["ls *.py[*]"]),
        ("cat $x \"$y\" ${z}", &["cat [var] [var] [var]"]),
        ("cat ~/a $HOME/b ${HOME}/c", &["cat ~/a ~/b ~/c"]),
        ("echo $? $# $(( 1 + 2 ))", &["echo 0 0 0"]),
        ("echo $((x+1))", &["echo [var]"]),
        ("mkdir {a,b}", &["mkdir {a,b}[out]"]),
        ("xargs {}", &["xargs {}"]),
        ("[ -f a ]", &["[ -f a ]"]),
        ("echo a#b # c", &["echo a#b"]),
    ] {
        assert_eq!(shown(text), lines, "{text}");
    }
}

#[test]
fn every_command_of_a_list_is_found() {
    for (text, lines) in [
        ("a | b |& c", &["a", "b", "c"][..]),
        ("a; b & c && d || e\nf", &["a", "b", "c", "d", "e", "f"]),
        ("(a; b)", &["a", "b", ""]),
        ("{ a; }", &["a", ""]),
        (
            "if a; then b; elif c; then d; else e; fi",
            &["a", "b", "c", "d", "e", ""],
        ),
        ("while a; do b; done", &["a", "b", ""]),
        ("for x in 1 2; do a; done", &["a", "1 2"]),
        (
            "case x in a|b) c;; (d) e;; *) f; esac",
            &["c", "e", "f", "x a b d *[*]"],
        ),
        ("[[ -f a && b < c ]]", &["-f a b c"]),
        ("f() { a; }", &["a", "", ""]),
        ("function f { a; }", &["a", "", ""]),
        ("! a && time -p b", &["a", "b"]),
        ("x=1 y=2 a b", &["1 2 a b"]),
        ("x=(1 2)", &["1 2"]),
    ] {
        assert_eq!(shown(text), lines, "{text}");
    }
}

#[test]
fn what_is_substituted_is_a_script_of_its_own() {
    for (text, lines) in [
        ("a $(b; c)", &["a [out]", "b", "c"][..]),
        ("a `b \\`c\\``", &["a [out]", "b [out]", "c"]),
        ("a \"$(b \"$(c)\")\"", &["a [out]", "b [out]", "c"]),
        ("a <(b) >(c)", &["a [out] [out]", "b", "c"]),
        ("a ${x:-$(b)}", &["a [var]", "b"]),
        ("a $(( $(b) + 1 ))", &["a [var]", "b"]),
        ("a $((b); (c))", &["a [out]", "b", "", "c", ""]),
        ("a $(case x in y) b;; esac)", &["a [out]", "b", "x y"]),
    ] {
        assert_eq!(shown(text), lines, "{text}");
    }
}

#[test]
fn redirections_are_no_words() {
    for (text, lines) in [
        (
            "a > b 2>&1 < c >> d",
            &["a Overwrite:b Duplicate:1 Read:c Append:d"][..],
        ),
        (
            "a &> b >& c >| d <> e",
            &["a Overwrite:b Overwrite:c Overwrite:d ReadWrite:e"],
        ),
        ("a <<< 'b c'", &["a HereString:b c"]),
        ("a <<E\nb $x\nE\nc", &["a doc:b $x\n", "c"]),
        ("a <<-'E' | b\n\tc\n\tE\n", &["a doc:\tc\n", "b"]),
        ("a $(b <<E\nc\nE\n)", &["a [out]", "b doc:c\n"]),
        ("> a", &["Overwrite:a"]),
    ] {
        assert_eq!(shown(text), lines, "{text}");
    }
}

#[test]
fn what_is_no_command_is_unreadable() {
    for text in [
        "; a",
        "a;;",
        "| a",
        "a |",
        "a &&",
        "&& a",
        "a ; ; b",
        "(a",
        "a)",
        "{ a",
        "'a",
        "\"a",
        "`a",
        "$(a",
        "${a",
        "a <<E\nb",
        "a >",
        "if a; then b",
        "for 1 in a; do b; done",
        "a(b",
        "=(a)",
        "fi",
        "()",
        "x[$(a)]=1",
        "echo ${x:-'a'}",
        "for ((;;)); do a; done",
        "a\0b",
        "a\u{a0}b",
        "a\rb",
        "a >>2>&1",
        "x=(a)#b; c",
    ] {
        assert!(parse(text, 0).is_err(), "{text}");
    }
}

#[test]
fn depth_is_bounded() {
    let nested = |levels: usize| format!("{}a{}", "$(".repeat(levels), ")".repeat(levels));
    assert!(parse(&nested(MAX_DEPTH), 0).is_ok());
    assert_eq!(
        parse(&nested(MAX_DEPTH + 1), 0).err(),
        Some(Unreadable::TooDeep)
    );
    for opener in ["$((", "((", "(", "{ ", "${x:-$(", "if ", "f()"] {
        assert!(parse(&opener.repeat(4000), 0).is_err(), "{opener}");
    }
    let long = "a ".repeat(MAX_SCRIPT);
    assert_eq!(parse(&long, 0).err(), Some(Unreadable::TooLong));
}
