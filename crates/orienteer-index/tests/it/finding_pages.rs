//! Do the pages of an answer fit together?

use std::collections::HashSet;

use orienteer_index::find::{Hit, Means};
use orienteer_index::store::Modes;

use crate::finding_ask::{Tree, USUAL, name};

fn place(hit: &Hit) -> (String, u32, String) {
    (hit.path.shown(), hit.line, name(hit))
}

/// All pages of an answer, one after the other.
fn pages(tree: &Tree, question: &str, size: usize) -> Vec<(String, u32, String)> {
    let mut all = Vec::new();
    loop {
        let found = tree.page(question, all.len(), size, Modes::of(USUAL), Means::default());
        if found.hits.is_empty() {
            assert!(!found.capped, "{question}: more is promised than is shown");
            return all;
        }
        all.extend(found.hits.iter().map(place));
    }
}

#[test]
fn pages_of_exact_texts_neither_repeat_nor_lose_anything() {
    let files: Vec<(String, String)> = (0..60)
        .map(|file| {
            let functions = (0..10).map(|at| {
                // Later files fit better, and must not push themselves between pages.
                format!("fn f{file}_{at}() {{\n    needle();\n}}\n\n{}", "// needle word\n".repeat(file / 10))
            });
            (format!("src/f{file:02}.rs"), functions.collect())
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let tree = Tree::with(&files);
    let question = "\"needle()\" word";
    let once = tree.page(question, 0, 5_000, Modes::of(USUAL), Means::default());
    let expected: Vec<_> = once.hits.iter().map(place).collect();
    assert_eq!(expected.len(), 600);
    let paged = pages(&tree, question, 70);
    assert_eq!(paged.iter().collect::<HashSet<_>>().len(), 600);
    assert_eq!(paged, expected);
}

#[test]
fn a_page_of_a_list_is_full_while_there_is_more() {
    let text: String = (0..120)
        .map(|at| {
            let word = if at < 100 { "bad" } else { "good" };
            format!("fn f{at:03}() {{\n    {word}();\n}}\n\n")
        })
        .collect();
    let tree = Tree::with(&[("a.rs", &text)]);
    let found = tree.page("kind:function -bad", 0, 5, Modes::of(USUAL), Means::default());
    let names: Vec<String> = found.hits.iter().map(name).collect();
    assert_eq!(names, ["f100", "f101", "f102", "f103", "f104"]);
    let all = pages(&tree, "kind:function -bad", 7);
    assert_eq!(all.len(), 20);
}
