//! Credentials on their way: URLs, connection strings, headers, login files.

use super::Rule;
use crate::judge;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "url-password",
        "Password in a URL",
        &["://"],
        r#"[A-Za-z][0-9A-Za-z+.-]{1,30}://[^\s/:@"'`<>(){}\[\]|\\,]{0,80}:([^\s/@"'`<>\\]{3,200})@[0-9A-Za-z_\[$%{(.-]"#,
    )
    .needs(b'@')
    .entropy(1.5)
    .check(judge::in_place),
    Rule::token(
        "connection-string-password",
        "Password in a connection string of key and value pairs",
        &["password=", "pwd=", "password ="],
        r#"(?i)(?:^|[;"'\s])(?:server|host|hostaddr|data source|address|addr|user id|uid|user|username|database|dbname|initial catalog|port|integrated security|encrypt|sslmode)\s?=[^"'\n]{0,300}?[;\s]\s?(?:password|pwd)(?:\s=\s|=)([^\s;"'\\]{3,128})"#,
    )
    .needs(b'=')
    .entropy(1.5)
    .check(judge::in_place),
    Rule::token(
        "connection-string-password",
        "Password that comes first in a connection string",
        &["password=", "pwd="],
        r#"(?i)\b(?:password|pwd)=([^\s;"'\\]{3,128});\s?(?:server|host|data source|user id|uid|user|username|database|initial catalog|port)="#,
    )
    .needs(b';')
    .entropy(1.5)
    .check(judge::in_place),
    Rule::token(
        "authorization-basic",
        "Authorization header with user name and password",
        &["basic "],
        r#"(?i)\bbasic\s{1,4}([0-9A-Za-z+/_-]{8,}={0,2})"#,
    )
    .check(judge::basic_auth),
    Rule::token(
        "authorization-token",
        "Authorization header with a token",
        &["bearer", "authorization", "private-token", "x-api-key", "x-auth-token"],
        r#"(?i)(?:\bbearer\s{1,4}|authorization\\?["']?\s{0,4}[:=,]\s{0,4}\\?["'`]?(?:token|apikey|bot|key|access_token)[\s=]{1,4}|(?:private-token|x-api-key|x-auth-token)\\?["']?\s{0,2}[:,]\s{0,2}\\?["']?)([0-9A-Za-z._~+/-]{16,}={0,2})"#,
    )
    .entropy(3.2)
    .check(judge::mixed_token),
    Rule::token(
        "netrc-password",
        "Password in .netrc",
        &["password "],
        r#"(?:^|\s)password[ \t]{1,4}([^\s"'()<>,;]{6,128})[ \t\r]{0,4}(?:$|account|macdef|machine|#)"#,
    )
    .entropy(2.0)
    .check(judge::netrc),
    Rule::token(
        "curl-password",
        "User name and password given to curl or wget",
        &["curl", "wget", "http "],
        r#"(?:\s-u|\s--user|\s-a|--proxy-user)(?:\s{1,3}|=)["']?[0-9A-Za-z_.@+-]{1,60}:([^\s"'$]{6,128})"#,
    )
    .needs(b':')
    .entropy(2.0)
    .check(judge::in_place),
    Rule::token(
        "cli-password",
        "Password given to sshpass or a database client",
        &["sshpass", "mysql", "redis-cli", "mysqldump"],
        r#"\b(?:sshpass\s{1,3}-p\s{0,3}|mysql(?:dump|admin)?\s[^|;\n]{0,120}?\s?-p|redis-cli\s[^|;\n]{0,120}?-a\s{1,3})["']?([^\s"'$-][^\s"'$]{5,127})"#,
    )
    .entropy(2.3)
    .check(judge::flag),
    Rule::token(
        "url-token",
        "Secret in the query of a URL",
        &["sig", "signature", "access_token", "code=", "x-amz-s"],
        r"[?&](?:access_token|auth_token|x-amz-signature|X-Amz-Signature|X-Amz-Security-Token|signature)=([0-9A-Za-z%._~+/-]{20,})",
    )
    .needs(b'=')
    .entropy(3.2)
    .check(judge::mixed_token),
];
