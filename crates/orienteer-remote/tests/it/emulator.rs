//! The emulator of GitHub, with files to read.

use serde_json::json;

pub(crate) use orienteer_testkit::emulator::{Emulator, TOKEN, exchange, free_port};

pub(crate) trait Put {
    /// Puts a file on a branch; gives the commit.
    fn put(&self, repo: &str, path: &str, content: &[u8], branch: &str) -> String;
}

impl Put for Emulator {
    fn put(&self, repo: &str, path: &str, content: &[u8], branch: &str) -> String {
        use base64::Engine as _;
        let content = base64::engine::general_purpose::STANDARD.encode(content);
        let body = json!({ "message": format!("add {path}"), "content": content, "branch": branch });
        let path = orienteer_remote::path::encoded(path).unwrap();
        let made = self.send("PUT", &format!("/repos/{repo}/contents/{path}"), &body);
        made["commit"]["sha"].as_str().unwrap().to_owned()
    }
}
