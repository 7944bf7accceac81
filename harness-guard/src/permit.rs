//! A call that every check let through.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::checks::{
    CallSlot, CheckedUrls, Consented, Granted, JudgedCommands, ScopedPaths, SecretFree, Steady,
    ValidArguments,
};
use crate::folder::PermittedPath;
use crate::session::AbortSignal;
use crate::web::{CheckedUrl, Resolver, UrlDenial};

/// A call that may run: what each check left behind, and nothing that has not been checked.
///
/// Only the guard makes one, out of the proof of each check, and an executor takes one: so nothing
/// runs that was not checked, and nothing runs twice.
// INVARIANT: every field is the proof of the check it is named for.
#[must_use = "a permitted call is there to be run"]
pub struct Permitted {
    granted: Granted,
    arguments: ValidArguments,
    paths: ScopedPaths,
    urls: CheckedUrls,
    abort: AbortSignal,
    resolver: Arc<dyn Resolver>,
    _commands: JudgedCommands,
    _secrets: SecretFree,
    _intent: Steady,
    _slot: CallSlot,
    _consent: Consented,
}

/// The proofs of a call, handed from the checks to the permit.
pub(crate) struct Proofs {
    pub(crate) granted: Granted,
    pub(crate) arguments: ValidArguments,
    pub(crate) paths: ScopedPaths,
    pub(crate) commands: JudgedCommands,
    pub(crate) urls: CheckedUrls,
    pub(crate) secrets: SecretFree,
    pub(crate) intent: Steady,
    pub(crate) slot: CallSlot,
}

impl Permitted {
    pub(crate) fn new(
        proofs: Proofs,
        consent: Consented,
        abort: AbortSignal,
        resolver: Arc<dyn Resolver>,
    ) -> Self {
        Self {
            granted: proofs.granted,
            arguments: proofs.arguments,
            paths: proofs.paths,
            urls: proofs.urls,
            abort,
            resolver,
            _commands: proofs.commands,
            _secrets: proofs.secrets,
            _intent: proofs.intent,
            _slot: proofs.slot,
            _consent: consent,
        }
    }

    /// The tool's name.
    pub fn tool(&self) -> &str {
        self.granted.tool().spec.name()
    }

    /// The arguments, which fit the tool's schema. Open files by [`Permitted::path`] and fetch by
    /// [`Permitted::url`]: those are the values that were checked.
    pub fn arguments(&self) -> &Map<String, Value> {
        self.arguments.get()
    }

    pub(crate) const fn granted(&self) -> &Arc<crate::tool::Tool> {
        self.granted.tool()
    }

    /// A text argument.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.arguments().get(name)?.as_str()
    }

    /// The path that an argument names.
    pub fn path(&self, argument: &str) -> Option<&PermittedPath> {
        self.paths().find(|path| path.argument() == argument)
    }

    /// All paths of the call.
    pub fn paths(&self) -> impl Iterator<Item = &PermittedPath> {
        self.paths.get().iter()
    }

    /// The URL that an argument names, with the addresses to connect to.
    pub fn url(&self, argument: &str) -> Option<&CheckedUrl> {
        self.urls
            .get()
            .iter()
            .find(|(name, _)| name == argument)
            .map(|(_, url)| url)
    }

    /// Checks where a page redirects to.
    ///
    /// # Errors
    /// Why it is denied.
    pub async fn redirect(
        &self,
        from: &CheckedUrl,
        location: &str,
    ) -> Result<CheckedUrl, UrlDenial> {
        from.redirect(location, &*self.resolver).await
    }

    /// Whether everything must stop.
    pub const fn abort(&self) -> &AbortSignal {
        &self.abort
    }
}

/// The tool, never the arguments.
impl std::fmt::Debug for Permitted {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Permitted({})", self.tool())
    }
}
