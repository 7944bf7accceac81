//! What a scan finds, and how sure it is.

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// A phrase like an instruction. Honest text holds some.
    Soft,
    /// A channel that honest text does not use: hidden, encoded, or in our own or a chat
    /// template's voice.
    Hard,
}

impl Level {
    /// Its name: `soft` or `hard`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Soft => "soft",
            Self::Hard => "hard",
        }
    }
}

/// What a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// Characters that carry text past the reader: tags, selectors and invisibles in rows.
    HiddenText,
    /// Characters that turn the order of what is read.
    Reordering,
    /// A phrase that only shows once invisible characters and look-alikes are read as the eye
    /// reads them.
    Disguise,
    /// A token of a chat template.
    TemplateToken,
    /// An imitation of a fence around untrusted text, ours or another's.
    Fence,
    /// An imitation of the harness's voice.
    Voice,
    /// An instruction that stood encoded.
    EncodedPayload,
    /// Sets earlier instructions aside.
    Override,
    /// Wants something kept from the user.
    Concealment,
    /// Gives the model another role.
    Role,
    /// Asks for the prompt.
    PromptLeak,
    /// Sends credentials somewhere.
    Exfiltration,
    /// Addresses the model that reads it.
    Address,
}

impl FindingKind {
    /// Its name: lower case letters and hyphens.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HiddenText => "hidden-text",
            Self::Reordering => "reordering",
            Self::Disguise => "disguise",
            Self::TemplateToken => "template-token",
            Self::Fence => "fence",
            Self::Voice => "voice",
            Self::EncodedPayload => "encoded-payload",
            Self::Override => "override",
            Self::Concealment => "concealment",
            Self::Role => "role",
            Self::PromptLeak => "prompt-leak",
            Self::Exfiltration => "exfiltration",
            Self::Address => "address",
        }
    }

    /// How sure a finding of this kind is.
    pub const fn level(self) -> Level {
        match self {
            Self::HiddenText
            | Self::Reordering
            | Self::Disguise
            | Self::TemplateToken
            | Self::Fence
            | Self::EncodedPayload => Level::Hard,
            Self::Voice
            | Self::Override
            | Self::Concealment
            | Self::Role
            | Self::PromptLeak
            | Self::Exfiltration
            | Self::Address => Level::Soft,
        }
    }
}

/// What was found, and where, in bytes of the text as it came. Never the text itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// Where it starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl Finding {
    /// How sure it is.
    pub const fn level(&self) -> Level {
        self.kind.level()
    }
}
