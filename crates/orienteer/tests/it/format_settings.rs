//! What a project configures about formatting, where nobody trusts it: data counts, programs are not run.

use std::path::Path;
use std::process::{Command, Stdio};

use orienteer_testkit::{Tree, tools, tree};
use serde_json::json;

use crate::edit_symbol::{Workshop, start};
use crate::format_code::{only, script};

const UNFORMATTED: &str = "export function greet( name ){ const all = {name:\"x\", 'other': [1,2,3], more: \"it's\"};\n    if(name) return `hello ${name}`\n  return  all.name + \"some words that are long enough to be broken apart somewhere\" + name }\n";

/// Leaves a mark when it is loaded, in whatever kind of module.
fn program(mark: &Path, is_module: bool) -> String {
    let mark = mark.display();
    if is_module {
        format!(
            "import {{ writeFileSync }} from 'node:fs';\nwriteFileSync('{mark}', '');\nexport const languages = [];\nexport default {{}};\n"
        )
    } else {
        format!("require('node:fs').writeFileSync('{mark}', '');\nmodule.exports = {{ languages: [] }};\n")
    }
}

/// The file that configures prettier, with words in it that become programs.
const CODE: &[(&str, &str)] = &[
    ("prettier.config.mjs", "MODULE"),
    ("prettier.config.js", "SCRIPT"),
    (".prettierrc.cjs", "SCRIPT"),
    (".prettierrc.mts", "MODULE"),
    ("package.json", r#"{ "prettier": "./settings.cjs" }"#),
    ("package.json", r#"{ "pretti\u0065r": "./settings.cjs" }"#),
    ("package.json", r#"{ "prettier" : "vendored" }"#),
    ("package.json", r#"{ "prettier": { "semi": false, "plug\u0069ns": ["./plugin.mjs"] } }"#),
    ("package.yaml", "prettier: ./settings.cjs\n"),
    ("package.yaml", "\"\\x70rettier\": { plugins: [./plugin.mjs] }\n"),
    ("package.yaml", "base: &base { prettier: ./settings.cjs }\n<<: *base\n"),
    (".prettierrc", "./settings.cjs\n"),
    (".prettierrc", "vendored\n"),
    (".prettierrc", "\"data:text/javascript,DATA\"\n"),
    (".prettierrc", "\"plug\\u0069ns\": [./plugin.mjs]\n"),
    (
        ".prettierrc",
        "semi: false\noverrides: [{ files: '*.js', options: { \"plug\\x69ns\": [./plugin.mjs] } }]\n",
    ),
    (".prettierrc", "semi: &plugins [./plugin.mjs]\nplugins: *plugins\n"),
    (".prettierrc.yaml", "? !!str \"plug\\\n  ins\"\n: [./plugin.mjs]\n"),
    (".prettierrc.json", r#"{ "semi": false, "\u0070lugins": ["./plugin.mjs"] }"#),
    (".prettierrc.json5", "{ semi: false, 'plug\\x69ns': ['./plugin.mjs'], }"),
    (".prettierrc.toml", "semi = false\n\"plug\\u0069ns\" = [\"./plugin.mjs\"]\n"),
    (".prettierrc.yml", "overrides:\n  - files: ['src/**']\n    options: { plugins: [vendored] }\n"),
];

/// Folders of one workspace, each a project of its own.
fn folder(at: usize) -> String {
    format!("v{at:02}")
}

/// A project with the file, and everything that it may name.
fn write_project(tree: &Tree, at: usize, name: &str, text: &str) {
    let folder = folder(at);
    let mark = tree.root().join(&folder).join("ran");
    let (module, script) = (program(&mark, true), program(&mark, false));
    let data = module.replace('\n', "").replace(' ', "%20");
    let write = |path: &str, text: &str| tree.write(&format!("{folder}/{path}"), text);
    write(name, &text.replace("MODULE", &module).replace("SCRIPT", &script).replace("DATA", &data));
    write("settings.cjs", &script);
    write("plugin.mjs", &module);
    write("node_modules/vendored/package.json", r#"{ "name": "vendored", "main": "index.js" }"#);
    write("node_modules/vendored/index.js", &script);
    write("src/a.js", UNFORMATTED);
}

fn prettier_only(tree: Tree) -> Workshop {
    let path = only(&tree.beside("path"), &["prettier", "node"]);
    start(tree, &path, &[])
}

/// What prettier itself makes of a file, with everything that it finds.
fn by_prettier(folder: &Path, file: &str) -> Option<String> {
    let mut command = Command::new(tools::require("prettier"));
    command.current_dir(folder).env("PATH", tools::server_path());
    command.arg("--stdin-filepath").arg(folder.join(file));
    command.stdin(std::fs::File::open(folder.join(file)).unwrap()).stderr(Stdio::null());
    let output = command.output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

#[test]
fn no_spelling_of_a_configuration_runs_code_of_the_project() {
    let tree = tree("//- /README.md\nx\n");
    for (at, (name, text)) in CODE.iter().enumerate() {
        write_project(&tree, at, name, text);
    }
    let mut shop = prettier_only(tree);
    let is_full = std::env::var_os("ORIENTEER_TEST_FULL").is_some();
    let mut ran = Vec::new();
    for (at, (name, text)) in CODE.iter().enumerate() {
        let file = format!("{}/src/a.js", folder(at));
        let error = shop.refused("format_code", json!({ "file_paths": [file], "dry_run": false }));
        let message = error["message"].as_str().unwrap();
        assert_eq!(
            (&error["kind"], &error["data"]["kind"]),
            (&json!("not_enabled"), &json!("needs_trust")),
            "{name} {text}: {error:#}"
        );
        assert!(message.contains(name) && message.contains("`orienteer trust`"), "{name}: {message}");
        let root = shop.tree.root().join(folder(at));
        assert!(!root.join("ran").exists(), "{name} {text}");
        assert_eq!(shop.text(&file), UNFORMATTED);
        // The variants are real ones.
        if is_full || at % 4 == 0 {
            by_prettier(&root, "src/a.js");
            ran.extend(root.join("ran").exists().then_some(at));
        }
    }
    assert!(ran.len() >= if is_full { 14 } else { 4 }, "prettier itself ran only {ran:?}");
}

#[test]
fn what_is_refused_comes_with_the_steps_that_help() {
    let mut shop = prettier_only(tree("//- /a.js\nx\n//- /prettier.config.js\nmodule.exports = {};\n"));
    let answer = shop.ask("format_code", json!({ "file_paths": ["a.js"] }));
    let steps = answer["next_steps"].to_string();
    assert!(steps.contains("\"command\"") && steps.contains("`orienteer trust`"), "{answer:#}");
    assert!(steps.contains("prettier.config.js"), "{answer:#}");
}

/// Configurations that are data, with the file that they are for.
const DATA: &[(&[(&str, &str)], &str)] = &[
    (&[], "src/a.js"),
    (&[("package.json", r#"{ "devDependencies": { "prettier": "^3.0.0" } }"#)], "src/a.js"),
    (&[("package.json", r#"{ "prettier": { "semi": false, "tabWidth": 8 } }"#)], "src/a.js"),
    (&[("package.yaml", "name: x\nprettier:\n  singleQuote: true\n")], "src/a.js"),
    (&[(".prettierrc", "semi: false # no\nprintWidth: 40\n")], "src/a.js"),
    (
        &[(
            ".prettierrc",
            "{\n\t\"$schema\": \"https://json.schemastore.org/prettierrc\", \"useTabs\": true }",
        )],
        "src/a.js",
    ),
    (&[(".prettierrc", "")], "src/a.js"),
    (&[(".prettierrc.json", r#"{ "quoteProps": "consistent", "trailingComma": "none" }"#)], "src/a.js"),
    (&[(".prettierrc.json5", r#"{ "bracketSpacing": false }"#)], "src/a.js"),
    (&[(".prettierrc.toml", "arrowParens = \"avoid\"\nsemi = false\n")], "src/a.js"),
    (
        &[(
            ".prettierrc.yaml",
            "overrides:\n  - files: '*.js'\n    excludeFiles: 'b.js'\n    options: { semi: false }\n  - files: [src/**/*.ts, 'src/*.js']\n    options:\n      printWidth: 60\n",
        )],
        "src/a.js",
    ),
    (
        &[(
            ".prettierrc",
            "overrides: [{ files: 'src/*.js', excludeFiles: '**/a.js', options: { semi: false } }]",
        )],
        "src/a.js",
    ),
    (
        &[(
            ".prettierrc",
            "overrides: [{ files: '*.js', excludeFiles: 'src/a.js', options: { semi: false } }]",
        )],
        "src/a.js",
    ),
    (&[(".prettierrc", "overrides: [{ files: '*.svelte', options: { parser: svelte } }]")], "src/a.js"),
    (
        &[(".prettierrc", "overrides: [{ files: '{a,b}.js', options: { parser: babel-ts, tabWidth: 3 } }]")],
        "src/a.js",
    ),
    (&[("src/.prettierrc", "semi: false"), ("prettier.config.js", "throw 1")], "src/a.js"),
    (
        &[(".editorconfig", "root = true\n[*]\nindent_style = tab\n[*.js]\nmax_line_length = 40\n")],
        "src/a.js",
    ),
    (
        &[(
            ".editorconfig",
            "root = true\n[*]\nindent_size = 8\nindent_style = space\n[src/**.js]\nquote_type = single\n",
        )],
        "src/a.js",
    ),
    (
        &[(
            ".editorconfig",
            "root = true\n[*.{js,ts}]\nindent_style=tab\ntab_width=2\nmax_line_length=off\n[*.md]\nindent_size = 7\n",
        )],
        "src/a.js",
    ),
    (
        &[
            (".editorconfig", "root = true\n[*]\nindent_size = 3\n"),
            ("src/.editorconfig", "[/a.js]\nend_of_line = crlf\nindent_size = unset\n"),
        ],
        "src/a.js",
    ),
    (&[(".editorconfig", "root = true\n[*]\nindent_size = 6\n"), (".prettierrc", "tabWidth: 2")], "src/a.js"),
    (&[(".prettierignore", "src/*.js\n")], "src/a.js"),
    (&[(".prettierrc", "proseWrap: always\nprintWidth: 20")], "src/b.md"),
    (
        &[(
            ".prettierrc",
            "singleAttributePerLine: true\nvueIndentScriptAndStyle: true\nbracketSameLine: true",
        )],
        "src/c.vue",
    ),
];

#[test]
fn settings_that_are_data_count_as_they_do_for_prettier_itself() {
    let tree = tree("//- /README.md\nx\n");
    let beside = tree.beside("expected");
    for root in [tree.root(), &beside] {
        for (at, (files, _)) in DATA.iter().enumerate() {
            let write = |path: &str, text: &str| {
                let place = root.join(folder(at)).join(path);
                std::fs::create_dir_all(place.parent().unwrap()).unwrap();
                std::fs::write(place, text).unwrap();
            };
            files.iter().for_each(|(name, text)| write(name, text));
            write("src/a.js", UNFORMATTED);
            write("src/b.md", "# a  title\n* one   two three four five six seven\n* two\n");
            write(
                "src/c.vue",
                "<script>\nexport default {a:1}\n</script>\n<template><p   id=\"a\"  class=\"b\">x</p></template>\n",
            );
            // Projects of their own, as far as `.editorconfig` goes.
            write(".git/HEAD", "");
        }
    }
    // One start for all of them.
    let files = DATA.iter().enumerate().map(|(at, (_, file))| format!("{}/{file}", folder(at)));
    let mut prettier = Command::new(tools::require("prettier"));
    prettier.arg("--write").args(files).current_dir(&beside).env("PATH", tools::server_path());
    let output = prettier.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut shop = prettier_only(tree);
    let mut styles = std::collections::BTreeSet::new();
    for (at, (files, file)) in DATA.iter().enumerate() {
        let path = format!("{}/{file}", folder(at));
        let mut expected = std::fs::read_to_string(beside.join(&path)).unwrap();
        // It looks for those only in the folder that it is started in.
        if files.iter().any(|(name, _)| *name == ".prettierignore") {
            expected = UNFORMATTED.to_owned();
        }
        let answer = shop.get("format_code", json!({ "file_paths": [path], "dry_run": false }));
        // Line ends stay what they are in the file.
        assert_eq!(shop.text(&path), expected.replace("\r\n", "\n"), "{files:?}: {answer:#}");
        styles.insert(expected);
    }
    assert!(styles.len() >= 15, "the settings make no difference: {}", styles.len());
}

#[test]
fn settings_that_nobody_can_read_exactly_are_refused() {
    let cases: &[(&str, &[u8])] = &[
        (".prettierrc", b"\xff\xfe{\x00}\x00"),
        (".prettierrc", b"\xef\xbb\xbfsemi: false\n"),
        (".prettierrc", b"semi: [\n"),
        (".prettierrc", b"semi: false\nsemi: true\n"),
        (".prettierrc", b"semi: 'no'\n"),
        (".prettierrc", b"parser: ./parser.cjs\n"),
        (".prettierrc", b"overrides: [{ files: '@(a|b).js', options: { semi: false } }]"),
        (".prettierrc.json", b"// why\n{}"),
        (".prettierrc.json5", b"{ semi: false }"),
        ("package.json", b"{ \"prettier\": { \"semi\": 1 } }"),
        (".editorconfig", b"[*.[jt]s]\nindent_size = 2\n"),
        (".editorconfig", b"[*]\nindent_size = two\n"),
    ];
    let tree = tree("//- /README.md\nx\n");
    for (at, (name, bytes)) in cases.iter().enumerate() {
        tree.write(&format!("{}/{name}", folder(at)), bytes);
        tree.write(&format!("{}/a.js", folder(at)), UNFORMATTED);
    }
    let mut shop = prettier_only(tree);
    for (at, (name, bytes)) in cases.iter().enumerate() {
        let error = shop.refused("format_code", json!({ "file_paths": [format!("{}/a.js", folder(at))] }));
        assert_eq!(
            error["data"]["kind"],
            "needs_trust",
            "{name} {}: {error:#}",
            String::from_utf8_lossy(bytes)
        );
    }
}

/// Managers of versions choose a program by the folder that they are started in.
#[test]
fn formatters_of_others_projects_start_in_a_folder_that_is_nobody_s() {
    let tree = tree("//- /go.mod\nmodule demo\n//- /a.go\npackage a\n\nfunc  f() {}\n");
    let from = tree.beside("seen").join("folder");
    let text = format!("#!/bin/sh\npwd > '{}'\nprintf 'package a\\n\\nfunc f() {{}}\\n'\n", from.display());
    let path = script(&tree.beside("path"), "gofmt", &text);
    let mut shop = start(tree, &path, &[]);
    shop.get("format_code", json!({ "file_paths": ["a.go"], "dry_run": false }));
    assert_eq!(std::fs::read_to_string(&from).unwrap(), "/\n");
}

/// Each real formatter finds the settings of the project from there.
#[test]
fn settings_are_found_from_there() {
    let fixture = "//- /rustfmt.toml\nhard_tabs = true\n//- /src/a.rs\nfn f() {\nlet x = 1;\n}\n//- /pyproject.toml\n[tool.ruff]\nindent-width = 2\n[tool.black]\nline-length = 30\n//- /src/a.py\ndef f():\n    return 1\n//- /black/a.py\ndef f():\n    return call(argument, another, third)\n//- /.taplo.toml\n[formatting]\narray_auto_collapse = false\narray_trailing_comma = false\nindent_string = '      '\n//- /src/a.toml\nlist = [\n1,\n2\n]\n";
    let tree = tree(fixture);
    let path = only(&tree.beside("path"), &["rustfmt", "ruff", "taplo"]);
    let mut shop = start(tree, &path, &[]);
    for (file, expected) in [
        ("src/a.rs", "fn f() {\n\tlet x = 1;\n}\n"),
        ("src/a.py", "def f():\n  return 1\n"),
        ("src/a.toml", "list = [\n      1,\n      2\n]\n"),
    ] {
        let answer = shop.get("format_code", json!({ "file_paths": [file], "dry_run": false }));
        assert_eq!(shop.text(file), expected, "{answer:#}");
    }
    let tree = orienteer_testkit::tree(fixture);
    let path = only(&tree.beside("path"), &["black"]);
    let mut shop = start(tree, &path, &[]);
    let answer = shop.get("format_code", json!({ "file_paths": ["black/a.py"], "dry_run": false }));
    let expected = "def f():\n    return call(\n        argument,\n        another,\n        third,\n    )\n";
    assert_eq!(shop.text("black/a.py"), expected, "{answer:#}");
}
