//! The edges between our crates, and who alone may know an outside one. An absent edge is tested here.

use serde_json::Value;

use crate::shell::metadata;

/// What each crate may depend on of ours. Crates that do not exist yet have their place already.
const INSIDE: &[(&str, &[&str])] = &[
    ("orienteer-base", &[]),
    ("orienteer-redact", &[]),
    ("orienteer-edit", &["orienteer-base"]),
    ("orienteer-triage", &["orienteer-base"]),
    ("orienteer-process", &["orienteer-base"]),
    ("orienteer-watch", &["orienteer-base"]),
    ("orienteer-syntax", &["orienteer-base"]),
    (
        "orienteer-lsp",
        &["orienteer-base", "orienteer-edit", "orienteer-process", "orienteer-syntax", "orienteer-watch"],
    ),
    ("orienteer-search", &["orienteer-base", "orienteer-process", "orienteer-syntax"]),
    ("orienteer-index", &["orienteer-base", "orienteer-process", "orienteer-syntax", "orienteer-watch"]),
    ("orienteer-remote", &["orienteer-base", "orienteer-process", "orienteer-syntax"]),
    (
        "orienteer-engine",
        &[
            "orienteer-base",
            "orienteer-edit",
            "orienteer-process",
            "orienteer-syntax",
            "orienteer-watch",
            "orienteer-lsp",
            "orienteer-search",
            "orienteer-index",
            "orienteer-remote",
            "orienteer-triage",
        ],
    ),
    ("orienteer", &["orienteer-base", "orienteer-engine", "orienteer-redact"]),
    ("orienteer-testkit", &[]),
    // The benchmarks take packages apart with our grammars.
    ("xtask", &["orienteer-base", "orienteer-syntax", "orienteer-testkit"]),
];

/// Crates that one room alone may know.
const ONLY: &[(&str, &[&str])] = &[
    ("rmcp", &["orienteer"]),
    ("hyper", &["orienteer"]),
    ("hyper-util", &["orienteer"]),
    ("http-body-util", &["orienteer"]),
    ("clap", &["orienteer"]),
    ("notify", &["orienteer-watch"]),
    ("reqwest", &["orienteer-remote"]),
    // The developer's commands measure against a plain use of this one and of the parser.
    ("rusqlite", &["orienteer-index", "orienteer-remote", "xtask"]),
    ("process-wrap", &["orienteer-process"]),
    ("tree-sitter", &["orienteer-syntax", "xtask"]),
    ("ast-grep-core", &["orienteer-syntax"]),
    ("grep-searcher", &["orienteer-search"]),
    ("ignore", &["orienteer-search", "orienteer-index", "orienteer-watch"]),
];

/// Synchronous rooms know no runtime.
const WITHOUT_TOKIO: &[&str] = &[
    "orienteer-base",
    "orienteer-redact",
    "orienteer-edit",
    "orienteer-triage",
    "orienteer-syntax",
    "orienteer-watch",
    "orienteer-search",
    "orienteer-index",
];

pub(crate) fn check() -> anyhow::Result<Vec<String>> {
    let metadata = metadata(false)?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(packages.iter().flat_map(check_package).collect())
}

fn check_package(package: &Value) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let Some((_, inside)) = INSIDE.iter().find(|(known, _)| *known == name) else {
        return vec![format!("{name} has no place in xtask/src/tidy/edges.rs")];
    };
    let mut wrong = Vec::new();
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let on = dependency["name"].as_str().unwrap_or_default();
        // Tests may use anything.
        if dependency["kind"] == "dev" {
            continue;
        }
        if on.starts_with("orienteer") && !inside.contains(&on) {
            wrong.push(format!("{name} must not depend on {on}"));
        }
        if let Some((_, rooms)) = ONLY.iter().find(|(known, _)| *known == on)
            && !rooms.contains(&name)
        {
            wrong.push(format!("{name} must not depend on {on}; only {} may", rooms.join(" and ")));
        }
        if on == "tokio" && WITHOUT_TOKIO.contains(&name) {
            wrong.push(format!("{name} is synchronous and must not depend on tokio"));
        }
    }
    wrong
}
