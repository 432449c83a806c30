//! Servers that do not come up, or die.

use std::time::Duration;

use orienteer_testkit::fake::{Death, PROJECT, Record, Script, When, fake_lsp_binary};
use orienteer_testkit::workspaces::TYPESCRIPT;
use orienteer_testkit::{Tree, tree};
use serde_json::json;

use super::support::{Hammer, bare_path, fields, over, place, script, user_settings};

/// A project in the language of a server that does what a script says.
pub(super) fn fake(script: &Script, more: &str) -> (Tree, Record) {
    let tree = tree(PROJECT);
    let script = script.write(&tree.beside("scripts"));
    let record = Record::of(&script);
    let settings = format!(
        "lsp:\n  languages:\n    fake:\n      command: \"{}\"\n      args: [\"{}\"]\n      extensions: [\".fake\"]\n      \
         root_markers: [\"a.fake\"]\n{more}",
        fake_lsp_binary().display(),
        script.display()
    );
    user_settings(&tree, &settings);
    (tree, record)
}

#[test]
fn a_server_that_exits_at_its_start() {
    let tree = tree(TYPESCRIPT);
    let path = bare_path(&tree, &["npm", "node"]);
    let server =
        script(&tree, "broken-server", "echo \"Error: Cannot find module 'typescript'\" >&2\nexit 1");
    user_settings(
        &tree,
        &format!("lsp:\n  server_paths:\n    typescript-language-server: {}\n", server.display()),
    );
    std::os::unix::fs::symlink("/bin/sh", tree.beside("bin").join("sh")).unwrap();
    let mut hammer = over(tree).path(path).start();
    let error = hammer.refused("definition", "packages/web/src/report.ts", place(5, 15));
    assert_eq!(error["code"], "LSP_SERVER_START_FAILED", "{error:#}");
    assert_eq!(error["message"], "broken-server failed to start");
    let details = &error["details"];
    assert_eq!(fields(details), ["command", "exit_code", "language", "reason", "stderr", "suggestion"]);
    assert_eq!((&details["language"], &details["exit_code"]), (&json!("typescript"), &json!(1)));
    assert_eq!(details["command"], format!("{} --stdio", server.display()));
    assert_eq!(details["stderr"], "Error: Cannot find module 'typescript'");
    assert_eq!(
        details["suggestion"],
        "The TypeScript package may be missing. Run: npm install -g typescript"
    );
    hammer.end();
}

#[test]
fn a_server_that_crashes_again_and_again() {
    let dying = Script::new().last_words("thread 'main' panicked at...").crash(
        "textDocument/hover",
        When::Before,
        Death::Exit(1),
    );
    let (tree, _) = fake(&dying, "");
    let mut hammer = over(tree).start();
    let error = hammer.refused("hover", "a.fake", place(2, 5));
    assert_eq!(error["code"], "LSP_SERVER_CRASHED", "{error:#}");
    assert_eq!(error["message"], "Language server crashed and is restarting");
    let details = &error["details"];
    assert_eq!(fields(details), ["action", "exit_code", "language", "retry_after", "stderr"]);
    assert_eq!((&details["language"], &details["exit_code"]), (&json!("fake"), &json!(1)));
    assert!(details["stderr"].as_str().unwrap().contains("thread 'main' panicked at..."), "{details:#}");
    assert_eq!((&details["action"], &details["retry_after"]), (&json!("retry_in_seconds"), &json!(1)));
    // Other questions are answered by the next process.
    let defined = settled(&mut hammer);
    assert_eq!(defined, ["a.fake:2:5"]);
    hammer.end();
}

/// Asks until the server is back, as the error says.
fn settled(hammer: &mut Hammer) -> Vec<String> {
    let arguments =
        json!({ "operation": "definition", "file_path": hammer.at("a.fake"), "line": 2, "column": 5 });
    for _ in 0..100 {
        let (answer, is_error) = hammer.raw(arguments.clone());
        if !is_error {
            return hammer.spots(&answer["definitions"]);
        }
        assert_eq!(answer["error"]["code"], "LSP_SERVER_CRASHED", "{answer:#}");
        assert!(answer["error"]["details"]["retry_after"].is_u64(), "when to try again: {answer:#}");
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("it never came back")
}

#[test]
fn a_single_crash_is_made_good_unseen() {
    let dying = Script::new().crash_once("textDocument/hover", When::Before, Death::Kill);
    let (tree, record) = fake(&dying, "");
    let mut hammer = over(tree).start();
    let hover = hammer.ask("hover", "a.fake", place(2, 5));
    assert!(hover["contents"]["type_info"].is_string(), "{hover:#}");
    assert_eq!(record.starts(), 2, "a second process gave the answer");
    assert_eq!(record.count("textDocument/didOpen"), 2, "and was shown the document, too");
    hammer.end();
}

#[test]
fn a_server_that_is_left_alone_says_so() {
    let dying = Script::new().crash("textDocument/hover", When::Before, Death::Exit(3));
    let (tree, _) = fake(&dying, "");
    let mut hammer = over(tree).start();
    let (mut error, mut pauses) = (json!(null), Vec::new());
    for _ in 0..300 {
        error = hammer.refused("hover", "a.fake", place(2, 5));
        assert_eq!(error["code"], "LSP_SERVER_CRASHED", "{error:#}");
        if error["details"]["retry_after"].is_null() {
            break;
        }
        pauses.push(error["details"]["retry_after"].as_u64().unwrap());
        // It is started again after a pause that grows.
        std::thread::sleep(Duration::from_millis(100));
    }
    // Half a second, one, two: in whole seconds, rounded up.
    assert_eq!((pauses.first(), pauses.iter().max()), (Some(&1), Some(&2)), "{pauses:?}");
    assert_eq!(error["details"]["action"], "change_a_file_or_restart", "{error:#}");
    assert!(error["message"].as_str().unwrap().contains("left alone until a file changes"), "{error:#}");
    hammer.end();
}

#[test]
fn servers_of_several_languages_do_not_share_their_fate() {
    let (tree, _) = fake(&Script::new().exit_at_start(7, "no way"), "");
    tree.write("package.json", "{}");
    tree.write("x.ts", "export const answer = 42;\n");
    let mut hammer = over(tree).start();
    let error = hammer.refused("hover", "a.fake", place(2, 5));
    assert_eq!(
        (&error["code"], &error["details"]["exit_code"]),
        (&json!("LSP_SERVER_START_FAILED"), &json!(7))
    );
    let hover = hammer.ask("hover", "x.ts", place(1, 14));
    assert_eq!(hover["contents"]["type_info"], "const answer: 42");
    hammer.end();
}
