//! How is output drained?

mod capture;
mod tail;

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

pub(crate) use capture::Capture;
pub use capture::Captured;
pub(crate) use tail::Tail;

/// How much is read at once. It matches the usual size of a pipe, so one read empties a full one.
const CHUNK: usize = 64 * 1024;

/// Something that decides what to keep of a stream.
pub(crate) trait Sink: Send {
    /// Takes the next bytes of the stream.
    fn push(&mut self, bytes: &[u8]);
    /// Learns that the stream has come to its end.
    fn end(&mut self) {}
}

/// Reads `stream` to its end into `sink`.
///
/// Reading goes on after the sink has stopped keeping anything: a child that finds its pipe full stops
/// working, and then waits for us while we wait for it.
pub(crate) async fn drain(mut stream: impl AsyncRead + Unpin, sink: &Mutex<impl Sink>) {
    let mut chunk = vec![0; CHUNK];
    loop {
        match stream.read(&mut chunk).await {
            Ok(0) => return lock(sink).end(),
            Ok(count) => lock(sink).push(&chunk[..count]),
            Err(error) => {
                // The sink is not told of an end, so what it holds is reported as incomplete.
                tracing::warn!(%error, "reading the output of a child failed");
                return;
            }
        }
    }
}

/// Locks a mutex whose data stays sound when a holder panics, as everything that this crate locks does.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
