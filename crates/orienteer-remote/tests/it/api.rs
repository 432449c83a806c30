//! Is a host asked rarely and politely, and is every kind of failure told as what it is?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orienteer_base::{ErrorKind, Problem};
use orienteer_remote::api::{Bucket, Expected, FOREVER, Reply, Request};
use orienteer_remote::{
    Api, ApiError, Cache, CacheLimits, Client, Credential, Pacing, Proxies, Scheme, Secret,
};

use crate::stub::{Answer, Asked, Stub, api, api_with, pacing};

fn ask(stub: &Stub, path: &str) -> Request {
    Request::new(&stub.url(), path)
}

fn text(reply: &Reply) -> String {
    String::from_utf8(reply.body.to_vec()).unwrap()
}

fn token(stub: &Stub) -> Option<Credential> {
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
        assert!(begin.elapsed() < Duration::from_secs(10), "it does not come");
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
            597_000..=600_000,
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
    assert!((89_000..=90_000).contains(&wait), "{wait}");
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
    assert!(secondary && (59_000..=60_000).contains(&wait), "{wait}");
    assert_eq!(stub.count(), 1);
    // Another account was not.
    let mine = Request { credential: token(&stub), ..ask(&stub, "file") };
    assert!(api.get(&mine).await.is_err());
    assert_eq!(stub.count(), 2);
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
async fn what_breaks_on_the_way_is_tried_again() {
    let broken: [(&str, Answer); 4] = [
        ("502", Answer::status(502, "<html>bad gateway</html>")),
        ("503", Answer::status(503, "")),
        ("reset", Answer::Reset),
        ("short", Answer::Short),
    ];
    for (name, answer) in broken {
        let stub = Stub::start(move |_, before| if before < 2 { answer.clone() } else { Answer::json("1") });
        let reply = api().get(&ask(&stub, "x")).await;
        assert_eq!(text(&reply.unwrap()), "1", "{name}");
        assert_eq!(stub.count(), 3, "{name}");
    }
}

#[tokio::test]
async fn what_stays_broken_is_told_after_few_attempts() {
    let stub = Stub::start(|_, _| Answer::status(500, "{\"message\":\"oops\"}"));
    let problem = Problem::from(api().get(&ask(&stub, "x")).await.unwrap_err());
    assert_eq!(problem.kind, ErrorKind::Network);
    assert!(problem.message.contains("answered 500: oops"), "{problem}");
    assert_eq!(stub.count(), 3);
    for answer in [Answer::Reset, Answer::Short] {
        let stub = Stub::start(move |_, _| answer.clone());
        let error = api().get(&ask(&stub, "x")).await.unwrap_err();
        assert!(matches!(&error, ApiError::Network { host, .. } if *host == stub.name()), "{error}");
        assert!((3..=4).contains(&stub.count()), "{}", stub.count());
    }
}

#[tokio::test]
async fn what_a_host_refuses_is_not_tried_again() {
    for (status, kind) in [
        (401, ErrorKind::AuthRequired),
        (403, ErrorKind::AuthRequired),
        (404, ErrorKind::NotFound),
        (422, ErrorKind::InvalidParams),
    ] {
        let stub = Stub::start(move |_, _| Answer::status(status, "{\"message\":\"no\"}"));
        let problem = Problem::from(api().get(&ask(&stub, "x")).await.unwrap_err());
        assert_eq!(problem.kind, kind);
        assert_eq!(stub.count(), 1, "{status}");
    }
}

#[tokio::test]
async fn pages_and_broken_json_are_no_answers_and_are_not_kept() {
    for (name, wrong) in [
        ("HTML", Answer::status(200, "<html>please log in</html>").with("Content-Type", "text/html")),
        ("HTML without a type", Answer::status(200, "\n <!doctype html>")),
        ("half of it", Answer::json("{\"a\":")),
        ("nothing", Answer::json("")),
        ("not even text", Answer::status(200, "\u{0}\u{1}")),
    ] {
        let stub = Stub::start(move |_, before| if before == 0 { wrong.clone() } else { Answer::json("1") });
        let api = api();
        let request = Request { fresh_for: FOREVER, ..ask(&stub, "x") };
        let error = api.get(&request).await.unwrap_err();
        assert!(matches!(&error, ApiError::Unreadable { status: 200, .. }), "{name}: {error}");
        assert!(error.to_string().contains(&stub.name()), "{name}: {error}");
        assert!(api.get(&request).await.is_ok(), "{name}");
    }
    // An HTML page with an error status is an error with that status.
    let stub = Stub::start(|_, _| Answer::status(404, "<html>nothing here</html>"));
    let error = api().get(&ask(&stub, "x")).await.unwrap_err();
    assert_eq!(error.status(), Some(404));
    assert!(!error.to_string().contains('<'), "{error}");
}

#[tokio::test]
async fn an_answer_over_the_limit_is_cut_off() {
    let stub = Stub::start(|_, _| Answer::json(&format!("\"{}\"", "x".repeat(5 << 20))));
    let request = Request { max_bytes: 1 << 20, ..ask(&stub, "x") };
    let problem = Problem::from(api().get(&request).await.unwrap_err());
    assert_eq!(problem.kind, ErrorKind::TooLarge);
    assert!(problem.message.contains("1048576 bytes"), "{problem}");
    let reply = api().get(&Request { max_bytes: 6 << 20, ..ask(&stub, "x") }).await.unwrap();
    assert_eq!(reply.body.len(), (5 << 20) + 2);
    // What one question kept must not come back to one that wants less.
    let api = api();
    api.get(&Request { max_bytes: 6 << 20, fresh_for: FOREVER, ..ask(&stub, "x") }).await.unwrap();
    let error = api.get(&Request { fresh_for: FOREVER, ..request }).await.unwrap_err();
    assert!(matches!(error, ApiError::TooLarge { .. }), "{error}");
}

#[tokio::test]
async fn a_slow_body_ends_at_the_deadline() {
    let stub = Stub::start(|_, _| Answer::Stall);
    let api = api_with(Pacing { total: Duration::from_millis(100), ..pacing() });
    let begin = Instant::now();
    let problem = Problem::from(api.get(&ask(&stub, "x")).await.unwrap_err());
    assert_eq!(problem.kind, ErrorKind::Timeout);
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn who_cannot_be_reached_is_told_with_what_to_check() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for base in [format!("http://{unused}"), "https://no-such-host.invalid".to_owned()] {
        let request = Request::new(&base.parse().unwrap(), "x");
        let problem = Problem::from(api().get(&request).await.unwrap_err());
        assert_eq!(problem.kind, ErrorKind::Network, "{base}");
        for word in ["HTTPS_PROXY", "certificate", base.split("//").nth(1).unwrap()] {
            assert!(problem.message.contains(word), "{word}: {problem}");
        }
    }
}

#[tokio::test]
async fn offline_the_kept_answer_is_given_and_marked() {
    let gone = Arc::new(AtomicBool::new(false));
    let is_gone = Arc::clone(&gone);
    let stub = Stub::start(
        move |_, _| {
            if is_gone.load(Ordering::Acquire) { Answer::Reset } else { Answer::json("1") }
        },
    );
    let api = api();
    assert!(!api.get(&ask(&stub, "x")).await.unwrap().offline);
    gone.store(true, Ordering::Release);
    let reply = api.get(&ask(&stub, "x")).await.unwrap();
    assert!(reply.offline && reply.cached_ms.is_some());
    assert!(api.get(&ask(&stub, "unknown")).await.is_err());
}

#[tokio::test]
async fn a_redirect_to_another_place_drops_the_token() {
    let other = Stub::start(|_, _| Answer::json("\"elsewhere\""));
    let to = other.url().join("/moved").unwrap();
    let stub = Stub::start(move |asked, _| match asked.target.as_str() {
        "/x" => Answer::status(302, "").with("Location", "/y"),
        "/y" => Answer::status(302, "").with("Location", &to),
        _ => Answer::json("\"here\""),
    });
    let api = api();
    let request = Request { credential: token(&stub), ..ask(&stub, "x") };
    let reply = api.get(&request).await.unwrap();
    assert_eq!((text(&reply).as_str(), &reply.moved), ("\"elsewhere\"", &None));
    let sent = |asked: Vec<Asked>| -> Vec<bool> {
        asked.iter().map(|asked| asked.header("authorization").is_some()).collect()
    };
    assert_eq!(sent(stub.asked()), [true, true], "the same place may see it");
    assert_eq!(sent(other.asked()), [false], "another port may not");
}

#[tokio::test]
async fn a_token_that_went_elsewhere_does_not_come_back() {
    let back = Arc::new(std::sync::OnceLock::<String>::new());
    let known = Arc::clone(&back);
    let other = Stub::start(move |_, _| Answer::status(302, "").with("Location", known.get().unwrap()));
    let to = other.url();
    let stub = Stub::start(move |asked, _| match asked.target.as_str() {
        "/x" => Answer::status(302, "").with("Location", &to),
        _ => Answer::json("1"),
    });
    back.set(stub.url().join("/end").unwrap().to_string()).unwrap();
    api().get(&Request { credential: token(&stub), ..ask(&stub, "x") }).await.unwrap();
    let last = stub.asked().pop().unwrap();
    assert_eq!((last.target.as_str(), last.header("authorization")), ("/end", None));
}

#[tokio::test]
async fn a_renamed_repository_is_followed_and_its_new_place_told() {
    for status in [301, 307, 308] {
        let stub = Stub::start(move |asked, _| match asked.target.as_str() {
            "/repos/old/name" => Answer::status(status, "{}").with("Location", "/repositories/42"),
            _ => Answer::json("{\"full_name\":\"new/name\"}"),
        });
        let api = api();
        let request = Request { fresh_for: FOREVER, ..ask(&stub, "repos/old/name") };
        let reply = api.get(&request).await.unwrap();
        let expected = stub.url().join("/repositories/42").unwrap().to_string();
        assert_eq!(reply.moved.as_deref(), Some(expected.as_str()));
        let again = api.get(&request).await.unwrap();
        assert_eq!((again.moved.as_deref(), stub.count()), (Some(expected.as_str()), 2), "kept, too");
    }
}

#[tokio::test]
async fn redirects_end_and_lead_to_secure_places_only() {
    let stub = Stub::start(|asked, before| match asked.target.as_str() {
        "/loop" | "/loop2" => Answer::status(302, "").with("Location", format!("/loop{}", before % 2 * 2)),
        "/plain" => Answer::status(302, "").with("Location", "http://example.org/"),
        "/file" => Answer::status(302, "").with("Location", "file:///etc/passwd"),
        "/user" => Answer::status(302, "").with("Location", "https://a:b@example.org/"),
        _ => Answer::status(302, "").with("Location", "/loop"),
    });
    for path in ["loop", "plain", "file", "user"] {
        let error = api().get(&ask(&stub, path)).await.unwrap_err();
        assert!(matches!(error, ApiError::Redirect { .. }), "{path}: {error}");
        assert!(!error.to_string().contains("a:b"), "{error}");
    }
    assert!(stub.count() < 12, "{}", stub.count());
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
