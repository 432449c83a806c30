//! Is a host asked rarely and politely, and is every kind of failure told as what it is?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orienteer_base::{ErrorKind, Problem};
use orienteer_remote::api::{Bucket, Expected, FOREVER, Reply, Request};
use orienteer_remote::{
    Api, ApiError, Cache, CacheLimits, Client, Credential, Pacing, Proxies, Scheme, Secret,
};

use crate::stub::{Answer, Stub, api, api_with, pacing};

pub(crate) fn ask(stub: &Stub, path: &str) -> Request {
    Request::new(&stub.url(), path)
}

pub(crate) fn text(reply: &Reply) -> String {
    String::from_utf8(reply.body.to_vec()).unwrap()
}

pub(crate) fn token(stub: &Stub) -> Option<Credential> {
    Credential::new(Secret::new("s3cret").unwrap(), Scheme::Bearer, &stub.url())
}

fn limited(error: ApiError) -> (u64, bool) {
    match error {
        ApiError::RateLimited { retry_after_ms, secondary, .. } => (retry_after_ms, secondary),
        other => panic!("not limited, but: {other}"),
    }
}

/// Waits for something that must come.
async fn until(condition: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while !condition().await {
        assert!(begin.elapsed() < Duration::from_secs(60), "it does not come");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_answer_is_confirmed_by_its_etag_and_not_sent_again() {
    let stub = Stub::start(|asked, _| match asked.header("if-none-match") {
        Some("\"v1\"") => Answer::status(304, ""),
        _ => Answer::json("{\"a\":1}").with("ETag", "\"v1\"").with("Link", "<x>; rel=\"next\""),
    });
    let api = api();
    let first = api.get(&ask(&stub, "x")).await.unwrap();
    let again = api.get(&ask(&stub, "x")).await.unwrap();
    assert_eq!((text(&first), text(&again)), ("{\"a\":1}".into(), "{\"a\":1}".into()));
    assert!(again.has_next(), "headers are kept, too");
    // The host said that nothing has changed: that is as good as asked just now.
    assert_eq!(again.cached_ms, None);
    let asked: Vec<_> = stub.asked().iter().map(|asked| asked.header("if-none-match").is_some()).collect();
    assert_eq!(asked, [false, true]);
}

#[tokio::test]
async fn a_changed_answer_replaces_the_kept_one() {
    let stub = Stub::start(|asked, before| {
        assert_eq!(asked.header("if-none-match").is_some(), before > 0);
        Answer::json(&format!("{before}")).with("ETag", format!("\"{before}\""))
    });
    let api = api();
    for expected in ["0", "1", "2"] {
        assert_eq!(text(&api.get(&ask(&stub, "x")).await.unwrap()), expected);
    }
}

#[tokio::test]
async fn a_fresh_answer_needs_no_request_and_comes_at_once() {
    let stub = Stub::start(|_, _| Answer::json(&format!("[{}]", "1,".repeat(50_000) + "1")));
    let folder = tempfile::tempdir().unwrap();
    let client = Client::new(&Proxies::default()).unwrap();
    let api = Api::new(client, Cache::open(folder.path(), CacheLimits::default()), pacing());
    let request = Request { fresh_for: Duration::from_secs(3600), ..ask(&stub, "x") };
    api.get(&request).await.unwrap();
    let mut times = Vec::new();
    for _ in 0..50 {
        let begin = Instant::now();
        let reply = api.get(&request).await.unwrap();
        times.push(begin.elapsed());
        assert!(reply.cached_ms.is_some() && !reply.offline);
    }
    assert_eq!(stub.count(), 1);
    times.sort();
    assert!(times[25] < Duration::from_millis(2), "{times:?}");
    // Who is not content with old answers asks again.
    api.get(&Request { fresh_for: Duration::ZERO, ..request }).await.unwrap();
    assert_eq!(stub.count(), 2);
}

#[tokio::test]
async fn the_cache_of_one_account_does_not_answer_another() {
    let stub = Stub::start(|asked, _| {
        Answer::json(&format!("{:?}", asked.header("authorization").unwrap_or("nobody")))
    });
    let api = api();
    let plain = Request { fresh_for: FOREVER, ..ask(&stub, "x") };
    let mine = Request { credential: token(&stub), ..plain.clone() };
    assert_eq!(text(&api.get(&mine).await.unwrap()), "\"Bearer s3cret\"");
    assert_eq!(text(&api.get(&plain).await.unwrap()), "\"nobody\"");
    assert_eq!(stub.count(), 2);
}

#[tokio::test]
async fn what_is_kept_on_disk_holds_no_token() {
    let stub = Stub::start(|_, _| Answer::json("{}").with("ETag", "\"1\""));
    let folder = tempfile::tempdir().unwrap();
    let client = Client::new(&Proxies::default()).unwrap();
    let api = Api::new(client, Cache::open(folder.path(), CacheLimits::default()), pacing());
    api.get(&Request { credential: token(&stub), ..ask(&stub, "x") }).await.unwrap();
    let mut files = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"s3cret"));
        files += 1;
    }
    assert!(files >= 1);
}

#[tokio::test]
async fn the_same_question_in_flight_is_asked_once() {
    let open = Arc::new(AtomicBool::new(false));
    let held = Arc::clone(&open);
    let stub = Stub::start(move |_, _| {
        while !held.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        Answer::json("7")
    });
    let api = api();
    let waiters: Vec<_> = (0..20)
        .map(|_| {
            let (api, request) = (api.clone(), ask(&stub, "x"));
            tokio::spawn(async move { api.get(&request).await })
        })
        .collect();
    until(async || api.sizes().await.waiting == 20 && stub.count() > 0).await;
    // Who asked first leaves; the others still get their answer.
    waiters[0].abort();
    until(async || api.sizes().await.waiting == 19).await;
    open.store(true, Ordering::Release);
    let mut answered = 0;
    for waiter in waiters {
        match waiter.await {
            Ok(reply) => {
                assert_eq!(text(&reply.unwrap()), "7");
                answered += 1;
            }
            Err(error) => assert!(error.is_cancelled()),
        }
    }
    assert_eq!((answered, stub.count()), (19, 1));
    assert_eq!(api.sizes().await.in_flight, 0);
}

#[tokio::test]
async fn when_the_last_one_leaves_the_request_ends() {
    let stub = Stub::start(|_, _| Answer::Stall);
    let api = api();
    let (asking, request) = (api.clone(), ask(&stub, "x"));
    let waiter = tokio::spawn(async move { asking.get(&request).await });
    until(async || stub.count() > 0).await;
    waiter.abort();
    until(async || api.sizes().await.in_flight == 0).await;
}

#[tokio::test]
async fn limits_are_obeyed_however_they_are_told() {
    let soon = |seconds: u64| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        (now + seconds).to_string()
    };
    let secondary = r#"{"message":"You have exceeded a secondary rate limit. Please wait."}"#;
    let cases: Vec<(&str, Answer, std::ops::RangeInclusive<u64>, bool)> = vec![
        ("seconds", Answer::status(429, "").with("Retry-After", 120), 119_000..=120_000, false),
        (
            "a date",
            Answer::status(403, "")
                .with("Date", "Thu, 29 Feb 2024 23:59:59 GMT")
                .with("Retry-After", "Fri, 01 Mar 2024 00:01:00 GMT"),
            60_000..=61_000,
            false,
        ),
        ("absent", Answer::status(429, "{}"), 59_000..=60_000, false),
        ("words only", Answer::status(403, secondary), 59_000..=60_000, true),
        (
            "none remaining",
            Answer::status(403, "{}").with("X-RateLimit-Remaining", 0).with("X-RateLimit-Reset", soon(600)),
            500_000..=600_000,
            false,
        ),
        (
            "a clock that is a year off",
            Answer::status(403, "{}")
                .with("Date", "Thu, 29 Feb 2024 23:59:59 GMT")
                .with("X-RateLimit-Remaining", 0)
                .with("X-RateLimit-Reset", 1_709_251_199 + 600),
            599_000..=600_000,
            false,
        ),
        (
            "as GitLab tells it",
            Answer::status(429, "Retry later").with("RateLimit-Remaining", 0).with("RateLimit-Reset", 30),
            29_000..=30_000,
            false,
        ),
    ];
    for (name, answer, expected, is_secondary) in cases {
        let stub = Stub::start(move |_, _| answer.clone());
        let api = api();
        let (wait, said) = limited(api.get(&ask(&stub, "x")).await.unwrap_err());
        assert!(expected.contains(&wait), "{name}: {wait}");
        assert_eq!(said, is_secondary, "{name}");
        // The next question does not even go out.
        let problem = Problem::from(api.get(&ask(&stub, "y")).await.unwrap_err());
        assert_eq!(problem.kind, ErrorKind::RateLimited, "{name}");
        assert!(problem.retry_after_ms.is_some_and(|wait| wait <= *expected.end()), "{name}");
        assert_eq!(stub.count(), 1, "{name}");
    }
}

#[tokio::test]
async fn the_last_answer_before_a_limit_stops_only_its_own_bucket_and_account() {
    let stub = Stub::start(|asked, _| {
        let answer = Answer::json("1");
        if asked.target.starts_with("/search") {
            answer.with("X-RateLimit-Remaining", 0).with("X-RateLimit-Reset", 90)
        } else {
            answer.with("X-RateLimit-Remaining", 4999)
        }
    });
    let api = api();
    let search = |path| Request { bucket: Bucket::Search, ..ask(&stub, path) };
    assert!(api.get(&search("search/1")).await.is_ok(), "the last one is an answer");
    let (wait, _) = limited(api.get(&search("search/2")).await.unwrap_err());
    assert!((60_000..=90_000).contains(&wait), "{wait}");
    assert!(api.get(&ask(&stub, "file")).await.is_ok(), "other requests go on");
    let mine = Request { credential: token(&stub), ..search("search/2") };
    assert!(api.get(&mine).await.is_ok(), "so does another account");
}

#[tokio::test]
async fn who_was_too_fast_is_left_alone_in_every_bucket() {
    let stub = Stub::start(|_, _| Answer::status(403, "You have exceeded a secondary rate limit."));
    let api = api();
    let search = Request { bucket: Bucket::CodeSearch, ..ask(&stub, "search") };
    assert_eq!(limited(api.get(&search).await.unwrap_err()), (60_000, true));
    let (wait, secondary) = limited(api.get(&ask(&stub, "file")).await.unwrap_err());
    assert!(secondary && (30_000..=60_000).contains(&wait), "{wait}");
    assert_eq!(stub.count(), 1);
    // Another account was not.
    let mine = Request { credential: token(&stub), ..ask(&stub, "file") };
    assert!(api.get(&mine).await.is_err());
    assert_eq!(stub.count(), 2);
}

#[tokio::test]
async fn who_stood_in_line_when_the_host_had_enough_is_not_sent() {
    let open = Arc::new(AtomicBool::new(false));
    let held = Arc::clone(&open);
    let stub = Stub::start(move |_, _| {
        while !held.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        Answer::status(429, "").with("Retry-After", 120)
    });
    let api = api();
    let questions: Vec<_> = (0..12)
        .map(|number| {
            let (api, request) = (api.clone(), ask(&stub, &format!("x{number}")));
            tokio::spawn(async move { api.get(&request).await })
        })
        .collect();
    // Eight are under way; the other four wait for a place, and nobody has told of a limit yet.
    until(async || stub.count() == 8 && api.sizes().await.waiting == 12).await;
    open.store(true, Ordering::Release);
    for question in questions {
        let (wait, _) = limited(question.await.unwrap().unwrap_err());
        assert!((60_000..=120_000).contains(&wait), "{wait}");
    }
    assert_eq!(stub.count(), 8);
}

#[tokio::test]
async fn a_short_limit_is_waited_for() {
    let stub = Stub::start(|_, before| match before {
        0 => Answer::status(429, "").with("Retry-After", "0.05"),
        _ => Answer::json("1"),
    });
    let begin = Instant::now();
    assert!(api().get(&ask(&stub, "x")).await.is_ok());
    assert!(begin.elapsed() >= Duration::from_millis(50));
    assert_eq!(stub.count(), 2);
}

#[tokio::test]
async fn five_questions_side_by_side_take_as_long_as_the_slowest() {
    // Each is held until all five have come: one after the other they would never be answered.
    let barrier = Arc::new(std::sync::Barrier::new(5));
    let stub = Stub::start(move |_, _| {
        barrier.wait();
        Answer::json("1")
    });
    let api = api_with(Pacing { total: Duration::from_secs(10), ..pacing() });
    let asked: Vec<_> = (0..5)
        .map(|number| {
            let (api, request) = (api.clone(), ask(&stub, &format!("x{number}")));
            tokio::spawn(async move { api.get(&request).await })
        })
        .collect();
    for question in asked {
        assert!(question.await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn five_thousand_requests_leave_nothing_behind_but_a_bounded_cache() {
    let stub = Stub::start(|asked, _| Answer::json(&format!("\"{}{}\"", asked.target, "x".repeat(1000))));
    let limits = CacheLimits { bytes: 1 << 20, ..CacheLimits::default() };
    let api = Api::new(Client::new(&Proxies::default()).unwrap(), Cache::in_memory(limits), pacing());
    for round in 0..500 {
        let asked: Vec<_> = (0..10)
            .map(|number| {
                let (api, request) = (api.clone(), ask(&stub, &format!("x{}", round * 10 + number)));
                tokio::spawn(async move { api.get(&request).await })
            })
            .collect();
        for question in asked {
            question.await.unwrap().unwrap();
        }
    }
    let sizes = api.sizes().await;
    assert_eq!(stub.count(), 5000);
    assert_eq!((sizes.in_flight, sizes.lanes), (0, 1));
    assert!(sizes.bytes <= limits.bytes && sizes.answers < 1000, "{sizes:?}");
}

#[tokio::test]
async fn bytes_are_given_as_they_are() {
    let stub = Stub::start(|_, _| Answer::status(200, "<raw \u{1F600}"));
    let request = Request { expected: Expected::Bytes, ..ask(&stub, "x") };
    assert_eq!(text(&api().get(&request).await.unwrap()), "<raw \u{1F600}");
}
