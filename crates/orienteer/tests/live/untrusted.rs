//! What the configuration of a project can have the real servers run: nothing, where nobody trusts it.
//!
//! One row of `docs/programs.md` each. A project has everything that its server is known to read, and each part of it that
//! is a program leaves a mark.

use std::path::Path;

use orienteer_testkit::{Tree, tools, tree};
use serde_json::{Value, json};

use crate::python::all_but;
use crate::support::{Live, at, over_tree, tell_tale, trusted};

/// A program of any kind that leaves a mark, by what it is written in.
fn mark(tree: &Tree, path: &str) {
    let (ran, place) = (ran(tree), tree.root().join(path));
    let ran = ran.display();
    let text = match place.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "cjs" | "js" => format!(
            "require('fs').writeFileSync('{ran}', '');\nmodule.exports = () => ({{ create: info => info.languageService }});\n"
        ),
        "mjs" => format!("import fs from 'fs';\nfs.writeFileSync('{ran}', '');\nexport default {{}};\n"),
        "py" => format!("open({:?}, 'w')\n", ran.to_string()),
        "lua" => format!("os.execute(\"touch '{ran}'\")\nreturn {{}}\n"),
        _ => return tell_tale(&place, Path::new(&ran.to_string())),
    };
    tree.write(path, text);
}

fn ran(tree: &Tree) -> std::path::PathBuf {
    tree.beside("marks").join("ran")
}

/// Asks whatever makes a server look at a file and at its project.
fn asked(live: &mut Live, file: &str, line: u32, column: u32) {
    for (tool, arguments) in [
        ("get_diagnostics", json!({ "file_paths": [file] })),
        ("hover", at(file, line, column)),
        ("find_references", at(file, line, column)),
        ("document_symbols", json!({ "file_path": file })),
        ("code_actions", at(file, line, column)),
        ("complete", at(file, line, column)),
        ("format_code", json!({ "file_paths": [file] })),
    ] {
        live.raw(tool, arguments);
    }
}

/// Nothing of the project is run; what the server says of a file is returned.
fn runs_nothing(tree: Tree, servers: Option<&str>, server: &str, spot: (&str, u32, u32)) -> Value {
    let ran = ran(&tree);
    let mut start = over_tree(tree);
    if let Some(only) = servers {
        start = start.variable("ORIENTEER_LSP_DISABLED", all_but(only));
    }
    let mut live = start.start();
    let (file, line, column) = spot;
    let symbols = live.raw("hover", at(file, line, column));
    asked(&mut live, file, line, column);
    let status = live.get("get_server_status", json!({})).to_string();
    assert!(status.contains(&format!("\"{server}\"")), "{server} was not started: {status}");
    let _kept = live.end();
    assert!(!ran.exists(), "{server} ran code of the project");
    symbols
}

#[test]
fn plugins_of_typescript_are_not_loaded_from_the_project() {
    let tree = tree(
        "//- /package.json\n{}\n//- /tsconfig.json\n{ \"compilerOptions\": { \"plugins\": [{ \"name\": \"evil\" }, { \"name\": \"./plug.js\" }, { \"name\": \"./node_modules/../plug\" }] } }\n//- /a.ts\nexport const a: number = 1;\n//- /node_modules/evil/package.json\n{ \"name\": \"evil\", \"main\": \"index.js\" }\n",
    );
    mark(&tree, "plug.js");
    mark(&tree, "node_modules/evil/index.js");
    runs_nothing(tree, None, "typescript-language-server", ("a.ts", 1, 14));
}

const VUE: &str = "//- /package.json\n{}\n//- /tsconfig.json\n{ \"vueCompilerOptions\": { \"plu\\u0067ins\": [\"./plug.cjs\", \"evil\"] }, \"include\": [\"src\"] }\n//- /src/a.vue\n<script setup lang=\"ts\">\nconst total: number = 1\n</script>\n<template>{{ total }}</template>\n//- /node_modules/evil/package.json\n{ \"name\": \"evil\", \"main\": \"index.js\" }\n";

#[test]
fn plugins_of_vue_are_loaded_in_a_trusted_project_only() {
    let made = |tree: Tree| {
        mark(&tree, "plug.cjs");
        mark(&tree, "node_modules/evil/index.js");
        tree
    };
    let hover = runs_nothing(made(tree(VUE)), None, "vue", ("src/a.vue", 2, 8));
    assert!(hover["contents"]["type_info"].as_str().unwrap().contains("total: number"), "{hover:#}");
    let tree = made(trusted(VUE));
    let ran = ran(&tree);
    let mut live = over_tree(tree).start();
    live.ask("hover", at("src/a.vue", 2, 8));
    let _kept = live.end();
    assert!(ran.exists(), "the plug-in is a real one");
}

#[test]
fn svelte_loads_no_configuration_and_formats_only_as_the_project_wants() {
    let fixture = "//- /package.json\n{}\n//- /tsconfig.json\n{}\n//- /A.svelte\n<script lang=\"ts\">\nlet total: number = 1\n</script>\n<p>{total}</p>\n";
    let tree = tree(fixture);
    for path in [
        ".prettierrc.cjs",
        "svelte.config.js",
        "svelte.config.mjs",
        "vite.config.js",
        "node_modules/svelte/compiler/index.js",
        "node_modules/prettier/index.js",
    ] {
        mark(&tree, path);
    }
    let marks = ran(&tree);
    let mut live = over_tree(tree).start();
    let refused = live.refused("format_code", json!({ "file_paths": ["A.svelte"] }));
    assert_eq!(refused["error"]["data"]["kind"], "needs_trust", "{refused:#}");
    asked(&mut live, "A.svelte", 2, 5);
    assert!(!marks.exists(), "the configuration was run");
    // Without it, it formats.
    std::fs::remove_file(live.tree.root().join(".prettierrc.cjs")).unwrap();
    live.get("format_code", json!({ "file_paths": ["A.svelte"], "dry_run": false }));
    let text = std::fs::read_to_string(live.tree.root().join("A.svelte")).unwrap();
    assert!(text.contains("let total: number = 1;"), "{text}");
    let _kept = live.end();
    assert!(!marks.exists(), "the configuration was run");
}

#[test]
fn a_lua_server_that_runs_configurations_needs_trust() {
    let fixture = "//- /.emmyrc.json\n{ \"format\": { \"externalTool\": { \"program\": \"TOOL\" } } }\n//- /a.lua\nlocal  total = 1\nprint(total)\n";
    let made = |tree: Tree| {
        mark(&tree, ".emmyrc.lua");
        mark(&tree, "tool.sh");
        let tool = tree.root().join("tool.sh").display().to_string();
        let text = std::fs::read_to_string(tree.root().join(".emmyrc.json")).unwrap();
        tree.write(".emmyrc.json", text.replace("TOOL", &tool));
        tree
    };
    let tree = made(tree(fixture));
    let marks = ran(&tree);
    let mut live = over_tree(tree).start();
    let told = live.refused("get_diagnostics", json!({ "file_paths": ["a.lua"] }));
    assert_eq!(told["error"]["data"]["kind"], "not_trusted", "{told:#}");
    assert!(told["next_steps"].to_string().contains("`orienteer trust`"), "{told:#}");
    let refused = live.refused("format_code", json!({ "file_paths": ["a.lua"] }));
    assert_eq!(refused["error"]["data"]["kind"], "not_trusted", "{refused:#}");
    asked(&mut live, "a.lua", 1, 8);
    let _kept = live.end();
    assert!(!marks.exists());
    let tree = made(trusted(fixture));
    let marks = ran(&tree);
    let mut live = over_tree(tree).start();
    asked(&mut live, "a.lua", 1, 8);
    let _kept = live.end();
    assert!(marks.exists(), "the configuration is a real one");
}

/// Everything that is known to name an interpreter, a plug-in or a script to tools of Python.
fn python_project() -> Tree {
    let tree = tree(
        "//- /a.py\nimport os\nimport gi\n\ntotal: int = os.sep\nprint( total)\n//- /pyrightconfig.json\n{ \"venvPath\": \".\", \"venv\": \"env\", \"pythonPath\": \"env/bin/python\" }\n//- /pyproject.toml\n[tool.ty.environment]\npython = \"env\"\n[tool.mypy]\nplugins = [\"plug.py\"]\npython_executable = \"env/bin/python\"\n[tool.pylint.main]\ninit-hook = \"import plug\"\nload-plugins = [\"plug\"]\n//- /setup.cfg\n[flake8:local-plugins]\nextension =\n    X = plug:X\npaths = .\n[mypy]\nplugins = plug.py\n//- /.pylintrc\n[MAIN]\ninit-hook=import plug\nload-plugins=plug\n//- /env/pyvenv.cfg\nhome = /usr/bin\n//- /.venv/pyvenv.cfg\nhome = /usr/bin\n",
    );
    for path in [
        "plug.py",
        "conftest.py",
        "gi/__init__.py",
        ".ropeproject/config.py",
        "env/bin/python",
        "env/bin/python3",
        ".venv/bin/python",
        ".venv/bin/python3",
        ".venv/bin/ruff",
        ".venv/bin/pylsp",
        ".venv/bin/mypy",
    ] {
        mark(&tree, path);
    }
    tree
}

#[test]
fn servers_of_python_run_neither_interpreters_nor_plugins_of_the_project() {
    for server in ["pyright", "ty", "zuban", "jedi-language-server", "pylsp"] {
        runs_nothing(python_project(), Some(server), server, ("a.py", 4, 1));
    }
}

#[test]
fn compilers_run_nothing_of_the_project() {
    let tree = python_project();
    tree.write("tsconfig.json", "{ \"compilerOptions\": { \"plugins\": [{ \"name\": \"./plug.js\" }] } }");
    tree.write("a.ts", "export const a: number = 1;\n");
    for path in ["plug.js", "node_modules/.bin/tsc", "node_modules/.bin/pyright"] {
        mark(&tree, path);
    }
    let marks = ran(&tree);
    let mut live = over_tree(tree).start();
    live.raw(
        "get_diagnostics",
        json!({ "file_paths": ["a.py", "a.ts"], "mode": "compiler", "wait_ms": 60_000 }),
    );
    let _kept = live.end();
    assert!(!marks.exists());
}

#[test]
fn clangd_loads_no_plugin_and_runs_no_compiler_that_is_named() {
    let tree = tree("//- /a.c\nint main(void) { return 0; }\n");
    mark(&tree, "cc");
    let at_root = |name: &str| tree.root().join(name).display().to_string();
    let plugin = at_root("evil.so");
    let source = format!(
        "#include <stdio.h>\n__attribute__((constructor)) static void f(void) {{ fopen(\"{}\", \"w\"); }}\n",
        ran(&tree).display()
    );
    tree.write("evil.c", source);
    let built = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o", &plugin, &at_root("evil.c")])
        .status()
        .unwrap();
    assert!(built.success());
    std::fs::remove_file(tree.root().join("evil.c")).unwrap();
    let flags = format!(
        "\"-fplugin={plugin}\", \"-fpass-plugin={plugin}\", \"-Xclang\", \"-load\", \"-Xclang\", \"{plugin}\""
    );
    tree.write(".clangd", format!("CompileFlags:\n  Compiler: {}\n  Add: [{flags}]\n", at_root("cc")));
    tree.write("compile_commands.json", format!("[{{ \"directory\": \"{}\", \"file\": \"a.c\", \"arguments\": [\"{}\", {flags}, \"-mllvm\", \"-load={plugin}\", \"a.c\"] }}]", tree.root().display(), at_root("cc")));
    runs_nothing(tree, None, "clangd", ("a.c", 1, 5));
}

#[test]
fn gopls_runs_no_generator_and_no_go_of_the_project() {
    let mut fixture = String::from(
        "//- /go.mod\nmodule demo\n\ngo 1.19\n//- /a.go\npackage a\n\n//go:generate ./tool.sh\nfunc total() int { return 1 }\n",
    );
    // Go compiles a part of itself for it, which takes a minute.
    if std::env::var_os("ORIENTEER_TEST_FULL").is_some() {
        fixture.push_str(
            "//- /c.go\npackage a\n\n// #cgo CFLAGS: -fplugin=./evil.so\n// int x(void);\nimport \"C\"\n",
        );
    }
    let tree = tree(&fixture);
    for path in ["tool.sh", "bin/go", "go", "gcc", "pkg-config"] {
        mark(&tree, path);
    }
    runs_nothing(tree, None, "gopls", ("a.go", 4, 6));
}

#[test]
fn servers_of_pages_data_and_scripts_run_nothing_of_the_project() {
    let tree = tree(
        "//- /package.json\n{ \"prettier\": \"./plug.cjs\" }\n//- /.shellcheckrc\nexternal-sources=true\n//- /a.sh\n#!/bin/bash\n. ./tool.sh\necho $(./tool.sh)\ntotal=1\n//- /a.yaml\n# yaml-language-server: $schema=./schema.js\ntotal: 1\n//- /a.json\n{ \"$schema\": \"./schema.js\", \"total\": 1 }\n//- /a.html\n<p>x</p><script src=\"plug.cjs\">var total</script>\n//- /a.css\n.total { color: red }\n//- /Dockerfile\nFROM scratch\nRUN ./tool.sh\n//- /composer.json\n{ \"autoload\": { \"files\": [\"a.php\"] }, \"scripts\": { \"post-install-cmd\": \"./tool.sh\" } }\n//- /a.php\n<?php\nfunction total() { return `./tool.sh`; }\n//- /.taplo.toml\n[schema]\npath = \"schema.js\"\nenabled = true\n//- /a.toml\n#:schema ./schema.js\ntotal = 1\n",
    );
    for path in [
        "plug.cjs",
        "schema.js",
        "tool.sh",
        "prettier.config.js",
        ".prettierrc.js",
        "node_modules/prettier/index.js",
        "node_modules/.bin/prettier",
        "node_modules/.bin/bash-language-server",
    ] {
        mark(&tree, path);
    }
    let marks = ran(&tree);
    let mut live = over_tree(tree).start();
    for (file, line, column) in [
        ("a.sh", 4, 1),
        ("a.yaml", 2, 1),
        ("a.json", 1, 28),
        ("a.html", 1, 2),
        ("a.css", 1, 2),
        ("Dockerfile", 1, 1),
        ("a.php", 2, 10),
        ("a.toml", 2, 1),
    ] {
        asked(&mut live, file, line, column);
        assert!(!marks.exists(), "{file}");
    }
    let status = live.get("get_server_status", json!({})).to_string();
    for server in ["bash", "yaml", "json", "html", "css", "dockerfile", "intelephense", "toml"] {
        assert!(status.contains(&format!("\"{server}\"")), "{server}: {status}");
    }
    let _kept = live.end();
    assert!(!marks.exists());
}

/// Those that share names with others of the same kind.
#[test]
fn basedpyright_and_typescript_seven_run_nothing_either() {
    let tree = python_project();
    let marks = ran(&tree);
    let mut live = over_tree(tree)
        .path(tools::basedpyright_path())
        .variable("ORIENTEER_LSP_DISABLED", all_but("basedpyright"))
        .start();
    asked(&mut live, "a.py", 4, 1);
    let _kept = live.end();
    let tree = orienteer_testkit::tree(
        "//- /tsconfig.json\n{ \"compilerOptions\": { \"plugins\": [{ \"name\": \"./plug.js\" }] } }\n//- /a.ts\nexport const a: number = 1;\n",
    );
    mark(&tree, "plug.js");
    let marks_of_seven = ran(&tree);
    let mut live = over_tree(tree).path(tools::ts7_path()).start();
    asked(&mut live, "a.ts", 1, 14);
    let _kept = live.end();
    assert!(!marks.exists() && !marks_of_seven.exists());
}
