//! The same tools, asked of a real Forgejo: by `host`, with real patches.

use std::path::Path;

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::support::{Asking, hints, host, keys, there, with};

#[allow(dead_code, reason = "the tests of the forges themselves need more of it")]
#[path = "../../../../orienteer-remote/tests/it/forge_server.rs"]
mod forge_server;

use forge_server::{Forgejo, commit, git};

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn files_trees_repositories_and_patches_come_from_forgejo_too() {
    let forgejo = Forgejo::start();
    forgejo.make_repository("demo", "One of everything", false);
    let folder = forgejo.checkout("demo");
    let lines: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    write(&folder, "src/lines.txt", &lines);
    write(&folder, "src/gone.txt", "x\n");
    write(&folder, "old.txt", &"the same text, long enough to be known again\n".repeat(5));
    commit(&folder, "first");
    forgejo.push(&folder, "demo", "main");
    git(&folder, &["checkout", "--quiet", "-b", "topic"]);
    write(
        &folder,
        "src/lines.txt",
        &lines.replace("line 2\n", "line two\n").replace("line 38\n", "line thirty-eight\n"),
    );
    write(&folder, "src/new.txt", "new\n");
    git(&folder, &["rm", "--quiet", "src/gone.txt"]);
    git(&folder, &["mv", "old.txt", "moved.txt"]);
    commit(&folder, "second");
    forgejo.push(&folder, "demo", "topic");
    let pull = json!({ "title": "Change lines", "head": "topic", "base": "main" });
    let number = forgejo.send("POST", "/repos/tester/demo/pulls", &pull)["number"].clone();

    let settings = host(&forgejo.name(), "forgejo", None);
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[("MINE", &forgejo.token)]);
    let here = |more: Value| with(there(&forgejo.name(), json!({ "owner": "tester", "repo": "demo" })), more);

    let data = asking.get(
        "githubGetFileContent",
        here(json!({ "path": "src/lines.txt", "branch": "topic", "startLine": 1, "endLine": 3 })),
    );
    assert_eq!(data["content"], "line 1\nline two\nline 3\n");
    let data = asking.get("githubViewRepoStructure", here(json!({ "branch": "HEAD", "depth": 2 })));
    assert_eq!(keys(&data["structure"]), ["old.txt", "src", "src/gone.txt", "src/lines.txt"]);
    let data = asking
        .get("githubSearchRepositories", there(&forgejo.name(), json!({ "keywordsToSearch": ["demo"] })));
    assert_eq!(data["repositories"][0]["full_name"], "tester/demo");
    assert_eq!(data["repositories"][0]["description"], "One of everything");

    let full = json!({ "prNumber": number, "type": "fullContent" });
    let data = asking.get("githubSearchPullRequests", here(full));
    let files = data["pullRequests"][0]["files"].as_array().unwrap();
    let told: Vec<String> = files
        .iter()
        .map(|file| {
            let text = |name: &str| file[name].as_str().unwrap_or_default().to_owned();
            format!("{} {} +{} -{}", text("status"), text("filename"), file["additions"], file["deletions"])
        })
        .collect();
    let mut told = told;
    told.sort();
    assert_eq!(
        told,
        [
            "added src/new.txt +1 -0",
            "modified moved.txt +0 -0",
            "modified src/lines.txt +2 -2",
            "removed src/gone.txt +0 -1"
        ]
    );
    let lines = files.iter().find(|file| file["filename"] == "src/lines.txt").unwrap();
    assert_eq!(keys(lines), ["additions", "deletions", "filename", "patch", "status"]);
    let patch = lines["patch"].as_str().unwrap();
    assert!(patch.contains("+line two") && patch.contains("+line thirty-eight"), "{patch}");

    for part in [json!({ "hunks": [[37, 39]] }), json!({ "additions": [38] })] {
        let wanted = with(json!({ "file": "src/lines.txt" }), part);
        let partial =
            json!({ "prNumber": number, "type": "partialContent", "partialContentMetadata": [wanted] });
        let row = asking.row("githubSearchPullRequests", here(partial));
        let files = row["data"]["pullRequests"][0]["files"].as_array().unwrap();
        assert_eq!(files.len(), 1, "{row:#}");
        let patch = files[0]["patch"].as_str().unwrap();
        assert!(!patch.contains("line two") && patch.contains("+line thirty-eight"), "{patch}");
        assert!(hints(&row).contains("1 hunks touch other lines and are left out"), "{row:#}");
    }

    // What a forge cannot do is not nothing.
    let row = asking.refused("githubSearchCode", here(json!({ "keywordsToSearch": ["line"] })));
    assert_eq!(row["code"], "UNSUPPORTED", "{row:#}");
    assert!(hints(&row).contains("List the files instead: githubViewRepoStructure"), "{row:#}");
}
