//! rust-analyzer.

use orienteer_edit::Operation;
use orienteer_testkit::workspaces::{RUST, RUST_BROKEN};

use crate::support::{Stage, marks};

const LIB: &str = "crates/geometry/src/lib.rs";
const MAIN: &str = "crates/app/src/main.rs";

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_reaches_the_other_crate_and_a_module_takes_its_file_along() {
    let stage = Stage::new(RUST, LIB).await;
    let plan = stage.renamed(LIB, 48, 8, "whole_area").await;
    let lines = stage.lines(&plan);
    assert_eq!(lines.keys().collect::<Vec<_>>(), [MAIN, LIB]);
    assert_eq!((lines[LIB].len(), lines[MAIN].len()), (2, 3), "{lines:?}");
    assert!(
        stage.after(&plan, MAIN).contains("whole_area") && !stage.after(&plan, MAIN).contains("total_area")
    );

    let plan = stage.renamed(LIB, 5, 9, "letters").await;
    let from = stage.path("crates/geometry/src/unicode.rs");
    let to = stage.path("crates/geometry/src/letters.rs");
    assert_eq!(plan.operations, [Operation::Rename { from, to }]);
    assert_eq!(stage.lines(&plan)[LIB], ["pub mod letters;"]);

    for (line, column) in [(48, 5), (47, 8), (2, 1), (15, 20)] {
        stage.assert_refused(LIB, line, column).await;
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_formatted_and_a_missing_import_is_added() {
    let stage = Stage::new(RUST, LIB).await;
    let text = "fn main() {\n    let  map:HashMap<u8,u8> = Default::default();\n    drop(map);\n}\n";
    stage.tree.write(MAIN, text);
    let plan = stage.format(MAIN, None).await.unwrap();
    let formatted = "fn main() {\n    let map: HashMap<u8, u8> = Default::default();\n    drop(map);\n}\n";
    assert_eq!(stage.after(&plan, MAIN), formatted);
    let actions = stage.actions(MAIN, (2, 16), "quickfix").await;
    let plan = stage.carried(MAIN, &actions, "Import `std::collections::HashMap`").await;
    assert!(stage.after(&plan, MAIN).starts_with("use std::collections::HashMap;\n"), "{plan:?}");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_type_shows_without_the_compiler_which_is_told() {
    let stage = Stage::new(RUST, LIB).await;
    let simulated = stage.simulate(&stage.plan(&[(MAIN, RUST_BROKEN)])).await;
    assert_eq!(marks(&simulated.before), [""; 0]);
    assert_eq!(marks(&simulated.after), ["5:23 E0308"]);
    assert!(simulated.not_covered[0].contains("cargo check reads the disk"), "{:?}", simulated.not_covered);
    assert_eq!(stage.check(MAIN).await, []);
    stage.finish().await;
}
