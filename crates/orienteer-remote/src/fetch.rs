//! Is this file here with the content that was meant, and if not, how does it get here?
//!
//! What has come so far is kept beside the file under a name that holds the wanted digest, so that the next attempt goes on
//! where this one ended, and a different wish begins anew. The file itself appears at once and whole.

mod part;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_base::sha256::Undigested;
use orienteer_base::{Cancel, Digest};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_RANGE, RANGE};
use reqwest::{Response, StatusCode, Url};

use self::part::Part;
use crate::client::{AddressError, Client, address, plain};

/// Attempts after the first that did not get anything new.
const PATIENCE: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// A file that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub url: String,
    pub sha256: Digest,
    /// Where it should be.
    pub path: PathBuf,
    pub most_bytes: u64,
}

/// A file that is there as it was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    pub bytes: u64,
    /// How many of them came over the network this time; none when the file was there already.
    pub received: u64,
}

/// Why a file is not there.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error("{url} answered {status}; check the address")]
    Refused { url: String, status: u16 },
    #[error("{url} could not be read: {reason}; what has come is kept, try again")]
    Unreachable { url: String, reason: String },
    #[error("{url} is not followed: {reason}")]
    Redirect { url: String, reason: String },
    #[error("{url} has more than {limit} bytes, which is more than may be fetched")]
    TooLarge { url: String, limit: u64 },
    #[error(
        "{url} has the SHA-256 {found}, not {expected}; nothing was kept. Compare with what its author publishes"
    )]
    OtherContent { url: String, expected: Digest, found: Digest },
    #[error("{} is being fetched by another process; try again when it is done", path.display())]
    Busy { path: PathBuf },
    #[error("{} cannot be written: {source}", path.display())]
    Disk { path: PathBuf, source: io::Error },
    #[error("stopped; what has come is kept")]
    Stopped,
}

impl FetchError {
    fn disk(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self::Disk { path, source }
    }
}

/// Is told how many bytes are here, and how many there will be, where that is known.
pub type Progress<'p> = &'p (dyn Fn(u64, Option<u64>) + Sync);

/// Makes sure that a file is there as it is wanted.
pub async fn fetch(
    client: &Client,
    wanted: &Wanted,
    cancel: &Cancel,
    progress: Progress<'_>,
) -> Result<Fetched, FetchError> {
    let url = address(&wanted.url)?;
    if let Some(bytes) = already_there(wanted, cancel).await? {
        return Ok(Fetched { bytes, received: 0 });
    }
    let mut part = Part::open(wanted, cancel).await?;
    let had = part.length();
    let mut received = 0;
    let mut failed = 0;
    let mut pause = FIRST_PAUSE;
    while !part.is_finished() {
        cancel.check().map_err(|_| FetchError::Stopped)?;
        let before = received;
        let outcome = attempt(client, &url, wanted, &mut part, &mut received, cancel, progress).await;
        match outcome {
            Ok(()) => {}
            Err(FetchError::Unreachable { url, reason }) => {
                failed = if received > before { 0 } else { failed + 1 };
                if failed > PATIENCE {
                    return Err(FetchError::Unreachable { url, reason });
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(5));
            }
            Err(error @ FetchError::TooLarge { .. }) => {
                part.discard().await?;
                return Err(error);
            }
            Err(error) => return Err(error),
        }
    }
    let bytes = part.length();
    match part.keep(wanted).await {
        // What an earlier attempt left may be the beginning of something else.
        Err(FetchError::OtherContent { .. }) if had > 0 && received < bytes => {
            Box::pin(fetch(client, wanted, cancel, progress)).await
        }
        kept => kept.map(|()| Fetched { bytes, received }),
    }
}

/// How large a file is that is there as it is wanted.
async fn already_there(wanted: &Wanted, cancel: &Cancel) -> Result<Option<u64>, FetchError> {
    let (path, expected, limit, cancel) =
        (wanted.path.clone(), wanted.sha256, wanted.most_bytes, cancel.clone());
    let look = move || {
        let Ok(mut file) = File::open(&path) else { return Ok(None) };
        let bytes = file.metadata().map(|data| data.len()).unwrap_or(0);
        match Digest::of(&mut file, limit, &cancel) {
            Ok(found) => Ok((found == expected).then_some(bytes)),
            Err(Undigested::Stopped(_)) => Err(FetchError::Stopped),
            // Something else stands there, which the wanted file replaces.
            Err(Undigested::Io(_) | Undigested::TooLarge { .. }) => Ok(None),
        }
    };
    tokio::task::spawn_blocking(look).await.unwrap_or(Err(FetchError::Stopped))
}

/// Asks for what is missing and writes what comes. `Ok` means that the answer came to its end.
async fn attempt(
    client: &Client,
    url: &Url,
    wanted: &Wanted,
    part: &mut Part,
    received: &mut u64,
    cancel: &Cancel,
    progress: Progress<'_>,
) -> Result<(), FetchError> {
    let mut request = client.inner.get(url.clone()).header(ACCEPT_ENCODING, "identity");
    if part.length() > 0 {
        request = request.header(RANGE, format!("bytes={}-", part.length()));
    }
    let unreachable = |error: reqwest::Error| {
        let (url, redirect) = (wanted.url.clone(), error.is_redirect());
        let reason = plain(&error.without_url());
        // Asking again would not lead elsewhere.
        if redirect { FetchError::Redirect { url, reason } } else { FetchError::Unreachable { url, reason } }
    };
    let mut response = request.send().await.map_err(unreachable)?;
    match response.status() {
        StatusCode::PARTIAL_CONTENT if starts_at(&response) == Some(part.length()) => {}
        // It does not give parts, or not this one: from the beginning.
        StatusCode::OK => part.restart().await?,
        StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE if part.length() > 0 => {
            part.restart().await?;
            let reason = "it did not go on where it was asked to".to_owned();
            return Err(FetchError::Unreachable { url: wanted.url.clone(), reason });
        }
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            return Err(FetchError::Unreachable {
                url: wanted.url.clone(),
                reason: format!("it answered {status}"),
            });
        }
        status => return Err(FetchError::Refused { url: wanted.url.clone(), status: status.as_u16() }),
    }
    let too_large = || FetchError::TooLarge { url: wanted.url.clone(), limit: wanted.most_bytes };
    let total = response.content_length().map(|rest| part.length().saturating_add(rest));
    if total.is_some_and(|total| total > wanted.most_bytes) {
        return Err(too_large());
    }
    while let Some(bytes) = response.chunk().await.map_err(unreachable)? {
        cancel.check().map_err(|_| FetchError::Stopped)?;
        if part.length().saturating_add(bytes.len() as u64) > wanted.most_bytes {
            return Err(too_large());
        }
        *received += bytes.len() as u64;
        part.add(&bytes).await?;
        progress(part.length(), total);
    }
    part.finish();
    Ok(())
}

/// Where the part begins that was sent.
fn starts_at(response: &Response) -> Option<u64> {
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}
