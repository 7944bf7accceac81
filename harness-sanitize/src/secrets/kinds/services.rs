//! Further services, and formats that many share.

use super::{Kind, common, kind};

pub(super) static KINDS: &[Kind] = &[
    // Formats.
    common(
        "jwt",
        &["ey"],
        r"[\w-]{10,4096}\.ey[\w/-]{5,8192}(?:\.[\w/-]{10,1024}={0,2})?",
    ),
    kind("age-key", &["AGE-SECRET-KEY-1"], r"[A-Z0-9]{58}"),
    kind("1password-token", &["ops_eyJ"], r"[\w-]{60,1500}"),
    // Services.
    common("beamer-token", &["b_"], r"[a-z0-9=_-]{44}"),
    kind("teamwork-token", &["tkn.v1_"], r"[\w=]{60,100}"),
    kind("trello-token", &["ATTA"], r"[a-f0-9]{64,76}"),
    kind(
        "intra42-secret",
        &["s-s4t2ud-", "s-s4t2af-"],
        r"[a-f0-9]{64}",
    ),
    kind("alchemy-key", &["alcht_"], r"[A-Za-z0-9]{30}"),
    kind("apify-token", &["apify_api_"], r"[\w-]{36}"),
    kind("bannerbear-key", &["bb_ma_", "bb_pr_"], r"[a-f0-9]{30}"),
    kind("odoo-token", &["odt_"], r"[A-Za-z0-9]{30,40}"),
    kind("ionic-token", &["ion_"], r"[A-Za-z0-9]{42}"),
    kind("scrapfly-key", &["scp-live-", "scp-test-"], r"[a-f0-9]{32}"),
    kind(
        "photoroom-key",
        &["sk_pr_", "sandbox_sk_pr_"],
        r"[\w]{1,64}_[a-f0-9]{40}",
    ),
    common("frameio-token", &["fio-u-"], r"[\w=-]{64}"),
    kind("ubidots-token", &["BBFF-"], r"[A-Za-z0-9]{28,40}"),
    common(
        "launchdarkly-key",
        &["sdk-", "api-", "mob-"],
        r"[a-z0-9]{8}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{12}",
    ),
    kind(
        "pubnub-key",
        &["sub-c-", "pub-c-", "sec-c-"],
        r"[a-z0-9]{8}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{12}",
    ),
    kind(
        "unplu-token",
        &["unplu-access-token-", "unplu-secret-key-"],
        r"[a-f0-9]{32,64}",
    ),
    kind(
        "pixie-key",
        &["px-api-", "px-dep-"],
        r"[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}",
    ),
    kind("sidekiq-key", &["cafebabe:", "deadbeef:"], r"[a-z0-9]{8}"),
    kind(
        "settlemint-token",
        &["sm_aat_", "sm_pat_", "sm_sat_"],
        r"[A-Za-z0-9]{16}",
    ),
    kind(
        "defined-networking-token",
        &["dnkey-"],
        r"[\w=-]{26}-[\w=-]{52}",
    ),
];
