//! A tree to check: this workspace, or the copy in which `gates` plants its violations.

use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand, Package};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Dependencies are resolved for one platform, the one whose enforcement is native, so that every
/// machine sees the same surface.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// The root folder of a cargo workspace.
pub(crate) struct Tree {
    root: PathBuf,
    network: Network,
}

/// Whether cargo may ask the registry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Network {
    Allowed,
    Offline,
}

impl Tree {
    /// The workspace that this program was built from.
    pub(crate) fn here() -> Result<Self> {
        let package = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package
            .parent()
            .context("xtask has no folder above it")?
            .to_path_buf();
        Ok(Self {
            root,
            network: Network::Allowed,
        })
    }

    /// A copy: everything it needs was fetched for the original.
    pub(crate) fn copy_at(root: PathBuf) -> Self {
        Self {
            root,
            network: Network::Offline,
        }
    }

    /// The root folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Every file that is tracked, or new and not ignored, relative to the root, sorted.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        // A checkout owned by somebody else is read here, never trusted to run anything.
        let output = Command::new("git")
            .args(["-c", "safe.directory=*", "-c", "core.fsmonitor=false"])
            .args(["ls-files", "-z", "--cached", "--others"])
            .arg("--exclude-standard")
            .current_dir(&self.root)
            .stderr(Stdio::inherit())
            .output()
            .context("git could not be run")?;
        if !output.status.success() {
            bail!("git ls-files failed in `{}`", self.root.display());
        }
        let listed = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
        let mut files: Vec<PathBuf> = listed
            .split_terminator('\0')
            .map(PathBuf::from)
            .filter(|file| self.root.join(file).is_file())
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// The Rust files among [`Tree::files`].
    pub(crate) fn rust_files(&self) -> Result<Vec<PathBuf>> {
        let mut files = self.files()?;
        files.retain(|file| file.extension() == Some(OsStr::new("rs")));
        Ok(files)
    }

    /// The text of a file, by its path from the root.
    pub(crate) fn read(&self, file: impl AsRef<Path>) -> Result<String> {
        let path = self.root.join(file);
        fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
    }

    /// The workspace's own crates, each with its folder relative to the root.
    pub(crate) fn members(&self) -> Result<Vec<Member>> {
        self.metadata()?
            .packages
            .into_iter()
            .map(|package| self.member(package))
            .collect()
    }

    /// All packages that `package` links in the end, itself among them, by name with their
    /// versions, built on its own and with its default features; what only tests or build scripts
    /// use is left out.
    pub(crate) fn linked(&self, package: &Package) -> Result<BTreeMap<String, BTreeSet<String>>> {
        let mut cargo = self.cargo(["tree", "--edges", "normal", "--target", PLATFORM]);
        cargo.args(["--prefix", "none", "--format", "{p}", "--package"]);
        let output = cargo
            .arg(package.name.as_str())
            .stderr(Stdio::inherit())
            .output()
            .context("cargo could not be run")?;
        if !output.status.success() {
            bail!("`{}` failed: {}", line(&cargo), output.status);
        }
        // One package a line: name, version, and more.
        let mut linked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let mut words = line.split(' ');
            if let (Some(name), Some(version)) = (words.next(), words.next()) {
                let version = version.trim_start_matches('v').to_owned();
                linked.entry(name.to_owned()).or_default().insert(version);
            }
        }
        Ok(linked)
    }

    /// What cargo knows of the workspace itself.
    fn metadata(&self) -> Result<Metadata> {
        MetadataCommand::new()
            .manifest_path(self.root.join("Cargo.toml"))
            .no_deps()
            .exec()
            .context("cargo metadata failed")
    }

    fn member(&self, package: Package) -> Result<Member> {
        let folder = package
            .manifest_path
            .parent()
            .and_then(|folder| folder.as_std_path().strip_prefix(&self.root).ok())
            .with_context(|| format!("`{}` lies outside the workspace", package.name))?
            .to_path_buf();
        Ok(Member { package, folder })
    }

    /// What cargo knows of every package that the workspace resolves to on this platform.
    pub(crate) fn resolved(&self) -> Result<Vec<Package>> {
        let mut command = MetadataCommand::new();
        command
            .manifest_path(self.root.join("Cargo.toml"))
            .other_options(["--filter-platform".to_owned(), PLATFORM.to_owned()]);
        Ok(command.exec().context("cargo metadata failed")?.packages)
    }

    /// Where cargo builds.
    pub(crate) fn target(&self) -> Result<PathBuf> {
        Ok(self.metadata()?.target_directory.into_std_path_buf())
    }

    /// Cargo with these arguments, in this tree.
    pub(crate) fn cargo<I: IntoIterator<Item: AsRef<OsStr>>>(&self, args: I) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(args).current_dir(&self.root);
        // These describe xtask's own package; a child that inherits them rebuilds needlessly.
        command
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("CARGO_MANIFEST_PATH");
        if self.network == Network::Offline {
            command.env("CARGO_NET_OFFLINE", "true");
        }
        command
    }
}

/// One crate of the workspace.
pub(crate) struct Member {
    /// What cargo knows of it.
    pub(crate) package: Package,
    /// Its folder, relative to the root.
    pub(crate) folder: PathBuf,
}

/// Runs a command with our streams; anything but success is an error that names it.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("`{}` could not be run", line(command)))?;
    if !status.success() {
        bail!("`{}` failed: {status}", line(command));
    }
    Ok(())
}

/// A command as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
