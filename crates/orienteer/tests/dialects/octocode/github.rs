//! Do the five forge tools answer as documented, asked of an emulator of GitHub that we did not write?

use base64::Engine as _;
use orienteer_testkit::emulator::Emulator;
use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::stub::Stub;
use super::support::{Asking, all_pages, hints, host, keys, there, with};

const REACT: &str =
    "export function useState(initial) {\n  return [initial];\n}\n\nexport function useEffect() {}\n";

fn put_in(emulator: &Emulator, repo: &str, path: &str, text: &str) {
    let content = base64::engine::general_purpose::STANDARD.encode(text);
    let body = json!({ "message": format!("add {path}"), "content": content, "branch": "main" });
    emulator.send("PUT", &format!("/repos/octocat/{repo}/contents/{path}"), &body);
}

fn put(emulator: &Emulator, path: &str, text: &str) {
    put_in(emulator, "hello-world", path, text);
}

/// A query about the repository of the emulator.
fn here(emulator: &Emulator, more: Value) -> Value {
    with(there(&emulator.name(), json!({ "owner": "octocat", "repo": "hello-world" })), more)
}

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
    let row = asking.row("githubSearchCode", query.clone());
    let hit = &row["data"]["results"][0];
    assert_eq!(
        hit["text_matches"],
        json!([{ "fragment": "größe useState()", "matches": [{ "text": "useState", "indices": [6, 14] }] }])
    );
    assert_eq!(hit["matches"], 1);
    assert!(hints(&row).contains("Not everything was looked at"), "{row:#}");
    // The same query again is answered from the cache.
    let before = stub.asked().len();
    assert_eq!(asking.row("githubSearchCode", query)["data"], row["data"]);
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
    rows.iter().for_each(|row| asking.follow(row));
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
    asking.follow(&behind);
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
fn the_example_of_a_line_range_of_a_remote_file_runs() {
    let emulator = Emulator::start();
    let text: String = (1..=120).map(|line| format!("line {line}\n")).collect();
    put(&emulator, "src/services/AuthService.ts", &text);
    let mut asking = Asking::of(&emulator);
    let query = json!({
        "mainResearchGoal": "Review authentication logic",
        "researchGoal": "Read auth service implementation",
        "reasoning": "Lines 50-100 contain the core logic",
        "path": "src/services/AuthService.ts",
        "branch": "main",
        "startLine": 50,
        "endLine": 100
    });
    let data = asking.get("githubGetFileContent", here(&emulator, query));
    assert_eq!(keys(&data), ["content", "encoding", "sha", "size"]);
    assert_eq!(data["content"], (50..=100).map(|line| format!("line {line}\n")).collect::<String>());
    assert_eq!((&data["encoding"], &data["size"]), (&json!("utf-8"), &json!(text.len())));
    assert_eq!(data["sha"].as_str().unwrap().len(), 40);
}

#[test]
fn the_example_of_a_pattern_in_a_remote_file_runs() {
    let emulator = Emulator::start();
    put(&emulator, "packages/react/src/React.js", REACT);
    let mut asking = Asking::of(&emulator);
    let query = json!({
        "mainResearchGoal": "Find export functions",
        "researchGoal": "Extract all exported functions",
        "reasoning": "matchString is token-efficient for targeted extraction",
        "path": "packages/react/src/React.js",
        "matchString": "export function",
        "matchStringContextLines": 10
    });
    let data = asking.get("githubGetFileContent", here(&emulator, query));
    assert_eq!(data["content"], REACT, "with ten lines around it is everything");
    let one = json!({ "path": "packages/react/src/React.js", "matchString": "useEffect", "matchStringContextLines": 1 });
    let data = asking.get("githubGetFileContent", here(&emulator, one));
    assert_eq!(data["content"], "\nexport function useEffect() {}\n");
    let none = json!({ "path": "packages/react/src/React.js", "matchString": "nowhere" });
    let row = asking.row("githubGetFileContent", here(&emulator, none));
    assert!(hints(&row).contains("No line of 5 matches"), "{row:#}");
    asking.follow(&row);
}

#[test]
fn pages_of_a_remote_file_put_together_are_the_whole() {
    let emulator = Emulator::start();
    let text: String = (1..=200).map(|line| format!("{line} größe 🎉\n")).collect();
    put(&emulator, "long.txt", &text);
    let mut asking = Asking::of(&emulator);
    for (part, expected) in [
        (json!({}), text.clone()),
        (json!({ "startLine": 3, "endLine": 150 }), text.split_inclusive('\n').skip(2).take(148).collect()),
    ] {
        let (mut whole, mut offset) = (String::new(), json!(0));
        loop {
            let page = json!({ "path": "long.txt", "charOffset": offset, "charLength": 500 });
            let data = asking.get("githubGetFileContent", with(here(&emulator, page), part.clone()));
            whole.push_str(data["content"].as_str().unwrap());
            let pagination = &data["pagination"];
            assert_eq!(pagination["totalChars"], expected.chars().count());
            if pagination["hasMore"] == json!(false) {
                break;
            }
            offset = pagination["nextCharOffset"].clone();
        }
        assert_eq!(whole, expected);
    }
    let full = asking
        .get("githubGetFileContent", here(&emulator, json!({ "path": "long.txt", "fullContent": true })));
    assert!(full["content"] == json!(text) && full.get("pagination").is_none());
}

#[test]
fn the_rules_between_parameters_of_a_remote_file_count() {
    let emulator = Emulator::start();
    put(&emulator, "a.txt", "a\n");
    let mut asking = Asking::of(&emulator);
    for (more, told) in [
        (json!({ "fullContent": true, "matchString": "x" }), "exclude each other"),
        (json!({ "fullContent": true, "startLine": 1, "endLine": 2 }), "exclude each other"),
        (json!({ "startLine": 1 }), "`startLine` needs `endLine`"),
        (json!({ "startLine": 2, "endLine": 1 }), "is behind"),
        (json!({ "charLength": 49 }), "from 50 to 50000"),
        (json!({ "charLength": 50_001 }), "from 50 to 50000"),
        (json!({ "owner": "" }), "at least 1"),
        (json!({ "owner": "x".repeat(201) }), "at most 200"),
        (json!({ "repo": "x".repeat(151) }), "at most 150"),
        (json!({ "branch": "x".repeat(256) }), "at most 255"),
        (json!({ "provider": "bitbucket" }), "github, gitlab, forgejo"),
        (json!({ "pth": "x" }), "did you mean `path`"),
    ] {
        let row =
            asking.refused("githubGetFileContent", with(here(&emulator, json!({ "path": "a.txt" })), more));
        assert_eq!(row["code"], "VALIDATION_ERROR", "{row:#}");
        assert!(row["error"].as_str().unwrap().contains(told), "{row:#}");
    }
    for field in ["mainResearchGoal", "researchGoal", "reasoning", "path"] {
        let query = with(here(&emulator, json!({ "path": "a.txt" })), json!({ field: null }));
        let row = asking.refused("githubGetFileContent", query);
        assert!(row["error"].as_str().unwrap().contains(&format!("`{field}` is required")), "{row:#}");
    }
}

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

/// A pull request with a comment; gives its number.
fn pull_request(emulator: &Emulator) -> Value {
    put(emulator, "base.txt", "1\n");
    let main = emulator.send("GET", "/repos/octocat/hello-world/git/ref/heads/main", &Value::Null);
    let branch = json!({ "ref": "refs/heads/topic", "sha": main["object"]["sha"] });
    emulator.send("POST", "/repos/octocat/hello-world/git/refs", &branch);
    let content = base64::engine::general_purpose::STANDARD.encode("new\n");
    let body = json!({ "message": "add authentication", "content": content, "branch": "topic" });
    emulator.send("PUT", "/repos/octocat/hello-world/contents/new.txt", &body);
    let pull =
        json!({ "title": "Refactor authentication", "head": "topic", "base": "main", "body": "Please." });
    let made = emulator.send("POST", "/repos/octocat/hello-world/pulls", &pull);
    let comment = json!({ "body": "Looks good." });
    emulator.send(
        "POST",
        &format!("/repos/octocat/hello-world/issues/{}/comments", made["number"]),
        &comment,
    );
    made["number"].clone()
}

#[test]
fn the_example_of_a_pull_request_by_number_runs() {
    let emulator = Emulator::start();
    let number = pull_request(&emulator);
    let mut asking = Asking::of(&emulator);
    let query = json!({
        "mainResearchGoal": "Understand authentication refactor",
        "researchGoal": "Review the request",
        "reasoning": "Found PR reference in code comments",
        "prNumber": number,
        "type": "metadata",
        "withComments": true,
        "withCommits": true,
        "state": "closed"
    });
    let data = asking.get("githubSearchPullRequests", here(&emulator, query));
    assert_eq!(keys(&data), ["pullRequests", "totalCount"]);
    assert_eq!(data["totalCount"], 1, "the number counts, not the filter");
    let pull = &data["pullRequests"][0];
    let names = [
        "author",
        "comments",
        "commits",
        "created_at",
        "html_url",
        "merged",
        "number",
        "state",
        "title",
        "updated_at",
    ];
    assert_eq!(keys(pull), names);
    assert_eq!((&pull["number"], &pull["title"]), (&number, &json!("Refactor authentication")));
    assert_eq!(
        (&pull["state"], &pull["merged"], &pull["author"]),
        (&json!("open"), &json!(false), &json!("octocat"))
    );
    let comment = &pull["comments"][0];
    assert_eq!(keys(comment), ["author", "body", "created_at"]);
    assert_eq!(comment["body"], "Looks good.");
    let commit = pull["commits"].as_array().unwrap().last().unwrap();
    assert_eq!(keys(commit), ["author", "message", "sha"]);
    assert_eq!(commit["message"], "add authentication");
    let alone = there(&emulator.name(), json!({ "prNumber": 1 }));
    assert!(
        asking.refused("githubSearchPullRequests", alone)["error"]
            .as_str()
            .unwrap()
            .contains("needs `owner` and `repo`")
    );
}

#[test]
fn the_example_of_merged_pull_requests_runs() {
    let emulator = Emulator::start();
    let number = pull_request(&emulator);
    let mut asking = Asking::of(&emulator);
    let query = json!({
        "mainResearchGoal": "Find authentication changes",
        "researchGoal": "Search merged PRs about auth",
        "reasoning": "Historical context for current implementation",
        "query": "authentication",
        "state": "closed",
        "merged": true,
        "created": ">2024-01-01",
        "limit": 5
    });
    let none = asking.row("githubSearchPullRequests", here(&emulator, query.clone()));
    assert_eq!(none["data"]["pullRequests"], json!([]), "it is open");
    assert!(hints(&none).contains("the filters leave none"), "{none:#}");
    asking.follow(&none);
    emulator.send("PUT", &format!("/repos/octocat/hello-world/pulls/{number}/merge"), &json!({}));
    // Answers are kept for half an hour; another client has not heard the first one.
    let mut other = Asking::of(&emulator);
    let data = other.get("githubSearchPullRequests", here(&emulator, query));
    let pull = &data["pullRequests"][0];
    assert_eq!(
        (&pull["number"], &pull["state"], &pull["merged"]),
        (&number, &json!("closed"), &json!(true)),
        "{data:#}"
    );
    for (more, told) in [
        (json!({ "type": "partialContent" }), "needs `partialContentMetadata`"),
        (json!({ "partialContentMetadata": [{ "file": "a" }] }), "goes with type `partialContent` only"),
        (json!({ "label": 5 }), "`label` must be a string, or a list"),
        (json!({ "limit": 11 }), "from 1 to 10"),
        (json!({ "state": "merged" }), "open, closed"),
    ] {
        let row = asking.refused("githubSearchPullRequests", here(&emulator, more));
        assert_eq!(row["code"], "VALIDATION_ERROR", "{row:#}");
        assert!(row["error"].as_str().unwrap().contains(told), "{row:#}");
    }
}

#[test]
fn what_a_stranger_wrote_is_shown_as_it_is() {
    let emulator = Emulator::start();
    put(&emulator, "odd.txt", "a\u{202e}b\u{200b}c\n");
    let mut asking = Asking::of(&emulator);
    let data = asking.get("githubGetFileContent", here(&emulator, json!({ "path": "odd.txt" })));
    assert_eq!(data["content"], "a\\u{202e}b\\u{200b}c\n");
}

#[test]
fn gitlab_is_asked_when_only_its_credentials_are_known() {
    let stub = Stub::start(|_| (401, Vec::new(), json!({ "message": "no" }).to_string()));
    let variables = [("GITLAB_TOKEN", "x"), ("GITLAB_HOST", stub.name.as_str())];
    let mut asking = Asking::with(tree("//- /a\n"), "[remote]\nask_programs = false\n", &variables);
    let goals = Value::Object(super::support::goals());
    let query = with(goals, json!({ "owner": "o", "repo": "r", "path": "p" }));
    let row = asking.row("githubGetFileContent", query.clone());
    assert_eq!(row["code"], "AUTHENTICATION_ERROR", "{row:#}");
    assert!(stub.asked()[0].starts_with("/api/v4/projects/o%2Fr"), "{:?}", stub.asked());
    let before = stub.asked().len();
    asking.row("githubGetFileContent", with(query, json!({ "host": stub.name, "provider": "forgejo" })));
    assert!(
        stub.asked()[before].starts_with("/api/v1/repos/o/r"),
        "a query may say otherwise: {:?}",
        stub.asked()
    );
}
