//! Do `localViewStructure` and `localFindFiles` answer as documented?

use std::time::{Duration, SystemTime};

use orienteer_testkit::{Tree, tree};
use serde_json::{Value, json};

use super::support::{AUTH, Asking, all_pages, hints, keys, with};

fn age(tree: &Tree, path: &str, days: u64) {
    let file = std::fs::File::options().write(true).open(tree.root().join(path)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).unwrap();
}

/// `name` or `path` of each row of a list.
fn names(rows: &[Value], field: &str) -> Vec<String> {
    rows.iter().map(|row| row[field].as_str().unwrap().to_owned()).collect()
}

fn listed(data: &Value) -> Vec<String> {
    names(data["entries"].as_array().unwrap(), "name")
}

fn found(data: &Value) -> Vec<String> {
    names(data["files"].as_array().unwrap(), "path")
}

#[test]
fn the_example_of_an_overview_runs() {
    let mut asking = Asking::over(AUTH);
    let root = asking.tree.root().to_str().unwrap().to_owned();
    let query = json!({
        "researchGoal": "Understand project structure",
        "reasoning": "Start with root directory",
        "path": root,
        "depth": 1,
        "entriesPerPage": 20
    });
    let data = asking.get("localViewStructure", query);
    assert_eq!(keys(&data), ["entries", "pagination", "path", "summary"]);
    let mut names = listed(&data);
    names.sort();
    assert_eq!(names, ["package.json", "src", "tsconfig.json"]);
    let entry =
        |name: &str| data["entries"].as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap();
    assert_eq!(entry("src")["type"], "dir");
    assert_eq!(
        (&entry("package.json")["type"], &entry("package.json")["size"]),
        (&json!("file"), &json!(36))
    );
    assert!(entry("package.json")["modified"].as_str().unwrap().ends_with('Z'));
    assert!(entry("package.json").get("permissions").is_none());
    let summary = &data["summary"];
    assert_eq!(keys(summary), ["totalDirs", "totalFiles", "totalSize"]);
    assert_eq!((&summary["totalFiles"], &summary["totalDirs"]), (&json!(2), &json!(1)));
    assert_eq!(data["pagination"], json!({ "currentPage": 1, "totalPages": 1, "hasMore": false }));
}

#[test]
fn the_example_of_typescript_files_runs() {
    let tree = tree(AUTH);
    tree.write("src/view.tsx", "export {};\n");
    tree.write("src/readme.md", "no\n");
    for (path, days) in
        [("src/index.test.ts", 3), ("src/index.ts", 1), ("src/utils.ts", 9), ("src/view.tsx", 2)]
    {
        age(&tree, path, days);
    }
    let mut asking = Asking::with(tree, "", &[]);
    let query = json!({
        "researchGoal": "Find TypeScript source files",
        "reasoning": "Filter by extension for relevant files",
        "path": asking.tree.root().join("src").to_str().unwrap(),
        "extensions": ["ts", "tsx"],
        "filesOnly": true,
        "sortBy": "time"
    });
    let data = asking.get("localViewStructure", query);
    assert_eq!(listed(&data), ["index.ts", "view.tsx", "index.test.ts", "utils.ts"], "newest first");
    assert_eq!(data["path"], "src");
}

#[test]
fn a_listing_is_what_its_options_say() {
    let fixture = "//- /a.rs\n1\n//- /b.ts\n123456\n//- /.hidden\n//- /sub/c.rs\n12\n//- /sub/deep/d.rs\n//- /.gitignore\nsub\n";
    let tree = tree(fixture);
    std::fs::create_dir(tree.root().join(".git")).unwrap();
    let mut asking = Asking::with(tree, "", &[]);
    let mut list = |more: Value| {
        listed(&asking.get("localViewStructure", with(json!({ "path": ".", "sortBy": "name" }), more)))
    };
    assert_eq!(list(json!({})), ["a.rs", "b.ts", "sub"], "what is ignored is there all the same");
    assert_eq!(list(json!({ "hidden": true, "filesOnly": true })), [".gitignore", ".hidden", "a.rs", "b.ts"]);
    assert_eq!(
        list(json!({ "recursive": true, "filesOnly": true })),
        ["a.rs", "b.ts", "sub/c.rs", "sub/deep/d.rs"]
    );
    assert_eq!(list(json!({ "depth": 2, "extension": "rs" })), ["a.rs", "sub/c.rs"]);
    assert_eq!(list(json!({ "directoriesOnly": true, "depth": 5 })), ["sub", "sub/deep"]);
    assert_eq!(list(json!({ "pattern": "*.ts" })), ["b.ts"]);
    assert_eq!(list(json!({ "pattern": "su" })), ["sub"]);
    assert_eq!(list(json!({ "sortBy": "size", "filesOnly": true })), ["b.ts", "a.rs"]);
    assert_eq!(list(json!({ "sortBy": "extension", "filesOnly": true })), ["a.rs", "b.ts"]);
    assert_eq!(list(json!({ "limit": 2 })), ["a.rs", "b.ts"]);
    assert_eq!(list(json!({ "path": "sub", "depth": 2, "filesOnly": true })), ["c.rs", "deep/d.rs"]);
    assert!(list(json!({ "extension": "zig" })).is_empty());
    let details =
        asking.get("localViewStructure", json!({ "path": ".", "details": true, "filesOnly": true }));
    let entry = &details["entries"][0];
    assert_eq!(entry["permissions"].as_str().unwrap().len(), 3, "{entry}");
    let both = asking
        .refused("localViewStructure", json!({ "path": ".", "filesOnly": true, "directoriesOnly": true }));
    assert_eq!(both["code"], "VALIDATION_ERROR");
}

#[test]
fn a_recursive_listing_that_ends_at_its_depth_says_so() {
    let mut asking = Asking::over("//- /1/2/3/4/5/6/deep.txt\nx\n//- /1/shallow.txt\ny\n");
    let row = asking.row("localViewStructure", json!({ "path": ".", "recursive": true, "sortBy": "name" }));
    let listed = names(row["data"]["entries"].as_array().unwrap(), "name");
    assert!(
        listed.contains(&"1/2/3/4/5".to_owned()) && !listed.contains(&"1/2/3/4/5/6".to_owned()),
        "{row:#}"
    );
    let told = "1 folders at the depth limit were not entered; list one of them by itself";
    assert!(hints(&row).contains(told), "{row:#}");
    let row = asking.row("localViewStructure", json!({ "path": "1", "recursive": true }));
    assert!(hints(&row).contains("1 folders at the depth limit"), "one above is still not all: {row:#}");
    let row = asking.row("localViewStructure", json!({ "path": "1/2", "recursive": true }));
    assert!(!hints(&row).contains("depth limit"), "it is all here: {row:#}");
    let row = asking.row("localViewStructure", json!({ "path": ".", "depth": 5 }));
    assert!(!hints(&row).contains("depth limit"), "that is what was asked for: {row:#}");
}

#[test]
fn pages_of_entries_put_together_are_the_whole() {
    let fixture: String = (0..47).map(|at| format!("//- /d/f{at:02}.txt\n{at}\n")).collect();
    let mut asking = Asking::with(tree(&fixture), "", &[]);
    let expected: Vec<String> = (0..47).map(|at| format!("f{at:02}.txt")).collect();
    for per_page in [3, 20] {
        let query = json!({ "path": "d", "sortBy": "name", "entriesPerPage": per_page });
        let (entries, last) = all_pages(&mut asking, "localViewStructure", query, "entries");
        assert_eq!(names(&entries, "name"), expected);
        assert_eq!(last["summary"]["totalFiles"], 47);
    }
    let query = json!({ "path": "d", "sortBy": "name", "limit": 25 });
    let (entries, _) = all_pages(&mut asking, "localViewStructure", query.clone(), "entries");
    assert_eq!(names(&entries, "name"), expected[..25]);
    assert!(hints(&asking.row("localViewStructure", query)).contains("`limit` leaves out 22 of 47"));
    let (files, last) =
        all_pages(&mut asking, "localFindFiles", json!({ "path": "d", "filesPerPage": 6 }), "files");
    assert_eq!(names(&files, "path"), expected.iter().map(|name| format!("d/{name}")).collect::<Vec<_>>());
    assert_eq!(last["totalCount"], 47);
    let (files, _) = all_pages(&mut asking, "localFindFiles", json!({ "path": "d", "limit": 30 }), "files");
    assert_eq!(files.len(), 30);
}

#[test]
fn the_example_of_recent_files_runs() {
    let tree = tree(AUTH);
    tree.write("src/old.test.ts", "old\n");
    age(&tree, "src/old.test.ts", 30);
    let mut asking = Asking::with(tree, "", &[]);
    let query = json!({
        "researchGoal": "Find recently modified test files",
        "reasoning": "Recent changes indicate active development",
        "path": asking.tree.root().to_str().unwrap(),
        "name": "*.test.ts",
        "modifiedWithin": "7d",
        "type": "f"
    });
    let data = asking.get("localFindFiles", query);
    assert_eq!(keys(&data), ["files", "pagination", "totalCount"]);
    assert_eq!((found(&data), &data["totalCount"]), (vec!["src/index.test.ts".to_owned()], &json!(1)));
    let file = &data["files"][0];
    assert_eq!(keys(file), ["modified", "path", "permissions", "size", "type"]);
    assert_eq!(file["type"], "file");
    assert!(file["modified"].as_str().unwrap().ends_with('Z') && file["size"].as_u64().unwrap() > 50);
    let old =
        asking.get("localFindFiles", json!({ "path": ".", "name": "*.test.ts", "modifiedBefore": "7d" }));
    assert_eq!(found(&old), ["src/old.test.ts"]);
}

#[test]
fn the_example_of_large_files_runs() {
    let tree = tree(AUTH);
    tree.write("src/large.bin", vec![b'x'; 2 << 20]);
    tree.write("src/node_modules/large.js", vec![b'x'; 2 << 20]);
    let mut asking = Asking::with(tree, "", &[]);
    let query = json!({
        "researchGoal": "Identify large files",
        "reasoning": "Large files may need optimization",
        "path": "src",
        "type": "f",
        "sizeGreater": "1M",
        "excludeDir": ["node_modules", "dist"]
    });
    assert_eq!(found(&asking.get("localFindFiles", query)), ["src/large.bin"]);
    let all = asking.get("localFindFiles", json!({ "path": "src", "sizeGreater": "1M" }));
    assert_eq!(all["totalCount"], 2);
}

#[cfg(unix)]
#[test]
fn files_are_found_by_what_they_are() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let tree = tree(
        "//- /a/b/c/Deep.TXT\n1\n//- /run.sh\n#!/bin/sh\n//- /plain.txt\n12345\n//- /.hidden/x.txt\n//- /.git/config\n",
    );
    let mode = |path: &str, mode: u32| {
        std::fs::set_permissions(tree.root().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("run.sh", 0o755);
    mode("plain.txt", 0o444);
    mode("a/b/c/Deep.TXT", 0o600);
    symlink("plain.txt", tree.root().join("link")).unwrap();
    let mut asking = Asking::with(tree, "", &[]);
    let mut find = |more: Value| found(&asking.get("localFindFiles", with(json!({ "path": "." }), more)));
    assert_eq!(find(json!({ "name": "*.txt" })), [".hidden/x.txt", "plain.txt"], "hidden ones count");
    assert_eq!(find(json!({ "iname": "*.txt" })), [".hidden/x.txt", "a/b/c/Deep.TXT", "plain.txt"]);
    assert_eq!(find(json!({ "names": ["*.sh", "plain.*"] })), ["plain.txt", "run.sh"]);
    assert_eq!(find(json!({ "type": "d" })), [".hidden", "a", "a/b", "a/b/c"], "git's own folder does not");
    assert_eq!(find(json!({ "type": "l" })), ["link"]);
    assert_eq!(find(json!({ "type": "f", "maxDepth": 1 })), ["plain.txt", "run.sh"]);
    assert_eq!(find(json!({ "type": "f", "minDepth": 3 })), ["a/b/c/Deep.TXT"]);
    assert_eq!(find(json!({ "permissions": "755", "type": "f" })), ["run.sh"]);
    assert_eq!(find(json!({ "executable": true, "type": "f" })), ["run.sh"]);
    assert_eq!(find(json!({ "writable": false, "type": "f" })), ["plain.txt"]);
    assert_eq!(
        find(json!({ "readable": true, "sizeLess": "3", "sizeGreater": "1", "type": "f" })),
        ["a/b/c/Deep.TXT"]
    );
    let row = asking.get("localFindFiles", json!({ "path": ".", "type": "l" }));
    assert_eq!(row["files"][0]["type"], "symlink");
    for (more, told) in [
        (json!({ "iname": "x", "name": "y" }), "`iname` stands alone"),
        (json!({ "minDepth": 4, "maxDepth": 2 }), "`minDepth` is greater"),
        (json!({ "permissions": "999" }), "octal"),
        (json!({ "type": "x" }), "legal values are f, d, l"),
        (json!({ "maxDepth": 11 }), "from 1 to 10"),
    ] {
        let row = asking.refused("localFindFiles", with(json!({ "path": "." }), more));
        assert_eq!(row["code"], "VALIDATION_ERROR", "{row:#}");
        assert!(row["error"].as_str().unwrap().contains(told), "{row:#}");
    }
    for (field, value) in [("modifiedWithin", "soon"), ("sizeGreater", "big"), ("modifiedBefore", "never")] {
        let row = asking.refused("localFindFiles", json!({ "path": ".", field: value }));
        assert_eq!(row["code"], "INVALID_QUERY", "{row:#}");
        assert!(row["error"].as_str().unwrap().contains(value), "{row:#}");
    }
}
