//! The transport that is not stdio: where it is served, and that a client gets the whole contract over it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use orienteer_testkit::workspaces::PYTHON;
use serde_json::{Value, json};

use super::support::{Client, over, payload, until};

/// A client of MCP over HTTP: one connection for each message.
struct Http {
    address: SocketAddr,
    session: Option<String>,
}

impl Http {
    /// Where the program says that it listens.
    fn of(client: &Client) -> Self {
        let said = || {
            let said = client.server.stderr();
            let line =
                said.lines().find_map(|line| line.strip_prefix("listening on http://")?.strip_suffix("/mcp"));
            line.map(|address| address.parse().unwrap())
        };
        until("it says where it listens", || said().is_some());
        Self { address: said().unwrap(), session: None }
    }

    /// Status, headers and body of an answer. In HTTP/1.0 a body ends with the connection and is not cut into chunks.
    fn post(&self, message: &Value) -> (u16, String, String) {
        let body = message.to_string();
        let session = self.session.iter().map(|id| format!("Mcp-Session-Id: {id}\r\n")).collect::<String>();
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, \
             text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n{session}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        (status.unwrap_or_else(|| panic!("{answer}")), head.to_owned(), body.to_owned())
    }

    /// The result of a request, which comes as an object or as an event.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let (status, head, body) = self.post(&message);
        assert_eq!(status, 200, "{head}\n{body}");
        let of_session = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        self.session = of_session.or(self.session.take());
        let lines = body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let answers = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut answers = answers.filter(|answer| answer["id"] == 1);
        let answer = answers.next().unwrap_or_else(|| panic!("no answer: {head}\n{body}"));
        answer.get("result").unwrap_or_else(|| panic!("{answer:#}")).clone()
    }
}

#[test]
fn a_client_over_http_gets_the_whole_contract() {
    let client =
        over(PYTHON).variable("PYRIGHT_MCP_TRANSPORT", "http").args(&["--http", "127.0.0.1:0"]).launch();
    let mut http = Http::of(&client);
    assert!(http.address.ip().is_loopback() && http.address.port() != 0, "{}", http.address);
    let about = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } });
    let hello = http.ask("initialize", about);
    assert_eq!(hello["protocolVersion"], "2025-11-25", "{hello:#}");
    assert!(hello["instructions"].as_str().unwrap().contains("check_types"), "{hello:#}");
    assert!(http.session.is_some(), "it keeps a session");
    let (status, ..) = http.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert_eq!(status, 202);
    let listed = http.ask("tools/list", json!({}));
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "check_types",
            "get_hover",
            "go_to_definition",
            "find_references",
            "get_completions",
            "get_signature",
            "health_check"
        ]
    );
    let healthy = payload(&http.ask("tools/call", json!({ "name": "health_check", "arguments": {} })));
    assert_eq!((&healthy["status"], &healthy["pyright_available"]), (&json!("success"), &json!(true)));
    assert_eq!(healthy["config"]["transport"], "http", "{healthy:#}");
    let path = client.at("src/shapes/total.py");
    let checked = json!({ "name": "check_types", "arguments": { "path": path } });
    let checked = payload(&http.ask("tools/call", checked));
    assert_eq!((&checked["status"], &checked["error_count"]), (&json!("success"), &json!(0)), "{checked:#}");
}

#[test]
fn http_is_served_where_the_original_serves_it() {
    // Whoever has the port, it is taken: what is told then shows which one the program wants.
    let _taken = TcpListener::bind("127.0.0.1:8000");
    let mut client = over(PYTHON).variable("PYRIGHT_MCP_TRANSPORT", "http").launch();
    let status = client.server.wait(Duration::from_secs(30)).expect("it ends");
    assert_eq!(status.code(), Some(2));
    until("it says why", || client.server.stderr().contains("127.0.0.1:8000"));
    assert!(client.server.stderr().to_lowercase().contains("in use"), "{}", client.server.stderr());
}
