//! How is one question asked of another machine, as rarely and as politely as possible?
//!
//! This is the one door for requests to forges and registries. A fresh answer of the cache needs no request; an older
//! one is confirmed by its ETag; the same question in flight is asked once; each host is asked at the pace that it tells;
//! what breaks on the way is tried again; where nothing can be reached, the cached answer is given and marked.

mod cache;
mod date;
mod error;
mod flight;
mod limit;
mod pace;
mod reply;
mod request;
mod send;

use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use tokio::sync::SemaphorePermit;

use self::cache::Kept;
pub use self::cache::{Cache, CacheLimits};
pub use self::error::ApiError;
use self::flight::Flights;
use self::limit::Verdict;
pub use self::pace::Pacing;
use self::pace::{Lane, Lanes};
pub use self::reply::Reply;
pub use self::request::{Bucket, Expected, Request};
use self::send::Received;
use crate::client::Client;

/// Asks. Clones share everything.
#[derive(Debug, Clone)]
pub struct Api(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    client: Client,
    cache: Cache,
    pacing: Pacing,
    lanes: Lanes,
    flights: Flights,
}

/// How much is kept in memory and on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    pub in_flight: usize,
    /// Who waits for an answer; of those who ask the same, each is counted.
    pub waiting: usize,
    pub lanes: usize,
    pub answers: u64,
    pub bytes: u64,
}

impl Api {
    pub fn new(client: Client, cache: Cache, pacing: Pacing) -> Self {
        let (lanes, flights) = (Lanes::default(), Flights::default());
        Self(Arc::new(Inner { client, cache, pacing, lanes, flights }))
    }

    /// The answer to a question. Dropping the future lets go of it; others who asked the same still get theirs.
    pub async fn get(&self, request: &Request) -> Result<Reply, ApiError> {
        let url = request.url()?;
        let key = request.key(&url);
        let kept = self.0.cache.find(key).await;
        if let Some(kept) = kept.as_ref().filter(|kept| kept.age() < request.fresh_for) {
            return from_cache(kept, request, &url, false);
        }
        let (inner, request) = (Arc::clone(&self.0), request.clone());
        let flight = (key, request.max_bytes);
        let work = async move { inner.ask(key, &request, &url, kept).await };
        self.0.flights.join(flight, work).await
    }

    pub async fn sizes(&self) -> Sizes {
        let (answers, bytes) = self.0.cache.size().await;
        let (in_flight, waiting) = (self.0.flights.len(), self.0.flights.waiting());
        Sizes { in_flight, waiting, lanes: self.0.lanes.len(), answers, bytes }
    }
}

impl Inner {
    async fn ask(
        &self,
        key: [u8; 32],
        request: &Request,
        url: &Url,
        kept: Option<Kept>,
    ) -> Result<Reply, ApiError> {
        let within = self.pacing.total;
        let asked = tokio::time::timeout(within, self.persist(key, request, url, kept.as_ref())).await;
        let outcome = asked.unwrap_or_else(|_| Err(ApiError::timeout(url, within)));
        match (outcome, kept) {
            // Better an old answer that says so than none.
            (
                Err(ApiError::Network { .. } | ApiError::Certificate { .. } | ApiError::Timeout { .. }),
                Some(kept),
            ) => from_cache(&kept, request, url, true),
            (outcome, _) => outcome,
        }
    }

    /// Asks until there is an answer, or no hope.
    async fn persist(
        &self,
        key: [u8; 32],
        request: &Request,
        url: &Url,
        kept: Option<&Kept>,
    ) -> Result<Reply, ApiError> {
        let lane = self.lanes.of(request, url);
        let mut failed = 0;
        loop {
            let place = self.turn(&lane, request, url).await?;
            let received = send::send(&self.client, request, url, kept).await;
            // Noted before the place is given on: who comes next must know of it.
            let verdict = received.as_ref().map_or(Verdict::Fine, |received| lane.note(received));
            drop(place);
            let received = match received {
                Ok(received) => received,
                Err(failure) => {
                    if !failure.passes(failed) || failed >= self.pacing.retries {
                        return Err(failure.into_error(url, request));
                    }
                    tokio::time::sleep(self.pacing.pause(failed)).await;
                    failed += 1;
                    continue;
                }
            };
            if let Verdict::Limited { wait, secondary } = verdict {
                if wait > self.pacing.patient || failed >= self.pacing.retries {
                    return Err(ApiError::limited(url, request.bucket, wait, secondary));
                }
                failed += 1;
                continue;
            }
            if received.status >= 500 && failed < self.pacing.retries {
                tokio::time::sleep(self.pacing.pause(failed)).await;
                failed += 1;
                continue;
            }
            return self.take(key, request, url, received, kept).await;
        }
    }

    /// A place among those who ask now. Waits where the host has asked for it, when that is short; otherwise says how long.
    async fn turn<'l>(
        &self,
        lane: &'l Lane,
        request: &Request,
        url: &Url,
    ) -> Result<Option<SemaphorePermit<'l>>, ApiError> {
        loop {
            while let Some((wait, secondary)) = lane.wait() {
                if wait > self.pacing.patient {
                    return Err(ApiError::limited(url, request.bucket, wait, secondary));
                }
                tokio::time::sleep(wait).await;
            }
            let place = lane.enter().await;
            // While we stood in line, an answer to somebody else may have closed the lane.
            if lane.wait().is_none() {
                return Ok(place);
            }
        }
    }

    /// Reads an answer that is final, and keeps what may be asked for again.
    async fn take(
        &self,
        key: [u8; 32],
        request: &Request,
        url: &Url,
        received: Received,
        kept: Option<&Kept>,
    ) -> Result<Reply, ApiError> {
        match (received.status, kept) {
            (304, Some(kept)) => {
                self.cache.confirm(key).await;
                let mut reply = from_cache(kept, request, url, false)?;
                reply.cached_ms = None;
                Ok(reply)
            }
            (200..=299, _) => {
                let reply = Reply::new(received, url);
                reply.check(request)?;
                let kept = Kept::new(&reply);
                self.cache.keep(key, kept).await;
                Ok(reply)
            }
            _ => Err(ApiError::refused(url, &received, request)),
        }
    }
}

fn from_cache(kept: &Kept, request: &Request, url: &Url, offline: bool) -> Result<Reply, ApiError> {
    if kept.body.len() > request.max_bytes {
        return Err(ApiError::too_large(url, request.max_bytes));
    }
    let age = u64::try_from(kept.age().as_millis()).unwrap_or(u64::MAX);
    Ok(Reply {
        status: 200,
        headers: kept.headers.clone(),
        body: Arc::clone(&kept.body),
        host: url.authority().to_owned(),
        moved: kept.moved.clone(),
        cached_ms: Some(age),
        offline,
    })
}

/// For questions about something that cannot change, such as a file of a commit.
pub const FOREVER: Duration = Duration::MAX;
