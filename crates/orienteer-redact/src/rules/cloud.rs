//! Clouds and hosting.

use super::Rule;
use crate::judge;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "aws-access-key-id",
        "AWS access key id",
        &["akia", "asia", "abia", "acca"],
        r"(?:^|[^A-Za-z0-9_])((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?:[^A-Za-z0-9_]|$)",
    ),
    Rule::token(
        "aws-secret-key",
        "AWS secret access key",
        &["aws", "secret"],
        r#"(?i)(?:secret_?-?access_?-?key|aws_?-?(?:secret)?_?-?(?:access)?_?-?key|aws_?-?secret(?:_?-?key)?)\\?["']?[\])]?\s{0,8}(?::=|=>|[:=,(\s])\s{0,8}\\?["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    )
    .entropy(3.8)
    .check(judge::both_cases),
    Rule::token(
        "aws-secret-key",
        "AWS secret access key beside its id",
        &["akia", "asia"],
        r#"(?:AKIA|ASIA)[A-Z0-9]{16}\\?["']?\s{0,4}[,;:|]?\s{0,4}\\?["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    )
    .entropy(3.8)
    .check(judge::both_cases),
    Rule::token(
        "aws-session-token",
        "AWS session token",
        &["session_token", "sessiontoken", "security-token", "security_token"],
        r#"(?i)(?:session|security)[_-]?token\\?["']?\s{0,8}(?::=|=>|[:=])\s{0,8}\\?["']?([A-Za-z0-9/+=%]{100,})"#,
    ),
    Rule::token(
        "azure-storage-key",
        "Azure storage or Cosmos account key",
        &["accountkey", "account_key", "storage_key", "azure"],
        r#"(?i)(?:account_?key|storage_?key|access_?key|key)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?([A-Za-z0-9+/]{86}==)"#,
    ),
    Rule::token(
        "azure-shared-key",
        "Azure shared access key of a bus, hub or queue",
        &["sharedaccesskey"],
        r#"(?i)sharedaccesskey=([A-Za-z0-9+/]{42,44}=)"#,
    ),
    Rule::token(
        "azure-sas-signature",
        "Signature of an Azure shared access URL",
        &["sig="],
        r"[?&;]sig=([A-Za-z0-9%+/_-]{40,70}(?:%3[Dd]|=)?)(?:[^A-Za-z0-9%]|$)",
    )
    .entropy(3.8),
    Rule::token(
        "azure-client-secret",
        "Microsoft Entra client secret",
        &["q~"],
        r"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)",
    ),
    Rule::token("google-api-key", "Google API key", &["aiza"], r"(AIza[0-9A-Za-z_-]{35})(?:[^0-9A-Za-z_-]|$)"),
    Rule::token("google-oauth-secret", "Google OAuth client secret", &["gocspx-"], r"(GOCSPX-[0-9A-Za-z_-]{24,})"),
    Rule::token("google-oauth-token", "Google OAuth access token", &["ya29."], r"\b(ya29\.[0-9A-Za-z_-]{20,})"),
    Rule::token(
        "google-refresh-token",
        "Google OAuth refresh token",
        &["1//0"],
        r"(?:^|[^0-9A-Za-z_/])(1//0[0-9A-Za-z_-]{40,})",
    ),
    Rule::token("digitalocean-token", "DigitalOcean token", &["_v1_"], r"(do[opr]_v1_[a-f0-9]{64})\b"),
    Rule::token("heroku-api-key", "Heroku API key", &["hrku-"], r"(HRKU-[0-9A-Za-z_-]{30,})"),
    Rule::token(
        "heroku-api-key",
        "Heroku API key of the older form",
        &["heroku"],
        r#"(?i)heroku[\w.-]{0,30}\\?["']?\s{0,4}(?::=|=>|[:=])\s{0,4}\\?["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b"#,
    ),
    Rule::token(
        "alibaba-access-key",
        "Alibaba Cloud access key id",
        &["ltai"],
        r"(?:^|[^A-Za-z0-9_])(LTAI[A-Za-z0-9]{17,21})(?:[^A-Za-z0-9_]|$)",
    )
    .check(judge::mixed_token),
    Rule::token("vault-token", "HashiCorp Vault token", &["hvs.", "hvb.", "hvr."], r"\b(hv[sbr]\.[0-9A-Za-z_-]{24,})"),
    Rule::token(
        "terraform-token",
        "Terraform Cloud token",
        &[".atlasv1."],
        r"\b([0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,})",
    ),
    Rule::token("databricks-token", "Databricks token", &["dapi"], r"\b(dapi[a-f0-9]{32}(?:-[0-9])?)\b"),
    Rule::token("doppler-token", "Doppler token", &["dp."], r"\b(dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[0-9A-Za-z]{40,44})\b"),
    Rule::token("pulumi-token", "Pulumi token", &["pul-"], r"\b(pul-[a-f0-9]{40})\b"),
    Rule::token("planetscale-token", "PlanetScale token or password", &["pscale_"], r"\b(pscale_(?:tkn|pw|oauth)_[0-9A-Za-z_.=-]{32,})"),
    Rule::token("supabase-token", "Supabase token", &["sbp_", "sb_secret_"], r"\b(sbp_[a-f0-9]{40}|sb_secret_[0-9A-Za-z_-]{20,})"),
    Rule::token("fly-token", "Fly.io token", &["fo1_", "fm1", "fm2_"], r"\b(fo1_[0-9A-Za-z_-]{43}|fm[12][ar]?_[0-9A-Za-z+/=]{100,})"),
    Rule::token("netlify-token", "Netlify token", &["nfp_"], r"\b(nfp_[0-9A-Za-z]{36})\b"),
];
