//! What kind of failure an error of rig is. Nothing else of it is kept: the rest is a provider's
//! words, which are untrusted and may hold a key.

use std::time::Duration;

use harness_repair::ModelError;
use rig_core::error::{ErrorKind, ErrorReport, ProviderError};
use rig_core::http_client::{Error, HeaderMap};

use crate::client::NoReply;

/// Seconds of a `Retry-After` that are believed.
const MAX_RETRY_AFTER: u64 = 86_400;

/// Whether the provider declined, which is an answer and no failure.
pub(crate) fn is_refusal(error: &ProviderError) -> bool {
    error.provider_response().is_some_and(|reply| reply.refusal)
}

/// The kind of a failure.
pub(crate) fn kind(error: &ProviderError) -> ModelError {
    if let Some(reply) = error.provider_response() {
        let status = reply.status.map(|status| status.as_u16());
        return of_status(status, reply.headers.as_ref());
    }
    match error {
        ProviderError::Http(error) => of_transport(error),
        ProviderError::Provider(_) => ModelError::Unavailable,
        ProviderError::Url(_) | ProviderError::Request(_) | ProviderError::UnsupportedOption(_) => {
            ModelError::Rejected
        }
        _ => ModelError::Malformed,
    }
}

/// The kind of a failure that came as a report; `None` where it is not one of a model.
pub(crate) fn kind_of_report(report: &ErrorReport) -> Option<ModelError> {
    let headers = report.provider_response_headers();
    Some(match report.kind {
        ErrorKind::ProviderResponse => of_status(report.http_status, headers),
        ErrorKind::Http | ErrorKind::Provider => ModelError::Unavailable,
        ErrorKind::Timeout => ModelError::Lost,
        ErrorKind::Json | ErrorKind::Response => ModelError::Malformed,
        ErrorKind::Request | ErrorKind::Url => ModelError::Rejected,
        _ => return None,
    })
}

fn of_status(status: Option<u16>, headers: Option<&HeaderMap>) -> ModelError {
    match status {
        Some(401 | 403) => ModelError::Unauthenticated,
        Some(429) => ModelError::RateLimited {
            retry_after: headers.and_then(retry_after),
        },
        Some(408 | 425 | 500..=599) => ModelError::Unavailable,
        Some(400..=499) => ModelError::Rejected,
        // A failure that calls itself a success.
        _ => ModelError::Malformed,
    }
}

/// In seconds, as providers of models say it; a date is as good as nothing said.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds: u64 = headers
        .get("retry-after")?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds.min(MAX_RETRY_AFTER)))
}

fn of_transport(error: &Error) -> ModelError {
    let Error::Instance(inner) = error else {
        return ModelError::Malformed;
    };
    match inner.downcast_ref::<NoReply>() {
        Some(NoReply::NotReached) => ModelError::Unavailable,
        Some(NoReply::Redirected | NoReply::NotOffered) => ModelError::Rejected,
        Some(NoReply::TooLong) => ModelError::Malformed,
        // Another client's failure: whether it got anywhere is not known.
        Some(NoReply::BrokenOff) | None => ModelError::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_says_what_may_help() {
        for (status, error) in [
            (400, ModelError::Rejected),
            (401, ModelError::Unauthenticated),
            (403, ModelError::Unauthenticated),
            (404, ModelError::Rejected),
            (408, ModelError::Unavailable),
            (429, ModelError::RateLimited { retry_after: None }),
            (500, ModelError::Unavailable),
            (529, ModelError::Unavailable),
            (200, ModelError::Malformed),
        ] {
            assert_eq!(of_status(Some(status), None), error, "{status}");
        }
    }

    #[test]
    fn a_wait_is_read_in_seconds_and_bounded() {
        let wait = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("retry-after", text.parse().unwrap());
            retry_after(&headers).map(|wait| wait.as_secs())
        };
        assert_eq!(wait("7"), Some(7));
        assert_eq!(wait("18446744073709551615"), Some(MAX_RETRY_AFTER));
        for other in ["Wed, 21 Oct 2026 07:28:00 GMT", "-1", "soon", ""] {
            assert_eq!(wait(other), None, "{other}");
        }
    }
}
