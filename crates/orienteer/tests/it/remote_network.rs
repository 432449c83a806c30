//! Behind proxies, private authorities and without a network: what the program itself does, with the emulator of GitHub at
//! the other end.

use std::path::Path;

use orienteer_testkit::emulator::{Emulator, TOKEN};
use orienteer_testkit::{Authority, Proxy};
use serde_json::{Value, json};

use crate::remote::{Asking, here};

/// `user:proxy-pass` in base64.
const SHOWN: &str = "Basic dXNlcjpwcm94eS1wYXNz";
/// A name that has no address.
const FORGE: &str = "forge.invalid";

pub(crate) fn settings(host: &str, api: &str) -> String {
    format!(
        "[remote]\nask_programs = false\n[[hosts]]\nhost = '{host}'\nprovider = 'github'\napi_url = '{api}'\ntoken_variable = \
         'MINE'\n"
    )
}

fn readme(host: &str) -> Value {
    json!({ "host": host, "owner": "octocat", "repo": "hello-world", "path": "README.md" })
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub(crate) fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    fields.into_iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

#[test]
fn a_forge_behind_a_proxy_and_a_private_authority_is_read() {
    let emulator = Emulator::start();
    let authority = Authority::new(&format!("DNS:{FORGE}"));
    let door = authority.door(emulator.port());
    let proxy = Proxy::start(([127, 0, 0, 1], door.port()).into(), Some(SHOWN));
    let address = format!("http://user:proxy-pass@{}", proxy.name());
    let settings = settings(FORGE, &format!("https://{FORGE}"));
    let authorities = authority.file();
    let known =
        [("MINE", TOKEN), ("HTTPS_PROXY", &address), ("NO_PROXY", ""), ("SSL_CERT_FILE", text(&authorities))];
    let mut asking = Asking::with(&settings, &known);
    let (answer, shown) = asking.get("remote_read_file", readme(FORGE));
    assert!(answer["content"].as_str().unwrap().contains("hello-world"), "{answer:#}");
    assert_eq!(answer["provenance"]["host"], FORGE);
    assert!(!shown.contains("proxy-pass") && !answer.to_string().contains("proxy-pass"), "{shown}");
    let heads = proxy.heads();
    for head in &heads {
        assert!(head.starts_with(&format!("CONNECT {FORGE}:443 HTTP/1.1\r\n")), "{head}");
        assert_eq!((header(head, "proxy-authorization"), header(head, "authorization")), (Some(SHOWN), None));
        assert!(!head.contains(TOKEN), "{head}");
    }
    assert!(!heads.is_empty());

    // Without knowing the authority nothing is told to the forge, and a person reads what to do.
    let unknown = [("MINE", TOKEN), ("HTTPS_PROXY", &address), ("NO_PROXY", "")];
    let mut asking = Asking::with(&settings, &unknown);
    let (answer, _) = asking.ask("remote_read_file", readme(FORGE));
    let error = &answer["error"];
    assert_eq!(
        (&error["kind"], &error["data"]["kind"]),
        (&json!("network"), &json!("certificate")),
        "{answer:#}"
    );
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("signed by an authority that this machine does not know"), "{message}");
    assert!(answer["next_steps"].to_string().contains("SSL_CERT_FILE"), "{answer:#}");
}

#[test]
fn a_folder_of_authorities_is_as_good_as_a_file_and_names_are_checked() {
    let emulator = Emulator::start();
    let authority = Authority::new("DNS:localhost");
    let door = authority.door(emulator.port());
    let store = authority.store();
    let known = [("MINE", TOKEN), ("SSL_CERT_DIR", text(&store)), ("SSL_CERT_FILE", ""), ("NO_PROXY", "*")];
    let host = format!("localhost:{}", door.port());
    let mut asking = Asking::with(&settings(&host, &format!("https://{host}")), &known);
    let (answer, _) = asking.get("remote_read_file", readme(&host));
    assert!(answer["content"].as_str().unwrap().contains("hello-world"), "{answer:#}");
    // The same server under a name that it has no certificate for.
    let other = format!("127.0.0.1:{}", door.port());
    let mut asking = Asking::with(&settings(&other, &format!("https://{other}")), &known);
    let error = asking.refused("remote_read_file", readme(&other));
    assert_eq!(error["data"]["kind"], "certificate", "{error:#}");
    assert!(error["message"].as_str().unwrap().contains("for another name"), "{error:#}");
}

#[test]
fn authorities_that_are_not_there_are_told_with_the_variable_that_names_them() {
    let variables =
        [("MINE", TOKEN), ("SSL_CERT_FILE", "/nowhere/authorities.pem"), ("SSL_CERT_DIR", "/nowhere")];
    let mut asking = Asking::with(&settings(FORGE, &format!("https://{FORGE}")), &variables);
    let error = asking.refused("remote_read_file", readme(FORGE));
    assert_eq!(error["kind"], "network", "{error:#}");
    assert!(error["message"].as_str().unwrap().contains("SSL_CERT_FILE"), "{error:#}");
}

#[test]
fn a_proxy_of_this_machine_is_used_for_a_forge_of_this_machine() {
    let emulator = Emulator::start();
    let proxy = Proxy::start(emulator.address(), Some(SHOWN));
    let address = format!("http://user:proxy-pass@{}", proxy.name());
    // Nobody listens at this port: only the proxy leads to the emulator.
    let host = format!("localhost:{}", orienteer_testkit::emulator::free_port());
    let variables = [("MINE", TOKEN), ("http_proxy", address.as_str()), ("no_proxy", "")];
    let mut asking = Asking::with(&settings(&host, &format!("http://{host}")), &variables);
    let (answer, _) = asking.get("remote_read_file", readme(&host));
    assert!(answer["content"].as_str().unwrap().contains("hello-world"), "{answer:#}");
    assert!(proxy.heads().iter().all(|head| head.starts_with(&format!("GET http://{host}/"))));
}

/// Makes everything that is kept this much older, as time would.
fn age(cache: &Path, seconds: u64) {
    const SCRIPT: &str = "import sqlite3, sys\nfor path in sys.argv[2:]:\n    with sqlite3.connect(path) as kept:\n        \
                          kept.execute('UPDATE answer SET confirmed = confirmed - ?', (int(sys.argv[1]) * 1000,))\n";
    let mut found = Vec::new();
    let mut folders = vec![cache.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "sqlite" || kind == "db") {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "nothing is kept below {}", cache.display());
    let seconds = seconds.to_string();
    let mut command = std::process::Command::new("python3");
    let status = command.args(["-c", SCRIPT, &seconds]).args(found).status().unwrap();
    assert!(status.success());
}

#[test]
fn without_a_network_kept_answers_are_given_and_marked() {
    let emulator = Emulator::start();
    let cache = tempfile::tempdir().unwrap();
    let settings = settings(&emulator.name(), &emulator.api());
    let variables = [("MINE", TOKEN), ("XDG_CACHE_HOME", text(cache.path()))];
    let file = readme(&emulator.name());
    let search = json!({ "host": emulator.name(), "keywords": ["world"] });
    let mut asking = Asking::with(&settings, &variables);
    let (fresh, _) = asking.get("remote_read_file", file.clone());
    asking.get("remote_search_repositories", search.clone());
    assert_eq!(fresh["completeness"]["state"], "complete");
    drop(asking);
    drop(emulator);
    age(cache.path(), 3 * 3_600);
    let mut asking = Asking::with(&settings, &variables);
    for (tool, arguments) in [("remote_read_file", file), ("remote_search_repositories", search.clone())] {
        let (answer, text) = asking.get(tool, arguments);
        assert_eq!(answer["provenance"]["offline"], true, "{answer:#}");
        assert!(answer["provenance"]["cached_ms"].as_u64().unwrap() >= 3 * 3_600_000, "{answer:#}");
        assert_eq!(answer["completeness"]["state"], "partial", "{answer:#}");
        let warning = &answer["warnings"][0];
        assert_eq!(warning["kind"], "offline", "{answer:#}");
        assert!(text.contains("could not be reached"), "{text}");
    }
    // What was never asked is not known.
    let mut unknown = search;
    unknown["keywords"] = json!(["other"]);
    assert_eq!(asking.refused("remote_search_repositories", unknown)["kind"], "network");
}

#[test]
fn a_token_is_neither_logged_nor_kept() {
    let emulator = Emulator::start();
    let cache = tempfile::tempdir().unwrap();
    let settings = format!("[log]\nlevel = 'trace'\n{}", settings(&emulator.name(), &emulator.api()));
    let variables = [("MINE", TOKEN), ("XDG_CACHE_HOME", text(cache.path()))];
    let mut asking = Asking::with(&settings, &variables);
    asking.get("remote_read_file", here(&emulator, json!({ "path": "README.md" })));
    asking.refused("remote_read_file", here(&emulator, json!({ "path": "nope" })));
    asking.server.close();
    asking.server.wait(std::time::Duration::from_secs(20));
    let logged = asking.server.stderr();
    assert!(logged.contains("remote_read_file"), "it was logged at all: {logged}");
    assert!(!logged.contains(TOKEN), "{logged}");
    let mut folders = vec![cache.path().to_path_buf(), asking.tree.beside("home")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap();
            let there = bytes.windows(TOKEN.len()).any(|window| window == TOKEN.as_bytes());
            assert!(!there, "{}", entry.path().display());
            files += 1;
        }
    }
    assert!(files > 1, "an answer was kept");
}
