//! Is it said what could not be looked at, and who wrote what is shown?

use std::fs;
use std::process::Command;

use orienteer_index::find::Means;
use orienteer_index::git::Git;
use orienteer_index::store::Modes;
use orienteer_process::Environment;

use crate::finding_ask::{Tree, USUAL, name, note, unchecked};
use crate::support::Place;

#[test]
fn files_that_are_gone_are_counted_and_named() {
    let tree = Tree::with(&[("a.rs", "fn a() { needle(); }\n"), ("b.rs", "fn b() { needle(); }\n")]);
    fs::remove_file(tree.place.path("b.rs")).unwrap();
    for question in ["\"needle\"", "/needle/", "needle -absent", "kind:function -absent"] {
        let found = tree.find(question);
        assert_eq!(found.hits.iter().map(name).collect::<Vec<_>>(), ["a"], "{question}");
        assert_eq!(unchecked(&found), [("unreadable_files", None, 1)], "{question}");
        assert!(note(&found, "unreadable_files").unwrap().contains("b.rs"), "{question}");
    }
    assert!(tree.find("needle path:a.rs \"needle\"").unchecked.is_empty());
}

#[test]
fn records_that_nobody_asked_for_are_not_read() {
    let tree = Tree::with(&[("a.rs", "fn a() { needle(); }\n"), ("b.csv", "needle,1\n")]);
    fs::remove_file(tree.place.path("b.csv")).unwrap();
    assert!(tree.find("\"needle\"").unchecked.is_empty());
    let found = tree.page("\"needle\"", 0, 10, Modes::ALL, Means::default());
    assert_eq!(unchecked(&found), [("unreadable_files", None, 1)]);
}

#[test]
fn files_that_are_indexed_in_part_are_named_where_it_matters() {
    let place = Place::new();
    place.write("large.txt", "0123456789 words\n".repeat(300_000));
    place.write("a.rs", "fn words() {}\n");
    let tree = Tree::of(place);
    let found = tree.find("words");
    assert_eq!(unchecked(&found), [("partly_indexed", None, 1)]);
    assert!(note(&found, "partly_indexed").unwrap().contains("large.txt"));
    assert!(tree.find("words lang:rust").unchecked.is_empty(), "it is not among what was asked");
    assert!(tree.find("\"fn words\"").unchecked.is_empty(), "whole files are read");
}

#[test]
fn what_is_no_text_has_none_of_the_words_that_must_not_be_there() {
    let place = Place::new();
    place.write("image.bin", b"a\0b");
    place.write("a.txt", "needle");
    let tree = Tree::of(place);
    let found = tree.find("ext:bin -needle");
    assert_eq!(found.hits.iter().map(name).collect::<Vec<_>>(), ["image.bin"]);
    assert!(found.unchecked.is_empty());
}

#[test]
fn hits_tell_who_wrote_them_last_when_git_is_asked() {
    let place = Place::with(&[("a.rs", "fn alpha() {\n    one();\n}\n\nfn beta() {}\n")]);
    let git = |arguments: &[&str], author: &str| {
        let status = Command::new("git")
            .args(["-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(place.root())
            .env("GIT_AUTHOR_NAME", author)
            .env("GIT_AUTHOR_EMAIL", "mail@example.org")
            .env("GIT_COMMITTER_NAME", author)
            .env("GIT_COMMITTER_EMAIL", "mail@example.org")
            .env("GIT_AUTHOR_DATE", if author == "Ann" { "1000000000 +0000" } else { "1100000000 +0000" })
            .output()
            .unwrap();
        assert!(status.status.success(), "{status:?}");
    };
    git(&["init", "-q"], "Ann");
    git(&["add", "."], "Ann");
    git(&["commit", "-qm", "one"], "Ann");
    place.write("a.rs", "fn alpha() {\n    two();\n}\n\nfn beta() {}\n");
    git(&["commit", "-qam", "two"], "Bob");
    place.write("new.rs", "fn alpha_new() {}\n");
    let tree = Tree::of(place);
    let program = Git::new(&Environment::from_pairs(std::env::vars_os()));
    let means = Means { blame: Some(&program), ..Means::default() };
    let found = tree.page("kind:function", 0, 10, Modes::of(USUAL), means);
    let said: Vec<_> = found
        .hits
        .iter()
        .map(|hit| (name(hit), hit.blame.as_ref().map(|blame| (blame.author.as_str(), blame.time))))
        .collect();
    assert_eq!(
        said,
        [
            ("alpha".to_owned(), Some(("Bob", 1_100_000_000))),
            ("beta".to_owned(), Some(("Ann", 1_000_000_000))),
            ("alpha_new".to_owned(), None)
        ]
    );
    assert!(tree.find("kind:function").hits.iter().all(|hit| hit.blame.is_none()));
}
