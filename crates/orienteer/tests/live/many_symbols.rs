//! Some servers list only so many symbols of a name and do not say so. We do, and the grammar finds the others.

use std::fmt::Write as _;

use orienteer_testkit::tools;
use serde_json::json;

use crate::c::program;
use crate::python::all_but;
use crate::support::{Start, over, over_tree, trusted, warnings};

/// A file with functions, and one that is called otherwise.
fn functions(fixture: &str, number: usize, write: impl Fn(&str) -> String) -> String {
    let mut text = fixture.to_owned();
    for number in 0..number {
        writeln!(text, "{}", write(&format!("many_{number:04}"))).unwrap();
    }
    text + &write("few") + "\n"
}

/// What is said of a name: the number of symbols, and the warnings. Of a page, which is never complete.
fn listed(start: Start, query: &str) -> (usize, Vec<String>) {
    let mut live = start.start();
    let prefix = json!({ "query": query, "match": "prefix", "max_results": 3 });
    let answer = live.get("find_symbol", prefix);
    let words: Vec<&str> = live.text.split([' ', '\n', ';']).filter(|word| !word.is_empty()).collect();
    let at =
        words.iter().position(|word| word.starts_with("symbol")).unwrap_or_else(|| panic!("{}", live.text));
    let number = words[at - 1].replace(',', "").parse().unwrap_or_else(|_| panic!("{}", live.text));
    live.end();
    let capped = json!({ "state": "partial", "reason": "capped" });
    let complete = json!({ "state": "complete" });
    assert_eq!(answer["completeness"], if number > 3 { capped } else { complete }, "{answer:#}");
    (number, warnings(&answer).into_iter().map(str::to_owned).collect())
}

fn is_cut(number: usize, start: impl Fn() -> Start) {
    assert_eq!(listed(start(), "many_"), (number, vec!["symbols_cut".to_owned()]));
    is_whole(1, "few", start);
}

fn is_whole(number: usize, query: &str, start: impl Fn() -> Start) {
    assert_eq!(listed(start(), query), (number, Vec::new()));
}

#[test]
fn of_rust_analyzer() {
    let package = "//- /Cargo.toml\n[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let text =
        functions(&format!("{package}//- /src/lib.rs\n"), 1_100, |name| format!("pub fn {name}() {{}}"));
    is_cut(1_100, || over(&text));
}

const TYPESCRIPT: &str = "//- /package.json\n{ \"name\": \"app\" }\n//- /tsconfig.json\n{ \"include\": [\"src\"] }\n//- /src/many.ts\n";

#[test]
fn of_typescript_native() {
    let text = functions(TYPESCRIPT, 300, |name| format!("export function {name}() {{}}"));
    is_cut(300, || over(&text).path(tools::ts7_path()));
}

#[test]
fn of_typescript() {
    let text = functions(TYPESCRIPT, 1_500, |name| format!("export function {name}() {{}}"));
    is_whole(1_500, "many_", || over(&text));
}

#[test]
fn of_clangd() {
    let text = functions("//- /src/many.c\n", 150, |name| format!("int {name}(void) {{ return 1; }}"));
    is_cut(150, || over_tree(program(&text)));
}

#[test]
fn of_gopls() {
    let fixture = "//- /go.mod\nmodule example.com/app\n\ngo 1.19\n//- /many.go\npackage app\n\n";
    let text = functions(fixture, 150, |name| format!("func {name}() {{}}"));
    is_cut(150, || over(&text));
}

#[test]
fn of_pyright() {
    let text = functions("//- /many.py\n", 1_500, |name| format!("def {name}(): ..."));
    is_whole(1_500, "many_", || over(&text));
}

/// It has every symbol of a component several times, and leaves them out again.
#[test]
fn of_svelte() {
    let project =
        "//- /package.json\n{ \"name\": \"app\" }\n//- /tsconfig.json\n{ \"include\": [\"**/*\"] }\n";
    let text = functions(&format!("{project}//- /App.svelte\n<script lang=\"ts\">\n"), 150, |name| {
        format!("  export function {name}() {{}}")
    });
    let text = text + "</script>\n";
    // No grammar reads the functions of a component.
    let (number, told) = listed(over(&text), "many_");
    assert!(number > 3 && number < 150, "{number}: it can be believed now");
    assert_eq!(told, ["symbols_cut"]);
}

#[test]
fn of_intelephense() {
    let text = functions("//- /composer.json\n{}\n//- /many.php\n<?php\n", 1_100, |name| {
        format!("function {name}() {{}}")
    });
    is_cut(1_100, || over(&text));
}

#[test]
fn of_pyrefly() {
    let text = functions("//- /many.py\n", 1_100, |name| format!("def {name}(): ..."));
    let start = || over_tree(trusted(&text)).variable("ORIENTEER_LSP_DISABLED", all_but("pyrefly"));
    is_cut(1_100, start);
}

#[test]
fn of_jedi() {
    let text = functions("//- /many.py\n", 300, |name| format!("def {name}(): ..."));
    let start = || over(&text).variable("ORIENTEER_LSP_DISABLED", all_but("jedi-language-server"));
    is_whole(300, "many_", start);
    // It looks into some of many files.
    let mut text = String::new();
    for number in 0..40 {
        write!(text, "//- /file_{number:02}.py\ndef many_{number:02}(): ...\n").unwrap();
    }
    let start = || over(&text).variable("ORIENTEER_LSP_DISABLED", all_but("jedi-language-server"));
    assert_eq!(listed(start(), "many_"), (40, vec!["symbols_cut".to_owned()]));
}

/// The others have no limit.
#[test]
fn of_others_for_python() {
    let text = functions("//- /many.py\n", 1_500, |name| format!("def {name}(): ..."));
    for (id, path) in [
        ("basedpyright", tools::basedpyright_path()),
        ("ty", tools::server_path()),
        ("zuban", tools::server_path()),
    ] {
        let disabled = all_but(id);
        is_whole(1_500, "many_", || {
            over(&text).path(path.clone()).variable("ORIENTEER_LSP_DISABLED", disabled.clone())
        });
    }
}

#[test]
fn of_lua_and_bash() {
    let lua =
        functions("//- /.luarc.json\n{}\n//- /many.lua\n", 1_500, |name| format!("function {name}() end"));
    is_whole(1_500, "many_", || over_tree(trusted(&lua)));
    let bash = functions("//- /many.sh\n#!/bin/bash\n", 1_500, |name| format!("{name}() {{ :; }}"));
    is_whole(1_500, "many_", || over(&bash));
}
