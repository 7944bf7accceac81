//! Paths: what lies in the workspace, what is secret, and what is spelled to deceive.

use std::path::{Component, Path, PathBuf};

use super::context::Context;
use super::plain::is_plain;
use crate::decision::{Decision, Verdict};
use crate::policy::Use;
use crate::workspace::Lookup;

/// Bytes of a path at most.
const MAX_PATH: usize = 4096;

/// Folders and files that hold credentials, wherever they lie, and whose they are.
const SECRETS: &[(&str, &str)] = &[
    (".ssh", "keys of a user"),
    (".aws", "keys of a cloud account"),
    (".azure", "keys of a cloud account"),
    (".config/gcloud", "keys of a cloud account"),
    (".kube", "keys of a cluster"),
    (".docker/config.json", "passwords of image registries"),
    (".gnupg", "keys of a user"),
    (".password-store", "passwords of a user"),
    (".local/share/keyrings", "passwords of a user"),
    (".mozilla", "a browser's passwords and sessions"),
    (
        ".config/google-chrome",
        "a browser's passwords and sessions",
    ),
    (".config/chromium", "a browser's passwords and sessions"),
    (".config/gh", "tokens of a code host"),
    (".git-credentials", "passwords of code hosts"),
    (".netrc", "passwords of hosts"),
    (".pgpass", "passwords of databases"),
    (".my.cnf", "passwords of databases"),
    (".pypirc", "tokens of a package registry"),
    (".cargo/credentials.toml", "tokens of a package registry"),
    (".bash_history", "what a user typed, passwords too"),
    (".zsh_history", "what a user typed, passwords too"),
    (".env", "an application's secrets"),
    ("id_rsa", "a private key"),
    ("id_dsa", "a private key"),
    ("id_ecdsa", "a private key"),
    ("id_ed25519", "a private key"),
];

/// Ends of file names that keys have.
pub(super) const SECRET_ENDINGS: &[&str] =
    &[".pem", ".key", ".p12", ".pfx", ".keystore", ".jks", ".kdbx"];

/// Files beside `.env` that hold the same: `.env.production`; and those that hold examples.
const ENV_PREFIX: &str = ".env.";
const ENV_EXAMPLES: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist"];

/// Places of the system that a command has no business in, and why.
const SYSTEM_SECRETS: &[(&str, &str)] = &[
    ("/etc/passwd", "the users of the machine"),
    ("/etc/shadow", "the users' passwords"),
    ("/etc/group", "the users of the machine"),
    ("/etc/gshadow", "the users' passwords"),
    ("/etc/sudoers", "who may become whom"),
    ("/etc/sudoers.d", "who may become whom"),
    ("/etc/ssh", "keys of the machine"),
    ("/etc/ssl/private", "keys of the machine"),
    ("/proc", "other processes and their secrets"),
    ("/sys", "the kernel's settings"),
    ("/boot", "the kernel"),
    ("/root", "another user's files"),
    ("/run/secrets", "secrets of a container"),
    ("/var/run/secrets", "secrets of a container"),
    (
        "/run/docker.sock",
        "the machine, through its container service",
    ),
    (
        "/var/run/docker.sock",
        "the machine, through its container service",
    ),
    ("/dev/tcp", "a connection to the network"),
    ("/dev/udp", "a connection to the network"),
];

/// Devices that anything may read and write.
const HARMLESS_DEVICES: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// Folders outside in which a person may let a command write.
const SCRATCH: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

/// Where a home folder is that nobody has named.
const UNKNOWN_HOME: &str = "/home/~";

/// Judges what a command does with `path`, started in each of `folders`. `None` where nothing
/// speaks against it.
pub(super) fn judge(
    context: &Context,
    held: Option<&Lookup<'_>>,
    folders: &[PathBuf],
    path: &str,
    usage: Use,
) -> Option<Decision> {
    if usage == Use::Text || path.is_empty() {
        return None;
    }
    if is_plain(path) && folders.iter().all(|folder| is_workspace(context, folder)) {
        return plain(context, held, path);
    }
    if let Some(decision) = disguised(path) {
        return Some(decision);
    }
    let rooted = rooted(context, path);
    let starts: &[PathBuf] = if rooted.is_some() {
        &[PathBuf::new()]
    } else {
        folders
    };
    let path_of = |folder: &PathBuf| match &rooted {
        Some(rooted) => rooted.clone(),
        None => folder.join(path),
    };
    let judged = starts
        .iter()
        .filter_map(|folder| absolute(context, held, path, &path_of(folder), usage));
    judged.reduce(Decision::or_stricter)
}

/// Whether a path is a device that anything may use.
pub(super) fn is_device(path: &str) -> bool {
    path.starts_with('/') && HARMLESS_DEVICES.contains(&path)
}

/// Where `path` leads from `folder`, by spelling.
pub(super) fn from(context: &Context, folder: &Path, path: &str) -> PathBuf {
    normal(&rooted(context, path).unwrap_or_else(|| folder.join(path)))
}

fn is_workspace(context: &Context, folder: &Path) -> bool {
    folder.as_os_str() == context.workspace().as_os_str()
}

/// A path of plain names, from the workspace itself.
fn plain(context: &Context, held: Option<&Lookup<'_>>, path: &str) -> Option<Decision> {
    if !context.forbidden().is_empty() {
        let decision = forbidden(context, path, &context.workspace().join(path));
        if decision.is_some() {
            return decision;
        }
    }
    linked(held?, path)
}

/// What the file system says of a path from the workspace.
fn linked(held: &Lookup<'_>, path: &str) -> Option<Decision> {
    let refusal = held.admits(path).err()?;
    Some(Decision::new(
        Verdict::Deny,
        "general.path.link",
        refusal.to_string(),
    ))
}

/// An absolute path, or one from a home folder; `None` where it depends on the folder.
fn rooted(context: &Context, path: &str) -> Option<PathBuf> {
    let home = context.home().unwrap_or_else(|| Path::new(UNKNOWN_HOME));
    match path.strip_prefix('~') {
        Some("") => Some(home.to_path_buf()),
        Some(rest) => rest.strip_prefix('/').map(|rest| home.join(rest)),
        None => path.starts_with('/').then(|| PathBuf::from(path)),
    }
}

/// Spellings that one reader takes for `..` or `/` and another does not.
fn disguised(path: &str) -> Option<Decision> {
    let deny = |reason| {
        let decision = Decision::about(Verdict::Deny, "general.path.disguised", path, reason);
        Some(decision.or_rather("write the path plainly"))
    };
    if path.len() > MAX_PATH || path.contains('\0') {
        return Some(Decision::new(
            Verdict::Deny,
            "general.path.disguised",
            "a path is too long",
        ));
    }
    if path.contains('\\') {
        return deny("holds a backslash");
    }
    let bytes = path.as_bytes();
    let hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let percent = |at: usize| hex(at + 1) && hex(at + 2) || bytes.get(at + 1) == Some(&b'u');
    let encoded = bytes
        .iter()
        .enumerate()
        .any(|(at, byte)| *byte == b'%' && percent(at));
    if encoded || path.contains("0x2e") || path.contains("0x2f") || path.contains("0x5c") {
        return deny("is encoded");
    }
    let only_dots = |part: &str| part.len() > 2 && part.bytes().all(|byte| byte == b'.');
    if path.split('/').any(only_dots) {
        return deny("has a part of dots alone");
    }
    if matches!(bytes, [letter, b':', ..] if letter.is_ascii_alphabetic()) {
        return deny("names a drive");
    }
    // What fills it in is not known here.
    path.contains(['%', '{', '}']).then(|| {
        let reason = "looks like a template of a path";
        Decision::about(Verdict::Confirm, "general.path.disguised", path, reason)
    })
}

/// Judges an absolute path.
fn absolute(
    context: &Context,
    held: Option<&Lookup<'_>>,
    path: &str,
    full: &Path,
    usage: Use,
) -> Option<Decision> {
    let about = |verdict, rule, reason: &str| Some(Decision::about(verdict, rule, path, reason));
    let is_pattern = path.contains(['*', '?', '[']);
    if is_pattern && hidden_pattern(path) {
        let reason = "is a pattern that may match hidden files, or `..`";
        return about(Verdict::Confirm, "general.path.pattern", reason);
    }
    let place = normal(full);
    if let Some(whose) = secret(&place) {
        let reason = format!("holds {whose}");
        return about(Verdict::Deny, "general.path.secret", &reason)
            .map(|decision| decision.or_rather("ask the user for what is needed from it"));
    }
    if let Some(decision) = forbidden(context, path, &place) {
        return Some(decision);
    }
    if place.starts_with(context.workspace()) {
        return inside(context, held, path, full, &place, usage);
    }
    if let Some(whose) = of_the_system(&place) {
        let reason = format!("holds {whose}");
        return about(Verdict::Deny, "general.path.secret", &reason);
    }
    if HARMLESS_DEVICES
        .iter()
        .any(|device| place == Path::new(device))
    {
        return None;
    }
    if usage == Use::Read {
        let reason = "lies outside the workspace";
        return about(Verdict::Confirm, "general.path.outside", reason)
            .map(|decision| decision.or_rather("name a file beneath the workspace"));
    }
    let reason = "would be written outside the workspace";
    let scratch = SCRATCH.iter().any(|folder| place.starts_with(folder));
    let verdict = if scratch {
        Verdict::Confirm
    } else {
        Verdict::Deny
    };
    about(verdict, "general.path.outside", reason)
        .map(|decision| decision.or_rather("write beneath the workspace"))
}

/// A place that belongs to the harness.
fn forbidden(context: &Context, path: &str, place: &Path) -> Option<Decision> {
    let found = context
        .forbidden()
        .iter()
        .any(|folder| place.starts_with(folder));
    found.then(|| {
        let reason = "belongs to the harness, not to an agent";
        Decision::about(Verdict::Deny, "general.path.harness", path, reason)
    })
}

/// Judges a path beneath the workspace by name.
fn inside(
    context: &Context,
    held: Option<&Lookup<'_>>,
    path: &str,
    full: &Path,
    place: &Path,
    usage: Use,
) -> Option<Decision> {
    // A folder is a repository where it has a file of this name, whatever it is called itself.
    let has = |name: &str| {
        place
            .components()
            .any(|part| part.as_os_str().eq_ignore_ascii_case(name))
    };
    let of_git = has(".git") || has("HEAD");
    if of_git && usage != Use::Read {
        let reason = "is the repository's own: what it says there, git runs";
        let decision = Decision::about(Verdict::Deny, "general.path.repository", path, reason);
        return Some(decision.or_rather("use git's commands"));
    }
    // A pattern is looked up as far as it is literal.
    let literal: PathBuf = full
        .components()
        .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']))
        .collect();
    let relative = literal.strip_prefix(context.workspace()).ok();
    match (held, relative) {
        (None, _) => None,
        (Some(held), Some(relative)) => {
            let relative = relative.to_string_lossy();
            if relative.is_empty() {
                return None;
            }
            linked(held, &relative)
        }
        // It leaves the folder and comes back: only the file system knows where from.
        (Some(_), None) => {
            let reason = "leaves the workspace on its way";
            Some(Decision::about(
                Verdict::Confirm,
                "general.path.outside",
                path,
                reason,
            ))
        }
    }
}

/// Whether a pattern has a part that begins with a dot, or goes up behind one.
fn hidden_pattern(path: &str) -> bool {
    let mut behind = false;
    path.split('/').any(|part| {
        let is_pattern = part.contains(['*', '?', '[']);
        let hidden = (is_pattern && part.starts_with('.')) || (behind && part == "..");
        behind |= is_pattern;
        hidden
    })
}

/// Without `.` and `..`, by spelling.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut place = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => place.push(name),
            Component::ParentDir => drop(place.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    place
}

/// What a place of the system holds that a command must not see.
fn of_the_system(place: &Path) -> Option<&'static str> {
    let found = SYSTEM_SECRETS
        .iter()
        .find(|(path, _)| place.starts_with(path));
    found.map(|(_, whose)| *whose)
}

/// What credentials a place holds, by its name alone.
fn secret(place: &Path) -> Option<&'static str> {
    let mut parts = place
        .components()
        .filter_map(|part| part.as_os_str().to_str());
    while let Some(part) = parts.next() {
        let named = SECRETS.iter().find(|(name, _)| {
            let mut wanted = name.split('/');
            let first = wanted.next().unwrap_or_default();
            part.eq_ignore_ascii_case(first) && {
                let mut behind = parts.clone();
                wanted.all(|wanted| {
                    behind
                        .next()
                        .is_some_and(|part| part.eq_ignore_ascii_case(wanted))
                })
            }
        });
        if let Some((_, whose)) = named {
            return Some(whose);
        }
    }
    let name = place.file_name()?.to_str()?.to_ascii_lowercase();
    if name.starts_with(ENV_PREFIX) && !ENV_EXAMPLES.contains(&&*name) {
        return Some("an application's secrets");
    }
    let is_key = SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending));
    is_key.then_some("a private key")
}
