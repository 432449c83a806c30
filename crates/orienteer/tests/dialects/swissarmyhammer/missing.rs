//! What is not there: a runtime, a server, a project, a language. Each is its own error, with all details.

use orienteer_testkit::workspaces::{PYTHON, RUST, TYPESCRIPT};
use orienteer_testkit::{tools, tree};
use serde_json::{Value, json};

use super::support::{Hammer, bare_path, fields, over, place, script};

const REPORT: &str = "packages/web/src/report.ts";
const MAIN: &str = "crates/app/src/main.rs";

/// Every question that a server answers, with arguments that it would.
fn questions() -> Vec<(&'static str, Value)> {
    let here = |line, column| place(line, column);
    vec![
        ("definition", here(5, 15)),
        ("references", here(5, 15)),
        ("hover", here(5, 15)),
        ("diagnostics", json!({})),
        ("implementation", here(5, 15)),
        ("call_hierarchy", here(5, 15)),
        ("completion", here(5, 15)),
        ("signature", here(5, 25)),
        ("symbols", json!({})),
        ("symbols", json!({ "query": "totalArea" })),
        ("rename", json!({ "line": 5, "column": 15, "new_name": "sumOfAreas" })),
        ("format", json!({})),
        ("actions", json!({})),
    ]
}

/// Where programs are looked for: in this folder of PATH, then where users keep their own.
fn looked_in(hammer: &Hammer, path: &std::ffi::OsStr) -> Vec<String> {
    let home = hammer.tree.beside("home");
    let own = [".cargo/bin", ".npm-global/bin", ".local/bin", "go/bin"].map(|folder| home.join(folder));
    let own = own.iter().map(|folder| folder.display().to_string());
    std::iter::once(path.to_str().unwrap().to_owned()).chain(own).collect()
}

#[test]
fn programs_are_found_where_users_keep_their_own() {
    let tree = tree(TYPESCRIPT);
    tree.write(
        "native/Cargo.toml",
        "[package]\nname = \"native\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    tree.write("native/src/lib.rs", "pub fn answer() -> u32 {\n    42\n}\n");
    let home = tree.beside("home");
    for (folder, programs) in [
        (".nvm/versions/node/v22.1.0/bin", &["node", "npm"][..]),
        (".npm-global/bin", &["typescript-language-server"]),
        (".cargo/bin", &["cargo"]),
    ] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
        for program in programs {
            std::os::unix::fs::symlink(tools::require(program), home.join(folder).join(program)).unwrap();
        }
    }
    let server = home.join(".cargo/bin/rust-analyzer");
    let body = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'rust-analyzer 1.0' && exit 0\necho 'found at home' >&2\nexit 9\n";
    std::fs::write(&server, body).unwrap();
    std::fs::set_permissions(&server, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // As a desktop starts its programs: with a PATH that knows nothing of all that.
    let path = bare_path(&tree, &[]);
    let mut hammer = over(tree).path(path).start();
    let defined = hammer.ask("definition", REPORT, place(5, 15));
    assert_eq!(hammer.spots(&defined["definitions"]), ["packages/core/src/total.ts:4:17"]);
    let error = hammer.refused("hover", "native/src/lib.rs", place(1, 8));
    assert_eq!(error["details"]["stderr"], "found at home", "{error:#}");
    hammer.end();
}

/// The same error whatever is asked: never a guess instead.
fn always(hammer: &mut Hammer, file: &str, code: &str) -> Value {
    let mut last = Value::Null;
    for (operation, more) in questions() {
        let error = hammer.refused(operation, file, more);
        assert_eq!(error["code"], code, "{operation}: {error:#}");
        last = error;
    }
    last
}

#[test]
fn typescript_without_node() {
    let tree = tree(TYPESCRIPT);
    let path = bare_path(&tree, &["npm"]);
    script(&tree, "typescript-language-server", "exit 0");
    let mut hammer = over(tree).path(path.clone()).start();
    let error = always(&mut hammer, REPORT, "LSP_PREREQUISITE_MISSING");
    let looked_in = looked_in(&hammer, &path);
    assert_eq!(
        error,
        json!({
            "code": "LSP_PREREQUISITE_MISSING",
            "message": "Node.js not found. TypeScript language server requires Node.js to run.",
            "details": {
                "language": "typescript",
                "missing": "node",
                "suggestion": "Install Node.js from https://nodejs.org/ or via your package manager",
                "checked_paths": looked_in,
            },
        })
    );
    hammer.end();
}

#[test]
fn typescript_without_npm() {
    let tree = tree(TYPESCRIPT);
    let path = bare_path(&tree, &["node"]);
    let mut hammer = over(tree).path(path).start();
    let error = hammer.refused("definition", REPORT, place(5, 15));
    assert_eq!(error["code"], "LSP_PREREQUISITE_MISSING");
    assert_eq!(
        error["message"],
        "npm not found. Required to verify TypeScript language server installation."
    );
    let details = &error["details"];
    assert_eq!((&details["language"], &details["missing"]), (&json!("typescript"), &json!("npm")));
    assert_eq!(
        details["suggestion"],
        "npm is typically installed with Node.js. Reinstall Node.js or install npm separately."
    );
    hammer.end();
}

#[test]
fn node_must_be_fourteen_or_newer() {
    let tree = tree(TYPESCRIPT);
    let path = bare_path(&tree, &["npm"]);
    script(&tree, "node", "echo v12.22.9");
    let mut hammer = over(tree).path(path).start();
    let error = hammer.refused("hover", REPORT, place(5, 15));
    assert_eq!(
        (&error["code"], &error["details"]["missing"]),
        (&json!("LSP_PREREQUISITE_MISSING"), &json!("node"))
    );
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("v12.22.9; 14 or newer is needed"), "{message}");
    hammer.end();
}

#[test]
fn typescript_without_its_server() {
    let tree = tree(TYPESCRIPT);
    // The native compiler is there and could answer; it is not what the document names.
    let path = bare_path(&tree, &["node", "npm"]);
    std::os::unix::fs::symlink(
        tools::tools().join("ts7/node_modules/.bin/tsc"),
        tree.beside("bin").join("tsc"),
    )
    .unwrap();
    let mut hammer = over(tree).path(path.clone()).start();
    let error = always(&mut hammer, REPORT, "LSP_SERVER_UNAVAILABLE");
    let looked_in = looked_in(&hammer, &path);
    assert_eq!(
        error,
        json!({
            "code": "LSP_SERVER_UNAVAILABLE",
            "message": "typescript-language-server not found.",
            "details": {
                "language": "typescript",
                "command": "typescript-language-server",
                "install_hint": "npm install -g typescript-language-server typescript",
                "search_paths": looked_in,
            },
        })
    );
    hammer.end();
}

#[test]
fn rust_without_its_server() {
    let tree = tree(RUST);
    let path = bare_path(&tree, &["cargo"]);
    let mut hammer = over(tree).path(path.clone()).start();
    let looked_in = looked_in(&hammer, &path);
    for (operation, more) in [
        ("definition", place(16, 15)),
        ("references", place(16, 15)),
        ("hover", place(16, 15)),
        ("symbols", json!({})),
    ] {
        let error = hammer.refused(operation, MAIN, more);
        assert_eq!(
            error,
            json!({
                "code": "LSP_SERVER_UNAVAILABLE",
                "message": "rust-analyzer not found.",
                "details": {
                    "language": "rust",
                    "command": "rust-analyzer",
                    "install_hint": "rustup component add rust-analyzer",
                    "search_paths": looked_in,
                },
            })
        );
    }
    hammer.end();
}

#[test]
fn python_without_its_server() {
    let tree = tree(PYTHON);
    let path = bare_path(&tree, &["node"]);
    let mut hammer = over(tree).path(path).start();
    let error = hammer.refused("diagnostics", "src/shapes/report.py", json!({}));
    assert_eq!(
        (&error["code"], &error["details"]["command"]),
        (&json!("LSP_SERVER_UNAVAILABLE"), &json!("pyright-langserver"))
    );
    assert_eq!(
        (&error["details"]["language"], &error["details"]["install_hint"]),
        (&json!("python"), &json!("npm install -g pyright"))
    );
    hammer.end();
}

#[test]
fn errors_are_logged_with_their_code_and_message() {
    let mut hammer = over(tree("//- /Cargo.toml\n//- /data.xyz\nx\n")).start();
    hammer.refused("hover", "data.xyz", place(1, 1));
    let log = hammer.server.stderr();
    let line =
        log.lines().find(|line| line.contains("LSP_UNSUPPORTED_FILE")).unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains("No language server configured for .xyz files"), "{line}");
    hammer.end();
}

#[test]
fn a_file_without_a_project() {
    let tree = tree("//- /scratch.ts\nexport const a = 1;\n//- /b.rs\nfn b() {}\n");
    let mut hammer = over(tree).start();
    let error = hammer.refused("definition", "scratch.ts", place(1, 14));
    assert_eq!(
        error,
        json!({
            "code": "LSP_NO_PROJECT_ROOT",
            "message": "No TypeScript project found",
            "details": {
                "file_path": hammer.at("scratch.ts"),
                "looked_for": ["package.json", "tsconfig.json", "jsconfig.json"],
                "suggestion": "Create a package.json or tsconfig.json in the project directory",
            },
        })
    );
    let error = hammer.refused("hover", "b.rs", place(1, 4));
    assert_eq!(
        (&error["message"], &error["details"]["looked_for"]),
        (&json!("No Rust project found"), &json!(["Cargo.toml", "Cargo.lock"]))
    );
    // Being part of a repository does not make it a project.
    std::fs::create_dir(hammer.tree.root().join(".git")).unwrap();
    let error = hammer.refused("diagnostics", "scratch.ts", json!({}));
    assert_eq!(error["code"], "LSP_NO_PROJECT_ROOT", "{error:#}");
    // One that is made is found, half a second later at most.
    hammer.tree.write("package.json", "{}");
    let arguments =
        json!({ "operation": "definition", "file_path": hammer.at("scratch.ts"), "line": 1, "column": 14 });
    let mut tries = (0..100).map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        hammer.raw(arguments.clone())
    });
    let (answer, _) = tries.find(|(_, is_error)| !is_error).expect("a project");
    assert_eq!(hammer.spots(&answer["definitions"]), ["scratch.ts:1:14"]);
    hammer.end();
}

#[test]
fn a_file_of_no_language() {
    let tree = tree("//- /Cargo.toml\n//- /data.xyz\nx\n//- /LICENCE\nx\n");
    let mut hammer = over(tree).start();
    let error = hammer.refused("hover", "data.xyz", place(1, 1));
    assert_eq!(error["code"], "LSP_UNSUPPORTED_FILE");
    assert_eq!(error["message"], "No language server configured for .xyz files");
    let details = &error["details"];
    assert_eq!(fields(details), ["extension", "file_path", "supported_extensions"]);
    assert_eq!(
        (&details["file_path"], &details["extension"]),
        (&json!(hammer.at("data.xyz")), &json!(".xyz"))
    );
    let supported = details["supported_extensions"].as_array().unwrap();
    for extension in [".rs", ".ts", ".tsx", ".js", ".jsx", ".py"] {
        assert!(supported.contains(&json!(extension)), "{details:#}");
    }
    let error = hammer.refused("diagnostics", "LICENCE", json!({}));
    assert_eq!(
        (&error["code"], &error["details"]["extension"]),
        (&json!("LSP_UNSUPPORTED_FILE"), &Value::Null)
    );
    hammer.end();
}

#[test]
fn a_server_that_has_not_loaded_the_project() {
    let tree = tree(RUST);
    let mut hammer = over(tree).variable("ORIENTEER_LSP_WAIT_MS", "0").start();
    for (operation, more) in
        [("references", place(16, 15)), ("definition", place(16, 15)), ("diagnostics", json!({}))]
    {
        let error = hammer.refused(operation, MAIN, more);
        assert_eq!(error["code"], "LSP_FILE_NOT_INDEXED", "{operation}: {error:#}");
        assert_eq!(error["message"], "File not yet indexed by language server");
        let details = &error["details"];
        assert_eq!(
            (&details["file_path"], &details["suggestion"]),
            (&json!(hammer.at(MAIN)), &json!("Wait for indexing to complete or save the file"))
        );
        assert!(details["retry_after"].as_u64() >= Some(1) && details["reason"].is_string(), "{details:#}");
    }
    hammer.end();
}

#[test]
fn a_file_that_the_server_does_not_take_for_a_part_of_the_project() {
    let mut hammer =
        over(tree(&format!("{RUST}//- /crates/app/src/stray.rs\nfn lost() {{}}\nfn f() {{ lost(); }}\n")))
            .start();
    let error = hammer.refused("references", "crates/app/src/stray.rs", place(2, 10));
    assert_eq!(error["code"], "LSP_FILE_NOT_INDEXED", "{error:#}");
    assert_eq!(error["details"]["file_path"], hammer.at("crates/app/src/stray.rs"));
    assert_eq!(
        error["details"]["suggestion"],
        "Make the file a part of the project, in Rust by a `mod` declaration in the module above it"
    );
    let reason = error["details"]["reason"].as_str().unwrap();
    assert!(reason.contains("not included anywhere in the module tree"), "the server's own words: {reason}");
    hammer.end();
}
