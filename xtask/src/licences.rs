//! Licences and bans over every dependency, from `cargo metadata` alone.

use anyhow::bail;

use crate::shell::metadata;

/// Licences we may combine with MIT OR Apache-2.0 in one binary.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that must not come in, and why.
const BANNED: &[(&str, &str)] = &[
    ("openssl-sys", "TLS is rustls with the system's certificates"),
    ("native-tls", "TLS is rustls with the system's certificates"),
    ("bindgen", "needs libclang on every machine that builds"),
    ("serde_yaml", "archived"),
    ("lsp-types", "stalled; gen-lsp-types is generated from the specification"),
    ("git2", "the git program is right for worktrees, sha256 and partial clones"),
];

/// The whole set was planned at about 380; more is a decision, not an accident.
const MOST_CRATES: usize = 400;

pub(crate) fn run() -> anyhow::Result<()> {
    let metadata = metadata(true)?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        match package["license"].as_str() {
            Some(expression) if allowed(expression) => {}
            Some(expression) => wrong.push(format!("{name} has the licence {expression}")),
            None => wrong.push(format!("{name} names no licence")),
        }
        if let Some((_, why)) = BANNED.iter().find(|(banned, _)| *banned == name) {
            wrong.push(format!("{name} is banned: {why}"));
        }
    }
    if packages.len() > MOST_CRATES {
        wrong.push(format!("{} crates; at most {MOST_CRATES} were agreed", packages.len()));
    }
    if !wrong.is_empty() {
        bail!("licences and bans:\n  {}", wrong.join("\n  "));
    }
    println!("── licences: {} crates are fine", packages.len());
    Ok(())
}

/// Whether an SPDX expression can be met with allowed licences alone. Old crates write `/` for `OR`.
fn allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let result = either(&words, &mut at);
    result && at == words.len()
}

fn either(words: &[&str], at: &mut usize) -> bool {
    let mut result = both(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        result |= both(words, at);
    }
    result
}

fn both(words: &[&str], at: &mut usize) -> bool {
    let mut result = one(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        result &= one(words, at);
    }
    result
}

fn one(words: &[&str], at: &mut usize) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let result = either(words, at);
        *at += 1;
        return result;
    }
    if words.get(*at) == Some(&"WITH") {
        let exception = words.get(*at + 1).copied().unwrap_or_default();
        *at += 2;
        return ALLOWED.contains(&format!("{word} WITH {exception}").as_str());
    }
    ALLOWED.contains(word)
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn expressions_are_understood() {
        assert!(allowed("MIT OR Apache-2.0"));
        assert!(allowed("MIT/GPL-3.0"));
        assert!(allowed("(MIT OR GPL-3.0) AND Unicode-3.0"));
        assert!(allowed("Apache-2.0 WITH LLVM-exception"));
        assert!(!allowed("GPL-3.0"));
        assert!(!allowed("MIT AND GPL-3.0"));
        assert!(!allowed("(MIT"), "a broken expression is not understood as a licence");
        assert!(!allowed(""));
    }
}
