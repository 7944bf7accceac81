//! `harness check-url`: what the web policy says of URLs, as JSON lines.

use anyhow::Result;
use harness_guard::{SystemResolver, UrlDenial, check_spelling, check_url};
use serde_json::json;

use super::Cli;
use crate::exit::Exit;
use crate::runtime;

/// What decides where nothing speaks against a URL.
const PUBLIC: &str = "public";

pub(super) fn run(cli: &mut Cli<'_>, no_resolve: bool, urls: &[String]) -> Result<Exit> {
    let mut exit = Exit::Done;
    let runtime = runtime::start()?;
    let resolver = SystemResolver::default();
    for url in urls {
        let denial = if no_resolve {
            check_spelling(url).err()
        } else {
            runtime.block_on(check_url(url, &resolver)).err()
        };
        if denial.is_some() {
            exit = Exit::Found;
        }
        let reason = match denial {
            Some(denial) => denial.reason(),
            None if no_resolve => "nothing in its spelling speaks against it",
            None => "every address of it is public",
        };
        cli.out.json(&json!({
            "input": url,
            "decision": if denial.is_some() { "deny" } else { "allow" },
            "rule": denial.map_or(PUBLIC, UrlDenial::name),
            "reason": reason,
        }))?;
    }
    Ok(exit)
}
