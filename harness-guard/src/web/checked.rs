//! A URL whose every address was checked.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use super::denial::UrlDenial;
use super::resolver::Resolver;
use super::{address, spelling};

/// Redirects that are followed.
pub const MAX_REDIRECTS: u8 = 5;
/// Addresses of one name that are checked.
const MAX_ADDRESSES: usize = 64;

/// A URL that may be fetched, and from where.
///
/// Connect to one of [`CheckedUrl::connect_to`] and to nothing else: another look-up might answer
/// otherwise. A redirect is checked by [`CheckedUrl::redirect`]; the client must follow none by
/// itself.
// INVARIANT: `addresses` is not empty and each of them is public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedUrl {
    url: Url,
    addresses: Vec<IpAddr>,
    redirects: u8,
}

/// Checks a URL: how it is spelled, then every address of its host.
///
/// # Errors
/// Why the URL is denied.
pub async fn check_url(url: &str, resolver: &dyn Resolver) -> Result<CheckedUrl, UrlDenial> {
    resolved(spelling::read(url)?, 0, resolver).await
}

impl CheckedUrl {
    /// The URL as a browser writes it.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The host, for the `Host` header and the name in TLS.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// The addresses to connect to, in the resolver's order.
    pub fn connect_to(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        let port = self.url.port_or_known_default().unwrap_or_default();
        self.addresses
            .iter()
            .map(move |address| SocketAddr::new(*address, port))
    }

    /// Checks where a redirect leads; `location` is the header's value.
    ///
    /// # Errors
    /// Why it is denied: as for a URL, and for a redirect too many or one from https to http.
    pub async fn redirect(
        &self,
        location: &str,
        resolver: &dyn Resolver,
    ) -> Result<Self, UrlDenial> {
        if self.redirects >= MAX_REDIRECTS {
            return Err(UrlDenial::TooManyRedirects);
        }
        let next = self.url.join(location).map_err(|_| UrlDenial::Unreadable)?;
        let next = spelling::judge(next)?;
        if self.url.scheme() == "https" && next.scheme() == "http" {
            return Err(UrlDenial::Downgrade);
        }
        resolved(next, self.redirects + 1, resolver).await
    }
}

async fn resolved(
    url: Url,
    redirects: u8,
    resolver: &dyn Resolver,
) -> Result<CheckedUrl, UrlDenial> {
    let addresses = match url.host() {
        None => return Err(UrlDenial::NoHost),
        Some(Host::Ipv4(ip)) => vec![ip.into()],
        Some(Host::Ipv6(ip)) => vec![ip.into()],
        Some(Host::Domain(name)) => resolver
            .resolve(name)
            .await
            .map_err(|_| UrlDenial::Unresolved)?,
    };
    match addresses.len() {
        0 => return Err(UrlDenial::Unresolved),
        1..=MAX_ADDRESSES => {}
        _ => return Err(UrlDenial::TooManyAddresses),
    }
    addresses.iter().copied().try_for_each(address::check)?;
    Ok(CheckedUrl {
        url,
        addresses,
        redirects,
    })
}
