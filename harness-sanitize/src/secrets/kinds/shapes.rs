//! Formats without a prefix.

/// A format without a prefix.
pub(in crate::secrets) struct Shape {
    /// Its name.
    pub(in crate::secrets) name: &'static str,
    /// What each holds, one of these.
    pub(in crate::secrets) literals: &'static [&'static str],
    /// How it looks, with what is before and behind it; the first group is the secret.
    pub(in crate::secrets) pattern: &'static str,
}

const fn shape(
    name: &'static str,
    literals: &'static [&'static str],
    pattern: &'static str,
) -> Shape {
    Shape {
        name,
        literals,
        pattern,
    }
}

pub(in crate::secrets) static SHAPES: &[Shape] = &[
    shape(
        "telegram-token",
        &[":AA"],
        r"(?:^|[^A-Za-z0-9_-])([0-9]{8,10}:AA[A-Za-z0-9_-]{32,33})(?:$|[^A-Za-z0-9_-])",
    ),
    shape(
        "mailchimp-key",
        &["-us"],
        r"(?:^|[^A-Za-z0-9_])([a-f0-9]{32}-us[0-9]{1,2})(?:$|[^A-Za-z0-9_])",
    ),
    shape(
        "azure-client-secret",
        &["Q~", "7~"],
        r"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}[0-9]?[Q7]~[A-Za-z0-9_~.-]{31,34})(?:$|[^A-Za-z0-9_~.-])",
    ),
    shape(
        "azure-key",
        &[
            "+ACR", "AzSe", "AzCa", "+ASt", "AZDO", "+AIoT", "APIM", "AzFu", "+AEh", "+ARm", "ACDb",
        ],
        r"([A-Za-z0-9+/]{32,80}(?:\+ACR|AzSe|AzCa|\+ASt|AZDO|\+AIoT|APIM|AzFu|\+AEh|\+ARm|ACDb)[A-Za-z0-9+/=]{4,12})",
    ),
    shape(
        "maxmind-key",
        &["_mmk"],
        r"(?:^|[^A-Za-z0-9_])([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)",
    ),
    shape(
        "password-hash",
        &["$2"],
        r"(\$2[abxy]\$[0-9][0-9]\$[A-Za-z0-9./]{53})",
    ),
    shape(
        "password-hash",
        &["$1$", "$5$", "$6$", "$8$", "$9$", "$y$", "$argon2"],
        r"(\$(?:1|5|6|8|9|y|argon2id?)\$[A-Za-z0-9./+=,$]{1,64}\$[A-Za-z0-9./+=$]{22,128})",
    ),
    shape(
        "new-relic-license",
        &["NRAL"],
        r"(?:^|[^A-Za-z0-9_])([a-f0-9]{36}NRAL)(?:$|[^A-Za-z0-9_])",
    ),
    shape(
        "facebook-app-token",
        &["|"],
        r"(?:^|[^A-Za-z0-9_])([0-9]{15,16}\|[A-Za-z0-9_-]{27,40})",
    ),
    shape(
        "google-oauth-client",
        &[".apps.googleusercontent.com"],
        r"(?:^|[^A-Za-z0-9_-])([0-9]{10,14}-[a-z0-9]{32}\.apps\.googleusercontent\.com)",
    ),
    shape(
        "thingsboard-token",
        &["/telemetry", "/attributes"],
        r"/api/v1/([a-z0-9]{20})/(?:telemetry|attributes)",
    ),
];
