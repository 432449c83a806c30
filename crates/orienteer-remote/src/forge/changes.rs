//! Which change is meant, and what is asked beside it, whichever the forge?

use orienteer_base::Problem;
use orienteer_base::remote::{Change, ChangeContent, ChangeSearch};
use tokio::task::JoinSet;

use super::repository::Repository;
use crate::api::ApiError;

/// Whether more is wanted than a list has.
pub(super) fn wants_details(query: &ChangeSearch) -> bool {
    query.content != ChangeContent::Metadata || query.with_comments || query.with_commits
}

/// The repository of a change that is asked for by its number.
pub(super) fn repository(query: &ChangeSearch) -> Result<Repository, Problem> {
    let (Some(owner), Some(repo)) = (query.owner.as_deref(), query.repo.as_deref()) else {
        let message = "a number belongs to one repository: write `owner` and `repo`, too";
        return Err(Problem::invalid("owner", "missing", message));
    };
    Repository::new(owner, repo)
}

/// Each with what was asked for beside it, side by side, in their order; and what could not be read of them.
pub(super) async fn complete<T, F>(
    rows: Vec<T>,
    ask: impl Fn(T) -> F,
) -> Result<(Vec<Change>, Vec<String>), Problem>
where
    F: Future<Output = Result<(Change, Vec<String>), Problem>> + Send + 'static,
{
    let mut running = JoinSet::new();
    for (at, row) in rows.into_iter().enumerate() {
        let asked = ask(row);
        running.spawn(async move { (at, asked.await) });
    }
    let mut done = Vec::new();
    while let Some(finished) = running.join_next().await {
        let (at, detailed) = finished.map_err(|_| ApiError::Abandoned)?;
        done.push((at, detailed?));
    }
    done.sort_by_key(|(at, _)| *at);
    let (rows, notes): (Vec<Change>, Vec<Vec<String>>) =
        done.into_iter().map(|(_, detailed)| detailed).unzip();
    Ok((rows, notes.concat()))
}

/// The repository that all of them are of, if there is one.
pub(super) fn common_repository(rows: &[Change]) -> Option<String> {
    let first = rows.first()?;
    rows.iter().all(|change| change.repository == first.repository).then(|| first.repository.clone())
}

/// What is missing, in one text.
pub(super) fn joined(notes: &[String]) -> Option<String> {
    (!notes.is_empty()).then(|| notes.join("; "))
}
