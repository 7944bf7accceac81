//! A URL as it is spelled: everything that can be judged without a resolver.

use url::{Host, Url};

use super::denial::UrlDenial;
use super::{address, names};

/// Longest URL, in bytes.
const MAX_URL: usize = 4096;
/// Longest URL as a browser writes it: each byte may have become an escape.
const MAX_WRITTEN: usize = MAX_URL * 3;

/// Judges a URL by its spelling alone. A name that passes may still resolve to a private address:
/// before something is fetched, [`check_url`](super::check_url) asks a resolver.
///
/// # Errors
/// Why the URL is denied.
pub fn check_spelling(url: &str) -> Result<(), UrlDenial> {
    read(url).map(drop)
}

/// Reads a URL as a browser does and judges what it spells.
pub(super) fn read(url: &str) -> Result<Url, UrlDenial> {
    if url.len() > MAX_URL {
        return Err(UrlDenial::TooLong);
    }
    judge(Url::parse(url).map_err(|_| UrlDenial::Unreadable)?)
}

/// Judges a URL that was read.
pub(super) fn judge(url: Url) -> Result<Url, UrlDenial> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlDenial::Scheme);
    }
    if url.as_str().len() > MAX_WRITTEN {
        return Err(UrlDenial::TooLong);
    }
    match url.host() {
        None => return Err(UrlDenial::NoHost),
        Some(Host::Ipv4(ip)) => address::check(ip.into())?,
        Some(Host::Ipv6(ip)) => address::check(ip.into())?,
        Some(Host::Domain(name)) => names::check(name)?,
    }
    Ok(url)
}
