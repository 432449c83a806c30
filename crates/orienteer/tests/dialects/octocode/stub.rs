//! A web server whose every answer is made by the test: for what no real peer can be made to say.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Status, headers and body of an answer to a path with its query.
pub(crate) type Answer = (u16, Vec<(&'static str, String)>, String);

pub(crate) struct Stub {
    pub(crate) name: String,
    asked: Arc<Mutex<Vec<String>>>,
    tokens: Arc<Mutex<Vec<String>>>,
}

impl Stub {
    pub(crate) fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let name = listener.local_addr().unwrap().to_string();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let tokens: Arc<Mutex<Vec<String>>> = Arc::default();
        let (seen, shown, answer) = (asked.clone(), tokens.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, shown, answer) = (seen.clone(), shown.clone(), answer.clone());
                std::thread::spawn(move || serve(stream, &seen, &shown, answer.as_ref()));
            }
        });
        Self { name, asked, tokens }
    }

    pub(crate) fn api(&self) -> String {
        format!("http://{}", self.name)
    }

    /// Path and parameters of the last question, as they were meant.
    pub(crate) fn last(&self) -> (String, Vec<(String, String)>) {
        let asked = self.asked().pop().expect("it was asked");
        let (path, query) = asked.split_once('?').unwrap_or((&asked, ""));
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        (path.to_owned(), pairs.map(|(name, value)| (decoded(name), decoded(value))).collect())
    }

    /// What it was asked for so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Stub {
    /// What came as `Authorization`, for each question that had it.
    pub(crate) fn tokens(&self) -> Vec<String> {
        self.tokens.lock().unwrap().clone()
    }
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).unwrap()
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).unwrap()
}

fn serve(
    stream: TcpStream,
    seen: &Mutex<Vec<String>>,
    tokens: &Mutex<Vec<String>>,
    answer: &(dyn Fn(&str) -> Answer + Sync),
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap_or(0) > 2 {
            if let Some((_, token)) =
                line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("authorization"))
            {
                tokens.lock().unwrap().push(token.trim().to_owned());
            }
            line.clear();
        }
        let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let (status, headers, body) = answer(&target);
        seen.lock().unwrap().push(target);
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let sent = write!(stream, "HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        if sent.is_err() {
            return;
        }
    }
}
