//! The tools that the language server answers.

use orienteer_testkit::fake::{Record, Script};
use orienteer_testkit::workspaces::PYTHON;
use serde_json::{Value, json};

use super::support::{Client, fields, over};

const TOTAL: &str = "src/shapes/total.py";
const REPORT: &str = "src/shapes/report.py";
const UNICODE: &str = "src/shapes/unicode_names.py";

const TOTAL_AREA: [&str; 9] = [
    "src/shapes/__init__.py:4:26",
    "src/shapes/__init__.py:6:56",
    "src/shapes/report.py:4:26",
    "src/shapes/report.py:8:20",
    "src/shapes/total.py:8:5",
    "src/shapes/unicode_names.py:4:26",
    "src/shapes/unicode_names.py:11:43",
    "tests/test_shapes.py:1:48",
    "tests/test_shapes.py:6:12",
];

const ADD: &str = "//- /pyproject.toml\n[project]\nname = \"x\"\n//- /add.py\n\
    def add(x: int, y: int) -> int:\n    \"\"\"Add two integers.\"\"\"\n    return x + y\n\n\ntotal = add(1, 2)\n";

#[test]
fn a_hover_is_symbol_type_and_documentation() {
    let mut client = over(ADD).start();
    let answer = client.success("get_hover", client.place("add.py", 6, 9));
    assert_eq!(
        answer,
        json!({
            "status": "success",
            "symbol": "add",
            "type": "(x: int, y: int) -> int",
            "documentation": "Add two integers.",
        }),
        "as in the document's example"
    );
    assert_eq!(fields(&answer), ["status", "symbol", "type", "documentation"]);
    let variable = client.success("get_hover", client.place("add.py", 6, 1));
    assert_eq!((&variable["symbol"], &variable["type"]), (&json!("total"), &json!("int")));
    assert_eq!(variable["documentation"], Value::Null);
    client.end();
}

#[test]
fn nothing_to_hover_over_is_a_success_without_information() {
    let mut client = over(ADD).start();
    for (line, column) in [(4, 1), (6, 7)] {
        let answer = client.success("get_hover", client.place("add.py", line, column));
        assert_eq!(
            answer,
            json!({ "status": "success", "symbol": null, "type": null, "documentation": null }),
            "{line}:{column}"
        );
    }
    client.end();
}

#[test]
fn a_definition_is_file_line_and_column() {
    let mut client = over(PYTHON).start();
    let answer = client.success("go_to_definition", client.place(REPORT, 8, 20));
    assert_eq!(fields(&answer), ["status", "definitions"]);
    let expected = json!([{ "file": client.at(TOTAL), "line": 8, "column": 5 }]);
    assert_eq!(answer["definitions"], expected);
    let answer = client.success("go_to_definition", client.place(UNICODE, 11, 43));
    assert_eq!(client.spots(&answer["definitions"]), ["src/shapes/total.py:8:5"], "columns are characters");
    client.end();
}

#[test]
fn no_definition_is_an_empty_list() {
    let mut client = over(PYTHON).start();
    let answer = client.success("go_to_definition", client.place(REPORT, 2, 1));
    assert_eq!(answer, json!({ "status": "success", "definitions": [] }));
    client.end();
}

#[test]
fn a_definition_in_the_standard_library_can_be_gone_on_from() {
    let mut client = over(PYTHON).start();
    let answer = client.success("go_to_definition", client.place("src/shapes/round.py", 13, 21));
    let row = &answer["definitions"][0];
    let file = row["file"].as_str().unwrap();
    assert!(file.contains("/stdlib/math"), "{answer:#}");
    let there = json!({ "file": file, "line": row["line"], "column": row["column"] });
    let hover = client.success("get_hover", there);
    assert_eq!(hover["symbol"], "pi", "{hover:#}");
    assert_eq!(client.servers().len(), 1, "it is the workspace's own server that knows it");
    client.end();
}

#[test]
fn references_are_all_of_them_with_or_without_the_declaration() {
    let mut client = over(PYTHON).start();
    let answer = client.success("find_references", client.place(TOTAL, 8, 5));
    assert_eq!(fields(&answer), ["status", "references", "total"]);
    assert_eq!(client.spots(&answer["references"]), TOTAL_AREA, "also the first, cold answer is whole");
    assert_eq!(answer["total"], 9);
    let mut place = client.place(TOTAL, 8, 5);
    place["include_declaration"] = json!(false);
    let answer = client.success("find_references", place);
    let others: Vec<&str> =
        TOTAL_AREA.into_iter().filter(|spot| *spot != "src/shapes/total.py:8:5").collect();
    assert_eq!(client.spots(&answer["references"]), others);
    assert_eq!(answer["total"], 8);
    client.end();
}

#[test]
fn changes_on_disk_are_seen_by_the_next_question() {
    let mut client = over(PYTHON).start();
    assert_eq!(client.success("find_references", client.place(TOTAL, 8, 5))["total"], 9);
    client.tree.write("tests/more.py", "from shapes import total_area\n\ntotal_area([])\n");
    assert_eq!(client.success("find_references", client.place(TOTAL, 8, 5))["total"], 11);
    client
        .tree
        .write(TOTAL, "def first() -> None: ...\n\n\ndef total_area(shapes: list) -> int:\n    return 1\n");
    let moved = client.success("go_to_definition", client.place(REPORT, 8, 20));
    assert_eq!(client.spots(&moved["definitions"]), ["src/shapes/total.py:4:5"]);
    client.end();
}

fn labels(answer: &Value) -> Vec<&str> {
    answer["completions"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect()
}

#[test]
fn completions_have_kind_detail_documentation_and_text() {
    let mut client = over(PYTHON).start();
    client.tree.write("src/shapes/draft.py", "from shapes.flat import Square\n\nSquare(2).\n");
    let mut place = client.place("src/shapes/draft.py", 3, 11);
    place["trigger_character"] = json!(".");
    let answer = client.success("get_completions", place.clone());
    assert_eq!(fields(&answer), ["status", "completions", "is_incomplete"]);
    let found = labels(&answer);
    assert!(found.contains(&"area") && found.contains(&"describe") && found.contains(&"side"), "{found:?}");
    assert!(answer["is_incomplete"].is_boolean(), "as the server says");
    let items = answer["completions"].as_array().unwrap();
    let area = items.iter().find(|item| item["label"] == "area").unwrap();
    assert_eq!(fields(area), ["label", "kind", "detail", "documentation", "insert_text"]);
    assert_eq!((&area["kind"], &area["insert_text"]), (&json!("method"), &json!("area")), "kinds are words");
    let told = area["documentation"].as_str().unwrap_or_default();
    assert!(told.contains("-> float"), "the type is told: {area:#}");
    // Without the character that was typed the answer is the same here.
    place.as_object_mut().unwrap().remove("trigger_character");
    assert_eq!(labels(&client.success("get_completions", place)), found);
    client.end();
}

#[test]
fn the_character_that_was_typed_reaches_the_server() {
    let start = over("//- /pyproject.toml\n//- /a.py\ndef square n -> Number\n").fake(&Script::new());
    let record = Record::of(&start.tree.beside("fake").join("fake.json"));
    let mut client = start.start();
    let typed = |character: &str| json!({ "triggerKind": 2, "triggerCharacter": character });
    let rows = [(Some("."), typed(".")), (Some("("), typed("(")), (None, json!({ "triggerKind": 1 }))];
    for (at, (character, context)) in rows.into_iter().enumerate() {
        let mut place = client.place("a.py", 1, 5);
        if let Some(character) = character {
            place["trigger_character"] = json!(character);
        }
        let answer = client.success("get_completions", place);
        assert_eq!((labels(&answer), &answer["is_incomplete"]), (vec!["square"], &json!(false)), "{answer}");
        let asked = record.received("textDocument/completion");
        assert_eq!(asked.len(), at + 1, "{asked:?}");
        assert_eq!(asked[at]["params"]["context"], context, "{character:?}");
    }
    client.end();
}

#[test]
fn a_long_list_of_completions_says_that_it_is_cut() {
    let mut client = over(PYTHON).start();
    let names: String = (0..400).map(|number| format!("name_{number:03} = {number}\n")).collect();
    client.tree.write("src/many.py", format!("{names}name_\n"));
    let answer = client.success("get_completions", client.place("src/many.py", 401, 6));
    assert_eq!(answer["is_incomplete"], true);
    assert_eq!(answer["completions"].as_array().unwrap().len(), 200);
    assert!(
        answer["warnings"][0].as_str().unwrap().starts_with("the first 200 of "),
        "{}",
        answer["warnings"]
    );
    client.end();
}

#[test]
fn a_signature_has_parameters_and_the_active_one() {
    let mut client = over(ADD).start();
    let answer = client.success("get_signature", client.place("add.py", 6, 16));
    assert_eq!(fields(&answer), ["status", "signatures", "active_signature", "active_parameter"]);
    assert_eq!((&answer["active_signature"], &answer["active_parameter"]), (&json!(0), &json!(1)));
    let signature = &answer["signatures"][0];
    assert_eq!(fields(signature), ["label", "documentation", "parameters"]);
    assert_eq!(signature["label"], "(x: int, y: int) -> int");
    assert_eq!(signature["documentation"], "Add two integers.");
    assert_eq!(signature["parameters"][1]["label"], "y: int");
    let outside = client.success("get_signature", client.place("add.py", 4, 1));
    assert_eq!(outside["signatures"], json!([]));
    assert_eq!((&outside["active_signature"], &outside["active_parameter"]), (&Value::Null, &Value::Null));
    client.end();
}

fn native(tool: &str, arguments: Value) -> Value {
    let mut ours = over(PYTHON).native().start();
    let answer = ours.server.call(tool, arguments)["structuredContent"].clone();
    assert_eq!(answer["ok"], true, "{answer:#}");
    answer
}

fn native_spots(rows: &Value) -> Vec<String> {
    let one =
        |row: &Value| format!("{}:{}:{}", row["file_path"].as_str().unwrap(), row["line"], row["column"]);
    rows.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn the_native_contract_names_the_same_places() {
    let mut client: Client = over(PYTHON).start();
    let at = json!({ "file_path": UNICODE, "line": 11, "column": 43 });
    let ours = native("find_references", at.clone());
    let theirs = client.success("find_references", client.place(UNICODE, 11, 43));
    assert_eq!(client.spots(&theirs["references"]), native_spots(&ours["references"]));
    assert_eq!(theirs["total"], ours["total_count"]);
    let ours = native("find_definition", at.clone());
    let theirs = client.success("go_to_definition", client.place(UNICODE, 11, 43));
    assert_eq!(client.spots(&theirs["definitions"]), native_spots(&ours["definitions"]));
    let ours = native("hover", at);
    let theirs = client.success("get_hover", client.place(UNICODE, 11, 43));
    assert_eq!(theirs["documentation"], ours["contents"]["documentation"]);
    let info = ours["contents"]["type_info"].as_str().unwrap();
    assert!(info.ends_with(theirs["type"].as_str().unwrap()), "{info} / {theirs}");
    client.end();
}
