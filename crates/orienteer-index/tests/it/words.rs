//! Which pieces do words find?

use orienteer_base::Cancel;
use orienteer_index::store::{Collector, Column, Lexical, Mode, Modes, PieceRecord, Store};

use crate::support::{Place, ask, candidates, found, found_by, record};

#[test]
fn words_are_or_ed_and_the_rarer_ones_count_more() {
    let place = Place::with(&[
        ("a.txt", "file file file"),
        ("b.txt", "file not found handler"),
        ("c.txt", "handler"),
        ("d.txt", "file"),
        ("e.txt", "something else"),
    ]);
    let store = place.built();
    assert_eq!(found(&store, "file not found handler")[0], "b.txt");
    assert_eq!(found(&store, "file not found handler").len(), 4);
    assert_eq!(found(&store, "handler file")[2..], ["a.txt", "d.txt"]);
}

#[test]
fn what_must_be_there_is_and_what_must_not_is_not() {
    let place = Place::with(&[
        ("a.txt", "red green"),
        ("b.txt", "red blue"),
        ("c.txt", "green blue"),
        ("d.txt", "red"),
    ]);
    let store = place.built();
    let ask = |words: &[&str], must: &[&[&str]], not: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let ask = Lexical {
            words: owned(words),
            must: must.iter().map(|group| owned(group)).collect(),
            not: owned(not),
            limit: 10,
            ..Lexical::default()
        };
        let mut found = found_by(&store, &ask);
        found.sort();
        found
    };
    assert_eq!(ask(&["blue"], &[&["red"]], &[]), ["a.txt", "b.txt", "d.txt"]);
    assert_eq!(ask(&[], &[&["red"], &["blue"]], &[]), ["b.txt"]);
    assert_eq!(ask(&[], &[&["green", "blue"]], &[]), ["a.txt", "b.txt", "c.txt"]);
    assert_eq!(ask(&["red"], &[], &["green"]), ["b.txt", "d.txt"]);
    assert_eq!(ask(&["red", "blue"], &[&["blue"]], &["green"]), ["b.txt"]);
    assert_eq!(ask(&[], &[], &["green"]), [""; 0]);
    assert_eq!(ask(&["absent"], &[], &[]), [""; 0]);
    assert_eq!(ask(&["red"], &[&["absent"]], &[]), [""; 0]);
}

#[test]
fn a_name_weighs_more_than_a_mention() {
    let place = Place::with(&[
        ("a.py", "def connect():\n    pass\n"),
        ("b.py", "def other():\n    connect()\n    connect()\n    connect()\n"),
    ]);
    let store = place.built();
    assert_eq!(found(&store, "connect"), ["a.py", "b.py"]);
}

#[test]
fn a_path_is_found_by_its_words() {
    let place = Place::with(&[("src/billing/invoice.rs", "fn a() {}"), ("src/other.rs", "fn b() {}")]);
    assert_eq!(found(&place.built(), "billing invoice"), ["src/billing/invoice.rs"]);
}

/// One piece with a word in each column.
fn columns(path: &str, words: &[(Column, &str)]) -> orienteer_index::store::FileRecord {
    let mut collector = Collector::new();
    for (column, word) in words {
        collector.word(*column, word);
    }
    collector.end_piece();
    let mut file = record(path, &[]);
    file.terms = collector.finish();
    file
}

fn empty() -> (Place, Store) {
    let place = Place::new();
    let store = place.built();
    (place, store)
}

#[test]
fn comments_can_be_asked_for_alone_and_left_out() {
    let (_place, store) = empty();
    let mut writer = store.write(&Cancel::new()).unwrap();
    writer.put(&columns("a.rs", &[(Column::Body, "apple"), (Column::Comment, "pear")])).unwrap();
    writer.put(&columns("b.rs", &[(Column::Body, "pear"), (Column::Doc, "apple")])).unwrap();
    let mut prose = columns("c.md", &[(Column::Body, "pear")]);
    prose.mode = Mode::Prose;
    writer.put(&prose).unwrap();
    writer.commit().unwrap();
    let by = |word: &str, modes: &[Mode]| {
        let mut found = found_by(&store, &Lexical { modes: Modes::of(modes), ..ask(word) });
        found.sort();
        found
    };
    assert_eq!(by("pear", Mode::ALL), ["a.rs", "b.rs", "c.md"]);
    assert_eq!(by("pear", &[Mode::Code]), ["b.rs"]);
    assert_eq!(by("pear", &[Mode::Comments]), ["a.rs"]);
    assert_eq!(by("apple", &[Mode::Comments]), ["b.rs"]);
    assert_eq!(by("apple", &[Mode::Code]), ["a.rs", "b.rs"]);
    assert_eq!(by("pear", &[Mode::Comments, Mode::Prose]), ["a.rs", "c.md"]);
    assert_eq!(by("pear", &[Mode::Prose]), ["c.md"]);
    assert_eq!(by("pear", &[]), [""; 0]);
    let comments = Lexical { modes: Modes::of(&[Mode::Comments, Mode::Prose]), ..ask("pear") };
    let mut modes: Vec<Mode> = candidates(&store, &comments).iter().map(|found| found.mode).collect();
    modes.sort();
    assert_eq!(modes, [Mode::Prose, Mode::Comments]);
}

#[test]
fn the_parts_of_a_score_are_those_of_its_columns() {
    let (_place, store) = empty();
    let mut writer = store.write(&Cancel::new()).unwrap();
    let words =
        [(Column::Symbol, "pear"), (Column::Body, "pear"), (Column::Body, "fig"), (Column::Comment, "fig")];
    writer.put(&columns("a.rs", &words)).unwrap();
    writer.put(&columns("b.rs", &[(Column::Body, "plum")])).unwrap();
    writer.commit().unwrap();
    let explained = candidates(&store, &Lexical { explain: true, ..ask("pear fig") }).remove(0);
    let of = |column: Column| explained.parts[column as usize];
    assert!(of(Column::Symbol) > 0.0 && of(Column::Body) > 0.0 && of(Column::Comment) > 0.0);
    assert_eq!((of(Column::Path), of(Column::Signature), of(Column::Doc)), (0.0, 0.0, 0.0));
    let plain = candidates(&store, &ask("pear fig")).remove(0);
    assert_eq!(plain.score, explained.score);
    assert_eq!(plain.parts, [0.0; 6]);
}

#[test]
fn ten_thousand_words_are_a_question_like_any_other() {
    let place = Place::with(&[("a.txt", "needle in hay"), ("b.txt", "w1 w2 w3")]);
    let store = place.built();
    let mut question: String = (0..10_000).map(|at| format!("w{at} ")).collect();
    assert_eq!(found(&store, &question), ["b.txt"]);
    let first = format!("needle {question}");
    assert_eq!(found(&store, &first).len(), 2);
    question.push_str("needle");
    assert_eq!(found(&store, &question).len(), 2);
    assert_eq!(ask(&question).overlooked(), 0);
}

#[test]
fn words_that_nobody_looks_for_are_told() {
    let word = |at: usize| format!("w{at}");
    let many = Lexical { words: (0..20_000).chain(0..20_000).map(word).collect(), ..Lexical::default() };
    assert_eq!(many.overlooked(), 20_000 - 16_384);
}

#[test]
fn a_limit_keeps_the_best_and_zero_keeps_none() {
    let (_place, store) = empty();
    let mut writer = store.write(&Cancel::new()).unwrap();
    for at in 0..40 {
        let words: Vec<&str> = std::iter::repeat_n("pear", 1 + at % 5).collect();
        writer.put(&record(&format!("f{at:02}"), &words)).unwrap();
    }
    writer.commit().unwrap();
    let all = candidates(&store, &ask("pear"));
    assert_eq!(all.len(), 40);
    assert!(all.is_sorted_by(|one, other| one.score >= other.score));
    let best = candidates(&store, &Lexical { limit: 3, ..ask("pear") });
    assert_eq!(best, all[..3]);
    assert_eq!(found_by(&store, &Lexical { limit: 3, ..ask("pear") }), ["f04", "f09", "f14"]);
    assert!(candidates(&store, &Lexical { limit: 0, ..ask("pear") }).is_empty());
}

#[test]
fn pieces_of_one_file_are_found_apart() {
    let (_place, store) = empty();
    let mut collector = Collector::new();
    for word in ["one", "two", "three"] {
        collector.word(Column::Body, word);
        collector.end_piece();
    }
    let mut file = record("a", &[]);
    file.terms = collector.finish();
    file.pieces = (0..3)
        .map(|at| PieceRecord { range: at * 10..at * 10 + 10, lines: at..at + 1, symbol: None })
        .collect();
    let mut writer = store.write(&Cancel::new()).unwrap();
    let id = writer.put(&file).unwrap();
    writer.commit().unwrap();
    let found = candidates(&store, &ask("two")).remove(0);
    assert_eq!((found.file, found.piece.0), (id, id.0 + 1));
    let reader = store.read().unwrap();
    assert_eq!(reader.piece(found.piece).unwrap().unwrap().range, 10..20);
    assert_eq!(reader.frequencies(&["two".to_owned(), "absent".to_owned()]).unwrap(), [1, 0]);
}
