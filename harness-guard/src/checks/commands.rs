//! What the command policy says of a command.

use harness_shell::Verdict;
use harness_shell::general::{CommandText, decide};

use super::arguments::ValidArguments;
use crate::approval::Ask;
use crate::call::CallContext;
use crate::guard::Inner;
use crate::refusal::{Denial, Refusal};
use crate::tool::{ArgumentKind, Tool};

/// Commands of one call at most.
const MAX_COMMANDS: usize = 16;
/// The rule of commands that talk to the network.
const NETWORK: &str = "general.network";

/// Every command of the call was judged: it may run, or a person is asked. It is not confined by
/// that; whoever runs it sees to it.
pub(crate) struct JudgedCommands(());

pub(super) fn check(
    guard: &Inner,
    ctx: &CallContext,
    tool: &Tool,
    arguments: &ValidArguments,
    asks: &mut Vec<Ask>,
) -> Result<JudgedCommands, Refusal> {
    let named = arguments.of_kind(tool, ArgumentKind::Command)?;
    if named.len() > MAX_COMMANDS {
        return Err(Refusal::new(
            Denial::BadArguments,
            format!("a call names at most {MAX_COMMANDS} commands"),
        ));
    }
    for (argument, line) in named {
        let decision = decide(CommandText::Line(line), &guard.commands);
        let rule = decision.rule();
        match decision.verdict() {
            Verdict::Allow => {}
            Verdict::Confirm if rule == NETWORK && !ctx.phase.has_network() => {
                let phase = ctx.phase.name();
                return Err(Refusal::new(
                    Denial::NoNetwork,
                    format!("phase `{phase}` has no network for a command that needs one"),
                ));
            }
            Verdict::Confirm => asks.push(Ask::Command),
            // The policy's own reason quotes the command; its rule does not.
            Verdict::Deny => {
                let instead = decision.instead().unwrap_or("find another way");
                return Err(Refusal::new(
                    Denial::Command,
                    format!("`{argument}`: {rule}: {instead}"),
                ));
            }
        }
    }
    Ok(JudgedCommands(()))
}
