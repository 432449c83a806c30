//! Who asks: a client's roots and policy.

use std::sync::Arc;

use orienteer_base::{PathError, RootedPath, Roots};

use crate::Engine;

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
}

impl Session {
    pub(crate) fn new(engine: Arc<Engine>, spec: SessionSpec) -> Self {
        Self { engine, spec: Arc::new(spec) }
    }

    pub fn roots(&self) -> &Roots {
        &self.spec.roots
    }

    pub fn read_only(&self) -> bool {
        self.spec.read_only
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn spec(&self) -> Arc<SessionSpec> {
        self.spec.clone()
    }

    /// The first touch of every path an agent writes.
    pub fn resolve(&self, written: &str) -> Result<RootedPath, PathError> {
        self.roots().resolve(written)
    }
}
