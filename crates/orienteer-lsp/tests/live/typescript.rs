//! TypeScript 7 and typescript-language-server.

use orienteer_edit::Operation;
use orienteer_testkit::workspaces::{TYPESCRIPT, TYPESCRIPT_BROKEN};
use orienteer_testkit::{tools, tree};

use crate::support::{Stage, marks};

const TOTAL: &str = "packages/core/src/total.ts";
const REPORT: &str = "packages/web/src/report.ts";
const ALL: [&str; 5] =
    ["packages/core/src/index.ts", TOTAL, "packages/web/src/emoji.ts", REPORT, "packages/web/src/view.tsx"];

async fn stages() -> [Stage; 2] {
    let native = Stage::with(tree(TYPESCRIPT), tools::ts7_path(), TOTAL).await;
    assert_eq!(native.lease.server_id(), "typescript-native");
    let other = Stage::new(TYPESCRIPT, TOTAL).await;
    assert_eq!(other.lease.server_id(), "typescript-language-server");
    [native, other]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_reaches_both_packages() {
    for stage in stages().await {
        stage.open(&ALL).await;
        let plan = stage.renamed(TOTAL, 4, 17, "wholeArea").await;
        let lines = stage.lines(&plan);
        assert_eq!(lines.keys().map(String::as_str).collect::<Vec<_>>(), ALL, "{}", stage.lease.server_id());
        for name in ALL {
            assert!(!stage.after(&plan, name).contains("totalArea"), "{name}");
        }
        assert!(stage.after(&plan, ALL[2]).contains("\"👍\"; export const sum = wholeArea(["));
        for (line, column) in [(4, 9), (3, 8), (2, 1)] {
            stage.assert_refused(TOTAL, line, column).await;
        }
        stage.assert_refused(ALL[2], 6, 16).await;
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_import_takes_its_file_along_or_is_refused() {
    let [native, other] = stages().await;
    let plan = native.renamed(TOTAL, 1, 30, "form").await;
    let (from, to) = (native.path("packages/core/src/shape.ts"), native.path("packages/core/src/form.ts"));
    assert_eq!(plan.operations, [Operation::Rename { from, to }]);
    let lines = native.lines(&plan);
    let files = ["circle.ts", "index.ts", "shape.ts → packages/core/src/form.ts", "square.ts", "total.ts"];
    assert_eq!(
        lines.keys().cloned().collect::<Vec<_>>(),
        files.map(|name| format!("packages/core/src/{name}"))
    );
    assert_eq!(lines[TOTAL], ["import type { Shape } from \"./form\";"]);
    native.finish().await;
    // It would change the imports alone.
    other.assert_refused(TOTAL, 1, 30).await;
    other.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_are_organised_and_added_and_code_is_formatted() {
    for stage in stages().await {
        let id = stage.lease.server_id().to_owned();
        let text = "import { totalArea, Square, type Shape } from \"@shapes/core\";\n\nexport function report(shapes: Shape[]): number {\n  return totalArea(shapes);\n}\n";
        stage.tree.write(REPORT, text);
        let actions = stage.actions(REPORT, (1, 1), "source.organizeImports").await;
        let plan = stage.carried(REPORT, &actions, "Organize Imports").await;
        let first = stage.after(&plan, REPORT).lines().next().unwrap().to_owned();
        let expected = match id.as_str() {
            "typescript-native" => "import { totalArea, type Shape } from \"@shapes/core\";",
            // It has another action for what is unused.
            _ => "import { Square, totalArea, type Shape } from \"@shapes/core\";",
        };
        assert_eq!(first, expected, "{id}");

        stage.tree.write(REPORT, "export const sum = totalArea([]);\n");
        let actions = stage.actions(REPORT, (1, 22), "quickfix").await;
        let plan = stage.carried(REPORT, &actions, "mport").await;
        let after = stage.after(&plan, REPORT);
        assert!(after.starts_with("import { totalArea } from \"@shapes/core\";\n"), "{id}: {after}");

        stage.tree.write(REPORT, "export   const x={a:1}\nexport   const y={b:1}\n");
        let plan = stage.format(REPORT, None).await.unwrap();
        assert_eq!(
            stage.after(&plan, REPORT),
            "export const x = { a: 1 }\nexport const y = { b: 1 }\n",
            "{id}"
        );
        let plan = stage.format(REPORT, Some((2, 2))).await.unwrap();
        assert_eq!(stage.after(&plan, REPORT), "export   const x={a:1}\nexport const y = { b: 1 }\n", "{id}");
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_type_shows_and_is_forgotten() {
    for stage in stages().await {
        let id = stage.lease.server_id().to_owned();
        for _ in 0..2 {
            let simulated = stage.simulate(&stage.plan(&[(REPORT, TYPESCRIPT_BROKEN)])).await;
            assert_eq!(marks(&simulated.before), [""; 0], "{id}");
            assert_eq!(marks(&simulated.after), ["5:9 2322"], "{id}");
            assert_eq!(simulated.not_covered, [""; 0]);
            assert_eq!(stage.check(REPORT).await, [], "{id}");
        }
        // What breaks in one file of the plan by another one's change.
        let renamed = stage.read(TOTAL).replace("totalArea", "wholeArea");
        let more = format!("{}// more\n", stage.read(ALL[0]));
        let simulated = stage.simulate(&stage.plan(&[(TOTAL, &renamed), (ALL[0], &more)])).await;
        assert_eq!(
            (marks(&simulated.before), marks(&simulated.after)),
            (vec![], vec!["4:10 2305".to_owned()]),
            "{id}"
        );
        assert_eq!(stage.check(ALL[0]).await, [], "{id}");
        stage.finish().await;
    }
}
