//! Messages, mail, payments, work and shops.

use super::{Kind, common, kind, quoted};

pub(super) static KINDS: &[Kind] = &[
    quoted(
        "slack-token",
        &["xoxe.xoxp-", "xoxe.xoxb-"],
        r"\d-[A-Za-z0-9]{100,200}",
    ),
    quoted("slack-token", &["xoxe-"], r"\d-[A-Za-z0-9]{100,200}"),
    quoted(
        "slack-token",
        &["xoxb-"],
        r"(?:\d{5,14}-){1,2}[A-Za-z0-9]{10,64}",
    ),
    quoted(
        "slack-token",
        &["xoxp-"],
        r"(?:\d{5,14}-){3}[A-Za-z0-9]{10,64}",
    ),
    quoted(
        "slack-token",
        &["xoxo-", "xoxs-"],
        r"(?:\d{5,14}-){2,3}[A-Za-z0-9]{10,64}",
    ),
    quoted(
        "slack-token",
        &["xoxa-", "xoxr-"],
        r"(?:\d{1,14}-){1,3}[A-Za-z0-9-]{8,64}",
    ),
    quoted("slack-token", &["xoxc-", "xoxd-"], r"[\w%-]{10,300}"),
    common("slack-token", &["xapp-"], r"\d-[A-Z0-9]+-\d+-[A-Za-z0-9]+"),
    kind(
        "slack-webhook",
        &["https://hooks.slack.com/", "http://hooks.slack.com/"],
        r"(?:services|workflows|triggers)/[\w/+]{20,120}",
    ),
    kind(
        "discord-webhook",
        &[
            "https://discord.com/api/webhooks/",
            "https://discordapp.com/api/webhooks/",
        ],
        r"\d{17,20}/[\w-]{60,80}",
    ),
    common(
        "discord-token",
        &["M", "N", "O"],
        r"[\w-]{22,28}\.[\w-]{6}\.[\w-]{27,38}",
    ),
    kind(
        "teams-webhook",
        &[
            "https://outlook.office.com/webhook/",
            "https://outlook.office365.com/webhook/",
        ],
        r"[a-f0-9-]{36}@[a-f0-9-]{36}/IncomingWebhook/[a-f0-9]{32}/[a-f0-9-]{36}",
    ),
    common("telegram-token", &["bot"], r"\d{8,10}:AA[\w-]{32,33}"),
    common("twilio-key", &["SK"], r"[a-f0-9]{32}"),
    quoted("sendgrid-key", &["SG."], r"[\w-]{16,32}\.[\w-]{32,64}"),
    kind(
        "sendinblue-key",
        &["xkeysib-", "xsmtpsib-"],
        r"[a-f0-9]{64}-[A-Za-z0-9]{16}",
    ),
    common("mailgun-key", &["key-"], r"[a-f0-9]{32}"),
    kind(
        "stripe-key",
        &["sk_live_", "rk_live_", "ak_live_"],
        r"(?:[A-Za-z0-9-]{93}|[A-Za-z0-9]{24,247})",
    ),
    kind(
        "stripe-key",
        &["sk_test_", "sk_prod_", "rk_test_", "rk_prod_"],
        r"[A-Za-z0-9]{24,247}",
    ),
    // Old ones are shorter, and so are words.
    common(
        "stripe-key",
        &[
            "sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_",
        ],
        r"[A-Za-z0-9]{10,23}",
    ),
    kind(
        "stripe-webhook-secret",
        &["whsec_"],
        r"[A-Za-z0-9+/=]{24,80}",
    ),
    quoted("square-token", &["sq0atp-"], r"[\w-]{22}"),
    quoted("square-token", &["sq0csp-"], r"[\w-]{43}"),
    kind("square-id", &["sq0idp-"], r"[\w-]{22}"),
    common("square-token", &["EAAA"], r"[\w-]{60}"),
    common(
        "facebook-token",
        &["EAAM", "EAAC", "EAAB", "EAAG"],
        r"[A-Za-z0-9]{60,300}",
    ),
    kind(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"[a-fA-F0-9]{32}",
    ),
    kind(
        "shippo-token",
        &["shippo_live_", "shippo_test_"],
        r"[a-fA-F0-9]{40}",
    ),
    kind("easypost-key", &["EZAK", "EZTK"], r"[A-Za-z0-9]{54}"),
    kind(
        "flutterwave-key",
        &["FLWSECK_TEST-", "FLWSECK-", "FLWPUBK_TEST-"],
        r"[a-z0-9]{12,40}(?:-X)?",
    ),
    kind(
        "duffel-token",
        &["duffel_test_", "duffel_live_"],
        r"[\w=-]{43}",
    ),
    common("gocardless-token", &["live_", "sandbox_"], r"[\w=-]{40}"),
    common("lob-key", &["live_pub_", "test_pub_"], r"[a-f0-9]{31}"),
    common("lob-key", &["live_", "test_"], r"[a-f0-9]{35}"),
    common("notion-token", &["ntn_", "secret_"], r"[A-Za-z0-9]{40,50}"),
    kind(
        "linear-key",
        &["lin_api_", "lin_oauth_"],
        r"[A-Za-z0-9]{32,64}",
    ),
    kind("figma-token", &["figd_", "figo_"], r"[\w-]{35,60}"),
    common("airtable-token", &["pat"], r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    common(
        "asana-token",
        &["2/", "1/"],
        r"\d{10,20}(?:/\d{10,20})?:[a-f0-9]{32}",
    ),
    common("dropbox-token", &["sl."], r"(?:u\.)?[\w-]{100,1500}"),
    quoted("typeform-token", &["tfp_"], r"[\w.=-]{40,80}"),
    kind("contentful-token", &["CFPAT-"], r"[\w-]{40,80}"),
    kind("mapbox-token", &["sk.eyJ"], r"[\w-]{20,200}\.[\w-]{20,60}"),
    common("clickup-token", &["pk_"], r"\d{5,12}_[A-Z0-9]{32}"),
    common("okta-token", &["00"], r"[\w-]{39}\w"),
    kind("salesforce-token", &["5Aep861"], r"[\w.=]{80,120}"),
    common(
        "salesforce-token",
        &["00"],
        r"[A-Za-z0-9]{13}![\w.-]{80,120}",
    ),
];
