//! Code actions, commands and formatting: what would change, and that nothing changes by itself.

use orienteer_base::{Position, Range};
use orienteer_edit::{EditError, Moved};
use orienteer_lsp::command::{Action, FormatOptions};
use orienteer_lsp::{Failure, Lease};
use orienteer_testkit::fake::{Ask, Rule, Script};
use orienteer_testkit::uri::file_uri;
use serde_json::json;

use crate::renaming::{after, edit};
use crate::support::{DEEP, LONG, Stage, patience};

const RUN: &str = "workspace/executeCommand";

const SPACES: FormatOptions = FormatOptions { tab_size: 4, insert_spaces: true };

fn lines(first: u32, last: u32) -> Range {
    Range { start: Position::new(first, 1), end: Position::new(last, 1) }
}

/// All that is offered for the file with a mistake.
async fn actions(stage: &Stage, lease: &Lease, kinds: &[&str]) -> Vec<Action> {
    let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
    let findings = stage.check(DEEP, LONG).await.findings;
    let file = stage.path(DEEP);
    lease.code_actions(&file, lines(1, 2), &kinds, &findings, &patience(LONG)).await.unwrap().value
}

fn titles(actions: &[Action]) -> Vec<&str> {
    actions.iter().map(|action| action.title.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_are_listed_with_what_is_wrong_and_resolved_with_their_data() {
    let stage = Stage::new(Script::new().offers_edits());
    let lease = stage.lease(DEEP).await;
    let all = actions(&stage, &lease, &[]).await;
    assert_eq!(titles(&all), ["Delete “this is wrong”", "Fix all", "Inline"]);
    assert_eq!((all[0].kind.as_deref(), all[0].preferred), (Some("quickfix"), true));
    assert_eq!(all[2].disabled.as_deref(), Some("there is nothing to inline"));
    let asked = &stage.record.received("textDocument/codeAction")[0]["params"];
    assert_eq!(asked["context"]["diagnostics"][0]["message"], "this is wrong");
    assert_eq!((&asked["context"]["triggerKind"], asked["context"].get("only")), (&json!(1), None));

    let fixes = actions(&stage, &lease, &["quickfix"]).await;
    assert_eq!(titles(&fixes), ["Delete “this is wrong”"]);
    assert_eq!(
        stage.record.received("textDocument/codeAction")[1]["params"]["context"]["only"],
        json!(["quickfix"])
    );

    let heard = lease.carry_out(&stage.path(DEEP), &fixes[0], &patience(LONG)).await.unwrap();
    let plan = heard.value.unwrap().plan;
    assert_eq!(after(&stage, &plan, DEEP).as_deref(), Some("😀 use square\n"));
    assert_eq!(stage.record.count("codeAction/resolve"), 1);
    assert!(stage.read(DEEP).contains("bad"), "nothing is written");

    let failure = lease.carry_out(&stage.path(DEEP), &all[2], &patience(LONG)).await.unwrap_err();
    assert!(matches!(&failure, Failure::Refused { message, .. } if message == "there is nothing to inline"));
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_elsewhere_are_not_told_with_an_action() {
    let stage = Stage::new(Script::new().offers_edits());
    let lease = stage.lease(DEEP).await;
    let findings = stage.check(DEEP, LONG).await.findings;
    let ask = async |name: &str, range| {
        let file = stage.path(name);
        lease.code_actions(&file, range, &[], &findings, &patience(LONG)).await.unwrap();
        stage.record.received("textDocument/codeAction").last().unwrap()["params"]["context"]["diagnostics"]
            .clone()
    };
    assert_eq!(ask(DEEP, lines(1, 1)).await, json!([]), "another line");
    assert_eq!(ask("a.fake", lines(2, 3)).await, json!([]), "another file");
    assert_eq!(ask(DEEP, lines(2, 2)).await.as_array().unwrap().len(), 1);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_of_files_that_moved_on_is_stale() {
    let stage = Stage::new(Script::new().offers_edits());
    let lease = stage.lease(DEEP).await;
    let fixes = actions(&stage, &lease, &["quickfix"]).await;
    stage.tree.write(DEEP, "use square\nbad\nbad this is wrong\n");
    let heard = lease.carry_out(&stage.path(DEEP), &fixes[0], &patience(LONG)).await.unwrap();
    let Err(EditError::Stale { files }) = heard.value else { panic!("{:?}", heard.value) };
    assert_eq!(files, [(stage.path(DEEP), Moved::Changed)]);
    assert_eq!(stage.record.count("codeAction/resolve"), 0);
    drop(lease);
    stage.finish().await;
}

/// A stage whose command wants these edits.
fn commanding(wishes: impl Fn(&std::path::Path) -> Vec<serde_json::Value>) -> Stage {
    let tree = orienteer_testkit::tree(crate::support::PROJECT);
    let script = Script::new().offers_edits().insist_on_replies();
    let wishes = wishes(tree.root());
    let script = wishes.into_iter().fold(script, |script, wish| script.ask(RUN, Ask::apply_edit(wish)));
    Stage::of(tree, script, |_| {}, |_| {})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_wants_is_captured_in_order() {
    let stage = commanding(|root| {
        let uri = file_uri(&root.join(DEEP));
        let made = file_uri(&root.join("made.fake"));
        vec![
            json!({ "changes": { uri.clone(): [edit(1, 0, 3, "# not bad:")] } }),
            json!({ "documentChanges": [{ "kind": "create", "uri": made }] }),
            // It counts in the text after the first.
            json!({ "changes": { uri: [edit(1, 0, 10, "# fine:")] } }),
        ]
    });
    let lease = stage.lease(DEEP).await;
    let all = actions(&stage, &lease, &[]).await;
    let heard = lease.carry_out(&stage.path(DEEP), &all[1], &patience(LONG)).await.unwrap();
    let plan = heard.value.unwrap().plan;
    assert_eq!(after(&stage, &plan, DEEP).as_deref(), Some("😀 use square\n# fine: this is wrong\n"));
    assert_eq!(after(&stage, &plan, "made.fake").as_deref(), Some(""));
    let replies = stage.record.replies("workspace/applyEdit");
    assert_eq!(replies.len(), 3);
    assert!(replies.iter().all(|reply| reply["result"] == json!({ "applied": true })), "{replies:?}");
    let ran = &stage.record.received(RUN)[0]["params"];
    assert_eq!(
        (&ran["command"], &ran["arguments"][0]),
        (&json!("fake.fix"), &json!(file_uri(&stage.path(DEEP))))
    );
    assert!(!stage.path("made.fake").exists() && stage.read(DEEP).contains("bad"), "nothing is written");
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_wants_after_its_command_is_refused() {
    let tree = orienteer_testkit::tree(crate::support::PROJECT);
    let uri = file_uri(&tree.root().join(DEEP));
    let wish = |text: &str| Ask::apply_edit(json!({ "changes": { uri.clone(): [edit(1, 0, 3, text)] } }));
    let script = Script::new().offers_edits().ask(RUN, wish("# early:")).ask_later(RUN, 200, wish("# late:"));
    let stage = Stage::of(tree, script, |_| {}, |_| {});
    let lease = stage.lease(DEEP).await;
    let all = actions(&stage, &lease, &[]).await;
    let heard = lease.carry_out(&stage.path(DEEP), &all[1], &patience(LONG)).await.unwrap();
    assert!(after(&stage, &heard.value.unwrap().plan, DEEP).unwrap().contains("# early:"));
    stage.until("both", |stage| stage.record.replies("workspace/applyEdit").len() == 2).await;
    let applied: Vec<_> = stage
        .record
        .replies("workspace/applyEdit")
        .iter()
        .map(|reply| reply["result"]["applied"].clone())
        .collect();
    assert_eq!(applied, [true, false]);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_commands_at_one_time_do_not_mix_their_wishes() {
    let stage = commanding(|root| {
        vec![json!({ "changes": { file_uri(&root.join(DEEP)): [edit(1, 0, 3, "# not bad:")] } })]
    });
    let lease = stage.lease(DEEP).await;
    let all = actions(&stage, &lease, &[]).await;
    let carry = async || {
        let heard = lease.carry_out(&stage.path(DEEP), &all[1], &patience(LONG)).await.unwrap();
        after(&stage, &heard.value.unwrap().plan, DEEP).unwrap()
    };
    let (one, two, three) = tokio::join!(carry(), carry(), carry());
    for text in [one, two, three] {
        assert_eq!(text, "😀 use square\n# not bad: this is wrong\n");
    }
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_the_server_does_not_have_is_not_run() {
    let actions_of = json!([
        { "title": "In the editor", "command": "editor.action.rename", "arguments": [] },
        { "title": "Both", "kind": "quickfix", "edit": { "changes": {} }, "command": { "title": "x", "command": "fake.fix" } },
        { "title": "Nothing", "kind": "quickfix" },
    ]);
    let script = Script::new()
        .offers_edits()
        .rule(Rule::on("textDocument/codeAction").answer(actions_of))
        .rule(Rule::on("codeAction/resolve").answer(json!({ "title": "Nothing" })));
    let stage = Stage::new(script);
    let lease = stage.lease(DEEP).await;
    let all = actions(&stage, &lease, &[]).await;
    let carry = async |at: usize| lease.carry_out(&stage.path(DEEP), &all[at], &patience(LONG)).await;
    let failure = carry(0).await.unwrap_err();
    assert!(
        matches!(&failure, Failure::Refused { message, .. } if message.contains("editor.action.rename")),
        "{failure:?}"
    );
    let both = carry(1).await.unwrap().value.unwrap();
    assert_eq!(both.notes, ["the command `fake.fix` that belongs to it is left out"]);
    let failure = carry(2).await.unwrap_err();
    assert!(
        matches!(&failure, Failure::Refused { message, .. } if message.contains("`Nothing`")),
        "{failure:?}"
    );
    assert_eq!(stage.record.count(RUN), 0);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_wants_nothing_or_too_much_is_refused() {
    let stage = Stage::new(Script::new().offers_edits());
    let lease = stage.lease(DEEP).await;
    let all = actions(&stage, &lease, &[]).await;
    let failure = lease.carry_out(&stage.path(DEEP), &all[1], &patience(LONG)).await.unwrap_err();
    assert!(
        matches!(&failure, Failure::Refused { message, .. } if message.contains("changes nothing")),
        "{failure:?}"
    );
    drop(lease);
    stage.finish().await;

    let stage = commanding(|_| vec![json!({ "changes": { "file:///etc/hostname": [edit(0, 0, 0, "x")] } })]);
    let lease = stage.lease(DEEP).await;
    let all = actions(&stage, &lease, &[]).await;
    let heard = lease.carry_out(&stage.path(DEEP), &all[1], &patience(LONG)).await.unwrap();
    assert!(matches!(heard.value, Err(EditError::Outside { .. })), "{:?}", heard.value);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_or_some_of_its_lines_are_formatted() {
    let stage = Stage::new(Script::new().offers_edits());
    stage.tree.write("c.fake", "use square  \r\n😀 use square\t\r\nuse square \r\n");
    let lease = stage.lease("c.fake").await;
    let format = async |lines| {
        let heard = lease.format(&stage.path("c.fake"), lines, SPACES, &patience(LONG)).await.unwrap();
        after(&stage, &heard.value.unwrap().plan, "c.fake")
    };
    assert_eq!(format(None).await.as_deref(), Some("use square\r\n😀 use square\r\nuse square\r\n"));
    assert_eq!(
        format(Some((2, 2))).await.as_deref(),
        Some("use square  \r\n😀 use square\r\nuse square \r\n")
    );
    let asked = &stage.record.received("textDocument/rangeFormatting")[0]["params"];
    assert_eq!(asked["options"], json!({ "tabSize": 4, "insertSpaces": true, "insertFinalNewline": true }));
    stage.tree.write("c.fake", "use square\n");
    assert_eq!(format(None).await, None, "nothing to do");
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_formats_ranges_only_is_given_all_and_one_without_is_unsupported() {
    let stage = Stage::new(Script::new().offers_edits().without(&["textDocument/formatting"]));
    stage.tree.write("c.fake", "use square  \nuse square ");
    let lease = stage.lease("c.fake").await;
    let heard = lease.format(&stage.path("c.fake"), None, SPACES, &patience(LONG)).await.unwrap();
    let plan = heard.value.unwrap().plan;
    assert_eq!(after(&stage, &plan, "c.fake").as_deref(), Some("use square\nuse square"));
    drop(lease);
    stage.finish().await;

    let stage = Stage::new(Script::new());
    let lease = stage.lease("a.fake").await;
    for lines in [None, Some((1, 2))] {
        let failure = lease.format(&stage.path("a.fake"), lines, SPACES, &patience(LONG)).await.unwrap_err();
        assert!(matches!(failure, Failure::Unsupported { .. }), "{failure:?}");
    }
    drop(lease);
    stage.finish().await;
}
