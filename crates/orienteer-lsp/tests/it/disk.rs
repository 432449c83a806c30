//! The truth about files, case by case: another program does something, and the very next question knows.

use std::fs;
use std::path::Path;

use orienteer_base::Position;
use orienteer_base::ask::Relation;
use orienteer_lsp::Failure;
use orienteer_testkit::fake::{Change, Script};

use crate::random::git;
use crate::support::{ALL, DEEP, LONG, SQUARE, Stage, patience};

async fn warm() -> Stage {
    let stage = Stage::new(Script::new());
    assert_eq!(stage.references().await, ALL);
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_the_asked_file_is_seen() {
    for change in [Change::Incremental, Change::Full] {
        let stage = Stage::new(Script::new().change(change));
        assert_eq!(stage.references().await, ALL);
        stage.tree.write("a.fake", "# Moved.\ndef square\nuse square\n");
        assert_eq!(stage.references().await, ["a.fake:2:5", "a.fake:3:5", ALL[1], ALL[2]]);
        assert_eq!(stage.record.count("textDocument/didChange"), 1);
        assert_eq!(stage.record.count("textDocument/didSave"), 1);
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_another_file_is_seen_open_or_not() {
    let stage = warm().await;
    stage.tree.write("b.fake", "\nuse square\n");
    assert_eq!(stage.references().await, ["a.fake:2:5", "b.fake:2:5", ALL[2]]);
    stage.tree.write("b.fake", "\n\nuse square\n");
    let heard = stage.ask_references(LONG).await.unwrap();
    assert_eq!(stage.places(&heard.value), ["a.fake:2:5", "b.fake:3:5", ALL[2]]);
    assert_eq!(heard.seen.synced_files, 1);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_come_and_go_are_seen() {
    let stage = warm().await;
    stage.tree.write("new/folder/c.fake", "use square\n");
    assert_eq!(stage.references().await, [ALL[0], ALL[1], ALL[2], "new/folder/c.fake:1:5"]);
    fs::rename(stage.path("new/folder/c.fake"), stage.path("c.fake")).unwrap();
    assert_eq!(stage.references().await, [ALL[0], ALL[1], "c.fake:1:5", ALL[2]]);
    fs::rename(stage.path("deep"), stage.path("deeper")).unwrap();
    assert_eq!(stage.references().await, [ALL[0], ALL[1], "c.fake:1:5", "deeper/ü #1.fake:1:7"]);
    fs::remove_dir_all(stage.path("deeper")).unwrap();
    fs::remove_file(stage.path("c.fake")).unwrap();
    assert_eq!(stage.references().await, ALL[..2]);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replacement_by_rename_that_keeps_size_and_time_is_seen() {
    let stage = warm().await;
    for number in 0..20 {
        let target = stage.path("b.fake");
        let time = fs::metadata(&target).unwrap().modified().unwrap();
        let new = stage.tree.beside("editor").join("swap");
        let lines = if number % 2 == 0 { "\nuse square\n" } else { "use square\n\n" };
        fs::write(&new, lines).unwrap();
        fs::File::options().write(true).open(&new).unwrap().set_modified(time).unwrap();
        fs::rename(&new, &target).unwrap();
        let place = if number % 2 == 0 { "b.fake:2:5" } else { "b.fake:1:5" };
        assert_eq!(stage.references().await, [ALL[0], place, ALL[2]], "{number}");
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_asked_file_deleted_is_an_error_and_back_again_an_answer() {
    let stage = warm().await;
    let text = fs::read(stage.path("a.fake")).unwrap();
    fs::remove_file(stage.path("a.fake")).unwrap();
    let failure = stage.ask_references(LONG).await.unwrap_err();
    assert!(matches!(&failure, Failure::File { path, .. } if path.ends_with("a.fake")), "{failure:?}");
    let lease = stage.lease(DEEP).await;
    let at = Position::new(1, 8);
    let found = lease.definition(&stage.path(DEEP), at, Relation::Definition, &patience(LONG)).await.unwrap();
    assert_eq!(found.value, [], "the definition went with the file");
    fs::write(stage.path("a.fake"), text).unwrap();
    assert_eq!(stage.references().await, ALL);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_branch_is_seen_at_once_and_back() {
    let stage = Stage::new(Script::new());
    let root = stage.tree.root();
    git(root, &["init", "-q"]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", "one"]);
    git(root, &["checkout", "-qb", "other"]);
    stage.tree.write("a.fake", "def square\n");
    fs::remove_file(stage.path("b.fake")).unwrap();
    stage.tree.write("fresh/c.fake", "\nuse square\n");
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", "two"]);
    let other = ["a.fake:1:5", ALL[2], "fresh/c.fake:2:5"];
    let at = |branch: &str| if branch == "main" { SQUARE } else { Position::new(1, 5) };
    for branch in ["main", "other", "main", "other"] {
        git(root, &["checkout", "-q", branch]);
        let lease = stage.lease("a.fake").await;
        let found = lease.references(&stage.path("a.fake"), at(branch), true, &patience(LONG)).await.unwrap();
        let expected = if branch == "main" { ALL } else { other };
        assert_eq!(stage.places(&found.value), expected, "{branch}");
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn open_files_in_ignored_folders_are_kept_in_step() {
    let stage = Stage::new(Script::new());
    stage.tree.write(".ignore", "generated\n");
    stage.tree.write("generated/g.fake", "use square\n");
    assert_eq!(stage.references().await.len(), 4);
    let lease = stage.lease("generated/g.fake").await;
    lease.open(&[stage.path("generated/g.fake")], &patience(LONG)).await.unwrap();
    for lines in 1..20 {
        stage.tree.write("generated/g.fake", format!("{}use square\n", "\n".repeat(lines)));
        let found = stage.references().await;
        assert_eq!(found[3], format!("generated/g.fake:{}:5", lines + 1));
    }
    fs::remove_file(stage.path("generated/g.fake")).unwrap();
    assert_eq!(stage.references().await, ALL);
    stage.tree.write("generated/g.fake", "use square\n");
    lease.open(&[stage.path("generated/g.fake")], &patience(LONG)).await.unwrap();
    assert_eq!(stage.references().await.len(), 4);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_files_changed_at_once_are_seen() {
    let stage = warm().await;
    let names: Vec<String> = (0..500).map(|number| format!("many/d{}/f{number}.fake", number % 9)).collect();
    for name in &names {
        stage.tree.write(name, "use square\n");
    }
    assert_eq!(stage.references().await.len(), 503);
    for name in &names {
        stage.tree.write(name, "\nuse square\n");
    }
    let found = stage.references().await;
    assert_eq!(found.len(), 503);
    assert_eq!(
        found.iter().filter(|place| place.starts_with("many/") && place.ends_with(":2:5")).count(),
        500
    );
    fs::remove_dir_all(stage.path("many")).unwrap();
    assert_eq!(stage.references().await, ALL);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_files_are_opened_than_stay_open_and_all_are_true() {
    let stage = warm().await;
    let names: Vec<String> = (0..200).map(|number| format!("many/f{number:03}.fake")).collect();
    for name in &names {
        stage.tree.write(name, "use square\n");
    }
    let files: Vec<_> = names.iter().map(|name| stage.path(name)).collect();
    let lease = stage.lease("a.fake").await;
    lease.open(&files, &patience(LONG)).await.unwrap();
    assert!(stage.state().open_documents <= 128, "{}", stage.state().open_documents);
    for name in names.iter().step_by(10) {
        stage.tree.write(name, "use nothing\n");
    }
    assert_eq!(stage.references().await.len(), 183);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn awkward_names_are_the_same_file_for_both_sides() {
    let stage = warm().await;
    for name in ["sp ace/%20.fake", "#?&.fake", "日本語/ñ😀.fake", "a:b\\c.fake", "q'\"uote.fake"] {
        stage.tree.write(name, "use square\n");
        let place = format!("{name}:1:5");
        assert!(stage.references().await.contains(&place), "{name}");
        let lease = stage.lease(name).await;
        let at = Position::new(1, 6);
        let found =
            lease.definition(&stage.path(name), at, Relation::Definition, &patience(LONG)).await.unwrap();
        assert_eq!(stage.places(&found.value), ["a.fake:2:5"], "{name}");
        stage.tree.write(name, "\nuse square\n");
        assert!(stage.references().await.contains(&format!("{name}:2:5")), "{name}");
        fs::remove_file(stage.path(name)).unwrap();
        assert_eq!(stage.references().await, ALL);
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_that_are_odd_are_told_as_they_are() {
    let stage = warm().await;
    let texts: [&[u8]; 6] = [
        b"def square\r\nuse square\r\n",
        b"\xEF\xBB\xBFdef square\nuse square",
        b"def square\rnot a line\r\n  use square\r",
        b"",
        b"\xFF\xFD\n def square\n\xC3\n use square\n",
        b"def square",
    ];
    for text in texts {
        fs::write(stage.path("b.fake"), text).unwrap();
        let _ = stage.references().await;
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_during_the_start_is_seen() {
    let stage = Stage::new(Script::new().slow_start(300));
    let asked = stage.ask_references(LONG);
    let editing = async {
        stage.until("the greeting", |stage| stage.record.count("initialize") == 1).await;
        tokio::time::sleep(crate::support::ms(100)).await;
        stage.tree.write("b.fake", "\nuse square\n");
        stage.tree.write("c.fake", "use square\n");
    };
    let (heard, ()) = tokio::join!(asked, editing);
    let expected = ["a.fake:2:5", "b.fake:2:5", "c.fake:1:5", ALL[2]];
    assert_eq!(stage.places(&heard.unwrap().value), expected);
    stage.end().await;
}

/// Folders that take a while to look at.
fn wide(root: &Path, folders: usize) {
    for number in 0..folders {
        fs::create_dir_all(root.join(format!("d{}/e{number}", number % 50))).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_before_the_folder_was_looked_at_is_seen() {
    let stage = Stage::new(Script::new());
    let other = stage.tree.beside("wide");
    wide(&other, 2_000);
    // While another folder is being walked, ours waits its turn to be looked at.
    let fleet = stage.fleet.clone();
    let walking = tokio::task::spawn_blocking(move || fleet.watch(&other));
    tokio::time::sleep(crate::support::ms(5)).await;
    let asked = stage.ask_references(LONG);
    let editing = async {
        let greeted =
            |event: &serde_json::Value| event["event"] == "answered" && event["method"] == "initialize";
        stage.until("the greeting", |stage| stage.record.events().iter().any(greeted)).await;
        stage.tree.write("b.fake", "\nuse square\n");
    };
    let (first, ()) = tokio::join!(asked, editing);
    assert!(first.is_ok(), "{first:?}");
    drop(walking.await.unwrap());
    assert_eq!(stage.references().await, ["a.fake:2:5", "b.fake:2:5", ALL[2]]);
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_in_opened_documents_late_is_told_them_as_changed() {
    let stage = Stage::defined(Script::new(), |definition| definition.opens_late = true);
    assert_eq!(stage.references().await, ALL);
    stage.tree.write("new.fake", "use square\n");
    assert_eq!(stage.references().await, [ALL[0], ALL[1], ALL[2], "new.fake:1:5"]);
    let opened = stage.record.count("textDocument/didOpen");
    assert!(opened >= 2);
    assert_eq!(stage.record.count("textDocument/didChange"), opened);
    stage.finish().await;
}
