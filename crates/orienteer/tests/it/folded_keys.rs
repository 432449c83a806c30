//! Private keys in whatever is made of a file: outlines, previews, hovers, the index. No line of one gets out.

use std::collections::BTreeMap;

use orienteer_testkit::fake::{Rule, Script, fake_lsp_binary};
use orienteer_testkit::{Framing, Server, Tree};
use serde_json::{Value, json};

use crate::ORIENTEER;
use crate::index::ALL;

const LINES: usize = 6;

/// The lines of a key that is another one for each file. Put together at run time.
fn body(seed: usize) -> Vec<String> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = seed as u64 * 7919 + 17;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(alphabet[(state >> 33) as usize % 64])
    };
    (0..LINES).map(|_| (0..64).map(|_| next()).collect()).collect()
}

fn fence(word: &str) -> String {
    format!("-----{word} {} KEY-----", "PRIVATE")
}

/// Every line of a key between something.
fn each(lines: &[String], before: &str, after: &str) -> String {
    lines.iter().map(|line| format!("{before}{line}{after}")).collect()
}

/// Files that hold a key each, in the forms that languages have for it.
fn fixture() -> (Tree, BTreeMap<&'static str, Vec<String>>) {
    let tree = Tree::empty();
    let mut keys = BTreeMap::new();
    let mut add = |path: &'static str, text: &dyn Fn(&[String]) -> String| {
        let lines = body(keys.len());
        let whole: Vec<String> =
            std::iter::once(fence("BEGIN")).chain(lines.iter().cloned()).chain([fence("END")]).collect();
        tree.write(path, text(&whole));
        keys.insert(path, lines);
    };
    add("src/constant.rs", &|key| format!("pub const SECRET_KEY: &str = \"{}\";\n", key.join("\\n")));
    add("src/array.rs", &|key| {
        format!("pub const SECRET_KEY: [&str; 8] = [\n{}];\n", each(key, "    \"", "\",\n"))
    });
    add("src/documented.rs", &|key| format!("{}pub fn secret_documented() {{}}\n", each(key, "/// ", "\n")));
    add("src/raw.rs", &|key| format!("pub static SECRET_KEY: &str = r\"{}\";\n", key.join("\n")));
    add("web/template.ts", &|key| format!("export const secretKey = `{}`;\n", key.join("\n")));
    add("web/lines.ts", &|key| {
        format!("export const secretKey = [\n{}].join(\"\\n\");\n", each(key, "  '", "',\n"))
    });
    add("web/entries.js", &|key| {
        let entries = key.iter().enumerate().map(|(at, line)| format!("  entry{at}: \"{line}\",\n"));
        format!("const secretKey = {{\n{}}};\nmodule.exports = secretKey;\n", entries.collect::<String>())
    });
    add("py/strings.py", &|key| format!("SECRET_KEY = (\n{})\n", each(key, "    \"", "\\n\"\n")));
    add("py/docstring.py", &|key| {
        format!(
            "def secret_documented():\n    \"\"\"Signs.\n\n{}    \"\"\"\n    return 1\n",
            each(key, "    ", "\n")
        )
    });
    add("go/key.go", &|key| format!("package key\n\nconst SecretKey = `{}`\n", key.join("\n")));
    add("java/Key.java", &|key| {
        let joined = key.iter().map(|line| format!("\"{line}\\n\"")).collect::<Vec<_>>().join("\n        + ");
        format!("class Key {{\n    static final String SECRET_KEY = {joined};\n}}\n")
    });
    add("bin/deploy.sh", &|key| {
        format!(
            "secret_key() {{\n  cat <<KEY\n{}KEY\n}}\nexport SECRET_KEY=\"{}\"\n",
            each(key, "", "\n"),
            key.join("\\n")
        )
    });
    add("rb/key.rb", &|key| format!("SECRET_KEY = <<~KEY\n{}KEY\n", each(key, "  ", "\n")));
    add("c/key.c", &|key| format!("static const char *secret_key =\n{};\n", each(key, "    \"", "\\n\"\n")));
    add("etc/key.json", &|key| {
        format!("{{\n  \"secretKey\": \"{}\",\n  \"other\": 1\n}}\n", key.join("\\n"))
    });
    add("etc/key.yaml", &|key| format!("secret_key: |\n{}other: 1\n", each(key, "  ", "\n")));
    add("etc/key.toml", &|key| format!("secret_key = \"\"\"\n{}\"\"\"\n", each(key, "", "\n")));
    add("etc/key.md", &|key| format!("# secret key\n\n```\n{}```\n", each(key, "", "\n")));
    (tree, keys)
}

/// A piece of one of these keys that stands in a text.
fn leaked(text: &str, keys: &BTreeMap<&'static str, Vec<String>>) -> Option<String> {
    keys.iter().find_map(|(path, lines)| {
        lines.iter().find_map(|line| {
            let pieces = (0..=line.len() - 20).map(|at| &line[at..at + 20]);
            pieces.into_iter().find(|piece| text.contains(piece)).map(|piece| format!("{path}: {piece}"))
        })
    })
}

/// Calls of every tool that shows something of a file.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let names = ["SECRET_KEY", "secretKey", "secret_key", "SecretKey", "secret_documented"];
    let mut calls = vec![
        ("document_symbols", json!({ "file_path": path, "depth": 5 })),
        ("read_file", json!({ "file_path": path })),
        ("read_file", json!({ "file_path": path, "raw": true, "start_line": 3, "end_line": 5 })),
        ("read_file", json!({ "file_path": path, "match_string": "=|a", "context_lines": 1 })),
        ("search_code", json!({ "pattern": "[A-Za-z]{6}", "path": path, "context_lines": 2 })),
        ("hover", json!({ "file_path": path, "line": 1, "column": 12 })),
        ("find_definition", json!({ "file_path": path, "line": 1, "column": 12 })),
    ];
    for name in names {
        let target = json!({ "file_path": path, "symbol_name": name });
        calls.push((
            "find_definition",
            json!({ "file_path": path, "symbol_name": name, "include_snippet": true }),
        ));
        calls.push(("explore", json!({ "targets": [target] })));
        calls.push((
            "edit_symbol",
            json!({ "file_path": path, "symbol_name": name, "operation": "delete", "force": true }),
        ));
    }
    calls
}

const EVERYWHERE: &[(&str, &str)] = &[
    ("document_symbols", r#"{ "file_path": ".", "depth": 5 }"#),
    ("find_symbol", r#"{ "query": "secret" }"#),
    ("find_references", r#"{ "symbol_name": "SecretKey", "include_snippet": true }"#),
    ("search", r#"{ "query": "secret key", "output": "full", "max_results": 100 }"#),
    ("search", r#"{ "query": "secret documented", "output": "full", "apart": true, "max_results": 100 }"#),
    ("search_structure", r#"{ "pattern": "export const secretKey = $VALUE", "language": "typescript" }"#),
    ("search_structure", r#"{ "pattern": "pub const $NAME: $TYPE = $VALUE;", "language": "rust" }"#),
    (
        "batch",
        r#"{ "calls": [{ "tool": "document_symbols", "arguments": { "file_path": "src/array.rs" } },
            { "tool": "explore", "arguments": { "targets": [{ "symbol_name": "SecretKey" }] } }] }"#,
    ),
];

/// Settings of the user.
pub(crate) fn configure(tree: &Tree, settings: &str) {
    let folder = tree.beside("home").join(".config/orienteer");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), settings).unwrap();
}

fn start(tree: &Tree, more: &[&str]) -> Server {
    let arguments = [ALL, more].concat();
    let mut server =
        Server::start_with(ORIENTEER, tree.root(), &arguments, &[("PATH", "/nowhere")], Framing::Lines);
    server.initialize("2025-11-25");
    server
}

#[test]
fn no_tool_shows_a_piece_of_a_key_in_any_form() {
    let full = std::env::var_os("ORIENTEER_TEST_FULL").is_some();
    let (tree, keys) = fixture();
    let mut server = start(&tree, &[]);
    let mut answered = BTreeMap::new();
    // Before there is an index, and with it.
    for round in 0..2 {
        let everywhere = EVERYWHERE.iter().map(|(tool, given)| (*tool, serde_json::from_str(given).unwrap()));
        // Every third is a sample of all of them, another one with the index.
        let is_asked = |at: &usize| full || at % 3 == round;
        let each = keys.keys().flat_map(|path| calls(path)).enumerate().filter(|(at, _)| is_asked(at));
        for (tool, given) in each.map(|(_, call)| call).chain(everywhere) {
            let result = server.call(tool, given.clone());
            let text = result.to_string();
            assert_eq!(leaked(&text, &keys), None, "{round} {tool} {given}: {text}");
            *answered.entry(tool).or_insert(0) += usize::from(result["isError"] != true);
        }
        let built = server.call("build_index", json!({}));
        assert!(built["isError"] != true, "{built}");
    }
    for tool in [
        "document_symbols",
        "find_symbol",
        "explore",
        "search",
        "search_code",
        "edit_symbol",
        "find_definition",
    ] {
        assert!(answered[tool] > 0, "{tool} answered nothing: {answered:?}");
    }
    let outline = server.call("document_symbols", json!({ "file_path": "src/array.rs" }));
    let symbol = &outline["structuredContent"]["symbols"][0];
    assert_eq!(
        (&symbol["name"], &symbol["line"]),
        (&json!("SECRET_KEY"), &json!(1)),
        "names and lines stay true"
    );
    assert!(symbol["signature"].as_str().unwrap().contains("[REDACTED:private-key]"), "{symbol}");
    // Nor is it kept, as it is, in what belongs to a symbol.
    let home = tree.root().with_file_name("home");
    let mut kept = Vec::new();
    files(&home, &mut kept);
    assert!(kept.iter().any(|(path, _)| path.ends_with(".db")), "there is an index");
    for (path, bytes) in kept {
        assert_eq!(leaked(&String::from_utf8_lossy(&bytes), &keys), None, "{path}");
    }
}

fn files(folder: &std::path::Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if let Ok(bytes) = std::fs::read(&path) {
            found.push((path.display().to_string(), bytes));
        }
    }
}

#[test]
fn what_a_server_quotes_of_a_key_is_hidden() {
    let (tree, keys) = fixture();
    tree.write("src/use.fake", "def run\n");
    let (constant, array) = (&keys["src/constant.rs"], &keys["src/array.rs"]);
    // With the fence, folded, and cut out of the middle.
    let quoted = format!(
        "const K: [&str; 3] = [\"{}\", \"{}\", \"{}\"]\n{}…\n{}",
        fence("BEGIN"),
        constant[0],
        constant[1],
        &array[1][5..],
        array[2]
    );
    let hover = json!({ "contents": { "kind": "plaintext", "value": quoted } });
    let location = json!({ "uri": format!("file://{}", tree.root().join("src/array.rs").display()),
        "range": { "start": { "line": 2, "character": 5 }, "end": { "line": 2, "character": 9 } } });
    let script = Script::new()
        .rule(Rule::on("textDocument/hover").answer(hover))
        .rule(Rule::on("textDocument/definition").answer(json!([location])));
    let script = script.write(&tree.beside("fake"));
    let settings = format!(
        "[lsp]\nwait_ms = 6000\n[[servers]]\nid = 'fake'\ncommand = '{}'\nargs = ['{}']\nextensions = ['fake']\nroot_markers = ['.']\n",
        fake_lsp_binary().display(),
        script.display()
    );
    configure(&tree, &settings);
    let mut server = start(&tree, &[]);
    let place = json!({ "file_path": "src/use.fake", "line": 1, "column": 5 });
    for tool in ["hover", "find_definition"] {
        let result = server.call(tool, place.clone());
        assert!(result["isError"] != true, "{result}");
        let text = result.to_string();
        let seen: BTreeMap<_, _> =
            if tool == "hover" { [("src/constant.rs", constant.clone())].into() } else { keys.clone() };
        assert_eq!(leaked(&text, &seen), None, "{tool}: {text}");
        assert!(text.contains("REDACTED"), "{tool}: {text}");
    }
}

#[test]
fn who_switches_it_off_sees_keys_in_outlines() {
    let (tree, keys) = fixture();
    let mut server = start(&tree, &["--no-redact"]);
    for (tool, given) in [
        ("document_symbols", json!({ "file_path": "src/array.rs" })),
        ("find_symbol", json!({ "query": "SECRET_KEY" })),
        ("explore", json!({ "targets": [{ "file_path": "src/array.rs", "symbol_name": "SECRET_KEY" }] })),
    ] {
        let text = server.call(tool, given).to_string();
        assert!(leaked(&text, &keys).is_some(), "{tool}: {text}");
    }
}
