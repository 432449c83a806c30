//! Which variables does a child see?

mod allowed;
mod which;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;

pub use allowed::DEFAULT_ALLOWED;

/// An explicit snapshot of environment variables.
///
/// The host takes one snapshot of its own environment at start and derives each child's environment from
/// it. Nothing in this crate looks at the real environment, so a test can pretend to be any machine.
///
/// `Debug` shows the names only, because values are where tokens and passwords live.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// Builds a snapshot from name and value pairs, for example from `std::env::vars_os()`.
    ///
    /// When a name occurs twice, the last value wins.
    pub fn from_pairs<N, V>(pairs: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<OsString>,
        V: Into<OsString>,
    {
        pairs.into_iter().fold(Self::default(), |environment, (name, value)| environment.with(name, value))
    }

    /// Keeps only the variables that `names` lists. An entry that ends in `*` stands for every name with
    /// that beginning.
    ///
    /// Pass [`DEFAULT_ALLOWED`] for what almost every program needs, and join further lists with
    /// [`Environment::merged_with`].
    #[must_use]
    pub fn allow_list(&self, names: &[&str]) -> Self {
        let variables = self
            .variables
            .iter()
            .filter(|(name, _)| names.iter().any(|pattern| allowed::matches(pattern, name)))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Self { variables }
    }

    /// Sets one variable, replacing an earlier value.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        // Windows treats `Path` and `PATH` as one variable, so two spellings must not both survive.
        self.variables.retain(|existing, _| !same_name(existing, &name));
        self.variables.insert(name, value.into());
        self
    }

    /// Takes one variable away.
    #[must_use]
    pub fn without(mut self, name: impl AsRef<OsStr>) -> Self {
        self.variables.retain(|existing, _| !same_name(existing, name.as_ref()));
        self
    }

    /// Adds every variable of `other`, whose values win over the present ones.
    #[must_use]
    pub fn merged_with(self, other: Self) -> Self {
        other.variables.into_iter().fold(self, |environment, (name, value)| environment.with(name, value))
    }

    /// The value of one variable. Names are compared the way the operating system does.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        let name = name.as_ref();
        self.variables
            .iter()
            .find(|(existing, _)| same_name(existing, name))
            .map(|(_, value)| value.as_os_str())
    }

    /// All variables, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Environment ")?;
        formatter.debug_set().entries(self.variables.keys()).finish()
    }
}

/// Whether the operating system takes two names for the same variable.
fn same_name(left: &OsStr, right: &OsStr) -> bool {
    if cfg!(windows) { left.eq_ignore_ascii_case(right) } else { left == right }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(environment: &Environment) -> Vec<&str> {
        environment.iter().filter_map(|(name, _)| name.to_str()).collect()
    }

    #[test]
    fn allow_list_takes_exact_names_and_prefixes() {
        let all = Environment::from_pairs([
            ("PATH", "/bin"),
            ("PATH_EXTRA", "no"),
            ("LC_ALL", "C"),
            ("LC_TIME", "C"),
            ("XLC_ALL", "no"),
            ("API_TOKEN", "no"),
        ]);
        assert_eq!(names(&all.allow_list(&["PATH", "LC_*"])), ["LC_ALL", "LC_TIME", "PATH"]);
        assert_eq!(names(&all.allow_list(DEFAULT_ALLOWED)), ["LC_ALL", "LC_TIME", "PATH"]);
        assert_eq!(names(&all.allow_list(&[])), [""; 0]);
    }

    #[test]
    fn later_values_win() {
        let first = Environment::from_pairs([("A", "1"), ("A", "2"), ("B", "1")]);
        assert_eq!(first.get("A"), Some(OsStr::new("2")));
        let merged = first.merged_with(Environment::default().with("B", "3"));
        assert_eq!(merged.get("B"), Some(OsStr::new("3")));
        assert_eq!(merged.get("C"), None);
    }

    #[test]
    fn debug_shows_names_but_no_values() {
        let text = format!("{:?}", Environment::default().with("API_TOKEN", "hunter2"));
        assert_eq!(text, r#"Environment {"API_TOKEN"}"#);
    }
}
