use orienteer_base::{Completeness, Freshness, Source};
use proptest::prelude::*;

use super::super::Trust;
use super::*;
use crate::render::Parts;

fn trust(completeness: Completeness) -> Trust {
    Trust { completeness, source: Source::Text, freshness: Freshness::default() }
}

/// Strings with everything that JSON writes longer than it is.
fn awkward() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,40}",
        "[\"\\\\\n\t\u{1}\u{7f}é😀]{0,60}",
        (0usize..4000).prop_map(|count| "\"".repeat(count)),
        (0usize..9000).prop_map(|count| "line\n".repeat(count / 5)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![awkward().prop_map(Value::from), any::<u32>().prop_map(Value::from), Just(Value::Null)];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,8}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn row() -> impl Strategy<Value = Row> {
    let parts = prop::option::of(prop::collection::vec((value(), awkward()), 0..8));
    (value(), awkward(), parts).prop_map(|(value, line, parts)| Row {
        parts: parts.map(|items| Parts { field: "parts", items }),
        ..Row::new(value, line)
    })
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        Just(()).prop_map(|()| Body::None),
        (awkward(), any::<bool>()).prop_map(|(text, raw)| Body::Text {
            field: "content",
            text,
            first_line: 7,
            numbers: vec![Some(12), None],
            raw
        }),
        prop::collection::vec(row(), 0..12).prop_map(|rows| Body::Rows { field: "rows", rows }),
        prop::collection::vec(row(), 0..6).prop_map(|rows| Body::Shares { field: "rows", rows }),
    ]
}

fn input() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("[a-z]{1,8}", value(), 0..4).prop_map(|map| map.into_iter().collect())
}

/// What rmcp would put on the wire for a result.
fn wire(outcome: &Outcome) -> usize {
    serde_json::to_string(&crate::server::result(outcome.clone())).unwrap().chars().count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_answer_exceeds_its_cap(
        body in body(),
        input in input(),
        fields in input(),
        head in prop::collection::vec(awkward(), 0..3),
        cap in 2_000usize..20_000,
        path in 0usize..3_000,
        most in 1usize..20,
        beside in prop::collection::vec((value(), awkward()), 0..30),
    ) {
        let reply = Reply {
            fields,
            head,
            body,
            trust: Some(trust(Completeness::Complete)),
            resume: Some(Box::new(move |kept| (!kept.all).then(|| json!({ "p": "x".repeat(path), "m": kept.parts })))),
            lists: vec![List { field: "beside", title: "Beside:".to_owned(), items: beside, part: 6 }],
            total: Some(12),
            ..Reply::default()
        };
        let outcome = success("tool", &input, reply, Limits { max_results: most, ..limits(cap) }, "12345678");
        prop_assert!(wire(&outcome) <= cap, "{} > {cap}", wire(&outcome));
        prop_assert!(outcome.chars() >= wire(&outcome).saturating_sub(60));
        for field in ["schema_version", "ok", "tool", "server_id", "input", "warnings", "truncated"] {
            prop_assert!(outcome.structured.contains_key(field), "{field}");
        }
    }

    #[test]
    fn no_error_exceeds_its_cap(
        message in awkward(),
        input in input(),
        candidates in prop::collection::vec(awkward(), 0..40),
        facts in prop::collection::vec(awkward(), 0..8),
        list in prop::collection::vec(awkward(), 0..60),
    ) {
        let mut problem = Problem::new(ErrorKind::NotFound, message).candidates(candidates).fact("paths", list);
        for fact in facts {
            problem = problem.fact("stderr", fact.clone()).fact("server_id", fact);
        }
        let steps = vec![crate::error::NextStep::tool("tool", Value::Object(input.clone()), "Try again.")];
        let broken = Failure { problem, next_steps: steps };
        let outcome = failure("tool", &input, &broken, Budget::new(2_000));
        prop_assert!(wire(&outcome) <= 2_000, "{}", wire(&outcome));
        prop_assert_eq!(&outcome.structured["error"]["kind"], "not_found");
    }
}

fn limits(cap: usize) -> Limits {
    Limits { budget: Budget::new(cap), max_results: usize::MAX }
}

fn rows(count: usize, width: usize) -> Reply {
    let rows = (0..count)
        .map(|at| Row::new(json!({ "at": at, "text": "x".repeat(width) }), format!("row {at}")))
        .collect();
    Reply {
        body: Body::Rows { field: "rows", rows },
        trust: Some(trust(Completeness::Complete)),
        resume: Some(Box::new(|kept| (!kept.all).then(|| json!(kept.rows)))),
        total: Some(count as u64),
        ..Reply::default()
    }
}

#[test]
fn what_is_cut_says_so_and_how_to_go_on() {
    let outcome = success("tool", &Map::new(), rows(100, 200), limits(5_000), "12345678");
    let kept = outcome.structured["rows"].as_array().unwrap().len();
    assert!(kept > 5 && kept < 100, "{kept}");
    assert_eq!(outcome.structured["truncated"], true);
    assert_eq!(outcome.structured["returned_results"], kept);
    assert_eq!(outcome.structured["total_estimate"], 100);
    assert_eq!(outcome.structured["completeness"], json!({ "state": "partial", "reason": "capped" }));
    let cursor = outcome.structured["cursor"].as_str().unwrap();
    assert_eq!(cursor::decode(cursor, "12345678").unwrap(), json!(kept));
    assert!(cursor::decode(cursor, "87654321").is_err());
    assert!(outcome.text.contains(cursor));
}

#[test]
fn what_fits_is_whole() {
    let outcome = success("tool", &Map::new(), rows(3, 20), limits(5_000), "12345678");
    assert_eq!(outcome.structured["rows"].as_array().unwrap().len(), 3);
    assert_eq!(outcome.structured["truncated"], false);
    assert_eq!(outcome.structured["completeness"]["state"], "complete");
    assert!(!outcome.structured.contains_key("cursor"));
    assert_eq!(outcome.text, "row 0\nrow 1\nrow 2");
}

#[test]
fn max_results_counts_results_and_leaves_a_cursor() {
    let limits = Limits { max_results: 3, ..limits(5_000) };
    let outcome = success("tool", &Map::new(), rows(10, 20), limits, "12345678");
    assert_eq!(outcome.structured["returned_results"], 3);
    assert_eq!(outcome.structured["truncated"], true);
    let cursor = outcome.structured["cursor"].as_str().unwrap();
    assert_eq!(cursor::decode(cursor, "12345678").unwrap(), json!(3));
}

#[test]
fn what_cannot_be_shortened_is_an_error_not_an_empty_page() {
    let path = "d/".repeat(900);
    let items = vec![(json!({ "line": 1, "content": "x" }), "x".to_owned())];
    let value = json!({ "file_path": path });
    let row = Row { parts: Some(Parts { field: "matches", items }), ..Row::new(value, String::new()) };
    let reply = Reply { body: Body::Rows { field: "files", rows: vec![row] }, ..Reply::default() };
    let outcome = success("tool", &Map::new(), reply, limits(2_000), "12345678");
    assert_eq!(outcome.structured["error"]["kind"], "too_large");
    assert!(outcome.structured["message"].as_str().unwrap().contains("raise `max_total_chars`"));
}

#[test]
fn notes_and_partial_answers_are_told_in_the_text() {
    let mut reply = rows(1, 5);
    reply.trust = Some(trust(Completeness::partial(orienteer_base::Reason::Unreadable)));
    reply.warnings.push(orienteer_base::answer::Warning::new("unreadable", "could not be read: x"));
    let outcome = success("tool", &Map::new(), reply, limits(5_000), "12345678");
    assert_eq!(outcome.text, "row 0\nNote: could not be read: x\nPartial answer: unreadable.");
}

#[test]
fn a_single_result_that_is_too_large_is_shortened_and_says_so() {
    let outcome = success("tool", &Map::new(), rows(1, 90_000), limits(5_000), "12345678");
    let text = outcome.structured["rows"][0]["text"].as_str().unwrap();
    assert!(text.ends_with('…') && text.len() > 500, "{}", text.len());
    assert_eq!(outcome.structured["warnings"][0]["kind"], "shortened");
    assert_eq!(outcome.structured["truncated"], true);
    assert_eq!(outcome.structured["completeness"]["reason"], "capped");
}

#[test]
fn text_is_cut_between_lines() {
    let reply = Reply {
        body: Body::Text {
            field: "content",
            text: "a line of text\n".repeat(1_000),
            first_line: 1,
            numbers: Vec::new(),
            raw: false,
        },
        resume: Some(Box::new(|kept| (!kept.all).then(|| json!([kept.lines, kept.tail])))),
        ..Reply::default()
    };
    let outcome = success("tool", &Map::new(), reply, limits(5_000), "12345678");
    let content = outcome.structured["content"].as_str().unwrap();
    assert!(content.ends_with("a line of text\n"), "{content}");
    assert!(outcome.text.starts_with("1| a line of text\n2| a line of text\n"), "{}", outcome.text);
    let cursor = outcome.structured["cursor"].as_str().unwrap();
    assert_eq!(cursor::decode(cursor, "12345678").unwrap(), json!([content.lines().count(), 0]));
}

#[test]
fn a_list_beside_the_body_is_cut_to_its_part_and_says_so() {
    let items =
        (0..50).map(|at| (json!({ "file_path": format!("src/{at}.rs") }), format!("src/{at}.rs"))).collect();
    let reply = Reply {
        lists: vec![List { field: "files", title: "Files:".to_owned(), items, part: 8 }],
        ..rows(2, 20)
    };
    let outcome = success("tool", &Map::new(), reply, limits(3_000), "12345678");
    let kept = outcome.structured["files"].as_array().unwrap().len();
    assert!(kept > 3 && kept < 50, "{kept}");
    assert_eq!(outcome.structured["rows"].as_array().unwrap().len(), 2, "the body is whole");
    assert_eq!(outcome.structured["truncated"], false, "no cursor leads to the rest of the list");
    assert_eq!(outcome.structured["warnings"][0]["kind"], "list_cut");
    assert!(outcome.text.contains("row 1\nFiles:\nsrc/0.rs"), "{}", outcome.text);
    assert!(outcome.text.contains(&format!("Note: `files` shows {kept} of 50")), "{}", outcome.text);
}

#[test]
fn where_it_came_from_and_how_fresh_it_is_are_told() {
    let mut reply = rows(1, 5);
    let freshness = Freshness { generation: 2, synced_files: 3, waited_ms: 40 };
    let completeness =
        Completeness::Partial { reason: orienteer_base::Reason::ServerIndexing, retry_after_ms: Some(1_500) };
    reply.trust = Some(Trust { completeness, source: Source::Lsp, freshness });
    reply.server_id = Some("gopls".to_owned());
    reply.resume = Some(Box::new(|_| Some(json!(1))));
    let outcome = success("tool", &Map::new(), reply, limits(5_000), "12345678");
    assert_eq!(
        outcome.structured["freshness"],
        json!({ "generation": 2, "synced_files": 3, "waited_ms": 40 })
    );
    assert_eq!(outcome.structured["server_id"], "gopls");
    assert_eq!(outcome.structured["source"], "lsp");
    assert!(
        outcome.text.contains("Partial answer: server_indexing; ask again in 1500 ms."),
        "a cursor does not say it: {}",
        outcome.text
    );
}

#[test]
fn secrets_beside_the_body_are_hidden_too() {
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3lN5");
    let reply = Reply {
        head: vec![format!("const TOKEN = \"{token}\"")],
        fields: Map::from_iter([("contents".to_owned(), json!({ "type_info": token }))]),
        lists: vec![List {
            field: "l",
            title: "L:".into(),
            items: vec![(json!(token), token.clone())],
            part: 4,
        }],
        ..Reply::default()
    };
    let mut reply = reply;
    crate::render::screen(&mut reply, Some(&crate::render::Hider::new()));
    let outcome = success("tool", &Map::new(), reply, limits(5_000), "12345678");
    assert!(!format!("{}{:?}", outcome.text, outcome.structured).contains(&token), "{}", outcome.text);
    assert_eq!(outcome.structured["warnings"][0]["kind"], "redacted");
}
