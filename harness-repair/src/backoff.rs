//! When a model is asked again that gave no reply.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use harness_core::RepairSessionId;

use crate::model::ModelError;

/// Times that one request is made again.
const MAX_RETRIES: u32 = 2;
/// The wait before the first retry; each later one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// How long to wait before asking again after the `failures`th failure of one request, from 1;
/// `None` gives up. The wait is between half and the whole of its step, spread over repair sessions
/// ("equal jitter"), and never shorter than the provider asks for.
pub(crate) fn wait(error: ModelError, failures: u32, session: RepairSessionId) -> Option<Duration> {
    if !error.may_retry() || failures == 0 || failures > MAX_RETRIES {
        return None;
    }
    let step = FIRST_WAIT * 2u32.pow(failures - 1);
    let mut hasher = DefaultHasher::new();
    (session, failures).hash(&mut hasher);
    let spread = u32::try_from(hasher.finish() % 1000).unwrap_or(0);
    let wait = step / 2 + step / 2 * spread / 1000;
    Some(match error {
        ModelError::RateLimited {
            retry_after: Some(asked),
        } => wait.max(asked),
        _ => wait,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: RepairSessionId = RepairSessionId::from_bits(7);

    #[test]
    fn only_what_may_pass_is_retried_and_not_for_ever() {
        assert!(wait(ModelError::Unavailable, 1, SESSION).is_some());
        assert!(wait(ModelError::Unavailable, 2, SESSION).is_some());
        assert_eq!(wait(ModelError::Unavailable, 3, SESSION), None);
        for error in [
            ModelError::Unauthenticated,
            ModelError::Rejected,
            ModelError::Malformed,
        ] {
            assert_eq!(wait(error, 1, SESSION), None);
        }
    }

    #[test]
    fn a_provider_that_names_a_time_is_given_it() {
        let asked = Duration::from_secs(9);
        let error = ModelError::RateLimited {
            retry_after: Some(asked),
        };
        assert_eq!(wait(error, 1, SESSION), Some(asked));
        let unsaid = wait(ModelError::RateLimited { retry_after: None }, 1, SESSION).unwrap();
        assert!((FIRST_WAIT / 2..=FIRST_WAIT).contains(&unsaid));
    }
}
