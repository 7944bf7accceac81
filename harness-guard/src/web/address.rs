//! Addresses that are not of the public network.
//!
//! The tables follow the registries of special-purpose addresses (RFC 6890 and its successors). A
//! translated or mapped IPv6 address is judged by the IPv4 address within it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::denial::UrlDenial;

/// Where clouds answer a machine about itself, outside the ranges below or named for clarity.
const METADATA_V4: &[Ipv4Addr] = &[
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];

const METADATA_V6: &[Ipv6Addr] = &[
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

/// Ranges of IPv4: first address, bits that count, what it is.
const V4: &[(Ipv4Addr, u32, UrlDenial)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, UrlDenial::Unspecified),
    (Ipv4Addr::new(10, 0, 0, 0), 8, UrlDenial::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, UrlDenial::Shared),
    (Ipv4Addr::new(127, 0, 0, 0), 8, UrlDenial::Loopback),
    (Ipv4Addr::new(169, 254, 0, 0), 16, UrlDenial::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, UrlDenial::Private),
    // Protocol assignments, documentation, benchmarks.
    (Ipv4Addr::new(192, 0, 0, 0), 24, UrlDenial::Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, UrlDenial::Reserved),
    (Ipv4Addr::new(192, 168, 0, 0), 16, UrlDenial::Private),
    (Ipv4Addr::new(198, 18, 0, 0), 15, UrlDenial::Reserved),
    (Ipv4Addr::new(198, 51, 100, 0), 24, UrlDenial::Reserved),
    (Ipv4Addr::new(203, 0, 113, 0), 24, UrlDenial::Reserved),
    (Ipv4Addr::new(224, 0, 0, 0), 4, UrlDenial::Multicast),
    (Ipv4Addr::new(240, 0, 0, 0), 4, UrlDenial::Reserved),
];

/// Ranges of IPv6 that are not public, in the order in which they are looked at.
const V6: &[(Ipv6Addr, u32, UrlDenial)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, UrlDenial::Unspecified),
    (Ipv6Addr::LOCALHOST, 128, UrlDenial::Loopback),
    (v6(0xfe80, 0), 10, UrlDenial::LinkLocal),
    // Site-local, which some systems still use.
    (v6(0xfec0, 0), 10, UrlDenial::Private),
    (v6(0xfc00, 0), 7, UrlDenial::Private),
    (v6(0xff00, 0), 8, UrlDenial::Multicast),
    // Teredo and other protocol assignments, documentation twice, 6to4.
    (v6(0x2001, 0), 23, UrlDenial::Reserved),
    (v6(0x2001, 0xdb8), 32, UrlDenial::Reserved),
    (v6(0x3fff, 0), 20, UrlDenial::Reserved),
    (v6(0x2002, 0), 16, UrlDenial::Reserved),
];

/// The part of IPv6 that is given out for public use.
const PUBLIC_V6: (Ipv6Addr, u32) = (v6(0x2000, 0), 3);
/// IPv4 within IPv6, in the last 32 bits: mapped, and translated by NAT64.
const HOLDS_V4: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96),
    (Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0), 96),
    (v6(0x64, 0xff9b), 96),
];

const fn v6(first: u16, second: u16) -> Ipv6Addr {
    Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0)
}

/// Lets a public address pass.
pub(super) fn check(address: IpAddr) -> Result<(), UrlDenial> {
    match address {
        IpAddr::V4(address) => check_v4(address),
        IpAddr::V6(address) => check_v6(address),
    }
}

fn check_v4(address: Ipv4Addr) -> Result<(), UrlDenial> {
    if METADATA_V4.contains(&address) {
        return Err(UrlDenial::Metadata);
    }
    let within = |(first, bits, _): &&(Ipv4Addr, u32, UrlDenial)| {
        let shift = 32 - bits;
        address.to_bits() >> shift == first.to_bits() >> shift
    };
    V4.iter()
        .find(within)
        .map_or(Ok(()), |(_, _, denial)| Err(*denial))
}

fn check_v6(address: Ipv6Addr) -> Result<(), UrlDenial> {
    if METADATA_V6.contains(&address) {
        return Err(UrlDenial::Metadata);
    }
    let within = |first: Ipv6Addr, bits: u32| {
        let shift = 128 - bits;
        address.to_bits() >> shift == first.to_bits() >> shift
    };
    if HOLDS_V4.iter().any(|(first, bits)| within(*first, *bits)) {
        let [.., a, b, c, d] = address.octets();
        return check_v4(Ipv4Addr::new(a, b, c, d));
    }
    if let Some((_, _, denial)) = V6.iter().find(|(first, bits, _)| within(*first, *bits)) {
        return Err(*denial);
    }
    if !within(PUBLIC_V6.0, PUBLIC_V6.1) {
        return Err(UrlDenial::Reserved);
    }
    // ISATAP: an IPv4 address in the interface's part of a public prefix.
    match address.segments() {
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => {
            let [.., a, b, c, d] = address.octets();
            check_v4(Ipv4Addr::new(a, b, c, d))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(address: &str) -> Result<(), UrlDenial> {
        check(address.parse().unwrap())
    }

    #[test]
    fn each_range_ends_where_it_should() {
        for (inside, outside, denial) in [
            ("10.255.255.255", "11.0.0.0", UrlDenial::Private),
            ("172.31.255.255", "172.32.0.0", UrlDenial::Private),
            ("192.168.255.255", "192.169.0.0", UrlDenial::Private),
            ("100.127.255.255", "100.128.0.0", UrlDenial::Shared),
            ("127.255.255.255", "128.0.0.0", UrlDenial::Loopback),
            ("169.254.0.1", "169.255.0.1", UrlDenial::LinkLocal),
            ("0.1.2.3", "1.0.0.0", UrlDenial::Unspecified),
            ("239.255.255.255", "223.255.255.255", UrlDenial::Multicast),
            ("255.255.255.255", "223.0.0.1", UrlDenial::Reserved),
            ("198.19.255.255", "198.20.0.0", UrlDenial::Reserved),
            ("168.63.129.16", "168.63.129.17", UrlDenial::Metadata),
            ("febf::1", "2400::1", UrlDenial::LinkLocal),
            ("fdff::1", "2a00::1", UrlDenial::Private),
            ("ff02::1", "2600::1", UrlDenial::Multicast),
            ("2001:1ff::1", "2001:200::1", UrlDenial::Reserved),
            ("2001:db8::1", "2001:db9::1", UrlDenial::Reserved),
            ("::1", "2001:4860::1", UrlDenial::Loopback),
            ("::", "2606::1", UrlDenial::Unspecified),
            ("4000::1", "3ffe::1", UrlDenial::Reserved),
        ] {
            assert_eq!(judged(inside), Err(denial), "{inside}");
            assert_eq!(judged(outside), Ok(()), "{outside}");
        }
    }

    #[test]
    fn ipv6_is_judged_by_the_ipv4_within() {
        for (private, public) in [
            ("::ffff:127.0.0.1", "::ffff:8.8.8.8"),
            ("::ffff:0:10.0.0.1", "::ffff:0:8.8.8.8"),
            ("64:ff9b::10.1.1.1", "64:ff9b::8.8.8.8"),
            ("2400:1::5efe:192.168.0.1", "2400:1::5efe:8.8.8.8"),
        ] {
            assert!(judged(private).is_err(), "{private}");
            assert_eq!(judged(public), Ok(()), "{public}");
        }
    }
}
