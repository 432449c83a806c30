//! emmylua_ls.

use orienteer_testkit::workspaces::{LUA, LUA_BROKEN, file};
use serde_json::json;

use crate::support::{at, over_tree, spots, trusted, uses};

const SHAPES: &str = "src/shapes.lua";
const REPORT: &str = "src/report.lua";

#[test]
fn modules_and_locals() {
    let mut live = over_tree(trusted(LUA)).start();
    // It names a field with the table before it.
    let square = live.ask("find_references", at(SHAPES, 6, 17));
    assert_eq!(
        uses(&square),
        ["src/report.lua:4:15", "src/report.lua:5:38", "src/shapes.lua:6:10!", "src/shapes.lua:15:17"]
    );
    // The word in the comment is no use of it; those behind the dots are.
    assert_eq!(spots(&square["unconfirmed"]), ["src/shapes.lua:3:18"]);
    assert_eq!(square["server_id"], "lua");
    assert_eq!(live.references(at(REPORT, 4, 7)), ["src/report.lua:4:7!", "src/report.lua:5:7"]);
    assert_eq!(live.definitions(at(REPORT, 4, 24)), ["src/shapes.lua:6:10"]);
    assert_eq!(live.definitions(at(REPORT, 5, 7)), ["src/report.lua:4:7"]);
    let hover = live.hover(at(REPORT, 4, 24));
    assert!(
        hover.0.contains("square(side: number)") && hover.1.contains("The area of a square."),
        "{hover:?}"
    );
    let outline = live.outline(SHAPES);
    for symbol in ["function shapes.square 6:10", "function shapes.total 12:10"] {
        assert!(outline.contains(&symbol.to_owned()), "{symbol}: {outline:?}");
    }
    live.end();
}

#[test]
fn findings_and_changes_from_outside() {
    let mut live = over_tree(trusted(LUA)).start();
    let report = json!({ "file_paths": [REPORT] });
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    live.write(REPORT, LUA_BROKEN);
    let (state, found) = live.check(report.clone());
    assert_eq!((state.as_str(), found.len()), ("issues", 1), "{found:?}");
    assert!(found[0].starts_with("src/report.lua:3:23 error syntax-error"), "{found:?}");
    live.write(REPORT, file(LUA, REPORT));
    assert_eq!(live.check(report), ("clean".to_owned(), Vec::new()));
    // It takes in an opened document when it gets to it: often enough to see that nobody is faster.
    let mut expected = vec!["src/report.lua:5:14".to_owned(), "src/shapes.lua:12:10!".to_owned()];
    for number in 10..30 {
        let file = format!("src/more{number}.lua");
        live.write(&file, "local shapes = require(\"src.shapes\")\nprint(shapes.total({}))\n");
        expected.insert(number - 10, format!("{file}:2:7"));
        assert_eq!(live.references(at(SHAPES, 12, 17)), expected);
    }
    live.end();
}
