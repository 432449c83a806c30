//! A name that is used more often than some servers tell. None of them says so.

use std::fmt::Write as _;

use orienteer_testkit::{Tree, tools};
use serde_json::json;

use crate::c::program;
use crate::python::all_but;
use crate::support::{Start, at, configure, over, over_tree, trusted, warnings, with};

/// More than anybody's limit that is known, in as many files as some servers read.
const FILES: u64 = 6;
const IN_EACH: u64 = 400;
const ALL: u64 = FILES * IN_EACH;

/// Files with uses, beside the one that defines the name.
fn uses(fixture: &str, extension: &str, first: &str, of_each: impl Fn(u64) -> String, last: &str) -> String {
    let mut text = fixture.to_owned();
    let folder = if extension == "c" { "src/" } else { "" };
    for file in 0..FILES {
        write!(text, "//- /{folder}use_{file}.{extension}\n{}", first.replace('@', &file.to_string()))
            .unwrap();
        for number in 0..IN_EACH {
            writeln!(text, "{}", of_each(number)).unwrap();
        }
        text += last;
    }
    text
}

/// How many uses are told, and the warnings.
fn told(start: Start, file: &str, line: u32, column: u32) -> (u64, Vec<String>) {
    let mut live = start.start();
    let few = json!({ "include_declaration": false, "max_results": 3 });
    let answer = live.get("find_references", with(at(file, line, column), few));
    live.end();
    assert_eq!(answer["references"].as_array().unwrap().len(), 3, "{answer:#}");
    let warned = warnings(&answer).into_iter().map(str::to_owned).collect();
    (answer["total_count"].as_u64().unwrap(), warned)
}

/// Some say that an import is a use.
fn is_whole(start: Start, file: &str, line: u32, column: u32) {
    let (number, warned) = told(start, file, line, column);
    assert!([ALL, ALL + FILES].contains(&number), "{number}");
    assert_eq!(warned, [""; 0]);
}

fn c() -> Tree {
    let fixture = "//- /src/many.h\nint many(int);\n//- /src/many.c\n#include \"many.h\"\nint many(int n) { return n; }\n";
    let first = "#include \"many.h\"\nint use_@(void) {\n  int n = 0;\n";
    program(&uses(fixture, "c", first, |_| "  n += many(n);".into(), "  return n;\n}\n"))
}

#[test]
fn of_clangd() {
    is_whole(over_tree(c()), "src/many.c", 2, 5);
}

/// Who starts it otherwise is told that uses are left out.
#[test]
fn of_clangd_with_a_limit() {
    let tree = c();
    configure(&tree, "[[servers]]\nid = \"clangd\"\nargs = [\"--background-index\"]\n");
    let (number, told) = told(over_tree(tree), "src/many.c", 2, 5);
    assert!((900..=1000).contains(&number), "{number}");
    assert_eq!(told, ["references_cut"]);
}

#[test]
fn of_rust_analyzer() {
    let package = "//- /Cargo.toml\n[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\npath = \"lib.rs\"\n";
    let mut fixture = format!("{package}//- /lib.rs\npub fn many(n: u32) -> u32 {{ n }}\n");
    for file in 0..FILES {
        writeln!(fixture, "mod use_{file};").unwrap();
    }
    let each = |_| "    n += crate::many(n);".into();
    let text = uses(&fixture, "rs", "pub fn used() -> u32 {\n    let mut n = 0;\n", each, "    n\n}\n");
    is_whole(over_tree(trusted(&text)), "lib.rs", 1, 8);
}

#[test]
fn of_gopls() {
    let fixture = "//- /go.mod\nmodule example.com/app\n\ngo 1.19\n//- /many.go\npackage app\n\nfunc many(n int) int { return n }\n";
    let each = |_| "\tn += many(n)".into();
    let text = uses(fixture, "go", "package app\n\nfunc use@() (n int) {\n", each, "\treturn n\n}\n");
    is_whole(over(&text), "many.go", 3, 6);
}

fn typescript() -> String {
    let fixture = "//- /package.json\n{ \"name\": \"app\" }\n//- /tsconfig.json\n{ \"include\": [\"*\"] }\n//- /many.ts\nexport function many() {}\n";
    uses(fixture, "ts", "import { many } from './many';\n", |_| "many();".into(), "")
}

#[test]
fn of_typescript_and_its_successor() {
    is_whole(over(&typescript()), "many.ts", 1, 17);
    is_whole(over(&typescript()).path(tools::ts7_path()), "many.ts", 1, 17);
}

#[test]
fn of_pyright_and_others_for_python() {
    let fixture = "//- /pyproject.toml\n//- /many.py\ndef many(): ...\n";
    let text = uses(fixture, "py", "from many import many\n", |_| "many()".into(), "");
    is_whole(over(&text), "many.py", 1, 5);
    for (id, path) in [
        ("basedpyright", Some(tools::basedpyright_path())),
        ("ty", Some(tools::server_path())),
        ("zuban", Some(tools::server_path())),
        ("jedi-language-server", None),
        ("pylsp", None),
    ] {
        let start = over(&text).variable("ORIENTEER_LSP_DISABLED", all_but(id));
        let start = match path {
            Some(path) => start.path(path),
            None => start,
        };
        is_whole(start, "many.py", 1, 5);
    }
    let start = over_tree(trusted(&text)).variable("ORIENTEER_LSP_DISABLED", all_but("pyrefly"));
    is_whole(start, "many.py", 1, 5);
}

#[test]
fn of_intelephense() {
    let fixture = "//- /composer.json\n{}\n//- /many.php\n<?php\nfunction many() {}\n";
    let text = uses(fixture, "php", "<?php\n", |_| "many();".into(), "");
    is_whole(over(&text), "many.php", 2, 10);
}

#[test]
fn of_lua() {
    let fixture = "//- /.luarc.json\n{}\n//- /many.lua\nfunction many() end\n";
    let text = uses(fixture, "lua", "", |_| "many()".into(), "");
    is_whole(over_tree(trusted(&text)), "many.lua", 1, 10);
}

#[test]
fn of_components() {
    let project = "//- /package.json\n{ \"name\": \"app\" }\n//- /tsconfig.json\n{ \"include\": [\"**/*\"] }\n//- /many.ts\nexport function many() { return 1; }\n";
    for extension in ["svelte", "vue"] {
        let first = "<script lang=\"ts\">\nimport { many } from './many';\n";
        let text = uses(project, extension, first, |_| "many();".into(), "</script>\n");
        let file = format!("use_0.{extension}");
        is_whole(over(&text), &file, 2, 10);
    }
}
