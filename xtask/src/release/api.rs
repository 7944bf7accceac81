//! The public API, as rustdoc shows it, and how it differs from that of the last release.
//!
//! rustdoc's pages are the one description of an API that the stable toolchain writes. Of each
//! page are taken the declaration and the headings of its methods and implementations; what the
//! compiler implements for everything is left out.

use super::{Release, readiness};
use crate::tree::{self, Member, Tree};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Its file, a line an item.
const FILE: &str = "api.txt";
/// What was removed and added since the last release.
const DIFFERENCE: &str = "api.diff";

/// Lists the API and its difference; a person judges it.
pub(super) fn compare(release: &Release<'_>) -> Result<String> {
    let now = listing(release.tree, &release.tree.target()?)?;
    write(release, FILE, now.iter())?;
    let Some(before) = readiness::last(release.tree)? else {
        return Ok(format!(
            "{} lines in {FILE}, no release to compare with",
            now.len()
        ));
    };
    let folder = TempDir::with_prefix("harness-api-")?;
    unpack(release.tree, &format!("v{before}"), folder.path())?;
    let old = Tree::copy_at(folder.path().to_path_buf());
    let old = listing(&old, &release.tree.target()?.join("last-release"))?;
    let difference: Vec<String> = old
        .difference(&now)
        .map(|line| format!("- {line}"))
        .chain(now.difference(&old).map(|line| format!("+ {line}")))
        .collect();
    for line in &difference {
        println!("{line}");
    }
    write(release, DIFFERENCE, difference.iter())?;
    Ok(format!("{} lines differ from {before}", difference.len()))
}

/// Every line of the API of every library.
pub(super) fn listing(tree: &Tree, target: &Path) -> Result<BTreeSet<String>> {
    let mut cargo = tree.cargo(["doc", "--workspace", "--no-deps", "--lib", "--quiet"]);
    tree::succeed(cargo.env("CARGO_TARGET_DIR", target))?;
    let mut lines = BTreeSet::new();
    for member in tree.members()? {
        lines.extend(of_library(&member, target)?);
    }
    Ok(lines)
}

/// Every line of the API of one crate; a binary has none.
pub(crate) fn of_crate(tree: &Tree, member: &Member) -> Result<BTreeSet<String>> {
    if !member.package.targets.iter().any(|target| target.is_lib()) {
        return Ok(BTreeSet::new());
    }
    let mut cargo = tree.cargo(["doc", "--no-deps", "--lib", "--quiet", "--package"]);
    tree::succeed(cargo.arg(member.package.name.as_str()))?;
    of_library(member, &tree.target()?)
}

/// The API as rustdoc has written it.
fn of_library(member: &Member, target: &Path) -> Result<BTreeSet<String>> {
    let mut lines = BTreeSet::new();
    let Some(library) = member.package.targets.iter().find(|target| target.is_lib()) else {
        return Ok(lines);
    };
    let name = library.name.replace('-', "_");
    let folder = target.join("doc").join(&name);
    let index = fs::read_to_string(folder.join("all.html"))
        .with_context(|| format!("rustdoc wrote no list of `{name}`"))?;
    for page in pages(&index) {
        let html = fs::read_to_string(folder.join(&page))
            .with_context(|| format!("rustdoc wrote no page `{page}`"))?;
        let item = page.trim_end_matches(".html").replace('/', "::");
        let declared = declarations(&html).into_iter();
        lines.extend(declared.map(|declared| format!("{name}::{item}: {declared}")));
    }
    Ok(lines)
}

fn write<'a>(
    release: &Release<'_>,
    file: &str,
    lines: impl Iterator<Item = &'a String>,
) -> Result<()> {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    Ok(fs::write(release.file(file), text)?)
}

/// The pages that a crate's list of items leads to, relative to it.
fn pages(index: &str) -> Vec<String> {
    let list = index.split_once("<h1>").map_or(index, |(_, list)| list);
    between(list, "<a href=\"", "\"")
        .into_iter()
        .filter(|link| link.ends_with(".html") && !link.contains(':') && !link.starts_with('.'))
        .filter(|link| !link.ends_with("index.html") && !link.ends_with("all.html"))
        .collect()
}

/// The declaration of a page's item, and the headings of what belongs to it.
fn declarations(html: &str) -> Vec<String> {
    let own = [
        "id=\"synthetic-implementations\"",
        "id=\"blanket-implementations\"",
    ]
    .iter()
    .filter_map(|mark| html.find(mark))
    .min()
    .and_then(|end| html.get(..end))
    .unwrap_or(html);
    let mut found = Vec::new();
    for (begin, end) in [
        ("<pre class=\"rust item-decl\">", "</pre>"),
        ("<h3 class=\"code-header\">", "</h3>"),
        ("<h4 class=\"code-header\">", "</h4>"),
    ] {
        found.extend(between(own, begin, end).iter().map(|part| plain(part)));
    }
    found
}

/// What stands between every `begin` and the `end` behind it.
fn between(text: &str, begin: &str, end: &str) -> Vec<String> {
    text.split(begin)
        .skip(1)
        .filter_map(|rest| rest.split_once(end))
        .map(|(part, _)| part.to_owned())
        .collect()
}

/// Text without its marks, on one line.
fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The files of a tag.
fn unpack(tree: &Tree, tag: &str, folder: &Path) -> Result<()> {
    let mut archive = Command::new("git");
    archive
        .args(["-c", "safe.directory=*", "archive", tag])
        .current_dir(tree.root())
        .stdout(Stdio::piped());
    let mut archive = archive.spawn().context("git could not be run")?;
    let tar = archive.stdout.take().context("git has no output")?;
    let mut unpack = Command::new("tar");
    tree::succeed(unpack.arg("-xC").arg(folder).stdin(tar))?;
    let status = archive.wait()?;
    anyhow::ensure!(status.success(), "git cannot read `{tag}`: {status}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gives_its_declaration_and_its_methods() {
        let html = "<pre class=\"rust item-decl\"><code>pub struct <a>A</a>&lt;T&gt;(<span>/* … */</span>);</code></pre>\
            <h3 class=\"code-header\">impl A</h3><h4 class=\"code-header\">pub fn\n    b(&amp;self)</h4>\
            <h2 id=\"blanket-implementations\"></h2><h3 class=\"code-header\">impl Any</h3>";
        assert_eq!(
            declarations(html),
            ["pub struct A<T>(/* … */);", "impl A", "pub fn b(&self)"]
        );
    }

    #[test]
    fn a_list_leads_to_pages() {
        let index = "<a href=\"../x/index.html\">no</a><h1>List</h1><a href=\"struct.A.html\">A</a>\
            <a href=\"m/enum.B.html\">B</a><a href=\"https://e.org/x.html\">no</a>";
        assert_eq!(pages(index), ["struct.A.html", "m/enum.B.html"]);
    }
}
