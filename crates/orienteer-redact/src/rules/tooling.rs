//! Model providers, developer tools, signed tokens and key files.

use super::Rule;
use crate::judge;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "anthropic-key",
        "Anthropic key",
        &["sk-ant-"],
        r"(sk-ant-[0-9A-Za-z]{2,12}-[0-9A-Za-z_-]{32,})",
    ),
    Rule::token(
        "openai-key",
        "OpenAI key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-service-"],
        r"(sk-(?:proj|svcacct|admin|service)-[0-9A-Za-z_-]{32,})",
    ),
    Rule::token("openrouter-key", "OpenRouter key", &["sk-or-v1-"], r"(sk-or-v1-[0-9a-f]{64})\b"),
    Rule::token(
        "openai-key",
        "OpenAI key of the older form",
        &["sk-"],
        r"(?:^|[^0-9A-Za-z_-])(sk-[0-9A-Za-z]{32,64})(?:[^0-9A-Za-z_-]|$)",
    )
    .check(judge::mixed_token),
    Rule::token(
        "huggingface-token",
        "Hugging Face token",
        &["hf_", "api_org_"],
        r"\b(hf_[0-9A-Za-z]{34,40}|api_org_[0-9A-Za-z]{34})\b",
    ),
    Rule::token("groq-key", "Groq key", &["gsk_"], r"\b(gsk_[0-9A-Za-z]{48,56})\b"),
    Rule::token("xai-key", "xAI key", &["xai-"], r"\b(xai-[0-9A-Za-z]{70,90})\b"),
    Rule::token("replicate-token", "Replicate token", &["r8_"], r"\b(r8_[0-9A-Za-z]{37})\b"),
    Rule::token("perplexity-key", "Perplexity key", &["pplx-"], r"\b(pplx-[0-9A-Za-z]{48,56})\b"),
    Rule::token(
        "grafana-token",
        "Grafana token",
        &["glsa_", "glc_"],
        r"\b(glsa_[0-9A-Za-z]{32}_[0-9a-f]{8}|glc_[0-9A-Za-z+/=]{40,})",
    ),
    Rule::token(
        "sentry-token",
        "Sentry token",
        &["sntrys_", "sntryu_"],
        r"\b(sntry[su]_[0-9A-Za-z+/=_-]{40,})",
    ),
    Rule::token("postman-key", "Postman key", &["pmak-"], r"(PMAK-[0-9a-f]{24}-[0-9a-f]{34})\b"),
    Rule::token(
        "tailscale-key",
        "Tailscale key",
        &["tskey-"],
        r"(tskey-[a-z]+-[0-9A-Za-z]{8,}(?:-[0-9A-Za-z]{10,})?)",
    )
    .check(judge::mixed_token),
    Rule::token(
        "onepassword-token",
        "1Password service account token",
        &["ops_eyj"],
        r"\b(ops_eyJ[0-9A-Za-z+/=_-]{100,})",
    ),
    Rule::token("age-secret-key", "age secret key", &["age-secret-key-"], r"(AGE-SECRET-KEY-1[0-9A-Z]{50,})"),
    Rule::token(
        "jwt",
        "JSON web token",
        &["eyj"],
        r"(?:^|[^0-9A-Za-z_])(eyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{16,})",
    )
    .needs(b'.'),
];
