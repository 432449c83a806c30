//! What breaks, refuses or leads elsewhere, and what comes of it?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orienteer_base::{ErrorKind, Problem};
use orienteer_remote::api::{FOREVER, Request};
use orienteer_remote::{ApiError, Pacing};

use crate::stub::{Answer, Asked, Stub, api, api_with, pacing};

use crate::api::{ask, text, token};

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
