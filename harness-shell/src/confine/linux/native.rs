//! The kernel's own means, without a helper program: what Landlock grants, and the filter.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, NetPort, PathBeneath, PathFd, RulesetAttr as _,
    RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};

use super::domain::{Restriction, closed};
use super::identity::Ids;
use super::{SYSTEM, SYSTEM_OF_NETWORK, filter};
use crate::confine::{Cause, Confinement, MAX_PORTS};

/// What is asked of Landlock, all of it or nothing: files, TCP, and from this version on signals
/// and abstract sockets. UDP and named UNIX sockets, which it learns later, are the filter's.
const LANDLOCK: ABI = ABI::V6;

/// Devices that programs expect.
const DEVICES: &[&str] = &["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Prepares a confinement.
///
/// # Errors
/// What the kernel lacks, or the confinement asks too much.
pub(super) fn prepare(confinement: &Confinement, ids: Ids) -> Result<Restriction, Cause> {
    if confinement.network.tcp_ports.len() > MAX_PORTS {
        return Err(Cause::CannotExpress("so many TCP ports"));
    }
    let metadata = filter::Metadata::of(&confinement.reads, ids);
    Ok(Restriction {
        ids,
        ruleset: ruleset(confinement).map_err(cause)?,
        filter: filter::compile(&confinement.network, metadata).map_err(Cause::Broken)?,
    })
}

/// What a failure of Landlock means.
fn cause(error: RulesetError) -> Cause {
    match error {
        RulesetError::AddRules(_) => Cause::Broken(error.to_string()),
        _ => Cause::Missing("Landlock with signal scopes (Linux 6.12)"),
    }
}

fn ruleset(confinement: &Confinement) -> Result<RulesetCreated, RulesetError> {
    let read = AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir;
    let all = AccessFs::from_all(LANDLOCK);
    let touch = all & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    let mut ruleset = closed()?
        .handle_access(all)?
        .handle_access(AccessNet::from_all(LANDLOCK))?
        .scope(Scope::from_all(LANDLOCK))?
        .create()?;
    let network: &[&str] = if confinement.network.is_none() {
        &[]
    } else {
        SYSTEM_OF_NETWORK
    };
    let system = SYSTEM.iter().chain(network).map(Path::new);
    for path in system.chain(confinement.reads.iter().map(|path| &**path)) {
        ruleset = add(ruleset, path, read)?;
    }
    for device in DEVICES {
        ruleset = add(ruleset, Path::new(device), AccessFs::ReadFile.into())?;
    }
    let null = AccessFs::ReadFile | AccessFs::WriteFile;
    ruleset = add(ruleset, Path::new("/dev/null"), null)?;
    let workspace = PathBeneath::new(confinement.workspace.handle(), touch);
    ruleset = ruleset.add_rule(workspace)?;
    for port in &confinement.network.tcp_ports {
        ruleset = ruleset.add_rule(NetPort::new(*port, AccessNet::ConnectTcp))?;
    }
    Ok(ruleset)
}

/// Grants what is there; what is not needs no grant.
fn add(
    ruleset: RulesetCreated,
    path: &Path,
    access: landlock::BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(handle) = PathFd::new(path) else {
        return Ok(ruleset);
    };
    let access = if path.is_dir() {
        access
    } else {
        access & AccessFs::from_file(LANDLOCK)
    };
    ruleset.add_rule(PathBeneath::new(handle, access))
}
