//! Does a call mean this name, given what the file imports?
//!
//! Names are compared part by part, whatever stands between: `os.system`, `os::system` and `os/system` are one name.

use orienteer_syntax::facts::Import;

use crate::query::names::{MOST_PARTS, matches_part, segments};

/// A name with `*` for any letters, in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamePattern {
    parts: Vec<String>,
}

impl NamePattern {
    /// `None` for a name without letters.
    pub(super) fn new(text: &str) -> Option<Self> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '*');
        let parts: Vec<String> =
            text.split(|c: char| !is_part(c)).filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let named = parts.iter().any(|part| part.contains(|c: char| c.is_alphanumeric()));
        (named && parts.len() <= MOST_PARTS).then_some(Self { parts })
    }

    /// The last part, unless it has a wildcard.
    pub(super) fn last(&self) -> Option<&str> {
        self.parts.last().map(String::as_str).filter(|last| !last.contains('*'))
    }

    /// Whether a name ends in this one (or holds it, with `anywhere`), as it is written or as imports complete it.
    pub(super) fn matches(&self, name: &[&str], anywhere: bool, imports: &[Import]) -> bool {
        if (anywhere && self.is_in(name)) || self.ends(name) {
            return true;
        }
        // Whatever imports put before a name, it ends as it does.
        let ends = |last: &&str| self.parts.last().is_some_and(|part| matches_part(part, last));
        if !name.last().is_some_and(ends) {
            return false;
        }
        // `system` after `from os import system` is `os.system`; `exec.Command` after `import "os/exec"` is
        // `os/exec.Command`.
        let Some(first) = name.first() else { return false };
        self.parts.len() > name.len()
            && imports.iter().any(|import| {
                let named = import.names.iter().any(|known| known == first);
                // Taking a module apart costs more than looking whether it can matter.
                if !named && !import.module.contains(first) {
                    return false;
                }
                let mut full = segments(&import.module);
                if named {
                    full.extend_from_slice(name);
                } else if full.last() == Some(first) {
                    full.extend_from_slice(&name[1..]);
                } else {
                    return false;
                }
                self.ends(&full)
            })
    }

    fn ends(&self, name: &[&str]) -> bool {
        name.len().checked_sub(self.parts.len()).is_some_and(|from| self.equals(&name[from..]))
    }

    /// Whether neighbouring parts of a name are this one.
    pub(super) fn is_in(&self, name: &[&str]) -> bool {
        name.windows(self.parts.len()).any(|window| self.equals(window))
    }

    fn equals(&self, parts: &[&str]) -> bool {
        self.parts.len() == parts.len()
            && self.parts.iter().zip(parts).all(|(pattern, part)| matches_part(pattern, part))
    }

    /// Whether an import is of this module, of something inside it, or of the name in it.
    pub(super) fn names_import(&self, import: &Import) -> bool {
        // Most files import something else: taking a module apart costs more than looking whether it can matter.
        let holds =
            |text: &str| self.parts.first().is_none_or(|part| part.contains('*') || text.contains(part));
        if !holds(&import.module) && !import.names.iter().any(|name| holds(name)) {
            return false;
        }
        let module = segments(&import.module);
        let starts = |full: &[&str]| full.get(..self.parts.len()).is_some_and(|start| self.equals(start));
        if starts(&module) || self.ends(&module) {
            return true;
        }
        import.names.iter().any(|name| {
            let mut full = module.clone();
            full.extend(segments(name));
            starts(&full)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(module: &str, names: &[&str]) -> Import {
        Import {
            module: module.to_owned(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            range: 0..0,
        }
    }

    fn matches(pattern: &str, name: &str, imports: &[Import]) -> bool {
        NamePattern::new(pattern).unwrap().matches(&segments(name), false, imports)
    }

    #[test]
    fn names_match_by_their_end() {
        assert!(matches("os.system", "os.system", &[]));
        assert!(matches("Command::new", "std::process::Command::new", &[]));
        assert!(!matches("os.system", "system", &[]));
        assert!(!matches("system", "os.system_call", &[]));
        assert!(matches("exec*", "cp.execSync", &[]));
        assert!(matches("*.q*y*", "db.query", &[]));
        assert!(!matches("*.q*y*", "query", &[]));
    }

    #[test]
    fn imports_complete_a_name() {
        assert!(matches("os.system", "system", &[import("os", &["system"])]));
        assert!(!matches("os.system", "system", &[import("os", &["path"])]));
        assert!(matches("os/exec.Command", "exec.Command", &[import("os/exec", &[])]));
        assert!(matches(
            "std::process::Command::new",
            "Command::new",
            &[import("std::process::Command", &[])]
        ));
        assert!(matches(
            "std::process::Command::new",
            "Command::new",
            &[import("std::process", &["Command"])]
        ));
    }

    #[test]
    fn imports_are_known_by_module_or_name() {
        let wanted = NamePattern::new("std::process").unwrap();
        assert!(wanted.names_import(&import("std::process::Command", &[])));
        assert!(wanted.names_import(&import("std", &["process"])));
        assert!(wanted.names_import(&import("std::{process::Command, fs}", &[])));
        assert!(!wanted.names_import(&import("std::fs", &[])));
        assert!(NamePattern::new("child_process").unwrap().names_import(&import("node:child_process", &[])));
    }

    #[test]
    fn names_without_letters_are_none() {
        assert!(NamePattern::new("::").is_none());
        assert!(NamePattern::new("*").is_none());
    }
}
