//! Which project a file belongs to, and which paths are allowed.

use std::path::{Path, PathBuf};

use orienteer_testkit::workspaces::{PYTHON, in_folder};
use serde_json::{Value, json};

use super::support::{Client, over};

fn workspaces(client: &mut Client) -> Vec<String> {
    let answer = client.success("health_check", json!({}));
    let held = answer["lsp_pool"]["workspaces"].as_array().unwrap().clone();
    held.iter().map(|root| client.relative(root.as_str().unwrap())).collect()
}

#[test]
fn the_project_is_the_nearest_folder_with_a_configuration() {
    let fixture = "//- /pyproject.toml\n[project]\nname = \"outer\"\n//- /outer.py\nx = int(1)\n\
                   //- /inner/pyrightconfig.json\n{}\n//- /inner/deep/a.py\nx = str(1)\n\
                   //- /older/setup.py\n//- /older/b.py\nx = bool(1)\n";
    let mut client = over(fixture).start();
    for (file, kind) in [("outer.py", "int"), ("inner/deep/a.py", "str"), ("older/b.py", "bool")] {
        assert_eq!(client.success("get_hover", client.place(file, 1, 1))["type"], kind, "{file}");
    }
    assert_eq!(workspaces(&mut client), ["inner", ""], "a setup.py does not hide the configuration above");
    client.end();
}

#[test]
fn any_path_is_allowed_unless_it_is_restricted() {
    // The program runs in an empty folder and is asked about another one.
    let mut client = over("//- /empty.txt\n").start();
    let elsewhere = client.tree.beside("elsewhere");
    std::fs::write(elsewhere.join("a.py"), "x: int = \"\"\n").unwrap();
    let path = elsewhere.join("a.py").display().to_string();
    assert_eq!(client.success("check_types", json!({ "path": path }))["error_count"], 1);
    let hover = client.success("get_hover", json!({ "file": path, "line": 1, "column": 1 }));
    assert_eq!(hover["type"], "int");
    client.end();
}

#[test]
fn nothing_above_an_allowed_path_decides() {
    let fixture = in_folder("app", PYTHON);
    let start = over(&format!(
        "{fixture}//- /pyproject.toml\n[tool.pyright]\nstrict = [\"**\"]\n//- /app/loose/a.py\ndef f(x): return x\n"
    ));
    let allowed = start.tree.root().join("app/loose").display().to_string();
    let mut client = start.variable("PYRIGHT_MCP_ALLOWED_PATHS", allowed.clone()).start();
    assert_eq!(
        client.success("check_types", json!({ "path": client.at("app/loose/a.py") }))["error_count"],
        0
    );
    assert_eq!(workspaces(&mut client), ["app/loose"]);
    let config = client.success("health_check", json!({}))["config"].clone();
    assert_eq!(config["allowed_paths"], json!([allowed]));
    client.end();
}

#[test]
fn a_link_out_of_the_allowed_paths_is_refused() {
    let start = over("//- /in/a.py\nx = int(1)\n//- /out/b.py\ny = 2\n");
    let root = start.tree.root().to_owned();
    std::os::unix::fs::symlink(root.join("out"), root.join("in/link")).unwrap();
    let allowed = root.join("in").display().to_string();
    let mut client = start.variable("PYRIGHT_MCP_ALLOWED_PATHS", allowed).start();
    let (code, _) = client.error("get_hover", client.place("in/link/b.py", 1, 1));
    assert_eq!(code, "path_not_allowed");
    assert_eq!(client.success("get_hover", client.place("in/a.py", 1, 1))["type"], "int");
    client.end();
}

#[test]
fn odd_names_are_names() {
    let mut client = over("//- /we ird #1/ü.py\nx: int = \"\"\n//- /we ird #1/pyproject.toml\n").start();
    let answer = client.success("check_types", json!({ "path": client.at("we ird #1") }));
    assert_eq!(client.relative(answer["diagnostics"][0]["file"].as_str().unwrap()), "we ird #1/ü.py");
    let answer: Value = client.success("go_to_definition", client.place("we ird #1/ü.py", 1, 1));
    assert_eq!(client.spots(&answer["definitions"]), ["we ird #1/ü.py:1:1"]);
    client.end();
}

fn files(folder: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            files(&entry.path(), into);
        } else {
            into.push((entry.path(), std::fs::read(entry.path()).unwrap()));
        }
    }
    into.sort();
}

#[test]
fn nothing_is_written_and_no_shell_sees_a_path() {
    let name = "$(touch pwned); `touch pwned` 'a\".py";
    let mut client = over(PYTHON).start();
    client.tree.write(name, "x: int = \"\"\n");
    let mut before = Vec::new();
    files(client.tree.root(), &mut before);
    let answer = client.success("check_types", json!({ "path": client.at(name) }));
    assert_eq!(answer["error_count"], 1, "{answer:#}");
    client.success("find_references", client.place("src/shapes/total.py", 8, 5));
    client.success("get_hover", client.place(name, 1, 1));
    let mut after = Vec::new();
    files(client.tree.root(), &mut after);
    assert_eq!(before, after);
    client.end();
}
