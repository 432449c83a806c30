//! A cancelled call returns within a tenth of a second.

use std::time::{Duration, Instant};

use orienteer_base::question::{Part, TextQuery};
use orienteer_base::{Cancel, ErrorKind, Problem};

use crate::support::Tree;

/// Cancels after a while and says how much longer the call took. A machine that is busy with other tests is
/// granted more than the promised tenth of a second.
fn cancelled(
    after: Duration,
    call: impl FnOnce(&Cancel) -> Option<Problem>,
) -> (Option<ErrorKind>, Duration) {
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(after);
        flag.cancel();
        Instant::now()
    });
    let problem = call(&cancel);
    let ended = Instant::now();
    let at = canceller.join().unwrap();
    (problem.map(|problem| problem.kind), ended.saturating_duration_since(at))
}

const GRANTED: Duration = Duration::from_millis(300);

fn huge(tree: &Tree) -> TextQuery {
    // A sparse file costs no disk, but reading it takes as long as reading a real one.
    tree.write("huge.txt", "");
    let file = std::fs::File::options().write(true).open(tree.path().join("huge.txt")).unwrap();
    file.set_len(8 << 30).unwrap();
    let mut query = tree.text_query("never there");
    query.scope = tree.roots.resolve("huge.txt").unwrap();
    query
}

#[test]
fn inside_one_huge_file_without_a_match() {
    let tree = Tree::new(&[]);
    let query = huge(&tree);
    let (kind, took) = cancelled(Duration::from_millis(50), |cancel| {
        orienteer_search::search_text(&tree.roots, &query, cancel).err()
    });
    assert_eq!(kind, Some(ErrorKind::Cancelled));
    assert!(took < GRANTED, "{took:?}");
}

#[test]
fn inside_one_file_full_of_matches() {
    let tree = Tree::new(&[("many.txt", &b"hit\n".repeat(20 << 20))]);
    let mut query = tree.text_query("hit");
    query.context_lines = 50;
    query.scope = tree.roots.resolve("many.txt").unwrap();
    let (kind, took) = cancelled(Duration::from_millis(50), |cancel| {
        orienteer_search::search_text(&tree.roots, &query, cancel).err()
    });
    assert_eq!(kind, Some(ErrorKind::Cancelled));
    assert!(took < GRANTED, "{took:?}");
}

#[test]
fn inside_a_pattern_that_is_slow_on_one_line() {
    let line = "ab".repeat(4 << 20);
    let tree = Tree::new(&[("line.txt", line.as_bytes())]);
    let query = tree.text_query(r"(?:[ab]{1,300}){1,300}c\d");
    let (kind, took) = cancelled(Duration::from_millis(100), |cancel| {
        orienteer_search::search_text(&tree.roots, &query, cancel).err()
    });
    assert!(kind.is_none_or(|kind| kind == ErrorKind::Cancelled));
    assert!(took < GRANTED, "{took:?}");
}

#[test]
fn while_walking_many_files() {
    let tree = Tree::new(&[]);
    for n in 0..3_000 {
        tree.write(&format!("d{}/f{n}.txt", n % 50), "some text\n".repeat(20));
    }
    let query = tree.text_query("text");
    let (kind, took) = cancelled(Duration::from_millis(3), |cancel| {
        orienteer_search::search_text(&tree.roots, &query, cancel).err()
    });
    assert!(kind.is_none_or(|kind| kind == ErrorKind::Cancelled));
    assert!(took < GRANTED, "{took:?}");
}

#[test]
fn while_reading_a_huge_file() {
    let tree = Tree::new(&[]);
    let mut query = tree.read_query(".", Part::Lines { start: 1, end: 10 });
    huge(&tree);
    // Text at the beginning, so that it is not taken for a binary file.
    tree.write("huge.txt", "text\n".repeat(4_000));
    let file = std::fs::File::options().write(true).open(tree.path().join("huge.txt")).unwrap();
    file.set_len(8 << 30).unwrap();
    query.file = tree.roots.resolve("huge.txt").unwrap();
    let (kind, took) = cancelled(Duration::from_millis(50), |cancel| {
        orienteer_search::read_file(&tree.roots, &query, cancel).err()
    });
    assert_eq!(kind, Some(ErrorKind::Cancelled));
    assert!(took < GRANTED, "{took:?}");
}

#[test]
fn before_it_began() {
    let tree = Tree::new(&[("a", b"hit")]);
    let cancel = Cancel::new();
    cancel.cancel();
    let problem = orienteer_search::search_text(&tree.roots, &tree.text_query("hit"), &cancel).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Cancelled);
}
