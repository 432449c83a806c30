//! Messaging, payment, mail and other hosted services.

use super::Rule;
use crate::judge;

pub(super) const RULES: &[Rule] = &[
    Rule::token("slack-token", "Slack token", &["xoxa-", "xoxb-", "xoxp-", "xoxo-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxe-", "xoxe."], r"(xox[abceoprsd](?:\.xox[bp])?-[0-9A-Za-z-]{10,}[0-9A-Za-z%/+=_-]*)")
        .check(judge::mixed_token),
    Rule::token("slack-token", "Slack app-level token", &["xapp-"], r"(xapp-[0-9]-[0-9A-Za-z]+-[0-9]+-[0-9A-Za-z]{20,})"),
    Rule::token(
        "slack-webhook",
        "Slack webhook path",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([0-9A-Za-z]{8,}/[0-9A-Za-z]{8,}/[0-9A-Za-z/]{16,})",
    ),
    Rule::token("stripe-key", "Stripe secret or restricted key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_"], r"([sr]k_(?:live|test)_[0-9A-Za-z]{16,})(?:[^0-9A-Za-z_]|$)")
        .check(judge::mixed_token),
    Rule::token("stripe-webhook-secret", "Webhook signing secret", &["whsec_"], r"(whsec_[0-9A-Za-z+/=]{24,})"),
    Rule::token(
        "sendgrid-key",
        "SendGrid key",
        &["sg."],
        r"\b(SG\.[0-9A-Za-z_-]{16,32}\.[0-9A-Za-z_-]{39,64})(?:[^0-9A-Za-z_-]|$)",
    ),
    Rule::token(
        "twilio-key",
        "Twilio API key",
        &["sk0", "sk1", "sk2", "sk3", "sk4", "sk5", "sk6", "sk7", "sk8", "sk9", "ska", "skb", "skc", "skd", "ske", "skf"],
        r"\b(SK[0-9a-f]{32})\b",
    ),
    Rule::token(
        "twilio-auth-token",
        "Twilio auth token",
        &["twilio"],
        r#"(?i)twilio[\w.-]{0,20}(?:token|secret|key|auth)\\?["']?\s{0,4}(?::=|=>|[:=,])\s{0,4}\\?["']?([0-9a-f]{32})\b"#,
    ),
    Rule::token("mailgun-key", "Mailgun key", &["key-"], r"\b(key-[0-9a-f]{32})\b"),
    Rule::token(
        "mailgun-key",
        "Mailgun signing key",
        &["mailgun"],
        r"(?:^|[^0-9a-f-])([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})(?:[^0-9a-f-]|$)",
    ),
    Rule::token("mailchimp-key", "Mailchimp key", &["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"], r"\b([0-9a-f]{32}-us[0-9]{1,2})\b"),
    Rule::token("brevo-key", "Brevo key", &["xkeysib-"], r"(xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16})"),
    Rule::token("resend-key", "Resend key", &["re_"], r"\b(re_[0-9A-Za-z]{8}_[0-9A-Za-z]{22,26})\b").check(judge::mixed_token),
    Rule::token("telegram-token", "Telegram bot token", &[":aa"], r"(?:^|[^0-9A-Za-z])(?:bot)?([0-9]{8,10}:AA[0-9A-Za-z_-]{33})(?:[^0-9A-Za-z_-]|$)"),
    Rule::token(
        "discord-token",
        "Discord bot token",
        &["discord", "bot", "token", "authorization"],
        r"(?:^|[^0-9A-Za-z_-])([MNO][0-9A-Za-z_-]{22,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,38})(?:[^0-9A-Za-z_.-]|$)",
    )
    .needs(b'.')
    .check(judge::mixed_token),
    Rule::token(
        "discord-webhook",
        "Discord webhook path",
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]{16,20}/([0-9A-Za-z_-]{60,})",
    ),
    Rule::token("shopify-token", "Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"(shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32})\b"),
    Rule::token("square-token", "Square token", &["sq0atp-", "sq0csp-", "sq0idp-"], r"(sq0(?:atp|csp)-[0-9A-Za-z_-]{22,})"),
    Rule::token("square-token", "Square access token", &["eaaa"], r"(?:^|[^0-9A-Za-z+/_-])(EAAA[0-9A-Za-z+_-]{60})(?:[^0-9A-Za-z+/=_-]|$)")
        .check(judge::mixed_token),
    Rule::token(
        "datadog-key",
        "Datadog API or application key",
        &["datadog", "dd_api", "dd_app", "dd-api", "dd-app", "ddog"],
        r#"(?i)(?:datadog|dd[_-]a|ddog)[\w.-]{0,30}key\\?["']?\s{0,4}(?::=|=>|[:=])\s{0,4}\\?["']?([0-9a-f]{32}|[0-9a-f]{40})\b"#,
    ),
    Rule::token("datadog-key", "Datadog application key", &["ddapp_"], r"\b(ddapp_[0-9A-Za-z]{34})\b"),
    Rule::token("new-relic-key", "New Relic key", &["nrak-", "nrjs-", "nrii-", "nraa-"], r"(NR(?:AK-[0-9A-Z]{27}|JS-[0-9a-f]{19}|II-[0-9A-Za-z_-]{32}|AA-[0-9a-f]{27}))"),
    Rule::token("new-relic-key", "New Relic license key", &["nral"], r"\b((?:[a-z]{2}[0-9]{2}xx)?[0-9a-f]{30,36}(?:FFFF)?NRAL)\b"),
    Rule::token("airtable-token", "Airtable token", &["pat"], r"\b(pat[0-9A-Za-z]{14}\.[a-f0-9]{64})\b").needs(b'.'),
    Rule::token("linear-key", "Linear key", &["lin_api_", "lin_oauth_"], r"(lin_(?:api|oauth)_[0-9A-Za-z]{32,})"),
    Rule::token("notion-token", "Notion token", &["ntn_", "secret_"], r"\b(ntn_[0-9A-Za-z]{40,50}|secret_[0-9A-Za-z]{43})\b").check(judge::mixed_token),
    Rule::token("figma-token", "Figma token", &["figd_"], r"(figd_[0-9A-Za-z_-]{36,})"),
    Rule::token("dropbox-token", "Dropbox token", &["sl."], r"\b(sl\.(?:u\.)?[0-9A-Za-z_-]{100,})"),
];
