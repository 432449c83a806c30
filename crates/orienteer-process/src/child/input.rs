//! How is a child's standard input closed from outside?
//!
//! The writing end usually lives in a task of its own, far from whoever decides to stop the child. Most
//! servers end when their input does, so stopping must be able to close the pipe under the writer.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use tokio::io::AsyncWrite;
use tokio::process::ChildStdin;

use crate::output::lock;

/// The standard input of a child. Dropping it, or shutting it down, closes the input.
#[derive(Debug)]
pub struct ChildInput {
    shared: Arc<Mutex<Shared>>,
}

/// Closes a child's input, wherever its [`ChildInput`] is.
#[derive(Debug)]
pub(super) struct InputCloser {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug)]
struct Shared {
    /// Empty once the input is closed.
    pipe: Option<ChildStdin>,
    /// The writer to be woken on closing: it may be waiting for room in a pipe that is about to vanish,
    /// and a pipe that vanishes wakes nobody.
    waiting: Option<Waker>,
}

impl ChildInput {
    pub(super) fn new(pipe: ChildStdin) -> (Self, InputCloser) {
        let shared = Arc::new(Mutex::new(Shared { pipe: Some(pipe), waiting: None }));
        (Self { shared: Arc::clone(&shared) }, InputCloser { shared })
    }

    /// Passes a call on to the pipe, or fails when the input was closed.
    fn poll_pipe<T>(
        &self,
        context: &mut Context<'_>,
        call: impl FnOnce(Pin<&mut ChildStdin>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut shared = lock(&self.shared);
        let Some(pipe) = &mut shared.pipe else {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        };
        let result = call(Pin::new(pipe), context);
        shared.waiting = result.is_pending().then(|| context.waker().clone());
        result
    }
}

impl InputCloser {
    /// Closes the input. A write that is under way fails.
    pub(super) fn close(&self) {
        close(&self.shared);
    }
}

fn close(shared: &Mutex<Shared>) {
    let waiting = {
        let mut shared = lock(shared);
        shared.pipe = None;
        shared.waiting.take()
    };
    if let Some(waiting) = waiting {
        waiting.wake();
    }
}

impl AsyncWrite for ChildInput {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_pipe(context, |pipe, context| pipe.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_pipe(context, |pipe, context| pipe.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        close(&self.shared);
        Poll::Ready(Ok(()))
    }
}

impl Drop for ChildInput {
    fn drop(&mut self) {
        close(&self.shared);
    }
}
