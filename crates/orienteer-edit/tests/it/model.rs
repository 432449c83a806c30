//! Plans against the plainest way to do the same: a table of names and texts.

use std::collections::BTreeMap;

use orienteer_edit::{Existing, TextEdit, Undo};
use proptest::prelude::*;

use crate::support::Place;

#[derive(Debug, Clone)]
enum Step {
    Edit(usize, Vec<(usize, usize, String)>),
    Create(usize, String, bool),
    Rename(usize, usize, bool),
    Delete(usize),
    RenameFolder(usize, usize),
}

const NAMES: [&str; 6] = ["a.txt", "b.txt", "x/c.txt", "x/d.txt", "y/e.txt", "z/deep/f.txt"];
const FOLDERS: [&str; 4] = ["x", "y", "z", "w"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let name = 0..NAMES.len();
    let edit = (0usize..12, 0usize..4, "[A-Zä\n]{0,3}");
    let step = prop_oneof![
        4 => (name.clone(), prop::collection::vec(edit, 1..4)).prop_map(|(at, edits)| Step::Edit(at, edits)),
        2 => (name.clone(), "[a-zß\n]{0,8}", any::<bool>()).prop_map(|(at, text, over)| Step::Create(at, text, over)),
        3 => (name.clone(), name.clone(), any::<bool>()).prop_map(|(from, to, over)| Step::Rename(from, to, over)),
        1 => name.prop_map(Step::Delete),
        1 => (0..FOLDERS.len(), 0..FOLDERS.len()).prop_map(|(from, to)| Step::RenameFolder(from, to)),
    ];
    prop::collection::vec(step, 1..10)
}

type Texts = BTreeMap<String, String>;

fn edits_of(text: &str, raw: &[(usize, usize, String)]) -> Vec<TextEdit> {
    let border = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let mut edits: Vec<TextEdit> = Vec::new();
    for (start, length, new) in raw {
        let range = border(*start)..border(start + length);
        let free = |other: &TextEdit| range.end < other.range.start || other.range.end < range.start;
        if edits.iter().all(free) {
            edits.push(TextEdit::new(range, new.clone()));
        }
    }
    edits
}

/// Does a step to the table; `false` when it is refused.
fn naive(texts: &mut Texts, step: &Step) -> bool {
    let name = |at: usize| NAMES[at].to_owned();
    match step {
        Step::Edit(at, raw) => {
            let Some(text) = texts.get_mut(&name(*at)) else { return false };
            let mut edits = edits_of(text, raw);
            edits.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
            for edit in edits {
                text.replace_range(edit.range, &edit.new_text);
            }
            true
        }
        Step::Create(at, text, over) => {
            if !over && texts.contains_key(&name(*at)) {
                return false;
            }
            texts.insert(name(*at), text.clone());
            true
        }
        Step::Rename(from, to, over) => {
            if from == to {
                return true;
            }
            if !texts.contains_key(&name(*from)) || (!over && texts.contains_key(&name(*to))) {
                return false;
            }
            let text = texts.remove(&name(*from)).unwrap();
            texts.insert(name(*to), text);
            true
        }
        Step::Delete(at) => texts.remove(&name(*at)).is_some(),
        // The overlay looks at the disk for what is a folder: only those that were never touched are tried here.
        Step::RenameFolder(..) => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_does_what_its_steps_do_and_undoing_it_does_nothing(
        there in prop::collection::btree_map(0..NAMES.len(), "[a-zé\n]{0,12}", 0..6),
        steps in steps(),
    ) {
        let files: Vec<(&str, &str)> = there.iter().map(|(at, text)| (NAMES[*at], text.as_str())).collect();
        let place = Place::with(&files);
        let before = place.tree();
        let mut texts: Texts = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let mut overlay = place.overlay();
        let mut folder_moved = false;
        for step in &steps {
            let existing = |over: bool| if over { Existing::Overwrite } else { Existing::Refuse };
            let done = match step {
                Step::Edit(at, raw) => {
                    let path = place.path(NAMES[*at]);
                    let edits = overlay.text(&path).map(|text| edits_of(&text, raw));
                    edits.and_then(|edits| overlay.edit(&path, edits))
                }
                Step::Create(at, text, over) => overlay.create(&place.path(NAMES[*at]), text, existing(*over)),
                Step::Rename(from, to, over) => {
                    overlay.rename(&place.path(NAMES[*from]), &place.path(NAMES[*to]), existing(*over))
                }
                Step::Delete(at) => overlay.delete(&place.path(NAMES[*at]), false, false),
                Step::RenameFolder(from, to) => {
                    let (from, to) = (FOLDERS[*from], FOLDERS[*to]);
                    let done = overlay.rename(&place.path(from), &place.path(to), Existing::Refuse);
                    if done.is_ok() && from != to {
                        folder_moved = true;
                        let inside = format!("{from}/");
                        let moved: Vec<String> =
                            texts.keys().filter(|name| name.starts_with(&inside)).cloned().collect();
                        for name in moved {
                            let text = texts.remove(&name).unwrap();
                            texts.insert(format!("{to}/{}", &name[inside.len()..]), text);
                        }
                    }
                    continue;
                }
            };
            let expected = naive(&mut texts, step);
            prop_assert_eq!(done.is_ok(), expected, "{:?}: {:?}", step, done);
        }
        let plan = overlay.finish();
        if plan.is_empty() {
            return Ok(());
        }
        place.journal().apply(&plan, "test", &place.roots()).unwrap();
        let found: Texts = place
            .tree()
            .into_iter()
            .filter(|(name, _)| !name.ends_with('/'))
            .map(|(name, (_, bytes))| (name, String::from_utf8(bytes).unwrap()))
            .collect();
        prop_assert_eq!(&found, &texts, "folder moved: {}", folder_moved);
        place.journal().undo(&Undo::Last(1), &place.roots()).unwrap();
        prop_assert_eq!(place.tree(), before);
    }
}

#[test]
fn a_file_that_leaves_a_folder_and_comes_back_after_it_moved_is_no_stranger() {
    let place = Place::with(&[("x/c.txt", "one"), ("x/d.txt", "two")]);
    let before = place.tree();
    let mut overlay = place.overlay();
    for (from, to) in [("x/c.txt", "y/c.txt"), ("x", "z"), ("y/c.txt", "x/c.txt")] {
        overlay.rename(&place.path(from), &place.path(to), Existing::Refuse).unwrap();
    }
    let plan = overlay.finish();
    place.journal().apply(&plan, "test", &place.roots()).unwrap();
    let after = place.tree();
    let names: Vec<&str> = after.keys().map(String::as_str).filter(|name| !name.ends_with('/')).collect();
    assert_eq!(names, ["x/c.txt", "z/d.txt"]);
    place.journal().undo(&Undo::Last(1), &place.roots()).unwrap();
    assert_eq!(place.tree(), before);
    // One that came meanwhile still is.
    std::fs::write(place.path("x/new.txt"), "").unwrap();
    assert!(place.journal().apply(&plan, "test", &place.roots()).is_err());
}
