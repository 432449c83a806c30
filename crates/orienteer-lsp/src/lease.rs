//! A server that a caller may ask: it starts when it must, is kept alive meanwhile, and a crash is tried again
//! once, unseen.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use orienteer_base::Range;

use crate::failure::Failure;
use crate::live::{Live, Patience, Request, Seen, Stuck};
use crate::message::Raw;
use crate::quirk;
use crate::reading::{Content, Reading};
use crate::ready::Needs;
use crate::server::{Busy, Server};
use crate::turn::Turn;

/// An answer and what surrounds it.
#[derive(Debug, Clone)]
pub struct Heard<T> {
    pub value: T,
    pub seen: Seen,
}

impl<T> Heard<T> {
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Heard<U> {
        Heard { value: f(self.value), seen: self.seen }
    }
}

/// A place a server named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub path: PathBuf,
    pub range: Range,
    /// Of the whole definition, where the server tells it apart from the name.
    pub whole: Option<Range>,
    /// The file could not be read: columns are as the server counts them.
    pub unread: bool,
}

/// See the module.
#[derive(Debug)]
pub struct Lease {
    pub(crate) server: Arc<Server>,
    /// What was looked for when no project was found around the file.
    pub no_root: Option<Vec<String>>,
    _busy: Busy,
}

impl Lease {
    pub(crate) fn new(server: Arc<Server>, no_root: Option<Vec<String>>) -> Self {
        let busy = server.busy();
        Self { server, no_root, _busy: busy }
    }

    pub fn server_id(&self) -> &str {
        &self.server.definition.id
    }

    pub fn root(&self) -> &Path {
        &self.server.root
    }

    pub fn definition_of_server(&self) -> &crate::definition::Definition {
        &self.server.definition
    }

    /// Whether it runs nothing that the project names, because nobody trusts the project.
    pub fn is_restricted(&self) -> bool {
        self.server.is_restricted()
    }

    /// The folder that is trusted or not.
    pub fn workspace(&self) -> &Path {
        self.server.surroundings.roots.workspace()
    }

    /// What the first answer of a restricted server says, once.
    pub fn restriction_to_tell(&self) -> Option<&'static str> {
        let first = self.is_restricted() && !self.server.told_restriction.swap(true, Ordering::Relaxed);
        first.then_some(
            "build scripts, procedural macros and programs that the project names are not run without trust",
        )
    }

    /// Whether it finds only what is in open files, because nobody has listed the others for it.
    pub fn lacks_list(&self, file: &Path) -> bool {
        self.server.listed.lacks(file)
    }

    /// What is missing where nobody lists the files.
    pub const OPENED_ONLY: &'static str = quirk::clangd::OPENED_ONLY;

    /// Why it may not have understood what is open, where nobody has told it how files are compiled. `found`: the files in which
    /// a word was found, its declarations among them.
    pub async fn misread(
        &self,
        word: Option<&str>,
        found: Option<&[PathBuf]>,
        patience: &Patience,
    ) -> Option<String> {
        let look = |live: Arc<Live>| async move { Ok(quirk::clangd::misread(&live, word, found).await) };
        let (path, why) = self.with_live(patience, look).await.ok()??;
        let path = path.strip_prefix(self.root()).unwrap_or(&path).display();
        Some(format!("what stands in {path} may not be known, {why}: {}", Self::OPENED_ONLY))
    }

    /// Whether a file is one that others have as a part of theirs.
    pub fn is_header(&self, file: &Path) -> bool {
        self.definition_of_server().is("clangd") && quirk::clangd::is_header(file)
    }

    /// Runs a piece of work on the live process; after a crash once more on a new one.
    pub(crate) async fn with_live<T, F>(
        &self,
        patience: &Patience,
        work: impl Fn(Arc<Live>) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Stuck>>,
    {
        self.work(patience, Turn::Shared, work).await
    }

    /// The same while nobody else asks.
    pub(crate) async fn with_live_alone<T, F>(
        &self,
        patience: &Patience,
        work: impl Fn(Arc<Live>) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Stuck>>,
    {
        self.work(patience, Turn::Alone, work).await
    }

    async fn work<T, F>(
        &self,
        patience: &Patience,
        turn: Turn,
        work: impl Fn(Arc<Live>) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Stuck>>,
    {
        let mut tried = false;
        loop {
            let live = self.server.live(patience).await?;
            let mine = turn.take(&live, patience).await?;
            let worked = if live.is_spoiled() { Err(Stuck::Outdated) } else { work(live.clone()).await };
            drop(mine);
            match worked {
                Ok(value) => return Ok(value),
                Err(Stuck::Failed(failure)) => return Err(failure),
                Err(Stuck::Outdated) => {
                    tracing::info!(server = self.server_id(), "outdated: another process takes its place");
                    self.server.replace(&live).await;
                }
                Err(Stuck::Gone) => {
                    let failure = self.server.crashed(&live).await;
                    if tried {
                        return Err(failure);
                    }
                    tried = true;
                    // Not its first crash: it is started again after a pause, which is worth waiting for.
                    if let Failure::Crashed { retry_after_ms: Some(wait), .. } = failure {
                        let until = std::time::Instant::now() + std::time::Duration::from_millis(wait);
                        tokio::time::sleep_until(until.min(patience.ready_by).into()).await;
                    }
                }
            }
        }
    }

    /// Asks one request and reads its reply.
    pub(crate) async fn ask<T: Content>(
        &self,
        request: &Request<'_>,
        patience: &Patience,
        read: impl Fn(&Live, &Raw, &mut Reading) -> T,
    ) -> Result<Heard<T>, Failure> {
        let read = &read;
        self.with_live(patience, |live| async move {
            let (raw, mut reading) = live.ask(request, patience).await?;
            let value = read(&live, &raw, &mut reading);
            Ok(reading.finish(&live, value))
        })
        .await
    }

    /// Whether the server can be asked a method; it is started to find out.
    pub async fn supports(&self, method: &'static str, patience: &Patience) -> Result<bool, Failure> {
        self.with_live(patience, |live| async move { Ok(live.capabilities.has(method)) }).await
    }

    /// Starts the server and waits until it is ready for questions about the project.
    pub async fn warm(&self, file: Option<&Path>, patience: &Patience) -> Result<bool, Failure> {
        self.with_live(patience, |live| async move {
            let files: Vec<&Path> = file.into_iter().collect();
            drop(live.barrier(&files).await?);
            live.wait_ready(Needs::Project, patience).await
        })
        .await
    }

    /// After an empty answer: whether the server takes the file for a part of the project at all. Empty about a file
    /// that is none means nothing.
    pub async fn ensure_known(&self, file: &Path, patience: &Patience) -> Result<(), Failure> {
        if !self.server.definition.is("rust-analyzer") {
            return Ok(());
        }
        let why = self
            .with_live(patience, |live| async move {
                Ok(crate::quirk::rust_analyzer::unlinked(&live, file, patience).await)
            })
            .await?;
        match why {
            None => Ok(()),
            Some(why) => Err(Failure::NotIndexed {
                server: self.server_id().to_owned(),
                path: file.display().to_string(),
                why,
            }),
        }
    }

    /// Opens files, so that a server that knows only open files finds what is in them; whether it does now.
    pub async fn open(&self, files: &[PathBuf], patience: &Patience) -> Result<bool, Failure> {
        let in_time = files.first().is_some_and(|file| self.lacks_list(file));
        self.with_live(patience, |live| async move {
            // What is told of them is told with the question that comes next.
            if !live.state.lock().await.documents.keep_open(files) {
                let files: Vec<&Path> =
                    files.iter().map(PathBuf::as_path).filter(|path| path.is_file()).collect();
                if let Err(stuck) = live.barrier(&files).await.map(drop) {
                    let Stuck::Failed(Failure::File { .. }) = stuck else { return Err(stuck) };
                    // One that is gone meanwhile, or too large, does not keep the others closed.
                    for file in files {
                        match live.barrier(&[file]).await.map(drop) {
                            Ok(()) | Err(Stuck::Failed(Failure::File { .. })) => {}
                            Err(stuck) => return Err(stuck),
                        }
                    }
                }
            }
            if in_time { quirk::clangd::read(&live, files, patience).await } else { Ok(true) }
        })
        .await
    }
}
