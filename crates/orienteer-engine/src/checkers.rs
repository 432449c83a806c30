//! Who says what is wrong with a file?
//!
//! The server that has it, and the linters beside it that the user named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use orienteer_base::Roots;
use orienteer_lsp::{Failure, Lease};

use crate::Session;

/// Servers, each with the files that it is asked about.
#[derive(Debug, Default)]
pub(crate) struct Groups(BTreeMap<(String, PathBuf), (Lease, Vec<PathBuf>)>);

impl Groups {
    pub(crate) fn add(&mut self, lease: Lease, file: &Path) {
        let key = (lease.server_id().to_owned(), lease.root().to_path_buf());
        self.0.entry(key).or_insert_with(|| (lease, Vec::new())).1.push(file.to_path_buf());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = (Lease, Vec<PathBuf>)> {
        self.0.into_values()
    }
}

/// Files that nobody looked at as a compiler does, and what was looked at instead.
#[derive(Debug, Default)]
pub(crate) struct Limits(BTreeMap<PathBuf, Looked>);

/// How far a file was looked at.
#[derive(Debug, Default)]
struct Looked {
    wholly: bool,
    /// Each checker with what it finds.
    partly: BTreeSet<String>,
}

impl Limits {
    /// A checker has looked at files.
    pub(crate) fn note(&mut self, lease: &Lease, files: &[PathBuf]) {
        let definition = lease.definition_of_server();
        self.add(&definition.id, definition.finds.as_deref(), files);
    }

    fn add(&mut self, checker: &str, finds: Option<&str>, files: &[PathBuf]) {
        for file in files {
            let looked = self.0.entry(file.clone()).or_default();
            match finds {
                None => looked.wholly = true,
                Some(finds) => _ = looked.partly.insert(format!("{checker} finds {finds}")),
            }
        }
    }

    /// In words; `None` where a compiler could not say more of any file.
    pub(crate) fn told(&self, roots: &Roots) -> Option<String> {
        let limited = || self.0.iter().filter(|(_, looked)| !looked.wholly);
        let words: BTreeSet<&str> =
            limited().flat_map(|(_, looked)| looked.partly.iter().map(String::as_str)).collect();
        let words = words.into_iter().collect::<Vec<_>>().join("; ");
        let files: Vec<String> = limited().map(|(path, _)| roots.show(path)).collect();
        match files.len() {
            0 => None,
            all if all == self.0.len() => Some(words),
            _ => Some(format!("of {}: {words}", some_of(&files))),
        }
    }
}

/// The first few of many.
pub(crate) fn some_of(names: &[String]) -> String {
    let told = names.len().min(5);
    let more = names.len() - told;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names[..told].join(", "))
}

impl Session {
    /// The server of a file, or why there is none, then the linters. None is started yet.
    pub(crate) async fn checkers_of(&self, file: &Path) -> Vec<Result<Lease, Failure>> {
        let first = self.lease(file).await;
        let id = first.as_ref().ok().map(Lease::server_id);
        let linters = self.engine().fleet.linters(file, id).await;
        std::iter::once(first).chain(linters).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_files_that_no_other_checker_knows_better() {
        let folder = tempfile::tempdir().unwrap();
        let roots = Roots::new(folder.path(), &[]).unwrap();
        let path = |name: &str| roots.workspace().join(name);
        let mut limits = Limits::default();
        assert_eq!(limits.told(&roots), None);
        limits.add("jedi", Some("errors of syntax"), &[path("a.py"), path("b.py")]);
        assert_eq!(limits.told(&roots).as_deref(), Some("jedi finds errors of syntax"));
        limits.add("pyright", None, &[path("c.py")]);
        assert_eq!(limits.told(&roots).as_deref(), Some("of a.py, b.py: jedi finds errors of syntax"));
        limits.add("ruff", Some("what its rules are about"), &[path("b.py"), path("c.py")]);
        let both = "of a.py, b.py: jedi finds errors of syntax; ruff finds what its rules are about";
        assert_eq!(limits.told(&roots).as_deref(), Some(both));
        limits.add("pyright", None, &[path("a.py"), path("b.py")]);
        assert_eq!(limits.told(&roots), None);
    }
}
