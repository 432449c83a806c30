//! Which files may match this expression?
//!
//! One immutable file per generation says for every trigram (three bytes in a row, ASCII letters in lower case)
//! which files have it, and in which of their pieces where they are large. An expression is turned into a plan over
//! trigrams that every match must satisfy; files that do not satisfy it cannot match and need not be opened.
//! Everything else is left to the real search.
//!
//! What is promised: a file that matches is always among the candidates, and a damaged trigram file is an error,
//! never a wrong answer.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `gather` | Which trigrams does a text have, and can it be told at all? |
//! | `build`, `run` | How are the trigrams of many files collected in little memory? |
//! | `write`, `format` | What stands where in the file? |
//! | `rice`, `varint` | How are numbers written in few bits? |
//! | `read` | What does the file say, and is it whole? |
//! | `plan` | Which trigrams must a match have? |
//! | `evaluate` | Which files satisfy a plan? |
//! | `coverage` | Which files of the disk does the file speak of? |

mod build;
mod coverage;
mod evaluate;
mod format;
mod gather;
mod plan;
mod read;
mod rice;
mod run;
mod varint;
mod write;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use orienteer_base::Stopped;

pub use build::{Builder, Collector, Summary};
pub use coverage::{Coverage, Narrowing};
pub use evaluate::Candidates;
pub use gather::Reading;
pub use plan::Plan;
pub use read::{Indexed, Trigrams};

/// What a file held when it was indexed: its size and the beginning of its BLAKE3 hash. A file of the disk that has
/// not the same is not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Content {
    pub size: u64,
    pub hash: [u8; Self::HASH],
}

impl Content {
    const HASH: usize = 16;

    pub fn of(bytes: &[u8]) -> Self {
        Self::hashed(bytes.len() as u64, blake3::hash(bytes).as_bytes())
    }

    /// For whoever has the hash already.
    pub fn hashed(size: u64, hash: &[u8; 32]) -> Self {
        let mut beginning = [0; Self::HASH];
        beginning.copy_from_slice(&hash[..Self::HASH]);
        Self { size, hash: beginning }
    }
}

/// Why a trigram file could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TrigramError {
    #[error("the trigram file `{}` could not be {doing}: {error}", .path.display())]
    Io { path: PathBuf, doing: &'static str, error: std::io::Error },
    #[error("the trigram file `{}` is damaged ({what}); build the index again", .path.display())]
    Damaged { path: PathBuf, what: &'static str },
    #[error("the trigram file `{}` has format {found}, which is not ours; build the index again", .path.display())]
    Version { path: PathBuf, found: u32 },
    #[error("two files were added under the number {0}; every file needs its own")]
    Duplicate(u32),
    #[error("more than {} pieces of files were added, which is more than a trigram file holds", u32::MAX)]
    TooMany,
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl TrigramError {
    fn reading(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::Io { path: path.to_owned(), doing: "read", error }
    }

    fn writing(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::Io { path: path.to_owned(), doing: "written", error }
    }
}
