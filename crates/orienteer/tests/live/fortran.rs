//! fortls.

use std::path::PathBuf;

use orienteer_testkit::workspaces::{FORTRAN, FORTRAN_BROKEN, file};
use orienteer_testkit::{Tree, tree};
use serde_json::json;

use crate::support::{at, named, over_tree, spots, trusted, uses, warnings};

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
    let mut live = over_tree(trusted(FORTRAN)).start();
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
    let mut live = over_tree(trusted(FORTRAN)).start();
    let main = json!({ "file_paths": [MAIN] });
    let clean = live.ask("get_diagnostics", main.clone());
    assert_eq!((&clean["state"], warnings(&clean)), (&json!("clean"), vec!["limited_checker"]), "{clean:#}");
    assert!(clean["warnings"].to_string().contains("the syntax is not found"), "{clean:#}");
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

/// It evaluates what a preprocessor would compare as Python: a file that does so, and the mark that it leaves.
fn evil(tree: &Tree) -> PathBuf {
    let mark = tree.beside("elsewhere").join("ran");
    let run = format!("__import__(\"pathlib\").Path(\"{}\").touch()", mark.display());
    tree.write("app/evil.F90", format!("#define X {run}\n#if X\nprogram p\nend program p\n#endif\n"));
    mark
}

#[test]
fn nothing_of_a_stranger_s_project_is_evaluated() {
    let tree = tree(FORTRAN);
    let mark = evil(&tree);
    let mut live = over_tree(tree).start();
    let refused = live.refused("hover", at(MAIN, 7, 20));
    assert_eq!(refused["error"]["data"]["kind"], "not_trusted", "{refused:#}");
    live.refused("document_symbols", json!({ "file_path": "app/evil.F90" }));
    assert!(!mark.exists(), "a line of the project was evaluated");
    live.end();
    // What is refused is really what it does.
    let tree = trusted(FORTRAN);
    let mark = evil(&tree);
    let mut live = over_tree(tree).start();
    live.hover(at(MAIN, 7, 20));
    assert!(mark.exists());
    live.end();
}

#[test]
fn what_it_reads_once_is_read_again() {
    let tree = trusted(FORTRAN);
    tree.write("app/limits.h", "#define WIDE 1\n");
    let [narrow, wide] = ["narrow", "wide"].map(|name| format!("subroutine {name}\nend subroutine {name}\n"));
    tree.write(
        "app/wide.F90",
        format!("#include \"limits.h\"\n#if WIDE == 2\n{wide}#else\n{narrow}#endif\n"),
    );
    let mut live = over_tree(tree).start();
    assert_eq!(live.outline("app/wide.F90"), ["function narrow 6:12"]);
    live.write("app/limits.h", "#define WIDE 2\n");
    assert_eq!(live.outline("app/wide.F90"), ["function wide 3:12"]);
    // Its configuration, too.
    live.write(".fortlsrc", "{ \"excl_paths\": [\"app\"] }\n");
    assert_eq!(live.definitions(at("src/shapes.f90", 18, 17)), ["src/shapes.f90:18:17"]);
    let uses = live.references(at("src/shapes.f90", 18, 17));
    assert!(!uses.iter().any(|place| place.starts_with("app/report.f90")), "{uses:?}");
    live.write(".fortlsrc", "{ broken\n");
    let degraded = live.get("find_definition", at("src/shapes.f90", 18, 17));
    assert_eq!(degraded["completeness"], json!({ "state": "partial", "reason": "server_degraded" }));
    assert!(degraded["warnings"].to_string().contains("while reading"), "{degraded:#}");
    live.write(".fortlsrc", "{}\n");
    assert_eq!(live.references(at("src/shapes.f90", 18, 17)), SQUARE_AREA);
    live.end();
}
