//! Does `localSearchCode` answer as documented?

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::support::{AUTH, Asking, all_pages, hints, keys, with};

fn paths(data: &Value) -> Vec<&str> {
    data["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect()
}

#[test]
fn the_example_of_a_discovery_runs() {
    let mut asking = Asking::over(AUTH);
    let root = asking.tree.root().to_str().unwrap().to_owned();
    let data = asking.get(
        "localSearchCode",
        json!({
            "researchGoal": "Find all TypeScript files with AuthService",
            "reasoning": "Discovery phase: find which files to read",
            "pattern": "AuthService",
            "path": root,
            "mode": "discovery",
            "type": "ts"
        }),
    );
    assert_eq!(keys(&data), ["files", "pagination", "stats"]);
    assert_eq!(paths(&data), ["src/index.test.ts", "src/index.ts", "src/services/AuthService.ts"]);
    let file = &data["files"][1];
    assert_eq!(keys(file), ["matchCount", "modified", "path"], "no matches in a list of files");
    assert_eq!(file["matchCount"], 2);
    assert!(file["modified"].as_str().unwrap().ends_with('Z'), "{file}");
    assert_eq!(keys(&data["stats"]), ["filesSearched", "filesWithMatches", "searchTimeMs", "totalMatches"]);
    assert_eq!(data["stats"]["filesSearched"], 4);
    assert_eq!((&data["stats"]["filesWithMatches"], &data["stats"]["totalMatches"]), (&json!(3), &json!(5)));
    assert_eq!(data["pagination"], json!({ "currentPage": 1, "totalPages": 1, "hasMore": false }));
}

#[test]
fn the_example_of_a_detailed_search_runs() {
    let mut asking = Asking::over(AUTH);
    let root = asking.tree.root().join("src").to_str().unwrap().to_owned();
    let data = asking.get(
        "localSearchCode",
        json!({
            "researchGoal": "Examine AuthService implementations",
            "reasoning": "Read actual code with context",
            "pattern": "class AuthService",
            "path": root,
            "type": "ts",
            "contextLines": 5,
            "matchesPerPage": 10
        }),
    );
    assert_eq!(paths(&data), ["src/services/AuthService.ts"]);
    let file = &data["files"][0];
    assert_eq!(file["pagination"], json!({ "currentPage": 1, "hasMore": false, "matchesOnPage": 1 }));
    let found = &file["matches"][0];
    assert_eq!(keys(found), ["afterContext", "beforeContext", "content", "lineNumber"]);
    assert_eq!((&found["lineNumber"], &found["content"]), (&json!(4), &json!("export class AuthService {")));
    assert_eq!(found["beforeContext"].as_array().unwrap().len(), 3, "the file begins there");
    assert_eq!(found["afterContext"].as_array().unwrap().len(), 5);
}

#[test]
fn modes_preset_what_is_not_written() {
    let many: String = (0..30).map(|line| format!("hit {line}\n")).collect();
    let mut asking = Asking::with(tree(&format!("//- /a.txt\n{many}")), "", &[]);
    let mut ask = |more: Value| {
        let data = asking.get("localSearchCode", with(json!({ "pattern": "hit", "path": "." }), more));
        let file = data["files"][0].clone();
        let matches =
            file["matches"].as_array().map(|list| (list.len(), list.get(5).cloned().unwrap_or_default()));
        (file["matchCount"].as_u64().unwrap(), matches)
    };
    assert_eq!(ask(json!({ "mode": "discovery" })), (30, None));
    let (count, shown) = ask(json!({ "mode": "paginated" }));
    let (shown, sixth) = shown.unwrap();
    assert_eq!((count, shown, sixth.get("beforeContext")), (30, 10, None));
    let (_, shown) = ask(json!({ "mode": "detailed" }));
    let (shown, sixth) = shown.unwrap();
    assert_eq!((shown, sixth["beforeContext"].as_array().unwrap().len()), (20, 3));
    // What is written wins over the mode.
    assert_eq!(ask(json!({ "mode": "discovery", "filesOnly": false })).1.unwrap().0, 10);
    assert_eq!(ask(json!({ "mode": "detailed", "matchesPerPage": 7, "contextLines": 0 })).1.unwrap().0, 7);
}

#[test]
fn the_three_phases_of_the_best_practice_run() {
    let mut asking = Asking::over(AUTH);
    let found =
        asking.get("localSearchCode", json!({ "mode": "discovery", "pattern": "AuthService", "path": "." }));
    assert_eq!(found["stats"]["filesWithMatches"], 3);
    let query = json!({ "path": "src/services/AuthService.ts", "matchString": "class AuthService", "matchStringContextLines": 10 });
    assert_eq!(asking.get("localGetFileContent", query)["matches"][0]["lineNumber"], 4);
    let deep = json!({ "pattern": "class AuthService", "contextLines": 5, "path": "." });
    assert_eq!(asking.get("localSearchCode", deep)["stats"]["totalMatches"], 1);
}

#[test]
fn case_patterns_and_filters_count() {
    let fixture = "//- /a.ts\nFoo.bar(1)\nfoo\n//- /b.py\nfoo\nFOO\n//- /c/d.ts\nfooXbar\n";
    let mut asking = Asking::with(tree(fixture), "", &[]);
    let mut total = |more: Value| {
        let data = asking.get("localSearchCode", with(json!({ "path": "." }), more));
        data["stats"]["totalMatches"].as_u64().unwrap()
    };
    assert_eq!(total(json!({ "pattern": "foo" })), 5, "lower case finds all");
    assert_eq!(total(json!({ "pattern": "Foo" })), 1);
    assert_eq!(total(json!({ "pattern": "foo", "smartCase": false })), 3);
    assert_eq!(total(json!({ "pattern": "foo.bar" })), 2, "a regular expression");
    assert_eq!(total(json!({ "pattern": "foo.bar(", "fixedString": true })), 1);
    assert_eq!(total(json!({ "pattern": "foo", "type": "py" })), 2);
    assert_eq!(total(json!({ "pattern": "foo", "include": ["*.ts"] })), 3);
    assert_eq!(total(json!({ "pattern": "foo", "include": ["*.ts"], "exclude": ["c/**"] })), 2);
    assert_eq!(total(json!({ "pattern": "nowhere", "type": "py" })), 0);
}

#[test]
fn pages_of_files_put_together_are_the_whole() {
    let fixture: String = (0..25).map(|at| format!("//- /f{at:02}.txt\nneedle {at}\n")).collect();
    let mut asking = Asking::with(tree(&fixture), "", &[]);
    for (per_page, mode) in [(1, "discovery"), (4, "paginated"), (7, "detailed"), (20, "discovery")] {
        let query = json!({ "pattern": "needle", "path": ".", "filesPerPage": per_page, "mode": mode });
        let (files, last) = all_pages(&mut asking, "localSearchCode", query, "files");
        let names: Vec<&str> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
        let expected: Vec<String> = (0..25).map(|at| format!("f{at:02}.txt")).collect();
        assert_eq!(names, expected, "{per_page}");
        assert_eq!(last["stats"]["filesWithMatches"], 25);
    }
    let behind =
        asking.row("localSearchCode", json!({ "pattern": "needle", "path": ".", "filePageNumber": 9 }));
    assert_eq!(behind["data"]["files"], json!([]));
    assert_eq!(behind["data"]["pagination"], json!({ "currentPage": 9, "totalPages": 3, "hasMore": false }));
    assert_eq!(behind["data"]["stats"]["totalMatches"], 25, "the totals are those of the search");
    assert!(hints(&behind).contains("There are 3 pages; the last one"), "{behind:#}");
    let one = asking.row(
        "localSearchCode",
        json!({ "pattern": "needle", "path": ".", "filesPerPage": 1, "filePageNumber": 26 }),
    );
    assert_eq!(one["data"]["files"], json!([]), "{one:#}");
}

#[test]
fn matches_of_one_file_put_together_are_the_whole() {
    let many: String =
        (1..=250).map(|line| format!("{}\n", if line % 2 == 0 { "needle" } else { "hay" })).collect();
    let mut asking = Asking::with(tree(&format!("//- /a.txt\n{many}//- /b.txt\nneedle\n")), "", &[]);
    let row =
        asking.row("localSearchCode", json!({ "pattern": "needle", "path": ".", "matchesPerPage": 40 }));
    let file = &row["data"]["files"][0];
    assert_eq!(file["matchCount"], 125);
    assert_eq!(file["pagination"], json!({ "currentPage": 1, "hasMore": true, "matchesOnPage": 40 }));
    assert!(hints(&row).contains("All 125 matches of one file"), "{row:#}");
    let mut lines = Vec::new();
    for page in 1..=4 {
        let query =
            json!({ "pattern": "needle", "path": "a.txt", "matchesPerPage": 40, "filePageNumber": page });
        let data = asking.get("localSearchCode", query);
        assert_eq!(data["pagination"], json!({ "currentPage": page, "totalPages": 4, "hasMore": page < 4 }));
        let file = &data["files"][0];
        assert_eq!(file["pagination"]["hasMore"], json!(page < 4), "{file}");
        lines.extend(
            file["matches"].as_array().unwrap().iter().map(|found| found["lineNumber"].as_u64().unwrap()),
        );
    }
    assert_eq!(lines, (1..=125).map(|at| at * 2).collect::<Vec<u64>>());
}
