//! fortls.

use orienteer_testkit::workspaces::{FORTRAN, FORTRAN_BROKEN, file};
use serde_json::json;

use crate::support::{at, named, over, spots, uses};

const SHAPES: &str = "src/shapes.f90";
const MAIN: &str = "app/main.f90";

/// `square_area`, with the name behind `end function`.
const SQUARE_AREA: [&str; 7] = [
    "app/main.f90:2:29",
    "app/main.f90:7:20",
    "app/report.f90:2:21",
    "app/report.f90:4:23",
    "src/shapes.f90:5:21",
    "src/shapes.f90:18:17!",
    "src/shapes.f90:21:16",
];

#[test]
fn modules_and_types() {
    let mut live = over(FORTRAN).start();
    let square = live.ask("find_references", at("app/report.f90", 4, 23));
    assert_eq!(uses(&square), SQUARE_AREA);
    assert_eq!(square["server_id"], "fortls");
    // To it, the variable that holds the result is another one.
    assert_eq!(spots(&square["unconfirmed"]), ["src/shapes.f90:20:5"]);
    assert_eq!(live.references(at(SHAPES, 18, 17)), SQUARE_AREA);
    assert_eq!(live.definitions(at("app/report.f90", 4, 23)), ["src/shapes.f90:18:17"]);
    assert_eq!(live.definitions(at(MAIN, 7, 8)), ["src/shapes.f90:29:14"]);
    // There is no grammar for it: a name alone is not looked up, and where it stands is told.
    let unknown = live.refused("find_definition", named("circle"));
    let places = json!(["app/main.f90#circle", "src/shapes.f90#circle"]);
    assert_eq!(unknown["error"]["data"]["candidates"], places, "{unknown:#}");
    let next = unknown["next_steps"][0]["arguments"].clone();
    assert_eq!(next, json!({ "symbol_id": "app/main.f90#circle" }));
    assert_eq!(live.definitions(next), ["src/shapes.f90:9:11"]);
    let (signature, documentation) = live.hover(at(MAIN, 7, 20));
    assert!(signature.contains("FUNCTION square_area(side)"), "{signature}");
    assert_eq!(documentation, "The area of a square.");
    assert_eq!(
        live.outline(SHAPES),
        [
            "module shapes 2:8",
            "class shapes/circle 9:11",
            "variable circle/radius 10:13",
            "method circle/area 12:18",
            "function shapes/square_area 18:17",
            "function shapes/circle_area 23:17",
            "function shapes/total_area 29:14",
        ]
    );
    let method = json!({ "file_path": MAIN, "line": 7, "symbol_name": "area" });
    assert_eq!(live.relation("implementation", method), ["src/shapes.f90:23:17"]);
    let symbols = live.ask("find_symbol", json!({ "query": "total_area" }));
    assert_eq!(symbols["symbols"][0]["symbol_id"], "src/shapes.f90#shapes/total_area@29:14");
    let id = json!({ "symbol_id": symbols["symbols"][0]["symbol_id"] });
    assert_eq!(live.definitions(id), ["src/shapes.f90:29:14"]);
    let proposals = live.proposals(at(MAIN, 6, 9));
    assert!(proposals.iter().any(|proposal| proposal.contains("radius")), "{proposals:?}");
    live.end();
}

#[test]
fn findings_and_changes_from_outside() {
    let mut live = over(FORTRAN).start();
    let main = json!({ "file_paths": [MAIN] });
    assert_eq!(live.check(main.clone()), ("clean".to_owned(), Vec::new()));
    live.write(MAIN, FORTRAN_BROKEN);
    let issue = ("issues".to_owned(), vec!["app/main.f90:6:11 error -".to_owned()]);
    assert_eq!(live.check(main.clone()), issue);
    live.write(MAIN, file(FORTRAN, MAIN));
    assert_eq!(live.check(main.clone()), ("clean".to_owned(), Vec::new()));
    // Another file decides what is wrong with this one.
    let shapes = file(FORTRAN, SHAPES);
    live.write(SHAPES, &shapes.replace("module shapes\n", "module forms\n"));
    let (state, found) = live.check(main.clone());
    assert_eq!(state, "issues");
    assert_eq!(found, ["app/main.f90:2:7 info -", "app/main.f90:4:8 error -"]);
    live.write(SHAPES, shapes);
    assert_eq!(live.check(main), ("clean".to_owned(), Vec::new()));
    // More files than are opened.
    let late = |at: usize| format!("app/late{at:03}.f90");
    for number in 0..100 {
        live.write(&late(number), "program late\n  use shapes, only: square_area\nend program late\n");
    }
    let mut expected: Vec<String> = (0..100).map(|number| format!("{}:2:21", late(number))).collect();
    expected.extend(SQUARE_AREA.map(str::to_owned));
    assert_eq!(live.references(at(SHAPES, 18, 17)), expected);
    for number in 0..100 {
        std::fs::remove_file(live.tree.root().join(late(number))).unwrap();
    }
    assert_eq!(live.references(at(SHAPES, 18, 17)), SQUARE_AREA);
    live.edit(SHAPES, "!> Flat", "! moved\n!> Flat");
    assert_eq!(live.definitions(at(MAIN, 7, 20)), ["src/shapes.f90:19:17"]);
    live.end();
}
