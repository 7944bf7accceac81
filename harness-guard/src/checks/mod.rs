//! The checks of a call, in their order.
//!
//! Each check leaves a proof that only it can make; a call runs with all of them or not at all. A
//! person is asked last, so that nobody is asked about a call that is refused anyway.

mod arguments;
mod budget;
mod commands;
mod consent;
mod granted;
mod intent;
mod paths;
mod secrets;
mod steps;
mod urls;

pub(crate) use arguments::ValidArguments;
pub(crate) use budget::CallSlot;
pub(crate) use commands::JudgedCommands;
pub(crate) use consent::{Consent, Consented};
pub(crate) use granted::Granted;
pub(crate) use intent::Steady;
pub(crate) use paths::ScopedPaths;
pub(crate) use secrets::SecretFree;
pub(crate) use steps::Steps;
pub use steps::{Check, Step, StepVerdict};
pub(crate) use urls::CheckedUrls;

use crate::approval::Ask;
use crate::call::{CallContext, ToolCall};
use crate::guard::Inner;
use crate::permit::Proofs;
use crate::refusal::Refusal;

/// A call that passed every check but a person.
pub(crate) struct Judged {
    pub(crate) proofs: Proofs,
    pub(crate) consent: Consent,
}

/// Runs the checks up to the person.
pub(crate) async fn judge(
    guard: &Inner,
    ctx: &CallContext,
    call: &ToolCall,
    steps: &mut Steps,
) -> Result<Judged, Refusal> {
    let mut asks: Vec<Ask> = Vec::new();

    let granted = steps.of(Check::Grant, granted::check(guard, ctx, call))?;
    let tool = granted.tool();
    let arguments = steps.of(Check::Schema, arguments::check(tool, call))?;
    let paths = steps.of(
        Check::Path,
        paths::check(guard, tool, &arguments, &mut asks),
    )?;
    let commands = steps.of(
        Check::Command,
        commands::check(guard, ctx, tool, &arguments, &mut asks),
    )?;
    let urls = urls::check(guard, ctx, tool, &arguments).await;
    let urls = steps.of(Check::Web, urls)?;
    let secrets = steps.of(Check::Content, secrets::check(guard, tool, &arguments))?;
    let intent = steps.of(
        Check::Intent,
        intent::check(guard, ctx, tool, &arguments, &mut asks),
    )?;
    let slot = steps.of(Check::Budget, budget::check(guard))?;
    let consent = steps.of(
        Check::Consent,
        consent::weigh(guard, ctx, tool, &arguments, asks),
    )?;

    Ok(Judged {
        proofs: Proofs {
            granted,
            arguments,
            paths,
            commands,
            urls,
            secrets,
            intent,
            slot,
        },
        consent,
    })
}
