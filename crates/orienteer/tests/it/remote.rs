//! Remote code through the program itself: an emulator of GitHub that we did not write, and the registries of this
//! machine's own package managers.

use orienteer_testkit::emulator::{Emulator, TOKEN};
use orienteer_testkit::{Framing, Server, Tree, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;
use crate::remote_network::settings;
use crate::secrets::{fake_key, token};

const HELLO: &str = "/repos/octocat/hello-world";

pub(crate) struct Asking {
    pub(crate) server: Server,
    pub(crate) tree: Tree,
}

impl Asking {
    /// A client of the program with these settings of the user.
    pub(crate) fn with(settings: &str, variables: &[(&str, &str)]) -> Self {
        let tree = tree("//- /README.md\n# Nothing\n");
        let folder = tree.beside("home").join(".config/orienteer");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), settings).unwrap();
        let arguments = ["--toolsets", "all"];
        let mut server = Server::start_with(ORIENTEER, tree.root(), &arguments, variables, Framing::Lines);
        server.initialize("2025-11-25");
        Self { server, tree }
    }

    pub(crate) fn of(emulator: &Emulator) -> Self {
        Self::with(&settings(&emulator.name(), &emulator.api()), &[("MINE", TOKEN)])
    }

    /// The structured answer and its text, which never have the token in them.
    pub(crate) fn ask(&mut self, tool: &str, arguments: Value) -> (Value, String) {
        let reply = self.server.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(!reply.to_string().contains(TOKEN), "{reply}");
        let text = reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply:#}"));
        (reply["result"]["structuredContent"].clone(), text.to_owned())
    }

    pub(crate) fn get(&mut self, tool: &str, arguments: Value) -> (Value, String) {
        let (answer, text) = self.ask(tool, arguments);
        assert_eq!(answer["ok"], true, "{answer:#}");
        (answer, text)
    }

    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let (answer, _) = self.ask(tool, arguments);
        assert_eq!(answer["ok"], false, "{answer:#}");
        answer["error"].clone()
    }
}

/// Base64 of a small text, without a crate for it.
fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

pub(crate) fn put(emulator: &Emulator, path: &str, text: &str) -> String {
    let body = json!({ "message": format!("add {path}"), "content": base64(text), "branch": "main" });
    let made = emulator.send("PUT", &format!("{HELLO}/contents/{path}"), &body);
    made["commit"]["sha"].as_str().unwrap().to_owned()
}

pub(crate) fn here(emulator: &Emulator, more: Value) -> Value {
    let mut arguments = json!({ "host": emulator.name(), "owner": "octocat", "repo": "hello-world" });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments
}

#[test]
fn a_file_is_read_in_parts_with_where_it_came_from() {
    let emulator = Emulator::start();
    let text: String = (1..=300).map(|number| format!("line {number}\n")).collect();
    let commit = put(&emulator, "src/lines.txt", &text);
    let mut asking = Asking::of(&emulator);
    let lines = json!({ "path": "src/lines.txt", "start_line": 2, "end_line": 3 });
    let (answer, _) = asking.get("remote_read_file", here(&emulator, lines));
    assert_eq!((&answer["content"], &answer["total_lines"]), (&json!("line 2\nline 3\n"), &json!(300)));
    let from = &answer["provenance"];
    assert_eq!(
        (&from["provider"], &from["host"], &from["repository"], &from["commit"]),
        (&json!("github"), &json!(emulator.name()), &json!("octocat/hello-world"), &json!(commit))
    );
    assert_eq!(answer["completeness"]["state"], "complete");
    // All of it, in pages that fit.
    let (mut whole, mut cursor) = (String::new(), Value::Null);
    loop {
        let mut arguments = here(&emulator, json!({ "path": "src/lines.txt", "max_total_chars": 2500 }));
        if !cursor.is_null() {
            arguments["cursor"] = cursor;
        }
        let (answer, _) = asking.get("remote_read_file", arguments);
        whole.push_str(answer["content"].as_str().unwrap());
        cursor = answer["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(whole, text);
    let matching = json!({ "path": "src/lines.txt", "match_string": "line 250", "context_lines": 1 });
    let (answer, _) = asking.get("remote_read_file", here(&emulator, matching));
    assert_eq!(answer["matched_lines"], json!([250]));
}

#[test]
fn what_a_stranger_wrote_is_shown_as_it_is() {
    let emulator = Emulator::start();
    put(&emulator, "odd.txt", "a\u{202e}b\u{200b}c\npassword = \"hunter2-hunter2-77\"\n");
    let mut asking = Asking::of(&emulator);
    let (answer, text) = asking.get("remote_read_file", here(&emulator, json!({ "path": "odd.txt" })));
    assert!(answer["content"].as_str().unwrap().starts_with("a\\u{202e}b\\u{200b}c\n"), "{answer:#}");
    assert!(text.contains("a\\u{202e}b"), "{text}");
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("invisible_characters"), "{warnings}");
}

#[test]
fn secrets_of_a_stranger_are_hidden_in_every_part() {
    let emulator = Emulator::start();
    let (token, (pem, key)) = (token(), fake_key());
    let text = format!("# about\ntoken = \"{token}\"\n{pem}# after\n");
    put(&emulator, "deploy.pem", &text);
    let mut asking = Asking::of(&emulator);
    for part in [
        json!({}),
        json!({ "start_line": 10, "end_line": 14 }),
        json!({ "char_offset": 500, "char_length": 400 }),
        json!({ "match_string": &key[9][10..18], "match_case_sensitive": true, "context_lines": 2 }),
        json!({ "match_string": "a", "context_lines": 0 }),
    ] {
        let mut arguments = here(&emulator, json!({ "path": "deploy.pem", "max_total_chars": 2_000 }));
        arguments.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        let mut pages = 0;
        loop {
            let (answer, text) = asking.get("remote_read_file", arguments.clone());
            // What was asked for is repeated as it was asked.
            let mut shown = answer.clone();
            shown.as_object_mut().unwrap().remove("input");
            let shown = format!("{shown}{text}");
            assert!(!shown.contains(&token), "{part}: {shown}");
            for line in &key {
                assert!(!shown.contains(&line[20..44]), "{part} page {pages}: {line} in {shown}");
            }
            pages += 1;
            match answer.get("cursor") {
                Some(cursor) if !cursor.is_null() && pages < 20 => arguments["cursor"] = cursor.clone(),
                _ => break,
            }
        }
        assert!(pages < 20, "{part}");
    }
    let after = json!({ "path": "deploy.pem", "start_line": 24, "end_line": 25 });
    let (answer, _) = asking.get("remote_read_file", here(&emulator, after));
    assert!(
        answer["content"].as_str().unwrap().ends_with("# after\n"),
        "what is no secret stays: {answer:#}"
    );
}

#[test]
fn trees_repositories_and_changes_are_listed() {
    let emulator = Emulator::start();
    put(&emulator, "src/main.rs", "fn main() {}\n");
    let mut asking = Asking::of(&emulator);
    let (answer, text) = asking.get("remote_list_tree", here(&emulator, json!({ "depth": 2 })));
    let paths: Vec<&str> =
        answer["entries"].as_array().unwrap().iter().map(|entry| entry["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["README.md", "src", "src/main.rs"]);
    assert_eq!(answer["summary"], json!({ "files": 2, "directories": 1 }));
    assert!(text.contains("src/\n") && text.contains("src/main.rs"), "{text}");

    let words = json!({ "host": emulator.name(), "keywords": ["world"], "max_results": 1 });
    let (answer, text) = asking.get("remote_search_repositories", words.clone());
    assert_eq!((&answer["total_count"], answer["repositories"].as_array().unwrap().len()), (&json!(2), 1));
    assert!(text.starts_with("2 repositories on localhost:"), "{text}");
    let mut next = words;
    next["cursor"] = answer["cursor"].clone();
    let (second, _) = asking.get("remote_search_repositories", next);
    assert_ne!(second["repositories"][0]["full_name"], answer["repositories"][0]["full_name"]);
    assert!(second["cursor"].is_null(), "{second:#}");

    let main = emulator.send("GET", &format!("{HELLO}/git/ref/heads/main"), &Value::Null);
    let branch = json!({ "ref": "refs/heads/topic", "sha": main["object"]["sha"] });
    emulator.send("POST", &format!("{HELLO}/git/refs"), &branch);
    let pull = json!({ "title": "A change", "head": "topic", "base": "main", "body": "Please." });
    let made = emulator.send("POST", &format!("{HELLO}/pulls"), &pull);
    let comment = json!({ "body": "Looks good." });
    emulator.send("POST", &format!("{HELLO}/issues/{}/comments", made["number"]), &comment);
    let one = json!({ "number": made["number"], "with_comments": true });
    let (answer, text) = asking.get("remote_search_changes", here(&emulator, one));
    let change = &answer["changes"][0];
    assert_eq!((&change["title"], &change["state"]), (&json!("A change"), &json!("open")));
    assert_eq!(change["comments"][0]["body"], "Looks good.");
    assert!(text.contains("octocat: Looks good."), "{text}");
}

#[test]
fn several_questions_in_one_call_do_not_spoil_each_other() {
    let emulator = Emulator::start();
    for number in 1..=4 {
        put(&emulator, &format!("{number}.txt"), &format!("text {number}\n"));
    }
    let mut asking = Asking::of(&emulator);
    let read = |path: &str| json!({ "tool": "remote_read_file", "arguments": here(&emulator, json!({ "path": path })) });
    let calls = [read("1.txt"), read("2.txt"), read("missing.txt"), read("3.txt"), read("4.txt")];
    let (answer, _) = asking.get("batch", json!({ "calls": calls }));
    let rows = answer["results"].as_array().unwrap();
    let told: Vec<&Value> = rows
        .iter()
        .map(|row| if row["ok"] == true { &row["result"]["content"] } else { &row["error"]["kind"] })
        .collect();
    assert_eq!(told, ["text 1\n", "text 2\n", "not_found", "text 3\n", "text 4\n"]);
}

#[test]
fn who_cannot_be_asked_is_told_with_what_to_do() {
    let emulator = Emulator::start();
    let mut asking = Asking::of(&emulator);
    let file = here(&emulator, json!({ "path": "README.md" }));
    asking.get("remote_read_file", file.clone());
    let missing = asking.refused("remote_read_file", here(&emulator, json!({ "path": "no/such.txt" })));
    assert_eq!(missing["kind"], "not_found", "{missing:#}");
    for path in ["a/../../b", "a/%2e%2e/b", "a/%252E%252e/b", "a\\..\\b", ".."] {
        let escape = asking.refused("remote_read_file", here(&emulator, json!({ "path": path })));
        assert_eq!(
            (&escape["kind"], &escape["data"]["kind"]),
            (&json!("invalid_params"), &json!("parent_folder")),
            "{path}"
        );
        let escape = asking.refused("remote_list_tree", here(&emulator, json!({ "path": path })));
        assert_eq!(escape["data"]["kind"], "parent_folder", "{path}");
    }
    let both = json!({ "path": "README.md", "start_line": 1, "end_line": 2, "match_string": "x" });
    let both = asking.refused("remote_read_file", here(&emulator, both));
    assert_eq!(both["data"]["kind"], "conflicting_parts", "{both:#}");
    let unknown = json!({ "host": "forge.invalid", "owner": "a", "repo": "b", "path": "c" });
    let unknown = asking.refused("remote_read_file", unknown);
    assert_eq!(unknown["data"]["kind"], "unknown_host", "{unknown:#}");
    let nothing = asking.refused("remote_search_repositories", json!({ "host": emulator.name() }));
    assert_eq!(nothing["data"]["kind"], "missing_field", "{nothing:#}");
    // What was read before is still known when nobody answers any more, and says how old it is.
    drop(emulator);
    let (answer, _) = asking.get("remote_read_file", file);
    assert!(answer["provenance"]["cached_ms"].is_u64(), "{answer:#}");
    let mut other = answer["input"].clone();
    other["path"] = json!("other.txt");
    let network = asking.refused("remote_read_file", other);
    assert_eq!(network["kind"], "network", "{network:#}");
}

#[test]
fn packages_are_looked_up_where_the_users_package_managers_do() {
    // The package managers of this machine, with the settings of whoever runs the tests.
    let home = std::env::var("HOME").unwrap();
    let mut variables = vec![("HOME", home.as_str())];
    let cache = tempfile::tempdir().unwrap();
    variables.push(("XDG_CACHE_HOME", cache.path().to_str().unwrap()));
    variables.push(("XDG_STATE_HOME", cache.path().to_str().unwrap()));
    variables.push(("XDG_DATA_HOME", cache.path().to_str().unwrap()));
    variables.push(("XDG_CONFIG_HOME", cache.path().to_str().unwrap()));
    let mut asking = Asking::with("", &variables);
    for (ecosystem, name, owner) in
        [("npm", "is-number", "jonschlinkert"), ("python", "six", "benjaminp"), ("cargo", "itoa", "dtolnay")]
    {
        let (answer, text) = asking.get("search_packages", json!({ "name": name, "ecosystem": ecosystem }));
        let package = &answer["packages"][0];
        assert_eq!((&package["name"], &package["found_by"]), (&json!(name), &json!("exact")), "{answer:#}");
        assert_eq!(package["repository"]["owner"], owner, "{answer:#}");
        assert!(text.starts_with(&format!("{name} ")), "{text}");
    }
}

#[test]
fn it_can_be_turned_off() {
    let mut asking = Asking::with("[remote]\nenabled = false\n", &[]);
    let arguments = json!({ "owner": "a", "repo": "b", "path": "c" });
    let error = asking.refused("remote_read_file", arguments);
    assert_eq!((&error["kind"], &error["data"]["kind"]), (&json!("not_enabled"), &json!("remote_disabled")));
}
