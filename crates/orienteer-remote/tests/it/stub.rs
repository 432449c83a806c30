//! A web server whose every answer is made by the test, one thread for each connection.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use orienteer_remote::{Api, Cache, CacheLimits, Client, Pacing, Proxies};

/// What a client asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Path and query.
    pub(crate) target: String,
    headers: Vec<(String, String)>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// How it is answered.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Full {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// The connection is closed without a word.
    Reset,
    /// The beginning of an answer, and then silence until the client goes.
    Stall,
    /// Less than it promised.
    Short,
}

impl Answer {
    pub(crate) fn json(body: &str) -> Self {
        Self::status(200, body).with("Content-Type", "application/json")
    }

    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self::Full { status, headers: Vec::new(), body: body.as_bytes().to_vec() }
    }

    pub(crate) fn with(mut self, name: &str, value: impl ToString) -> Self {
        if let Self::Full { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_string()));
        }
        self
    }
}

/// Answers until the test ends.
#[derive(Debug)]
pub(crate) struct Stub {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Stub {
    /// The function is given the request and how many came before it.
    pub(crate) fn start(answer: impl Fn(&Asked, usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (seen, answer) = (Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &seen, answer.as_ref()));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self) -> reqwest::Url {
        self.address.parse().unwrap()
    }

    /// Host and port.
    pub(crate) fn name(&self) -> String {
        self.address.trim_start_matches("http://").to_owned()
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

/// Clients keep connections open and ask again on them.
fn serve(stream: TcpStream, seen: &Mutex<Vec<Asked>>, answer: &(dyn Fn(&Asked, usize) -> Answer + Sync)) {
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some(asked) = read(&mut reader) {
        let before = {
            let mut seen = seen.lock().unwrap();
            seen.push(asked.clone());
            seen.len() - 1
        };
        let written = match answer(&asked, before) {
            Answer::Full { status, headers, body } => {
                let headers: String =
                    headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
                let length =
                    if status == 304 { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
                let mut out = format!("HTTP/1.1 {status} X\r\n{headers}{length}\r\n").into_bytes();
                out.extend_from_slice(&body);
                stream.write_all(&out)
            }
            Answer::Reset => return,
            Answer::Stall => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"half");
                // Ends when the client hangs up.
                let _ = read(&mut reader);
                return;
            }
            Answer::Short => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"half");
                return;
            }
        };
        if written.is_err() {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<Asked> {
    let mut lines = reader.lines();
    let first = lines.next()?.ok()?;
    let target = first.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    for line in lines {
        let line = line.ok()?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Some(Asked { target, headers })
}

/// Does not wait in tests, but otherwise as the product does.
pub(crate) fn pacing() -> Pacing {
    Pacing {
        first_pause: std::time::Duration::from_millis(1),
        total: std::time::Duration::from_secs(20),
        ..Pacing::default()
    }
}

pub(crate) fn api_with(pacing: Pacing) -> Api {
    Api::new(Client::new(&Proxies::default()).unwrap(), Cache::in_memory(CacheLimits::default()), pacing)
}

pub(crate) fn api() -> Api {
    api_with(pacing())
}
