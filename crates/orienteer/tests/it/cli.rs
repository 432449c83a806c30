//! The command line.

use orienteer_testkit::{Server, Tree, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;
use crate::support::{Finished, run_in};

fn orienteer(tree: &Tree, arguments: &[&str]) -> Finished {
    let home = tree.beside("home").display().to_string();
    run_in(ORIENTEER, arguments, tree.root(), &[("HOME", &home)])
}

fn fixture() -> Tree {
    tree("//- /src/main.rs\nfn main() {}\n//- /README.md\n# Title\n")
}

#[test]
fn call_and_server_give_the_same_answer() {
    let tree = fixture();
    let arguments = json!({ "file_path": "src/main.rs" });
    let called = orienteer(&tree, &["call", "read_file", &arguments.to_string(), "--json"]);
    assert_eq!(called.code, Some(0), "{}", called.stderr);
    let mut server = Server::start(ORIENTEER, tree.root(), &["--log-level", "error"]);
    server.initialize("2025-11-25");
    let served = server.call("read_file", arguments);
    assert_eq!(serde_json::from_str::<Value>(&called.stdout).unwrap(), served["structuredContent"]);
    let text = orienteer(&tree, &["call", "read_file", "{\"file_path\":\"src/main.rs\"}"]);
    assert_eq!(text.stdout, "1| fn main() {}\n\n");
}

#[test]
fn tools_of_a_dialect_are_listed_without_toolsets() {
    let tree = fixture();
    let listed = |dialect: &str, name: &str| {
        let said = orienteer(&tree, &["tools", "--dialect", dialect]).stdout;
        let line = said.lines().find(|line| line.split(' ').next() == Some(name));
        let rest = line.unwrap_or_else(|| panic!("no {name}: {said}"))[name.len()..].trim().to_owned();
        assert!(
            !said.lines().any(|line| dialect != "native" && line.split_whitespace().nth(1) == Some("ops"))
        );
        rest
    };
    assert!(listed("native", "hover").starts_with("navigate "));
    assert!(listed("pyright", "check_types").starts_with("Run Pyright type checking"));
    assert!(listed("octocode", "githubSearchPullRequests").starts_with("Search pull requests"));
    assert!(listed("pairofcleats", "build_index").starts_with(char::is_uppercase));
    assert!(listed("swissarmyhammer", "lsp").starts_with(char::is_uppercase));
}

#[test]
fn exit_codes_tell_success_failure_and_misuse() {
    let tree = fixture();
    assert_eq!(orienteer(&tree, &["call", "list_tree"]).code, Some(0));
    let missing = orienteer(&tree, &["call", "read_file", "{\"file_path\":\"nowhere\"}"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.stdout.contains("`nowhere` does not exist"), "{}", missing.stdout);
    let dialect = orienteer(&tree, &["tools", "--dialect", "klingon"]);
    assert_eq!(dialect.code, Some(2));
    assert!(dialect.stderr.contains("klingon") && dialect.stderr.contains("native"), "{}", dialect.stderr);
    let unknown = orienteer(&tree, &["call", "raed_file"]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("there is no tool `raed_file`; did you mean read_file?"),
        "{}",
        unknown.stderr
    );
    let broken = orienteer(&tree, &["call", "read_file", "{oops"]);
    assert_eq!(broken.code, Some(2));
    assert!(broken.stderr.contains("must be a JSON object"), "{}", broken.stderr);
    let flag = orienteer(&tree, &["tools", "--context", "codx"]);
    assert_eq!(flag.code, Some(2));
    assert!(
        flag.stderr.contains("flag --context: `mcp.context` must be one of codex, navigation, full"),
        "{}",
        flag.stderr
    );
    assert_eq!(orienteer(&tree, &["--version"]).stdout, format!("orienteer {}\n", env!("CARGO_PKG_VERSION")));
    for command in ["mcp", "call", "tools", "search", "index", "doctor", "trust", "completions", "demo"] {
        let help = orienteer(&tree, &[command, "--help"]);
        assert!(
            help.code == Some(0) && help.stdout.contains("Usage: orienteer"),
            "{command}: {}",
            help.stdout
        );
    }
}

#[test]
fn trust_that_is_given_at_one_time_is_all_kept() {
    let tree = fixture();
    let folders: Vec<String> = (0..12).map(|at| format!("r{at}")).collect();
    folders.iter().for_each(|folder| tree.write(&format!("{folder}/a.txt"), ""));
    std::thread::scope(|scope| {
        for folder in &folders {
            scope.spawn(|| assert_eq!(orienteer(&tree, &["trust", "--yes", folder]).code, Some(0)));
        }
    });
    let listed = orienteer(&tree, &["trust", "--list"]).stdout;
    assert_eq!(listed.lines().count(), folders.len(), "{listed}");
}

#[test]
fn trust_is_asked_for_given_and_taken_back() {
    let tree = fixture();
    let text = "[[servers]]\nid = \"mine\"\ncommand = \"surely-not-installed\"\nextensions = [\"rs\"]\n";
    tree.write(".orienteer/config.toml", text);
    let servers = |tree: &Tree| {
        let listed = orienteer(tree, &["call", "list_servers", "{}", "--json"]);
        serde_json::from_str::<Value>(&listed.stdout).unwrap()["servers"].clone()
    };
    let known = |tree: &Tree| servers(tree).as_array().unwrap().iter().any(|server| server["id"] == "mine");
    assert!(!known(&tree), "a project's command is ignored until it is trusted");
    let doctor = orienteer(&tree, &["doctor"]);
    assert!(
        doctor.stdout.contains("ignored: servers (mine)") && doctor.stdout.contains("orienteer trust"),
        "{}",
        doctor.stdout
    );
    let trusted = orienteer(&tree, &["trust", "--yes"]);
    assert!(trusted.stdout.contains("surely-not-installed"), "what is trusted is shown: {}", trusted.stdout);
    assert_eq!(servers(&tree)[0]["id"], "mine");
    assert_eq!(servers(&tree)[0]["installed"], false);
    assert!(orienteer(&tree, &["trust", "--list"]).stdout.contains(".orienteer/config.toml"));
    let doctor = orienteer(&tree, &["doctor", "--json"]);
    assert_eq!(doctor.code, Some(1));
    let report: Value = serde_json::from_str(&doctor.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["message"].as_str().unwrap().starts_with("mine: ")).unwrap();
    assert_eq!((&check["name"], &check["ok"]), (&json!("server"), &json!(false)));
    assert!(check["message"].as_str().unwrap().contains("`surely-not-installed` was not found"), "{check}");
    assert!(check["advice"].as_str().unwrap().contains("full path"), "{check}");
    assert!(orienteer(&tree, &["trust", "--revoke"]).stdout.contains("no longer trusted"));
    assert!(!known(&tree));
    std::fs::remove_dir_all(tree.root().join(".orienteer")).unwrap();
    let nothing = orienteer(&tree, &["trust", "--yes", "none"]);
    assert!(nothing.code == Some(2) && nothing.stderr.contains("nothing to trust"), "{}", nothing.stderr);
    // Without a configuration the project itself is trusted, and not with whatever configuration it gets.
    let project = orienteer(&tree, &["trust", "--yes"]);
    assert!(project.stdout.contains("its own programs"), "{}", project.stdout);
    assert!(orienteer(&tree, &["trust", "--list"]).stdout.contains(".orienteer/config.toml"));
    tree.write(".orienteer/config.toml", text);
    assert!(!known(&tree));
}

#[test]
fn completions_are_printed_for_every_shell() {
    let tree = fixture();
    for (shell, word) in
        [("bash", "complete"), ("zsh", "#compdef"), ("fish", "complete"), ("powershell", "Register")]
    {
        let script = orienteer(&tree, &["completions", shell]);
        assert!(script.code == Some(0) && script.stdout.contains(word), "{shell}");
        assert!(script.stdout.contains("orienteer"), "{shell}");
    }
}

#[test]
fn the_demonstration_is_a_real_session() {
    let tree = fixture();
    let demo = orienteer(&tree, &["demo"]);
    assert_eq!(demo.code, Some(0), "{}{}", demo.stdout, demo.stderr);
    for part in [
        "orienteer 0.1.0, protocol 2025-11-25",
        "src/main.rs:1:1  fn main() {}",
        "`no/such/file` does not exist",
        "\"mcpServers\"",
        "[mcp_servers.orienteer]",
    ] {
        assert!(demo.stdout.contains(part), "{part} is missing:\n{}", demo.stdout);
    }
}

#[test]
fn settings_and_their_origins_are_told_without_secrets() {
    let tree = fixture();
    let home = tree.beside("home").display().to_string();
    let variables =
        [("HOME", home.as_str()), ("ORIENTEER_HTTP_TOKEN", "hunter-two"), ("ORIENTEER_MCP_QUEUE_MAX", "9")];
    for command in [&["doctor", "--json"][..], &["call", "get_current_config", "{}", "--json"]] {
        let told = run_in(ORIENTEER, command, tree.root(), &variables);
        assert!(!told.stdout.contains("hunter-two") && !told.stderr.contains("hunter-two"), "{command:?}");
        assert!(told.stdout.contains("environment ORIENTEER_MCP_QUEUE_MAX"), "{command:?}: {}", told.stdout);
    }
}

#[test]
fn the_doctor_looks_at_the_workspace_that_is_named() {
    let tree = fixture();
    let elsewhere = tree.beside("elsewhere");
    let home = tree.beside("home").display().to_string();
    let root = tree.root().display().to_string();
    // In a folder without anything, and below the one that is meant.
    for (folder, named) in [(elsewhere.as_path(), root.as_str()), (&tree.root().join("src"), "..")] {
        let command = ["doctor", "--workspace-root", named, "--json"];
        let told = run_in(ORIENTEER, &command, folder, &[("HOME", &home), ("PATH", "/nowhere")]);
        let report: Value = serde_json::from_str(&told.stdout).unwrap_or_else(|_| panic!("{}", told.stderr));
        assert_eq!(report["config"]["workspace_root"], root, "{report:#}");
        assert!(report["ok"].is_boolean() && !report["checks"].as_array().unwrap().is_empty(), "{report:#}");
    }
}

#[test]
fn the_index_is_built_searched_and_removed_from_the_command_line() {
    let tree = tree(
        "//- /src/main.rs\n/// Draws the map of an island.\nfn draw_map() {}\n//- /README.md\n# Islands\n\nA chart of reefs.\n",
    );
    let status = orienteer(&tree, &["index", "status"]);
    assert!(
        status.code == Some(0) && status.stdout.contains("no index"),
        "{}{}",
        status.stdout,
        status.stderr
    );
    let built = orienteer(&tree, &["index", "build", "--json"]);
    let built: Value = serde_json::from_str(&built.stdout).unwrap_or_else(|_| panic!("{}", built.stderr));
    assert_eq!((&built["done"], &built["files"]), (&json!("built"), &json!(2)), "{built}");
    let found = orienteer(&tree, &["search", "draw", "map"]);
    assert_eq!(found.code, Some(0), "{}{}", found.stdout, found.stderr);
    assert!(
        found.stdout.contains("src/main.rs:") && found.stdout.contains("function draw_map"),
        "{}",
        found.stdout
    );
    let prose = orienteer(&tree, &["search", "reefs", "--mode", "prose", "--json"]);
    let prose: Value = serde_json::from_str(&prose.stdout).unwrap();
    assert_eq!(prose["results"][0]["file_path"], "README.md", "{prose}");
    let excluded = orienteer(&tree, &["search", "island -readme lang:rust", "--json"]);
    assert_eq!(excluded.code, Some(0), "{}", excluded.stderr);
    let wrong = orienteer(&tree, &["search", "kind:nonsense"]);
    assert!(wrong.code == Some(1) && wrong.stdout.contains("`nonsense` is no value"), "{}", wrong.stdout);
    let status = orienteer(&tree, &["index", "status", "--verify", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).unwrap();
    assert_eq!((&status["state"], &status["health"]), (&json!("ready"), &json!("ok")), "{status}");
    let doctor = orienteer(&tree, &["doctor"]);
    assert!(doctor.stdout.contains("✓ index          2 files"), "{}", doctor.stdout);
    let artifacts = orienteer(&tree, &["index", "artifacts", "--json"]);
    let artifacts: Value = serde_json::from_str(&artifacts.stdout).unwrap();
    let kinds: Vec<&str> =
        artifacts["artifacts"].as_array().unwrap().iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"database") && kinds.contains(&"trigrams"), "{artifacts}");
    let compact = orienteer(&tree, &["index", "compact"]);
    assert_eq!(compact.code, Some(0), "{}{}", compact.stdout, compact.stderr);
    let kept = orienteer(&tree, &["index", "gc", "--apply", "--max-bytes", "0"]);
    assert_eq!(kept.code, Some(0), "{}", kept.stderr);
    let would = orienteer(&tree, &["index", "clean", "--dry-run", "--json"]);
    let would: Value = serde_json::from_str(&would.stdout).unwrap();
    assert_eq!(would["done"], "would_remove", "the index in use was not collected: {would}");
    let other = tree.beside("elsewhere");
    std::fs::write(other.join("x.rs"), "fn x() {}").unwrap();
    let elsewhere = other.display().to_string();
    assert_eq!(orienteer(&tree, &["index", "build", "--workspace-root", &elsewhere]).code, Some(0));
    let dry = orienteer(&tree, &["index", "gc", "--max-bytes", "0", "--json"]);
    let dry: Value = serde_json::from_str(&dry.stdout).unwrap();
    assert_eq!((&dry["done"], &dry["indexes"]), (&json!("would_remove"), &json!(1)), "{dry}");
    let gone = orienteer(&tree, &["index", "gc", "--apply", "--max-bytes", "0", "--json"]);
    let gone: Value = serde_json::from_str(&gone.stdout).unwrap();
    assert_eq!((&gone["done"], &gone["kept"]), (&json!("removed"), &json!(1)), "{gone}");
    assert!(orienteer(&tree, &["index", "clean"]).stdout.contains("removed"));
    assert!(orienteer(&tree, &["index", "status"]).stdout.contains("no index"));
    let refused = orienteer(&tree, &["index", "clean", "--read-only"]);
    assert!(refused.code == Some(1) && refused.stdout.contains("read-only"), "{}", refused.stdout);
}

#[test]
fn a_watch_brings_changes_in_by_itself() {
    use std::io::{BufRead, BufReader};
    let tree = fixture();
    let home = tree.beside("home");
    let mut watch = std::process::Command::new(ORIENTEER)
        .args(["index", "watch"])
        .current_dir(tree.root())
        .env("HOME", &home)
        .env_remove("XDG_CACHE_HOME")
        .env_remove("ORIENTEER_TEST_TOOLS")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let built = lines.next().unwrap().unwrap();
    assert!(built.starts_with("built"), "{built}");
    assert!(lines.next().unwrap().unwrap().contains("watching"));
    tree.write("src/new.rs", "fn brand_new_thing() {}\n");
    let updated = lines.next().unwrap().unwrap();
    assert!(updated.starts_with("updated, changed 1"), "{updated}");
    watch.kill().unwrap();
    watch.wait().unwrap();
}
