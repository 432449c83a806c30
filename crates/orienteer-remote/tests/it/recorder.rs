//! Passes requests on to a real server, and remembers them with their answers.

use std::sync::{Arc, Mutex};

use crate::emulator::exchange;
use crate::stub::{Answer, Asked, Stub};

pub(crate) type Recorded = Arc<Mutex<Vec<(Asked, u16, Vec<u8>)>>>;

const PASSED_ON: [&str; 5] =
    ["authorization", "accept", "x-github-api-version", "if-none-match", "if-modified-since"];
const PASSED_BACK: [&str; 9] = [
    "content-type",
    "date",
    "etag",
    "last-modified",
    "link",
    "location",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-total-count",
];

pub(crate) fn recorder(host: &'static str, port: u16) -> (Stub, Recorded) {
    let recorded = Recorded::default();
    let seen = Arc::clone(&recorded);
    let stub = Stub::start(move |asked, _| {
        let mut head = format!("GET {} HTTP/1.0\r\nHost: {host}:{port}\r\n", asked.target);
        for name in PASSED_ON {
            if let Some(value) = asked.header(name) {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        let (status, headers, body) = exchange((host, port), format!("{head}\r\n").as_bytes());
        seen.lock().unwrap().push((asked.clone(), status, body.clone()));
        let headers = headers.into_iter().filter(|(name, _)| PASSED_BACK.contains(&name.as_str())).collect();
        Answer::Full { status, headers, body }
    });
    (stub, recorded)
}
