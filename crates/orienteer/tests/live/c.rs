//! clangd.

use orienteer_testkit::workspaces::{
    C, CPP, CPP_BROKEN, ODD_FOLDER, compile_commands, crlf, file, in_folder,
};
use orienteer_testkit::{Tree, tree};
use serde_json::json;

use crate::support::{at, counts, findings, hierarchy, named, over_tree, spots, uses, with, word};

const HEADER: &str = "include/shape.hpp";
const REPORT: &str = "src/report.cpp";
const MAIN: &str = "src/main.cpp";

pub(crate) const TOTAL_AREA: [&str; 4] =
    ["include/shape.hpp:29:8!", "src/main.cpp:6:67", "src/report.cpp:5:22", "src/shape.cpp:10:8!"];

/// A program whose compile commands are known.
pub(crate) fn program(fixture: &str) -> Tree {
    let tree = tree(fixture);
    compile_commands(tree.root());
    tree
}

#[test]
fn finding_the_way() {
    let mut live = over_tree(program(CPP)).start();
    // Of a cold server: the definition, not the declaration in the header.
    assert_eq!(live.definitions(at(REPORT, 5, 22)), ["src/shape.cpp:10:8"]);
    let cold = live.ask("find_references", at(REPORT, 5, 22));
    assert_eq!((uses(&cold), &cold["server_id"]), (TOTAL_AREA.map(str::to_owned).to_vec(), &json!("clangd")));
    assert_eq!(
        counts(&cold),
        ["include/shape.hpp 1", "src/main.cpp 1", "src/report.cpp 1", "src/shape.cpp 1"]
    );
    assert!(cold["references"].as_array().unwrap().iter().all(|row| word(row) == "total_area"), "{cold}");
    assert_eq!(live.ask("find_references", at(MAIN, 6, 67))["references"], cold["references"]);
    // A declaration and its definition are one symbol.
    assert_eq!(live.references(named("total_area")), TOTAL_AREA);
    assert_eq!(live.references(named("geometry::total_area")), TOTAL_AREA);
    assert_eq!(live.relation("declaration", at(REPORT, 5, 22)), ["include/shape.hpp:29:8"]);
    assert_eq!(live.relation("type_definition", at(REPORT, 5, 33)), ["include/shape.hpp:8:8"]);
    assert_eq!(
        live.relation("implementation", named("Shape")),
        ["include/shape.hpp:14:8", "include/shape.hpp:21:8"]
    );
    assert_eq!(
        live.relation("implementation", named("Shape::area")),
        ["src/shape.cpp:5:16", "src/shape.cpp:7:16"]
    );

    let hover = live.ask("hover", at(MAIN, 6, 67));
    assert_eq!(hover["contents"]["type_info"], "Number total_area(const Shape &one, const Shape &two)");
    assert_eq!(hover["contents"]["source_module"], "geometry");
    assert!(
        hover["contents"]["documentation"].as_str().unwrap().contains("- `const Shape & one`"),
        "{hover}"
    );
    assert_eq!(hover["range"], json!({ "line": 6, "column": 67, "end_line": 6, "end_column": 77 }));
    let outline = [
        "namespace geometry 3:11",
        "  type_alias geometry/Number 5:7",
        "  struct geometry/Shape 8:8",
        "    method geometry/Shape/~Shape 9:13",
        "    method geometry/Shape/area 11:20",
        "  struct geometry/Circle 14:8",
        "    constructor geometry/Circle/Circle 15:14",
        "    method geometry/Circle/area 16:12",
        "    field geometry/Circle/radius 17:12",
        "  struct geometry/Square 21:8",
        "    constructor geometry/Square/Square 22:14",
        "    method geometry/Square/area 23:12",
        "    field geometry/Square/side 24:12",
        "  function geometry/total_area 29:8",
        "function report 33:13",
    ];
    let found = live.outline(HEADER);
    let kinds = |rows: &[String]| {
        rows.iter()
            .map(|row| {
                row.replace("method geometry/Shape/~Shape", "destructor")
                    .replace("constructor geometry/Shape/~Shape", "destructor")
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(&found), kinds(&outline.map(str::to_owned)));
    assert_eq!(live.references(json!({ "symbol_id": "include/shape.hpp#geometry/total_area" })), TOTAL_AREA);

    let total = ["function geometry/total_area src/shape.cpp:10:8"];
    assert_eq!(live.symbols(json!({ "query": "total_area", "match": "exact" })), total);
    assert_eq!(live.symbols(json!({ "query": "tot", "match": "prefix" })), total);
    assert_eq!(
        live.symbols(json!({ "query": "Circle::area", "match": "exact" })),
        ["method geometry/Circle/area src/shape.cpp:5:16"]
    );
    assert_eq!(
        live.symbols(json!({ "query": "repo", "path": "src" })),
        ["function report src/report.cpp:4:13"]
    );

    assert_eq!(
        live.calls(with(named("total_area"), json!({ "depth": 2 }))),
        [
            "1 main src/main.cpp:3:5 <- 6:67",
            "1 report src/report.cpp:4:13 <- 5:22",
            "2 main src/main.cpp:3:5* <- 7:23"
        ]
    );
    let refused = live.refused("call_hierarchy", with(named("report"), json!({ "direction": "outgoing" })));
    assert_eq!(
        (&refused["error"]["kind"], &refused["error"]["data"]["method"]),
        (&json!("unsupported"), &json!("callHierarchy/outgoingCalls"))
    );
    let types = live.ask("type_hierarchy", named("Shape"));
    assert_eq!(
        hierarchy(&types),
        ["1 geometry/Circle include/shape.hpp:14:8", "1 geometry/Square include/shape.hpp:21:8"]
    );
    assert_eq!(types["items"][0]["relation"], "subtype");
    let above = live.ask("type_hierarchy", with(named("Square"), json!({ "direction": "supertypes" })));
    assert_eq!(hierarchy(&above), ["1 geometry/Shape include/shape.hpp:8:8"]);
    let signature = live.ask("signature_help", at(MAIN, 6, 78));
    assert_eq!(
        signature["signatures"][0]["label"],
        "total_area(const Shape &one, const Shape &two) -> Number"
    );
    let members = live.proposals(with(at("src/shape.cpp", 11, 16), json!({ "trigger_character": "." })));
    assert_eq!(members, ["area"]);
    let explored = live.ask(
        "explore",
        json!({ "targets": [named("Shape")], "sections": ["references", "implementations"] }),
    );
    assert_eq!(
        spots(&explored["symbols"][0]["implementations"]),
        ["include/shape.hpp:14:8", "include/shape.hpp:21:8"]
    );
    live.end();
}

#[test]
fn diagnostics() {
    let mut live = over_tree(program(CPP)).start();
    let report = json!({ "file_paths": [REPORT] });
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    live.ask("get_diagnostics", json!({ "file_paths": ["src"], "save_baseline": "before" }));
    live.write(REPORT, CPP_BROKEN);
    let error = "src/report.cpp:5:12 error undeclared_var_use".to_owned();
    assert_eq!(live.check(report.clone()), ("issues".to_owned(), vec![error.clone()]));
    let since = live.ask("get_diagnostics", json!({ "file_paths": ["src"], "baseline": "before" }));
    assert_eq!(findings(&since["new"]), [error]);
    live.write(REPORT, file(CPP, REPORT));
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    // An error that comes from a header.
    live.edit(
        HEADER,
        "Number total_area(const Shape &one, const Shape &two);",
        "Number total_area(const Shape &one);",
    );
    let found = live.check(report.clone()).1;
    assert!(found.len() == 1 && found[0].starts_with("src/report.cpp:5:"), "{found:?}");
    live.edit(
        HEADER,
        "Number total_area(const Shape &one);",
        "Number total_area(const Shape &one, const Shape &two);",
    );
    assert_eq!(live.check(report), ("clean".to_owned(), Vec::new()));
    live.end();
}

#[test]
fn plain_c() {
    let mut live = over_tree(program(C)).start();
    let expected = ["include/stack.h:11:6!", "src/main.c:7:5", "src/main.c:8:5", "src/stack.c:4:6!"];
    assert_eq!(live.references(named("stack_push")), expected);
    assert_eq!(live.definitions(at("src/main.c", 7, 5)), ["src/stack.c:4:6"]);
    assert_eq!(live.definitions(at("src/main.c", 4, 5)), ["include/stack.h:8:3"]);
    assert_eq!(live.hover(at("src/main.c", 8, 5)).0, "void stack_push(Stack *stack, int item)");
    assert_eq!(live.calls(named("stack_push")), ["1 main src/main.c:3:5 <- 7:5 8:5"]);
    live.end();
}

#[test]
fn a_folder_with_blanks_and_windows_line_ends() {
    let tree = tree(&in_folder(ODD_FOLDER, &crlf(CPP)));
    compile_commands(&tree.root().join(ODD_FOLDER));
    let mut live = over_tree(tree).start();
    let odd = |place: &str| format!("{ODD_FOLDER}/{place}");
    let expected: Vec<String> = TOTAL_AREA.iter().map(|place| odd(place)).collect();
    assert_eq!(live.references(at(&odd(MAIN), 6, 67)), expected);
    assert_eq!(live.definitions(at(&odd(REPORT), 5, 22)), [odd("src/shape.cpp:10:8")]);
    assert_eq!(live.check(json!({ "file_paths": [odd(REPORT)] })), ("clean".to_owned(), Vec::new()));
    live.end();
}

const CALCULATOR: &str = "//- /src/stack.h
#ifndef STACK_H
#define STACK_H
struct stack { int *items; int length; };
int stack_push(struct stack *s, int value);
#endif
//- /src/stack.c
#include \"stack.h\"
int stack_push(struct stack *s, int value) { s->items[s->length++] = value; return 0; }
//- /src/calc.h
#ifndef CALC_H
#define CALC_H
#include \"stack.h\"
int calc_token(struct stack *s, const char *token);
#endif
//- /src/calc.c
#include \"calc.h\"
int calc_token(struct stack *s, const char *token) { return stack_push(s, token[0]); }
//- /src/main.c
#include \"calc.h\"
int main(void) { struct stack s; return calc_token(&s, \"1\"); }
";

/// clangd says nothing of open files that do not include a changed header; waiting for a word about them took ten seconds with
/// each question, and then the answer was not to be trusted.
#[test]
fn a_changed_header_is_waited_for_by_those_who_include_it() {
    let mut live = over_tree(program(CALCULATOR)).start();
    let pushes = ["src/calc.c:2:61", "src/stack.c:2:5!", "src/stack.h:4:5!"];
    assert_eq!(live.references(at("src/stack.c", 2, 5)), pushes);
    let header = std::fs::read_to_string(live.tree.root().join("src/calc.h")).unwrap();
    live.write("src/calc.h", &format!("/* changed */\n{header}"));
    let tokens = ["src/calc.c:2:5!", "src/calc.h:5:5!", "src/main.c:2:41"];
    assert_eq!(live.references(named("calc_token")), tokens);
    live.write("src/calc.h", &header);
    assert_eq!(live.references(named("stack_push")), pushes);
    assert_eq!(
        live.references(named("calc_token")),
        ["src/calc.c:2:5!", "src/calc.h:4:5!", "src/main.c:2:41"]
    );
    live.end();
}

/// By itself clangd leads to the declaration from there.
#[test]
fn a_definition_is_where_it_is_defined() {
    let mut live = over_tree(program(CALCULATOR)).start();
    for place in [
        at("src/calc.c", 2, 5),
        at("src/calc.h", 4, 5),
        at("src/main.c", 2, 41),
        named("calc_token"),
        json!({ "file_path": "src/calc.c", "symbol_name": "calc_token" }),
    ] {
        assert_eq!(live.definitions(place.clone()), ["src/calc.c:2:5"], "{place}");
    }
    assert_eq!(live.relation("declaration", at("src/main.c", 2, 41)), ["src/calc.h:4:5"]);
    live.end();
}

/// Before it has read the file it proposes words of it.
#[test]
fn the_first_proposals_are_members() {
    let text = format!(
        "{CALCULATOR}//- /src/first.c\n#include \"stack.h\"\nint first(struct stack *s) {{ return s->; }}\n"
    );
    let mut live = over_tree(program(&text)).start();
    let mut proposals = live.proposals(at("src/first.c", 2, 40));
    proposals.sort();
    assert_eq!(proposals, ["items", "length"]);
    live.end();
}
