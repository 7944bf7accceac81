//! Names to addresses.

use std::net::{IpAddr, ToSocketAddrs as _};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Semaphore;

/// A name was not resolved. The resolver's fault, or nobody's; either way the call is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name could not be resolved")]
pub struct ResolveError;

/// Turns a name into its addresses.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// All addresses of `host`, a name in ASCII.
    ///
    /// # Errors
    /// There are none, or they could not be learned in time.
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError>;
}

/// Look-ups of one resolver that run at once.
const MAX_LOOKUPS: usize = 16;
/// How long a look-up may take where the host does not say.
const DEFAULT_WAIT: Duration = Duration::from_secs(5);

/// The system's resolver, on threads of the runtime's own.
#[derive(Debug)]
pub struct SystemResolver {
    wait: Duration,
    slots: Semaphore,
}

impl SystemResolver {
    /// A resolver that waits this long.
    pub fn new(wait: Duration) -> Self {
        Self {
            wait,
            slots: Semaphore::new(MAX_LOOKUPS),
        }
    }

    async fn look_up(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let _slot = self.slots.acquire().await.map_err(|_| ResolveError)?;
        let host = host.to_owned();
        let found = tokio::task::spawn_blocking(move || {
            // The port is not looked at.
            (host.as_str(), 0)
                .to_socket_addrs()
                .map(|all| all.map(|address| address.ip()).collect())
        });
        found
            .await
            .map_err(|_| ResolveError)?
            .map_err(|_| ResolveError)
    }
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::new(DEFAULT_WAIT)
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        tokio::time::timeout(self.wait, self.look_up(host))
            .await
            .map_err(|_| ResolveError)?
    }
}
