//! The files in `deploy/`, held to what they are for: a container that can write one volume and
//! reach nobody.
//!
//! The compose file is read line by line, as it is written here: one service, each of its keys at
//! the same depth. It says what it must say and nothing else, so a key that nobody has thought
//! about is a finding.

use crate::tree::Tree;
use anyhow::Result;

const IMAGE: &str = "deploy/Dockerfile.sandbox";
const COMPOSE: &str = "deploy/docker-compose.yml";
const TOOLCHAIN: &str = "rust-toolchain.toml";

/// The keys of the service: all of them, and no other. A value that decides is written here; the
/// account and the volume are the image's. The last word says what the key is for.
const SERVICE: &[(&str, Option<&str>, &str)] = &[
    ("build", None, "where the image comes from"),
    ("image", None, "how it is named"),
    ("init", Some("true"), "what is orphaned is reaped"),
    ("user", None, "it is not root"),
    ("read_only", Some("true"), "the image cannot be changed"),
    ("network_mode", Some("none"), "what leaks cannot be sent"),
    ("cap_drop", Some("- ALL"), "it keeps no capability"),
    (
        "security_opt",
        Some("- no-new-privileges:true"),
        "a set-id file gives it no rights",
    ),
    ("pids_limit", None, "it cannot fork without end"),
    ("mem_limit", None, "it cannot take all memory"),
    ("cpus", None, "it cannot take all processors"),
    (
        "tmpfs",
        Some("- /tmp:size=64m,mode=1777,noexec,nosuid,nodev"),
        "what it writes elsewhere is small, and gone with it",
    ),
    ("volumes", None, "it writes one volume"),
];

/// What is wrong with the files.
pub(crate) fn findings(tree: &Tree) -> Result<Vec<String>> {
    let (image, compose) = (tree.read(IMAGE)?, tree.read(COMPOSE)?);
    let toolchain = tree.read(TOOLCHAIN)?;
    let image = instructions(&image);
    let of_image = wrong_with_image(&image, &toolchain);
    let of_compose = wrong_with_compose(&compose, &image);
    Ok(of_image
        .into_iter()
        .map(|wrong| format!("{IMAGE}: {wrong}"))
        .chain(
            of_compose
                .into_iter()
                .map(|wrong| format!("{COMPOSE}: {wrong}")),
        )
        .collect())
}

/// The instructions of an image, each a name and its words on one line.
fn instructions(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().map(str::trim);
    let code: Vec<&str> = lines.filter(|line| !line.starts_with('#')).collect();
    code.join("\n")
        .replace("\\\n", " ")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, words)| {
            let words: Vec<&str> = words.split_whitespace().collect();
            (name.to_ascii_uppercase(), words.join(" "))
        })
        .collect()
}

fn all<'a>(image: &'a [(String, String)], name: &'a str) -> impl Iterator<Item = &'a str> {
    let named = image.iter().filter(move |(found, _)| found == name);
    named.map(|(_, words)| words.as_str())
}

fn wrong_with_image(image: &[(String, String)], toolchain: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let version = toolchain
        .lines()
        .find_map(|line| line.strip_prefix("channel = "));
    let version = version.unwrap_or_default().trim_matches('"');
    if !all(image, "FROM").any(|from| from.starts_with(&format!("rust:{version}-"))) {
        wrong.push(format!(
            "it does not build with {version}, which {TOOLCHAIN} names"
        ));
    }
    for from in all(image, "FROM") {
        let name = from.split(' ').next().unwrap_or_default();
        if !name.contains(':') || name.ends_with(":latest") {
            wrong.push(format!("`{name}` has no version"));
        }
    }
    match all(image, "USER").last().map(is_plain_account) {
        Some(true) => {}
        Some(false) => wrong.push("its account is root, or has no number".to_owned()),
        None => wrong.push("it runs as root: there is no USER".to_owned()),
    }
    if all(image, "ADD").next().is_some() {
        wrong.push("ADD fetches and unpacks: COPY does neither".to_owned());
    }
    for run in all(image, "RUN") {
        if run.contains("apt-get install") && !run.contains("--no-install-recommends") {
            wrong.push("apt-get installs what is only recommended".to_owned());
        }
        if run.contains("cargo build") && !run.contains("--locked") {
            wrong.push("it builds other versions than Cargo.lock names".to_owned());
        }
        if run.contains("curl") || run.contains("wget") {
            wrong.push("it runs or keeps what it downloads".to_owned());
        }
    }
    if !all(image, "ENTRYPOINT").all(|words| words.starts_with('[')) {
        wrong.push("a shell starts the binary".to_owned());
    }
    wrong
}

/// Whether a `USER` has numbers, and none of them is root's.
fn is_plain_account(user: &str) -> bool {
    let ids: Vec<Option<u32>> = user.split(':').map(|id| id.parse().ok()).collect();
    ids.len() == 2 && ids.iter().all(|id| id.is_some_and(|id| id > 0))
}

/// A key of the service, and its value on one line.
type Key<'a> = (&'a str, String);

fn wrong_with_compose(compose: &str, image: &[(String, String)]) -> Vec<String> {
    let user = all(image, "USER").last().unwrap_or_default();
    let volume = all(image, "VOLUME").last().unwrap_or_default();
    let volume = volume.trim_matches(['[', ']', '"']);
    let (keys, mut wrong) = service(compose);
    for (key, value, what_for) in SERVICE {
        let wanted = match *key {
            "user" => Some(format!("\"{user}\"")),
            "volumes" => Some(format!("- data:{volume}")),
            _ => value.map(str::to_owned),
        };
        let said: Vec<&str> = keys
            .iter()
            .filter(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
            .collect();
        let is_right = match (&said[..], &wanted) {
            ([said], Some(wanted)) => said == wanted,
            ([said], None) => !said.is_empty(),
            _ => false,
        };
        if !is_right {
            let wanted = wanted.unwrap_or_else(|| "one value".to_owned());
            wrong.push(format!("`{key}` must be {wanted}, so that {what_for}"));
        }
    }
    for (name, _) in &keys {
        if !SERVICE.iter().any(|(key, _, _)| key == name) {
            wrong.push(format!("`{name}` has no reason in xtask/src/deploy.rs"));
        }
    }
    let settings: Vec<&str> = all(image, "ENV")
        .flat_map(|words| words.split(' '))
        .collect();
    for variable in ["HARNESS_ROOT", "HARNESS_CONFIG_DIR"] {
        let beneath = format!("{variable}={volume}/");
        if !settings.iter().any(|setting| setting.starts_with(&beneath)) {
            wrong.push(format!(
                "{variable} is not beneath `{volume}`, which alone is kept"
            ));
        }
    }
    wrong
}

/// The keys of the one service, and what else stands in the file.
fn service(compose: &str) -> (Vec<Key<'_>>, Vec<String>) {
    let mut keys: Vec<Key<'_>> = Vec::new();
    let (mut section, mut services, mut wrong) = ("", 0, Vec::new());
    for line in compose.lines() {
        let words = line.trim();
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        match (section, line.len() - line.trim_start().len()) {
            (_, 0) => section = words,
            ("services:", 2) => services += 1,
            ("services:", 4) => match words.split_once(':') {
                Some((key, value)) => keys.push((key, value.trim().to_owned())),
                None => wrong.push(format!("`{words}` is no key")),
            },
            ("services:", _) => match keys.last_mut() {
                Some((_, value)) if value.is_empty() => value.push_str(words),
                Some((_, value)) => value.push_str(&format!(", {words}")),
                None => wrong.push(format!("`{words}` belongs to nothing")),
            },
            ("volumes:", 2) if words == "data:" => {}
            _ => wrong.push(format!("`{words}` is neither the service nor its volume")),
        }
    }
    if services != 1 {
        wrong.push(format!("it has {services} services, not one"));
    }
    (keys, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked_in() -> (String, String, String) {
        let tree = Tree::here().unwrap();
        let read = |file| tree.read(file).unwrap();
        (read(IMAGE), read(COMPOSE), read(TOOLCHAIN))
    }

    #[test]
    fn the_files_are_as_they_should_be() {
        assert_eq!(findings(&Tree::here().unwrap()).unwrap(), [""; 0]);
    }

    #[test]
    fn each_loosening_of_the_image_is_found() {
        let (image, _, toolchain) = checked_in();
        for (from, to) in [
            ("USER 10001:10001", ""),
            ("USER 10001:10001", "USER root"),
            ("USER 10001:10001", "USER 0:0"),
            ("rust:1.95.0-slim-bookworm", "rust:1.94.0-slim-bookworm"),
            ("debian:bookworm-slim", "debian:latest"),
            ("COPY . .", "ADD . ."),
            (" --locked", ""),
            (" --no-install-recommends", ""),
            (
                "ENTRYPOINT [\"/usr/local/bin/harness\"]",
                "ENTRYPOINT harness",
            ),
        ] {
            let edited = image.replace(from, to);
            assert_ne!(edited, image, "{from}");
            let wrong = wrong_with_image(&instructions(&edited), &toolchain);
            assert_eq!(wrong.len(), 1, "{from} -> {to}: {wrong:?}");
        }
    }

    #[test]
    fn each_loosening_of_the_service_is_found() {
        let (image, compose, _) = checked_in();
        let image = instructions(&image);
        for (from, to) in [
            ("    read_only: true\n", ""),
            ("read_only: true", "read_only: false"),
            ("network_mode: none", "network_mode: bridge"),
            ("      - ALL\n", "      - NET_RAW\n"),
            ("no-new-privileges:true", "no-new-privileges:false"),
            ("    pids_limit: 256\n", ""),
            ("user: \"10001:10001\"", "user: \"0:0\""),
            ("    init: true\n", "    privileged: true\n"),
            ("    init: true\n", "    pid: host\n"),
            ("    init: true\n", "    ports:\n      - 80:80\n"),
            (
                "      - data:/data\n",
                "      - data:/data\n      - /:/host\n",
            ),
            (
                "      - data:/data\n",
                "      - /var/run/docker.sock:/data\n",
            ),
        ] {
            let edited = compose.replace(from, to);
            assert_ne!(edited, compose, "{from}");
            let wrong = wrong_with_compose(&edited, &image);
            assert!(!wrong.is_empty(), "{from} -> {to}");
        }
        assert_eq!(wrong_with_compose(&compose, &image), [""; 0]);
    }
}
