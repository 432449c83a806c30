//! Does `localGetFileContent` answer as documented?

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::support::{AUTH, Asking, hints, keys, with};

#[test]
fn the_example_of_a_pattern_runs() {
    let mut asking = Asking::over(AUTH);
    let path = asking.tree.root().join("src/utils.ts").to_str().unwrap().to_owned();
    let data = asking.get(
        "localGetFileContent",
        json!({
            "researchGoal": "Extract export functions",
            "reasoning": "matchString is token-efficient",
            "path": path,
            "matchString": "export function",
            "matchStringContextLines": 1
        }),
    );
    assert_eq!(keys(&data), ["content", "matches", "path", "size"]);
    assert_eq!((&data["path"], data["matches"].as_array().unwrap().len()), (&json!("src/utils.ts"), 2));
    let first = &data["matches"][0];
    assert_eq!(
        first,
        &json!({
            "lineNumber": 2,
            "content": "export function validateToken(token: string): boolean {",
            "beforeContext": ["/** Whether a token looks like one. */"],
            "afterContext": ["  return token.startsWith(\"tok-\");"],
        })
    );
    let content = data["content"].as_str().unwrap();
    assert!(
        content.starts_with("/** Whether a token") && content.contains("[lines 4 to 4 left out]\n"),
        "{content}"
    );
    let size = std::fs::metadata(asking.tree.root().join("src/utils.ts")).unwrap().len();
    assert_eq!(data["size"], size);
}

#[test]
fn the_example_of_a_line_range_runs() {
    let lines: String = (1..=120).map(|line| format!("line {line}\r\n")).collect();
    let mut asking = Asking::with(tree(&format!("//- /src/utils.ts\n{lines}")), "", &[]);
    let query = json!({
        "researchGoal": "Read specific function",
        "reasoning": "Found function at lines 50-100",
        "path": "src/utils.ts",
        "startLine": 50,
        "endLine": 100
    });
    let data = asking.get("localGetFileContent", query);
    let expected: String = (50..=100).map(|line| format!("line {line}\r\n")).collect();
    assert_eq!(data["content"], expected, "line ends stay");
    assert_eq!(keys(&data), ["content", "path", "size"], "it is all here");
    let uri = format!("file://{}", asking.tree.root().join("src/utils.ts").display());
    let by_uri = asking.get("localGetFileContent", json!({ "path": uri, "startLine": 1, "endLine": 1 }));
    assert_eq!(by_uri["content"], "line 1\r\n");
}

/// Follows `nextCharOffset` to the end.
fn paged(asking: &mut Asking, query: &Value, length: u64) -> (String, Vec<Value>) {
    let (mut text, mut matches, mut offset) = (String::new(), Vec::new(), json!(0));
    loop {
        let data = asking.get(
            "localGetFileContent",
            with(query.clone(), json!({ "charOffset": offset, "charLength": length })),
        );
        let page = data["content"].as_str().unwrap();
        text.push_str(page);
        matches.extend(data["matches"].as_array().cloned().unwrap_or_default());
        let pagination = &data["pagination"];
        assert_eq!(
            (&pagination["charOffset"], &pagination["charLength"]),
            (&offset, &json!(page.chars().count()))
        );
        if pagination["hasMore"] == json!(false) {
            assert!(pagination.get("nextCharOffset").is_none(), "{pagination}");
            assert_eq!(pagination["totalChars"], text.chars().count());
            return (text, matches);
        }
        offset = pagination["nextCharOffset"].clone();
    }
}

#[test]
fn pages_put_together_are_the_whole() {
    let lines: String = (1..=90)
        .map(|line| format!("{line} größe 🎉 {}\n", if line % 9 == 0 { "needle" } else { "" }))
        .collect();
    let mut asking = Asking::with(tree(&format!("//- /a.txt\n{lines}")), "", &[]);
    let whole = json!({ "path": "a.txt" });
    assert_eq!(paged(&mut asking, &whole, 333).0, lines);
    let range = json!({ "path": "a.txt", "startLine": 10, "endLine": 80 });
    let expected: String = lines.split_inclusive('\n').skip(9).take(71).collect();
    assert_eq!(paged(&mut asking, &range, 100).0, expected);
    let matching = json!({ "path": "a.txt", "matchString": "needle", "matchStringContextLines": 1 });
    let all = asking.get("localGetFileContent", matching.clone());
    let (text, matches) = paged(&mut asking, &matching, 40);
    assert_eq!((json!(text), json!(matches)), (all["content"].clone(), all["matches"].clone()));
    assert_eq!(all["matches"].as_array().unwrap().len(), 10);
}

#[test]
fn no_match_is_lost_where_secrets_are_hidden() {
    // Put together here, so that this file itself has nothing that looks like a token.
    let token = |line: usize| ["gh", "p_", &format!("x7Qk2Lw9Rt5Zb8Vn3Mc6Hd1Jf4Gs0Pq2Xy{line:02}")].concat();
    let lines: String = (1..=60).map(|line| format!("needle {line} {}\n", token(line))).collect();
    let mut asking = Asking::with(tree(&format!("//- /a.txt\n{lines}")), "", &[]);
    let query = json!({ "path": "a.txt", "matchString": "needle", "matchStringContextLines": 1 });
    let (text, matches) = paged(&mut asking, &query, 200);
    assert!(!text.contains("x7Qk2Lw9Rt5Zb8Vn3Mc6Hd1Jf4Gs0Pq2Xy"), "{text}");
    let numbers: Vec<u64> = matches.iter().map(|found| found["lineNumber"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=60).collect::<Vec<u64>>());
}

#[test]
fn what_nobody_measured_comes_in_pages_and_full_content_at_once() {
    let long: String = (0..4_000).map(|line| format!("{line:05}\n")).collect();
    let mut asking = Asking::with(tree(&format!("//- /a.txt\n{long}")), "", &[]);
    let data = asking.get("localGetFileContent", json!({ "path": "a.txt" }));
    assert_eq!(data["content"], long[..10_000]);
    assert_eq!(
        data["pagination"],
        json!({ "charOffset": 0, "charLength": 10_000, "totalChars": 24_000, "hasMore": true, "nextCharOffset": 10_000 })
    );
    let full = asking.get("localGetFileContent", json!({ "path": "a.txt", "fullContent": true }));
    assert_eq!(full["content"], long);
    assert!(full.get("pagination").is_none());
}

#[test]
fn an_entire_file_is_one_page_where_the_answer_has_room_for_it() {
    let line = "0123456789abcde\n";
    let mut asking = Asking::over("//- /a.txt\nx\n");
    for (file, lines) in
        [("large.txt", 15_625), ("larger.txt", 100_000), ("long.txt", 200_000), ("huge.txt", 300_000)]
    {
        asking.tree.write(file, line.repeat(lines));
    }
    let full = |file: &str| json!({ "path": file, "fullContent": true });
    for (file, chars) in [("large.txt", 250_000), ("larger.txt", 1_600_000)] {
        let whole = asking.get("localGetFileContent", full(file));
        assert_eq!(whole["content"].as_str().unwrap().len(), chars, "{file}");
        assert!(whole.get("pagination").is_none(), "{file}");
    }
    // What does not fit comes in pages that do, each with the way to the next.
    for (file, chars) in [("long.txt", 3_200_000), ("huge.txt", 4_800_000)] {
        let (mut read, mut query) = (0, full(file));
        while read < chars {
            let row = asking.once("localGetFileContent", query);
            let page = row["data"]["content"].as_str().unwrap_or_else(|| panic!("{file} {read}: {row:#}"));
            assert!(page.len() > 900_000 || read + page.len() == chars, "{file}: {}", page.len());
            assert!(page.starts_with(&line[read % 16..]), "{file} {read}");
            read += page.len();
            assert_eq!(row["data"]["pagination"]["hasMore"], read < chars, "{file}");
            query = super::support::proposed(row["hints"][0].as_str().unwrap())
                .map_or(Value::Null, |(_, arguments)| arguments["queries"][0].clone());
        }
    }
    // Five at once have a fifth of the room each.
    let rows = asking.unfollowed("localGetFileContent", json!(vec![full("larger.txt"); 5]));
    for row in rows {
        assert_eq!(
            (&row["status"], &row["data"]["pagination"]["hasMore"]),
            (&json!("success"), &json!(true))
        );
    }
}

#[test]
fn a_huge_file_is_read_page_by_page() {
    let tree = tree("//- /small\n");
    let line = "0123456789abcde\n";
    tree.write("huge.txt", line.repeat(400_000));
    let mut asking = Asking::with(tree, "", &[]);
    let data = asking.get(
        "localGetFileContent",
        json!({ "path": "huge.txt", "charOffset": 6_399_990, "charLength": 100 }),
    );
    assert_eq!(data["content"], "6789abcde\n");
    assert_eq!(
        data["pagination"],
        json!({ "charOffset": 6_399_990, "charLength": 10, "totalChars": 6_400_000, "hasMore": false })
    );
    let first = asking.get("localGetFileContent", json!({ "path": "huge.txt" }));
    assert_eq!((first["content"].as_str().unwrap().len(), &first["size"]), (10_000, &json!(6_400_000)));
    let lines = asking
        .get("localGetFileContent", json!({ "path": "huge.txt", "startLine": 399_999, "endLine": 400_000 }));
    assert_eq!(lines["content"], line.repeat(2));
}

#[test]
fn matching_takes_case_and_patterns_as_asked() {
    let mut asking = Asking::with(tree("//- /a.txt\nFoo 1\nfoo 2\nf.o 3\n"), "", &[]);
    let mut lines = |more: Value| {
        let query = with(json!({ "path": "a.txt", "matchStringContextLines": 1 }), more);
        let data = asking.get("localGetFileContent", query);
        let matches = data["matches"].as_array().unwrap().iter();
        matches.map(|found| found["lineNumber"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(lines(json!({ "matchString": "foo" })), [1, 2]);
    assert_eq!(lines(json!({ "matchString": "foo", "matchStringCaseSensitive": true })), [2]);
    assert_eq!(lines(json!({ "matchString": "f.o" })), [3]);
    assert_eq!(lines(json!({ "matchString": "f.o", "matchStringIsRegex": true })), [1, 2, 3]);
    assert!(lines(json!({ "matchString": "nowhere" })).is_empty());
    let none = asking.row("localGetFileContent", json!({ "path": "a.txt", "matchString": "nowhere" }));
    assert!(hints(&none).contains("No line of 3 matches"), "{none:#}");
}

#[test]
fn the_ways_to_choose_exclude_each_other() {
    let mut asking = Asking::over(AUTH);
    for (more, told) in [
        (json!({ "fullContent": true, "matchString": "x" }), "exclude each other"),
        (json!({ "fullContent": true, "startLine": 1, "endLine": 2 }), "exclude each other"),
        (json!({ "matchString": "x", "startLine": 1, "endLine": 2 }), "exclude each other"),
        (json!({ "startLine": 1 }), "`startLine` needs `endLine`"),
        (json!({ "endLine": 1 }), "`endLine` needs `startLine`"),
        (json!({ "startLine": 3, "endLine": 2 }), "`startLine` 3 is behind `endLine` 2"),
        (json!({ "matchString": "" }), "`matchString` is empty"),
        (json!({ "charLength": 10_001 }), "from 1 to 10000"),
        (json!({ "matchStringContextLines": 51 }), "from 1 to 50"),
    ] {
        let row = asking.refused("localGetFileContent", with(json!({ "path": "src/utils.ts" }), more));
        assert_eq!(row["code"], "VALIDATION_ERROR", "{row:#}");
        assert!(row["error"].as_str().unwrap().contains(told), "{row:#}");
    }
    let behind =
        asking.refused("localGetFileContent", json!({ "path": "src/utils.ts", "charOffset": 90_000 }));
    assert_eq!(behind["code"], "INVALID_QUERY", "{behind:#}");
}
