//! The kinds of token that can be told by their look: a prefix, an alphabet, a length.
//!
//! One line a kind. Where a prefix stands at the start of a word, its pattern decides. A few
//! formats have no prefix but a shape.

mod code;
mod models;
mod services;
mod shapes;
mod work;

pub(super) use shapes::SHAPES;

/// What the identifiers of clients start with that a service prints on every page: Salesforce's
/// consumer key, Stripe's publishable one.
pub(super) const PUBLIC: &[&str] = &["3MVG9", "pk_live_", "pk_test_"];

/// How a token of one kind looks.
pub(super) struct Kind {
    /// Its name, as it is shown in `[REDACTED:name]`.
    pub(super) name: &'static str,
    /// What each token starts with; one of these.
    pub(super) prefixes: &'static [&'static str],
    /// The rest of it, as a regular expression.
    pub(super) rest: &'static str,
    /// How much the prefix alone says.
    pub(super) prefix: Prefix,
}

/// How much a prefix says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// Nothing else starts with it: what does not fit behind it is no secret, whatever it is
    /// called.
    Telling,
    /// The same, but people write it in prose and in examples: the rest must look drawn at random.
    Quoted,
    /// Words start with it as well: the rest must look drawn, and what does not fit may be another
    /// secret.
    Common,
}

impl Kind {
    /// Whether what starts with the prefix is this kind or no secret at all.
    pub(super) const fn claims(&self) -> bool {
        !matches!(self.prefix, Prefix::Common)
    }
}

const fn kind(name: &'static str, prefixes: &'static [&'static str], rest: &'static str) -> Kind {
    Kind {
        name,
        prefixes,
        rest,
        prefix: Prefix::Telling,
    }
}

const fn quoted(name: &'static str, prefixes: &'static [&'static str], rest: &'static str) -> Kind {
    Kind {
        name,
        prefixes,
        rest,
        prefix: Prefix::Quoted,
    }
}

const fn common(name: &'static str, prefixes: &'static [&'static str], rest: &'static str) -> Kind {
    Kind {
        name,
        prefixes,
        rest,
        prefix: Prefix::Common,
    }
}

/// Every kind. Of two that share the start of a prefix the longer prefix comes first.
pub(super) fn kinds() -> impl Iterator<Item = &'static Kind> {
    [models::KINDS, code::KINDS, work::KINDS, services::KINDS]
        .into_iter()
        .flatten()
}
