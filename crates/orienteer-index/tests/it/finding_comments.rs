//! Are comments found, and nothing else, when comments are asked for?

use orienteer_index::find::Means;
use orienteer_index::store::{Mode, Modes};

use crate::finding_ask::{Tree, name};

const TEXT: &str = "\
fn alpha() {
    // a needle comment here
    one();
}

fn beta() {
    let text = \"needle comment in a string\";
}

// between definitions

fn gamma() {}
";

fn tree() -> Tree {
    Tree::with(&[("src/a.rs", TEXT), ("src/needle.rs", "fn needle_comment() {}\n")])
}

#[test]
fn exact_texts_are_found_in_comments() {
    let tree = tree();
    for question in
        ["kind:comment \"needle comment\"", "kind:comment /needle comm/", "kind:comment /a needle/"]
    {
        let found = tree.find(question);
        assert_eq!(found.hits.iter().map(name).collect::<Vec<_>>(), ["alpha"], "{question}");
        assert_eq!((found.hits[0].mode, found.hits[0].line), (Mode::Comments, 2), "{question}");
    }
    assert_eq!(tree.names("\"needle comment\""), ["alpha", "beta"]);
    assert_eq!(tree.names("-kind:comment \"needle comment\""), ["beta"]);
}

#[test]
fn comments_are_looked_at_alone_when_only_their_mode_is_asked_for() {
    let tree = tree();
    let found = |question: &str| {
        let found = tree.page(question, 0, 100, Modes::of(&[Mode::Comments]), Means::default());
        found.hits.iter().map(|hit| (name(hit), hit.mode)).collect::<Vec<_>>()
    };
    let alpha = vec![("alpha".to_owned(), Mode::Comments)];
    assert_eq!(found("\"needle\""), alpha);
    assert_eq!(found("/needle/"), alpha);
    assert_eq!(found("needle"), alpha, "a name is no comment");
    assert_eq!(found("\"one\""), []);
}

#[test]
fn a_list_of_comments_has_what_holds_comments() {
    let tree = tree();
    let found = tree.find("kind:comment lang:rust");
    assert!(found.hits.iter().all(|hit| hit.mode == Mode::Comments), "{:?}", found.hits);
    let lines: Vec<(String, bool)> = found
        .hits
        .iter()
        .map(|hit| (hit.path.shown(), hit.snippet.iter().any(|line| line.text.contains("//"))))
        .collect();
    assert_eq!(lines, [("src/a.rs".to_owned(), true), ("src/a.rs".to_owned(), true)]);
    assert_eq!(tree.names("kind:comment symbol:alpha"), ["alpha"]);
    assert_eq!(tree.names("kind:comment symbol:needle_comment"), [""; 0]);
}

#[test]
fn a_kind_beside_comments_counts_too() {
    let tree = tree();
    assert_eq!(tree.names("kind:function,comment \"needle comment\""), ["alpha", "beta"]);
    let found = tree.find("kind:struct,comment \"needle comment\"");
    assert_eq!(found.hits.iter().map(|hit| hit.mode).collect::<Vec<_>>(), [Mode::Comments]);
}
