//! A real Forgejo on this machine, run by an unprivileged user, with SQLite.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use orienteer_testkit::tools;
use serde_json::{Value, json};

use crate::emulator::{exchange, free_port};

/// A forge that does not get there in this time never will; a slow machine under load needs much of it.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often a server that is busy is asked whether it is done: a loop without a pause would keep it from that.
const GLANCE: Duration = Duration::from_millis(20);
/// `nobody`, where the tests are run by root, whom Forgejo refuses.
const NOBODY: u32 = 65534;

/// Killed when dropped.
#[derive(Debug)]
pub(crate) struct Forgejo {
    child: Child,
    port: u16,
    pub(crate) token: String,
    folder: tempfile::TempDir,
}

impl Forgejo {
    /// With one user, `tester`, who has a token.
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (port, root) = (free_port(), is_root(folder.path()));
        // Of this forge alone: should another have taken the port meanwhile, it must not let us in.
        let password = format!("not-a-secret-{port}-{}", folder.path().display());
        let program = program(folder.path());
        settings(folder.path(), port);
        if root {
            give_away(folder.path());
        }
        let run = |arguments: &[&str]| {
            let mut command = Command::new(&program);
            command.arg("--config").arg(folder.path().join("app.ini")).args(arguments);
            command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
            command.env("HOME", folder.path()).current_dir(folder.path());
            command.stdin(Stdio::null()).stdout(log(folder.path())).stderr(log(folder.path()));
            if root {
                use std::os::unix::process::CommandExt;
                command.env("USER", "nobody").uid(NOBODY).gid(NOBODY);
            } else {
                command.env("USER", std::env::var_os("USER").unwrap_or_default());
            }
            command
        };
        let done = |arguments: &[&str]| {
            assert!(
                run(arguments).status().unwrap().success(),
                "{}: {}",
                arguments.join(" "),
                said(folder.path())
            );
        };
        done(&["migrate"]);
        let user = ["admin", "user", "create", "--username", "tester", "--password", &password, "--email"];
        done(&[&user[..], &["tester@example.org", "--admin", "--must-change-password=false"]].concat());
        let child = run(&["web"]).spawn().unwrap();
        let mut forgejo = Self { child, port, token: String::new(), folder };
        forgejo.wait();
        forgejo.token = forgejo.make_token(&password);
        forgejo
    }

    fn wait(&mut self) {
        let begin = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(self.child.try_wait().unwrap().is_none(), "Forgejo has ended: {}", self.said());
            assert!(begin.elapsed() < PATIENCE, "Forgejo does not listen: {}", self.said());
            std::thread::sleep(GLANCE);
        }
    }

    /// What it wrote into its log, for messages.
    fn said(&self) -> String {
        said(self.folder.path())
    }

    fn make_token(&self, password: &str) -> String {
        use base64::Engine as _;
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("tester:{password}"));
        let scopes = ["write:repository", "write:user", "write:issue"];
        let body = json!({ "name": "tests", "scopes": scopes });
        let (status, answer) = self.request("POST", "/users/tester/tokens", &format!("Basic {pair}"), &body);
        assert_eq!(status, 201, "{answer} {}", self.said());
        answer["sha1"].as_str().unwrap().to_owned()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// As a host is written.
    pub(crate) fn name(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn request(&self, method: &str, path: &str, authorization: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} /api/v1{path} HTTP/1.0\r\nHost: {}\r\nAuthorization: {authorization}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\n\r\n",
            self.name(),
            body.len()
        );
        let (status, _, answer) = exchange(("127.0.0.1", self.port), format!("{head}{body}").as_bytes());
        (status, serde_json::from_slice(&answer).unwrap_or(Value::Null))
    }

    /// A request by hand, to make what is then read.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.request(method, path, &format!("token {}", self.token), body);
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer} {}", self.said());
        answer
    }

    /// Looks until it is so, and gives what was seen.
    fn until(&self, path: &str, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            let (_, answer) = self.request("GET", path, &format!("token {}", self.token), &Value::Null);
            if is_so(&answer) {
                return answer;
            }
            assert!(begin.elapsed() < PATIENCE, "{path}: {what}: {answer} {}", self.said());
            std::thread::sleep(GLANCE);
        }
    }

    /// Merges a pull request. The forge finds out behind our back whether it can be merged, once after it was made and again
    /// for every push that it has got to, and refuses with 405 meanwhile.
    pub(crate) fn merge(&self, repository: &str, number: u64) {
        let path = format!("/repos/tester/{repository}/pulls/{number}");
        let begin = Instant::now();
        loop {
            let body = json!({ "Do": "merge" });
            let (status, answer) =
                self.request("POST", &format!("{path}/merge"), &format!("token {}", self.token), &body);
            if status == 200 {
                break;
            }
            assert_eq!(status, 405, "{path}: {answer} {}", self.said());
            assert!(begin.elapsed() < PATIENCE, "{path}: not mergeable: {answer} {}", self.said());
            std::thread::sleep(GLANCE);
        }
        self.until(&path, "merged", |pull| pull["merged"] == true);
    }

    /// Makes a pull request, and waits until its commits and its files can be seen.
    pub(crate) fn pull_request(&self, repository: &str, body: &Value) -> u64 {
        let path = format!("/repos/tester/{repository}/pulls");
        let number = self.send("POST", &path, body)["number"].as_u64().unwrap();
        for what in ["commits", "files"] {
            let some = |list: &Value| list.as_array().is_some_and(|rows| !rows.is_empty());
            self.until(&format!("{path}/{number}/{what}"), what, some);
        }
        number
    }

    pub(crate) fn make_repository(&self, name: &str, description: &str, private: bool) {
        let body =
            json!({ "name": name, "description": description, "private": private, "default_branch": "main" });
        self.send("POST", "/user/repos", &body);
    }

    /// Pushes with git, and waits until the forge has seen it.
    pub(crate) fn push(&self, checkout: &Path, repository: &str, branch: &str) {
        let url = format!("http://tester:{}@{}/tester/{repository}.git", self.token, self.name());
        git(checkout, &["push", "--quiet", &url, branch, "--tags"]);
        let head = git(checkout, &["rev-parse", branch]);
        let path = format!("/repos/tester/{repository}");
        let at = format!("{path}/branches/{}", branch.replace('/', "%2F"));
        self.until(&at, "its commit", |branch| branch["commit"]["id"] == head.trim());
        self.until(&path, "not empty", |repository| repository["empty"] == false);
        // The rest of what a push brings about is worked off later; the last of it is what the news say.
        let name = format!("refs/heads/{branch}");
        self.until(&format!("{path}/activities/feeds"), "the news of the push", |news| {
            let told = |one: &Value| {
                one["ref_name"] == name.as_str()
                    && one["content"].as_str().is_some_and(|text| text.contains(head.trim()))
            };
            news.as_array().is_some_and(|news| news.iter().any(told))
        });
    }

    /// A folder for a checkout, which goes when the forge goes.
    pub(crate) fn checkout(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join("checkouts").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        git(&folder, &["init", "--quiet", "--initial-branch", "main"]);
        folder
    }
}

impl Drop for Forgejo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs git as nobody in particular; gives what it says.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Commits everything; gives the commit.
pub(crate) fn commit(folder: &Path, message: &str) -> String {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", message]);
    git(folder, &["rev-parse", "HEAD"]).trim().to_owned()
}

/// Linked or copied to where the unprivileged user can run it.
fn program(folder: &Path) -> PathBuf {
    let installed = tools::tools().join("forge/node_modules/forgejo-dist-linux-x64/forgejo");
    assert!(installed.exists(), "Forgejo is not installed: run `cargo xtask install`, which installs it");
    let program = folder.join("forgejo");
    if std::fs::hard_link(&installed, &program).is_err() {
        std::fs::copy(&installed, &program).unwrap();
    }
    program
}

/// Opened for each program anew, because both its outputs go there.
fn log(folder: &Path) -> Stdio {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(folder.join("forge.log"));
    file.unwrap().into()
}

/// The end of the log.
fn said(folder: &Path) -> String {
    let text = std::fs::read(folder.join("forge.log")).unwrap_or_default();
    let end = &text[text.len().saturating_sub(2_000)..];
    format!("\nits log ends with: {}", String::from_utf8_lossy(end))
}

fn settings(folder: &Path, port: u16) {
    let place = folder.display();
    let text = format!(
        "RUN_MODE = prod\nWORK_PATH = {place}/data\n\
         [server]\nHTTP_ADDR = 127.0.0.1\nHTTP_PORT = {port}\nROOT_URL = http://127.0.0.1:{port}/\nDISABLE_SSH = true\n\
         OFFLINE_MODE = true\n\
         [database]\nDB_TYPE = sqlite3\nSQLITE_JOURNAL_MODE = WAL\nSQLITE_TIMEOUT = 60000\nPATH = {place}/data/forgejo.db\n\
         [repository]\nROOT = {place}/data/repositories\n\
         [security]\nINSTALL_LOCK = true\nSECRET_KEY = tests\nPASSWORD_HASH_ALGO = pbkdf2_v1\n\
         [oauth2]\nENABLE = false\n\
         [log]\nMODE = console\nLEVEL = Error\n\
         [cron]\nENABLED = false\n\
         [indexer]\nREPO_INDEXER_ENABLED = false\nISSUE_INDEXER_TYPE = db\n\
         [session]\nPROVIDER = memory\n\
         [api]\nDEFAULT_MAX_BLOB_SIZE = 1048576\n"
    );
    std::fs::create_dir_all(folder.join("data")).unwrap();
    std::fs::write(folder.join("app.ini"), text).unwrap();
}

fn is_root(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    folder.metadata().unwrap().uid() == 0
}

/// Everything that the forge writes to; the program, which may be a link to what was installed, stays as it is.
fn give_away(folder: &Path) {
    for path in [folder.to_path_buf(), folder.join("data"), folder.join("app.ini")] {
        std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}
