//! Which of two versions is the newer one?
//!
//! npm and Cargo count as semantic versioning has it, Python as PEP 440 has it. What is no version at all is older than
//! everything that is one.

pub(crate) mod pep440;
pub(crate) mod semver;

/// The newest of some versions that may be had: one that is finished before one that is not, one that was not taken back
/// before one that was.
pub(crate) fn newest<'a, K: Ord, T>(
    all: impl IntoIterator<Item = &'a T>,
    key: impl Fn(&T) -> K,
    is_finished: impl Fn(&T) -> bool,
    is_taken_back: impl Fn(&T) -> bool,
) -> Option<&'a T> {
    all.into_iter().max_by_key(|one| (!is_taken_back(one), is_finished(one), key(one)))
}
