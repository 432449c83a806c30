//! Is what a server proposes about the files as they are?
//!
//! Between a question and its answer files may change, and an edit is made of places in the texts that the server had.
//! So the barrier runs once more when an edit has been read: if there was anything to tell, or a document has another
//! text or version than the server speaks about, it is asked again.

use orienteer_edit::EditError;
use tokio::runtime::RuntimeFlavor;

use crate::failure::Failure;
use crate::lease::Heard;
use crate::live::{Live, Moment, Patience, Request, Seen, Stuck};
use crate::message::Raw;
use crate::workspace_edit::{Gathering, Proposed, Unusable};

/// How often it is asked while files keep changing.
const TRIES: usize = 3;

/// An edit that was read, and what surrounds it.
pub(crate) struct Attempt {
    pub(crate) gathered: Result<Gathering, EditError>,
    pub(crate) seen: Seen,
    /// Of the documents when the server was asked.
    pub(crate) epoch: u64,
}

/// Asks for edits and reads them.
pub(crate) async fn ask(
    live: &Live,
    request: &Request<'_>,
    patience: &Patience,
    read: impl Fn(&mut Gathering, &Raw) -> Result<(), Unusable>,
) -> Result<Heard<Result<Proposed, EditError>>, Stuck> {
    let read = &read;
    settled(live, || async move {
        let (raw, reading, Moment { epoch, .. }) = live.ask_noting(request, patience).await?;
        // What cannot be read of an edit makes it no edit.
        let gathered = gather(live, request.method, |gathering| read(gathering, &raw))?;
        let seen = reading.finish(live, ()).seen;
        Ok(Attempt { gathered, seen, epoch })
    })
    .await
}

/// Tries until an attempt is about the files as they are.
pub(crate) async fn settled<F>(
    live: &Live,
    attempt: impl Fn() -> F,
) -> Result<Heard<Result<Proposed, EditError>>, Stuck>
where
    F: Future<Output = Result<Attempt, Stuck>>,
{
    for _ in 0..TRIES {
        let Attempt { gathered, seen, epoch } = attempt().await?;
        let (state, _) = live.barrier(&[]).await?;
        let current = state.documents.epoch == epoch;
        match gathered {
            Ok(gathered) if current && gathered.is_about(&state) => {
                drop(state);
                let proposed = blocking(|| gathered.finish());
                return Ok(Heard { value: Ok(proposed), seen });
            }
            Err(error) if current => return Ok(Heard { value: Err(error), seen }),
            _ => tracing::debug!(server = live.definition.id, "an edit of other texts than those on disk"),
        }
    }
    let doing = "files keep changing while it is asked, or it speaks about other versions of them";
    Err(Failure::NotReady {
        server: live.definition.id.clone(),
        doing: Some(doing.to_owned()),
        retry_after_ms: 1_000,
    }
    .into())
}

/// Reads edits. What cannot be read is the server's failure, what cannot be done is the edit's.
pub(crate) fn gather(
    live: &Live,
    method: &'static str,
    read: impl FnOnce(&mut Gathering) -> Result<(), Unusable>,
) -> Result<Result<Gathering, EditError>, Failure> {
    blocking(|| {
        let mut gathering = Gathering::new(&live.roots, live.unit);
        match read(&mut gathering) {
            Ok(()) => Ok(Ok(gathering)),
            Err(Unusable::Edit(error)) => Ok(Err(error)),
            Err(Unusable::Odd(message)) => {
                let server = live.definition.id.clone();
                Err(Failure::Refused { server, method, code: 0, message })
            }
        }
    })
}

/// Files are read: other tasks of the thread go on meanwhile.
fn blocking<T>(work: impl FnOnce() -> T) -> T {
    if tokio::runtime::Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread {
        tokio::task::block_in_place(work)
    } else {
        work()
    }
}
