//! Values that look like secrets and are public: their own makers print them in manuals, ship them
//! with emulators, or publish them in open source.
//!
//! They stand here by checksum, so that no scanner takes this file for a leak. A secret that has one
//! of these by chance, one in a hundred million, would be left.

use super::checksum::crc32;

/// The checksums of all, ascending by whose they are.
#[rustfmt::skip]
static PUBLISHED: &[u32] = &[
    // The keys of the tests in Firebase's open clients, as gitleaks lists them.
    0x0BA5_9ABA, 0x3627_AA84, 0x94BB_94F9, 0xFFDD_D189, 0x6159_AC90, 0x7AA1_20D5, 0x6A4F_7820, 0xFBC4_7221,
    0x0839_4327, 0xAFE8_FF3E, 0x6B66_E8A8, 0x5C29_8136, 0x1F35_8CBE, 0x6B94_63F8, 0x202F_468F, 0x3C5D_7FDA,
    // The accounts of Azure's emulators of storage and of Cosmos DB.
    0xB4CB_D586, 0x8770_7360,
    // The keys with which Stripe's manual is tried out.
    0x776D_E070, 0x396D_8142,
    // The password in the manual of Kubernetes.
    0xCBF4_3F40,
    // reCAPTCHA's key for tests, which lets everybody pass.
    0x07E1_75BD,
    // The first account of Ethereum's development nodes.
    0xBD0C_A09B, 0x37F7_C4E6,
];

/// Lengths of those values, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 16..=88;

/// Whether everybody may know this value.
pub(super) fn is_published(value: &str) -> bool {
    LENGTHS.contains(&value.len()) && PUBLISHED.contains(&crc32(value.as_bytes()))
}
