//! Do filters find what they name, and say where they cannot be asked?

use std::sync::Arc;

use orienteer_index::find::{Means, Ranking};
use orienteer_index::git::FileHistory;
use orienteer_index::store::{Modes, RelativePath};

use crate::finding_ask::{Tree, USUAL, name, note, unchecked};

#[test]
fn names_with_marks_and_blanks_are_found_by_their_names() {
    let tree = Tree::with(&[
        (
            "a.rb",
            "class User\n  def valid?\n    true\n  end\n  def valid\n    1\n  end\n  def save!\n  end\nend\n",
        ),
        ("README.md", "# Getting Started\n\nSome text.\n\n# Started\n\nMore.\n"),
    ]);
    assert_eq!(tree.names("symbol:valid?"), ["User/valid?", "User/valid"]);
    assert_eq!(tree.names("symbol:save!"), ["User/save!"]);
    assert_eq!(tree.names("symbol:save"), ["User/save!"]);
    assert_eq!(tree.names("symbol:\"Getting Started\""), ["Getting Started"]);
    assert_eq!(tree.names("symbol:User.valid lang:ruby \"1\""), ["User/valid"]);
}

#[test]
fn a_language_that_cannot_answer_is_said_when_it_is_asked_for() {
    let tree = Tree::with(&[
        ("data.json", "{\"foo\": 1}\n"),
        ("a.rs", "fn a() { foo(); }\n"),
        ("b.pl", "sub foo { 1 }\n"),
    ]);
    for question in ["lang:json calls:foo", "ext:json calls:foo", "file:data.json calls:foo"] {
        let found = tree.find(question);
        let said: Vec<_> =
            found.unsupported.iter().map(|one| (one.filter, one.languages.clone(), one.files)).collect();
        assert_eq!(said, [("calls", vec!["json"], 1)], "{question}");
    }
    let languages = |question: &str| {
        tree.find(question).unsupported.into_iter().flat_map(|one| one.languages).collect::<Vec<_>>()
    };
    assert_eq!(languages("calls:foo"), ["perl"], "nobody misses calls in data");
    assert_eq!(languages("lang:rust calls:foo"), [""; 0]);
    for question in ["kind:function lang:perl", "symbol:foo lang:perl", "signature:foo lang:perl"] {
        assert_eq!(languages(question), ["perl"], "{question}");
    }
    assert_eq!(languages("kind:text lang:perl"), [""; 0]);
}

#[test]
fn records_are_looked_at_when_their_kind_or_their_fields_are_asked_for() {
    let tree = Tree::with(&[
        ("triage/one.md", "---\nseverity: high\n---\n\nA leak of memory.\n"),
        ("a.md", "# Other\n\nA leak of water.\n"),
    ]);
    let found = tree.find("leak");
    assert_eq!(found.hits.iter().map(name).collect::<Vec<_>>(), ["Other"]);
    for question in ["meta:severity=high", "kind:record leak", "kind:record", "kind:record \"of memory\""] {
        let paths: Vec<String> = tree.find(question).hits.iter().map(|hit| hit.path.shown()).collect();
        assert_eq!(paths, ["triage/one.md"], "{question}");
    }
}

#[test]
fn filters_that_need_git_say_that_nothing_was_asked() {
    let tree = Tree::with(&[("a.rs", "fn a() {}\n")]);
    for (question, filter) in
        [("author:ann", "author"), ("churn_min:2 a", "churn_min"), ("churn_max:2 a", "churn_max")]
    {
        let found = tree.find(question);
        assert_eq!(unchecked(&found), [("no_git", Some(filter), 1)], "{question}");
        assert!(found.hits.is_empty() && note(&found, "no_git").is_some());
    }
    let found = tree.find("branch:main a");
    assert_eq!(unchecked(&found), [("branch", Some("branch"), 1)]);
    let means = Means { no_history: Some("git failed: bad object"), ..Means::default() };
    let found = tree.page("author:ann", 0, 10, Modes::of(USUAL), means);
    assert!(note(&found, "no_git").unwrap().contains("bad object"));
}

#[test]
fn a_file_that_a_cut_history_does_not_know_is_left_out_and_said() {
    let tree = Tree::with(&[("a.rs", "fn a() {}\n"), ("b.rs", "fn b() {}\n"), ("c.rs", "fn c() {}\n")]);
    let history = |path: &RelativePath| {
        let commits = match path.shown().as_str() {
            "a.rs" => 1,
            "b.rs" => 9,
            _ => return None,
        };
        let ann: Arc<str> = "Ann".into();
        Some(FileHistory { last_author: ann.clone(), last_email: ann, last_time: 1, commits })
    };
    let ask = |question: &str, history_cut: bool| {
        let means = Means { history: Some(&history), history_cut, ..Means::default() };
        tree.page(question, 0, 10, Modes::of(USUAL), means)
    };
    let found = ask("churn_max:3", true);
    assert_eq!(found.hits.iter().map(name).collect::<Vec<_>>(), ["a"]);
    assert_eq!(unchecked(&found), [("history_cut", Some("churn_max"), 1)]);
    let found = ask("churn_max:3", false);
    assert_eq!(found.hits.iter().map(name).collect::<Vec<_>>(), ["a", "c"], "it was never committed");
    assert!(found.unchecked.is_empty());
    assert_eq!(unchecked(&ask("-author:bob", true)), [("history_cut", Some("author"), 1)]);
}

#[test]
fn names_in_brackets_are_looked_up_and_compared_alike() {
    let tree = Tree::with(&[("a.js", "function run() {\n  foo().bar[0](1);\n  other();\n}\n")]);
    assert_eq!(tree.names("calls:foo"), ["run"]);
    assert_eq!(tree.names("calls:other"), ["run"]);
}

#[test]
fn an_answer_says_what_its_order_comes_from() {
    let tree = Tree::with(&[("a.rs", "fn alpha() {}\n")]);
    assert_eq!(tree.find("alpha").ranking, Ranking::Words);
    assert_eq!(tree.find("\"alpha\"").ranking, Ranking::Words);
    assert_eq!(tree.find("kind:function").ranking, Ranking::Path);
    assert!(tree.find("alpha").notes.is_empty(), "no model is no fault");
}
