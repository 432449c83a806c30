//! Do searches for code and repositories answer as documented, asked of an emulator of GitHub that we did not write?

use orienteer_testkit::emulator::Emulator;
use orienteer_testkit::tree;
use serde_json::json;

use super::emulated::{REACT, here, put};
use super::stub::Stub;
use super::support::{Asking, all_pages, hints, host, keys, there, with};

#[test]
fn the_example_of_a_code_search_runs() {
    let emulator = Emulator::start();
    put(&emulator, "packages/react/src/React.js", REACT);
    let mut asking = Asking::of(&emulator);
    let query = json!({
        "mainResearchGoal": "Find React hooks implementation",
        "researchGoal": "Locate useState source code",
        "reasoning": "Need to understand state management internals",
        "keywordsToSearch": ["useState"],
        "match": "file",
        "extension": "js",
        "limit": 10
    });
    let data = asking.get("githubSearchCode", here(&emulator, query));
    assert_eq!(keys(&data), ["pagination", "results", "totalCount"]);
    assert_eq!((&data["totalCount"], data["results"].as_array().unwrap().len()), (&json!(1), 1));
    let hit = &data["results"][0];
    assert_eq!(hit["file"], "packages/react/src/React.js");
    assert_eq!((&hit["repository"], &hit["matches"]), (&json!("octocat/hello-world"), &json!(1)));
    assert!(hit["url"].as_str().unwrap().contains("packages/react/src/React.js"), "{hit}");
    assert_eq!(data["pagination"], json!({ "currentPage": 1, "hasMore": false }));
}

#[test]
fn matches_in_code_are_highlighted() {
    // The emulator highlights nothing, so this answer is written as GitHub's own documentation has it.
    let stub = Stub::start(|_| {
        let item = json!({
            "path": "src/React.js", "html_url": "https://github.com/a/b/blob/main/src/React.js",
            "repository": { "full_name": "a/b" },
            "text_matches": [{ "fragment": "größe useState()", "matches": [{ "text": "useState", "indices": [6, 14] }] }]
        });
        let body = json!({ "total_count": 1, "incomplete_results": true, "items": [item] });
        (200, vec![("Content-Type", "application/json".into())], body.to_string())
    });
    let mut asking =
        Asking::with(tree("//- /a\n"), &host(&stub.name, "github", Some(&stub.api())), &[("MINE", "t")]);
    let query = there(&stub.name, json!({ "keywordsToSearch": ["useState"] }));
    // This forge searches, and knows nothing else.
    let row = asking.once("githubSearchCode", query.clone());
    let hit = &row["data"]["results"][0];
    assert_eq!(
        hit["text_matches"],
        json!([{ "fragment": "größe useState()", "matches": [{ "text": "useState", "indices": [6, 14] }] }])
    );
    assert_eq!(hit["matches"], 1);
    assert!(hints(&row).contains("Not everything was looked at"), "{row:#}");
    // The same query again is answered from the cache.
    let before = stub.asked().len();
    assert_eq!(asking.once("githubSearchCode", query)["data"], row["data"]);
    assert_eq!(stub.asked().len(), before, "{:?}", stub.asked());
}

#[test]
fn the_example_of_two_queries_runs_and_they_stay_apart() {
    let emulator = Emulator::start();
    // The emulator takes several words for one phrase.
    put(&emulator, "src/auth.ts", "// AuthService authenticate\n");
    put(&emulator, "__tests__/auth.ts", "new AuthService()\n");
    let mut asking = Asking::of(&emulator);
    let rows = asking.rows(
        "githubSearchCode",
        json!([
            here(
                &emulator,
                json!({ "keywordsToSearch": ["AuthService", "authenticate"], "extension": "ts" })
            ),
            here(&emulator, json!({ "keywordsToSearch": ["AuthService"], "path": "__tests__" })),
            here(&emulator, json!({ "keywordsToSearch": [] })),
        ]),
    );
    assert_eq!(rows[0]["data"]["results"][0]["file"], "src/auth.ts", "{:#}", rows[0]);
    assert_eq!(rows[1]["data"]["results"][0]["file"], "__tests__/auth.ts", "{:#}", rows[1]);
    assert_eq!(rows[2]["code"], "VALIDATION_ERROR");
}

#[test]
fn code_search_takes_at_most_two_filters() {
    let emulator = Emulator::start();
    put(&emulator, "src/hook.js", "useState\n");
    let mut asking = Asking::of(&emulator);
    let three =
        json!({ "keywordsToSearch": ["useState"], "extension": "js", "filename": "hook.js", "path": "src" });
    let row = asking.refused("githubSearchCode", here(&emulator, three));
    assert_eq!(row["code"], "VALIDATION_ERROR");
    assert!(row["error"].as_str().unwrap().contains("at most 2"), "{row:#}");
    assert_eq!(row["hints"].as_array().unwrap().len(), 3, "one for each filter that can go: {row:#}");
    let two = json!({ "keywordsToSearch": ["useState"], "extension": "js", "path": "src" });
    assert_eq!(asking.get("githubSearchCode", here(&emulator, two))["totalCount"], 1);
    let alone = there(&emulator.name(), json!({ "keywordsToSearch": ["x"], "repo": "hello-world" }));
    assert!(
        asking.refused("githubSearchCode", alone)["error"].as_str().unwrap().contains("`repo` needs `owner`")
    );
    for (field, value) in [
        ("limit", json!(101)),
        ("page", json!(11)),
        ("keywordsToSearch", json!(vec!["a"; 6])),
        ("match", json!("x")),
    ] {
        let query = with(here(&emulator, json!({ "keywordsToSearch": ["x"] })), json!({ field: value }));
        assert_eq!(asking.refused("githubSearchCode", query)["code"], "VALIDATION_ERROR", "{field}");
    }
}

#[test]
fn pages_of_a_search_put_together_are_the_whole() {
    let emulator = Emulator::start();
    for at in 0..7 {
        put(&emulator, &format!("src/f{at}.js"), "needle\n");
    }
    let mut asking = Asking::of(&emulator);
    let query = here(&emulator, json!({ "keywordsToSearch": ["needle"] }));
    let whole = asking.get("githubSearchCode", query.clone());
    assert_eq!(whole["totalCount"], 7);
    let (rows, _) =
        all_pages(&mut asking, "githubSearchCode", with(query.clone(), json!({ "limit": 3 })), "results");
    assert_eq!(json!(rows), whole["results"]);
    let behind = asking.row("githubSearchCode", with(query, json!({ "page": 5 })));
    assert_eq!(behind["data"]["results"], json!([]));
    assert!(hints(&behind).contains("Nothing on this page"), "{behind:#}");
    let repositories = there(&emulator.name(), json!({ "keywordsToSearch": ["world"] }));
    let whole = asking.get("githubSearchRepositories", repositories.clone());
    let (rows, _) = all_pages(
        &mut asking,
        "githubSearchRepositories",
        with(repositories, json!({ "limit": 1 })),
        "repositories",
    );
    assert_eq!((json!(rows), &whole["totalCount"]), (whole["repositories"].clone(), &json!(2)));
}

#[test]
fn the_example_of_a_repository_search_runs() {
    let emulator = Emulator::start();
    let mut asking = Asking::of(&emulator);
    let query = json!({
        "mainResearchGoal": "Find popular TypeScript CLI frameworks",
        "researchGoal": "Search for CLI tools",
        "reasoning": "Topics provide better filtering than keywords",
        "topicsToSearch": ["greeting"],
        "stars": ">=0",
        "sort": "stars",
        "limit": 10
    });
    let data = asking.get("githubSearchRepositories", there(&emulator.name(), query));
    assert_eq!(keys(&data), ["pagination", "repositories", "totalCount"]);
    let names = [
        "description",
        "forks",
        "full_name",
        "html_url",
        "language",
        "name",
        "stars",
        "topics",
        "updated_at",
    ];
    let hit = &data["repositories"][0];
    assert_eq!(keys(hit), names);
    assert_eq!((&hit["name"], &hit["full_name"]), (&json!("hello-world"), &json!("octocat/hello-world")));
    assert_eq!((&hit["language"], &hit["topics"]), (&json!("JavaScript"), &json!(["greeting"])));
    assert_eq!((&hit["stars"], &hit["forks"]), (&json!(0), &json!(0)));
    assert_eq!(hit["description"], "My first repository");
    assert!(hit["html_url"].as_str().unwrap().contains("octocat/hello-world"));
    let nothing =
        asking.refused("githubSearchRepositories", there(&emulator.name(), json!({ "owner": "octocat" })));
    assert_eq!(nothing["code"], "VALIDATION_ERROR");
    assert!(
        nothing["error"]
            .as_str()
            .unwrap()
            .contains("at least one of `keywordsToSearch` and `topicsToSearch`")
    );
    let range = there(&emulator.name(), json!({ "keywordsToSearch": ["x"], "stars": "many" }));
    assert_eq!(asking.refused("githubSearchRepositories", range)["code"], "INVALID_QUERY");
}

#[test]
fn every_filter_of_a_search_reaches_the_forge() {
    let stub = Stub::start(|_| {
        let body = json!({ "total_count": 0, "incomplete_results": false, "items": [] });
        (200, vec![("Content-Type", "application/json".into())], body.to_string())
    });
    let settings = host(&stub.name, "github", Some(&stub.api()));
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[("MINE", "t")]);
    let mut asked = |tool: &str, more| {
        let row = asking.once(tool, there(&stub.name, more));
        assert_eq!(row["status"], "success", "{row:#}");
        let (path, parameters) = stub.last();
        let parameters: Vec<String> =
            parameters.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        (path, parameters)
    };
    let code = json!({
        "keywordsToSearch": ["useState", "two words"], "owner": "o", "repo": "r", "extension": "ts", "path": "src",
        "match": "path", "limit": 7, "page": 2
    });
    let (path, parameters) = asked("githubSearchCode", code);
    assert_eq!(path, "/search/code");
    let q = "q=useState \"two words\" repo:o/r extension:ts path:src in:path";
    assert_eq!(parameters, [q, "per_page=7", "page=2"]);
    let named = json!({ "keywordsToSearch": ["x"], "owner": "o", "filename": "a.ts", "match": "file" });
    let (_, parameters) = asked("githubSearchCode", named);
    assert_eq!(parameters, ["q=x user:o filename:a.ts in:file", "per_page=10", "page=1"], "and the defaults");
    let repositories = json!({
        "keywordsToSearch": ["cli"], "topicsToSearch": ["a", "b"], "owner": "o", "stars": ">1000", "size": "<500",
        "created": ">2024-01-01", "updated": "2024-01-01..2024-12-31", "match": ["name", "description", "readme"],
        "sort": "forks", "limit": 3, "page": 4
    });
    let (path, parameters) = asked("githubSearchRepositories", repositories);
    assert_eq!(path, "/search/repositories");
    let q = "q=cli topic:a topic:b user:o stars:>1000 size:<500 created:>2024-01-01 pushed:2024-01-01..2024-12-31 \
             in:name,description,readme";
    assert_eq!(parameters[0], q);
    for one in ["sort=forks", "per_page=3", "page=4"] {
        assert!(parameters.iter().any(|parameter| parameter == one), "{one}: {parameters:?}");
    }
    for (sort, told) in
        [("stars", Some("sort=stars")), ("updated", Some("sort=updated")), ("best-match", None)]
    {
        let (_, parameters) =
            asked("githubSearchRepositories", json!({ "keywordsToSearch": [sort], "sort": sort }));
        let found = parameters.iter().find(|parameter| parameter.starts_with("sort="));
        assert_eq!(found.map(String::as_str), told);
    }
}
