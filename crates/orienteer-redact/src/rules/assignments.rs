//! Values given to names such as `password`, `client_secret` or `apiKey`.

use super::Rule;
use crate::judge;

/// The ends of names that speak of a secret.  `pass` alone has to begin a word: not `bypass`.
macro_rules! names {
    () => {
        r"(?:(?:passw(?:or)?d|passwd|passphrase|pwd|secret|token|(?:api|app|access|secret|auth|private|encryption|encrypt|signing|sign|master|license|account|shared|jwt|session|service|client|storage|webhook|crypt|cipher|hmac|admin|rapidapi|subscription|deploy|licence)[_.-]?key|(?:^|[^a-z])pass|(?-i:[a-z]Pass)|authorization)(?:[_-]?(?:value|prod|production|live|staging|base|base64|b64|[0-9]{1,2}))?|secret_key_base)"
    };
}

const WORDS: &[&str] = &[
    "pass",
    "pwd",
    "secret",
    "token",
    "authorization",
    "apikey",
    "api_key",
    "api-key",
    "api.key",
    "appkey",
    "app_key",
    "app-key",
    "accesskey",
    "access_key",
    "access-key",
    "access.key",
    "authkey",
    "auth_key",
    "auth-key",
    "privatekey",
    "private_key",
    "private-key",
    "encryptionkey",
    "encryption_key",
    "encryption-key",
    "encryption.key",
    "encrypt_key",
    "encryptkey",
    "signingkey",
    "signing_key",
    "signing-key",
    "sign_key",
    "signkey",
    "masterkey",
    "master_key",
    "master-key",
    "licensekey",
    "license_key",
    "license-key",
    "license.key",
    "accountkey",
    "account_key",
    "sharedkey",
    "shared_key",
    "jwtkey",
    "jwt_key",
    "sessionkey",
    "session_key",
    "session-key",
    "servicekey",
    "service_key",
    "clientkey",
    "client_key",
    "storagekey",
    "storage_key",
    "webhookkey",
    "webhook_key",
    "cryptkey",
    "crypt_key",
    "cipherkey",
    "cipher_key",
    "hmackey",
    "hmac_key",
    "hmac-key",
    "adminkey",
    "admin_key",
    "rapidapikey",
    "subscriptionkey",
    "subscription-key",
    "subscription_key",
    "deploykey",
    "deploy_key",
    "deploy-key",
];

/// Names of elements, with the sign that closes their tag.
const ELEMENTS: &[&str] =
    &["password>", "passwd>", "pwd>", "pass>", "passphrase>", "secret>", "token>", "key>"];

/// The expressions begin with the end of the name: what stands before it is read from the line when
/// a value was found, because a long optional beginning would make the automata very large.
pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "generic-secret",
        "Quoted value of a name that speaks of a secret",
        WORDS,
        concat!(
            r"(?i)",
            names!(),
            r#"(?:\\?["'`])?\]?(?:\s{0,3}:\s{0,3}&?(?:'static\s)?[\w<>\[\]?.|]+)?\s{0,12}(?::=|=>|={1,3}|\?=|:|,|\()\s{0,8}(?:[brfuL@$]{0,2}|(?:new\s)?[\w.:]+\()\\?["'`]([^"'`\s\\]{8,})\\?["'`]"#
        ),
    )
    .entropy(2.3)
    .check(judge::quoted),
    Rule::token(
        "generic-secret",
        "Value, without quotes, of a name that speaks of a secret",
        WORDS,
        concat!(
            r"(?i)",
            names!(),
            r#"["']?\s{0,8}(?::=|=>|=|:)\s{0,4}([^\s"'`,;(){}\[\]<>&|\\]{8,})"#
        ),
    )
    .entropy(2.3)
    .check(judge::unquoted),
    Rule::token(
        "generic-secret",
        "Value after a space: command line options and Dockerfiles",
        WORDS,
        concat!(r"(?i)", names!(), r#"(?:\s{1,3}|=)["']?([^\s"'`$(){}<>|;&\\=-][^\s"'`$(){}<>|;&\\]{7,})"#),
    )
    .entropy(2.3)
    .check(judge::option),
    Rule::token(
        "generic-secret",
        "Pair of name and value, as in environment lists",
        &["\"value", "'value", "\\\"value", "value=\"", "value='", "value: \""],
        concat!(
            r"(?i)",
            names!(),
            r#"\\?["']\s{0,3},?\s{0,3}\\?["']?value\\?["']?\s{0,3}[:=]\s{0,3}\\?["']([^"'\s\\]{8,})\\?["']"#
        ),
    )
    .entropy(2.3)
    .check(judge::named),
    Rule::token(
        "generic-secret",
        "Element whose name speaks of a secret",
        ELEMENTS,
        concat!(r"(?i)", names!(), r">([^<>\s]{8,})</"),
    )
    .needs(b'<')
    .entropy(2.3)
    .check(judge::named),
];
