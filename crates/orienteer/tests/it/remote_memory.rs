//! Does the program grow with the questions that it has asked?

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::remote::Asking;

/// The bytes of one answer. Three thousand of them are 48 megabytes: a leak stands far above what threads, pools and the heap
/// add on a busy machine.
const ANSWER: usize = 16 << 10;

/// A forge that knows nothing of anything. Gives host and port.
fn empty_forge() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let name = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || drop(serve(stream)));
        }
    });
    name
}

fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    let lines = BufReader::new(stream.try_clone()?).lines();
    let body =
        format!(r#"{{"total_count":0,"incomplete_results":false,"items":[],"x":"{}"}}"#, "x".repeat(ANSWER));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \"1\"\r\n";
    // Written at once: pieces would wait for the other side's acknowledgements.
    let answer = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    for line in lines {
        if line?.is_empty() {
            stream.write_all(answer.as_bytes())?;
        }
    }
    Ok(())
}

/// What the kernel says that a process holds, in kilobytes, without the pages of its program: more of those are read the
/// longer it runs.
fn resident(pid: u32) -> usize {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// The least that it holds within some seconds: what answers have left behind is given back when nobody asks.
fn settled(pid: u32) -> usize {
    let begin = Instant::now();
    let mut least = usize::MAX;
    while begin.elapsed() < Duration::from_secs(3) {
        least = least.min(resident(pid));
        std::thread::sleep(Duration::from_millis(100));
    }
    least
}

#[cfg(target_os = "linux")]
#[test]
fn five_thousand_questions_do_not_make_it_grow() {
    let host = empty_forge();
    let settings = format!(
        "[remote]\nask_programs = false\n[[hosts]]\nhost = '{host}'\nprovider = 'github'\napi_url = 'http://{host}'\n"
    );
    let mut asking = Asking::with(&settings, &[]);
    let mut asked = 0;
    let mut held = Vec::new();
    while asked < 5_000 {
        let calls: Vec<_> = (0..10)
            .map(|number| {
                let words = json!({ "host": host, "keywords": [format!("word{}", asked + number)] });
                json!({ "tool": "remote_search_repositories", "arguments": words })
            })
            .collect();
        let (answer, _) = asking.get("batch", json!({ "calls": calls }));
        let rows = answer["results"].as_array().unwrap();
        assert!(rows.len() == 10 && rows.iter().all(|row| row["ok"] == true), "{answer:#}");
        asked += 10;
        if asked == 2_000 || asked == 5_000 {
            held.push(settled(asking.server.pid()));
        }
    }
    // The first two thousand fill what is bounded: caches, pools, the heap itself. A quarter of what the other three
    // thousand answers would take is allowed.
    let allowed = 3_000 * ANSWER / 1_024 / 4;
    let (warm, end) = (held[0], held[1]);
    assert!(end < warm + allowed, "kilobytes after two and five thousand: {held:?}");
}
