//! What would a server say if a plan were carried out?
//!
//! The server is told the plan's texts as new versions of open documents, checks them, and is told the texts of the disk
//! again, whatever happens: also when whoever asked goes away. Nobody else asks it meanwhile. Checkers that read the
//! disk cannot take part, which is told and never taken for praise.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use orienteer_edit::Plan;

use crate::catalog;
use crate::command::check::{FileCheck, Voices, check};
use crate::definition::Reporting;
use crate::documents::is_marker;
use crate::failure::Failure;
use crate::lease::{Heard, Lease};
use crate::live::{Live, Patience, Stuck};
use crate::quirk;
use crate::text::Text;

/// Plans with more files of one server are not tried out.
const MOST_FILES: usize = 400;

/// How often it is tried while files change on disk.
const TRIES: usize = 3;

/// What a server says about the files of a plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Simulated {
    /// About the files as they are on disk.
    pub before: Vec<FileCheck>,
    /// About the files as they would be.
    pub after: Vec<FileCheck>,
    /// What could not take part, and why. Silence about it is no praise.
    pub not_covered: Vec<String>,
}

impl Lease {
    /// Checks the files of a plan that are the server's own, before and after, without touching the disk. The plan must
    /// be about the files as they are; files of other servers are for those to be asked about.
    pub async fn simulate(&self, plan: &Plan, patience: &Patience) -> Result<Heard<Simulated>, Failure> {
        let scene = Scene::of(self, plan);
        // Not alone: whoever has a question about one file need not wait until the project is loaded.
        let first = scene.before.first().map(PathBuf::as_path);
        if !self.warm(first, patience).await? {
            return Err(Failure::NotReady {
                server: self.server_id().to_owned(),
                doing: Some("it is loading the project".to_owned()),
                retry_after_ms: 2_000,
            });
        }
        if scene.imagined.is_empty() {
            let seen = self.with_live(patience, |live| async move { Ok(live.glance()) }).await?;
            let not_covered = scene.not_covered;
            return Ok(Heard { value: Simulated { not_covered, ..Simulated::default() }, seen });
        }
        let scene = &scene;
        self.with_live_alone(patience, |live| async move {
            for _ in 0..TRIES {
                if let Some(heard) = play(&live, scene, patience).await? {
                    return Ok(heard);
                }
            }
            Err(Failure::NotReady {
                server: live.definition.id.clone(),
                doing: Some("files change on disk while a change of them is tried out".to_owned()),
                retry_after_ms: 1_000,
            }
            .into())
        })
        .await
    }
}

/// What is told and checked.
#[derive(Debug, Default)]
struct Scene {
    before: Vec<PathBuf>,
    after: Vec<PathBuf>,
    /// `None`: it is closed.
    imagined: Vec<(PathBuf, Option<Arc<Text>>)>,
    not_covered: Vec<String>,
}

impl Scene {
    fn of(lease: &Lease, plan: &Plan) -> Self {
        let definition = lease.definition_of_server();
        let id = lease.server_id();
        let mut scene = Self::default();
        match definition.reporting {
            Reporting::Flycheck => scene.not_covered.push(format!(
                "{id}: cargo check reads the disk, so only what {id} finds by itself is compared"
            )),
            Reporting::Saved => {
                scene
                    .not_covered
                    .push(format!("{id} reads the disk, so it cannot say what a change would do"));
                return scene;
            }
            Reporting::Never => {
                scene.not_covered.push(format!("{id} has no diagnostics"));
                return scene;
            }
            Reporting::Auto | Reporting::Unversioned => {}
        }
        for change in &plan.changes {
            let path = &change.path;
            let shown = lease.show(path);
            if !catalog::takes(definition, path) {
                if is_marker(definition, path) {
                    scene.not_covered.push(format!(
                        "`{shown}` decides what the project is, and {id} reads it from the disk"
                    ));
                }
                continue;
            }
            let text = match &change.after {
                Some(after) => match std::str::from_utf8(&after.content) {
                    Ok(text) => Some(Arc::new(Text::new(text.to_owned()))),
                    Err(_) => {
                        scene.not_covered.push(format!("`{shown}` would not be text in UTF-8"));
                        continue;
                    }
                },
                None => None,
            };
            if definition.is("clangd") && quirk::clangd::is_header(path) {
                scene
                    .not_covered
                    .push(format!("`{shown}`: {id} reads headers from the disk for whatever includes them"));
            }
            match (change.before.is_some(), text.is_some()) {
                (true, false) => scene
                    .not_covered
                    .push(format!("`{shown}` would be gone, and {id} still finds it on the disk")),
                (false, true) => scene.not_covered.push(format!(
                    "`{shown}` is new: whoever names it may not find it, because it is not on the disk"
                )),
                _ => {}
            }
            if change.before.is_some() {
                scene.before.push(path.clone());
            }
            if text.is_some() {
                scene.after.push(path.clone());
            }
            scene.imagined.push((path.clone(), text));
        }
        if scene.imagined.len() > MOST_FILES {
            let count = scene.imagined.len();
            scene
                .not_covered
                .push(format!("{id}: {count} files change, and more than {MOST_FILES} are not tried out"));
            scene.before.clear();
            scene.after.clear();
            scene.imagined.clear();
        }
        scene
    }
}

impl Lease {
    fn show(&self, path: &Path) -> String {
        self.server.roots().show(path)
    }
}

/// `None` when files changed on disk meanwhile.
async fn play(live: &Live, scene: &Scene, patience: &Patience) -> Result<Option<Heard<Simulated>>, Stuck> {
    let before = check(live, &scene.before, Voices::Native, patience).await?;
    let stage = Stage { live };
    stage.set(scene).await;
    let after = check(live, &scene.after, Voices::Native, patience).await?;
    let disturbed = live.state.lock().await.documents.is_disturbed() || after.seen.synced_files > 0;
    drop(stage);
    if patience.cancel.is_cancelled() {
        return Err(Failure::Cancelled.into());
    }
    if disturbed {
        return Ok(None);
    }
    let mut seen = after.seen;
    seen.synced_files = before.seen.synced_files;
    seen.waited_ms += before.seen.waited_ms;
    seen.ready &= before.seen.ready;
    seen.unreadable += before.seen.unreadable;
    seen.cut += before.seen.cut;
    let value = Simulated {
        before: before.value.files,
        after: after.value.files,
        not_covered: scene.not_covered.clone(),
    };
    Ok(Some(Heard { value, seen }))
}

/// While it exists, the server may believe in texts that are not on disk. It goes whenever the future that holds it does.
struct Stage<'l> {
    live: &'l Live,
}

impl Stage<'_> {
    async fn set(&self, scene: &Scene) {
        let live = self.live;
        let mut state = live.state.lock().await;
        let mut imagined = live.imagined.write().unwrap_or_else(PoisonError::into_inner);
        for (path, text) in &scene.imagined {
            if let Some(text) = text {
                imagined.insert(path.clone(), text.clone());
            }
            state.documents.imagine(path, text.clone(), &live.reach());
        }
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        let live = self.live;
        live.imagined.write().unwrap_or_else(PoisonError::into_inner).clear();
        match live.state.try_lock() {
            Ok(mut state) => {
                state.documents.stop_imagining(&live.reach());
                live.open_documents.store(state.documents.len() as u64, Ordering::Relaxed);
            }
            // Nobody else has a turn, so this does not happen; if it does, what the server believes is unknown.
            Err(_) => live.spoiled.store(true, Ordering::Relaxed),
        }
    }
}
