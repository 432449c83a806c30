//! How is the index built on request, and how does it stay small?

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use orienteer_base::listing::Skipped;
use orienteer_base::search::{Artifact, IndexWork};
use orienteer_base::{Cancel, ErrorKind, Problem, RootedPath};
use orienteer_index::build::{Made, Report, UpdateReport};
use orienteer_index::store::RelativePath;
use orienteer_index::upkeep::{self, GcLimits};

use super::Index;
use super::caches;
use super::job::Claim;
use super::ready::{Ready, Trouble, not_ready};
use crate::Session;
use crate::blocking::blocking;
use crate::data::Kind;

/// How often another build may be in the way of one that was asked for.
const TRIES: usize = 3;

/// How long another process may build before work on its index is refused.
const PATIENCE: Duration = Duration::from_secs(10);

/// An index that nobody used for so long goes when no limit was given.
const OLD: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// How long a build may take to stop.
const STOPPING: Duration = Duration::from_secs(5);

/// A build that somebody asks for.
#[derive(Debug, Clone)]
pub struct BuildQuery {
    /// Only what is in or below this is looked at again.
    pub path: Option<RootedPath>,
    /// Everything is made anew, whatever is there.
    pub full: bool,
    /// How long to wait for it; after that it goes on alone, and the problem `index_building` says so.
    pub wait: Duration,
}

/// What may be removed from the cache of indexes.
#[derive(Debug, Clone)]
pub struct GcQuery {
    pub dry_run: bool,
    /// The least recently used go until no more than this is left.
    pub max_bytes: Option<u64>,
    /// What nobody used for longer goes; 90 days where no limit is given at all.
    pub max_age: Option<Duration>,
}

impl Session {
    /// Makes the index true and waits for it. Dropping the future stops the build, unless somebody else wants it.
    pub async fn build_index(&self, query: BuildQuery, cancel: &Cancel) -> Result<IndexWork, Problem> {
        let begun = Instant::now();
        let index = self.index()?;
        if let Some(path) = &query.path {
            return self.refresh(&index, path, &query, cancel).await;
        }
        let before = index.bytes(cancel).await;
        for _ in 0..TRIES {
            let (session, own) = (self.clone(), index.clone());
            // Claimed where it is begun: if nobody is there any more to wait for it, it ends.
            let claim =
                blocking(cancel, move || Ok(Claim::new(own.begin(&session.watch(), query.full, false))));
            let claim = claim.await?;
            let job = claim.job().clone();
            let done = match claim.wait_and_leave(query.wait.saturating_sub(begun.elapsed()), cancel).await {
                Some(Ok(done)) => done,
                // Somebody else told it to stop; this caller did not.
                Some(Err(problem)) if problem.kind == ErrorKind::Cancelled && index.may_go_on(cancel) => {
                    continue;
                }
                Some(Err(problem)) => return Err(problem),
                // A lesser build goes on, and what was asked for was not begun.
                None if query.full && !job.fresh => break,
                None => return Err(not_ready(&job)),
            };
            if query.full && !job.fresh {
                // A lesser build was under way.
                continue;
            }
            if let Some(problem) = &done.frozen {
                return Err(problem.clone());
            }
            let mut work = built(&done.report);
            work.counts
                .extend(index.finish_vectors(query.wait.saturating_sub(begun.elapsed()), cancel).await?);
            let after = index.bytes(cancel).await;
            return Ok(IndexWork {
                bytes_before: before,
                bytes_after: after,
                elapsed: begun.elapsed(),
                ..work
            });
        }
        Err(Problem::new(ErrorKind::Overloaded, "other builds were in the way; try again")
            .detail("index_busy")
            .retry_after_ms(1_000))
    }

    /// Looks again at what is in or below a path.
    async fn refresh(
        &self,
        index: &Arc<Index>,
        path: &RootedPath,
        query: &BuildQuery,
        cancel: &Cancel,
    ) -> Result<IndexWork, Problem> {
        let begun = Instant::now();
        let root = &index.build.root;
        let Some(relative) = RelativePath::below(root, path.absolute()) else {
            let message = format!(
                "`{}` lies outside of the workspace `{}`, and only that is indexed",
                path.shown(),
                root.display()
            );
            return Err(Problem::invalid("path", "outside_workspace", message));
        };
        let (paths, own) = (vec![path.absolute().to_path_buf()], relative);
        let ready = self
            .ask_index(index, query.wait, cancel, move |index, view, cancel| {
                let updated = index.build.update(&view.store, &paths, cancel);
                let counts = |report| {
                    let reader = view.store.read()?;
                    let holds = !reader.paths_in(std::slice::from_ref(&own)).is_empty();
                    Ok((report, reader.counts()?, holds))
                };
                match updated {
                    Ok(report) => counts(report),
                    Err(orienteer_index::build::BuildError::Store(error)) => Err(Trouble::Store(error)),
                    Err(error) => Err(Trouble::Problem(error.into())),
                }
            })
            .await?;
        match ready {
            Ready::No(problem) => Err(problem),
            Ready::Yes((report, counts, holds), view, _) => {
                let UpdateReport { changed, unchanged, deleted, mut skipped, mut skipped_count, .. } = report;
                // What the look before it brought in is a part of the answer.
                let changed = changed + view.synced;
                let is_left_out = !holds && deleted == 0 && skipped_count == 0;
                if is_left_out {
                    let reason = "nothing of it is indexed: it is ignored, hidden or empty".to_owned();
                    skipped.push(orienteer_index::build::Skipped { path: path.shown().to_owned(), reason });
                    skipped_count = 1;
                }
                Ok(IndexWork {
                    done: match changed + deleted {
                        _ if is_left_out => "ignored",
                        0 => "nothing",
                        _ => "updated",
                    },
                    counts: vec![
                        ("files", counts.files),
                        ("read", changed + unchanged),
                        ("changed", changed),
                        ("deleted", deleted),
                        ("symbols", counts.symbols),
                        ("chunks", counts.pieces),
                    ],
                    skipped: told(skipped),
                    skipped_count,
                    elapsed: begun.elapsed(),
                    ..IndexWork::default()
                })
            }
        }
    }

    /// Brings in what changed; for whoever watches.
    pub async fn refresh_index(&self, wait: Duration, cancel: &Cancel) -> Result<IndexWork, Problem> {
        let begun = Instant::now();
        let index = self.index()?;
        match self.ask_index(&index, wait, cancel, |_, _, _| Ok(())).await? {
            Ready::No(problem) => Err(problem),
            Ready::Yes((), view, _) => Ok(IndexWork {
                done: if view.synced > 0 { "updated" } else { "nothing" },
                counts: vec![("changed", view.synced), ("stale", view.stale as u64)],
                elapsed: begun.elapsed(),
                ..IndexWork::default()
            }),
        }
    }
}

impl Index {
    fn may_go_on(&self, cancel: &Cancel) -> bool {
        !cancel.is_cancelled() && !self.stopping.is_cancelled()
    }

    /// What is on disk, where something is.
    async fn bytes(self: &Arc<Self>, cancel: &Cancel) -> Option<u64> {
        let index = self.clone();
        let sizes = blocking(cancel, move || Ok(index.store()?.sizes()?)).await;
        sizes.ok().map(|sizes| sizes.total())
    }

    /// Waits for the vectors of a build; how many there are, where a model is configured.
    async fn finish_vectors(
        self: &Arc<Self>,
        wait: Duration,
        cancel: &Cancel,
    ) -> Result<Option<(&'static str, u64)>, Problem> {
        if self.model.is_none() {
            return Ok(None);
        }
        cancel.say("making the vectors of the index");
        let (index, flag) = (self.clone(), cancel.clone());
        let count = blocking(cancel, move || {
            index.await_vectors(wait, &flag)?;
            Ok(index.vectors(&*index.store()?, &flag))
        });
        Ok(Some(("vectors", count.await?.unwrap_or_default())))
    }
}

fn built(report: &Report) -> IndexWork {
    IndexWork {
        done: match report.made {
            Made::Generation => "built",
            Made::Changes => "updated",
            Made::Nothing => "nothing",
        },
        counts: vec![
            ("files", report.files),
            ("read", report.read),
            ("read_bytes", report.bytes),
            ("deleted", report.deleted),
            ("symbols", report.symbols),
            ("chunks", report.pieces),
        ],
        skipped: told(report.skipped.clone()),
        skipped_count: report.skipped_count,
        healed: report.healed.clone(),
        ..IndexWork::default()
    }
}

fn told(skipped: Vec<orienteer_index::build::Skipped>) -> Vec<Skipped> {
    skipped.into_iter().map(|one| Skipped { path: one.path, reason: one.reason }).collect()
}

impl Session {
    /// Writes the index anew without what is gone. Nothing is done where nothing is gained.
    pub async fn compact_index(&self, dry_run: bool, cancel: &Cancel) -> Result<IndexWork, Problem> {
        let begun = Instant::now();
        let index = self.index()?;
        let flag = cancel.clone();
        blocking(cancel, move || {
            let store = index.store()?;
            let would = upkeep::compact(&store, true, PATIENCE, &flag)?;
            let gains = would.dead_pieces > 0 || would.segments > 1 || store.sizes()?.leftovers > 0;
            let done =
                if dry_run || !gains { would } else { upkeep::compact(&store, false, PATIENCE, &flag)? };
            Ok(IndexWork {
                done: match (gains, dry_run) {
                    (false, _) => "nothing",
                    (true, true) => "would_compact",
                    (true, false) => "compacted",
                },
                dry_run,
                counts: vec![("dead_chunks", done.dead_pieces), ("segments", done.segments)],
                bytes_before: Some(done.bytes_before),
                bytes_after: Some(if gains { done.bytes_after } else { done.bytes_before }),
                elapsed: begun.elapsed(),
                ..IndexWork::default()
            })
        })
        .await
    }

    /// Removes the index of the workspace. The next search builds it again.
    pub async fn clean_index(&self, dry_run: bool, cancel: &Cancel) -> Result<IndexWork, Problem> {
        let begun = Instant::now();
        let index = self.index()?;
        if let Some(job) = if dry_run { None } else { index.stop() } {
            let _ = job.wait(STOPPING, cancel).await;
        }
        let flag = cancel.clone();
        blocking(cancel, move || {
            let artifacts = listed(&index.build.folder);
            if !dry_run {
                index.close();
            }
            let removed = upkeep::clean(&index.build.folder, dry_run, PATIENCE, &flag)?;
            Ok(IndexWork {
                done: match (removed.files.is_empty(), dry_run) {
                    (true, _) => "nothing",
                    (false, true) => "would_remove",
                    (false, false) => "removed",
                },
                dry_run,
                counts: vec![("files", removed.files.len() as u64)],
                bytes_before: Some(removed.bytes),
                bytes_after: Some(0),
                artifacts,
                elapsed: begun.elapsed(),
                ..IndexWork::default()
            })
        })
        .await
    }

    /// Removes indexes of other workspaces: those that nobody used for long, and the least recently used of too many.
    pub async fn gc_cache(&self, query: GcQuery, cancel: &Cancel) -> Result<IndexWork, Problem> {
        let begun = Instant::now();
        let index = self.index()?;
        let flag = cancel.clone();
        let in_use = self.engine().index_folders();
        let limits = GcLimits {
            bytes: query.max_bytes.unwrap_or(u64::MAX),
            age: query.max_age.unwrap_or(if query.max_bytes.is_some() { Duration::MAX } else { OLD }),
        };
        blocking(cancel, move || {
            let now = SystemTime::now();
            let done = upkeep::gc(&index.base, &limits, &in_use, now, query.dry_run, &flag)?;
            let busy = done.busy.iter().map(|folder| Skipped {
                path: folder.display().to_string(),
                reason: "it is being built, or could not be removed".to_owned(),
            });
            Ok(IndexWork {
                done: match (done.gone.is_empty(), query.dry_run) {
                    (true, _) => "nothing",
                    (false, true) => "would_remove",
                    (false, false) => "removed",
                },
                dry_run: query.dry_run,
                counts: vec![("indexes", done.gone.len() as u64), ("kept", done.kept as u64)],
                bytes_before: Some(done.bytes + done.kept_bytes),
                bytes_after: Some(done.kept_bytes),
                skipped: busy.collect(),
                skipped_count: done.busy.len() as u64,
                artifacts: done.gone.iter().map(gone).collect(),
                elapsed: begun.elapsed(),
                ..IndexWork::default()
            })
        })
        .await
    }

    /// Every file that indexes take, of all workspaces, and what was fetched: models and other data.
    pub async fn report_artifacts(&self, cancel: &Cancel) -> Result<IndexWork, Problem> {
        let begun = Instant::now();
        let index = self.index()?;
        let (session, flag) = (self.clone(), cancel.clone());
        blocking(cancel, move || {
            let mut artifacts = listed(&index.base);
            artifacts.extend(session.fetched(index.model.as_deref(), &flag)?);
            Ok(IndexWork {
                done: "listed",
                counts: vec![("files", artifacts.len() as u64)],
                bytes_after: Some(artifacts.iter().map(|artifact| artifact.bytes).sum()),
                artifacts,
                elapsed: begun.elapsed(),
                ..IndexWork::default()
            })
        })
        .await
    }
}

impl Session {
    /// The files of everything that was fetched, and those of the model that is used.
    fn fetched(&self, model: Option<&Path>, cancel: &Cancel) -> Result<Vec<Artifact>, Problem> {
        let mut places: Vec<(&'static str, PathBuf)> = Vec::new();
        for (kind, name) in self.engine().data.iter().flat_map(|data| data.list()) {
            let word = match kind {
                Kind::Model => "model",
                Kind::Dictionary => "dictionary",
                Kind::Extension => "extension",
            };
            let content = self.data_folder(kind, &name)?;
            // Beside the content stands the note of where it came from.
            places.extend(content.parent().map(|place| (word, place.to_path_buf())));
        }
        let model = model.filter(|model| !places.iter().any(|(_, place)| model.starts_with(place)));
        places.extend(model.map(|model| ("model", model.to_path_buf())));
        let mut found = Vec::new();
        for (word, place) in places {
            found.extend(caches::files(&place, word, cancel)?);
        }
        Ok(found)
    }
}

fn listed(folder: &Path) -> Vec<Artifact> {
    let files = upkeep::artifacts(folder).into_iter();
    files
        .map(|file| Artifact {
            kind: file.kind.as_str(),
            path: file.path.display().to_string(),
            bytes: file.bytes,
            modified: file.modified,
        })
        .collect()
}

/// An index that goes, as one row.
fn gone(item: &upkeep::Item) -> Artifact {
    Artifact {
        kind: match item.why {
            upkeep::Why::Old => "unused",
            upkeep::Why::TooMuch => "least_recently_used",
        },
        path: item.folder.display().to_string(),
        bytes: item.bytes,
        modified: item.used,
    }
}
