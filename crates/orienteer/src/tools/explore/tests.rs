use orienteer_base::code::{FileCount, Hover};
use orienteer_base::{ErrorKind, Source};
use serde_json::{Value, json};

use super::super::hierarchy::tests::item;
use super::super::place::tests::place;
use super::super::symbols::tests::symbol;
use super::*;
use crate::tools::testing::rendered;

fn explored(size: usize) -> Explored {
    Explored {
        symbol: symbol("Type/run", 4, Vec::new()),
        definition: place("src/a.rs", 4, "fn run() {"),
        body: Some("fn run() {\n    \"quoted\";\n}\n".repeat(size)),
        body_line: 3,
        hover: Some(Hover { documentation: Some("Runs.".repeat(size)), ..Hover::default() }),
        references_total: Some(3),
        references_files: vec![FileCount { file_path: "src/b.rs".to_owned(), count: 3 }],
        unconfirmed_total: Some(0),
        callers: (0..size).map(|_| item("near", 1, 2)).collect(),
        callees: Vec::new(),
        implementations: Vec::new(),
        tests: vec![place("tests/t.rs", 9, "run();")],
        missing: vec![("implementations", "the server does not know them".to_owned())],
    }
}

fn reply(results: &[Result<Explored, Problem>], cap: usize) -> Reply {
    let share = share(cap, results.len());
    let rows = results.iter().enumerate().map(|(index, result)| {
        let (value, line) = match result {
            Ok(explored) => render::symbol(index, explored, &wanted(&[]), most_rows(share)),
            Err(problem) => render::failed(index, problem),
        };
        Row::new(value, line)
    });
    Reply { body: Body::Shares { field: "symbols", rows: rows.collect() }, ..Reply::default() }
}

#[test]
fn a_section_that_was_not_answered_is_named_with_its_reason() {
    let outcome = rendered(reply(&[Ok(explored(1))], 24_000), 24_000);
    let row = &outcome.structured["symbols"][0];
    assert_eq!(row["implementations"], Value::Null);
    assert_eq!(row["callees"], json!([]), "answered, and there are none");
    assert_eq!(row["missing"][0]["section"], "implementations");
    assert_eq!(row["references_summary"]["total_count"], 3);
    assert_eq!(row["definition"]["symbol_id"], "src/a.rs#Type/run");
    assert_eq!(
        outcome.text,
        "── 1. src/a.rs:4:1  method Type/run  def run( self)\n    | Runs.\nreferences: 3 in 1 file: src/b.rs (3)\n\
         callers: 1\n  method Type/near  src/a.rs:10:5\n      src/b.rs:1:5  x();\n      src/b.rs:2:5  x();\n\
         callees: 0\ntests: 1\n  tests/t.rs:9:5  run();\n\
         implementations: not answered: the server does not know them\n\
         body:\n3| fn run() {\n4|     \"quoted\";\n5| }"
    );
}

#[test]
fn what_only_text_has_is_counted() {
    let more = Explored { unconfirmed_total: Some(2), ..explored(1) };
    let outcome = rendered(reply(&[Ok(more)], 24_000), 24_000);
    assert_eq!(outcome.structured["symbols"][0]["references_summary"]["unconfirmed_count"], 2);
    assert!(
        outcome.text.contains(
            "src/b.rs (3); the name also stands at 2 other places (`find_references` lists them)\n"
        ),
        "{}",
        outcome.text
    );
}

#[test]
fn only_the_sections_that_were_asked_for_are_sent() {
    let (value, line) = render::symbol(0, &explored(1), &wanted(&[SectionArg::Tests, SectionArg::Tests]), 5);
    let names: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(names, ["index", "definition", "tests", "missing"]);
    assert!(!line.contains("body:"));
}

#[test]
fn a_target_that_failed_is_a_row_and_the_others_are_shown() {
    let ambiguous = Problem::new(ErrorKind::Ambiguous, "two of them").candidates(vec!["a#run".to_owned()]);
    let outcome = rendered(reply(&[Err(ambiguous), Ok(explored(1))], 24_000), 24_000);
    assert!(!outcome.is_error);
    assert_eq!(outcome.structured["symbols"][0]["error"]["kind"], "ambiguous");
    assert_eq!(outcome.structured["symbols"][0]["error"]["data"]["candidates"][0], "a#run");
    assert_eq!(outcome.structured["symbols"][1]["definition"]["name"], "run");
    assert!(
        outcome.text.starts_with("── 1. failed: two of them\ncandidates: a#run\n── 2."),
        "{}",
        outcome.text
    );
}

#[test]
fn every_symbol_gets_its_share_however_large_the_others_are() {
    for (cap, count) in [(5_000, 1), (24_000, 1), (24_000, 5), (60_000, 5), (12_000, 3)] {
        let results: Vec<_> = (0..count).map(|at| Ok(explored(if at == 0 { 400 } else { 20 }))).collect();
        let outcome = rendered(reply(&results, cap), cap);
        assert!(outcome.chars() <= cap, "{} > {cap}", outcome.chars());
        let rows = outcome.structured["symbols"].as_array().unwrap();
        assert_eq!(rows.len(), count, "{cap}");
        for (at, row) in rows.iter().enumerate() {
            assert_eq!(row["definition"]["symbol_id"], "src/a.rs#Type/run", "{cap}");
            assert!(
                outcome.text.contains(&format!("── {}. src/a.rs:4:1", at + 1)),
                "{cap}: {}",
                outcome.text
            );
        }
    }
}

#[test]
fn what_comes_from_elsewhere_says_so() {
    let mut explored = explored(1);
    explored.tests[0].source = Source::Text;
    let (value, _) = render::symbol(0, &explored, &wanted(&[]), 5);
    assert_eq!(value["tests"][0]["source"], "text");
    assert_eq!(value["definition"]["source"], "lsp");
}
