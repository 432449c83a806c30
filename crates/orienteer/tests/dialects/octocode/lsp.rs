//! Do the three LSP tools answer as documented, with the real TypeScript server?

use orienteer_testkit::fake::Script;
use orienteer_testkit::{tree, workspaces};
use serde_json::{Value, json};

use super::support::{AUTH, Asking, all_pages, hints, keys, with};

/// `file:line:character` of a place, the file relative to the root, both numbers from 0.
fn spot(asking: &Asking, place: &Value) -> String {
    let root = format!("file://{}/", asking.tree.root().display());
    let uri = place["uri"].as_str().unwrap();
    let file = uri.strip_prefix(&root).unwrap_or_else(|| panic!("{uri} is not below {root}"));
    let start = &place["range"]["start"];
    format!("{file}:{}:{}", start["line"], start["character"])
}

fn spots(asking: &Asking, rows: &Value) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| spot(asking, row)).collect()
}

fn uri(asking: &Asking, file: &str) -> String {
    asking.tree.root().join(file).to_str().unwrap().to_owned()
}

#[test]
fn the_example_of_a_definition_runs() {
    let mut asking = Asking::over(AUTH);
    let query = json!({
        "researchGoal": "Find AuthService definition",
        "reasoning": "Need to understand interface",
        "uri": uri(&asking, "src/index.ts"),
        "symbolName": "AuthService",
        "lineHint": 3,
        "contextLines": 10
    });
    let data = asking.get("lspGotoDefinition", query);
    assert_eq!(keys(&data), ["definitions"]);
    assert_eq!(spots(&asking, &data["definitions"]), ["src/services/AuthService.ts:3:13"]);
    let definition = &data["definitions"][0];
    assert_eq!(keys(definition), ["content", "contextAfter", "contextBefore", "range", "uri"]);
    assert_eq!(definition["range"]["end"], json!({ "line": 3, "character": 24 }));
    assert_eq!(definition["content"], "export class AuthService {");
    assert_eq!(definition["contextBefore"][2], "/** Who may come in. */");
    assert_eq!(definition["contextAfter"].as_array().unwrap().len(), 10);
    assert_eq!(definition["contextAfter"][2], "  authenticate(token: string): boolean {");
    let close =
        json!({ "uri": "src/index.ts", "symbolName": "AuthService", "lineHint": 3, "contextLines": 0 });
    let data = asking.get("lspGotoDefinition", close);
    assert_eq!(
        (&data["definitions"][0]["contextBefore"], &data["definitions"][0]["contextAfter"]),
        (&json!([]), &json!([]))
    );
    let usual = asking.get(
        "lspGotoDefinition",
        json!({ "uri": "src/index.ts", "symbolName": "AuthService", "lineHint": 3 }),
    );
    assert_eq!(usual["definitions"][0]["contextAfter"].as_array().unwrap().len(), 5);
}

#[test]
fn a_symbol_is_pointed_at_by_name_line_and_order() {
    let mut asking = Asking::over(AUTH);
    // Twice on line 12, behind a character of two units: the second one is asked about.
    for order in [0, 1] {
        let query =
            json!({ "uri": "src/index.ts", "symbolName": "login", "lineHint": 12, "orderHint": order });
        let data = asking.get("lspGotoDefinition", query);
        assert_eq!(spots(&asking, &data["definitions"]), ["src/index.ts:4:16"]);
    }
    let wrong = json!({ "uri": "src/index.ts", "symbolName": "login", "lineHint": 12, "orderHint": 2 });
    let row = asking.refused("lspGotoDefinition", wrong);
    assert_eq!(row["code"], "INVALID_QUERY", "{row:#}");
    assert!(row["error"].as_str().unwrap().contains("`orderHint` counts from 0"), "{row:#}");
    // The line is a hint: near is enough, and the answer says so.
    let near = json!({ "uri": "src/utils.ts", "symbolName": "validateToken", "lineHint": 4 });
    let row = asking.row("lspGotoDefinition", near);
    assert_eq!(spots(&asking, &row["data"]["definitions"]), ["src/utils.ts:1:16"]);
    assert!(hints(&row).contains("is not on line 4; the nearest is on line 2"), "{row:#}");
    let uri = format!("file://{}", uri(&asking, "src/utils.ts"));
    let data =
        asking.get("lspGotoDefinition", json!({ "uri": uri, "symbolName": "validateToken", "lineHint": 2 }));
    assert_eq!(data["definitions"][0]["uri"], uri, "a URI comes back as it was written");
}

#[test]
fn the_example_of_references_runs() {
    let mut asking = Asking::over(AUTH);
    let query = json!({
        "researchGoal": "Find all uses of AuthService",
        "reasoning": "Understand usage patterns",
        "uri": uri(&asking, "src/services/AuthService.ts"),
        "symbolName": "AuthService",
        "lineHint": 4,
        "referencesPerPage": 20
    });
    let data = asking.get("lspFindReferences", query.clone());
    assert_eq!(keys(&data), ["pagination", "references", "totalReferences"]);
    let all = [
        "src/index.test.ts:0:9",
        "src/index.test.ts:2:26",
        "src/index.ts:0:9",
        "src/index.ts:2:20",
        "src/services/AuthService.ts:3:13",
    ];
    assert_eq!(spots(&asking, &data["references"]), all);
    assert_eq!(data["totalReferences"], 5);
    assert_eq!(data["pagination"], json!({ "currentPage": 1, "totalPages": 1, "hasMore": false }));
    let reference = &data["references"][3];
    assert_eq!(keys(reference), ["content", "contextAfter", "contextBefore", "range", "uri"]);
    assert_eq!(reference["content"], "const service = new AuthService();");
    assert_eq!(reference["contextBefore"].as_array().unwrap().len(), 2, "two lines unless it says otherwise");
    let uses = asking.get("lspFindReferences", with(query.clone(), json!({ "includeDeclaration": false })));
    assert_eq!(spots(&asking, &uses["references"]), all[..4]);
    for per_page in [1, 2] {
        let query = with(query.clone(), json!({ "referencesPerPage": per_page, "contextLines": 0 }));
        let (rows, last) = all_pages(&mut asking, "lspFindReferences", query, "references");
        assert_eq!(spots(&asking, &json!(rows)), all);
        assert_eq!(last["totalReferences"], 5);
    }
}

#[test]
fn columns_are_those_of_the_protocol() {
    let mut asking = Asking::over(AUTH);
    let query = json!({ "uri": "src/index.ts", "symbolName": "login", "lineHint": 5 });
    let data = asking.get("lspFindReferences", query);
    // `const party = "🎉"; export const twice = login(party) + login("x");`: the first stands at character 40 and at 41 in
    // UTF-16.
    assert_eq!(
        spots(&asking, &data["references"]),
        ["src/index.ts:4:16", "src/index.ts:9:9", "src/index.ts:11:41", "src/index.ts:11:56"]
    );
}

/// `from -> to @depth [lines of the calls]`
fn arrows(rows: &Value) -> Vec<String> {
    let one = |call: &Value| {
        let lines: Vec<String> = call["fromRanges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|range| range["start"]["line"].to_string())
            .collect();
        let name = |end: &str| call[end]["name"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        format!("{} -> {} @{} [{}]", name("from"), name("to"), call["depth"], lines.join(" "))
    };
    rows.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn the_examples_of_a_call_hierarchy_run() {
    let mut asking = Asking::over(AUTH);
    let query = json!({
        "researchGoal": "Find callers of authenticate()",
        "reasoning": "Understand who uses authentication",
        "uri": uri(&asking, "src/services/AuthService.ts"),
        "symbolName": "authenticate",
        "lineHint": 7,
        "direction": "incoming",
        "depth": 2
    });
    let data = asking.get("lspCallHierarchy", query.clone());
    assert_eq!(keys(&data), ["calls", "pagination", "totalCalls"]);
    let mut told = arrows(&data["calls"]);
    told.sort();
    let all = [
        "enter -> login @2 [9]",
        "index.test.ts -> authenticate @1 [2]",
        "index.ts -> login @2 [11 11]",
        "login -> authenticate @1 [5]",
    ];
    assert_eq!(told, all, "{data:#}");
    assert_eq!(data["totalCalls"], 4);
    let calls = data["calls"].as_array().unwrap();
    let login = calls.iter().find(|call| call["from"]["name"] == "login").unwrap();
    assert_eq!(
        keys(login),
        ["content", "contextAfter", "contextBefore", "depth", "from", "fromRanges", "to"]
    );
    assert_eq!(keys(&login["from"]), ["name", "range", "uri"]);
    assert_eq!(
        (spot(&asking, &login["from"]), spot(&asking, &login["to"])),
        ("src/index.ts:4:16".into(), "src/services/AuthService.ts:6:2".into())
    );
    assert_eq!(login["content"], "  return service.authenticate(token) ? \"welcome\" : \"go away\";");
    assert_eq!(login["contextBefore"].as_array().unwrap().len(), 2);
    // Page by page, what a call belongs to stays right although it stands on an earlier page.
    let paged = with(query.clone(), json!({ "callsPerPage": 1 }));
    let (rows, _) = all_pages(&mut asking, "lspCallHierarchy", paged, "calls");
    assert_eq!(arrows(&json!(rows)), arrows(&data["calls"]));
    let outgoing = with(query, json!({ "direction": "outgoing", "depth": 1 }));
    let data = asking.get("lspCallHierarchy", outgoing);
    let mut told = arrows(&data["calls"]);
    told.sort();
    assert_eq!(told, ["authenticate -> known @1 [8]", "authenticate -> validateToken @1 [8]"]);
    let lonely =
        json!({ "uri": "src/utils.ts", "symbolName": "lonely", "lineHint": 6, "direction": "incoming" });
    let data = asking.get("lspCallHierarchy", lonely);
    assert_eq!((&data["calls"], &data["totalCalls"]), (&json!([]), &json!(0)));
}

#[test]
fn calls_belong_to_the_one_of_several_functions_that_makes_them() {
    // The server knows two of that name.
    const TWO: &str = "//- /a.fake\ndef square n\n  call multiply n\n  call other n\ndef multiply x\n\
        //- /b.fake\ndef square n\n  call divide n\ndef divide x\n  call multiply x\ndef other x\n";
    let mut asking = Asking::of_fake(TWO, &Script::new());
    let query = json!({ "uri": "a.fake", "symbolName": "square", "lineHint": 1, "direction": "outgoing", "depth": 2 });
    let data = asking.get("lspCallHierarchy", query.clone());
    let told = |asking: &Asking, calls: &Value| -> Vec<String> {
        let calls = calls.as_array().unwrap().iter();
        let end = |call: &Value, end: &str| format!("{} {}", call[end]["name"], spot(asking, &call[end]));
        calls.map(|call| format!("{} -> {} @{}", end(call, "from"), end(call, "to"), call["depth"])).collect()
    };
    let all = [
        "\"square\" a.fake:0:4 -> \"multiply\" a.fake:3:4 @1",
        "\"square\" a.fake:0:4 -> \"other\" b.fake:4:4 @1",
        "\"square\" b.fake:0:4 -> \"divide\" b.fake:2:4 @1",
        "\"divide\" b.fake:2:4 -> \"multiply\" a.fake:3:4 @2",
    ];
    assert_eq!(told(&asking, &data["calls"]), all, "{data:#}");
    let (rows, _) =
        all_pages(&mut asking, "lspCallHierarchy", with(query, json!({ "callsPerPage": 1 })), "calls");
    assert_eq!(told(&asking, &json!(rows)), all);
}

#[test]
fn a_secret_on_a_long_line_is_hidden_where_the_line_is_cut() {
    // Put together here, so that this file itself has nothing that looks like a token.
    let token = ["gh", "p_", "x7Qk2Lw9Rt5Zb8Vn3Mc6Hd1Jf4Gs0Pq2Xy07"].concat();
    // What is shown of a long line ends 300 characters behind the place, and of one beside it after 400.
    let used = format!("{}use square {} {token} {}", "x ".repeat(300), "y".repeat(270), "z ".repeat(300));
    let beside = format!("{} {token} {}", "w".repeat(385), "z ".repeat(300));
    let fixture = format!("//- /a.fake\ndef square n\n//- /b.fake\n{used}\n{beside}\n");
    let mut asking = Asking::of_fake(&fixture, &Script::new());
    let query =
        json!({ "uri": "a.fake", "symbolName": "square", "lineHint": 1, "includeDeclaration": false });
    let row = asking.row("lspFindReferences", query);
    let found = &row["data"]["references"][0];
    let (content, after) = (found["content"].as_str().unwrap(), found["contextAfter"][0].as_str().unwrap());
    assert!(content.contains("use square") && content.ends_with('…'), "{row:#}");
    assert!(after.starts_with("www") && after.ends_with('…'), "{row:#}");
    assert!(!row.to_string().contains("x7Qk2"), "{row:#}");
}

#[test]
fn the_native_tools_give_the_same_locations() {
    let mut asking = Asking::over(workspaces::TYPESCRIPT);
    let mut native = Asking::speaking("native", tree(workspaces::TYPESCRIPT), "", &[]);
    let native_spots = |answer: &Value, list: &str, at: &dyn Fn(&Value) -> Value| -> Vec<String> {
        let rows = answer["structuredContent"][list].as_array().unwrap_or_else(|| panic!("{answer:#}"));
        let one = |row: &Value| {
            let row = at(row);
            let number = |name: &str| row[name].as_u64().unwrap() - 1;
            format!("{}:{}:{}", row["file_path"].as_str().unwrap(), number("line"), number("column"))
        };
        rows.iter().map(one).collect()
    };
    let itself = |row: &Value| row.clone();
    let location = |row: &Value| row["location"].clone();
    let file = "packages/core/src/total.ts";
    let target = json!({ "file_path": file, "line": 4, "symbol_name": "totalArea" });
    let query = json!({ "uri": file, "symbolName": "totalArea", "lineHint": 4 });

    let theirs = asking.get("lspFindReferences", query.clone());
    let ours = native.server.call("find_references", target.clone());
    let mut expected = native_spots(&ours, "references", &itself);
    // One of them stands behind characters of two units.
    let moved = expected.iter().position(|spot| spot == "packages/web/src/emoji.ts:5:57").unwrap();
    expected[moved] = "packages/web/src/emoji.ts:5:59".to_owned();
    assert_eq!(spots(&asking, &theirs["references"]), expected);
    assert!(expected.len() >= 6, "{expected:?}");

    let used = json!({ "uri": "packages/web/src/report.ts", "symbolName": "totalArea", "lineHint": 5 });
    let theirs = asking.get("lspGotoDefinition", used);
    let used = json!({ "file_path": "packages/web/src/report.ts", "line": 5, "symbol_name": "totalArea" });
    let ours = native.server.call("find_definition", used);
    assert_eq!(spots(&asking, &theirs["definitions"]), native_spots(&ours, "definitions", &itself));

    let theirs = asking.get("lspCallHierarchy", with(query, json!({ "direction": "incoming", "depth": 2 })));
    let ours = native.server.call("call_hierarchy", with(target, json!({ "depth": 2 })));
    let from: Vec<String> =
        theirs["calls"].as_array().unwrap().iter().map(|call| spot(&asking, &call["from"])).collect();
    assert_eq!(from, native_spots(&ours, "items", &location));
    assert!(!from.is_empty());

    let theirs = asking.get("localSearchCode", json!({ "pattern": "totalArea", "path": "." }));
    let ours = native.server.call("search_code", json!({ "pattern": "totalArea" }));
    let lines = |files: &Value, path: &str, line: &str| -> Vec<String> {
        let rows = files.as_array().unwrap().iter();
        let one = |file: &Value| {
            let matches = file["matches"].as_array().unwrap().iter();
            matches
                .map(|found| format!("{}:{}", file[path].as_str().unwrap(), found[line]))
                .collect::<Vec<_>>()
        };
        rows.flat_map(one).collect()
    };
    assert_eq!(
        lines(&theirs["files"], "path", "lineNumber"),
        lines(&ours["structuredContent"]["files"], "file_path", "line")
    );
}
