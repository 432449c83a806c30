//! pyright.

use orienteer_lsp::Failure;
use orienteer_testkit::workspaces::{PYTHON, PYTHON_BROKEN};

use crate::support::{Stage, marks};

const TOTAL: &str = "src/shapes/total.py";
const REPORT: &str = "src/shapes/report.py";
const ALL: [&str; 5] =
    ["src/shapes/__init__.py", REPORT, TOTAL, "src/shapes/unicode_names.py", "tests/test_shapes.py"];

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_reaches_every_file() {
    let stage = Stage::new(PYTHON, TOTAL).await;
    assert_eq!(stage.lease.server_id(), "pyright");
    stage.open(&ALL).await;
    let plan = stage.renamed(TOTAL, 8, 5, "whole_area").await;
    let lines = stage.lines(&plan);
    assert_eq!(lines.keys().map(String::as_str).collect::<Vec<_>>(), ALL);
    assert!(stage.after(&plan, ALL[3]).contains("\"👍\"; doubled = größe(whole_area([Square(2)]))"));
    for (line, column) in [(8, 2), (9, 12), (2, 1), (1, 5)] {
        stage.assert_refused(TOTAL, line, column).await;
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_are_organised_by_a_command() {
    let stage = Stage::new(PYTHON, TOTAL).await;
    let text = "import math\nimport abc\n\nprint(abc, math)\n";
    stage.tree.write(TOTAL, text);
    let actions = stage.actions(TOTAL, (1, 1), "source.organizeImports").await;
    let plan = stage.carried(TOTAL, &actions, "Organize Imports").await;
    assert_eq!(stage.after(&plan, TOTAL), "import abc\nimport math\n\nprint(abc, math)\n");
    assert_eq!(stage.read(TOTAL), text, "nothing is written");
    let failure = stage.format(TOTAL, None).await.unwrap_err();
    assert!(matches!(failure, Failure::Unsupported { .. }), "{failure:?}");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_type_shows_and_is_forgotten() {
    let stage = Stage::new(PYTHON, TOTAL).await;
    for _ in 0..2 {
        let simulated = stage.simulate(&stage.plan(&[(REPORT, PYTHON_BROKEN)])).await;
        assert_eq!(marks(&simulated.before), [""; 0]);
        assert_eq!(marks(&simulated.after), ["8:18 reportAssignmentType"]);
        assert_eq!(simulated.not_covered, [""; 0]);
        assert_eq!(stage.check(REPORT).await, []);
    }
    let renamed = stage.read(TOTAL).replace("total_area", "whole_area");
    let more = format!("{}# more\n", stage.read(REPORT));
    let simulated = stage.simulate(&stage.plan(&[(TOTAL, &renamed), (REPORT, &more)])).await;
    assert_eq!(marks(&simulated.after), ["4:26 reportAttributeAccessIssue"]);
    assert_eq!(stage.check(REPORT).await, []);
    stage.finish().await;
}
