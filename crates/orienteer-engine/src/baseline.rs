//! Findings remembered under a name, and what changed since.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use orienteer_base::code::{Delta, Diagnostic, Severity};
use orienteer_base::{ErrorKind, Problem};

/// Baselines that are kept; the oldest goes first.
const KEPT: usize = 64;

/// Who found it, and what.
pub(crate) type Said = (Arc<str>, Diagnostic);

/// Which checkers have not finished with which files: what they find there is neither new nor fixed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unheard(HashSet<(String, String)>);

impl Unheard {
    /// A checker without a name may be any.
    pub(crate) fn add(&mut self, checker: Option<&str>, file: String) {
        self.0.insert((checker.unwrap_or_default().to_owned(), file));
    }

    pub(crate) fn add_all(&mut self, others: &Self) {
        self.0.extend(others.0.iter().cloned());
    }

    /// The same with other names of files.
    pub(crate) fn renamed(self, now: impl Fn(&String) -> String) -> Self {
        Self(self.0.into_iter().map(|(checker, file)| (checker, now(&file))).collect())
    }

    pub(crate) fn has(&self, (checker, diagnostic): &Said) -> bool {
        let is_of = |checker: &str| self.0.contains(&(checker.to_owned(), diagnostic.file_path.clone()));
        !self.0.is_empty() && (is_of(checker) || is_of(""))
    }
}

/// Findings at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Baseline {
    pub(crate) said: Vec<Said>,
    pub(crate) unheard: Unheard,
    /// Every checker had finished.
    pub(crate) complete: bool,
}

/// Held by the engine, bound to a root, not to a connection.
#[derive(Debug, Default)]
pub(crate) struct Baselines(Mutex<Vec<((PathBuf, String), Baseline)>>);

impl Baselines {
    pub(crate) fn put(&self, root: &Path, name: &str, baseline: Baseline) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (root.to_path_buf(), name.to_owned());
        all.retain(|(other, _)| *other != key);
        all.push((key, baseline));
        if all.len() > KEPT {
            all.remove(0);
        }
    }

    pub(crate) fn get(&self, root: &Path, name: &str) -> Result<Baseline, Problem> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_root = || all.iter().filter(|((other, _), _)| other == root);
        let found = of_root().find(|((_, other), _)| other == name);
        found.map(|(_, baseline)| baseline.clone()).ok_or_else(|| {
            let known: Vec<String> = of_root().map(|((_, name), _)| name.clone()).collect();
            let shown: String = name.chars().take(80).collect();
            let message = format!("there is no baseline `{shown}`; save one first with `save_baseline`, in the same server: it is kept as long as that runs");
            Problem::new(ErrorKind::NotFound, message)
                .field("baseline")
                .detail("unknown_baseline")
                .candidates(known)
        })
    }
}

/// What a finding is, wherever its line has moved to.
fn identity(diagnostic: &Diagnostic) -> (String, Severity, Option<String>, String) {
    let message = diagnostic.message.clone();
    (diagnostic.file_path.clone(), diagnostic.severity, diagnostic.code.clone(), message)
}

/// What is there now and was not, what was and is not, and how many stayed. A finding that only moved stayed.
pub(crate) fn compare(before: &[Said], now: &[Said], minimum: Severity) -> Delta {
    let counts = |(_, diagnostic): &&Said| diagnostic.severity <= minimum;
    let mut left: HashMap<_, Vec<&Diagnostic>> = HashMap::new();
    for (_, diagnostic) in before.iter().filter(counts) {
        left.entry(identity(diagnostic)).or_default().push(diagnostic);
    }
    let mut delta = Delta::default();
    for (_, diagnostic) in now.iter().filter(counts) {
        match left.get_mut(&identity(diagnostic)).and_then(Vec::pop) {
            Some(_) => delta.unchanged_count += 1,
            None => delta.new.push(diagnostic.clone()),
        }
    }
    delta.fixed = left.into_values().flatten().cloned().collect();
    delta.fixed.sort_by(|left, right| (&left.file_path, left.range).cmp(&(&right.file_path, right.range)));
    delta
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use orienteer_base::{Position, Range};

    fn finding(line: u32, message: &str, severity: Severity) -> Diagnostic {
        let at = Position::new(line, 1);
        Diagnostic {
            file_path: "a.rs".to_owned(),
            range: Range { start: at, end: at },
            severity,
            code: None,
            message: message.to_owned(),
            source: None,
            related: Vec::new(),
            fixes: Vec::new(),
        }
    }

    #[test]
    fn moved_findings_stayed_and_doubles_are_counted() {
        let before = [
            finding(1, "same", Severity::Error),
            finding(2, "twice", Severity::Error),
            finding(3, "twice", Severity::Error),
            finding(4, "mild", Severity::Hint),
        ];
        let now = [
            finding(9, "same", Severity::Error),
            finding(2, "twice", Severity::Error),
            finding(5, "new", Severity::Error),
        ];
        let by = |found: &[Diagnostic]| -> Vec<Said> {
            found.iter().map(|diagnostic| (Arc::from("checker"), diagnostic.clone())).collect()
        };
        let delta = compare(&by(&before), &by(&now), Severity::Warning);
        assert_eq!(delta.unchanged_count, 2);
        assert_eq!(delta.new.iter().map(|new| new.message.as_str()).collect::<Vec<_>>(), ["new"]);
        assert_eq!(delta.fixed.iter().map(|fixed| fixed.message.as_str()).collect::<Vec<_>>(), ["twice"]);
    }

    #[test]
    fn who_has_not_finished_with_a_file_says_nothing_of_it() {
        let said = |checker: &str| (Arc::from(checker), finding(1, "one", Severity::Error));
        let mut unheard = Unheard::default();
        assert!(!unheard.has(&said("a")));
        unheard.add(Some("a"), "a.rs".to_owned());
        assert!(unheard.has(&said("a")) && !unheard.has(&said("b")));
        let moved = unheard.clone().renamed(|_| "b.rs".to_owned());
        assert!(!moved.has(&said("a")));
        unheard.add(None, "a.rs".to_owned());
        assert!(unheard.has(&said("b")));
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones_of_this_root() {
        let baselines = Baselines::default();
        let saved = Baseline { said: Vec::new(), unheard: Unheard::default(), complete: true };
        baselines.put(Path::new("/a"), "before", saved.clone());
        baselines.put(Path::new("/b"), "other", saved);
        assert!(baselines.get(Path::new("/a"), "before").is_ok());
        let problem = baselines.get(Path::new("/a"), "befor").unwrap_err();
        assert_eq!((problem.kind, problem.candidates), (ErrorKind::NotFound, vec!["before".to_owned()]));
    }
}
