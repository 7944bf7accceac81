//! Programs that read, print or add, each by the grammar of its words.

use crate::policy::{Denial, Grammar, Language, Operands, ShellPolicy, Takes, Use};

const READ: Operands = Operands::All(Use::Read);

/// A flag by which a reader runs a program or writes a file.
const fn acts(
    words: &'static [&'static str],
    matches: &'static [&'static str],
    spares: &'static [&'static str],
) -> Denial {
    Denial {
        words,
        reason: "makes a reader run a program, write a file, or read a list of files",
        instead: "leave it out",
        matches,
        spares,
    }
}

/// The grammars; those of the restricted shell are among them.
pub(super) fn grammars() -> Vec<Grammar> {
    let mut grammars = ShellPolicy::standard_grammars();
    grammars.retain(|grammar| grammar.name() != "pandaprobe");
    grammars.extend(plain());
    grammars.extend(searchers());
    grammars.extend(editors());
    grammars.extend(adders());
    grammars
}

fn reader(name: &'static str, flags: &[&'static str], valued: &[&'static str]) -> Grammar {
    Grammar::new(name, "reads files of the workspace", READ)
        .flags(Takes::Nothing, flags)
        .flags(Takes::One(Use::Text), valued)
}

fn printer(name: &'static str, flags: &[&'static str], valued: &[&'static str]) -> Grammar {
    Grammar::new(name, "prints what it is told", Operands::All(Use::Text))
        .flags(Takes::Nothing, flags)
        .flags(Takes::One(Use::Text), valued)
}

fn plain() -> Vec<Grammar> {
    vec![
        reader(
            "head",
            &["-q", "-v", "-z"],
            &["-n", "-c", "--lines", "--bytes"],
        )
        .number_flags(),
        reader(
            "tail",
            &["-q", "-v", "-z", "-r"],
            &["-n", "-c", "--lines", "--bytes"],
        )
        .number_flags(),
        reader(
            "wc",
            &[
                "-c", "-l", "-m", "-w", "-L", "--lines", "--words", "--bytes", "--chars",
            ],
            &[],
        )
        .deny_flag(acts(
            &["--files0-from"],
            &["wc --files0-from=a"],
            &["wc -l a"],
        )),
        reader(
            "nl",
            &["-p"],
            &["-b", "-d", "-f", "-h", "-i", "-l", "-n", "-s", "-v", "-w"],
        ),
        reader("tac", &["-b", "-r"], &["-s"]),
        reader("rev", &[], &[]),
        reader("fold", &["-b", "-s"], &["-w"]),
        reader("fmt", &["-c", "-s", "-t", "-u"], &["-p", "-w", "-g"]),
        reader("column", &["-t", "-x", "-e"], &["-s", "-o", "-c", "-N"]),
        reader("expand", &["-i"], &["-t"]),
        reader("unexpand", &["-a"], &["-t"]),
        reader(
            "cut",
            &["-s", "-z", "--complement"],
            &[
                "-b",
                "-c",
                "-d",
                "-f",
                "--output-delimiter",
                "--delimiter",
                "--fields",
            ],
        ),
        reader("paste", &["-s", "-z"], &["-d"]),
        reader(
            "comm",
            &["-1", "-2", "-3", "-i", "--total"],
            &["--output-delimiter"],
        ),
        reader("cmp", &["-b", "-l", "-s"], &["-i", "-n"]),
        reader(
            "diff",
            &[
                "-a",
                "-b",
                "-B",
                "-c",
                "-d",
                "-e",
                "-E",
                "-i",
                "-N",
                "-p",
                "-q",
                "-r",
                "-s",
                "-t",
                "-T",
                "-u",
                "-w",
                "-y",
                "-Z",
                "--brief",
                "--recursive",
                "--unified",
                "--side-by-side",
                "--no-dereference",
                "--ignore-all-space",
            ],
            &["-C", "-I", "-U", "-W", "-x", "--exclude", "--label", "-L"],
        )
        .flags(Takes::Optional, &["--color"]),
        reader(
            "od",
            &["-b", "-c", "-d", "-o", "-s", "-v", "-x"],
            &["-A", "-j", "-N", "-t"],
        )
        .flags(Takes::Optional, &["-w"]),
        reader(
            "hexdump",
            &["-b", "-c", "-C", "-d", "-o", "-v", "-x"],
            &["-n", "-s", "-e"],
        ),
        reader("strings", &["-a"], &["-n", "-t", "-e"]),
        reader("stat", &["-t", "-L"], &["-c", "--format", "--printf"]),
        reader(
            "file",
            &["-b", "-i", "-k", "-L", "--mime", "--mime-type", "--brief"],
            &["-F"],
        ),
        reader(
            "du",
            &[
                "-a",
                "-b",
                "-c",
                "-h",
                "-k",
                "-m",
                "-s",
                "-x",
                "-0",
                "--apparent-size",
            ],
            &["-d", "-B", "--max-depth", "--exclude", "-t"],
        )
        .deny_flag(acts(
            &["--files0-from"],
            &["du --files0-from=a"],
            &["du -s a"],
        )),
        reader("readlink", &["-e", "-f", "-m", "-n"], &[]),
        reader("realpath", &["-e", "-m", "-s", "-q"], &[]),
        reader("md5sum", &["-b", "-t"], &[]),
        reader("sha1sum", &["-b", "-t"], &[]),
        reader("sha256sum", &["-b", "-t"], &[]),
        reader("sha512sum", &["-b", "-t"], &[]),
        reader("cksum", &[], &[]),
        reader("base64", &["-d", "-i", "--decode"], &["-w", "--wrap"]).deny_flag(acts(
            &["-o", "--output"],
            &["base64 -ox", "base64 --output x"],
            &["base64 a"],
        )),
        reader(
            "tree",
            &[
                "-a",
                "-d",
                "-f",
                "-h",
                "-i",
                "-p",
                "-s",
                "-C",
                "-D",
                "-F",
                "-r",
                "-t",
                "-J",
                "--dirsfirst",
                "--noreport",
            ],
            &["-I", "-L", "-P"],
        )
        .deny_flag(acts(
            &["-o", "--fromfile", "-R"],
            &["tree -o x", "tree -R ."],
            &["tree -L 2"],
        )),
        reader(
            "sort",
            &[
                "-b",
                "-c",
                "-C",
                "-d",
                "-f",
                "-g",
                "-h",
                "-i",
                "-M",
                "-m",
                "-n",
                "-r",
                "-R",
                "-s",
                "-u",
                "-V",
                "-z",
                "--reverse",
                "--unique",
                "--numeric-sort",
            ],
            &["-k", "-t", "-S", "--key", "--field-separator", "--parallel"],
        )
        .deny_flag(acts(
            &[
                "-o",
                "--output",
                "--compress-program",
                "--files0-from",
                "-T",
                "--temporary-directory",
            ],
            &[
                "sort -o a a",
                "sort -u -oa a",
                "sort --compress-program=sh a",
            ],
            &["sort -n a", "sort ./-o"],
        )),
        // A second operand is written to.
        Grammar::new(
            "uniq",
            "reads files of the workspace",
            Operands::Then {
                first: Use::Read,
                rest: Use::Overwrite,
            },
        )
        .flags(Takes::Nothing, &["-c", "-d", "-D", "-i", "-u", "-z"])
        .flags(Takes::One(Use::Text), &["-f", "-s", "-w"]),
        printer("tr", &["-c", "-C", "-d", "-s", "-t"], &[]),
        printer("printf", &[], &[]),
        printer("seq", &["-w"], &["-f", "-s"]),
        printer("basename", &["-a", "-z"], &["-s"]),
        printer("dirname", &["-z"], &[]),
        printer("sleep", &[], &[]),
        printer("pwd", &["-L", "-P"], &[]),
        printer("cal", &["-1", "-3", "-m", "-y"], &[]),
        printer("nproc", &[], &[]),
        printer("wait", &[], &[]),
        printer("exit", &[], &[]),
        printer("return", &[], &[]),
        printer("break", &[], &[]),
        printer("continue", &[], &[]),
        printer("shift", &[], &[]),
        // An operand would set the clock, or says how to print it.
        Grammar::new("date", "prints the time", Operands::All(Use::Text))
            .flags(Takes::Nothing, &["-u", "-R", "--utc"])
            .flags(Takes::Optional, &["-I", "--iso-8601"])
            .flags(Takes::One(Use::Text), &["-d", "--date"])
            .flags(Takes::One(Use::Read), &["-r"])
            .deny_flag(acts(
                &["-s", "--set", "-f", "--file"],
                &["date -s x"],
                &["date -u"],
            )),
    ]
}

fn searchers() -> Vec<Grammar> {
    let operands = Operands::ProgramThen(Language::Pattern, Use::Read);
    let grep = |name| {
        Grammar::new(name, "searches files of the workspace", operands)
            .flags(
                Takes::Nothing,
                &[
                    "-a",
                    "-b",
                    "-c",
                    "-E",
                    "-F",
                    "-G",
                    "-h",
                    "-H",
                    "-i",
                    "-I",
                    "-l",
                    "-L",
                    "-n",
                    "-o",
                    "-P",
                    "-q",
                    "-r",
                    "-s",
                    "-v",
                    "-w",
                    "-x",
                    "-y",
                    "-z",
                    "-Z",
                    "--count",
                    "--extended-regexp",
                    "--files-with-matches",
                    "--files-without-match",
                    "--fixed-strings",
                    "--ignore-case",
                    "--invert-match",
                    "--line-number",
                    "--line-regexp",
                    "--no-filename",
                    "--no-messages",
                    "--null",
                    "--only-matching",
                    "--perl-regexp",
                    "--quiet",
                    "--recursive",
                    "--silent",
                    "--with-filename",
                    "--word-regexp",
                ],
            )
            // It follows links; confined, they lead nowhere outside.
            .flags(Takes::Nothing, &["-R", "--dereference-recursive"])
            .flags(Takes::Optional, &["--color", "--colour"])
            .flags(
                Takes::One(Use::Text),
                &[
                    "-A",
                    "-B",
                    "-C",
                    "-d",
                    "-D",
                    "-m",
                    "--after-context",
                    "--before-context",
                    "--binary-files",
                    "--context",
                    "--exclude",
                    "--exclude-dir",
                    "--include",
                    "--label",
                    "--max-count",
                ],
            )
            .flags(Takes::One(Use::Read), &["--exclude-from"])
            .flags(Takes::Program, &["-e", "--regexp"])
            .flags(Takes::ProgramFile, &["-f", "--file"])
            .number_flags()
    };
    let rg = Grammar::new("rg", "searches files of the workspace", operands)
        .flags(
            Takes::Nothing,
            &[
                "-c",
                "-F",
                "-H",
                "-i",
                "-I",
                "-l",
                "-n",
                "-N",
                "-o",
                "-p",
                "-q",
                "-s",
                "-S",
                "-U",
                "-u",
                "-v",
                "-w",
                "-x",
                "-0",
                "--count",
                "--files-with-matches",
                "--hidden",
                "--ignore-case",
                "--json",
                "--line-number",
                "--no-heading",
                "--no-ignore",
                "--smart-case",
                "--sort-files",
                "--word-regexp",
            ],
        )
        .flags(
            Takes::One(Use::Text),
            &[
                "-A",
                "-B",
                "-C",
                "-g",
                "-m",
                "-M",
                "-r",
                "-t",
                "-T",
                "--color",
                "--context",
                "--glob",
                "--max-count",
                "--sort",
                "--type",
            ],
        )
        .flags(Takes::Program, &["-e", "--regexp"])
        .flags(Takes::ProgramFile, &["-f", "--file"])
        .deny_flag(acts(
            &[
                "--pre",
                "--pre-glob",
                "--hostname-bin",
                "-z",
                "--search-zip",
            ],
            &["rg --pre=x a", "rg --hostname-bin x a", "rg -z a"],
            &["rg -n a", "rg pre"],
        ));
    vec![grep("grep"), grep("egrep"), grep("fgrep"), rg]
}

fn editors() -> Vec<Grammar> {
    let sed = Operands::ProgramThen(Language::Sed, Use::Read);
    let awk = Operands::ProgramThen(Language::Awk, Use::Read);
    let awk = |name| {
        Grammar::new(name, "reshapes text of the workspace", awk)
            .flags(
                Takes::One(Use::Text),
                &["-F", "-v", "--field-separator", "--assign"],
            )
            .deny_flag(acts(
                &[
                    "-f",
                    "--file",
                    "-i",
                    "--include",
                    "-l",
                    "--load",
                    "-E",
                    "--exec",
                    "-e",
                    "--source",
                ],
                &["awk -f a b", "awk -i inplace x"],
                &["awk -F: x", "awk '{print}' a"],
            ))
    };
    vec![
        Grammar::new("sed", "reshapes text of the workspace", sed)
            .flags(
                Takes::Nothing,
                &[
                    "-n",
                    "-E",
                    "-r",
                    "-s",
                    "-u",
                    "-z",
                    "--quiet",
                    "--silent",
                    "--regexp-extended",
                    "--posix",
                    "--sandbox",
                ],
            )
            .flags(Takes::Program, &["-e", "--expression"]),
        awk("awk"),
        awk("gawk"),
        awk("mawk"),
    ]
}

fn adders() -> Vec<Grammar> {
    let to = |others, last| Operands::To { others, last };
    vec![
        Grammar::new(
            "mkdir",
            "makes folders in the workspace",
            Operands::All(Use::Add),
        )
        .flags(Takes::Nothing, &["-p", "-v", "--parents", "--verbose"])
        .flags(Takes::One(Use::Text), &["-m", "--mode"]),
        Grammar::new(
            "touch",
            "makes files in the workspace",
            Operands::All(Use::Add),
        )
        .flags(Takes::Nothing, &["-a", "-c", "-m", "--no-create"])
        .flags(Takes::One(Use::Text), &["-d", "-t", "--date"])
        .flags(Takes::One(Use::Read), &["-r", "--reference"]),
        Grammar::new(
            "cp",
            "copies files of the workspace",
            to(Use::Read, Use::Overwrite),
        )
        .flags(
            Takes::Nothing,
            &[
                "-a",
                "-f",
                "-p",
                "-P",
                "-r",
                "-R",
                "-u",
                "-v",
                "-n",
                "-T",
                "--recursive",
                "--no-clobber",
            ],
        ),
        Grammar::new(
            "mv",
            "moves files of the workspace",
            to(Use::Overwrite, Use::Overwrite),
        )
        .flags(
            Takes::Nothing,
            &["-f", "-n", "-u", "-v", "-T", "--no-clobber"],
        ),
        Grammar::new(
            "tee",
            "writes files of the workspace",
            Operands::All(Use::Overwrite),
        )
        .flags(Takes::Nothing, &["-a", "-i", "-p", "--append"]),
    ]
}
