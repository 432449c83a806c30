//! A proxy on this machine that keeps what it was told: for tunnels (`CONNECT`), and for whole addresses.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Passes everything on to one place, whatever name was asked for: who gets an answer got it through here.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// With `authorization`, whoever does not send exactly this as `Proxy-Authorization` is turned away.
    pub fn start(to: SocketAddr, authorization: Option<&str>) -> Self {
        Self::begin(to, authorization, Duration::ZERO)
    }

    /// As far away as this: each request waits so long before it is passed on.
    pub fn distant(to: SocketAddr, away: Duration) -> Self {
        Self::begin(to, None, away)
    }

    fn begin(to: SocketAddr, authorization: Option<&str>, away: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let (seen, wanted) = (Arc::clone(&heads), authorization.map(str::to_owned));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, wanted) = (Arc::clone(&seen), wanted.clone());
                // Clients hang up whenever they like.
                std::thread::spawn(move || drop(serve(stream, to, wanted.as_deref(), away, &seen)));
            }
        });
        Self { address, heads }
    }

    /// Host and port.
    pub fn name(&self) -> String {
        self.address.to_string()
    }

    /// The head of each request to the proxy itself, as it came.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn serve(
    mut client: TcpStream,
    to: SocketAddr,
    wanted: Option<&str>,
    away: Duration,
    seen: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    seen.lock().unwrap().push(head.clone());
    let shown = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("proxy-authorization").then_some(value)
    });
    if wanted.is_some() && shown != wanted {
        let refusal =
            b"HTTP/1.1 407 Who Are You\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n";
        return client.write_all(refusal);
    }
    std::thread::sleep(away);
    let mut server = TcpStream::connect(to)?;
    if head.starts_with("CONNECT ") {
        client.write_all(b"HTTP/1.1 200 Go On\r\n\r\n")?;
    } else {
        server.write_all(passed_on(&head).as_bytes())?;
    }
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from_client, &mut to_server);
        let _ = to_server.shutdown(Shutdown::Write);
    });
    std::io::copy(&mut server, &mut client)?;
    client.shutdown(Shutdown::Both)
}

/// The request as its server wants it: with a path alone, for one answer, without what was meant for the proxy.
fn passed_on(head: &str) -> String {
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default();
    let target = first.split(' ').nth(1).unwrap_or_default();
    let path = target.splitn(4, '/').nth(3).unwrap_or_default();
    let kept = lines.filter(|line| {
        let line = line.to_ascii_lowercase();
        !line.is_empty() && !line.starts_with("proxy-") && !line.starts_with("connection:")
    });
    let kept: String = kept.map(|line| format!("{line}\r\n")).collect();
    format!(
        "{} /{path} HTTP/1.1\r\n{kept}Connection: close\r\n\r\n",
        first.split(' ').next().unwrap_or_default()
    )
}
