//! Whether every URL is of the public network.

use super::arguments::ValidArguments;
use crate::call::CallContext;
use crate::guard::Inner;
use crate::refusal::{Denial, Refusal};
use crate::tool::{ArgumentKind, Tool};
use crate::web::{CheckedUrl, check_url};

/// URLs of one call at most.
const MAX_URLS: usize = 16;

/// Every URL of the call was checked, by argument.
pub(crate) struct CheckedUrls(Vec<(String, CheckedUrl)>);

impl CheckedUrls {
    pub(crate) fn get(&self) -> &[(String, CheckedUrl)] {
        &self.0
    }
}

pub(super) async fn check(
    guard: &Inner,
    ctx: &CallContext,
    tool: &Tool,
    arguments: &ValidArguments,
) -> Result<CheckedUrls, Refusal> {
    let named = arguments.of_kind(tool, ArgumentKind::Url)?;
    if named.len() > MAX_URLS {
        return Err(Refusal::new(
            Denial::BadArguments,
            format!("a call names at most {MAX_URLS} URLs"),
        ));
    }
    if !named.is_empty() && !ctx.phase.has_network() {
        let phase = ctx.phase.name();
        return Err(Refusal::new(
            Denial::NoNetwork,
            format!("phase `{phase}` has no network"),
        ));
    }
    let mut urls = Vec::with_capacity(named.len());
    for (argument, text) in named {
        let url = check_url(text, &*guard.resolver).await.map_err(|denial| {
            let (rule, reason) = (denial.name(), denial.reason());
            Refusal::new(Denial::Url, format!("`{argument}`: {rule}: {reason}"))
        })?;
        urls.push((argument.to_owned(), url));
    }
    Ok(CheckedUrls(urls))
}
