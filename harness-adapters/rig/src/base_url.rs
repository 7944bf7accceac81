//! Where a provider is reached: TLS, or this machine.

use std::net::IpAddr;

use reqwest::Url;

/// Why an address is not one to send evidence and a key to. The operator's fault. The address is
/// not quoted: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// It does not read as an address of HTTP.
    #[error("an address starts with https:// (or http:// on this machine) and names a host")]
    NotHttp,
    /// It would be sent in the clear over a network.
    #[error("http:// is for this machine alone; use https://")]
    Plain,
    /// It has a name, a password, a query or a fragment in it.
    #[error(
        "an address has no name, password, query or fragment in it; a key has its own variable"
    )]
    MoreThanAnAddress,
}

/// An address that may be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl {
    url: String,
    is_local: bool,
}

impl BaseUrl {
    pub(crate) fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let url = Url::parse(text.trim()).map_err(|_| BaseUrlError::NotHttp)?;
        let host = url.host_str().ok_or(BaseUrlError::NotHttp)?;
        let is_local = is_this_machine(host);
        match url.scheme() {
            "https" => {}
            "http" if is_local => {}
            "http" => return Err(BaseUrlError::Plain),
            _ => return Err(BaseUrlError::NotHttp),
        }
        let named = !url.username().is_empty() || url.password().is_some();
        if named || url.query().is_some() || url.fragment().is_some() {
            return Err(BaseUrlError::MoreThanAnAddress);
        }
        Ok(Self {
            url: url.as_str().trim_end_matches('/').to_owned(),
            is_local,
        })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.url
    }

    /// Whether it is this machine, where a model may need no key.
    pub(crate) const fn is_local(&self) -> bool {
        self.is_local
    }
}

/// By its spelling: a loopback address, or the one name that is reserved for it.
fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_or_this_machine() {
        for (text, local) in [
            ("https://api.example.com/v1/", false),
            ("http://127.0.0.1:8137/v1", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:11434", true),
            ("http://localhost:11434/", true),
            // As browsers read it, this is 127.0.0.1.
            ("http://0x7f.1", true),
        ] {
            let url = BaseUrl::parse(text).unwrap();
            assert_eq!(url.is_local(), local, "{text}");
            assert!(!url.as_str().ends_with('/'));
        }
    }

    #[test]
    fn what_else_there_is_is_refused() {
        for (text, error) in [
            ("http://api.example.com/v1", BaseUrlError::Plain),
            ("http://10.0.0.7:11434", BaseUrlError::Plain),
            ("http://localhost.example.com", BaseUrlError::Plain),
            ("http://127.0.0.1.example.com", BaseUrlError::Plain),
            ("ftp://127.0.0.1", BaseUrlError::NotHttp),
            ("file:///etc/passwd", BaseUrlError::NotHttp),
            ("api.example.com", BaseUrlError::NotHttp),
            ("", BaseUrlError::NotHttp),
            (
                "https://me:secret@example.com",
                BaseUrlError::MoreThanAnAddress,
            ),
            (
                "https://example.com/?key=1",
                BaseUrlError::MoreThanAnAddress,
            ),
            ("https://example.com/#x", BaseUrlError::MoreThanAnAddress),
        ] {
            assert_eq!(BaseUrl::parse(text), Err(error), "{text}");
        }
    }
}
