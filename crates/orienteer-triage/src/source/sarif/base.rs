//! Relative to what is an address of a result written?
//!
//! Where the repository lay on the machine of the checker says nothing here, so that an absolute base stands for the
//! repository itself, and only what lies between the two is kept.

use serde_json::Value;

use super::super::field::{Notes, get};

/// Bases that stand on each other.
const DEEPEST: usize = 10;
/// What checkers call the top of a repository.
const ROOTS: &[&str] = &["SRCROOT", "ROOTPATH", "REPOROOT", "PROJECTROOT", "ROOT"];

/// The folder that an address stands in, with a slash behind it; nothing for the repository itself.
pub(super) fn folder(artifact: &Value, uri: &str, run: &Value, notes: &mut Notes) -> String {
    let first = get(artifact, "uriBaseId").and_then(Value::as_str);
    let Some(first) = first.filter(|_| !is_absolute(uri)) else { return String::new() };
    let mut below = String::new();
    let mut name = first;
    for _ in 0..DEEPEST {
        let known = bases(run).and_then(|bases| bases.get(name));
        let at = known.and_then(|base| get(base, "uri")).and_then(Value::as_str);
        let Some(at) = at else {
            if !is_root(name) {
                notes.add(format!(
                    "nobody says where `{name}` is; paths in it are taken as those of the workspace"
                ));
            }
            return below;
        };
        let at = if at.ends_with('/') { at.to_owned() } else { format!("{at}/") };
        if is_absolute(&at) {
            if is_root(name) {
                return below;
            }
            let Some(inside) = root(run).and_then(|root| at.strip_prefix(&root).map(str::to_owned)) else {
                notes.add(format!(
                    "`{name}` is a folder of another machine; paths in it are taken as those of the workspace"
                ));
                return below;
            };
            return format!("{inside}{below}");
        }
        below = format!("{at}{below}");
        match known.and_then(|base| get(base, "uriBaseId")).and_then(Value::as_str) {
            Some(next) => name = next,
            None => return below,
        }
    }
    notes.add(format!(
        "`{first}` is said relative to itself; paths in it are taken as those of the workspace"
    ));
    String::new()
}

fn bases(run: &Value) -> Option<&serde_json::Map<String, Value>> {
    get(run, "originalUriBaseIds")?.as_object()
}

/// Where the top of the repository lay.
fn root(run: &Value) -> Option<String> {
    let at = bases(run)?.iter().find(|(name, _)| is_root(name))?.1.get("uri")?.as_str()?;
    Some(format!("{}/", at.trim_end_matches('/')))
}

fn is_root(name: &str) -> bool {
    ROOTS.iter().any(|root| name.trim_matches('%').eq_ignore_ascii_case(root))
}

fn is_absolute(uri: &str) -> bool {
    uri.starts_with('/') || uri.contains("://") || uri.starts_with("file:")
}
