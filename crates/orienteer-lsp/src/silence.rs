//! Does an empty list of findings mean that nothing is wrong?
//!
//! Some servers let another program look. Where it is missing they say so once and then publish empty lists for ever; where it
//! fails they say so right before the empty list of that file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::definition::Mute;

/// How much of a message is shown.
const MOST_WORDS: usize = 300;

#[derive(Debug)]
pub(crate) struct Silence {
    mute: Option<Mute>,
    heard: Mutex<Heard>,
}

#[derive(Debug, Default)]
struct Heard {
    /// Why nothing is looked at, in its own words.
    mute: Option<String>,
    /// Said of the file whose findings come next.
    failure: Option<String>,
    /// Why the last findings of a file say nothing.
    failures: HashMap<PathBuf, String>,
}

impl Silence {
    pub(crate) fn new(mute: Option<Mute>) -> Self {
        Self { mute, heard: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn logged(&self, message: &str) {
        let Some(mute) = &self.mute else { return };
        let is_said = |words: &[String]| words.iter().any(|words| message.contains(words.as_str()));
        let short = || message.chars().take(MOST_WORDS).collect::<String>();
        if is_said(&mute.words) {
            self.lock().mute = Some(format!("{} ({})", short(), mute.hint));
        } else if is_said(&mute.failures) {
            self.lock().failure = Some(format!("{} (it looks again when the file changes)", short()));
        }
    }

    pub(crate) fn published(&self, file: &Path) {
        if self.mute.is_none() {
            return;
        }
        let mut heard = self.lock();
        match heard.failure.take() {
            Some(why) => _ = heard.failures.insert(file.to_path_buf(), why),
            None => _ = heard.failures.remove(file),
        }
    }

    /// Whether it looks at nothing.
    pub(crate) fn is_mute(&self) -> bool {
        self.mute.is_some() && self.lock().mute.is_some()
    }

    /// Why its last findings of a file say nothing.
    pub(crate) fn why(&self, file: &Path) -> Option<String> {
        self.mute.as_ref()?;
        let heard = self.lock();
        heard.mute.clone().or_else(|| heard.failures.get(file).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_of_one_file_until_it_is_looked_at_again() {
        let words = |words: &str| vec![words.to_owned()];
        let (lacking, hint) = ("`shellcheck`".to_owned(), "install it".to_owned());
        let silence =
            Silence::new(Some(Mute { words: words("disabled"), failures: words("failed"), lacking, hint }));
        let (one, other) = (Path::new("/p/one"), Path::new("/p/other"));
        silence.published(one);
        assert_eq!(silence.why(one), None);
        silence.logged("linting failed: no output");
        silence.published(one);
        silence.published(other);
        let failed = "linting failed: no output (it looks again when the file changes)";
        assert_eq!((silence.why(one).as_deref(), silence.why(other)), (Some(failed), None));
        assert!(!silence.is_mute());
        silence.published(one);
        assert_eq!(silence.why(one), None);
        silence.logged("linting is disabled");
        for file in [one, other] {
            silence.published(file);
            assert_eq!(silence.why(file).as_deref(), Some("linting is disabled (install it)"));
        }
        assert!(silence.is_mute());
    }
}
