//! The crate table as law: who may name whom. `surface.json` records what is; this says what may
//! be, and no accepted record overrides it.

use crate::surface::{ARROWS, OUTSIDE, Surface};

/// One row: what a crate may name in `[dependencies]`. Dev-dependencies are recorded, not bound:
/// they do not reach whoever uses the crate.
struct Row {
    name: &'static str,
    /// Crates of ours.
    arrows: &'static [&'static str],
    /// Outside crates.
    outside: &'static [&'static str],
}

/// Lowest first: an arrow points to a row above.
const TABLE: &[Row] = &[
    Row {
        name: "harness-core",
        arrows: &[],
        // The one crate that everything trusts trusts nothing.
        outside: &[],
    },
    Row {
        name: "harness-sanitize",
        arrows: &["harness-core"],
        outside: &[
            "aho-corasick",
            "memchr",
            "regex",
            "thiserror",
            "unicode-normalization",
            "unicode-properties",
        ],
    },
    Row {
        name: "harness-store",
        arrows: &["harness-core", "harness-sanitize"],
        outside: &[
            "getrandom",
            "rustix",
            "serde",
            "serde_json",
            "sha2",
            "thiserror",
        ],
    },
    Row {
        name: "harness-rules",
        arrows: &["harness-core", "harness-sanitize", "harness-store"],
        outside: &["getrandom", "serde_json", "sha2", "thiserror"],
    },
    Row {
        name: "harness-repair",
        arrows: &[
            "harness-core",
            "harness-sanitize",
            "harness-store",
            "harness-rules",
        ],
        outside: &[
            "async-trait",
            "getrandom",
            "serde_json",
            "thiserror",
            "tokio",
        ],
    },
    Row {
        name: "harness-engine",
        arrows: ENGINE_ARROWS,
        outside: &[
            "async-trait",
            "getrandom",
            "serde_json",
            "thiserror",
            "tokio",
            "tracing",
        ],
    },
    Row {
        name: "harness-shell",
        arrows: &["harness-core", "harness-sanitize"],
        outside: &["landlock", "rustix", "seccompiler", "thiserror", "tokio"],
    },
    Row {
        name: "harness-guard",
        arrows: &[
            "harness-core",
            "harness-sanitize",
            "harness-store",
            "harness-shell",
        ],
        // serde_json: arguments are JSON, and jsonschema speaks no other. rustix: paths beneath a
        // held handle. signal-hook: the one way to give signals back without `unsafe`.
        outside: &[
            "async-trait",
            "getrandom",
            "jsonschema",
            "rustix",
            "serde_json",
            "signal-hook",
            "thiserror",
            "tokio",
            "url",
        ],
    },
    Row {
        name: "harness-traces",
        arrows: &["harness-core", "harness-sanitize"],
        outside: &["flate2", "serde_json", "thiserror"],
    },
    Row {
        name: "harness-rig",
        arrows: &[
            "harness-core",
            "harness-sanitize",
            "harness-store",
            "harness-rules",
            "harness-repair",
            "harness-engine",
            "harness-guard",
        ],
        // bytes, reqwest: beneath rig-core already, named to bound its client. serde_json, tokio: tools
        // speak JSON, and each run of an agent is a task that may panic by itself.
        outside: &[
            "async-trait",
            "bytes",
            "reqwest",
            "rig-agent",
            "rig-core",
            "serde_json",
            "thiserror",
            "tokio",
        ],
    },
    Row {
        name: "harness-custom",
        arrows: ENGINE_AND_SHELL,
        outside: &["async-trait", "libloading", "sha2", "thiserror"],
    },
    Row {
        name: "harness-plugin",
        arrows: ENGINE_AND_SHELL,
        // A plugin speaks JSON, is called off the host's threads, and is read through one handle
        // and sealed, which takes rustix.
        outside: &[
            "async-trait",
            "libloading",
            "rustix",
            "serde_json",
            "sha2",
            "thiserror",
            "tokio",
        ],
    },
    Row {
        name: "harness-pandaprobe",
        arrows: ENGINE_AND_BELOW,
        // The binary speaks JSON; rustix ends its process group.
        outside: &["async-trait", "rustix", "serde_json", "thiserror", "tokio"],
    },
    Row {
        name: "harness-cli",
        arrows: &[
            "harness-core",
            "harness-sanitize",
            "harness-store",
            "harness-rules",
            "harness-repair",
            "harness-engine",
            "harness-shell",
            "harness-guard",
            "harness-traces",
            "harness-rig",
            "harness-custom",
            "harness-plugin",
            "harness-pandaprobe",
        ],
        // serde_json: JSON on stdout. tokio: the runtime that the engine's ports need. getrandom: the
        // canaries of the published attacks.
        outside: &[
            "async-trait",
            "anyhow",
            "clap",
            "clap_complete",
            "getrandom",
            "indicatif",
            "serde_json",
            "thiserror",
            "tokio",
        ],
    },
    Row {
        name: "xtask",
        arrows: &[],
        outside: &["anyhow", "cargo_metadata", "clap", "serde_json", "tempfile"],
    },
];

const ENGINE_ARROWS: &[&str] = &[
    "harness-core",
    "harness-sanitize",
    "harness-store",
    "harness-rules",
    "harness-repair",
];

const ENGINE_AND_BELOW: &[&str] = &[
    "harness-core",
    "harness-sanitize",
    "harness-store",
    "harness-rules",
    "harness-repair",
    "harness-engine",
];

const ENGINE_AND_SHELL: &[&str] = &[
    "harness-core",
    "harness-sanitize",
    "harness-store",
    "harness-rules",
    "harness-repair",
    "harness-engine",
    "harness-shell",
];

/// What in a surface breaks the law.
pub(crate) fn violations(surface: &Surface) -> Vec<String> {
    let mut found = Vec::new();
    for (name, sections) in surface {
        let Some(row) = TABLE.iter().find(|row| row.name == name) else {
            found.push(format!(
                "`{name}` has no row in the crate table (xtask/src/law.rs)"
            ));
            continue;
        };
        for (section, allowed) in [(ARROWS, row.arrows), (OUTSIDE, row.outside)] {
            for entry in sections.get(section).into_iter().flatten() {
                // An entry may carry a mark: `landlock (optional)`.
                let named = entry.split(' ').next().unwrap_or_default();
                if !allowed.contains(&named) {
                    found.push(format!(
                        "`{name}` may not depend on `{named}`: the crate table (xtask/src/law.rs) \
                         allows {}",
                        list(allowed)
                    ));
                }
            }
        }
    }
    found
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn with(name: &str, section: &str, entry: &str) -> Surface {
        let entries = BTreeSet::from([entry.to_owned()]);
        let sections = BTreeMap::from([(section.to_owned(), entries)]);
        BTreeMap::from([(name.to_owned(), sections)])
    }

    #[test]
    fn every_arrow_points_to_a_row_above() {
        for (at, row) in TABLE.iter().enumerate() {
            for arrow in row.arrows {
                assert!(
                    TABLE.iter().take(at).any(|above| above.name == *arrow),
                    "{} -> {arrow}",
                    row.name
                );
            }
        }
    }

    #[test]
    fn what_the_table_does_not_allow_is_a_violation() {
        for (name, section, entry) in [
            ("harness-core", OUTSIDE, "memchr"),
            ("harness-core", OUTSIDE, "memchr (optional)"),
            ("harness-core", ARROWS, "harness-sanitize"),
            ("harness-store", ARROWS, "harness-rules"),
            ("harness-shell", ARROWS, "harness-store"),
            ("harness-elsewhere", ARROWS, "harness-core"),
        ] {
            let found = violations(&with(name, section, entry));
            assert_eq!(found.len(), 1, "{name} {entry}: {found:?}");
        }
    }

    #[test]
    fn what_the_table_allows_is_none() {
        for (name, section, entry) in [
            ("harness-sanitize", OUTSIDE, "memchr"),
            ("harness-sanitize", ARROWS, "harness-core"),
            ("harness-store", ARROWS, "harness-sanitize"),
            ("harness-shell", OUTSIDE, "landlock (optional)"),
        ] {
            assert_eq!(violations(&with(name, section, entry)), [""; 0]);
        }
    }
}
