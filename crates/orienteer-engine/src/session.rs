//! Who asks: a client's roots and policy.

use std::sync::Arc;

use orienteer_base::{PathError, RootedPath, Roots};

use crate::Engine;
use crate::workspace::Workspace;

/// Everything that tells one client from another. Plain data: it can be sent to another process.
#[derive(Debug, Clone)]
pub struct SessionSpec {
    pub roots: Roots,
    pub read_only: bool,
}

/// One client's view of the engine. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Session {
    engine: Arc<Engine>,
    spec: Arc<SessionSpec>,
    exacting: bool,
}

impl Session {
    pub(crate) fn new(engine: Arc<Engine>, spec: SessionSpec) -> Self {
        Self { engine, spec: Arc::new(spec), exacting: false }
    }

    pub fn roots(&self) -> &Roots {
        &self.spec.roots
    }

    pub fn read_only(&self) -> bool {
        self.spec.read_only
    }

    /// The same for a caller who wants language servers to answer or nobody: text and grammar take no server's place,
    /// and a file without a project is an error.
    #[must_use]
    pub fn exacting(&self) -> Self {
        Self { exacting: true, ..self.clone() }
    }

    pub(crate) fn is_exacting(&self) -> bool {
        self.exacting
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn spec(&self) -> Arc<SessionSpec> {
        self.spec.clone()
    }

    /// The first touch of every path an agent writes. A file outside the roots may be read when a language server
    /// named it.
    pub fn resolve(&self, written: &str) -> Result<RootedPath, PathError> {
        let refused = match self.roots().resolve(written) {
            Err(refused @ PathError::OutsideRoots { .. }) => refused,
            other => return other,
        };
        let named = std::fs::canonicalize(self.roots().workspace().join(written)).ok();
        let named =
            named.filter(|path| self.engine.is_admitted(path)).and_then(|path| self.roots().named(&path));
        named.ok_or(refused)
    }

    /// The workspace's files and words. Blocks on its first use.
    pub(crate) fn workspace(&self) -> Arc<Workspace> {
        self.engine.workspace(self.roots().workspace())
    }

    /// Stops every server of the process.
    pub async fn shut_down(&self) {
        self.engine.shut_down().await;
    }
}
