//! Is every documented error code told when its cause is really there, with a way out that works?

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use orienteer_testkit::emulator::Emulator;
use orienteer_testkit::fake::{Death, PROJECT, Rule, Script, Signal, When};
use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::stub::Stub;
use super::support::{AUTH, Asking, goals, hints, host, keys, there, with};

/// Asks a stub that answers everything in the same way.
fn of_stub(answer: impl Fn(&str) -> super::stub::Answer + Send + Sync + 'static) -> (Asking, Stub) {
    let stub = Stub::start(answer);
    let settings = host(&stub.name, "github", Some(&stub.api()));
    let asking = Asking::with(tree("//- /src/a.js\nuseState\n"), &settings, &[("MINE", "wrong")]);
    (asking, stub)
}

#[test]
fn rate_limit_exceeded_says_when_it_ends() {
    let reset = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 1_800;
    let (mut asking, stub) = of_stub(move |_| {
        let headers =
            vec![("X-RateLimit-Remaining", "0".to_owned()), ("X-RateLimit-Reset", reset.to_string())];
        (403, headers, json!({ "message": "API rate limit exceeded" }).to_string())
    });
    let query = there(&stub.name, json!({ "keywordsToSearch": ["useState"] }));
    let row = asking.refused("githubSearchCode", query);
    assert_eq!(keys(&row), ["code", "error", "hints", "queryIndex", "rateLimitReset", "status"]);
    assert_eq!(row["code"], "RATE_LIMIT_EXCEEDED", "{row:#}");
    let told = row["rateLimitReset"].as_u64().unwrap();
    assert!(told.abs_diff(reset) <= 2, "{told} {reset}");
    let hints = hints(&row);
    for part in [
        "API rate limit exceeded",
        "Limit resets at 20",
        "Use local tools as alternative: localSearchCode",
        "Results are cached for 1 hour",
    ] {
        assert!(hints.contains(part), "{part}: {hints}");
    }
    for (tool, more, kept) in [
        ("githubSearchRepositories", json!({ "keywordsToSearch": ["x"] }), "2 hours"),
        ("githubSearchPullRequests", json!({ "query": "x" }), "30 minutes"),
        ("githubGetFileContent", json!({ "owner": "o", "repo": "r", "path": "p" }), "1 hour"),
    ] {
        let row = asking.refused(tool, there(&stub.name, more));
        assert_eq!(row["code"], "RATE_LIMIT_EXCEEDED", "{row:#}");
        assert!(super::support::hints(&row).contains(&format!("Results are cached for {kept}")), "{row:#}");
    }
}

#[test]
fn file_too_large_leads_to_pages() {
    let emulator = Emulator::start();
    let text = "a line of this file\n".repeat(16_000);
    let content = base64::engine::general_purpose::STANDARD.encode(&text);
    let body = json!({ "message": "add", "content": content, "branch": "main" });
    emulator.send("PUT", "/repos/octocat/hello-world/contents/big.txt", &body);
    let mut asking = Asking::of(&emulator);
    let here = |more: Value| {
        with(
            there(&emulator.name(), json!({ "owner": "octocat", "repo": "hello-world", "path": "big.txt" })),
            more,
        )
    };
    for more in [
        json!({}),
        json!({ "fullContent": true }),
        json!({ "matchString": "line" }),
        json!({ "startLine": 1, "endLine": 2 }),
    ] {
        let row = asking.refused("githubGetFileContent", here(more));
        assert_eq!(row["code"], "FILE_TOO_LARGE", "{row:#}");
        assert!(row["error"].as_str().unwrap().contains("320000 bytes, more than the 307200"), "{row:#}");
        assert!(hints(&row).contains("\"charOffset\":0,\"charLength\":50000"), "{row:#}");
    }
    let data =
        asking.get("githubGetFileContent", here(json!({ "charOffset": 300_000, "charLength": 50_000 })));
    assert_eq!(
        (data["content"].as_str().unwrap().len(), &data["pagination"]["hasMore"]),
        (20_000, &json!(false))
    );
}

#[test]
fn not_found_leads_to_what_there_is() {
    let emulator = Emulator::start();
    let mut asking = Asking::of(&emulator);
    let here = |more: Value| {
        with(there(&emulator.name(), json!({ "owner": "octocat", "repo": "hello-world" })), more)
    };
    let row = asking.refused("githubGetFileContent", here(json!({ "path": "no/such.txt" })));
    assert_eq!(row["code"], "NOT_FOUND", "{row:#}");
    assert!(hints(&row).contains("Check owner, repo, path and branch for spelling"), "{row:#}");
    assert!(hints(&row).contains("see which paths it has: githubViewRepoStructure"), "{row:#}");
    let row = asking.refused("githubGetFileContent", here(json!({ "repo": "nowhere", "path": "a" })));
    assert_eq!(row["code"], "NOT_FOUND", "{row:#}");
    let row = asking.refused("githubViewRepoStructure", here(json!({ "branch": "nope" })));
    assert_eq!(row["code"], "NOT_FOUND", "{row:#}");
    let row = asking.refused("githubSearchPullRequests", here(json!({ "prNumber": 999 })));
    assert_eq!(row["code"], "NOT_FOUND", "{row:#}");

    let mut asking = Asking::over(AUTH);
    for (tool, query) in [
        ("localGetFileContent", json!({ "path": "src/util.ts" })),
        ("localSearchCode", json!({ "path": "sr", "pattern": "x" })),
        ("localViewStructure", json!({ "path": "srcc" })),
        ("localFindFiles", json!({ "path": "srcc" })),
        ("lspGotoDefinition", json!({ "uri": "src/util.ts", "symbolName": "validateToken", "lineHint": 2 })),
    ] {
        let row = asking.refused(tool, query);
        assert_eq!(row["code"], "NOT_FOUND", "{row:#}");
        assert!(hints(&row).contains("Try `src"), "{row:#}");
    }
    let row = asking.refused(
        "lspFindReferences",
        json!({ "uri": "src/utils.ts", "symbolName": "nowhere", "lineHint": 2 }),
    );
    assert_eq!(row["code"], "NOT_FOUND", "{row:#}");
    assert!(hints(&row).contains("Find the line of `nowhere` for lineHint: localSearchCode"), "{row:#}");
}

#[test]
fn authentication_error_says_where_a_token_goes() {
    let (mut asking, stub) =
        of_stub(|_| (401, Vec::new(), json!({ "message": "Bad credentials" }).to_string()));
    let row = asking.refused(
        "githubGetFileContent",
        there(&stub.name, json!({ "owner": "o", "repo": "r", "path": "p" })),
    );
    assert_eq!(row["code"], "AUTHENTICATION_ERROR", "{row:#}");
    assert!(!row.to_string().contains("wrong\""), "{row:#}");
    assert!(hints(&row).contains("token_variable") && hints(&row).contains("gh auth login"), "{row:#}");
    let row = asking.refused("githubSearchCode", there(&stub.name, json!({ "keywordsToSearch": ["x"] })));
    assert_eq!(row["code"], "AUTHENTICATION_ERROR", "{row:#}");
}

#[test]
fn invalid_query_leads_to_one_that_is_valid() {
    let mut asking = Asking::over(AUTH);
    let row = asking.refused("localSearchCode", json!({ "pattern": "authenticate(", "path": "src" }));
    assert_eq!(row["code"], "INVALID_QUERY", "{row:#}");
    assert!(hints(&row).contains("literally: localSearchCode"), "{row:#}");
    let row = asking.refused(
        "localGetFileContent",
        json!({ "path": "src/utils.ts", "matchString": "(", "matchStringIsRegex": true }),
    );
    assert_eq!(row["code"], "INVALID_QUERY", "{row:#}");
    let row = asking.refused("localGetFileContent", json!({ "path": "src" }));
    assert_eq!(row["code"], "INVALID_QUERY", "{row:#}");
    assert!(hints(&row).contains("List that folder: localViewStructure"), "{row:#}");
    let row = asking.refused("localViewStructure", json!({ "path": "src/utils.ts" }));
    assert_eq!(row["code"], "INVALID_QUERY", "{row:#}");
    let row =
        asking.refused("localSearchCode", json!({ "pattern": "x", "path": ".", "type": "no-such-type" }));
    assert_eq!(row["code"], "INVALID_QUERY", "{row:#}");
    // A forge that does not understand the question says so, too.
    let (mut asking, stub) =
        of_stub(|_| (422, Vec::new(), json!({ "message": "Validation Failed" }).to_string()));
    let row = asking.refused("githubSearchCode", there(&stub.name, json!({ "keywordsToSearch": ["x"] })));
    assert_eq!(row["code"], "INVALID_QUERY", "{row:#}");
    let unknown = there("forge.invalid", json!({ "owner": "o", "repo": "r", "path": "p" }));
    let row = asking.refused("githubGetFileContent", unknown);
    assert_eq!(row["code"], "INVALID_QUERY", "{row:#}");
    assert!(hints(&row).contains("Write `provider`"), "{row:#}");
}

#[test]
fn lsp_not_available_is_never_an_answer_by_text() {
    // No server in PATH: only the shell's own folder.
    let mut asking = Asking::with(tree(AUTH), "", &[("PATH", "/nonexistent")]);
    let at = json!({ "uri": "src/utils.ts", "symbolName": "validateToken", "lineHint": 2 });
    for (tool, more) in [
        ("lspGotoDefinition", json!({})),
        ("lspFindReferences", json!({})),
        ("lspCallHierarchy", json!({ "direction": "incoming" })),
    ] {
        let row = asking.refused(tool, with(at.clone(), more));
        assert_eq!(row["code"], "LSP_NOT_AVAILABLE", "{row:#}");
        assert!(row.get("data").is_none());
        assert!(hints(&row).contains("npm install") || hints(&row).contains("Node"), "{row:#}");
        assert!(hints(&row).contains("Meanwhile, by text: localSearchCode"), "{row:#}");
    }
    asking.tree.write("notes.xyz", "something here\n");
    let row = asking.refused(
        "lspGotoDefinition",
        json!({ "uri": "notes.xyz", "symbolName": "something", "lineHint": 1 }),
    );
    assert_eq!(row["code"], "LSP_NOT_AVAILABLE", "{row:#}");
    assert!(hints(&row).contains("Extensions that have a server"), "{row:#}");
}

#[test]
fn a_cold_or_crashing_server_never_looks_like_an_empty_answer() {
    const REFERENCES: &str = "textDocument/references";
    let square = json!({ "uri": "a.fake", "symbolName": "square", "lineHint": 2 });
    let cold = Script::new().never_ready(Signal::Progress(json!("index")));
    // It knows one of three while it loads: that one is told, and that there may be more.
    let mut asking = Asking::of_fake(PROJECT, &cold);
    let row = asking.row("lspFindReferences", square.clone());
    assert_eq!((&row["status"], &row["data"]["totalReferences"]), (&json!("success"), &json!(1)), "{row:#}");
    assert!(hints(&row).contains("This answer is partial (server_indexing): there may be more"), "{row:#}");
    let mut asking = Asking::of_fake(PROJECT, &cold.rule(Rule::on(REFERENCES).answer(json!([]))));
    let row = asking.refused("lspFindReferences", square.clone());
    assert_eq!(row["code"], "LSP_NOT_AVAILABLE", "{row:#}");
    assert!(hints(&row).contains("Ask again in 3 s: lspFindReferences"), "{row:#}");
    let crashing = Script::new().rule(Rule::on(REFERENCES).crash(When::Before, Death::Exit(3)));
    let mut asking = Asking::of_fake(PROJECT, &crashing);
    let row = asking.refused("lspFindReferences", square);
    assert_eq!(row["code"], "LSP_NOT_AVAILABLE", "{row:#}");
}

#[test]
fn validation_error_names_field_and_legal_values() {
    let mut asking = Asking::over(AUTH);
    let at = json!({ "uri": "src/utils.ts", "symbolName": "validateToken", "lineHint": 2 });
    for (tool, query, told) in [
        ("localSearchCode", json!({ "path": "." }), "`pattern` is required"),
        ("localSearchCode", json!({ "path": ".", "pattern": "" }), "`pattern` is 0 characters long"),
        (
            "localSearchCode",
            json!({ "path": ".", "pattern": "x", "mode": "fast" }),
            "discovery, paginated, detailed",
        ),
        ("localSearchCode", json!({ "path": ".", "pattern": "x", "contextLines": 51 }), "from 0 to 50"),
        ("localSearchCode", json!({ "path": ".", "pattern": "x", "matchesPerPage": 101 }), "from 1 to 100"),
        ("localSearchCode", json!({ "path": ".", "pattern": "x", "filesPerPage": 21 }), "from 1 to 20"),
        ("localSearchCode", json!({ "path": ".", "pattern": "x", "filePageNumber": 0 }), "from 1"),
        ("localViewStructure", json!({ "path": ".", "depth": 6 }), "from 1 to 5"),
        ("localViewStructure", json!({ "path": ".", "sortBy": "age" }), "name, size, time, extension"),
        ("localViewStructure", json!({ "path": ".", "entriesPerPage": 21 }), "from 1 to 20"),
        ("lspGotoDefinition", with(at.clone(), json!({ "lineHint": 0 })), "from 1"),
        ("lspGotoDefinition", with(at.clone(), json!({ "contextLines": 21 })), "from 0 to 20"),
        ("lspGotoDefinition", with(at.clone(), json!({ "symbolName": "x".repeat(256) })), "at most 255"),
        ("lspGotoDefinition", with(at.clone(), json!({ "symbolName": " " })), "`symbolName` is blank"),
        ("lspFindReferences", with(at.clone(), json!({ "referencesPerPage": 51 })), "from 1 to 50"),
        ("lspFindReferences", with(at.clone(), json!({ "contextLines": 11 })), "from 0 to 10"),
        ("lspCallHierarchy", at.clone(), "`direction` is required"),
        ("lspCallHierarchy", with(at.clone(), json!({ "direction": "up" })), "incoming, outgoing"),
        ("lspCallHierarchy", with(at.clone(), json!({ "direction": "incoming", "depth": 4 })), "from 1 to 3"),
        (
            "lspCallHierarchy",
            with(at, json!({ "direction": "incoming", "callsPerPage": 31 })),
            "from 1 to 30",
        ),
    ] {
        let row = asking.refused(tool, query);
        assert_eq!(row["code"], "VALIDATION_ERROR", "{row:#}");
        assert!(row["error"].as_str().unwrap().contains(told), "{told}: {row:#}");
        assert!(hints(&row).contains("Review parameter constraints"), "{row:#}");
    }
}

#[test]
fn only_the_workspace_and_configured_folders_are_read() {
    let tree = tree(AUTH);
    let beside = tree.beside("other");
    std::fs::write(beside.join("note.txt"), "outside\n").unwrap();
    let path = beside.join("note.txt").to_str().unwrap().to_owned();
    let folder = beside.to_str().unwrap().to_owned();
    let mut asking = Asking::with(tree, "", &[]);
    for (tool, query) in [
        ("localGetFileContent", json!({ "path": path })),
        ("localGetFileContent", json!({ "path": format!("file://{path}") })),
        ("localGetFileContent", json!({ "path": "../other/note.txt" })),
        ("localSearchCode", json!({ "path": folder, "pattern": "outside" })),
        ("localViewStructure", json!({ "path": ".." })),
        ("lspGotoDefinition", json!({ "uri": path, "symbolName": "outside", "lineHint": 1 })),
    ] {
        let row = asking.refused(tool, query);
        assert_eq!(row["code"], "VALIDATION_ERROR", "{row:#}");
        assert!(hints(&row).contains("ALLOWED_PATHS"), "{row:#}");
        assert!(!row.to_string().contains("outside\\n"));
    }
    let tree = std::mem::replace(&mut asking.tree, orienteer_testkit::Tree::empty());
    let mut asking = Asking::with(tree, "", &[("ALLOWED_PATHS", &folder)]);
    assert_eq!(asking.get("localGetFileContent", json!({ "path": path }))["content"], "outside\n");
    let root = asking.tree.root().join("src").to_str().unwrap().to_owned();
    let tree = std::mem::replace(&mut asking.tree, orienteer_testkit::Tree::empty());
    let mut asking = Asking::with(tree, "", &[("WORKSPACE_ROOT", &root)]);
    assert!(asking.get("localGetFileContent", json!({ "path": "utils.ts" }))["content"].is_string());
}

#[test]
fn what_the_document_has_no_code_for_is_told_in_words_of_the_same_make() {
    let tree = tree("//- /a.txt\nx\n");
    tree.write("image.png", b"\x89PNG\r\n\x1a\n\0\0");
    let mut asking = Asking::with(tree, "[remote]\nask_programs = false\n", &[]);
    let row = asking.refused("localGetFileContent", json!({ "path": "image.png" }));
    assert_eq!(row["code"], "UNSUPPORTED", "{row:#}");
    // Nobody listens there.
    let port = orienteer_testkit::emulator::free_port();
    let gone = with(
        Value::Object(goals()),
        json!({ "owner": "o", "repo": "r", "path": "p", "provider": "forgejo", "host": format!("127.0.0.1:{port}") }),
    );
    let row = asking.refused("githubGetFileContent", gone.clone());
    assert_eq!(row["code"], "NETWORK_ERROR", "{row:#}");
    let mut asking = Asking::with(orienteer_testkit::tree("//- /a\n"), "[remote]\nenabled = false\n", &[]);
    let row = asking.refused("githubGetFileContent", gone);
    assert_eq!(row["code"], "NOT_ENABLED", "{row:#}");
}

#[test]
fn what_was_searched_or_shown_in_part_says_so() {
    let mut asking = Asking::over("//- /a.txt\nneedle\n");
    asking.tree.write("b.dat", format!("needle\n{}\0needle\n", "hay\n".repeat(100_000)));
    asking.tree.write("long.txt", format!("{}needle{}\n", "x".repeat(9_000), "y".repeat(9_000)));
    let row = asking.row("localSearchCode", json!({ "pattern": "needle", "path": "." }));
    assert_eq!(row["data"]["stats"]["totalMatches"], 3, "{row:#}");
    assert!(hints(&row).contains("1 of these files have NUL bytes"), "{row:#}");
    assert!(hints(&row).contains("Long lines are shown in part"), "{row:#}");
    assert!(!hints(&row).contains("Not everything could be searched"), "{row:#}");
}

#[test]
fn a_key_is_hidden_on_a_page_of_a_file_of_any_size() {
    let mut asking = Asking::over("//- /a.txt\nx\n");
    let begin = ["-----BEGIN RSA ", "PRIVATE KEY-----"].concat();
    let end = begin.replace("BEGIN", "END");
    let line = |number: usize| format!("MIIEowIBAAKCAQEA{number:02}x7fbkyVdQ9aWkq1mBqvG4pq7t8u3S2w\n");
    let body: String = (0..30).map(line).collect();
    let before = "a line before it\n".repeat(300_000);
    asking.tree.write("large.txt", format!("{before}{begin}\n{body}{end}\n"));
    let inside = before.len() + begin.len() + 1 + line(0).len() * 10;
    let data = asking
        .get("localGetFileContent", json!({ "path": "large.txt", "charOffset": inside, "charLength": 600 }));
    assert!(!data["content"].as_str().unwrap().contains("x7fbkyVdQ9aWkq1"), "{data:#}");
}

#[test]
fn half_of_a_secret_is_never_shown_where_a_page_of_a_huge_file_ends() {
    let token = ["gh", "p_", "x7Qk2Lw9Rt5Zb8Vn3Mc6Hd1Jf4Gs0Pq2Xy07"].concat();
    let before = "a line before it\n".repeat(300_000);
    let mut asking = Asking::over("//- /a.txt\nx\n");
    asking.tree.write("large.txt", format!("{before}begin {token} end\n"));
    let border = before.len() + "begin ".len() + 20;
    let page = |offset: usize, length: usize| json!({ "path": "large.txt", "charOffset": offset, "charLength": length });
    let first = asking.row("localGetFileContent", page(border - 100, 100));
    let second = asking.row("localGetFileContent", page(border, 100));
    let text = |row: &Value| row["data"]["content"].as_str().unwrap_or_else(|| panic!("{row:#}")).to_owned();
    let both = text(&first) + &text(&second);
    assert!(both.contains("\nbegin [REDACTED") && both.ends_with(" end\n"), "{both}");
    assert!(!both.contains("x7Qk2") && !both.contains("Xy07"), "{both}");
}

#[test]
fn half_of_a_secret_is_never_shown_where_a_line_is_cut() {
    // Put together here, so that this file itself has nothing that looks like a token.
    let token = ["gh", "p_", "x7Qk2Lw9Rt5Zb8Vn3Mc6Hd1Jf4Gs0Pq2Xy07"].concat();
    // What is shown of a long line ends 1,800 characters behind what matches, and of one beside it after 2,000.
    let long = format!("{} needle {} {token} {}", "x".repeat(3_000), "y".repeat(1_780), "z".repeat(3_000));
    let beside = format!("{} {token} {}", "w".repeat(1_980), "z".repeat(3_000));
    let mut asking = Asking::with(tree(&format!("//- /a.txt\n{long}\n{beside}\n")), "", &[]);
    for (tool, query) in [
        ("localSearchCode", json!({ "pattern": "needle", "path": ".", "contextLines": 1 })),
        (
            "localGetFileContent",
            json!({ "path": "a.txt", "matchString": "needle", "matchStringContextLines": 1 }),
        ),
    ] {
        let row = asking.row(tool, query);
        assert_eq!(row["status"], "success", "{row:#}");
        assert!(row.to_string().contains("needle") && row.to_string().contains("wwww"), "{row:#}");
        assert!(!row.to_string().contains("x7Qk2"), "{row:#}");
    }
}
