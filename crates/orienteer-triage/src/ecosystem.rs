//! What is an ecosystem called, and how is a package of it written as a purl?

use orienteer_base::triage::Package;

/// Names that sources use for the same thing.
const NAMES: &[(&str, &[&str])] = &[
    ("npm", &["npm", "yarn", "pnpm", "nodepkg", "javascript", "node"]),
    ("pypi", &["pypi", "pip", "python", "pythonpkg", "pipenv", "poetry", "uv"]),
    ("cargo", &["cargo", "crates.io", "rust", "rustbinary"]),
    ("go", &["go", "golang", "gomod", "gobinary", "go_modules"]),
    ("maven", &["maven", "java", "jar", "pom", "gradle"]),
    ("rubygems", &["rubygems", "bundler", "ruby", "gem", "gemspec", "bundle"]),
    ("composer", &["composer", "packagist", "php"]),
    ("nuget", &["nuget", "dotnet", "dotnet_core", ".net"]),
    ("pub", &["pub", "dart"]),
    ("hex", &["hex", "erlang", "elixir", "mix"]),
    ("swift", &["swift", "swifturl"]),
    ("actions", &["actions", "github actions", "githubactions"]),
];

/// The names that are ours.
pub fn known() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// One of ours, or the word itself in small letters.
pub fn normal(word: &str) -> String {
    let word = word.trim().to_lowercase();
    let known = NAMES.iter().find(|(_, names)| names.contains(&word.as_str()));
    known.map_or(word.clone(), |(name, _)| (*name).to_owned())
}

/// The purl of a package; `None` where the ecosystem has no type of its own.
pub fn purl(package: &Package) -> Option<String> {
    let kind = match package.ecosystem.as_str() {
        "npm" | "pypi" | "cargo" | "maven" | "composer" | "nuget" | "pub" | "hex" | "swift" => {
            package.ecosystem.as_str()
        }
        "go" => "golang",
        "rubygems" => "gem",
        _ => return None,
    };
    let name = match kind {
        "maven" => package.name.replace(':', "/"),
        // As the specification of purl has it.
        "pypi" => package.name.to_lowercase().replace('_', "-"),
        _ => package.name.clone(),
    };
    let name: Vec<String> = name.split('/').filter(|part| !part.is_empty()).map(encode).collect();
    let version = package.installed.as_deref().map(|version| format!("@{}", encode(version)));
    (!name.is_empty()).then(|| format!("pkg:{kind}/{}{}", name.join("/"), version.unwrap_or_default()))
}

fn encode(part: &str) -> String {
    let mut out = String::new();
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'~' | b':') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Ecosystem, name and version of a purl.
pub fn from_purl(purl: &str) -> Option<(String, String, Option<String>)> {
    let rest = purl.strip_prefix("pkg:")?;
    let rest = rest.split(['?', '#']).next()?;
    let (kind, path) = rest.trim_start_matches('/').split_once('/')?;
    let (path, version) = match path.rsplit_once('@') {
        Some((path, version)) if !path.is_empty() => (path, Some(decode(version))),
        _ => (path, None),
    };
    let parts: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(decode).collect();
    let ecosystem = normal(kind);
    let name = parts.join(if ecosystem == "maven" { ":" } else { "/" });
    (!name.is_empty()).then_some((ecosystem, name, version))
}

/// Undoes percent signs; what is no such sequence stays.
pub(crate) fn decode(part: &str) -> String {
    let bytes = part.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = part.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match pair {
            Some(decoded) if *byte == b'%' => {
                out.push(decoded);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(ecosystem: &str, name: &str) -> Package {
        let installed = Some("1.0".to_owned());
        Package { ecosystem: ecosystem.to_owned(), name: name.to_owned(), installed, ..Package::default() }
    }

    #[test]
    fn sources_call_one_ecosystem_by_many_names() {
        for (word, name) in [
            ("PIP", "pypi"),
            ("crates.io", "cargo"),
            ("GOMOD", "go"),
            ("Debian:12", "debian:12"),
            ("NODEPKG", "npm"),
        ] {
            assert_eq!(normal(word), name);
        }
    }

    #[test]
    fn a_purl_is_read_as_it_is_written() {
        for (ecosystem, name, purl_of) in [
            ("npm", "@babel/core", "pkg:npm/%40babel/core@1.0"),
            ("pypi", "Ruamel_yaml", "pkg:pypi/ruamel-yaml@1.0"),
            ("maven", "org.apache:log4j", "pkg:maven/org.apache/log4j@1.0"),
            ("go", "golang.org/x/net", "pkg:golang/golang.org/x/net@1.0"),
        ] {
            let written = purl(&package(ecosystem, name)).unwrap();
            assert_eq!(written, purl_of);
            let (read, back, version) = from_purl(&written).unwrap();
            assert_eq!((read.as_str(), version.as_deref()), (ecosystem, Some("1.0")));
            assert!(back == name || ecosystem == "pypi", "{back}");
        }
        assert_eq!(purl(&package("os", "bash")), None);
        for odd in ["", "pkg:", "pkg:npm", "pkg:npm/", "npm/x", "pkg:npm/%"] {
            let _ = from_purl(odd);
        }
        assert_eq!(from_purl("pkg:npm/%40a/b?x=y#z"), Some(("npm".into(), "@a/b".into(), None)));
    }
}
