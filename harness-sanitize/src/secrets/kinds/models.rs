//! Model providers and clouds.

use super::{Kind, common, kind, quoted};

pub(super) static KINDS: &[Kind] = &[
    // Model providers.
    quoted(
        "anthropic-key",
        &["sk-ant-"],
        r"(?:(?:api|admin)[0-9]{2}-[\w-]{93}AA|(?:oat|ort|sid)[0-9]{2}-[\w-]{80,120})",
    ),
    quoted(
        "openai-key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        r"[\w-]{20,74}T3BlbkFJ[\w-]{20,74}",
    ),
    kind("openrouter-key", &["sk-or-"], r"v1-[a-f0-9]{64}"),
    kind(
        "langfuse-key",
        &["sk-lf-"],
        r"[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}",
    ),
    common(
        "openai-key",
        &["sk-"],
        r"[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}",
    ),
    common("sk-key", &["sk-"], r"(?:[A-Za-z0-9]{48}|[a-z0-9]{32})"),
    quoted(
        "huggingface-token",
        &["hf_", "api_org_"],
        r"[A-Za-z0-9]{34}",
    ),
    kind("groq-key", &["gsk_"], r"[A-Za-z0-9]{52}"),
    kind("xai-key", &["xai-"], r"\w{80}"),
    kind("perplexity-key", &["pplx-"], r"[A-Za-z0-9]{48}"),
    kind("replicate-token", &["r8_"], r"[\w-]{37,48}"),
    kind("nvidia-key", &["nvapi-"], r"[\w-]{64}"),
    kind("cerebras-key", &["csk-"], r"[a-z0-9]{48}"),
    kind("together-key", &["tgp_v1_"], r"[\w-]{43}"),
    kind(
        "tavily-key",
        &["tvly-"],
        r"(?:(?:dev|prod)-)?[A-Za-z0-9]{32}",
    ),
    kind("jina-key", &["jina_"], r"[A-Za-z0-9]{60}"),
    kind("fal-key", &["fal_"], r"[\w:-]{32,100}"),
    kind(
        "langsmith-key",
        &["lsv2_pt_", "lsv2_sk_"],
        r"[a-f0-9]{32}_[a-f0-9]{10}",
    ),
    kind("pinecone-key", &["pcsk_"], r"[\w-]{60,80}"),
    kind("e2b-key", &["e2b_"], r"[a-f0-9]{40}"),
    kind("firecrawl-key", &["fc-"], r"[a-f0-9]{32}"),
    // Clouds.
    common(
        "truenas-key",
        &["1-", "2-", "3-", "4-", "5-", "6-", "7-", "8-", "9-"],
        r"[A-Za-z0-9]{64}",
    ),
    kind(
        "aws-access-key",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"[A-Z2-7]{16}",
    ),
    kind("aws-access-key", &["A3T"], r"[A-Z0-9][A-Z2-7]{16}"),
    quoted("google-api-key", &["AIza"], r"[\w-]{35}"),
    kind("google-oauth", &["ya29."], r"[\w-]{20,300}"),
    kind("google-oauth", &["GOCSPX-"], r"[\w-]{28}"),
    quoted(
        "alibaba-key",
        &["LTAI"],
        r"(?:[A-Za-z0-9]{16,21}|[A-Za-z0-9]{12})",
    ),
    kind(
        "digitalocean-token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"[a-f0-9]{64}",
    ),
    kind("databricks-token", &["dapi"], r"[a-fA-F0-9]{32}(?:-\d)?"),
    kind("vault-token", &["hvs.", "hvb.", "hvr."], r"[\w-]{90,300}"),
    kind("vault-token", &["s.CAESI"], r"[\w-]{60,150}"),
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
    quoted("supabase-key", &["sbp_"], r"[a-z0-9]{40}"),
    quoted("supabase-key", &["sb_secret_"], r"[\w-]{30,64}"),
    kind("tailscale-key", &["tskey-"], r"[a-z]+-[\w-]{12,80}"),
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
    kind("appsync-key", &["da2-"], r"[a-z0-9]{26}"),
    kind(
        "cloudflare-token",
        &["cfut_", "cfat_", "cfk_"],
        r"[A-Za-z0-9]{40}[a-f0-9]{8}",
    ),
    kind("cloudflare-token", &["v1.0-"], r"[a-f0-9-]{100,400}"),
    kind("openshift-token", &["sha256~"], r"[\w-]{43}"),
    kind("scalingo-token", &["tk-us-"], r"[\w-]{48}"),
    kind("infracost-key", &["ico-"], r"[A-Za-z0-9]{32}"),
    kind("endor-token", &["endr+"], r"[\w-]{16}"),
    common(
        "microsoft-graph-secret",
        &["EwB", "EwC"],
        r"[A-Za-z0-9+/=]{200,2000}",
    ),
    common("azure-signature", &["sig="], r"[\w%+/-]{40,120}"),
];
