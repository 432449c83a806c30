//! Code formatted by language servers and by programs, as a client sees it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use orienteer_testkit::{tools, tree};
use serde_json::{Value, json};

use crate::edit_symbol::{Workshop, start, warnings, with_nothing, with_servers};

fn format(shop: &mut Workshop, arguments: Value) -> Value {
    let mut arguments = arguments;
    arguments["dry_run"] = json!(false);
    shop.get("format_code", arguments)
}

fn title(answer: &Value) -> &str {
    answer["plan"]["title"].as_str().expect("a title")
}

/// A PATH that has these programs and nothing else, each as it is found on this machine.
pub(crate) fn only(shop: &Path, programs: &[&str]) -> String {
    let folder = shop.join("programs");
    std::fs::create_dir_all(&folder).unwrap();
    for program in programs {
        std::os::unix::fs::symlink(tools::require(program), folder.join(program)).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

/// A program of our own in a folder that is the whole PATH.
pub(crate) fn script(folder: &Path, name: &str, text: &str) -> String {
    std::fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder.to_str().unwrap().to_owned()
}

const GO: &str = "//- /go.mod\nmodule demo\n\ngo 1.19\n//- /main.go\npackage main\n\nfunc main() {\n    x := 1\n\t_ = x\n}\n\nfunc other( ) { }\n";
const GO_FORMATTED: &str = "package main\n\nfunc main() {\n\tx := 1\n\t_ = x\n}\n\nfunc other() {}\n";

#[test]
fn gopls_formats_and_says_so() {
    let mut shop = with_servers(GO);
    let before = shop.text("main.go");
    let shown = shop.get("format_code", json!({ "file_paths": ["main.go"] }));
    assert_eq!(
        (&shown["server_id"], title(&shown)),
        (&json!("gopls"), "format main.go with gopls"),
        "{shown:#}"
    );
    let diff = shown["plan"]["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("-    x := 1\n+\tx := 1\n") && !diff.contains("-\t_ = x"), "{diff}");
    assert_eq!(shop.text("main.go"), before);
    shop.get("apply_edits", json!({ "plan_id": shown["plan"]["plan_id"] }));
    assert_eq!(shop.text("main.go"), GO_FORMATTED);
    let again = shop.get("format_code", json!({ "file_paths": ["main.go"] }));
    assert_eq!((&again["plan"]["plan_id"], &again["plan"]["files"]), (&Value::Null, &json!([])), "{again:#}");
    shop.get("undo_edits", json!({}));
    assert_eq!(shop.text("main.go"), before);
}

#[test]
fn gofmt_takes_the_place_of_a_server_and_keeps_windows_line_ends() {
    let tree = tree(GO);
    let path = only(&tree.beside("path"), &["gofmt"]);
    let unformatted = std::fs::read_to_string(tree.root().join("main.go")).unwrap();
    tree.write(
        "dos.go",
        unformatted.replace("main()", "dos()").replace("other", "another").replace('\n', "\r\n"),
    );
    let mut shop = start(tree, &path, &[]);
    let answer = format(&mut shop, json!({ "file_paths": ["main.go", "dos.go"] }));
    assert_eq!(
        (title(&answer), &answer["server_id"]),
        ("format 2 files with gofmt", &Value::Null),
        "{answer:#}"
    );
    assert_eq!(shop.text("main.go"), GO_FORMATTED);
    let expected = GO_FORMATTED.replace("main()", "dos()").replace("other", "another").replace('\n', "\r\n");
    assert_eq!(shop.text("dos.go"), expected);
    let again = format(&mut shop, json!({ "file_paths": ["dos.go"] }));
    assert_eq!((&again["applied"], &again["plan"]["files"]), (&json!(false), &json!([])), "{again:#}");
}

#[test]
fn some_lines_are_formatted_and_the_others_are_not() {
    let tree = tree(GO);
    let path = only(&tree.beside("path"), &["gofmt"]);
    let mut shop = start(tree, &path, &[]);
    let before = shop.text("main.go");
    format(&mut shop, json!({ "file_paths": ["main.go"], "start_line": 8, "end_line": 8 }));
    assert_eq!(shop.text("main.go"), before.replace("func other( ) { }", "func other() {}"));
    for (arguments, detail) in [
        (json!({ "file_paths": ["main.go"], "start_line": 3 }), "half_a_range"),
        (json!({ "file_paths": ["main.go"], "start_line": 3, "end_line": 2 }), "lines_reversed"),
        (json!({ "file_paths": ["main.go"], "start_line": 3, "end_line": 900 }), "no_such_line"),
        (
            json!({ "file_paths": ["main.go", "go.mod"], "start_line": 1, "end_line": 1 }),
            "lines_of_several_files",
        ),
        (json!({ "file_paths": ["main.go", "./main.go"] }), "repeated_file"),
    ] {
        let error = shop.refused("format_code", arguments);
        assert_eq!(error["data"]["kind"], detail, "{error:#}");
    }
}

#[test]
fn rust_is_formatted_with_rustfmt() {
    let fixture = "//- /Cargo.toml\n[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- /src/lib.rs\npub async fn a( ) ->u8{1}\n\npub fn b() {}\n";
    let formatted = "pub async fn a() -> u8 {\n    1\n}\n\npub fn b() {}\n";
    let mut shop = with_servers(fixture);
    let answer = format(&mut shop, json!({ "file_paths": ["src/lib.rs"], "wait_ms": 50_000 }));
    assert_eq!(
        (title(&answer), shop.text("src/lib.rs").as_str()),
        // rust-analyzer may be told which formatter to run, so it is not asked where nobody trusts the project.
        ("format src/lib.rs with rustfmt", formatted)
    );
    // Without the server, rustfmt itself is told the edition: `async` is no word of the oldest one.
    let tree = tree(fixture);
    let path = only(&tree.beside("path"), &["rustfmt"]);
    let mut shop = start(tree, &path, &[]);
    let answer = format(&mut shop, json!({ "file_paths": ["src/lib.rs"] }));
    assert_eq!(
        (title(&answer), shop.text("src/lib.rs").as_str()),
        ("format src/lib.rs with rustfmt", formatted)
    );
}

#[test]
fn typescript_is_formatted_as_its_file_is_indented() {
    let fixture = "//- /package.json\n{}\n//- /tsconfig.json\n{}\n//- /a.ts\nexport function a(){\n  const x=1;\n    return x;\n}\n\nexport function b( ) { return 2 }\n";
    let mut shop = with_servers(fixture);
    let answer = format(&mut shop, json!({ "file_paths": ["a.ts"], "start_line": 1, "end_line": 4 }));
    assert_eq!(
        shop.text("a.ts"),
        "export function a() {\n  const x = 1;\n  return x;\n}\n\nexport function b( ) { return 2 }\n",
        "{answer:#}"
    );
    format(&mut shop, json!({ "file_paths": ["a.ts"] }));
    assert!(shop.text("a.ts").ends_with("export function b() { return 2 }\n"));
}

#[test]
fn the_last_line_break_stays() {
    let mut shop = with_servers("//- /a.json\n{\"a\":1}\n");
    format(&mut shop, json!({ "file_paths": ["a.json"] }));
    assert_eq!(shop.text("a.json"), "{\n    \"a\": 1\n}\n");
}

#[test]
fn python_has_ruff_where_its_server_does_not_format() {
    let fixture = "//- /pyproject.toml\n[project]\nname = \"demo\"\n//- /a.py\ndef f( x ):\n  return  x+1\n//- /broken.py\ndef f(:\n  return  1\n";
    let mut shop = with_servers(fixture);
    let answer = format(&mut shop, json!({ "file_paths": ["a.py"] }));
    assert_eq!(
        (title(&answer), &answer["source"]),
        ("format a.py with ruff format", &json!("text")),
        "{answer:#}"
    );
    assert_eq!(shop.text("a.py"), "def f(x):\n    return x + 1\n");
    // One that cannot be read is left alone and told; the others are done.
    shop.tree.write("a.py", "x=1\n");
    let answer = format(&mut shop, json!({ "file_paths": ["broken.py", "a.py"] }));
    assert_eq!(
        (warnings(&answer), shop.text("a.py").as_str()),
        (vec!["not_formatted"], "x = 1\n"),
        "{answer:#}"
    );
    assert_eq!(answer["completeness"]["state"], "partial", "{answer:#}");
    let error = shop.refused("format_code", json!({ "file_paths": ["broken.py"] }));
    assert_eq!(
        (&error["data"]["kind"], &error["data"]["line"]),
        (&json!("syntax_error"), &json!(1)),
        "{error:#}"
    );
    assert_eq!(shop.text("broken.py"), "def f(:\n  return  1\n");
}

#[test]
fn a_missing_formatter_is_named_with_what_installs_it() {
    let mut shop = with_nothing("//- /a.go\npackage a\n//- /b.rb\nx = 1\n//- /notes.txt\nhello\n");
    let error = shop.refused("format_code", json!({ "file_paths": ["a.go"] }));
    assert_eq!(
        (&error["kind"], &error["data"]["missing"]),
        (&json!("prerequisite_missing"), &json!(["gofmt"])),
        "{error:#}"
    );
    let error = shop.refused("format_code", json!({ "file_paths": ["b.rb"] }));
    assert_eq!(
        (&error["kind"], &error["data"]["kind"]),
        (&json!("unsupported"), &json!("no_formatter")),
        "{error:#}"
    );
    shop.refused("format_code", json!({ "file_paths": ["notes.txt"] }));
}

#[test]
fn a_formatter_that_fails_tells_why_and_nothing_is_written() {
    for (text, told) in [
        ("#!/bin/sh\necho 'no such style' >&2\nexit 3\n", "no such style"),
        ("#!/bin/sh\nexit 0\n", "it wrote nothing"),
        ("#!/bin/sh\nprintf 'func broken( {\\n'\n", "would break"),
        ("#!/bin/sh\nprintf '\\377\\376'\n", "not UTF-8"),
    ] {
        let tree = tree(GO);
        let path = script(&tree.beside("path"), "gofmt", text);
        let mut shop = start(tree, &path, &[]);
        let before = shop.text("main.go");
        let error = shop.refused("format_code", json!({ "file_paths": ["main.go"], "dry_run": false }));
        assert!(error["message"].as_str().unwrap().contains(told), "{told}: {error:#}");
        assert_eq!(shop.text("main.go"), before);
    }
}

#[test]
fn settings_that_are_programs_run_only_in_a_trusted_project() {
    let tree = tree("//- /prettier.config.mjs\nexport default {};\n//- /a.css\na{color:red}\n");
    // Only the formatter: a server would format it.
    let path = script(&tree.beside("path"), "prettier", "#!/bin/sh\nprintf 'a {\\n  color: red;\\n}\\n'\n");
    let mut shop = start(tree, &path, &[]);
    let error = shop.refused("format_code", json!({ "file_paths": ["a.css"] }));
    assert_eq!(
        (&error["kind"], &error["data"]["kind"]),
        (&json!("not_enabled"), &json!("needs_trust")),
        "{error:#}"
    );
    std::fs::remove_file(shop.tree.root().join("prettier.config.mjs")).unwrap();
    format(&mut shop, json!({ "file_paths": ["a.css"] }));
    assert_eq!(shop.text("a.css"), "a {\n  color: red;\n}\n");
}
