//! A command runs only as its grammar lets it: every way round has a twin that is allowed.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use harness_shell::{
    Credentials, Grammar, LoadedPolicy, Operands, ShellPolicy, Takes, Use, Verdict, Workspace,
};
use tempfile::TempDir;

/// A workspace with a file in it, and a secret beside it.
struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("work/sub")).unwrap();
        fs::create_dir(folder.path().join("beside")).unwrap();
        fs::write(folder.path().join("work/notes.txt"), "notes\n").unwrap();
        fs::write(folder.path().join("beside/secret"), "secret\n").unwrap();
        Self { folder }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn beside(&self) -> PathBuf {
        self.folder.path().join("beside")
    }

    fn workspace(&self) -> Workspace {
        Workspace::open(&self.work(), &[]).unwrap()
    }

    fn policy(&self) -> LoadedPolicy {
        ShellPolicy::standard().unwrap().load(self.workspace(), &[])
    }
}

fn refused(policy: &LoadedPolicy, line: &str, rule: &str) {
    let decision = policy.decide_line(line);
    assert_eq!(
        (decision.verdict(), decision.rule()),
        (Verdict::Deny, rule),
        "{line}"
    );
    assert_eq!(policy.allow_line(line).unwrap_err(), decision, "{line}");
}

fn allowed(policy: &LoadedPolicy, line: &str) {
    let decision = policy.decide_line(line);
    assert!(decision.is_allowed(), "{line}: {decision:?}");
    let proof = policy.allow_line(line).unwrap();
    assert!(proof.binary().is_absolute(), "{line}");
    assert_eq!(proof.words().join(" "), line.replace('\'', ""), "{line}");
    assert_eq!(proof.workspace().path(), policy.workspace().path());
}

#[test]
fn a_binary_is_on_the_list_by_its_bare_name() {
    let stage = Stage::new();
    let policy = stage.policy();
    for line in [
        "sh -c id",
        "/bin/cat notes.txt",
        "./cat notes.txt",
        "CAT notes.txt",
        "LD_PRELOAD=x cat notes.txt",
    ] {
        refused(&policy, line, "shell.binary");
    }
    allowed(&policy, "cat notes.txt");
}

#[test]
fn a_binary_that_a_command_could_write_is_none() {
    let stage = Stage::new();
    let grammar = || {
        Grammar::new("notes-reader", "reads", Operands::All(Use::Read))
            .allows(&["notes-reader a"])
            .denies(&["notes-reader /a"])
    };
    let policy = ShellPolicy::new(vec![grammar()]).unwrap();
    let install = |folder: PathBuf, mode: u32| {
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("notes-reader");
        fs::write(&file, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        folder
    };
    // A folder above that anyone may write, as temporary ones are, would do as well: so what is
    // looked at is which of two files is chosen, and why the other is not.
    let within = install(stage.work().join("bin"), 0o755);
    let open = install(stage.beside().join("open"), 0o777);
    let loaded = policy.load(stage.workspace(), &[within, open]);
    refused(&loaded, "notes-reader notes.txt", "shell.missing");
    let cat = policy_with("cat").load(stage.workspace(), &[]);
    allowed(&cat, "cat notes.txt");
}

fn policy_with(name: &str) -> ShellPolicy {
    let mut grammars = ShellPolicy::standard_grammars();
    grammars.retain(|grammar| grammar.name() == name);
    ShellPolicy::new(grammars).unwrap()
}

#[test]
fn a_path_stays_in_the_workspace_however_it_is_given() {
    let stage = Stage::new();
    symlink(stage.beside().join("secret"), stage.work().join("link")).unwrap();
    symlink(stage.beside(), stage.work().join("folder")).unwrap();
    symlink("notes.txt", stage.work().join("alias")).unwrap();
    symlink("..", stage.work().join("up")).unwrap();
    let policy = stage.policy();
    let outside = stage.beside().join("secret").display().to_string();
    for line in [
        "cat link",
        "cat folder/secret",
        "cat up/beside/secret",
        "cat ../beside/secret",
        "cat sub/../../beside/secret",
        "cat -- /etc/passwd",
        &format!("cat {outside}"),
        &format!("cat -n {outside}"),
        &format!("jq -n --rawfile x {outside} '$x'"),
        &format!("jq -nr --slurpfile x {outside} '$x'"),
        &format!("jq . {outside}"),
        "ls ..",
        "ls -la /",
        "cat ''",
    ] {
        refused(&policy, line, "shell.path");
    }
    allowed(&policy, "cat alias");
    allowed(&policy, "cat sub/../notes.txt");
    allowed(&policy, "cat not-there");
    allowed(
        &policy,
        &format!(
            "cat {}",
            policy.workspace().path().join("notes.txt").display()
        ),
    );
    allowed(&policy, "jq -n --rawfile x notes.txt '$x'");
}

#[test]
fn attached_values_and_clusters_hide_nothing() {
    let stage = Stage::new();
    let policy = stage.policy();
    for (line, rule) in [
        ("jq --rawfile=x /etc/passwd .", "shell.flag.value"),
        ("jq -f/etc/passwd", "shell.denied"),
        ("jq -nrf prog notes.txt", "shell.denied"),
        ("jq -L/etc .", "shell.denied"),
        ("jq --from-file=prog .", "shell.denied"),
        ("jq --from prog .", "shell.flag.unknown"),
        ("cat --files0-from=list", "shell.flag.unknown"),
        ("cat -nq notes.txt", "shell.flag.unknown"),
        ("ls --dereference sub", "shell.flag.unknown"),
        ("jq -n env", "shell.program"),
        ("jq -n '[$ENV]'", "shell.program"),
        ("jq --arg", "shell.flag.value"),
        ("cat --number=1 notes.txt", "shell.flag.value"),
    ] {
        refused(&policy, line, rule);
    }
    for line in [
        "jq -nr --arg x 1 '$x'",
        "cat -nE notes.txt",
        "cat --number -- notes.txt",
        "ls -la sub",
    ] {
        allowed(&policy, line);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_no_file_is_not_read() {
    let stage = Stage::new();
    let fifo = stage.work().join("fifo");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let policy = stage.policy();
    refused(&policy, "cat fifo", "shell.path");
    allowed(&policy, "cat notes.txt");
}

#[test]
fn a_line_that_means_a_shell_is_refused() {
    let stage = Stage::new();
    let policy = stage.policy();
    for line in [
        "cat notes.txt; id",
        "cat $(id)",
        "cat *",
        "cat notes.txt > x",
        "cat 'notes.txt",
        "cat a\nid",
        "",
    ] {
        refused(&policy, line, "shell.line");
    }
    allowed(&policy, "cat 'notes.txt'");
}

#[test]
fn credentials_reach_what_needs_them_alone() {
    let stage = Stage::new();
    let policy = stage.policy();
    let cat = policy.allow_line("cat notes.txt").unwrap();
    assert_eq!(cat.credentials(), Credentials::None);
    // The client need not be installed for its policy to hold.
    for (line, rule) in [
        (
            "pandaprobe --endpoint http://127.0.0.1:9 traces list",
            "shell.denied",
        ),
        (
            "pandaprobe traces list --endpoint=http://127.0.0.1:9",
            "shell.denied",
        ),
        (
            "pandaprobe --format json auth --limit 3 login",
            "shell.denied",
        ),
        ("pandaprobe auth status --reveal-secrets=1", "shell.denied"),
        ("pandaprobe traces delete x", "shell.subcommand"),
        ("pandaprobe traces get @/etc/passwd", "shell.path"),
    ] {
        let decision = policy.decide_line(line);
        assert_eq!(
            (decision.verdict(), decision.rule()),
            (Verdict::Deny, rule),
            "{line}"
        );
    }
    let asked = policy.decide_line("pandaprobe --format json traces list --limit 3");
    assert!(
        asked.is_allowed() || asked.rule() == "shell.missing",
        "{asked:?}"
    );
}

#[test]
fn a_host_adds_a_binary_with_its_own_grammar() {
    let stage = Stage::new();
    let head = Grammar::new("head", "shows how files begin", Operands::All(Use::Read))
        .flags(Takes::One(Use::Text), &["-n"])
        .number_flags()
        .allows(&["head -3 a", "head -n 3 a"])
        .denies(&["head -n 3 /a", "head -c 3 a"]);
    let mut grammars = ShellPolicy::standard_grammars();
    grammars.push(head);
    let policy = ShellPolicy::new(grammars)
        .unwrap()
        .load(stage.workspace(), &[]);
    allowed(&policy, "head -n 1 notes.txt");
    refused(&policy, "head -n 1 /etc/passwd", "shell.path");
    refused(&stage.policy(), "head -n 1 notes.txt", "shell.binary");
}
