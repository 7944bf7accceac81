//! The default policy: readers of the workspace, and the platform's own client.

use super::denial::Denial;
use super::grammar::{Grammar, Language, Operands, Takes, Use};

/// `cat`, `ls`, `jq`, `pandaprobe`.
pub(super) fn grammars() -> Vec<Grammar> {
    vec![cat(), ls(), jq(), pandaprobe()]
}

fn cat() -> Grammar {
    Grammar::new(
        "cat",
        "reads files of the workspace",
        Operands::All(Use::Read),
    )
    .flags(
        Takes::Nothing,
        &[
            "-A",
            "-b",
            "-e",
            "-E",
            "-n",
            "-s",
            "-t",
            "-T",
            "-u",
            "-v",
            "--show-all",
            "--number-nonblank",
            "--show-ends",
            "--number",
            "--squeeze-blank",
            "--show-tabs",
            "--show-nonprinting",
            "--help",
            "--version",
        ],
    )
    .allows(&[
        "cat notes.txt",
        "cat -n a/b.txt c",
        "cat -- -odd-name",
        "cat a/../b",
    ])
    .denies(&[
        "cat /etc/passwd",
        "cat -- /etc/passwd",
        "cat a/../../b",
        "cat --files0-from=a",
    ])
}

fn ls() -> Grammar {
    Grammar::new(
        "ls",
        "lists folders of the workspace",
        Operands::All(Use::Read),
    )
    .flags(
        Takes::Nothing,
        &[
            "-1",
            "-a",
            "-A",
            "-b",
            "-B",
            "-c",
            "-C",
            "-d",
            "-f",
            "-F",
            "-g",
            "-G",
            "-h",
            "-i",
            "-k",
            "-l",
            "-m",
            "-n",
            "-N",
            "-o",
            "-p",
            "-q",
            "-Q",
            "-r",
            "-R",
            "-s",
            "-S",
            "-t",
            "-u",
            "-U",
            "-v",
            "-x",
            "-X",
            "--all",
            "--almost-all",
            "--directory",
            "--full-time",
            "--group-directories-first",
            "--human-readable",
            "--inode",
            "--no-group",
            "--numeric-uid-gid",
            "--recursive",
            "--reverse",
            "--size",
            "--help",
            "--version",
        ],
    )
    .flags(Takes::Optional, &["--color", "--classify"])
    .flags(
        Takes::One(Use::Text),
        &[
            "-I",
            "-T",
            "-w",
            "--format",
            "--ignore",
            "--hide",
            "--sort",
            "--time",
            "--time-style",
        ],
    )
    .allows(&["ls", "ls -la src", "ls --color=never -I '*.o' .", "ls -R1"])
    .denies(&[
        "ls /root",
        "ls -la ..",
        "ls -L link",
        "ls --dereference link",
    ])
}

const PROGRAM_FILE: Denial = Denial {
    words: &["-f", "--from-file"],
    reason: "runs a program that the policy has not read",
    instead: "give the program on the command line",
    matches: &[
        "jq -f/etc/passwd",
        "jq -nf prog.jq",
        "jq --from-file prog.jq",
        "jq --from-file=x .",
    ],
    spares: &["jq .f a.json", "jq . ./-f"],
};

const LIBRARY: Denial = Denial {
    words: &["-L", "--library-path"],
    reason: "loads programs that the policy has not read",
    instead: "write out what the module defines",
    matches: &[
        "jq -L/etc .",
        "jq -L etc . a.json",
        "jq -nL etc .",
        "jq --library-path=etc .",
    ],
    spares: &["jq .L a.json"],
};

fn jq() -> Grammar {
    let operands = Operands::ProgramThen(Language::Jq, Use::Read);
    Grammar::new("jq", "reads and reshapes JSON of the workspace", operands)
        .flags(
            Takes::Nothing,
            &[
                "-n",
                "-r",
                "-j",
                "-a",
                "-s",
                "-R",
                "-c",
                "-C",
                "-M",
                "-S",
                "-e",
                "-h",
                "-V",
                "--null-input",
                "--raw-output",
                "--raw-output0",
                "--join-output",
                "--ascii-output",
                "--slurp",
                "--raw-input",
                "--compact-output",
                "--color-output",
                "--monochrome-output",
                "--sort-keys",
                "--exit-status",
                "--tab",
                "--seq",
                "--stream",
                "--stream-errors",
                "--unbuffered",
                "--help",
                "--version",
            ],
        )
        .flags(Takes::One(Use::Text), &["--indent"])
        .flags(Takes::Named(Use::Text), &["--arg", "--argjson"])
        .flags(
            Takes::Named(Use::Read),
            &["--rawfile", "--slurpfile", "--argfile"],
        )
        .flags(Takes::RestIsText, &["--args", "--jsonargs"])
        .deny_flag(PROGRAM_FILE)
        .deny_flag(LIBRARY)
        .allows(&[
            "jq . data.json",
            "jq -nr --arg a 1 '$a'",
            "jq --rawfile text notes.txt '$text' a.json",
            "jq '.env | .a' x.json",
            "jq -n --args '$ARGS' /not/a/file",
        ])
        .denies(&[
            "jq -n env",
            "jq -n '$ENV.HOME'",
            "jq --rawfile=x /etc/passwd .",
            "jq --rawfile x /etc/passwd '$x'",
            "jq . /etc/passwd",
            "jq 'include \"a\"; b' x.json",
        ])
}

/// What the platform's client may be asked: what only reads.
const QUESTIONS: &[&[&str]] = &[
    &["auth", "status"],
    &["evals", "list"],
    &["evals", "get"],
    &["evals", "runs", "list"],
    &["evals", "runs", "get"],
    &["metrics", "list"],
    &["scores", "list"],
    &["scores", "get"],
    &["sessions", "list"],
    &["sessions", "get"],
    &["traces", "list"],
    &["traces", "get"],
    &["traces", "spans"],
];

const CREDENTIALS: &str = "reads or changes credentials";
const OPERATOR: &str = "ask the operator, who holds the account";

const CONFIG: Denial = Denial {
    words: &["config"],
    reason: CREDENTIALS,
    instead: OPERATOR,
    matches: &[
        "pandaprobe config show",
        "pandaprobe --format json config set a b",
    ],
    spares: &["pandaprobe traces list --name configured"],
};

const LOGIN: Denial = Denial {
    words: &["auth", "login"],
    reason: CREDENTIALS,
    instead: OPERATOR,
    matches: &[
        "pandaprobe auth login",
        "pandaprobe --format json auth --limit 3 login",
    ],
    spares: &[
        "pandaprobe auth status",
        "pandaprobe traces list --name login",
    ],
};

const LOGOUT: Denial = Denial {
    words: &["auth", "logout"],
    reason: CREDENTIALS,
    instead: OPERATOR,
    matches: &[
        "pandaprobe auth logout",
        "pandaprobe auth --format json logout",
    ],
    spares: &["pandaprobe auth status"],
};

const REVEAL: Denial = Denial {
    words: &["--reveal-secrets"],
    reason: "shows credentials",
    instead: OPERATOR,
    matches: &[
        "pandaprobe auth status --reveal-secrets",
        "pandaprobe auth status --reveal-secrets=true",
        "pandaprobe auth status --format --reveal-secrets",
    ],
    spares: &["pandaprobe auth status --format json"],
};

const ENDPOINT: Denial = Denial {
    words: &["--endpoint", "--base-url", "--api-url", "--host"],
    reason: "sends the credentials elsewhere",
    instead: "leave it out: the endpoint is the operator's",
    matches: &[
        "pandaprobe --endpoint http://127.0.0.1:9 traces list",
        "pandaprobe traces list --endpoint=http://127.0.0.1:9",
    ],
    spares: &["pandaprobe traces list --name endpoint"],
};

fn pandaprobe() -> Grammar {
    let operands = Operands::Subcommands(QUESTIONS);
    Grammar::new(
        "pandaprobe",
        "reads traces, sessions and scores of the platform",
        operands,
    )
    .flags(
        Takes::Nothing,
        &["--spans-only", "--help", "-h", "--version"],
    )
    .flags(
        Takes::One(Use::Text),
        &[
            "--format",
            "--limit",
            "--offset",
            "--status",
            "--target",
            "--name",
            "--kind",
            "--session-id",
            "--session-ids",
            "--trace-id",
            "--trace-ids",
            "--metrics",
            "--sort-by",
            "--sort-order",
            "--started-after",
            "--started-before",
        ],
    )
    .deny_flag(REVEAL)
    .deny_flag(ENDPOINT)
    .deny_sequence(CONFIG)
    .deny_sequence(LOGIN)
    .deny_sequence(LOGOUT)
    .response_files()
    .needs_credentials()
    .allows(&[
        "pandaprobe --format json traces list --limit 3",
        "pandaprobe auth status",
        "pandaprobe traces get a1b2 --kind TOOL",
    ])
    .denies(&[
        "pandaprobe evals runs batch --target trace",
        "pandaprobe traces delete a1b2",
        "pandaprobe traces get @/etc/passwd",
    ])
}
