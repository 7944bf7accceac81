//! Whether every path stays beneath the working folder.

use serde_json::Value;

use super::arguments::ValidArguments;
use crate::approval::Ask;
use crate::folder::{PathFault, PermittedPath, Purpose, Standing};
use crate::guard::Inner;
use crate::refusal::{Denial, Refusal};
use crate::tool::{ArgumentKind, Effect, Tool};

/// Paths of one call at most.
const MAX_PATHS: usize = 256;

/// Every path of the call is beneath the working folder.
pub(crate) struct ScopedPaths(Vec<PermittedPath>);

impl ScopedPaths {
    pub(crate) fn get(&self) -> &[PermittedPath] {
        &self.0
    }
}

pub(super) fn check(
    guard: &Inner,
    tool: &Tool,
    arguments: &ValidArguments,
    asks: &mut Vec<Ask>,
) -> Result<ScopedPaths, Refusal> {
    let purpose = match tool.spec.does() {
        Effect::Write => Purpose::Change,
        Effect::Read | Effect::Network | Effect::Execute => Purpose::Look,
    };
    let named = arguments.of_kind(tool, ArgumentKind::Path)?;
    if named.len() > MAX_PATHS {
        return Err(Refusal::new(
            Denial::BadArguments,
            format!("a call names at most {MAX_PATHS} paths"),
        ));
    }
    let mut paths = Vec::with_capacity(named.len());
    for (argument, text) in named {
        let (path, standing) = guard
            .folder
            .judge(argument, text, purpose)
            .map_err(|fault| refused(fault, argument))?;
        if let Standing::File(1..) = standing
            && purpose == Purpose::Change
            && empties(tool, arguments)
        {
            asks.push(Ask::Emptying);
        }
        paths.push(path);
    }
    Ok(ScopedPaths(paths))
}

/// Whether nothing would be left of a file: there is content, and all that the call says beside
/// its paths is blank.
fn empties(tool: &Tool, arguments: &ValidArguments) -> bool {
    let kind = |name: &str| tool.spec.arguments.get(name).copied();
    let mut content = false;
    for (name, value) in arguments.get() {
        let Value::String(text) = value else { continue };
        match kind(name) {
            Some(ArgumentKind::Path) => continue,
            Some(ArgumentKind::Content) => content = true,
            _ => {}
        }
        if !text.trim().is_empty() {
            return false;
        }
    }
    content
}

fn refused(fault: PathFault, argument: &str) -> Refusal {
    match fault {
        PathFault::Outside => Refusal::new(
            Denial::OutsidePath,
            format!(
                "`{argument}` leads out of the working folder: name a path beneath it, without `..`"
            ),
        ),
        PathFault::Unfit => Refusal::new(
            Denial::UnfitPath,
            format!("`{argument}` must name a regular file or a folder, and no link to change"),
        ),
        PathFault::Unusable => Refusal::new(
            Denial::UnusablePath,
            format!("`{argument}` could not be looked at"),
        ),
    }
}
