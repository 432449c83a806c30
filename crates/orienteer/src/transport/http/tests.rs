//! Clients that are slow, silent, greedy or many, over real sockets and with short limits.

use std::collections::VecDeque;
use std::time::Instant;

use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;

use super::*;

/// Its only tool answers `bytes` bytes after `millis` milliseconds.
#[derive(Clone)]
struct Slow;

impl ServerHandler for Slow {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let number = |name: &str| given.get(name).and_then(Value::as_u64).unwrap_or(0);
        sleep(Duration::from_millis(number("millis"))).await;
        let text = "x".repeat(usize::try_from(number("bytes")).unwrap());
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

const TOKEN: &str = "correct horse";
/// Much longer than what is to be cut, much shorter than a test may take.
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);

struct Served {
    address: SocketAddr,
    token: bool,
    stop: CancellationToken,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// No time limit counts but those that a test shortens.
async fn serve(token: bool, change: impl FnOnce(&mut Limits)) -> Served {
    let mut limits =
        Limits { header_time: LONG, idle_time: LONG, body_time: LONG, write_time: LONG, ..Limits::default() };
    change(&mut limits);
    let options = Options {
        token: token.then(|| Secret(TOKEN.to_owned())),
        allowed_hosts: Vec::new(),
        allowed_origins: Vec::new(),
        max_body_bytes: 1 << 20,
        limits,
    };
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await.unwrap();
    let (address, stop) = (server.address(), CancellationToken::new());
    tokio::spawn(server.serve(stop.clone(), || Slow));
    Served { address, token, stop }
}

impl Served {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    fn head(&self, method: &str, session: Option<&str>, length: usize) -> String {
        let token = if self.token { format!("Authorization: Bearer {TOKEN}\r\n") } else { String::new() };
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, \
             text/event-stream\r\nContent-Length: {length}\r\n{token}{session}\r\n",
            self.address
        )
    }

    fn post(&self, session: Option<&str>, message: &Value) -> String {
        let body = message.to_string();
        self.head("POST", session, body.len()) + &body
    }

    /// One message on a connection of its own.
    async fn ask(&self, session: Option<&str>, message: &Value) -> String {
        exchange(&mut self.connect().await, &self.post(session, message)).await
    }

    /// A session whose client has not come back yet.
    async fn open_session(&self, stream: &mut TcpStream) -> String {
        let answer = exchange(stream, &self.post(None, &initialize())).await;
        let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        id.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    async fn use_session(&self, id: &str) -> u16 {
        let message = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        status(&self.ask(Some(id), &message).await)
    }
}

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" },
    } })
}

fn call(id: u64, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "slow", "arguments": arguments } })
}

fn status(answer: &str) -> u16 {
    answer
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or_else(|| panic!("no status: {answer:?}"))
}

/// Sends a request and reads its whole answer, or what came before the connection was closed.
async fn exchange(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    read_answer(stream).await
}

async fn read_answer(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let whole = match length {
                Some(length) => body.len() >= length.parse().unwrap(),
                None => body.ends_with("0\r\n\r\n"),
            };
            if whole {
                return text.into_owned();
            }
        }
        match tokio::time::timeout(Duration::from_secs(20), stream.read(&mut buffer))
            .await
            .expect("it answers")
        {
            Ok(0) | Err(_) => return String::from_utf8_lossy(&bytes).into_owned(),
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

/// How long until the server closes the connection.
async fn closed_after(stream: &mut TcpStream) -> Duration {
    let begun = Instant::now();
    let mut buffer = [0; 4096];
    let reading = async { while matches!(stream.read(&mut buffer).await, Ok(read) if read > 0) {} };
    tokio::time::timeout(Duration::from_secs(20), reading).await.expect("it is closed");
    begun.elapsed()
}

/// Sends a byte at a time, each well within any limit, until the connection is closed.
async fn dribble(stream: TcpStream, text: &str) -> (Duration, String) {
    let begun = Instant::now();
    let (mut reading, mut writing) = stream.into_split();
    let bytes = text.as_bytes().to_vec();
    let writer = tokio::spawn(async move {
        for byte in bytes {
            if writing.write_all(&[byte]).await.is_err() {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
        panic!("it was let through");
    });
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(20), reading.read_to_end(&mut answer))
        .await
        .expect("it is closed");
    writer.abort();
    (begun.elapsed(), String::from_utf8_lossy(&answer).into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_header_that_dribbles_is_cut() {
    for token in [false, true] {
        let served = serve(token, |limits| limits.header_time = SHORT).await;
        let (took, answer) = dribble(served.connect().await, &served.post(None, &initialize())).await;
        assert!(took >= SHORT && took < Duration::from_secs(3), "{took:?}");
        assert_eq!(answer, "");
        let mut silent = served.connect().await;
        assert!(closed_after(&mut silent).await < Duration::from_secs(3));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_dribbles_is_cut() {
    let served = serve(true, |limits| limits.body_time = SHORT).await;
    let mut stream = served.connect().await;
    stream.write_all(served.head("POST", None, 1000).as_bytes()).await.unwrap();
    let (took, answer) = dribble(stream, &"x".repeat(1000)).await;
    assert!(took >= SHORT && took < Duration::from_secs(3), "{took:?}");
    assert_eq!(status(&answer), 408, "{answer}");
    // Nobody waits for what is too long already.
    let answer = exchange(&mut served.connect().await, &served.head("POST", None, 2 << 20)).await;
    assert_eq!(status(&answer), 413, "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_are_closed_and_busy_ones_are_not() {
    let served = serve(true, |limits| {
        (limits.header_time, limits.idle_time, limits.body_time) = (SHORT, SHORT, SHORT);
        (limits.session_unused_time, limits.session_idle_time) = (SHORT, SHORT);
    })
    .await;
    let mut stream = served.connect().await;
    let session = served.open_session(&mut stream).await;
    let closed = closed_after(&mut stream).await;
    assert!(closed < Duration::from_secs(3), "after an answer: {closed:?}");

    let mut stream = served.connect().await;
    let session = match served.use_session(&session).await {
        202 => session,
        // The machine was slow.
        _ => served.open_session(&mut stream).await,
    };
    let mut events = served.connect().await;
    events.write_all(served.head("GET", Some(&session), 0).as_bytes()).await.unwrap();
    let mut buffer = [0; 4096];
    let read = events.read(&mut buffer).await.unwrap();
    assert!(buffer[..read].starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&buffer[..read]));
    assert_eq!(served.use_session(&session).await, 202);
    // A call takes longer than anything that is limited, and the events still flow after it.
    let long = SHORT * 5;
    let begun = Instant::now();
    let millis = u64::try_from(long.as_millis()).unwrap();
    let answer = served.ask(Some(&session), &call(7, &json!({ "millis": millis, "bytes": 3 }))).await;
    assert!(begun.elapsed() >= long && answer.contains("\"text\":\"xxx\""), "{answer}");
    let quiet = tokio::time::timeout(SHORT, async { while events.read(&mut buffer).await.unwrap() > 0 {} });
    assert!(quiet.await.is_err(), "the stream of events was cut");
    drop(events);
    // Now nobody listens.
    sleep(SHORT * 5).await;
    assert_eq!(served.use_session(&session).await, 404);
}

/// The files of one process are few, so what was opened long ago is closed by its client too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[allow(clippy::disallowed_methods, reason = "how much is tested is no setting")]
async fn whoever_has_the_token_is_served_among_thousands_who_say_nothing() {
    const OPEN: usize = 300;
    let count = if std::env::var_os("ORIENTEER_TEST_FULL").is_some() { 20_000 } else { 2_000 };
    let served = serve(true, |_| {}).await;
    let mut kept = served.connect().await;
    let answer = exchange(&mut kept, &served.post(None, &initialize())).await;
    assert_eq!(status(&answer), 200, "{answer}");
    let address = served.address;
    let flood = tokio::spawn(async move {
        let mut open = VecDeque::new();
        for number in 0..count {
            let mut stream = TcpStream::connect(address).await.unwrap();
            if number % 3 == 0 {
                stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: ").await.unwrap();
            }
            open.push_back(stream);
            if open.len() > OPEN {
                open.pop_front();
            }
            // Some thousands in a second.
            if number % 10 == 0 {
                sleep(Duration::from_millis(2)).await;
            }
        }
        open
    });
    let (mut slowest, mut asked) = (Duration::ZERO, 0);
    while !flood.is_finished() || asked < 20 {
        let begun = Instant::now();
        let answer = served.ask(None, &initialize()).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "after {asked}: {answer:?}");
        slowest = slowest.max(begun.elapsed());
        asked += 1;
    }
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    let mut open = flood.await.unwrap();
    assert!(closed_after(open.front_mut().unwrap()).await < Duration::from_secs(2), "the oldest went");
    let mut buffer = [0; 1];
    let newest = tokio::time::timeout(SHORT, open.back_mut().unwrap().read(&mut buffer)).await;
    assert!(newest.is_err(), "the newest is waited for: {newest:?}");
    let answer = exchange(&mut kept, &served.post(None, &initialize())).await;
    assert_eq!(status(&answer), 200, "a connection from before the flood goes on: {answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_token_ends_the_connection() {
    let served = serve(true, |_| {}).await;
    let wrong = served.post(None, &initialize()).replace(TOKEN, "correct hors");
    let mut stream = served.connect().await;
    // The second one is right, and comes too late.
    let answer = exchange(&mut stream, &(wrong.clone() + &served.post(None, &initialize()))).await;
    assert_eq!(status(&answer), 401, "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
    assert!(closed_after(&mut stream).await < Duration::from_secs(2));
    // On a connection that was proven before, too.
    let mut stream = served.connect().await;
    assert_eq!(status(&exchange(&mut stream, &served.post(None, &initialize())).await), 200);
    assert_eq!(status(&exchange(&mut stream, &wrong).await), 401);
    assert!(closed_after(&mut stream).await < Duration::from_secs(2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_not_cut_for_new_clients_and_unread_ones_are() {
    let served = serve(false, |limits| (limits.proven, limits.write_time) = (1, SHORT)).await;
    let session = served.open_session(&mut served.connect().await).await;
    served.use_session(&session).await;
    let mut slow = served.connect().await;
    let request = served.post(Some(&session), &call(1, &json!({ "millis": 1500, "bytes": 3 })));
    slow.write_all(request.as_bytes()).await.unwrap();
    sleep(SHORT).await;
    let refused = served.ask(None, &initialize()).await;
    assert_eq!(status(&refused), 503, "{refused}");
    let answer = read_answer(&mut slow).await;
    assert!(answer.contains("\"text\":\"xxx\""), "{answer}");
    // More than the system buffers, and nobody reads it.
    let request = served.post(Some(&session), &call(2, &json!({ "bytes": 64 << 20 })));
    slow.write_all(request.as_bytes()).await.unwrap();
    let begun = Instant::now();
    sleep(SHORT).await;
    while status(&served.ask(None, &initialize()).await) != 200 {
        assert!(begun.elapsed() < Duration::from_secs(15), "an answer that is not read holds its place");
        sleep(SHORT).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_bounded_and_the_least_missed_goes() {
    let served = serve(false, |limits| limits.sessions = 8).await;
    let mut stream = served.connect().await;
    let used = served.open_session(&mut stream).await;
    assert_eq!(served.use_session(&used).await, 202);
    let unused = served.open_session(&mut stream).await;
    let mut newest = String::new();
    for _ in 0..100 {
        newest = served.open_session(&mut stream).await;
    }
    assert_eq!(served.use_session(&used).await, 202, "those who came back stay");
    assert_eq!(served.use_session(&unused).await, 404, "the oldest of the others went");
    assert_eq!(served.use_session(&newest).await, 202);
    // Among those who came back it is the one that was away longest, and never one with a call under way.
    let request = served.post(Some(&used), &call(1, &json!({ "millis": 1500, "bytes": 3 })));
    let calling = tokio::spawn({
        let mut stream = served.connect().await;
        async move { exchange(&mut stream, &request).await }
    });
    sleep(SHORT).await;
    let mut others = Vec::new();
    for _ in 0..8 {
        let id = served.open_session(&mut stream).await;
        assert_eq!(served.use_session(&id).await, 202);
        others.push(id);
    }
    assert_eq!(served.use_session(&newest).await, 404);
    let answer = calling.await.unwrap();
    assert!(answer.contains("\"text\":\"xxx\""), "{answer}");
    assert_eq!(served.use_session(&used).await, 202);
}

/// What the kernel says that this process holds of its own, in kilobytes.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_nobody_needs_give_their_memory_back() {
    let served = serve(false, |limits| {
        (limits.sessions, limits.session_unused_time) = (10_000, Duration::from_millis(1500));
    })
    .await;
    let mut stream = served.connect().await;
    served.open_session(&mut stream).await;
    let before = resident();
    let mut last = String::new();
    for _ in 0..500 {
        last = served.open_session(&mut stream).await;
    }
    let full = resident() - before;
    assert!(full > 5 << 10, "they need {full} kB, too little to tell anything");
    let begun = Instant::now();
    while resident().saturating_sub(before) > full / 3 {
        assert!(begun.elapsed() < Duration::from_secs(15), "of {full} kB {} are kept", resident() - before);
        sleep(SHORT).await;
    }
    assert_eq!(served.use_session(&last).await, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_that_is_being_answered_is_not_taken_twice() {
    let served = serve(false, |_| {}).await;
    let session = served.open_session(&mut served.connect().await).await;
    served.use_session(&session).await;
    let mut first = served.connect().await;
    let request = served.post(Some(&session), &call(1, &json!({ "millis": 800, "bytes": 3 })));
    first.write_all(request.as_bytes()).await.unwrap();
    sleep(SHORT).await;
    let second = served.ask(Some(&session), &call(1, &json!({}))).await;
    assert!(status(&second) == 500 && second.contains("id of its own"), "{second}");
    let answer = read_answer(&mut first).await;
    assert!(answer.contains("\"text\":\"xxx\""), "the first gets its answer: {answer}");
    assert_eq!(status(&served.ask(Some(&session), &call(1, &json!({}))).await), 200, "free again");
}
