//! A web server that does what it is told: the faults that a real one cannot be made to show.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// How one request is answered.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// The file, or the part that was asked for.
    Well,
    /// The whole file, whatever was asked for.
    Whole,
    /// As `Well`, but the connection is closed after so many bytes of it.
    CutAfter(usize),
    /// Without saying how long it is.
    Unmeasured,
    /// A part that begins somewhere else.
    ElsewhereThan,
    Status(u16),
    Redirect(String),
}

/// Serves one file. Every request takes the next reply; the last one stays.
#[derive(Debug)]
pub(crate) struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn new(content: &[u8], replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (content, replies, seen) = (content.to_vec(), replies.to_vec(), Arc::clone(&asked));
        std::thread::spawn(move || {
            for (at, stream) in listener.incoming().enumerate() {
                let reply = replies.get(at).or(replies.last()).unwrap();
                // The client may hang up at any moment, which is its right.
                let _ = answer(&mut stream.unwrap(), &content, reply, &seen);
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.address)
    }

    /// The `Range` of each request, or `-`.
    pub(crate) fn ranges(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(
    stream: &mut TcpStream,
    content: &[u8],
    reply: &Reply,
    asked: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut range = "-".to_owned();
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("range: ") {
            range = value.to_owned();
        }
    }
    asked.lock().unwrap().push(range.clone());
    let from =
        range.strip_prefix("bytes=").and_then(|range| range.trim_end_matches('-').parse::<usize>().ok());
    let (head, body) = match reply {
        Reply::Status(status) => (format!("{status} No\r\nContent-Length: 0"), &content[..0]),
        Reply::Redirect(to) => (format!("302 Found\r\nLocation: {to}\r\nContent-Length: 0"), &content[..0]),
        Reply::Unmeasured => ("200 OK".to_owned(), content),
        Reply::Whole => (format!("200 OK\r\nContent-Length: {}", content.len()), content),
        Reply::Well | Reply::CutAfter(_) | Reply::ElsewhereThan => match from {
            Some(from) if from >= content.len() => {
                ("416 Range Not Satisfiable\r\nContent-Length: 0".to_owned(), &content[..0])
            }
            Some(from) => {
                let rest = &content[from..];
                let told = if matches!(reply, Reply::ElsewhereThan) { from + 1 } else { from };
                let range = format!("bytes {told}-{}/{}", content.len() - 1, content.len());
                let length = rest.len();
                (format!("206 Partial Content\r\nContent-Range: {range}\r\nContent-Length: {length}"), rest)
            }
            None => (format!("200 OK\r\nContent-Length: {}", content.len()), content),
        },
    };
    let body = if let Reply::CutAfter(most) = reply { &body[..body.len().min(*most)] } else { body };
    write!(stream, "HTTP/1.1 {head}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(body)
}
