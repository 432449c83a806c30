use orienteer_edit::Operation;
use serde_json::json;

use super::*;

struct Place {
    _folder: tempfile::TempDir,
    root: PathBuf,
    unit: ColumnUnit,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        for (name, text) in files {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        }
        Self { _folder: folder, root, unit: ColumnUnit::Utf16 }
    }

    fn uri(&self, name: &str) -> String {
        uri::from_path(&self.root.join(name))
    }

    fn read(&self, edit: &Value) -> Result<Proposed, Unusable> {
        let mut gathering = Gathering::new(&Roots::new(&self.root, &[]).unwrap(), self.unit);
        gathering.workspace_edit(edit)?;
        Ok(gathering.finish())
    }

    /// What would be in a file.
    fn after(&self, edit: &Value, name: &str) -> Option<String> {
        let proposed = self.read(edit).unwrap();
        let change = proposed.plan.changes.into_iter().find(|change| change.path == self.root.join(name))?;
        Some(String::from_utf8(change.after?.content.to_vec()).unwrap())
    }

    fn one(&self, name: &str, edits: Value) -> Value {
        json!({ "changes": { self.uri(name): edits } })
    }
}

fn edit(from: (u64, u64), to: (u64, u64), text: &str) -> Value {
    let at = |(line, character): (u64, u64)| json!({ "line": line, "character": character });
    json!({ "range": { "start": at(from), "end": at(to) }, "newText": text })
}

fn edit_error(result: Result<Proposed, Unusable>) -> EditError {
    match result {
        Err(Unusable::Edit(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn places_count_in_the_servers_unit() {
    for (unit, column) in [(ColumnUnit::Utf8, 7), (ColumnUnit::Utf16, 4), (ColumnUnit::Utf32, 3)] {
        let place = Place { unit, ..Place::new(&[("a", "é😀 old\r\n")]) };
        let change = place.one("a", json!([edit((0, column), (0, column + 3), "new")]));
        assert_eq!(place.after(&change, "a").as_deref(), Some("é😀 new\r\n"), "{unit:?}");
    }
    let place = Place::new(&[("a", "😀 old\n")]);
    let inside = place.read(&place.one("a", json!([edit((0, 1), (0, 2), "")])));
    assert!(matches!(edit_error(inside), EditError::Unfit { unfit: Unfit::InsideCharacter { .. }, .. }));
}

#[test]
fn lines_past_the_last_are_refused_but_for_the_usual_ends() {
    let place = Place::new(&[("a", "one\ntwo"), ("b", "one\n")]);
    let after = |name: &str, change: Value| place.after(&place.one(name, json!([change])), name);
    assert_eq!(after("a", edit((1, 0), (2, 0), "2")).as_deref(), Some("one\n2"), "one past the last");
    assert_eq!(after("b", edit((0, 0), (1, 0), "1")).as_deref(), Some("1"));
    assert_eq!(after("b", edit((0, 3), (2, 0), "")).as_deref(), Some("one"), "one past the empty last");
    assert_eq!(after("a", edit((0, 0), (999, 0), "all")).as_deref(), Some("all"), "the whole document");
    assert_eq!(after("a", edit((0, 1), (0, 99), "!")).as_deref(), Some("o!\ntwo"), "a column past the end");
    for wrong in [edit((1, 0), (3, 0), ""), edit((2, 0), (2, 0), "x"), edit((1, 0), (2, 1), "")] {
        let result = place.read(&place.one("a", json!([wrong])));
        assert!(
            matches!(edit_error(result), EditError::Unfit { unfit: Unfit::OutOfRange { .. }, .. }),
            "{wrong}"
        );
    }
}

#[test]
fn operations_and_edits_are_done_in_their_order() {
    let place = Place::new(&[("old", "name\n"), ("gone", "x"), ("there", "kept")]);
    let document = |name: &str, edits: Value| json!({ "textDocument": { "uri": place.uri(name), "version": null }, "edits": edits });
    let changes = json!({ "documentChanges": [
        document("old", json!([edit((0, 0), (0, 4), "first")])),
        { "kind": "rename", "oldUri": place.uri("old"), "newUri": place.uri("deep/new") },
        document("deep/new", json!([edit((0, 5), (0, 5), " second")])),
        { "kind": "create", "uri": place.uri("made") },
        document("made", json!([edit((0, 0), (0, 0), "made\n")])),
        { "kind": "delete", "uri": place.uri("gone") },
        { "kind": "delete", "uri": place.uri("never"), "options": { "ignoreIfNotExists": true } },
        { "kind": "create", "uri": place.uri("there"), "options": { "ignoreIfExists": true } },
    ] });
    let proposed = place.read(&changes).unwrap();
    assert_eq!(place.after(&changes, "deep/new").as_deref(), Some("first second\n"));
    assert_eq!(place.after(&changes, "made").as_deref(), Some("made\n"));
    let operations = [
        Operation::Rename { from: place.root.join("old"), to: place.root.join("deep/new") },
        Operation::Create { path: place.root.join("made") },
        Operation::Delete { path: place.root.join("gone") },
    ];
    assert_eq!(proposed.plan.operations, operations);
    let exists = json!({ "documentChanges": [{ "kind": "create", "uri": place.uri("there") }] });
    assert!(matches!(edit_error(place.read(&exists)), EditError::Exists { .. }));
    let over = json!({ "documentChanges": [
        { "kind": "rename", "oldUri": place.uri("old"), "newUri": place.uri("there"), "options": { "overwrite": true, "ignoreIfExists": true } },
    ] });
    assert_eq!(place.after(&over, "there").as_deref(), Some("name\n"));
}

#[test]
fn versioned_changes_are_read_before_plain_ones() {
    let place = Place::new(&[("a", "abc\n")]);
    let mut both = place.one("a", json!([edit((0, 0), (0, 1), "plain")]));
    both["documentChanges"] = json!([]);
    assert_eq!(place.after(&both, "a").as_deref(), Some("plainbc\n"));
    let document = json!({ "uri": place.uri("a"), "version": 1 });
    let edits = json!([edit((0, 0), (0, 1), "versioned")]);
    both["documentChanges"] = json!([{ "textDocument": document, "edits": edits }]);
    assert_eq!(place.after(&both, "a").as_deref(), Some("versionedbc\n"));
}

#[test]
fn what_is_no_file_or_outside_or_overlapping_is_refused() {
    let place = Place::new(&[("a", "abcdef\n")]);
    let untitled = json!({ "documentChanges": [{ "kind": "rename", "oldUri": "untitled:1", "newUri": place.uri("b") }] });
    let outside = |result| matches!(edit_error(result), EditError::Outside { .. });
    assert!(outside(place.read(&untitled)));
    let target =
        json!({ "documentChanges": [{ "kind": "rename", "oldUri": place.uri("a"), "newUri": "jdt:/b" }] });
    assert!(outside(place.read(&target)));
    let elsewhere = json!({ "changes": { "file:///etc/hostname": [edit((0, 0), (0, 0), "x")] } });
    assert!(outside(place.read(&elsewhere)));
    let overlapping = place.one("a", json!([edit((0, 0), (0, 3), "x"), edit((0, 2), (0, 4), "y")]));
    let error = edit_error(place.read(&overlapping));
    assert!(matches!(error, EditError::Unfit { unfit: Unfit::Overlap { .. }, .. }), "{error:?}");
}

#[test]
fn odd_items_refuse_all_of_it_and_nothing_panics() {
    let place = Place::new(&[("a", "abc\n")]);
    let good = edit((0, 0), (0, 1), "x");
    let with = |odd: Value| place.one("a", json!([good, odd]));
    let snippet = json!({ "range": good["range"], "snippet": { "kind": "snippet", "value": "$0" } });
    let old_snippet = json!({ "range": good["range"], "newText": "$0", "insertTextFormat": 2 });
    let huge = json!({ "range": { "start": { "line": u64::MAX, "character": u64::MAX }, "end": { "line": 0, "character": 0 } }, "newText": "" });
    assert!(matches!(edit_error(place.read(&with(huge))), EditError::Unfit { .. }));
    for odd in [
        with(json!(null)),
        with(json!({ "newText": "no range" })),
        with(json!({ "range": good["range"], "newText": 5 })),
        with(snippet),
        with(old_snippet),
        place.one("a", json!("no list")),
        json!("no object"),
        json!({ "changes": [] }),
        json!({ "documentChanges": {} }),
        json!({ "documentChanges": [5] }),
        json!({ "documentChanges": [{ "kind": "paint", "uri": place.uri("a") }] }),
        json!({ "documentChanges": [{ "kind": "rename", "newUri": place.uri("a") }] }),
        json!({ "documentChanges": [{ "textDocument": { "uri": 5 }, "edits": [] }] }),
    ] {
        assert!(matches!(place.read(&odd), Err(Unusable::Odd(_))), "{odd}");
    }
    for nothing in [json!(null), json!({}), json!({ "changes": {} }), place.one("a", json!([]))] {
        assert!(place.read(&nothing).unwrap().plan.is_empty(), "{nothing}");
    }
}

#[test]
fn what_wants_confirmation_is_told_once() {
    let place = Place::new(&[("a", "abc\n")]);
    let mut first = edit((0, 0), (0, 1), "x");
    let mut second = edit((0, 1), (0, 2), "y");
    let mut third = edit((0, 2), (0, 3), "z");
    first["annotationId"] = json!("ask");
    second["annotationId"] = json!("ask");
    third["annotationId"] = json!("quiet");
    let changes = json!({
        "documentChanges": [{ "textDocument": { "uri": place.uri("a"), "version": 3 }, "edits": [first, second, third] }],
        "changeAnnotations": {
            "ask": { "label": "Also in strings", "needsConfirmation": true },
            "quiet": { "label": "Plain" },
        },
    });
    let proposed = place.read(&changes).unwrap();
    assert_eq!(proposed.notes, ["Also in strings"]);
    assert_eq!(place.after(&changes, "a").as_deref(), Some("xyz\n"));
}
