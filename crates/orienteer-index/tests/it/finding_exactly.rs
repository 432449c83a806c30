//! Is everything found that stands somewhere exactly as it was asked for, and nothing else?

use crate::finding_ask::{Tree, name};
use crate::support::Place;

const FUNCTIONS: &str = "\
pub fn alpha() {
    other();
    println!(\"needle\");
}

fn beta() {
    println!(\"needle\");
}

pub fn gamma() {
    println!(\"needle\");
}

struct Holder {
    needle_field: u8,
    pub needle_open: u8,
}
";

#[test]
fn filters_on_definitions_narrow_phrases_and_expressions() {
    let tree = Tree::with(&[("src/a.rs", FUNCTIONS)]);
    assert_eq!(tree.names("\"needle\""), ["alpha", "beta", "gamma", "Holder"]);
    for text in ["\"needle\"", "/needle\"/"] {
        assert_eq!(
            tree.names(&format!("{text} visibility:public kind:function")),
            ["alpha", "gamma"],
            "{text}"
        );
        assert_eq!(tree.names(&format!("{text} -visibility:public kind:function")), ["beta"], "{text}");
        assert_eq!(tree.names(&format!("{text} calls:other")), ["alpha"], "{text}");
        assert_eq!(tree.names(&format!("{text} symbol:gamma")), ["gamma"], "{text}");
        assert_eq!(tree.names(&format!("{text} -symbol:gamma kind:function")), ["alpha", "beta"], "{text}");
        assert_eq!(tree.names(&format!("{text} calls:nothing")), [""; 0], "{text}");
    }
}

#[test]
fn what_has_no_piece_of_its_own_answers_for_itself() {
    let tree = Tree::with(&[("src/a.rs", FUNCTIONS)]);
    assert_eq!(tree.names("/needle_\\w+/ kind:field"), ["Holder/needle_field", "Holder/needle_open"]);
    assert_eq!(tree.names("/needle_\\w+/ visibility:public"), ["Holder/needle_open"]);
    assert_eq!(tree.names("/needle_\\w+/"), ["Holder"]);
}

#[test]
fn every_definition_of_a_file_is_found_however_often_the_first_ones_match() {
    let mut text = format!("fn first() {{\n{}}}\n", "    x(\"needle\");\n".repeat(1_000));
    text.push_str("fn second() {\n    x(\"needle\");\n}\n");
    let tree = Tree::with(&[("src/a.rs", &text)]);
    let found = tree.find("\"needle\"");
    assert!(!found.capped);
    assert_eq!(tree.names("\"needle\""), ["first", "second"]);
}

#[test]
fn more_definitions_than_are_shown_of_a_file_are_said_to_be_more() {
    let text: String = (0..500).map(|number| format!("fn f{number}() {{\n    needle();\n}}\n\n")).collect();
    let tree = Tree::with(&[("src/a.rs", &text)]);
    let found = tree.find("/needle\\(/");
    assert_eq!((found.hits.len(), found.capped), (400, true));
}

#[test]
fn a_match_may_begin_in_one_definition_and_end_in_another() {
    let tree = Tree::with(&[("src/a.rs", "fn alpha() {\n    a();\n}\nfn beta() {\n    b();\n}\n")]);
    let found = tree.find("/\\}\\nfn beta/");
    assert_eq!(found.hits.iter().map(name).collect::<Vec<_>>(), ["alpha"]);
    assert_eq!((found.hits[0].line, found.hits[0].column), (3, 1));
    assert_eq!(tree.names("/\\}\\nfn beta/ symbol:beta"), ["beta"]);
    assert_eq!(tree.names("alpha -/\\}\\nfn beta/"), [""; 0]);
}

#[test]
fn the_ends_of_pieces_are_no_ends_of_lines_words_or_texts() {
    let tree = Tree::with(&[("src/a.rs", "fn alpha() {}\nfn beta() {}\n")]);
    assert_eq!(tree.names("/\\Afn/"), ["alpha"]);
    assert_eq!(tree.names("/\\}\\n\\z/"), ["beta"]);
    let tree = Tree::with(&[("src/b.rs", "mod one { fn alpha() {} } fn beta() {}\n")]);
    assert_eq!(tree.names("/^fn/"), [""; 0]);
}

#[test]
fn texts_that_are_no_utf8_are_searched_as_they_are_read() {
    let place = Place::new();
    place.write("latin.txt", b"die gr\xf6\xdfe und \x80 5");
    place.write("utf8.txt", "die größe, GRÖSSE");
    place.write("other.txt", "nothing of it");
    place.write("lossy.txt", b"\xc3\xb6 broken \xff end");
    let tree = Tree::of(place);
    assert_eq!(tree.names("\"größe\""), ["latin.txt", "utf8.txt"]);
    assert_eq!(tree.names("\"GRÖßE\""), ["latin.txt", "utf8.txt"]);
    assert_eq!(tree.names("/gr[äö]ße/"), ["latin.txt", "utf8.txt"]);
    assert_eq!(tree.names("\"und € 5\""), ["latin.txt"]);
    assert_eq!(tree.names("\"broken \u{fffd} end\""), ["lossy.txt"]);
}

#[test]
fn a_nul_far_inside_does_not_end_a_text() {
    let place = Place::new();
    let mut text = "some words of a log\n".repeat(600).into_bytes();
    text.extend(b"\0\nneedle after it\n");
    place.write("a.txt", &text);
    let tree = Tree::of(place);
    assert_eq!(tree.names("\"needle after\""), ["a.txt"]);
}

#[test]
fn what_stands_behind_the_indexed_part_of_a_large_file_is_found_with_its_line() {
    let place = Place::new();
    let line = "0123456789 some text that fills the file with words\n";
    let mut text = line.repeat((5 << 20) / line.len());
    let lines = text.lines().count() as u32;
    text.push_str("here stands the needle\nand more\n");
    place.write("large.txt", &text);
    place.write("small.txt", "here stands the needle too");
    let tree = Tree::of(place);
    let found = tree.find("\"stands the needle\"");
    let mut places: Vec<_> = found.hits.iter().map(|hit| (hit.path.shown(), hit.line, hit.lines)).collect();
    places.sort();
    assert_eq!(
        places,
        [("large.txt".to_owned(), lines + 1, (lines + 1, lines + 1)), ("small.txt".to_owned(), 1, (1, 1))]
    );
    assert!(!found.capped && found.unchecked.is_empty());
    assert_eq!(tree.names("\"stands the needle\" path:large"), ["large.txt"]);
    assert_eq!(tree.names("\"stands the needle\" lang:rust"), [""; 0]);
}

#[test]
fn a_changed_file_is_searched_as_it_is_now() {
    let tree = Tree::with(&[("src/a.rs", "fn alpha() {}\n\nfn beta() {\n    needle(1);\n}\n")]);
    tree.place.write("src/a.rs", "fn fresh() {\n    needle();\n}\n\nfn beta() {\n    needle();\n}\n");
    let found = tree.find("/needle\\(/");
    let mut places: Vec<_> = found.hits.iter().map(|hit| (hit.line, name(hit), hit.stale)).collect();
    places.sort();
    assert_eq!(places, [(2, "src/a.rs".to_owned(), false), (6, "beta".to_owned(), false)]);
}

#[test]
fn what_has_no_text_has_not_changed() {
    let tree = Tree::with(&[("src/nul_inside.py", "def a():\n    return '\0'\n"), ("src/b.py", "nul = 1\n")]);
    let found = tree.find("nul_inside");
    let mut told: Vec<_> = found.hits.iter().map(|hit| (hit.path.shown(), hit.stale)).collect();
    told.sort();
    assert_eq!(told[told.len() - 1], ("src/nul_inside.py".to_owned(), false), "{told:?}");
}
