//! clangd.

use orienteer_testkit::workspaces::{C, CPP, CPP_BROKEN, compile_commands};
use orienteer_testkit::{tools, tree};

use crate::support::{Stage, marks};

const HEADER: &str = "include/shape.hpp";
const REPORT: &str = "src/report.cpp";

async fn stage(fixture: &str, file: &str) -> Stage {
    let tree = tree(fixture);
    compile_commands(tree.root());
    Stage::with(tree, tools::server_path(), file).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_reaches_the_header_and_every_source() {
    let stage_of_cpp = stage(CPP, "src/shape.cpp").await;
    let plan = stage_of_cpp.renamed("src/shape.cpp", 10, 8, "whole_area").await;
    let lines = stage_of_cpp.lines(&plan);
    let files = [HEADER, "src/main.cpp", REPORT, "src/shape.cpp"];
    assert_eq!(lines.keys().map(String::as_str).collect::<Vec<_>>(), files);
    assert!(
        stage_of_cpp
            .after(&plan, "src/main.cpp")
            .contains("\"👍\"; double sum = geometry::whole_area(circle")
    );
    for (line, column) in [(11, 6), (9, 6), (2, 1)] {
        stage_of_cpp.assert_refused("src/shape.cpp", line, column).await;
    }
    stage_of_cpp.assert_refused("src/main.cpp", 6, 26).await;
    stage_of_cpp.finish().await;

    let stage_of_c = stage(C, "src/main.c").await;
    let plan = stage_of_c.renamed("src/main.c", 7, 7, "stack_put").await;
    let lines = stage_of_c.lines(&plan);
    assert_eq!(lines.keys().collect::<Vec<_>>(), ["include/stack.h", "src/main.c", "src/stack.c"]);
    assert_eq!(lines["src/main.c"], ["stack_put(&stack, 1);", "stack_put(&stack, 2);"]);
    stage_of_c.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn code_is_formatted_and_a_mistake_is_mended() {
    let stage = stage(CPP, REPORT).await;
    stage.tree.write(REPORT, "int  one( ){return 1 ;}\nint  two( ){return 2 ;}\n");
    let plan = stage.format(REPORT, None).await.unwrap();
    assert_eq!(stage.after(&plan, REPORT), "int one() { return 1; }\nint two() { return 2; }\n");
    let plan = stage.format(REPORT, Some((2, 2))).await.unwrap();
    assert_eq!(stage.after(&plan, REPORT), "int  one( ){return 1 ;}\nint two() { return 2; }\n");
    stage.tree.write(REPORT, "int number() { return 1; }\nint other() { return numbr(); }\n");
    let actions = stage.actions(REPORT, (2, 24), "quickfix").await;
    let plan = stage.carried(REPORT, &actions, "numbr").await;
    assert!(stage.after(&plan, REPORT).contains("return number();"), "{plan:?}");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_shows_and_is_forgotten() {
    let stage = stage(CPP, REPORT).await;
    for _ in 0..2 {
        let simulated = stage.simulate(&stage.plan(&[(REPORT, CPP_BROKEN)])).await;
        assert_eq!(marks(&simulated.before), [""; 0]);
        assert_eq!(marks(&simulated.after), ["5:12 undeclared_var_use"]);
        assert_eq!(simulated.not_covered, [""; 0]);
        assert_eq!(stage.check(REPORT).await, []);
    }
    let header = format!("{}// more\n", stage.read(HEADER));
    let simulated = stage.simulate(&stage.plan(&[(HEADER, &header)])).await;
    assert!(simulated.not_covered[0].contains("clangd reads headers from the disk"), "{simulated:?}");
    stage.finish().await;
}
