//! In place of `queue` and `collector` on systems whose order of events nobody has shown: they cannot be made.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::inbox::{Hint, Inbox};

#[derive(Debug)]
pub(crate) enum Said {
    Touched(PathBuf, Hint),
    Lost,
}

#[derive(Debug)]
pub(crate) struct Queue(Infallible);

impl Queue {
    pub(crate) fn new() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn watch(&self, _folder: &Path) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn drain(&self, _say: impl FnMut(Said)) {
        match self.0 {}
    }
}

#[derive(Debug)]
pub(crate) struct Collector(Infallible);

impl Collector {
    pub(crate) fn start(inbox: Arc<Inbox>) -> io::Result<Self> {
        match inbox.queue.0 {}
    }
}
