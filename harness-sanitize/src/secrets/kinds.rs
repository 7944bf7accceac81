//! The kinds of token that can be told by their look: a prefix, an alphabet, a length.
//!
//! One line a kind. The prefixes are looked for all at once; where one stands at the start of a
//! word, its pattern decides, and what follows in the alphabet of tokens goes with it.

/// How a token of one kind looks.
pub(super) struct Kind {
    /// Its name, as it is shown in `[REDACTED:name]`.
    pub(super) name: &'static str,
    /// What each token starts with; one of these.
    pub(super) prefixes: &'static [&'static str],
    /// The rest of it, as a regular expression.
    pub(super) rest: &'static str,
}

const fn kind(name: &'static str, prefixes: &'static [&'static str], rest: &'static str) -> Kind {
    Kind {
        name,
        prefixes,
        rest,
    }
}

pub(super) static KINDS: &[Kind] = &[
    // Model providers.
    kind("anthropic-key", &["sk-ant-"], r"[\w-]{20,300}"),
    kind(
        "openai-key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        r"[\w-]{20,300}",
    ),
    kind("openrouter-key", &["sk-or-"], r"[\w-]{20,300}"),
    kind("sk-key", &["sk-"], r"[A-Za-z0-9]{20,300}"),
    kind(
        "huggingface-token",
        &["hf_", "api_org_"],
        r"[A-Za-z0-9]{30,64}",
    ),
    kind("groq-key", &["gsk_"], r"[A-Za-z0-9]{40,80}"),
    kind("xai-key", &["xai-"], r"[A-Za-z0-9]{60,100}"),
    kind("perplexity-key", &["pplx-"], r"[A-Za-z0-9]{32,80}"),
    kind("replicate-token", &["r8_"], r"[A-Za-z0-9]{37,40}"),
    // Clouds.
    kind(
        "aws-access-key",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"[A-Z2-7]{16}",
    ),
    kind("google-api-key", &["AIza"], r"[\w-]{35}"),
    kind("google-oauth", &["ya29.", "GOCSPX-"], r"[\w-]{20,300}"),
    kind("alibaba-key", &["LTAI"], r"[A-Za-z0-9]{17,26}"),
    kind(
        "digitalocean-token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"[a-f0-9]{64}",
    ),
    kind("databricks-token", &["dapi"], r"[a-f0-9]{32}(?:-\d)?"),
    kind("vault-token", &["hvs.", "hvb.", "hvr."], r"[\w-]{24,300}"),
    kind("heroku-key", &["HRKU-"], r"[\w-]{30,80}"),
    kind(
        "flyio-token",
        &["fo1_", "FlyV1 fm1_", "FlyV1 fm2_"],
        r"[\w+/=,-]{40,600}",
    ),
    kind("pulumi-token", &["pul-"], r"[a-f0-9]{40}"),
    kind(
        "planetscale-token",
        &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
        r"[\w.=-]{32,64}",
    ),
    kind("supabase-key", &["sbp_", "sb_secret_"], r"[\w-]{30,64}"),
    kind("tailscale-key", &["tskey-"], r"[a-z]+-[\w-]{16,80}"),
    kind(
        "doppler-token",
        &[
            "dp.pt.",
            "dp.st.",
            "dp.ct.",
            "dp.sa.",
            "dp.scim.",
            "dp.audit.",
        ],
        r"[\w.-]{40,80}",
    ),
    // Code and packages.
    kind(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"[A-Za-z0-9]{36,255}",
    ),
    kind("github-token", &["github_pat_"], r"\w{40,255}"),
    kind(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glcbt-", "glimt-",
            "glagent-", "gloas-", "glffct-",
        ],
        r"[\w.-]{20,255}",
    ),
    kind(
        "atlassian-token",
        &["ATATT3", "ATCTT3", "ATBB"],
        r"[\w=-]{24,255}",
    ),
    kind("npm-token", &["npm_"], r"[A-Za-z0-9]{36}"),
    kind("pypi-token", &["pypi-AgE"], r"[\w-]{50,300}"),
    kind("rubygems-key", &["rubygems_"], r"[a-f0-9]{48}"),
    kind("crates-io-token", &["cio"], r"[A-Za-z0-9]{32}"),
    kind("docker-token", &["dckr_pat_", "dckr_oat_"], r"[\w-]{27,64}"),
    kind("artifactory-key", &["AKCp"], r"[A-Za-z0-9]{69}"),
    kind("postman-key", &["PMAK-"], r"[a-f0-9]{24}-[a-f0-9]{34}"),
    kind(
        "vercel-token",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_"],
        r"[A-Za-z0-9]{24,80}",
    ),
    // Messages, payments, work.
    kind(
        "slack-token",
        &[
            "xoxb-",
            "xoxp-",
            "xoxa-",
            "xoxo-",
            "xoxr-",
            "xoxs-",
            "xoxe-",
            "xoxc-",
            "xoxd-",
            "xoxe.xoxp-",
            "xoxe.xoxb-",
        ],
        r"[\w%-]{10,300}",
    ),
    kind("slack-token", &["xapp-"], r"\d-[A-Z0-9]+-\d+-[A-Za-z0-9]+"),
    kind(
        "slack-webhook",
        &["https://hooks.slack.com/"],
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
    kind(
        "teams-webhook",
        &[
            "https://outlook.office.com/webhook/",
            "https://outlook.office365.com/webhook/",
        ],
        r"[\w@/-]{60,200}",
    ),
    kind(
        "stripe-key",
        &[
            "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_",
        ],
        r"[A-Za-z0-9]{10,247}",
    ),
    kind(
        "stripe-webhook-secret",
        &["whsec_"],
        r"[A-Za-z0-9+/=]{24,80}",
    ),
    kind("square-token", &["sq0atp-", "sq0csp-"], r"[\w-]{22,60}"),
    kind("square-token", &["EAAA"], r"[\w-]{60}"),
    kind(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"[a-fA-F0-9]{32}",
    ),
    kind("sendgrid-key", &["SG."], r"[\w-]{16,32}\.[\w-]{32,64}"),
    kind(
        "sendinblue-key",
        &["xkeysib-", "xsmtpsib-"],
        r"[a-f0-9]{64}-[A-Za-z0-9]{16}",
    ),
    kind("mailgun-key", &["key-"], r"[a-f0-9]{32}"),
    kind("twilio-key", &["SK"], r"[a-f0-9]{32}"),
    kind("telegram-token", &["bot"], r"\d{8,10}:AA[\w-]{32,33}"),
    kind("notion-token", &["ntn_", "secret_"], r"[A-Za-z0-9]{40,50}"),
    kind(
        "linear-key",
        &["lin_api_", "lin_oauth_"],
        r"[A-Za-z0-9]{32,64}",
    ),
    kind("figma-token", &["figd_", "figo_"], r"[\w-]{35,60}"),
    kind("airtable-token", &["pat"], r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    kind(
        "asana-token",
        &["2/", "1/"],
        r"\d{10,20}/\d{10,20}:[a-f0-9]{32}",
    ),
    kind("dropbox-token", &["sl."], r"(?:u\.)?[\w-]{100,1500}"),
    kind("typeform-token", &["tfp_"], r"[\w.=-]{40,80}"),
    kind("contentful-token", &["CFPAT-"], r"[\w-]{40,80}"),
    kind("mapbox-token", &["sk.eyJ"], r"[\w-]{20,200}\.[\w-]{20,60}"),
    kind("1password-token", &["ops_eyJ"], r"[\w-]{60,1500}"),
    kind(
        "sonarqube-token",
        &["sqp_", "sqa_", "squ_"],
        r"[a-f0-9]{40}",
    ),
    kind(
        "sourcegraph-token",
        &["sgp_"],
        r"(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}",
    ),
    kind("azure-signature", &["sig="], r"[\w%+/-]{40,120}"),
    // Watching.
    kind(
        "sentry-token",
        &["sntrys_eyJ", "sntryu_"],
        r"[\w+/=-]{40,400}",
    ),
    kind("grafana-token", &["glsa_", "glc_eyJ"], r"[\w+/=-]{32,400}"),
    kind("grafana-token", &["eyJrIjoi"], r"[\w+/=-]{40,400}"),
    kind(
        "newrelic-key",
        &["NRAK-", "NRJS-", "NRII-", "NRAA-"],
        r"[\w-]{19,40}",
    ),
    kind(
        "dynatrace-token",
        &["dt0c01.", "dt0s01.", "dt0s16."],
        r"[A-Z0-9]{8,24}\.[A-Z0-9]{64}",
    ),
    // Formats.
    kind(
        "jwt",
        &["eyJ"],
        r"[\w-]{10,4096}\.eyJ[\w-]{5,8192}(?:\.[\w-]{10,1024})?",
    ),
    kind("age-key", &["AGE-SECRET-KEY-1"], r"[A-Z0-9]{58}"),
];
