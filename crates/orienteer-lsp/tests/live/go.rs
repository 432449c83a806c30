//! gopls.

use orienteer_testkit::workspaces::{GO, GO_BROKEN};

use crate::support::{Stage, marks};

const GEOMETRY: &str = "geometry/geometry.go";
const REPORT: &str = "report.go";

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_reaches_both_packages() {
    let stage = Stage::new(GO, GEOMETRY).await;
    let plan = stage.renamed(GEOMETRY, 29, 6, "WholeArea").await;
    let lines = stage.lines(&plan);
    let files = [GEOMETRY, "geometry/geometry_test.go", "main.go", REPORT];
    assert_eq!(lines.keys().map(String::as_str).collect::<Vec<_>>(), files);
    assert!(
        stage.after(&plan, "main.go").contains("\"👍\"; total := geometry.Größe(geometry.WholeArea(nil))")
    );
    for (line, column) in [(29, 2), (28, 10), (5, 1)] {
        stage.assert_refused(GEOMETRY, line, column).await;
    }
    stage.assert_refused(REPORT, 9, 24).await;
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_are_organised_and_code_is_formatted() {
    let stage = Stage::new(GO, GEOMETRY).await;
    stage.tree.write(
        REPORT,
        "package main\n\nimport \"os\"\n\nfunc Report( x any) string {\nreturn fmt.Sprint(x)\n}\n",
    );
    let plan = stage.format(REPORT, None).await.unwrap();
    let body = "func Report(x any) string {\n\treturn fmt.Sprint(x)\n}\n";
    assert_eq!(stage.after(&plan, REPORT), format!("package main\n\nimport \"os\"\n\n{body}"));
    let actions = stage.actions(REPORT, (1, 1), "source.organizeImports").await;
    let plan = stage.carried(REPORT, &actions, "Organize Imports").await;
    let after = stage.after(&plan, REPORT);
    assert!(after.contains("import \"fmt\"\n") && !after.contains("\"os\""), "{after}");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_shows_and_is_forgotten() {
    let stage = Stage::new(GO, GEOMETRY).await;
    let simulated = stage.simulate(&stage.plan(&[(REPORT, GO_BROKEN)])).await;
    assert_eq!(marks(&simulated.before), [""; 0]);
    assert_eq!(marks(&simulated.after), ["9:9 IncompatibleAssign"]);
    assert_eq!(stage.check(REPORT).await, []);
    let renamed = stage.read(GEOMETRY).replace("TotalArea", "WholeArea");
    let more = format!("{}// more\n", stage.read(REPORT));
    let simulated = stage.simulate(&stage.plan(&[(GEOMETRY, &renamed), (REPORT, &more)])).await;
    assert_eq!(marks(&simulated.after), ["8:18 UndeclaredImportedName"]);
    assert_eq!(stage.check(REPORT).await, []);
    stage.finish().await;
}
