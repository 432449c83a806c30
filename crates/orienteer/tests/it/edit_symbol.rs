//! Definitions replaced, given neighbours and deleted, as a client sees it.

use orienteer_testkit::{Framing, Server, Tree, tools, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

/// A session over some files.
pub(crate) struct Workshop {
    pub(crate) server: Server,
    pub(crate) tree: Tree,
}

/// With every installed server in PATH.
pub(crate) fn with_servers(fixture: &str) -> Workshop {
    let path = tools::server_path();
    start(tree(fixture), path.to_str().expect("a PATH in UTF-8"), &[])
}

/// With nothing at all in PATH.
pub(crate) fn with_nothing(fixture: &str) -> Workshop {
    start(tree(fixture), "/nowhere", &[])
}

pub(crate) fn start(tree: Tree, path: &str, args: &[&str]) -> Workshop {
    tree.beside("home");
    // HOME is another one here, and rustup and cargo look there.
    let home = std::env::var("HOME").unwrap_or_default();
    let homes = [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")]
        .map(|(name, usual)| (name, std::env::var(name).unwrap_or_else(|_| format!("{home}/{usual}"))));
    let mut variables =
        vec![("PATH", path), ("GOPROXY", "off"), ("GOFLAGS", "-mod=mod"), ("RUSTUP_AUTO_INSTALL", "0")];
    variables.extend(homes.iter().map(|(name, value)| (*name, value.as_str())));
    let args = [&["--toolsets", "all", "--log-level", "error"], args].concat();
    let mut server = Server::start_with(ORIENTEER, tree.root(), &args, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    Workshop { server, tree }
}

impl Workshop {
    /// The structure of an answer, good or not.
    pub(crate) fn ask(&mut self, tool: &str, arguments: Value) -> Value {
        self.server.call(tool, arguments)["structuredContent"].clone()
    }

    /// A good one.
    pub(crate) fn get(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask(tool, arguments.clone());
        assert_eq!(answer["ok"], true, "{tool} {arguments}: {answer:#}\n{}", self.server.stderr());
        answer
    }

    /// The error of one that is not.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask(tool, arguments.clone());
        assert_eq!(answer["ok"], false, "{tool} {arguments}: {answer:#}");
        answer["error"].clone()
    }

    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.tree.root().join(path)).expect(path)
    }
}

pub(crate) fn warnings(answer: &Value) -> Vec<&str> {
    let all = answer["warnings"].as_array().expect("warnings").iter();
    all.map(|warning| warning["kind"].as_str().unwrap_or_default()).collect()
}

const RUST: &str = r#"//- /Cargo.toml
[package]
name = "demo"
version = "0.1.0"
edition = "2021"
//- /src/lib.rs
//! Demo.

pub mod other;

/// Doubles.
#[must_use]
pub fn double(x: u32) -> u32 {
    x * 2
}

fn lonely(x: u32) -> u32 {
    if x == 0 { 0 } else { lonely(x - 1) }
}

pub struct Counter {
    count: u32,
}

impl Counter {
    pub fn add(&mut self) {
        self.count += 1;
    }
}
//- /src/other.rs
pub fn four() -> u32 {
    crate::double(2)
}
"#;

fn edit(name: &str, operation: &str, content: Option<&str>) -> Value {
    let mut arguments = json!({ "symbol_name": name, "operation": operation });
    if let Some(content) = content {
        arguments["content"] = json!(content);
    }
    arguments
}

#[test]
fn a_plan_is_shown_and_applied_as_it_was_shown() {
    let mut shop = with_nothing(RUST);
    let before = shop.text("src/lib.rs");
    let answer = shop.get("edit_symbol", edit("Counter::add", "replace_body", Some("self.count += 2;")));
    assert_eq!((&answer["applied"], warnings(&answer)), (&json!(false), vec![]), "{answer:#}");
    let diff = answer["plan"]["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("-        self.count += 1;\n+        self.count += 2;\n"), "{diff}");
    assert_eq!(shop.text("src/lib.rs"), before, "nothing is written yet");
    shop.get("apply_edits", json!({ "plan_id": answer["plan"]["plan_id"] }));
    assert_eq!(shop.text("src/lib.rs"), before.replace("+= 1", "+= 2"));
    shop.get("undo_edits", json!({}));
    assert_eq!(shop.text("src/lib.rs"), before);
}

#[test]
fn what_stands_above_stays_unless_the_content_brings_its_own() {
    let mut shop = with_nothing(RUST);
    let before = shop.text("src/lib.rs");
    let mut now = |content: &str| {
        let mut arguments = edit("double", "replace", Some(content));
        arguments["dry_run"] = json!(false);
        let answer = shop.get("edit_symbol", arguments);
        assert_eq!(answer["applied"], true, "{answer:#}");
        let after = shop.text("src/lib.rs");
        shop.get("undo_edits", json!({ "journal_id": answer["journal_id"] }));
        (after, warnings(&answer).join(" "))
    };
    let old = "/// Doubles.\n#[must_use]\npub fn double(x: u32) -> u32 {\n    x * 2\n}\n";
    let kept = before.replace("x * 2", "x + x");
    assert_eq!(now("pub fn double(x: u32) -> u32 {\n    x + x\n}"), (kept, "kept_above".to_owned()));
    let new = "/// Twice.\n#[inline]\npub fn double(x: u32) -> u32 {\n    x + x\n}\n";
    assert_eq!(now(new), (before.replace(old, new), String::new()));
}

#[test]
fn a_syntax_error_is_refused_with_its_place_and_nothing_is_written() {
    let mut shop = with_nothing(RUST);
    let before = shop.text("src/lib.rs");
    let mut arguments =
        edit("lonely", "replace", Some("fn lonely(x: u32) -> u32 {\n    let y = ;\n    y\n}"));
    arguments["dry_run"] = json!(false);
    let error = shop.refused("edit_symbol", arguments);
    assert_eq!(
        (&error["kind"], &error["data"]["kind"]),
        (&json!("invalid_params"), &json!("syntax_error")),
        "{error:#}"
    );
    assert_eq!(
        (&error["data"]["line"], &error["data"]["text"]),
        (&json!(12), &json!("    let y = ;")),
        "{error:#}"
    );
    assert!(error["message"].as_str().unwrap().contains("let y = ;"), "{error:#}");
    assert_eq!(shop.text("src/lib.rs"), before);
}

#[test]
fn what_stands_for_a_hidden_value_is_not_written_in_its_place() {
    let mut shop = with_nothing("//- /a.py\nkey = \"value\"\n");
    let mut arguments = edit("key", "replace", Some("key = \"[REDACTED:github-token]\"  # note"));
    arguments["dry_run"] = json!(false);
    let error = shop.refused("edit_symbol", arguments);
    assert_eq!(
        (&error["data"]["kind"], &error["data"]["field"]),
        (&json!("redacted_content"), &json!("content"))
    );
    assert_eq!(shop.text("a.py"), "key = \"value\"\n");
}

#[test]
fn only_the_name_of_one_definition_is_an_exact_target() {
    let mut shop = with_nothing(
        "//- /a.py\nclass A:\n    def m(self): pass\n\n\nclass B:\n    def m(self): pass\n\n\nx = A().m()\n//- /notes.txt\nm\n",
    );
    let error = shop.refused("edit_symbol", edit("m", "delete", None));
    assert_eq!(error["kind"], "ambiguous", "{error:#}");
    assert_eq!(error["data"]["candidates"], json!(["a.py#A/m", "a.py#B/m"]), "{error:#}");
    for (line, column, kind) in
        [(9, 9, "not_found"), (9, 5, "not_found"), (1, 6, "not_found"), (3, 1, "not_found")]
    {
        let arguments = json!({ "file_path": "a.py", "line": line, "column": column, "operation": "delete", "force": true });
        let error = shop.refused("edit_symbol", arguments);
        assert_eq!(error["kind"], kind, "{line}:{column} {error:#}");
    }
    let near = json!({ "file_path": "a.py", "line": 4, "symbol_name": "B", "operation": "replace", "content": "class B:\n    pass" });
    assert_eq!(shop.refused("edit_symbol", near)["data"]["kind"], "inexact_target");
    let words =
        json!({ "file_path": "notes.txt", "symbol_name": "m", "operation": "replace", "content": "x" });
    assert_ne!(shop.refused("edit_symbol", words)["kind"], "internal_error");
    let mut nested = edit("B/m", "insert_after", Some("def n(self):\n    return 2"));
    nested["dry_run"] = json!(false);
    shop.get("edit_symbol", nested);
    assert!(
        shop.text("a.py")
            .contains("class B:\n    def m(self): pass\n\n    def n(self):\n        return 2\n\n\nx ="),
        "{}",
        shop.text("a.py")
    );
}

#[test]
fn a_language_without_a_grammar_and_missing_content_are_refused() {
    let mut shop = with_nothing("//- /a.erl\nf() -> 1.\n//- /b.rs\nfn f() {}\n");
    let arguments = json!({ "file_path": "a.erl", "line": 1, "column": 1, "operation": "replace", "content": "g() -> 2." });
    let error = shop.refused("edit_symbol", arguments);
    assert_eq!(
        (&error["kind"], &error["data"]["kind"]),
        (&json!("unsupported"), &json!("no_grammar")),
        "{error:#}"
    );
    for (operation, content, detail) in [
        ("replace", None, "missing_content"),
        ("insert_after", Some("  \n"), "missing_content"),
        ("delete", Some("x"), "unexpected_content"),
    ] {
        let error = shop.refused("edit_symbol", edit("f", operation, content));
        assert_eq!(error["data"]["kind"], detail, "{error:#}");
    }
}

#[test]
fn without_a_server_nothing_is_deleted_unless_forced() {
    let mut shop = with_nothing(RUST);
    let before = shop.text("src/lib.rs");
    let error = shop.refused("edit_symbol", edit("lonely", "delete", None));
    assert_eq!(error["data"]["kind"], "uses_unknown", "{error:#}");
    let mut forced = edit("lonely", "delete", None);
    forced["force"] = json!(true);
    forced["dry_run"] = json!(false);
    let answer = shop.get("edit_symbol", forced);
    assert!(!warnings(&answer).is_empty(), "{answer:#}");
    let lonely = "fn lonely(x: u32) -> u32 {\n    if x == 0 { 0 } else { lonely(x - 1) }\n}\n\n";
    assert_eq!(shop.text("src/lib.rs"), before.replace(lonely, ""));
}

#[test]
fn rust_analyzer_tells_what_is_still_used() {
    let mut shop = with_servers(RUST);
    let error = shop.refused("edit_symbol", edit("double", "delete", None));
    assert_eq!(
        (&error["kind"], &error["data"]["kind"]),
        (&json!("invalid_params"), &json!("still_used")),
        "{error:#}"
    );
    assert_eq!(
        (&error["data"]["uses"], &error["data"]["references"][0]),
        (&json!(1), &json!("src/other.rs:2:12 crate::double(2)"))
    );
    // It calls itself, and that goes with it.
    let mut lonely = edit("lonely", "delete", None);
    lonely["dry_run"] = json!(false);
    let answer = shop.get("edit_symbol", lonely);
    assert_eq!((&answer["server_id"], warnings(&answer)), (&json!("rust-analyzer"), vec![]), "{answer:#}");
    assert!(!shop.text("src/lib.rs").contains("lonely"));
    let mut forced = edit("double", "delete", None);
    forced["force"] = json!(true);
    let answer = shop.get("edit_symbol", forced);
    assert_eq!(warnings(&answer), ["still_used"], "{answer:#}");
    let diff = answer["plan"]["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("-/// Doubles.\n-#[must_use]\n-pub fn double"), "{diff}");
    // Its own idea of where a definition is agrees.
    let answer = shop.get(
        "edit_symbol",
        edit("Counter::add", "insert_after", Some("pub fn reset(&mut self) {\n    self.count = 0;\n}")),
    );
    assert_eq!(answer["server_id"], "rust-analyzer");
}

#[test]
fn pyright_tells_what_is_still_used() {
    let mut shop = with_servers(
        "//- /pyproject.toml\n[project]\nname = \"demo\"\n//- /shapes.py\nimport functools\n\n\n@functools.cache\ndef used():\n    \"\"\"Doc.\"\"\"\n    return 1\n\n\n# Nobody needs it.\n@functools.cache\ndef unused():\n    return unused()\n\n\nTEXT = \"unused\"\n//- /main.py\nfrom shapes import used\n\nprint(used())\n",
    );
    let error = shop.refused("edit_symbol", edit("used", "delete", None));
    assert_eq!(error["data"]["kind"], "still_used", "{error:#}");
    assert_eq!(error["data"]["uses"], 2, "{error:#}");
    let mut unused = edit("unused", "delete", None);
    unused["dry_run"] = json!(false);
    let answer = shop.get("edit_symbol", unused);
    assert_eq!(answer["server_id"], "pyright", "{answer:#}");
    let after = shop.text("shapes.py");
    assert!(after.ends_with("    return 1\n\n\nTEXT = \"unused\"\n"), "{after}");
    // The name in a string is nothing the server knows, and is told.
    assert_eq!(answer["plan"]["unconfirmed"][0]["line"], 16, "{answer:#}");
}

#[test]
fn a_file_in_utf_16_is_understood_and_not_written_as_something_else() {
    let mut shop = with_nothing("//- /keep.rs\nfn other() {}\n");
    let text = "/// Größe.\npub fn size() -> u32 {\n    4\n}\n";
    let bytes: Vec<u8> =
        [0xfeff_u16].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    std::fs::write(shop.tree.root().join("wide.rs"), &bytes).expect("the file");
    let outline = shop.get("document_symbols", json!({ "file_path": "wide.rs" }));
    assert_eq!(outline["symbols"][0]["name"], "size", "{outline:#}");
    assert_eq!((&outline["symbols"][0]["line"], &outline["symbols"][0]["column"]), (&json!(2), &json!(8)));
    let found = shop.get("find_symbol", json!({ "query": "size", "match": "exact" }));
    assert_eq!(found["symbols"][0]["file_path"], "wide.rs", "{found:#}");
    let mut replace = edit("size", "replace_body", Some("    5"));
    replace["file_path"] = json!("wide.rs");
    let refused = shop.refused("edit_symbol", replace);
    assert_eq!(
        (&refused["kind"], &refused["data"]["kind"]),
        (&json!("unsupported"), &json!("not_utf8")),
        "{refused:#}"
    );
    assert_eq!(std::fs::read(shop.tree.root().join("wide.rs")).expect("the file"), bytes);
}
