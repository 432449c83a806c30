//! Are remote files and their parts read as documented?

use base64::Engine as _;
use orienteer_testkit::emulator::Emulator;
use serde_json::{Value, json};

use super::emulated::{REACT, here, put};
use super::support::{Asking, hints, keys, with};

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
fn what_a_stranger_wrote_is_shown_as_it_is() {
    let emulator = Emulator::start();
    put(&emulator, "odd.txt", "a\u{202e}b\u{200b}c\n");
    let mut asking = Asking::of(&emulator);
    let data = asking.get("githubGetFileContent", here(&emulator, json!({ "path": "odd.txt" })));
    assert_eq!(data["content"], "a\\u{202e}b\\u{200b}c\n");
}

fn decoded(content: &str) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD
        .decode(content)
        .unwrap_or_else(|error| panic!("{error}: {content}"))
}

#[test]
fn a_binary_file_is_read_as_base64() {
    let emulator = Emulator::start();
    let logo: Vec<u8> = b"\x89PNG\r\n\x1a\n\0".iter().copied().chain((0..=255).cycle().take(1_000)).collect();
    put(&emulator, "logo.png", &logo);
    let mut asking = Asking::of(&emulator);
    let read = |more: Value| with(here(&emulator, json!({ "path": "logo.png" })), more);
    for more in [json!({}), json!({ "fullContent": true })] {
        let row = asking.row("githubGetFileContent", read(more));
        assert_eq!(keys(&row["data"]), ["content", "encoding", "sha", "size"], "{row:#}");
        assert_eq!((&row["data"]["encoding"], &row["data"]["size"]), (&json!("base64"), &json!(logo.len())));
        assert_eq!(decoded(row["data"]["content"].as_str().unwrap()), logo);
        assert!(hints(&row).contains("The file is binary: `content` is base64"), "{row:#}");
    }
    let (mut whole, mut offset, mut pages) = (String::new(), json!(0), 0);
    loop {
        let page = json!({ "charOffset": offset, "charLength": 301 });
        let data = asking.get("githubGetFileContent", read(page));
        assert_eq!(data["encoding"], "base64");
        whole.push_str(data["content"].as_str().unwrap());
        pages += 1;
        let pagination = &data["pagination"];
        assert_eq!(pagination["totalChars"], logo.len().div_ceil(3) * 4);
        if pagination["hasMore"] == json!(false) {
            break;
        }
        offset = pagination["nextCharOffset"].clone();
    }
    assert_eq!((decoded(&whole), pages), (logo.clone(), 5));
    // It has no lines: what was asked for is not there, and what there is can be had.
    for more in [json!({ "startLine": 1, "endLine": 2 }), json!({ "matchString": "PNG" })] {
        let row = asking.refused("githubGetFileContent", read(more));
        assert_eq!(row["code"], "UNSUPPORTED", "{row:#}");
        assert!(hints(&row).contains("Read it as base64, in pages: githubGetFileContent"), "{row:#}");
    }
}

#[test]
fn a_large_binary_file_is_read_in_pages_and_one_with_a_secret_not_at_all() {
    let emulator = Emulator::start();
    let large: Vec<u8> = (0..=255).cycle().take(400_000).collect();
    put(&emulator, "large.bin", &large);
    // Put together here, so that this file itself has nothing that looks like a token.
    let token = ["gh", "p_", "x7Qk2Lw9Rt5Zb8Vn3Mc6Hd1Jf4Gs0Pq2Xy07"].concat();
    put(&emulator, "state.bin", format!("\0\0saved {token} \0"));
    let mut asking = Asking::of(&emulator);
    let row = asking.refused("githubGetFileContent", here(&emulator, json!({ "path": "large.bin" })));
    assert_eq!(row["code"], "FILE_TOO_LARGE", "{row:#}");
    let last = json!({ "path": "large.bin", "charOffset": 500_000, "charLength": 50_000 });
    let data = asking.get("githubGetFileContent", here(&emulator, last));
    assert_eq!(decoded(data["content"].as_str().unwrap()), large[375_000..]);
    let row = asking.refused("githubGetFileContent", here(&emulator, json!({ "path": "state.bin" })));
    assert_eq!(row["code"], "UNSUPPORTED", "{row:#}");
    assert!(row["error"].as_str().unwrap().contains("holds what looks like a secret"), "{row:#}");
}
