//! `.swissarmyhammer/config.yaml`, read by the running program.

use std::process::Command;
use std::time::Duration;

use orienteer_testkit::fake::{Diagnostics, PROJECT, Rule, Script};
use orienteer_testkit::workspaces::RUST;
use orienteer_testkit::{Tree, tree};
use serde_json::{Value, json};

use super::crashes::fake;
use super::support::{over, place, script, user_settings};
use crate::ORIENTEER;

const FILE: &str = ".swissarmyhammer/config.yaml";

/// A command of ours with the home folder beside the tree and no settings from outside.
fn command(tree: &Tree, args: &[&str]) -> std::process::Output {
    let mut command = Command::new(ORIENTEER);
    command.args(args).current_dir(tree.root()).env("HOME", tree.beside("home"));
    for xdg in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "ORIENTEER_TEST_TOOLS"] {
        command.env_remove(xdg);
    }
    command.stdin(std::process::Stdio::null()).output().unwrap()
}

fn orienteer(tree: &Tree, args: &[&str]) -> String {
    let output = command(tree, args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_path_of_a_server_is_used() {
    let tree = tree(RUST);
    let server = script(&tree, "my-rust-analyzer", "echo 'this one' >&2\nexit 9");
    user_settings(&tree, &format!("lsp:\n  server_paths:\n    rust-analyzer: \"{}\"\n", server.display()));
    let mut hammer = over(tree).start();
    let error = hammer.refused("hover", "crates/app/src/main.rs", place(16, 15));
    assert_eq!(
        (&error["code"], &error["details"]["stderr"]),
        (&json!("LSP_SERVER_START_FAILED"), &json!("this one"))
    );
    assert_eq!(error["details"]["command"], server.display().to_string());
    hammer.end();
}

#[test]
fn a_language_of_the_settings_is_answered_by_its_server() {
    let (tree, record) = fake(&Script::new(), "");
    let mut hammer = over(tree).start();
    let found = hammer.ask("references", "a.fake", place(2, 5));
    assert_eq!(hammer.spots(&found["references"]), ["a.fake:2:5", "b.fake:5:10", "deep/ü #1.fake:1:7"]);
    assert_eq!((record.starts(), &found["references"][2]["preview"]), (1, &json!("😀 use square")));
    let error =
        hammer.refused_raw(json!({ "operation": "hover", "file_path": "/dev/null", "line": 1, "column": 1 }));
    assert_eq!(error["code"], "LSP_UNSUPPORTED_FILE", "{error:#}");
    hammer.end();
}

#[test]
fn the_example_of_the_document_runs() {
    // As it is printed there, but for the path, which is nobody's.
    const EXAMPLE: &str = r#"# .swissarmyhammer/config.yaml
lsp:
  # Override idle timeout
  idle_timeout_seconds: 600

  # Disable specific languages
  disabled_languages: []

  # Custom language server paths
  server_paths:
    rust-analyzer: "/custom/path/rust-analyzer"

  # Additional language configurations
  languages:
    go:
      command: "gopls"
      args: []
      extensions: [".go"]
      root_markers: ["go.mod", "go.sum"]
"#;
    let tree = tree(&format!(
        "{RUST}//- /tool/go.mod\nmodule example.org/tool\n\ngo 1.21\n//- /tool/main.go\npackage main\n\nfunc answer() int {{\n\t\
         return 42\n}}\n\nfunc main() {{\n\tprintln(answer())\n}}\n"
    ));
    user_settings(&tree, EXAMPLE);
    let mut hammer = over(tree).start();
    let defined = hammer.ask("definition", "tool/main.go", place(8, 10));
    assert_eq!(hammer.spots(&defined["definitions"]), ["tool/main.go:3:6"]);
    let error = hammer.refused("hover", "crates/app/src/main.rs", place(16, 15));
    assert_eq!(
        (&error["code"], &error["details"]["command"]),
        (&json!("LSP_SERVER_UNAVAILABLE"), &json!("/custom/path/rust-analyzer")),
        "{error:#}"
    );
    hammer.end();
}

#[test]
fn c_is_answered_by_clangd_without_settings() {
    let fixture = "//- /compile_flags.txt\n-std=c11\n//- /main.c\nint answer(void) {\n  return 42;\n}\n\n\
                   int main(void) {\n  return answer();\n}\n";
    let mut hammer = over(tree(fixture)).start();
    let defined = hammer.ask("definition", "main.c", place(6, 10));
    assert_eq!(hammer.spots(&defined["definitions"]), ["main.c:1:5"]);
    hammer.end();
}

#[test]
fn what_a_language_of_the_settings_needs_is_told_when_it_is_missing() {
    let quux = |more: &str| {
        format!(
            "lsp:\n  languages:\n    quux:\n      command: quux-ls\n      args: [\"--stdio\"]\n      \
             extensions: [\".qx\"]\n      root_markers: [\"quux.toml\"]\n      install_hint: \"get quux-ls\"\n{more}"
        )
    };
    let asked = |settings: &str| {
        let tree = tree("//- /quux.toml\n//- /a.qx\nx\n");
        user_settings(&tree, settings);
        let mut hammer = over(tree).start();
        let error = hammer.refused("hover", "a.qx", place(1, 1));
        hammer.end();
        error
    };
    let error = asked(&quux(""));
    let details = &error["details"];
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("LSP_SERVER_UNAVAILABLE"), &json!("quux-ls not found."))
    );
    assert_eq!(
        (&details["language"], &details["command"], &details["install_hint"]),
        (&json!("quux"), &json!("quux-ls"), &json!("get quux-ls")),
        "{error:#}"
    );
    let error = asked(&quux("      requires: [\"quux-runtime\"]\n"));
    assert_eq!(
        (&error["code"], &error["details"]["missing"], &error["details"]["language"]),
        (&json!("LSP_PREREQUISITE_MISSING"), &json!("quux-runtime"), &json!("quux")),
        "{error:#}"
    );
    assert!(error["message"].as_str().unwrap().starts_with("quux-runtime not found."), "{error:#}");
    let nowhere = quux("").replace("quux.toml", "no-such-marker");
    let error = asked(&nowhere);
    assert_eq!(
        (&error["code"], &error["details"]["looked_for"]),
        (&json!("LSP_NO_PROJECT_ROOT"), &json!(["no-such-marker"])),
        "{error:#}"
    );
}

#[test]
fn a_disabled_language_has_no_server() {
    let tree = tree(RUST);
    tree.write(FILE, "lsp:\n  disabled_languages: [rust]\n");
    let mut hammer = over(tree).start();
    let error = hammer.refused("hover", "crates/app/src/main.rs", place(16, 15));
    assert_eq!(
        (&error["code"], &error["details"]["extension"]),
        (&json!("LSP_UNSUPPORTED_FILE"), &json!(".rs"))
    );
    assert!(!error["details"]["supported_extensions"].as_array().unwrap().contains(&json!(".rs")));
    hammer.end();
}

#[test]
fn a_hover_is_not_lost_to_a_definition_that_does_not_come() {
    let (tree, record) = fake(&Script::new().rule(Rule::on("textDocument/definition").hang()), "");
    let mut hammer = over(tree).start();
    let hover = hammer.ask("hover", "a.fake", place(2, 5));
    assert_eq!(hover["contents"]["source_module"], Value::Null, "{hover:#}");
    assert!(hover["contents"]["type_info"].as_str().is_some_and(|told| told.contains("square")), "{hover:#}");
    assert_eq!(record.count("textDocument/definition"), 1);
    // The server is told that nobody waits any more.
    record.wait_for(
        |events| events.iter().any(|event| event.to_string().contains("$/cancelRequest")),
        Duration::from_secs(30),
    );
    hammer.end();
}

#[test]
fn an_idle_server_is_stopped_and_started_again() {
    let (tree, record) = fake(&Script::new(), "  idle_timeout_seconds: 1\n");
    let mut hammer = over(tree).start();
    hammer.ask("hover", "a.fake", place(2, 5));
    record.wait_for(
        |events| events.iter().any(|event| event.to_string().contains("\"shutdown\"")),
        Duration::from_secs(30),
    );
    hammer.ask("hover", "a.fake", place(2, 5));
    assert_eq!(record.starts(), 2);
    hammer.end();
}

#[test]
fn a_project_names_commands_after_trust_and_its_content_is_what_is_trusted() {
    let tree = tree(PROJECT);
    let server = script(&tree, "project-server", "echo 'from the project' >&2\nexit 9");
    let text = format!(
        "lsp:\n  languages:\n    fake:\n      command: \"{}\"\n      extensions: [\".fake\"]\n",
        server.display()
    );
    tree.write(FILE, &text);
    // The code of the answer, what the server wrote, what was logged.
    let asked = |tree: Tree| {
        let mut hammer = over(tree).start();
        let error = hammer.refused("hover", "a.fake", place(2, 5));
        let (code, said) = (error["code"].clone(), error["details"]["stderr"].clone());
        let log = hammer.server.stderr();
        let super::support::Hammer { tree, .. } = hammer;
        ((code, said), log, tree)
    };
    let ignored = (json!("LSP_UNSUPPORTED_FILE"), json!(null));
    let run = (json!("LSP_SERVER_START_FAILED"), json!("from the project"));
    let (answer, log, tree) = asked(tree);
    assert_eq!(answer, ignored, "nothing is run because a repository says so");
    assert!(log.contains("lsp.languages of .swissarmyhammer/config.yaml (fake)"), "{log}");

    let shown = orienteer(&tree, &["trust", "--yes"]);
    assert!(shown.contains("config.yaml is trusted") && shown.contains("project-server"), "{shown}");
    assert!(orienteer(&tree, &["trust", "--list"]).contains(FILE));
    let (answer, log, tree) = asked(tree);
    assert_eq!(answer, run, "{log}");

    tree.write(FILE, format!("{text}# changed\n"));
    let (answer, _, tree) = asked(tree);
    assert_eq!(answer, ignored, "another text is not trusted");
    tree.write(FILE, &text);
    assert!(orienteer(&tree, &["trust", "--revoke"]).contains("no longer trusted"));
    let (answer, _, _) = asked(tree);
    assert_eq!(answer, ignored);
}

const WRONG: &str = "# mine\nlsp:\n  languages:\n    go:\n      comand: gopls\n";

#[test]
fn a_wrong_setting_of_the_user_stops_the_start_with_file_line_and_the_nearest_key() {
    let tree = tree(RUST);
    user_settings(&tree, WRONG);
    let output = command(&tree, &["mcp", "--dialect", "swissarmyhammer"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("config.yaml line 5") && said.contains("did you mean `command`?"), "{said}");
}

#[test]
fn a_wrong_setting_of_a_project_stops_nobody_and_every_answer_says_so() {
    for is_elsewhere in [false, true] {
        let (tree, _) = fake(&Script::new(), "");
        tree.write(FILE, WRONG);
        let (root, elsewhere) = (tree.root().to_path_buf(), tree.beside("elsewhere"));
        let mut hammer = over(tree).start_in(if is_elsewhere { &elsewhere } else { &root });
        for (operation, more) in [("hover", place(2, 5)), ("references", place(2, 5)), ("symbols", json!({}))]
        {
            let answer = hammer.ask(operation, "a.fake", more);
            let said = answer["warnings"][0].as_str().unwrap_or_else(|| panic!("{operation}: {answer:#}"));
            assert!(
                said.contains("config.yaml line 5") && said.contains("did you mean `command`?"),
                "{said}"
            );
        }
        // So does an error: it may come of what is missing.
        let error = hammer.refused("rename", "a.fake", place(2, 5));
        let said = error["details"]["warnings"][0].as_str().unwrap_or_else(|| panic!("{error:#}"));
        assert!(said.contains("config.yaml line 5"), "{said}");
        let log = hammer.server.stderr();
        assert!(log.contains("invalid_setting"), "{log}");
        hammer.end();
    }
}

#[test]
fn diagnostics_are_kept_until_a_file_changes() {
    let (tree, record) = fake(&Script::new().diagnostics(Diagnostics::Pull), "");
    let mut hammer = over(tree).start();
    let pulls = || record.count("textDocument/diagnostic");
    let first = hammer.ask("diagnostics", "deep/ü #1.fake", json!({}));
    assert_eq!(hammer.spots(&first["diagnostics"]).len(), 1, "{first:#}");
    let asked = pulls();
    assert!(asked >= 1);
    for _ in 0..3 {
        assert_eq!(hammer.ask("diagnostics", "deep/ü #1.fake", json!({})), first);
    }
    assert_eq!(pulls(), asked, "nothing changed, so nobody was asked");
    // Another severity or limit is another view of what is kept.
    assert_eq!(hammer.ask("diagnostics", "deep/ü #1.fake", json!({ "limit": 0 }))["diagnostics"], json!([]));
    assert_eq!(pulls(), asked);
    hammer.tree.write("deep/ü #1.fake", "😀 use square\n");
    let clean = hammer.ask("diagnostics", "deep/ü #1.fake", json!({}));
    assert_eq!((&clean["diagnostics"], &clean["summary"]["errors"]), (&json!([]), &json!(0)));
    assert!(pulls() > asked);
    // A change of another file counts as well: what is wrong here may be its fault.
    let asked = pulls();
    hammer.tree.write("b.fake", "declare multiply\n");
    hammer.ask("diagnostics", "deep/ü #1.fake", json!({}));
    assert!(pulls() > asked);
    hammer.end();
}
