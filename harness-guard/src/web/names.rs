//! Names that are denied as they stand, before anybody resolves them.

use super::denial::UrlDenial;

/// Names under which a cloud tells a machine about itself.
const METADATA: &[&str] = &[
    "instance-data",
    "instance-data.ec2.internal",
    "kubernetes",
    "kubernetes.default",
    "metadata",
    "metadata.azure.com",
    "metadata.goog",
    "metadata.google.internal",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
    "rancher-metadata",
];

/// Last labels of names for machines nearby: special use, or never delegated.
const LOCAL: &[&str] = &[
    "corp",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "ip6-localhost",
    "ip6-loopback",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "private",
    "svc",
];

/// Domains whose names lead to the address that they spell, to this machine, or to one address
/// first and another one later.
const EMBEDDING: &[&str] = &[
    "1u.ms",
    "bugbounty.dod.network",
    "lacolhost.com",
    "localdomain.pw",
    "localh.st",
    "localhost.direct",
    "localtest.me",
    "lvh.me",
    "nip.io",
    "rbndr.us",
    "sslip.io",
    "spoofed.burpcollaborator.net",
    "traefik.me",
    "vcap.me",
    "xip.io",
];

/// Lets a name pass that says nothing against itself. `host` is as the parser leaves it: lower
/// case, in ASCII.
pub(super) fn check(host: &str) -> Result<(), UrlDenial> {
    let name = host.trim_end_matches('.');
    if METADATA.contains(&name) {
        return Err(UrlDenial::Metadata);
    }
    if LOCAL.iter().any(|domain| is_of(name, domain)) {
        return Err(UrlDenial::LocalName);
    }
    if EMBEDDING.iter().any(|domain| is_of(name, domain)) {
        return Err(UrlDenial::EmbeddingName);
    }
    Ok(())
}

/// Whether `name` is `domain` or ends in it, label by label.
fn is_of(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_judged_label_by_label() {
        for (bad, good) in [
            ("localhost", "localhost.example.org"),
            ("a.localhost.", "alocalhost.org"),
            ("metadata.google.internal", "metadata.google.com"),
            ("10.0.0.1.nip.io", "snip.io"),
            ("printer.local", "local.example.org"),
            ("instance-data", "instance-data.org"),
        ] {
            assert!(check(bad).is_err(), "{bad}");
            assert_eq!(check(good), Ok(()), "{good}");
        }
    }
}
