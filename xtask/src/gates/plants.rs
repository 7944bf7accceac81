//! The violations that `gates` plants, as data.

use crate::surface;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// A check of `ci`, on as little of the tree as shows that it works.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    Surface,
    Tidy,
    Deny,
    Format,
    /// Of one crate.
    Clippy(&'static str),
    /// Of one crate.
    Docs(&'static str),
}

/// How a file is changed.
pub(super) enum Edit {
    Create(&'static str),
    Append(&'static str),
    Replace(&'static str, &'static str),
}

/// One violation.
pub(super) struct Plant {
    pub(super) check: Check,
    what: &'static str,
    pub(super) file: &'static str,
    pub(super) edit: Edit,
    /// What the check has to say about it.
    pub(super) red: &'static str,
}

impl Plant {
    /// The check and the violation.
    pub(super) fn name(&self) -> String {
        let check = match self.check {
            Check::Surface => "surface",
            Check::Tidy => "tidy",
            Check::Deny => "deny",
            Check::Format => "format",
            Check::Clippy(_) => "clippy",
            Check::Docs(_) => "docs",
        };
        format!("{check}: {}", self.what)
    }
}

impl Edit {
    /// Changes the file and gives back what was there.
    pub(super) fn apply(&self, file: &Path) -> Result<Option<String>> {
        if let Self::Create(text) = self {
            if file.exists() {
                bail!("`{}` is there already", file.display());
            }
            fs::write(file, text)?;
            return Ok(None);
        }
        let before = fs::read_to_string(file)
            .with_context(|| format!("cannot read `{}`", file.display()))?;
        let after = match self {
            Self::Create(text) => (*text).to_owned(),
            Self::Append(text) => format!("{before}{text}"),
            Self::Replace(from, to) => before.replacen(from, to, 1),
        };
        if after == before {
            bail!("`{}` has nothing to replace", file.display());
        }
        fs::write(file, after)?;
        Ok(Some(before))
    }
}

/// Every violation, by check.
pub(super) const PLANTS: &[Plant] = &[
    Plant {
        check: Check::Surface,
        what: "an arrow that the table does not allow",
        file: "harness-adapters/traces/Cargo.toml",
        edit: Edit::Replace(
            "[dependencies]\n",
            "[dependencies]\nharness-store.workspace = true\n",
        ),
        red: "`harness-traces` may not depend on `harness-store`",
    },
    Plant {
        check: Check::Surface,
        what: "an outside crate in the core",
        file: "harness-core/Cargo.toml",
        edit: Edit::Replace(
            "[dependencies]\n",
            "[dependencies]\nmemchr.workspace = true\n",
        ),
        red: "`harness-core` may not depend on `memchr`",
    },
    Plant {
        check: Check::Surface,
        what: "an `unsafe`",
        file: "harness-adapters/traces/src/planted.rs",
        edit: Edit::Create("//! Planted.\nunsafe fn planted() {}\n"),
        red: "+ harness-traces / unsafe / src/planted.rs: unsafe",
    },
    Plant {
        check: Check::Surface,
        what: "a process started where none was",
        file: "harness-core/src/planted.rs",
        edit: Edit::Create("//! Planted.\nuse std::process::{self, Command as Innocent};\n"),
        red: "+ harness-core / process / src/planted.rs: process::Command",
    },
    Plant {
        check: Check::Surface,
        what: "a stale entry in the record",
        file: surface::FILE,
        edit: Edit::Replace("\"arrows\": []", "\"arrows\": [\"harness-planted\"]"),
        red: "- harness-core / arrows / harness-planted (in the record, not found)",
    },
    Plant {
        check: Check::Tidy,
        what: "an invariant whose test does not exist",
        file: "ARCHITECTURE.md",
        edit: Edit::Append("\nInvariant: planted. [test: harness-core::planted::tests::nowhere]\n"),
        red: "there is no test `harness-core::planted::tests::nowhere`",
    },
    Plant {
        check: Check::Tidy,
        what: "an invariant without a test",
        file: "ARCHITECTURE.md",
        edit: Edit::Append("\nInvariant: planted.\n"),
        red: "the invariant names no test",
    },
    Plant {
        check: Check::Tidy,
        what: "a threat that nothing is shown to prevent",
        file: "docs/threats.md",
        edit: Edit::Append("\n| a | b |\n|---|---|\n| planted | `harness-core::Nowhere` |\n"),
        red: "the row names no test",
    },
    Plant {
        check: Check::Tidy,
        what: "a promise that nothing holds or shows",
        file: "harness-core/src/lib.rs",
        edit: Edit::Replace("//! # Never\n", "//! # Never\n//! - A planted promise.\n"),
        red: "harness-core/src/lib.rs: `A planted promise.` has 0 rows",
    },
    Plant {
        check: Check::Tidy,
        what: "a row of a promise that nobody makes",
        file: "docs/promises.md",
        edit: Edit::Append("| Planted | `Verb` | `args::tests::planted` |\n"),
        red: "`harness-cli` has no such promise",
    },
    Plant {
        check: Check::Tidy,
        what: "a promise whose test is gone",
        file: "harness-core/src/quoted.rs",
        edit: Edit::Replace("fn long_input_is_shortened", "fn planted"),
        red: "there is no test `harness-core::quoted::tests::long_input_is_shortened`",
    },
    Plant {
        check: Check::Tidy,
        what: "a container with a network",
        file: "deploy/docker-compose.yml",
        edit: Edit::Replace("network_mode: none", "network_mode: bridge"),
        red: "`network_mode` must be none",
    },
    Plant {
        check: Check::Tidy,
        what: "an image that runs as root",
        file: "deploy/Dockerfile.sandbox",
        edit: Edit::Replace("USER 10001:10001\n", ""),
        red: "it runs as root",
    },
    Plant {
        check: Check::Tidy,
        what: "a `todo!`",
        file: "harness-core/src/planted.rs",
        edit: Edit::Create("//! Planted.\nfn planted() { todo!() }\n"),
        red: "harness-core/src/planted.rs: `todo!` is left in it",
    },
    Plant {
        check: Check::Tidy,
        what: "an ignored test",
        file: "harness-core/src/planted.rs",
        edit: Edit::Create("//! Planted.\n#[test]\n#[ignore]\nfn planted() {}\n"),
        red: "harness-core/src/planted.rs: a test is left out",
    },
    Plant {
        check: Check::Tidy,
        what: "a file without a module doc",
        file: "harness-core/src/planted.rs",
        edit: Edit::Create("fn planted() {}\n"),
        red: "harness-core/src/planted.rs: the file does not open with",
    },
    Plant {
        check: Check::Tidy,
        what: "a crate that does not forbid `unsafe`",
        file: "harness-core/src/lib.rs",
        edit: Edit::Replace("#![forbid(unsafe_code)]", ""),
        red: "harness-core/src/lib.rs: no `#![forbid(unsafe_code)]`",
    },
    Plant {
        check: Check::Tidy,
        what: "a crate that does not say what it never does",
        file: "harness-core/src/lib.rs",
        edit: Edit::Replace("//! # Never\n", ""),
        red: "harness-core/src/lib.rs: its docs do not have the headings",
    },
    Plant {
        check: Check::Tidy,
        what: "an outside crate without a reason",
        file: "Cargo.toml",
        edit: Edit::Replace(
            "[workspace.dependencies]\n",
            "[workspace.dependencies]\nlibc = \"0.2\"\n\n",
        ),
        red: "`libc` has no reason",
    },
    Plant {
        check: Check::Deny,
        what: "a licence that nobody has accepted",
        file: "deny.toml",
        edit: Edit::Replace("    \"MIT\",\n", ""),
        red: "license is not explicitly allowed",
    },
    Plant {
        check: Check::Format,
        what: "a line that is not formatted",
        file: "harness-core/src/lib.rs",
        edit: Edit::Append("const  PLANTED : u8=1;\n"),
        red: "PLANTED",
    },
    Plant {
        check: Check::Clippy("harness-traces"),
        what: "untrusted text let out beside the sanitiser",
        file: "harness-adapters/traces/src/lib.rs",
        edit: Edit::Append(
            "/// Planted.\npub fn planted(text: harness_core::Untrusted<String>) -> String {\n    \
             text.into_inner_for_sanitiser()\n}\n",
        ),
        red: "untrusted text leaves its wrapper only through harness-sanitize",
    },
    Plant {
        check: Check::Clippy("harness-traces"),
        what: "a library that may panic",
        file: "harness-adapters/traces/src/lib.rs",
        edit: Edit::Append(
            "/// Planted.\npub fn planted(a: Option<u8>) -> u8 {\n    a.unwrap()\n}\n",
        ),
        red: "used `unwrap()`",
    },
    Plant {
        check: Check::Docs("harness-core"),
        what: "a link to nowhere in the docs",
        file: "harness-core/src/lib.rs",
        edit: Edit::Append("/// See [`Planted`].\npub const PLANT: u8 = 1;\n"),
        red: "unresolved link to `Planted`",
    },
];
