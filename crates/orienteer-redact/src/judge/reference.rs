//! Values that point at a secret, or at something else, without holding it.

const BEGINNINGS: &[&str] = &[
    "$",
    "{{",
    "%(",
    "#{",
    "@{",
    "<%",
    "process.env",
    "os.environ",
    "os.getenv",
    "env.",
    "env[",
    "env:",
    "env!",
    "secrets.",
    "vars.",
    "var.",
    "local.",
    "data.",
    "self.",
    "this.",
    "config.",
    "settings.",
    "options.",
    "arn:",
    "ref:",
    "vault:",
    "ssm:",
    "op://",
    "file:",
    "projects/",
    "sha1-",
    "sha256-",
    "sha384-",
    "sha512-",
    "sha256:",
    "sha512:",
    "md5:",
    "urn:",
    "data:",
    "http:",
    "https:",
    "./",
    "../",
    "~/",
    "/",
    "--",
    "[",
];

const INSIDE: &[&str] = &[
    "${", "{{", "}}", "$(", "%s", "%d", "%v", "{}", "::", "->", "=>", "://", "()", "<", ">", "__", ".env.",
    "\\d", "\\w", "[a-", "[0-9",
];

const ENDINGS: &[&str] = &[
    ".pem", ".key", ".json", ".yaml", ".yml", ".txt", ".toml", ".crt", ".js", ".ts", ".py", ".rs", ".go",
    ".html", ".md", ".com", ".org", ".net", ".io", ".png", ".svg", ".php", ".java", ".xml", ".conf", ".cfg",
    ".pub", "...", "[]", "?", ":",
];

/// Whether the value is a variable, an expression, a path, an address, a pattern or a checksum.
pub(crate) fn is_reference(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    BEGINNINGS.iter().any(|begin| lower.starts_with(begin))
        || INSIDE.iter().any(|inside| lower.contains(inside))
        || ENDINGS.iter().any(|end| lower.ends_with(end))
        || lower.strip_prefix(['*', '&', '!']).is_some_and(is_name)
        || (lower.starts_with('{') && lower.ends_with('}'))
        || (lower.starts_with('%') && lower.ends_with('%'))
}

/// A dotted or underscored name such as `config.auth.v2_token`, with nothing random about it.
pub(crate) fn is_name(value: &str) -> bool {
    let parts = value.split(['.', '_', '-', ':', '/', '@']);
    let mut named = 0;
    for part in parts {
        let letters = part.bytes().take_while(u8::is_ascii_alphabetic).count();
        let digits = part.len() - letters;
        let tail = part[letters..].bytes().all(|byte| byte.is_ascii_digit());
        if !tail || digits > 4 || letters > 20 {
            return false;
        }
        named += usize::from(letters > 0);
    }
    named > 0 && !super::measure::jumbled_case(value) && (named > 1 || super::measure::switches(value) <= 1)
}

/// The groups of eight, four, four, four and twelve digits of a UUID.
pub(crate) fn is_uuid(value: &str) -> bool {
    let groups: Vec<&str> = value.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_names_and_ids() {
        for value in ["${DB_PASS}", "process.env.TOKEN", "/etc/keys/a.pem", "sha512-Ab12", "%TOKEN%"] {
            assert!(is_reference(value), "{value}");
        }
        assert!(is_name("config.auth.token2") && is_name("lexer2") && !is_name("a8f31c9b"));
        assert!(is_uuid("01234567-89ab-cdef-0123-456789abcdef"));
    }
}
