//! Is an answer the same whether its files are read whole or in parts, and whatever was asked before?

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use orienteer_index::find::{Found, Means, read_parts};
use orienteer_index::store::{File, Lexical, Modes, Weights};

use crate::finding_ask::{Tree, USUAL};
use crate::support::{Place, ask, candidates};

/// More files than one thread takes for itself, with several definitions each, some of the same name.
fn many() -> Tree {
    let place = Place::new();
    for file in 0..40 {
        let functions = (0..12).map(|at| {
            let words = ["open the lock", "read a file", "größe of the file", "close"][(file + at) % 4];
            format!("/// {words} number {at}.\nfn f{at}() {{\n    // {words}\n    lock_file({file});\n}}\n\n")
        });
        let text: String = functions.chain(["fn same() { lock(); }\n".to_owned()]).collect();
        place.write(&format!("src/m{:02}/lock{file:02}.rs", file % 7), format!("{text}\n{text}"));
    }
    place.settle();
    Tree::of(place)
}

/// Everything that is told of each hit.
fn told(found: &Found) -> Vec<String> {
    found.hits.iter().map(|hit| format!("{hit:?}")).collect()
}

fn page(tree: &Tree, question: &str, means: Means<'_>) -> Found {
    tree.page(question, 0, 60, Modes::of(USUAL), means)
}

#[test]
fn files_that_are_read_in_parts_give_the_same_answers_as_whole_ones() {
    let tree = many();
    let root = tree.place.root();
    let asked = AtomicUsize::new(0);
    let parts = |file: &File, ranges: &[Range<usize>]| {
        asked.fetch_add(1, Ordering::Relaxed);
        let opened = std::fs::File::open(file.path.absolute(&root)).ok()?;
        read_parts(&opened, file, ranges)
    };
    for question in ["lock the file", "größe", "f3", "same", "read a file number", "file:lock03.rs close"] {
        let whole = page(&tree, question, Means::default());
        assert!(whole.hits.len() > 5, "{question}");
        asked.store(0, Ordering::Relaxed);
        let in_parts = page(&tree, question, Means { parts: Some(&parts), ..Means::default() });
        assert_eq!(told(&in_parts), told(&whole), "{question}");
        assert!(asked.load(Ordering::Relaxed) > 0, "{question}: no part was read");
    }
}

#[test]
fn parts_that_cannot_be_read_are_read_with_their_files() {
    let tree = many();
    let never = |_: &File, _: &[Range<usize>]| None;
    for question in ["lock the file", "same"] {
        let whole = page(&tree, question, Means::default());
        let refused = page(&tree, question, Means { parts: Some(&never), ..Means::default() });
        assert_eq!(told(&refused), told(&whole), "{question}");
    }
}

#[test]
fn what_was_asked_before_changes_no_answer() {
    let tree = many();
    let questions = ["lock the file", "same", "f3", "\"lock_file(3)\"", "größe"];
    let first: Vec<_> = questions.iter().map(|question| told(&tree.find(question))).collect();
    let again: Vec<_> = questions.iter().map(|question| told(&tree.find(question))).collect();
    assert_eq!(first, again);
    // A store that has read nothing yet.
    let fresh = Tree { store: tree.place.store(), ..tree };
    let afresh: Vec<_> = questions.iter().rev().map(|question| told(&fresh.find(question))).collect();
    assert_eq!(first, afresh.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn what_was_kept_of_a_file_goes_with_a_change() {
    let tree = many();
    assert!(told(&tree.find("newcomer")).is_empty());
    assert!(!tree.find("same").hits.is_empty());
    tree.place.write("src/m00/lock00.rs", "\n\n\nfn newcomer() { lock(); }\nfn same() {}\n");
    tree.place.update(&tree.store, &["src/m00/lock00.rs"]);
    let found = tree.find("newcomer");
    let first = found.hits.first().unwrap();
    assert_eq!((first.path.shown().as_str(), first.line), ("src/m00/lock00.rs", 4));
    let of_file = |found: &Found| found.hits.iter().any(|hit| hit.path.shown() == "src/m00/lock00.rs");
    assert!(of_file(&tree.find("same")));
    std::fs::remove_file(tree.place.path("src/m00/lock00.rs")).unwrap();
    tree.place.update(&tree.store, &["src/m00/lock00.rs"]);
    assert!(!of_file(&tree.find("same")));
}

#[test]
fn two_ways_at_once_find_what_each_finds_alone() {
    let tree = many();
    let names = Weights([4.0, 0.5, 0.5, 0.5, 0.0, 0.0]);
    for question in ["lock the file", "same", "größe number"] {
        let words = Lexical { limit: 50, ..ask(question) };
        let reader = tree.store.read().unwrap();
        let [both, named, _] =
            reader.candidates_and(&words, (names, 20), 0, &orienteer_base::Cancel::new()).unwrap();
        assert_eq!(both, candidates(&tree.store, &words), "{question}");
        let alone = Lexical { weights: names, limit: 20, ..words };
        assert_eq!(named, candidates(&tree.store, &alone), "{question}");
        assert!(!both.is_empty() && named.iter().all(|one| one.score > 0.0), "{question}");
    }
}
