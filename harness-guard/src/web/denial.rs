//! Why a URL is denied.

use std::fmt;

macro_rules! denials {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $reason:literal;)*) => {
        /// Every way in which a URL can be denied.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum UrlDenial {
            $($(#[$doc])* $variant,)*
        }

        impl UrlDenial {
            /// Its name: lower case letters and underscores.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What is the matter, and what to do instead.
            pub const fn reason(self) -> &'static str {
                match self { $(Self::$variant => $reason,)* }
            }
        }
    };
}

denials! {
    /// A browser cannot read it.
    Unreadable = "unreadable", "no browser reads this as a URL: give an absolute http or https URL";
    /// It is longer than a URL may be.
    TooLong = "too_long", "a URL has at most 4096 bytes";
    /// Neither http nor https.
    Scheme = "scheme", "only http and https are fetched";
    /// It names no host.
    NoHost = "no_host", "the URL names no host";
    /// The machine itself.
    Loopback = "loopback", "the address is this machine's own";
    /// No address at all.
    Unspecified = "unspecified", "the address stands for any of this machine's own";
    /// This link only.
    LinkLocal = "link_local", "the address is of this link only";
    /// A private network.
    Private = "private", "the address is of a private network";
    /// A provider's shared network.
    Shared = "shared", "the address is of a provider's own network";
    /// Many receivers.
    Multicast = "multicast", "the address stands for many receivers";
    /// Not in use on the public network.
    Reserved = "reserved", "the address is reserved and not of the public network";
    /// Where a cloud tells a machine its credentials.
    Metadata = "metadata", "the address or name is that of a machine's own metadata";
    /// A name for machines nearby.
    LocalName = "local_name", "the name is one for machines of this network";
    /// A name that resolves to whatever address it spells, or to this machine.
    EmbeddingName = "embedding_name", "names of this domain lead to private addresses";
    /// No answer, or too late.
    Unresolved = "unresolved", "the name could not be resolved, so its address cannot be checked";
    /// More addresses than are checked.
    TooManyAddresses = "too_many_addresses", "the name has more addresses than are checked";
    /// One redirect after another.
    TooManyRedirects = "too_many_redirects", "the page was redirected too often";
    /// From https to http.
    Downgrade = "downgrade", "a redirect from https leads to http";
}

impl fmt::Display for UrlDenial {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.reason())
    }
}
