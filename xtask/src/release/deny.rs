//! What outside crates may be: not banned, under a licence that we accept, from the one registry.

use super::Release;
use crate::tree;
use anyhow::{Context, Result, bail};
use std::process::Stdio;

/// Asks cargo-deny, with the rules in `deny.toml`. Advisories are looked up where their database
/// can be reached, and said not to have been where it cannot.
pub(super) fn check(release: &Release<'_>) -> Result<String> {
    let there = release
        .tree
        .cargo(["deny", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !there.is_ok_and(|status| status.success()) {
        bail!("cargo-deny is not there: `cargo install --locked cargo-deny`, then run this again");
    }
    let mut deny = release
        .tree
        .cargo(["deny", "--offline", "check", "--hide-inclusion-graph"]);
    tree::succeed(deny.args(["bans", "licenses", "sources"]))
        .context("an outside crate is not what deny.toml allows: replace it, or argue there")?;
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
