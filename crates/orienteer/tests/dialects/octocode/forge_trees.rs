//! Are folders of remote repositories listed as documented?

use orienteer_testkit::emulator::Emulator;
use serde_json::json;

use super::emulated::{here, put};
use super::support::{Asking, keys, with};

#[test]
fn the_example_of_a_structure_runs() {
    let emulator = Emulator::start();
    for path in
        ["packages/react/package.json", "packages/react/src/React.js", "packages/dom/index.js", "top.txt"]
    {
        put(&emulator, path, "x\n");
    }
    let mut asking = Asking::of(&emulator);
    let query = json!({
        "mainResearchGoal": "Understand React project structure",
        "researchGoal": "View packages directory",
        "reasoning": "Monorepo structure requires exploring packages/",
        "branch": "main",
        "path": "packages",
        "depth": 2,
        "entriesPerPage": 50
    });
    let data = asking.get("githubViewRepoStructure", here(&emulator, query));
    assert_eq!(keys(&data), ["branch", "owner", "pagination", "path", "repo", "structure", "summary"]);
    assert_eq!((&data["owner"], &data["repo"]), (&json!("octocat"), &json!("hello-world")));
    assert_eq!((&data["branch"], &data["path"]), (&json!("main"), &json!("packages")));
    assert_eq!(
        keys(&data["structure"]),
        [
            "packages/dom",
            "packages/dom/index.js",
            "packages/react",
            "packages/react/package.json",
            "packages/react/src"
        ]
    );
    let file = &data["structure"]["packages/dom/index.js"];
    assert_eq!((&file["type"], &file["size"]), (&json!("file"), &json!(2)));
    assert_eq!(file["sha"].as_str().unwrap().len(), 40);
    assert_eq!(data["structure"]["packages/react/src"]["type"], "dir");
    assert_eq!(data["summary"], json!({ "totalFiles": 2, "totalFolders": 3, "truncated": false }));
    assert_eq!(data["pagination"], json!({ "currentPage": 1, "totalPages": 1, "hasMore": false }));
    let root = asking.get("githubViewRepoStructure", here(&emulator, json!({ "branch": "main" })));
    assert_eq!(keys(&root["structure"]), ["README.md", "packages", "top.txt"], "the root, one level");
    let missing = asking.refused("githubViewRepoStructure", here(&emulator, json!({})));
    assert!(missing["error"].as_str().unwrap().contains("`branch` is required"), "{missing:#}");
}

#[test]
fn pages_of_a_structure_put_together_are_the_whole() {
    let emulator = Emulator::start();
    for at in 0..11 {
        put(&emulator, &format!("d/f{at:02}"), "x\n");
    }
    let mut asking = Asking::of(&emulator);
    let query = here(&emulator, json!({ "branch": "main", "path": "d" }));
    let whole = asking.get("githubViewRepoStructure", query.clone());
    let mut all: Vec<String> = Vec::new();
    for page in 1..=3 {
        let data = asking.get(
            "githubViewRepoStructure",
            with(query.clone(), json!({ "entriesPerPage": 4, "entryPageNumber": page })),
        );
        assert_eq!(data["pagination"], json!({ "currentPage": page, "totalPages": 3, "hasMore": page < 3 }));
        all.extend(keys(&data["structure"]).into_iter().map(str::to_owned));
    }
    assert_eq!(all, keys(&whole["structure"]));
}
