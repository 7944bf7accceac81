//! Programs that run what their words say: the rest of the words is the command.

/// How to find the command behind a program that runs it.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// Flags without a value.
    pub(super) flags: &'static [&'static str],
    /// Flags with a value, attached or as the next word.
    pub(super) valued: &'static [&'static str],
    /// Words of its own before the command.
    pub(super) operands: usize,
}

pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "timeout",
        flags: &[
            "-f",
            "-p",
            "-v",
            "--foreground",
            "--preserve-status",
            "--verbose",
        ],
        valued: &["-k", "-s", "--kill-after", "--signal"],
        operands: 1,
    },
    Wrapper {
        name: "nice",
        flags: &[],
        valued: &["-n", "--adjustment"],
        operands: 0,
    },
    Wrapper {
        name: "ionice",
        flags: &["-t"],
        valued: &["-c", "-n", "--class", "--classdata"],
        operands: 0,
    },
    Wrapper {
        name: "nohup",
        flags: &[],
        valued: &[],
        operands: 0,
    },
    Wrapper {
        name: "setsid",
        flags: &["-c", "-f", "-w"],
        valued: &[],
        operands: 0,
    },
    Wrapper {
        name: "stdbuf",
        flags: &[],
        valued: &["-i", "-o", "-e", "--input", "--output", "--error"],
        operands: 0,
    },
    Wrapper {
        name: "time",
        flags: &["-p", "-v"],
        valued: &[],
        operands: 0,
    },
    Wrapper {
        name: "command",
        flags: &["-p"],
        valued: &[],
        operands: 0,
    },
    Wrapper {
        name: "builtin",
        flags: &[],
        valued: &[],
        operands: 0,
    },
    Wrapper {
        name: "exec",
        flags: &["-c", "-l"],
        valued: &["-a"],
        operands: 0,
    },
    Wrapper {
        name: "busybox",
        flags: &[],
        valued: &[],
        operands: 0,
    },
    Wrapper {
        name: "toybox",
        flags: &[],
        valued: &[],
        operands: 0,
    },
];

/// `xargs`, whose command gets further words from its input.
pub(super) const XARGS: Wrapper = Wrapper {
    name: "xargs",
    flags: &[
        "-0",
        "-r",
        "-t",
        "-x",
        "--null",
        "--no-run-if-empty",
        "--verbose",
        "--exit",
    ],
    valued: &[
        "-n",
        "-P",
        "-L",
        "-s",
        "-d",
        "-I",
        "--max-args",
        "--max-procs",
        "--max-lines",
        "--max-chars",
        "--delimiter",
        "--replace",
    ],
    operands: 0,
};

/// `env`, before whose command variables are set.
pub(super) const ENV: Wrapper = Wrapper {
    name: "env",
    flags: &["-i", "-", "-0", "--ignore-environment", "--null"],
    valued: &["-u", "--unset"],
    operands: 0,
};

impl Wrapper {
    /// How many of `words` are the wrapper's own; `None` where a flag is not known. `words` are
    /// those behind its name, as far as they are literal.
    pub(super) fn own_words(&self, words: &[Option<&str>]) -> Option<usize> {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let word = (*word)?;
            if word == "--" {
                at += 1;
                break;
            }
            if !word.starts_with('-') || (word == "-" && !self.flags.contains(&"-")) {
                break;
            }
            let name = word.split_once('=').map_or(word, |(name, _)| name);
            let cluster = |flag: &&str| flag.len() == 2 && word.starts_with(*flag);
            let number = word
                .get(1..)
                .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
            if self.flags.contains(&word) || (self.name == "nice" && number) {
                at += 1;
            } else if self.valued.contains(&word) {
                at += 2;
            } else if (word.starts_with("--") && self.valued.contains(&name))
                || self.valued.iter().any(cluster)
            {
                at += 1;
            } else {
                return None;
            }
        }
        Some(at + self.operands)
    }
}
