//! The web policy: which URLs an agent may fetch, and from which address.
//!
//! A URL is read as a browser reads it, so that every spelling of an address is that address. A
//! name is resolved, and every address that it has must be public; the ones that were checked are
//! the ones to connect to.

mod address;
mod checked;
mod denial;
mod names;
mod resolver;
mod spelling;

pub use checked::{CheckedUrl, MAX_REDIRECTS, check_url};
pub use denial::UrlDenial;
pub use resolver::{ResolveError, Resolver, SystemResolver};
pub use spelling::check_spelling;
