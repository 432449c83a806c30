//! Why was it not done?

use std::io;
use std::path::{Path, PathBuf};

use orienteer_base::{ErrorKind, Problem, Roots};

use crate::text::Unfit;

/// What became of a file since it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// Its content is another one.
    Changed,
    Missing,
    /// There is a file where there was none.
    Appeared,
    /// It is a link, a folder or something else now.
    NotAFile,
}

impl Moved {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::Appeared => "appeared",
            Self::NotAFile => "not a file any more",
        }
    }
}

/// See the module.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("files have moved on since they were seen")]
    Stale { files: Vec<(PathBuf, Moved)> },
    #[error("an edit does not fit: {unfit}")]
    Unfit { path: PathBuf, unfit: Unfit },
    #[error("it lies outside the allowed roots")]
    Outside { path: PathBuf },
    #[error("it belongs to version control")]
    Protected { path: PathBuf },
    #[error("it is not text in UTF-8")]
    NotText { path: PathBuf },
    #[error("it is neither a regular file nor a folder")]
    Special { path: PathBuf },
    #[error("it has other names (hard links), which would no longer be the same file")]
    HardLinked { path: PathBuf },
    #[error("it exists already")]
    Exists { path: PathBuf },
    #[error("it does not exist")]
    Missing { path: PathBuf },
    #[error("the change is too large: {what}")]
    TooLarge { what: String },
    #[error("{doing} failed: {error}")]
    Io { path: PathBuf, doing: &'static str, error: io::Error },
    /// The files could not all be put back; what was there is kept in the journal.
    #[error("{cause}; some files could not be put back")]
    NotRestored { cause: Box<EditError>, left: Vec<PathBuf>, why: Option<String>, kept_in: PathBuf },
    #[error("another process is changing this workspace")]
    Busy,
    #[error("there is nothing to undo")]
    NothingToUndo,
    #[error("only {left} changes can be undone, not {wanted}")]
    FewerToUndo { wanted: usize, left: usize },
    #[error("the journal has no entry `{id}`")]
    NoSuchEntry { id: String, known: Vec<String> },
    #[error("`{id}` was undone already")]
    AlreadyUndone { id: String },
    #[error("the journal's entry `{id}` is damaged: {what}")]
    Damaged { id: String, what: String },
}

impl EditError {
    pub(crate) fn io(path: &Path, doing: &'static str, error: io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), doing, error }
    }

    /// The problem a client sees.
    pub fn problem(self, roots: &Roots) -> Problem {
        let show = |path: &Path| roots.show(path);
        match self {
            Self::Stale { files } => {
                let names: Vec<String> = files.iter().map(|(path, _)| show(path)).collect();
                let told: Vec<String> = files
                    .iter()
                    .map(|(path, moved)| format!("`{}` ({})", show(path), moved.as_str()))
                    .collect();
                let shown = told.iter().take(10).cloned().collect::<Vec<_>>().join(", ");
                let more = told.len().saturating_sub(10);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let message =
                    format!("nothing was written: files have moved on since they were seen: {shown}{more}");
                Problem::new(ErrorKind::StalePlan, message).fact("files", names)
            }
            Self::Unfit { path, unfit } => {
                let detail = match unfit {
                    Unfit::Overlap { .. } => "overlapping_edits",
                    Unfit::OutOfRange { .. } | Unfit::InsideCharacter { .. } => "edit_out_of_range",
                };
                let message =
                    format!("nothing was written: in `{}` an edit does not fit: {unfit}", show(&path));
                Problem::new(ErrorKind::InternalError, message).detail(detail).fact("file_path", show(&path))
            }
            Self::Outside { path } => {
                let message = format!(
                    "nothing was written: the change would reach `{}`, outside the allowed roots; a dependency is \
                     never changed",
                    show(&path)
                );
                Problem::new(ErrorKind::PathNotAllowed, message).detail("outside_roots")
            }
            Self::Protected { path } => {
                let message = format!("nothing was written: `{}` belongs to version control", show(&path));
                Problem::new(ErrorKind::PathNotAllowed, message).detail("protected")
            }
            Self::NotText { path } => {
                let message = format!("nothing was written: `{}` is not text in UTF-8", show(&path));
                Problem::new(ErrorKind::Unsupported, message).detail("not_utf8")
            }
            Self::Special { path } => {
                let message =
                    format!("nothing was written: `{}` is neither a regular file nor a folder", show(&path));
                Problem::new(ErrorKind::Unsupported, message).detail("not_a_file")
            }
            Self::HardLinked { path } => {
                let message = format!(
                    "nothing was written: `{}` has other names (hard links), which would no longer be the same file",
                    show(&path)
                );
                Problem::new(ErrorKind::Unsupported, message).detail("hard_linked")
            }
            Self::Exists { path } => {
                let message = format!("nothing was written: `{}` exists already", show(&path));
                Problem::new(ErrorKind::InvalidParams, message)
                    .detail("file_exists")
                    .fact("file_path", show(&path))
            }
            Self::Missing { path } => {
                let message = format!("nothing was written: `{}` does not exist", show(&path));
                Problem::new(ErrorKind::NotFound, message).detail("no_such_path")
            }
            Self::TooLarge { what } => Problem::new(
                ErrorKind::TooLarge,
                format!("nothing was written: the change is too large: {what}"),
            )
            .detail("plan_too_large"),
            Self::Io { path, doing, error } => {
                let mut message = format!("{doing} `{}` failed: {error}", show(&path));
                // Whoever puts back is not done yet.
                if doing != "putting back" {
                    message.push_str("; every file is as it was before");
                }
                let detail = match error.kind() {
                    io::ErrorKind::StorageFull
                    | io::ErrorKind::QuotaExceeded
                    | io::ErrorKind::FileTooLarge => "no_room",
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                        "permission_denied"
                    }
                    _ => "write_failed",
                };
                Problem::new(ErrorKind::InternalError, message).detail(detail).fact("file_path", show(&path))
            }
            Self::NotRestored { cause, left, why, kept_in } => {
                let names: Vec<String> = left.iter().map(|path| show(path)).collect();
                let why = why.unwrap_or_else(|| "they changed meanwhile".to_owned());
                let message = format!(
                    "the change failed half-way ({cause}), and these files could not be put back ({why}): {}; what they \
                     were is kept in {}",
                    names.join(", "),
                    kept_in.display()
                );
                Problem::new(ErrorKind::InternalError, message).detail("not_restored").fact("files", names)
            }
            Self::Busy => Problem::new(
                ErrorKind::Overloaded,
                "nothing was written: another process is changing files of this workspace; try again",
            )
            .retry_after_ms(1_000),
            Self::FewerToUndo { wanted, left } => {
                let message =
                    format!("nothing was undone: {wanted} changes were asked for, and {left} can be undone");
                Problem::invalid("count", "fewer_to_undo", message)
                    .fact("left", i64::try_from(left).unwrap_or(i64::MAX))
            }
            Self::NothingToUndo => {
                Problem::new(ErrorKind::NotFound, "there is nothing to undo in this workspace")
                    .detail("nothing_to_undo")
            }
            Self::NoSuchEntry { id, known } => {
                let message = format!(
                    "the journal of this workspace has no entry `{}`",
                    orienteer_base::error::cut(&id)
                );
                Problem::new(ErrorKind::NotFound, message).detail("no_such_entry").candidates(known)
            }
            Self::AlreadyUndone { id } => {
                Problem::new(ErrorKind::InvalidParams, format!("`{id}` was undone already"))
                    .detail("already_undone")
            }
            Self::Damaged { id, what } => {
                let message = format!("nothing was written: the journal's entry `{id}` is damaged: {what}");
                Problem::new(ErrorKind::InternalError, message).detail("journal_damaged")
            }
        }
    }
}
