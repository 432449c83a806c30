//! Is what is too large told with something smaller, and does that work?

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::stub::Stub;
use super::support::{Asking, goals, hints, host, proposed, there, with};

#[test]
fn a_part_of_a_local_file_that_is_too_large_leads_to_pages_of_the_file() {
    let mut asking = Asking::over("//- /a.txt\nx\n");
    // Of one line 64 MiB are searched, of lines together 8 million characters are cut into pages.
    asking.tree.write("wide.txt", format!("first\n{} needle\nlast\n", "x".repeat(64 << 20)));
    for (more, told) in [
        (json!({ "matchString": "needle" }), "line 2 is longer than"),
        (
            json!({ "matchString": "need.e", "matchStringIsRegex": true, "matchStringContextLines": 50 }),
            "line 2 is longer than",
        ),
        (json!({ "startLine": 1, "endLine": 3 }), "ask for fewer lines"),
        (json!({ "startLine": 2, "endLine": 2, "charOffset": 9, "charLength": 100 }), "ask for fewer lines"),
    ] {
        // Every hint is followed: none of them may run into the same wall.
        let row = asking.refused("localGetFileContent", with(json!({ "path": "wide.txt" }), more));
        assert_eq!(row["code"], "FILE_TOO_LARGE", "{row:#}");
        assert!(row["error"].as_str().unwrap().contains(told), "{row:#}");
        let (_, pages) = proposed(row["hints"][0].as_str().unwrap()).unwrap();
        assert_eq!(
            pages["queries"],
            json!([{ "path": "wide.txt", "charOffset": 0, "charLength": 10_000 }]),
            "{row:#}"
        );
    }
}

#[test]
fn a_remote_file_that_nobody_gives_leads_to_a_clone() {
    let stub = Stub::start(|target| {
        let headers = vec![("Content-Type", "application/json".to_owned())];
        if target.contains("/commits/") {
            return (200, Vec::new(), "825ac3773694e0cd23ee74895fd5aeb535b27da4".to_owned());
        }
        let entry =
            json!({ "type": "file", "size": 150 << 20, "sha": "s", "content": "", "encoding": "none" });
        (200, headers, entry.to_string())
    });
    let settings = host(&stub.name, "github", Some(&stub.api()));
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[("MINE", "t")]);
    let query = there(&stub.name, json!({ "owner": "o", "repo": "r", "path": "huge.bin" }));
    for more in [json!({}), json!({ "charOffset": 0, "charLength": 50_000 })] {
        let row = asking.refused("githubGetFileContent", with(query.clone(), more));
        assert_eq!(row["code"], "FILE_TOO_LARGE", "{row:#}");
        assert!(row["error"].as_str().unwrap().contains("not in parts either"), "{row:#}");
        assert!(hints(&row).contains("Clone the repository"), "{row:#}");
        assert!(!hints(&row).contains("charOffset"), "pages of it are not given either: {row:#}");
    }
}

#[test]
fn a_search_whose_answer_is_not_read_leads_to_fewer_results() {
    let stub = Stub::start(|target| {
        let text = if target.contains("per_page=10") { "x".repeat(9 << 20) } else { String::new() };
        let body = json!({ "total_count": 0, "incomplete_results": false, "items": [], "more": text });
        (200, vec![("Content-Type", "application/json".into())], body.to_string())
    });
    let settings = host(&stub.name, "github", Some(&stub.api()));
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[("MINE", "t")]);
    for tool in ["githubSearchCode", "githubSearchRepositories"] {
        let row = asking.refused(tool, there(&stub.name, json!({ "keywordsToSearch": ["x"] })));
        assert_eq!(row["code"], "RESPONSE_TOO_LARGE", "{row:#}");
        assert!(hints(&row).contains("Ask for less at a time"), "{row:#}");
        assert!(hints(&row).contains("\"limit\":2") && !hints(&row).contains("charOffset"), "{row:#}");
    }
    let ten = there(&stub.name, json!({ "query": "x", "limit": 10, "type": "fullContent" }));
    let row = asking.refused("githubSearchPullRequests", ten);
    assert_eq!(row["code"], "RESPONSE_TOO_LARGE", "{row:#}");
    assert!(hints(&row).contains("\"limit\":1}") && !hints(&row).contains("\"type\""), "{row:#}");
}

#[test]
fn a_package_whose_description_is_not_read_leads_to_its_manager() {
    let stub = Stub::start(|_| {
        let body = format!("{{\"name\":\"greeting\",\"readme\":\"{}\"}}", "x".repeat(49 << 20));
        (200, vec![("Content-Type", "application/json".into())], body)
    });
    let settings =
        format!("[remote]\nask_programs = false\n[packages]\nnpm_registry = 'http://{}/'\n", stub.name);
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[]);
    let query = with(Value::Object(goals()), json!({ "name": "greeting", "ecosystem": "npm" }));
    let row = asking.refused("packageSearch", query);
    assert_eq!(row["code"], "RESPONSE_TOO_LARGE", "{row:#}");
    assert_eq!(hints(&row), "Ask the package manager itself: `npm view greeting`");
}

#[test]
fn an_answer_that_no_client_takes_leads_to_a_smaller_one() {
    let line = format!("needle {}\n", "x".repeat(290));
    let mut asking = Asking::with(tree(&format!("//- /a.txt\n{}", line.repeat(120))), "", &[]);
    let query = json!({ "pattern": "needle", "path": ".", "contextLines": 50, "matchesPerPage": 100 });
    let row = asking.refused("localSearchCode", query);
    assert_eq!(row["code"], "RESPONSE_TOO_LARGE", "{row:#}");
    assert!(hints(&row).contains("Ask for less at a time: localSearchCode"), "{row:#}");
    // Five share the room that one alone may fill.
    let query = json!({ "pattern": "needle", "path": ".", "contextLines": 10, "matchesPerPage": 100 });
    let rows = asking.rows("localSearchCode", json!(vec![query; 5]));
    for row in rows {
        assert_eq!(row["code"], "RESPONSE_TOO_LARGE", "{row:#}");
        assert!(hints(&row).contains("Ask it alone: then its answer fits: localSearchCode"), "{row:#}");
    }
}

#[test]
fn what_a_mode_presets_is_made_smaller_too() {
    let mut asking = Asking::over("//- /a.txt\nx\n");
    let line = |word: &str| format!("{word} {}\n", "x".repeat(1_980));
    let block = [line("needle"), line("a"), line("b"), line("c"), line("d"), line("e"), line("f")].concat();
    for at in 0..10 {
        asking.tree.write(&format!("d/f{at}.txt"), block.repeat(20));
    }
    let row =
        asking.refused("localSearchCode", json!({ "pattern": "needle", "path": "d", "mode": "detailed" }));
    assert_eq!(row["code"], "RESPONSE_TOO_LARGE", "{row:#}");
    let (_, smaller) = proposed(row["hints"][0].as_str().unwrap()).unwrap();
    let (query, mode) = (&smaller["queries"][0], json!("detailed"));
    assert_eq!((&query["mode"], &query["matchesPerPage"]), (&mode, &json!(5)), "{row:#}");
    assert_eq!((&query["filesPerPage"], &query["contextLines"]), (&json!(2), &json!(0)), "{row:#}");
}
