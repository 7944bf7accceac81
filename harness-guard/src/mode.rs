//! Modes: what runs without asking.

use crate::tool::Effect;

/// What a person is asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Everything that writes or executes.
    #[default]
    Default,
    /// Everything that executes; files are written without asking.
    AcceptEdits,
    /// Nothing. What always needs a person is refused.
    DangerouslySkipPermissions,
}

impl Mode {
    /// Its name, as it is configured.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::DangerouslySkipPermissions => "dangerouslySkipPermissions",
        }
    }

    /// The mode of a name.
    pub fn parse(name: &str) -> Option<Self> {
        [
            Self::Default,
            Self::AcceptEdits,
            Self::DangerouslySkipPermissions,
        ]
        .into_iter()
        .find(|mode| mode.name() == name)
    }

    /// Whether this mode asks about a call with this effect.
    pub(crate) const fn asks(self, effect: Effect) -> bool {
        match self {
            Self::Default => matches!(effect, Effect::Write | Effect::Execute),
            Self::AcceptEdits => matches!(effect, Effect::Execute),
            Self::DangerouslySkipPermissions => false,
        }
    }
}
