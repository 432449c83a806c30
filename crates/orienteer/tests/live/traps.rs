//! A repository in which every setting that can name a program names one that leaves a mark. Every tool is asked.

use std::path::Path;
use std::process::Command;

use orienteer_testkit::{Tree, tree};
use serde_json::{Value, json};

use crate::support::{Live, over_tree, tell_tale};

/// Settings of git that name a program. `{}` is the program.
const GIT: &[(&str, &str)] = &[
    ("core.fsmonitor", "{}"),
    ("core.pager", "{}"),
    ("core.editor", "{}"),
    ("core.sshCommand", "{}"),
    ("core.askPass", "{}"),
    ("core.gitProxy", "{}"),
    ("core.alternateRefsCommand", "{}"),
    ("credential.helper", "!{}"),
    ("filter.trap.clean", "{}"),
    ("filter.trap.smudge", "{}"),
    ("filter.pipe.process", "{}"),
    ("diff.trap.textconv", "{}"),
    ("diff.trap.command", "{}"),
    ("diff.external", "{}"),
    ("gpg.program", "{}"),
    ("pager.log", "{}"),
    ("pager.diff", "{}"),
    ("alias.ls-files", "!{}"),
    ("alias.log", "!{}"),
    ("remote.origin.url", "ext::{}"),
    ("remote.origin.promisor", "true"),
    ("log.showSignature", "true"),
    ("filter.trap.required", "true"),
];

const FILES: &str = "//- /.gitattributes
*.py filter=trap diff=trap
*.ts filter=pipe
//- /src/app.py
def greet(name):
    return helper(name)


def helper(name):
    return name
//- /src/view.ts
export function greet(name: string): string { return name; }
export const said = greet('x');
//- /tsconfig.json
{ \"compilerOptions\": { \"plugins\": [{ \"name\": \"trap\" }] } }
//- /package.json
{ \"name\": \"trap\", \"prettier\": \"trap\", \"scripts\": { \"prepare\": \"./evil/program\" } }
//- /README.md
# Trap
//- /.envrc
./evil/program
";

/// The repository, and where marks are left.
fn trapped() -> Tree {
    let tree = tree(FILES);
    let root = tree.root().to_path_buf();
    let program = root.join("evil/program");
    tell_tale(&program, &mark(&tree));
    for folder in ["node_modules/.bin", ".venv/bin", "venv/bin"] {
        for name in PROGRAMS {
            tell_tale(&root.join(folder).join(name), &mark(&tree));
        }
    }
    tree.write("node_modules/trap/index.js", "require('child_process').execSync('../../evil/program')\n");
    tree.write("node_modules/trap/package.json", "{ \"name\": \"trap\", \"main\": \"index.js\" }\n");
    // A folder that looks like a bare repository of its own, beside one that is a repository.
    let bare = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = {}\n",
        program.display()
    );
    for (name, text) in
        [("HEAD", "ref: refs/heads/main\n"), ("config", bare.as_str()), ("objects/x", ""), ("refs/x", "")]
    {
        tree.write(&format!("src/{name}"), text);
        tree.write(name, text);
    }
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-f", "-A"]);
    git(&root, &["commit", "-q", "-m", "begin"]);
    for (key, value) in GIT {
        git(&root, &["config", key, &value.replace("{}", program.to_str().unwrap())]);
    }
    for hook in ["post-index-change", "post-checkout", "pre-auto-gc", "reference-transaction"] {
        std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
        std::fs::copy(&program, root.join(".git/hooks").join(hook)).unwrap();
    }
    tree.write(
        "src/app.py",
        "def greet(name):\n    return helper(name) + helper(name)\n\n\ndef helper(name):\n    return name\n",
    );
    tree.write("src/view.ts", "export function greet(name: string): string { return name; }\n");
    tree.write("src/new.py", "import app\n");
    tree
}

/// What a language server, a checker or a formatter is called.
const PROGRAMS: &[&str] = &[
    "python",
    "python3",
    "pyright",
    "pyright-langserver",
    "basedpyright-langserver",
    "ty",
    "ruff",
    "black",
    "tsc",
    "tsgo",
    "typescript-language-server",
    "prettier",
    "eslint",
    "node",
    "pylsp",
    "jedi-language-server",
    "zuban",
    "pyrefly",
];

fn mark(tree: &Tree) -> std::path::PathBuf {
    tree.beside("marks").join("ran")
}

fn git(root: &Path, args: &[&str]) {
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
    let ran = Command::new("git").args(who).args(args).current_dir(root).output().unwrap();
    assert!(ran.status.success(), "{args:?}: {ran:?}");
}

/// A question for every tool that is offered.
fn questions() -> Vec<(&'static str, Value)> {
    let python = json!({ "file_path": "src/app.py", "symbol_name": "greet" });
    let script = json!({ "file_path": "src/view.ts", "symbol_name": "greet" });
    let place = json!({ "file_path": "src/app.py", "line": 2, "column": 15 });
    let mut all = Vec::new();
    for tool in ["find_definition", "find_references", "hover", "call_hierarchy", "explore"] {
        all.push((tool, python.clone()));
        all.push((tool, script.clone()));
    }
    all.extend([
        ("type_hierarchy", python.clone()),
        ("find_symbol", json!({ "query": "greet" })),
        ("document_symbols", json!({ "file_path": "src/app.py" })),
        ("signature_help", place.clone()),
        ("complete", place),
        ("get_diagnostics", json!({ "scope": "changed" })),
        ("get_diagnostics", json!({ "scope": "workspace" })),
        ("get_diagnostics", json!({ "scope": "changed", "mode": "compiler" })),
        ("get_diagnostics", json!({ "file_paths": ["src/view.ts"], "mode": "compiler" })),
        ("code_actions", json!({ "file_path": "src/app.py", "start_line": 1 })),
        ("format_code", json!({ "file_paths": ["src/app.py"] })),
        ("format_code", json!({ "file_paths": ["src/view.ts"] })),
        ("format_code", json!({ "file_paths": ["package.json"] })),
        ("rename_symbol", json!({ "file_path": "src/app.py", "symbol_name": "helper", "new_name": "aid" })),
        ("edit_symbol", json!({ "file_path": "src/app.py", "symbol_name": "helper", "operation": "insert_after", "content": "x = 1\n" })),
        ("apply_edits", json!({ "plan_id": "none" })),
        ("undo_edits", json!({ "count": 1 })),
        ("build_index", json!({})),
        ("search", json!({ "query": "greet author:t", "output": "full" })),
        ("search", json!({ "query": "greet", "output": "full" })),
        ("search", json!({ "query": "greet", "filters": { "modified_after": "2000-01-01" } })),
        ("index_status", json!({})),
        ("search_code", json!({ "pattern": "greet" })),
        ("search_structure", json!({ "pattern": "def $F($$$A): $$$B", "language": "python" })),
        ("read_file", json!({ "file_path": "src/app.py" })),
        ("list_tree", json!({ "path": "." })),
        ("find_files", json!({ "names": ["*.py"] })),
        ("triage_list", json!({})),
        ("triage_ingest", json!({ "source": "generic", "path": "package.json" })),
        ("triage_decide", json!({ "finding": "none", "status": "accepted", "justification": "x" })),
        ("triage_context_pack", json!({ "finding": "none" })),
        ("report_artifacts", json!({})),
        ("compact_index", json!({})),
        ("gc_cache", json!({})),
        ("clean_index", json!({ "dry_run": true })),
        ("search_packages", json!({ "name": "x", "ecosystem": "npm" })),
        ("remote_search_code", json!({ "query": "x" })),
        ("remote_read_file", json!({ "owner": "o", "repo": "r", "path": "p" })),
        ("remote_list_tree", json!({ "owner": "o", "repo": "r" })),
        ("remote_search_repositories", json!({ "query": "x" })),
        ("remote_search_changes", json!({ "owner": "o", "repo": "r" })),
        ("get_current_config", json!({})),
        ("list_servers", json!({})),
        ("get_server_status", json!({})),
        ("restart_server", json!({})),
        ("stop_server", json!({})),
        ("health_check", json!({})),
        ("batch", json!({ "calls": [{ "tool": "search_code", "arguments": { "pattern": "greet" } }] })),
    ]);
    all
}

fn ask_all(live: &mut Live, mark: &Path) {
    let questions = questions();
    let listed = live.server.request("tools/list", json!({}));
    let offered = listed["result"]["tools"].as_array().unwrap();
    for tool in offered {
        let name = tool["name"].as_str().unwrap();
        assert!(questions.iter().any(|(asked, _)| *asked == name), "{name} is not asked here");
    }
    for (tool, arguments) in questions {
        live.raw(tool, arguments.clone());
        assert!(!mark.exists(), "{tool} {arguments} ran a program of the repository");
    }
}

#[test]
fn no_tool_runs_what_a_repository_names() {
    let tree = trapped();
    let (mark, root) = (mark(&tree), tree.root().to_path_buf());
    std::fs::remove_file(&mark).ok();
    let mut live = over_tree(tree).start();
    ask_all(&mut live, &mark);
    // The trap is one: git by hand springs it.
    let _ = Command::new("git").arg("status").current_dir(&root).output().unwrap();
    assert!(mark.exists());
}

/// Nothing is a repository here but for files that look like one.
#[test]
fn no_tool_asks_a_folder_that_looks_like_a_repository() {
    let tree = trapped();
    let (mark, root) = (mark(&tree), tree.root().to_path_buf());
    std::fs::remove_dir_all(root.join(".git")).unwrap();
    std::fs::remove_file(&mark).ok();
    let mut live = over_tree(tree).arg("--read-only").start();
    for (tool, arguments) in questions().into_iter().take(20) {
        live.raw(tool, arguments.clone());
        assert!(!mark.exists(), "{tool} {arguments} ran a program of the repository");
    }
    let _ = Command::new("git").arg("ls-files").current_dir(&root).output().unwrap();
    assert!(mark.exists(), "the trap is none");
}
