//! A refusal: what was refused, at which boundary, and why, from a closed set.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Value, json};

/// Which boundary refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// What the phase and the role are granted.
    Phase,
    /// The tool's schema.
    Schema,
    /// The working folder.
    Path,
    /// The command policy.
    Command,
    /// The web policy.
    Web,
    /// What arguments may hold.
    Content,
    /// The operator's policy file.
    Policy,
    /// What the mode lets run.
    Mode,
    /// Calls, turns, tokens, cost.
    Budget,
    /// A person.
    Approval,
    /// The session itself: ended, or without its audit.
    Session,
}

impl Boundary {
    /// Its name: lower case letters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Phase => "phase",
            Self::Schema => "schema",
            Self::Path => "path",
            Self::Command => "command",
            Self::Web => "web",
            Self::Content => "content",
            Self::Policy => "policy",
            Self::Mode => "mode",
            Self::Budget => "budget",
            Self::Approval => "approval",
            Self::Session => "session",
        }
    }
}

macro_rules! denials {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $boundary:ident, $why:literal;)*) => {
        /// Every way in which a call can be refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Denial {
            $($(#[$doc])* $variant,)*
        }

        impl Denial {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name: lower case letters and underscores.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The boundary that it belongs to.
            pub const fn boundary(self) -> Boundary {
                match self { $(Self::$variant => Boundary::$boundary,)* }
            }

            /// The reason for the rule behind it. A constant.
            pub const fn why(self) -> &'static str {
                match self { $(Self::$variant => $why,)* }
            }
        }
    };
}

denials! {
    /// No tool has this name.
    UnknownTool = "unknown_tool", Phase, "only registered tools run";
    /// The tool is not for this role.
    WrongRole = "wrong_role", Phase, "a tool runs only for the roles that it was registered for";
    /// The phase does not grant the tool.
    NotGranted = "tool_not_granted", Phase, "a phase runs only the tools that its task needs";
    /// The phase denies the tool.
    Denied = "tool_denied", Phase, "what a phase denies stays denied, whoever grants it";
    /// The phase has no network.
    NoNetwork = "network_not_allowed", Phase, "a phase reaches the network only where it says so";
    /// The arguments are not a JSON object.
    Malformed = "malformed_arguments", Schema, "arguments that cannot be read cannot be judged";
    /// The arguments do not fit the schema.
    BadArguments = "bad_arguments", Schema, "a tool is given what its schema names, within its bounds, and nothing else";
    /// A path leads out of the working folder.
    OutsidePath = "path_outside", Path, "tools work beneath the working folder and nowhere else";
    /// A path names something other than a file or a folder, or a link where a file is written.
    UnfitPath = "path_unfit", Path, "a pipe hangs its reader, a device and a link lead elsewhere";
    /// A path could not be looked at.
    UnusablePath = "path_unusable", Path, "what cannot be looked at cannot be judged";
    /// The command policy refuses.
    Command = "command_denied", Command, "a command may touch the working folder and nothing else";
    /// The web policy refuses.
    Url = "url_denied", Web, "an address inside the network, or one that cannot be checked, is not for an agent";
    /// The arguments hold a secret.
    SecretInArguments = "secret_in_arguments", Content, "a credential in a file, a command or a request is out of our hands";
    /// The operator's policy denies the call.
    Policy = "policy_denied", Policy, "what the operator denies is not asked for again";
    /// The operator's policy cannot be read.
    PolicyUnreadable = "policy_unreadable", Policy, "a policy that cannot be read allows nothing";
    /// What always needs a person, in the mode that asks nobody.
    NeverUnattended = "never_unattended", Mode, "what cannot be undone does not run without a person";
    /// The session has made all its calls.
    CallCap = "call_cap_reached", Budget, "a session that goes on for ever is stuck";
    /// A person was needed and none could be asked.
    ApprovalRequired = "approval_required", Approval, "the call needs a person, and there is nobody to ask";
    /// A person said no.
    ApprovalDenied = "approval_denied", Approval, "a person decided";
    /// A person rejected the plan.
    PlanRejected = "plan_rejected", Approval, "nothing is done under a rejected plan before the next user message";
    /// The session was aborted.
    Aborted = "session_aborted", Session, "after an abort nothing new starts";
    /// The session has ended.
    Ended = "session_ended", Session, "a session that has ended runs nothing";
    /// The audit could not be written.
    Unaudited = "audit_unavailable", Session, "what cannot be recorded does not run";
    /// A file that the call would change could not be kept for a rollback.
    NoBackup = "backup_failed", Session, "a change that could not be undone is not made";
}

/// One refusal, ready to be shown to a model: no part of the arguments, no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What.
    pub denial: Denial,
    /// What is the matter here, and what to do instead: our own words and declared names.
    pub detail: Cow<'static, str>,
}

impl Refusal {
    pub(crate) fn new(denial: Denial, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            denial,
            detail: detail.into(),
        }
    }

    /// `{"error","boundary","detail","why"}`, all of them texts with something in them.
    pub fn to_json(&self) -> Value {
        json!({
            "error": self.denial.name(),
            "boundary": self.denial.boundary().name(),
            "detail": self.detail,
            "why": self.denial.why(),
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.denial.name(), self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_denial_has_a_name_of_its_own_and_a_reason() {
        let mut names: Vec<&str> = Denial::ALL.iter().map(|denial| denial.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Denial::ALL.len());
        for denial in Denial::ALL {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
            assert!(denial.name().bytes().all(plain), "{denial:?}");
            assert!(!denial.why().is_empty(), "{denial:?}");
        }
    }
}
