//! What outside crates may be: not banned, under a licence that we accept, from the one registry.

use super::Release;
use crate::tree::{self, Tree};
use anyhow::{Context, Result, bail};
use std::process::{Command, Stdio};

/// Asks cargo-deny, with the rules in `deny.toml`. Needs no network where the crates are fetched.
pub(crate) fn allowed(tree: &Tree) -> Result<()> {
    let there = tree
        .cargo(["deny", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !there.is_ok_and(|status| status.success()) {
        bail!("cargo-deny is not there: `cargo install --locked cargo-deny`, then run this again");
    }
    tree::succeed(&mut command(tree))
        .context("an outside crate is not what deny.toml allows: replace it, or argue there")
}

/// Cargo-deny over all that `deny.toml` has a rule for but advisories.
pub(crate) fn command(tree: &Tree) -> Command {
    let mut deny = tree.cargo(["deny", "--locked", "check", "--hide-inclusion-graph"]);
    deny.args(["bans", "licenses", "sources"]);
    deny
}

/// The same, and advisories where their database can be reached; where it cannot, that is said.
pub(super) fn check(release: &Release<'_>) -> Result<String> {
    allowed(release.tree)?;
    let mut fetch = release.tree.cargo(["deny", "fetch", "db"]);
    let reached = fetch
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !reached {
        return Ok("as deny.toml allows; advisories not looked up: no database reached".to_owned());
    }
    let mut advisories = release.tree.cargo(["deny", "check", "advisories"]);
    tree::succeed(&mut advisories).context("an outside crate has an advisory: update it")?;
    Ok("as deny.toml allows, and no advisory".to_owned())
}
