//! Whether a person must say yes, and whether one did.

use super::arguments::ValidArguments;
use crate::approval::Ask;
use crate::call::CallContext;
use crate::guard::Inner;
use crate::mode::Mode;
use crate::policy_file::Ruling;
use crate::refusal::{Denial, Refusal};
use crate::tool::{ArgumentPattern, Tool};

/// What a call needs beside the checks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Nothing.
    NotNeeded,
    /// Nothing more: the operator's policy said yes beforehand.
    Granted(Vec<Ask>),
    /// A person's yes.
    Ask(Vec<Ask>),
}

/// Whoever had to say yes did. Not a copy: it is used up by one call.
pub(crate) struct Consented(());

impl Consent {
    /// What nobody has to be asked about.
    pub(crate) fn without_asking(&self) -> Option<Consented> {
        match self {
            Self::NotNeeded | Self::Granted(_) => Some(Consented(())),
            Self::Ask(_) => None,
        }
    }

    /// A person said yes to it.
    pub(crate) fn by_person(self) -> Consented {
        Consented(())
    }
}

pub(super) fn weigh(
    guard: &Inner,
    ctx: &CallContext,
    tool: &Tool,
    arguments: &ValidArguments,
    mut asks: Vec<Ask>,
) -> Result<Consent, Refusal> {
    if guard.mode.asks(tool.spec.does()) {
        asks.push(Ask::Mode);
    }
    if tool.spec.always_asks() {
        asks.push(Ask::Tool);
    }
    let fits = |pattern: &ArgumentPattern| pattern.fits(arguments.get());
    if tool.confirm_when.iter().any(fits) {
        asks.push(Ask::Pattern);
    }
    asks.sort_unstable();
    asks.dedup();

    let name = tool.spec.name();
    let granted = match guard.policy.rule(name, ctx.phase.name(), arguments.get()) {
        Ruling::Unreadable(reason) => {
            return Err(Refusal::new(
                Denial::PolicyUnreadable,
                format!("the operator's policy cannot be read: {reason}"),
            ));
        }
        Ruling::Denied => {
            return Err(Refusal::new(
                Denial::Policy,
                format!("the operator's policy denies this call of `{name}`"),
            ));
        }
        Ruling::Silent => None,
        Ruling::Granted(reach) => Some(reach),
    };
    if guard.mode == Mode::DangerouslySkipPermissions {
        // No grant replaces a person here: there is none to notice what went wrong.
        return match asks.iter().find(|ask| ask.is_destructive()) {
            Some(ask) => Err(Refusal::new(
                Denial::NeverUnattended,
                format!(
                    "the call needs a person ({}), whom this mode never asks",
                    ask.name()
                ),
            )),
            None => Ok(Consent::NotNeeded),
        };
    }
    if asks.is_empty() {
        return Ok(Consent::NotNeeded);
    }
    Ok(match granted {
        Some(reach) if asks.iter().all(|ask| reach.answers(*ask)) => Consent::Granted(asks),
        _ => Consent::Ask(asks),
    })
}
