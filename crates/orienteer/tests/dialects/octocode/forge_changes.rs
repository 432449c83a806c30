//! Are pull requests found and told as documented?

use base64::Engine as _;
use orienteer_testkit::emulator::Emulator;
use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::emulated::{here, put};
use super::stub::Stub;
use super::support::{Asking, all_pages, hints, host, keys, there, with};

/// A pull request of a branch with one new file; gives its number.
fn proposed(emulator: &Emulator, branch: &str, title: &str) -> Value {
    let main = emulator.send("GET", "/repos/octocat/hello-world/git/ref/heads/main", &Value::Null);
    let made = json!({ "ref": format!("refs/heads/{branch}"), "sha": main["object"]["sha"] });
    emulator.send("POST", "/repos/octocat/hello-world/git/refs", &made);
    let content = base64::engine::general_purpose::STANDARD.encode("new\n");
    let body = json!({ "message": "add authentication", "content": content, "branch": branch });
    emulator.send("PUT", &format!("/repos/octocat/hello-world/contents/{branch}.txt"), &body);
    let pull = json!({ "title": title, "head": branch, "base": "main", "body": "Please." });
    emulator.send("POST", "/repos/octocat/hello-world/pulls", &pull)["number"].clone()
}

/// A pull request with a comment; gives its number.
fn pull_request(emulator: &Emulator) -> Value {
    put(emulator, "base.txt", "1\n");
    let number = proposed(emulator, "topic", "Refactor authentication");
    let comment = json!({ "body": "Looks good." });
    emulator.send("POST", &format!("/repos/octocat/hello-world/issues/{number}/comments"), &comment);
    number
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
    assert_eq!(keys(&data), ["pagination", "pullRequests", "totalCount"]);
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

fn numbers(pulls: &Value) -> Vec<u64> {
    pulls.as_array().unwrap().iter().map(|pull| pull["number"].as_u64().unwrap()).collect()
}

#[test]
fn pages_of_pull_requests_put_together_are_the_whole() {
    const TOOL: &str = "githubSearchPullRequests";
    let emulator = Emulator::start();
    let mut made: Vec<u64> = (0..7)
        .map(|at| proposed(&emulator, &format!("topic{at}"), &format!("Change {at}")).as_u64().unwrap())
        .collect();
    let mut asking = Asking::of(&emulator);
    let whole = asking.get(TOOL, here(&emulator, json!({ "limit": 10 })));
    assert_eq!(whole["totalCount"], 7);
    assert_eq!(whole["pagination"], json!({ "currentPage": 1, "hasMore": false }));
    let query = here(&emulator, json!({ "limit": 3 }));
    // Each page but the last leads to the next by its hint.
    let (rows, last) = all_pages(&mut asking, TOOL, query.clone(), "pullRequests");
    assert_eq!(json!(rows), whole["pullRequests"], "the same, in the same order");
    let mut found = numbers(&json!(rows));
    found.sort_unstable();
    made.sort_unstable();
    assert_eq!(found, made, "every one, and none of them twice");
    assert_eq!(last["pagination"], json!({ "currentPage": 3, "hasMore": false }));
    assert_eq!((numbers(&last["pullRequests"]).len(), &last["totalCount"]), (1, &json!(7)));
    let row = asking.row(TOOL, with(query.clone(), json!({ "page": 3 })));
    assert!(!hints(&row).contains("Page "), "nothing leads on from the last: {row:#}");
    let behind = asking.row(TOOL, with(query.clone(), json!({ "page": 5 })));
    assert_eq!((&behind["data"]["pullRequests"], &behind["data"]["totalCount"]), (&json!([]), &json!(7)));
    assert_eq!(behind["data"]["pagination"], json!({ "currentPage": 5, "hasMore": false }));
    assert!(hints(&behind).contains("Nothing on this page; the first one"), "{behind:#}");
    // One that is asked for by its number is on one page, whatever else is written.
    let one = asking.get(TOOL, with(query, json!({ "prNumber": made[0], "page": 4 })));
    assert_eq!((numbers(&one["pullRequests"]), &one["totalCount"]), (vec![made[0]], &json!(1)));
    assert_eq!(one["pagination"], json!({ "currentPage": 1, "hasMore": false }));
}

#[test]
fn what_a_forge_does_not_count_is_counted_on_a_page_behind_the_end_too() {
    // A GitLab of many rows leaves out how many there are; this one has twelve.
    let stub = Stub::start(|target| {
        let number = |name: &str| {
            let text = target.split(['?', '&']).find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
            text.and_then(|text| text.parse::<usize>().ok()).unwrap_or(1)
        };
        let (page, size) = (number("page"), number("per_page"));
        let rows: Vec<Value> = (1..=12_usize)
            .skip((page - 1) * size)
            .take(size)
            .map(|at| {
                json!({ "iid": at, "project_id": 1, "title": "t", "state": "opened", "web_url": format!("https://x/{at}"),
                    "references": { "full": format!("o/r!{at}") } })
            })
            .collect();
        let next = if page * size < 12 { (page + 1).to_string() } else { String::new() };
        let headers = vec![("Content-Type", "application/json".to_owned()), ("X-Next-Page", next)];
        (200, headers, json!(rows).to_string())
    });
    let settings = host(&stub.name, "gitlab", None);
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[("MINE", "t")]);
    let query = there(&stub.name, json!({ "owner": "o", "repo": "r" }));
    let (rows, last) = all_pages(&mut asking, "githubSearchPullRequests", query.clone(), "pullRequests");
    assert_eq!(numbers(&json!(rows)), (1..=12).collect::<Vec<u64>>());
    assert_eq!(last["totalCount"], 12);
    for page in [4, 6, 10] {
        // It knows of none by its number, which is what a hint would ask for.
        let row = asking.once("githubSearchPullRequests", with(query.clone(), json!({ "page": page })));
        assert_eq!((&row["data"]["pullRequests"], &row["data"]["totalCount"]), (&json!([]), &json!(12)));
        assert!(hints(&row).contains("does not count results"), "{row:#}");
    }
}

#[test]
fn files_of_a_pull_request_on_github_have_every_documented_field() {
    let stub = Stub::start(|target| {
        let path = target.split('?').next().unwrap_or_default();
        let body = match path.strip_prefix("/repos/o/r/pulls/7") {
            Some("") => {
                json!({ "number": 7, "title": "Move it", "state": "closed", "merged_at": "2024-05-01T00:00:00Z",
                "user": { "login": "ann" }, "html_url": "https://x/7", "created_at": "2024-04-01T00:00:00Z",
                "updated_at": "2024-05-01T00:00:00Z", "base": { "ref": "main", "repo": { "full_name": "o/r" } } })
            }
            Some("/files") => json!([
                { "filename": "new.ts", "status": "added", "additions": 1, "deletions": 0, "patch": "@@ -0,0 +1 @@\n+a" },
                { "filename": "b.ts", "previous_filename": "a.ts", "status": "renamed", "additions": 0, "deletions": 0 },
                { "filename": "old.ts", "status": "removed", "additions": 0, "deletions": 2, "patch": "@@ -1,2 +0,0 @@" },
                { "filename": "lock.json", "status": "modified", "additions": 9_000, "deletions": 8_000 },
            ]),
            _ => json!([]),
        };
        (200, vec![("Content-Type", "application/json".into())], body.to_string())
    });
    let settings = host(&stub.name, "github", Some(&stub.api()));
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[("MINE", "t")]);
    let query = json!({ "owner": "o", "repo": "r", "prNumber": 7, "type": "fullContent" });
    let row = asking.row("githubSearchPullRequests", there(&stub.name, query.clone()));
    assert_eq!(row["data"]["pullRequests"][0]["merged"], true, "{row:#}");
    assert_eq!(
        row["data"]["pullRequests"][0]["files"],
        json!([
            { "filename": "new.ts", "status": "added", "additions": 1, "deletions": 0, "patch": "@@ -0,0 +1 @@\n+a" },
            { "filename": "b.ts", "status": "modified", "additions": 0, "deletions": 0, "previous_filename": "a.ts",
              "patch_note": "nothing to show: binary, or only renamed" },
            { "filename": "old.ts", "status": "removed", "additions": 0, "deletions": 2, "patch": "@@ -1,2 +0,0 @@" },
            { "filename": "lock.json", "status": "modified", "additions": 9_000, "deletions": 8_000,
              "patch_note": "GitHub leaves this patch out: it is too large" },
        ])
    );
    assert!(hints(&row).contains("lock.json: GitHub leaves this patch out"), "{row:#}");
    // Of one file, whose patch is all here, what else there is to know.
    let partial = json!({ "type": "partialContent", "partialContentMetadata": [{ "file": "new.ts" }] });
    let row = asking.row("githubSearchPullRequests", there(&stub.name, with(query, partial)));
    assert_eq!(row["data"]["pullRequests"][0]["files"].as_array().unwrap().len(), 1, "{row:#}");
    assert!(hints(&row).contains("With what was said about it, and its commits"), "{row:#}");
}

#[test]
fn every_filter_of_pull_requests_reaches_the_forge() {
    let stub = Stub::start(|_| {
        let body = json!({ "total_count": 0, "incomplete_results": false, "items": [] });
        (200, vec![("Content-Type", "application/json".into())], body.to_string())
    });
    let settings = host(&stub.name, "github", Some(&stub.api()));
    let mut asking = Asking::with(tree("//- /a\n"), &settings, &[("MINE", "t")]);
    let mut asked = |more| {
        let row = asking.once("githubSearchPullRequests", there(&stub.name, more));
        assert_eq!(row["status"], "success", "{row:#}");
        let (path, parameters) = stub.last();
        assert_eq!(path, "/search/issues");
        parameters.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
    };
    let all = json!({
        "owner": "o", "repo": "r", "query": "fix it", "state": "closed", "author": "ann", "assignee": "bob",
        "label": ["bug", "good first issue"], "merged": true, "draft": false, "created": "2024-01-01..2024-12-31",
        "updated": ">2024-06-01", "limit": 4, "page": 3
    });
    let q = "q=fix it is:pr repo:o/r state:closed author:ann assignee:bob label:bug label:\"good first issue\" is:merged \
             draft:false created:2024-01-01..2024-12-31 updated:>2024-06-01";
    assert_eq!(asked(all), [q, "per_page=4", "page=3"]);
    let one = json!({ "owner": "o", "label": "bug", "state": "open" });
    assert_eq!(
        asked(one),
        ["q=is:pr user:o state:open label:bug", "per_page=5", "page=1"],
        "and the defaults"
    );
}
