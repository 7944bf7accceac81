//! What a tool does to the world.

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Looks, and changes nothing.
    Read,
    /// Speaks to the network.
    Network,
    /// Changes files.
    Write,
    /// Runs something; what that does is not known.
    Execute,
}

impl Effect {
    /// Its name: lower case letters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Network => "network",
            Self::Write => "write",
            Self::Execute => "execute",
        }
    }

    /// The effect of a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Read, Self::Network, Self::Write, Self::Execute]
            .into_iter()
            .find(|effect| effect.name() == name)
    }

    /// Whether it acts rather than looks.
    pub const fn acts(self) -> bool {
        !matches!(self, Self::Read)
    }
}
