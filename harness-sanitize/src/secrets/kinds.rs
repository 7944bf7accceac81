//! The kinds of token that can be told by their look: a prefix, an alphabet, a length.
//!
//! One line a kind. Where a prefix stands at the start of a word, its pattern decides, and what
//! follows of the word goes with it. A few formats have no prefix but a shape.

/// How a token of one kind looks.
pub(super) struct Kind {
    /// Its name, as it is shown in `[REDACTED:name]`.
    pub(super) name: &'static str,
    /// What each token starts with; one of these.
    pub(super) prefixes: &'static [&'static str],
    /// The rest of it, as a regular expression.
    pub(super) rest: &'static str,
    /// Whether words start with the prefix as well, so that the rest must look drawn at random.
    pub(super) doubtful: bool,
}

const fn kind(name: &'static str, prefixes: &'static [&'static str], rest: &'static str) -> Kind {
    Kind {
        name,
        prefixes,
        rest,
        doubtful: false,
    }
}

const fn doubtful(
    name: &'static str,
    prefixes: &'static [&'static str],
    rest: &'static str,
) -> Kind {
    Kind {
        name,
        prefixes,
        rest,
        doubtful: true,
    }
}

pub(super) static KINDS: &[Kind] = &[
    // Model providers.
    doubtful("anthropic-key", &["sk-ant-"], r"[\w-]{20,300}"),
    doubtful(
        "openai-key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        r"[\w-]{20,300}",
    ),
    kind("openrouter-key", &["sk-or-"], r"[\w-]{20,300}"),
    doubtful("sk-key", &["sk-"], r"[A-Za-z0-9]{20,300}"),
    doubtful(
        "huggingface-token",
        &["hf_", "api_org_"],
        r"[A-Za-z0-9]{30,64}",
    ),
    kind("groq-key", &["gsk_"], r"[A-Za-z0-9]{40,80}"),
    kind("xai-key", &["xai-"], r"\w{60,100}"),
    kind("perplexity-key", &["pplx-"], r"[A-Za-z0-9]{32,80}"),
    kind("replicate-token", &["r8_"], r"[A-Za-z0-9]{37,48}"),
    // Clouds.
    kind(
        "aws-access-key",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"[A-Z2-7]{16}",
    ),
    doubtful("google-api-key", &["AIza"], r"[\w-]{35}"),
    kind("google-oauth", &["ya29.", "GOCSPX-"], r"[\w-]{20,300}"),
    doubtful("alibaba-key", &["LTAI"], r"[A-Za-z0-9]{17,26}"),
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
        &["fo1_", "fm1_", "fm2_"],
        r"[\w+/=,-]{40,600}",
    ),
    kind("pulumi-token", &["pul-"], r"[a-f0-9]{40}"),
    kind(
        "planetscale-token",
        &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
        r"[\w.=-]{32,64}",
    ),
    doubtful("supabase-key", &["sbp_", "sb_secret_"], r"[\w-]{30,64}"),
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
    doubtful(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"[A-Za-z0-9]{36,255}",
    ),
    doubtful("github-token", &["github_pat_"], r"\w{40,255}"),
    doubtful(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glcbt-", "glimt-",
            "glagent-", "gloas-", "glffct-",
        ],
        r"[\w.-]{20,255}",
    ),
    doubtful(
        "atlassian-token",
        &["ATATT3", "ATCTT3", "ATBB"],
        r"[\w=-]{24,255}",
    ),
    kind("npm-token", &["npm_"], r"[A-Za-z0-9]{36}"),
    kind("pypi-token", &["pypi-AgE"], r"[\w-]{50,300}"),
    kind("rubygems-key", &["rubygems_"], r"[a-f0-9]{48}"),
    doubtful("crates-io-token", &["cio"], r"[A-Za-z0-9]{32}"),
    kind("docker-token", &["dckr_pat_", "dckr_oat_"], r"[\w-]{27,64}"),
    kind("artifactory-key", &["AKCp"], r"[A-Za-z0-9]{69}"),
    kind("postman-key", &["PMAK-"], r"[a-f0-9]{24}-[a-f0-9]{34}"),
    doubtful(
        "vercel-token",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_"],
        r"[A-Za-z0-9]{24,80}",
    ),
    // Messages, payments, work.
    doubtful(
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
    doubtful("slack-token", &["xapp-"], r"\d-[A-Z0-9]+-\d+-[A-Za-z0-9]+"),
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
    kind(
        "teams-webhook",
        &[
            "https://outlook.office.com/webhook/",
            "https://outlook.office365.com/webhook/",
        ],
        r"[\w@/-]{60,200}",
    ),
    doubtful(
        "stripe-key",
        &[
            "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "ak_live_",
        ],
        r"[A-Za-z0-9]{10,247}",
    ),
    kind(
        "stripe-webhook-secret",
        &["whsec_"],
        r"[A-Za-z0-9+/=]{24,80}",
    ),
    doubtful("square-token", &["sq0atp-", "sq0csp-"], r"[\w-]{22,60}"),
    doubtful("square-token", &["EAAA"], r"[\w-]{60}"),
    kind(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"[a-fA-F0-9]{32}",
    ),
    doubtful("sendgrid-key", &["SG."], r"[\w-]{16,32}\.[\w-]{32,64}"),
    kind(
        "sendinblue-key",
        &["xkeysib-", "xsmtpsib-"],
        r"[a-f0-9]{64}-[A-Za-z0-9]{16}",
    ),
    doubtful("mailgun-key", &["key-"], r"[a-f0-9]{32}"),
    doubtful("twilio-key", &["SK"], r"[a-f0-9]{32}"),
    doubtful("telegram-token", &["bot"], r"\d{8,10}:AA[\w-]{32,33}"),
    doubtful("notion-token", &["ntn_", "secret_"], r"[A-Za-z0-9]{40,50}"),
    kind(
        "linear-key",
        &["lin_api_", "lin_oauth_"],
        r"[A-Za-z0-9]{32,64}",
    ),
    kind("figma-token", &["figd_", "figo_"], r"[\w-]{35,60}"),
    doubtful("airtable-token", &["pat"], r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    doubtful(
        "asana-token",
        &["2/", "1/"],
        r"\d{10,20}(?:/\d{10,20})?:[a-f0-9]{32}",
    ),
    doubtful("dropbox-token", &["sl."], r"(?:u\.)?[\w-]{100,1500}"),
    doubtful("typeform-token", &["tfp_"], r"[\w.=-]{40,80}"),
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
        r"(?:(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|[A-Za-z0-9]{60,64})",
    ),
    doubtful("azure-signature", &["sig="], r"[\w%+/-]{40,120}"),
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
    doubtful(
        "jwt",
        &["eyJ"],
        r"[\w-]{10,4096}\.eyJ[\w-]{5,8192}(?:\.[\w-]{10,1024})?",
    ),
    kind("age-key", &["AGE-SECRET-KEY-1"], r"[A-Z0-9]{58}"),
    // Further services.
    doubtful(
        "discord-token",
        &["M", "N", "O"],
        r"[\w-]{22,28}\.[\w-]{6}\.[\w-]{27,38}",
    ),
    doubtful("okta-token", &["00"], r"[\w-]{40}"),
    doubtful(
        "salesforce-token",
        &["00"],
        r"[A-Za-z0-9]{13}![\w.-]{80,120}",
    ),
    doubtful("beamer-token", &["b_"], r"[a-z0-9=_-]{44}"),
    kind("teamwork-token", &["tkn.v1_"], r"[\w=]{60,100}"),
    kind("trello-token", &["ATTA"], r"[a-f0-9]{64,76}"),
    doubtful(
        "jwt",
        &["ey"],
        r"[\w-]{17,4096}\.ey[\w/-]{17,8192}\.[\w/-]{10,1024}={0,2}",
    ),
    kind("aws-access-key", &["A3T"], r"[A-Z0-9][A-Z2-7]{16}"),
    kind(
        "intra42-secret",
        &["s-s4t2ud-", "s-s4t2af-"],
        r"[a-f0-9]{64}",
    ),
    kind("nvidia-key", &["nvapi-"], r"[\w-]{60,80}"),
    kind("tavily-key", &["tvly-"], r"[\w-]{32,64}"),
    kind("jina-key", &["jina_"], r"[\w-]{50,80}"),
    kind("fal-key", &["fal_"], r"[\w:-]{32,100}"),
    kind(
        "langsmith-key",
        &["lsv2_pt_", "lsv2_sk_"],
        r"[a-f0-9]{32}_[a-f0-9]{10}",
    ),
    kind("langfuse-key", &["sk-lf-"], r"[a-f0-9-]{36}"),
    kind("pinecone-key", &["pcsk_"], r"[\w-]{60,80}"),
    kind("posthog-key", &["phx_", "phs_", "phc_"], r"[\w-]{40,50}"),
    kind("prefect-key", &["pnu_", "pnb_"], r"[A-Za-z0-9]{36}"),
    kind("alchemy-key", &["alcht_"], r"[A-Za-z0-9]{30}"),
    kind("apify-token", &["apify_api_"], r"[\w-]{36}"),
    kind("buildkite-token", &["bkua_"], r"[a-z0-9_]{40,48}"),
    kind("bannerbear-key", &["bb_ma_", "bb_pr_"], r"[a-f0-9]{30}"),
    kind(
        "shippo-token",
        &["shippo_live_", "shippo_test_"],
        r"[A-Fa-f0-9]{40}",
    ),
    kind("spectral-key", &["spu-"], r"[a-z0-9]{32}"),
    kind("octopus-key", &["API-"], r"[A-Z0-9]{25,29}"),
    kind("bitbucket-token", &["BBDC-"], r"[\w+/=-]{40,50}"),
    kind("readme-key", &["rdme_"], r"[a-z0-9]{70}"),
    kind("rootly-token", &["rootly_"], r"[a-f0-9]{64}"),
    kind("odoo-token", &["odt_"], r"[A-Za-z0-9]{30,40}"),
    kind("ionic-token", &["ion_"], r"[A-Za-z0-9]{42}"),
    kind("pganalyze-key", &["pgar_"], r"[A-Za-z0-9]{27}"),
    kind("scrapfly-key", &["scp-live-", "scp-test-"], r"[a-f0-9]{32}"),
    kind("clickup-token", &["pk_"], r"\d{5,12}_[A-Z0-9]{32}"),
    kind("gocardless-token", &["live_", "sandbox_"], r"[\w=-]{40}"),
    kind(
        "photoroom-key",
        &["sk_pr_", "sandbox_sk_pr_"],
        r"[\w]{1,64}_[a-f0-9]{40}",
    ),
    kind("easypost-key", &["EZAK", "EZTK"], r"[A-Za-z0-9]{50,60}"),
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
    kind("frameio-token", &["fio-u-"], r"[\w=-]{64}"),
    kind("ubidots-token", &["BBFF-"], r"[A-Za-z0-9]{28,40}"),
    kind(
        "cloudflare-token",
        &["cfut_", "cfat_", "cfk_", "v1.0-"],
        r"[\w-]{40,200}",
    ),
    kind("appsync-key", &["da2-"], r"[a-z0-9]{26}"),
    kind("nuget-key", &["oy2"], r"[a-z0-9]{43}"),
    kind("sourcegraph-token", &["slk_", "sgd_"], r"[a-f0-9]{64}"),
    kind(
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
    kind("square-id", &["sq0idp-"], r"[\w-]{22}"),
    kind(
        "facebook-token",
        &["EAAM", "EAAC", "EAAB", "EAAG"],
        r"[A-Za-z0-9]{60,300}",
    ),
    kind("gitlab-runner-token", &["GR1348941"], r"[\w-]{20}"),
    kind("tailscale-key", &["tskey-"], r"[a-z]+-[\w-]{12,80}"),
    kind("sidekiq-key", &["cafebabe:", "deadbeef:"], r"[a-z0-9]{8}"),
    kind("sumologic-id", &["su"], r"[A-Za-z0-9]{12}:[A-Za-z0-9]{64}"),
    kind("snyk-token", &["snyk_"], r"[\w.-]{40,120}"),
    kind(
        "harness-platform-token",
        &["pat.", "sat."],
        r"[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}",
    ),
    kind("infracost-key", &["ico-"], r"[A-Za-z0-9]{32}"),
    kind("scalingo-token", &["tk-us-"], r"[\w-]{48}"),
    kind(
        "settlemint-token",
        &["sm_aat_", "sm_pat_", "sm_sat_"],
        r"[A-Za-z0-9]{16}",
    ),
    kind(
        "lob-key",
        &["live_pub_", "test_pub_", "test_"],
        r"[a-f0-9]{31,35}",
    ),
    kind("openshift-token", &["sha256~"], r"[\w-]{43}"),
    kind("clojars-token", &["CLOJARS_"], r"[a-z0-9]{60}"),
    kind(
        "defined-networking-token",
        &["dnkey-"],
        r"[\w=-]{26}-[\w=-]{52}",
    ),
    kind("endor-token", &["endr+"], r"[\w-]{16}"),
    kind("vault-token", &["s.CAESI"], r"[\w-]{60,150}"),
    kind(
        "microsoft-graph-secret",
        &["EwB", "EwC"],
        r"[A-Za-z0-9+/=]{200,2000}",
    ),
];

/// A format without a prefix.
pub(super) struct Shape {
    /// Its name.
    pub(super) name: &'static str,
    /// What each holds, one of these.
    pub(super) literals: &'static [&'static str],
    /// How it looks, with what is before and behind it; the first group is the secret.
    pub(super) pattern: &'static str,
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

pub(super) static SHAPES: &[Shape] = &[
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
        r"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}[0-9]?[Q7]~[A-Za-z0-9_~.-]{31,37})(?:$|[^A-Za-z0-9_~.-])",
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
        r"(?:^|[^A-Za-z0-9_])([a-f0-9]{36,40}NRAL)(?:$|[^A-Za-z0-9_])",
    ),
    shape(
        "facebook-app-token",
        &["|"],
        r"(?:^|[^A-Za-z0-9_])([0-9]{15,16}\|[A-Za-z0-9_-]{27,40})",
    ),
];
