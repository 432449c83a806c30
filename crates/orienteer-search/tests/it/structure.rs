//! What a search for shapes promises.

use orienteer_base::listing::Matches;
use orienteer_base::question::{After, Selection, Strictness, StructureQuery};
use orienteer_base::{Cancel, Completeness, Conceal, ErrorKind, Language, Reason};
use orienteer_search::search_structure;

use crate::support::{Tree, shown};

fn query(tree: &Tree, pattern: &str, language: &str) -> StructureQuery {
    StructureQuery {
        pattern: pattern.to_owned(),
        language: Language::by_word(language).unwrap(),
        scope: tree.roots.workspace_path(),
        selection: Selection::default(),
        strictness: Strictness::Smart,
        context_lines: 0,
        max_results: 1_000,
        after: After::default(),
        conceal: Conceal::default(),
    }
}

#[test]
fn matches_come_with_places_and_captures() {
    let tree = Tree::new(&[
        ("b.rs", "fn f() {\n    let ä = g(1).unwrap();\n    h(\n        2,\n    ).unwrap();\n}\n".as_bytes()),
        ("a.rs", b"fn f() { x.unwrap() }\n"),
        ("c.py", b"x.unwrap()\n"),
        ("d.rs", b"fn f() { x.expect() }\n"),
    ]);
    let mut query = query(&tree, "$A.unwrap()", "rust");
    query.context_lines = 1;
    let answer = search_structure(&tree.roots, &query, &Cancel::new()).unwrap();
    let value = &answer.value;
    assert_eq!(shown(value), ["a.rs", "b.rs"]);
    assert_eq!((value.stats.files_searched, value.stats.files_matched, value.stats.total_matches), (3, 2, 3));
    let [first, second] = value.files[1].matches.as_slice() else { panic!("{value:?}") };
    assert_eq!((first.line, first.column, first.end_line), (2, 13, 2));
    assert_eq!(first.content, "    let ä = g(1).unwrap();");
    assert_eq!(first.captures, [("A".to_owned(), "g(1)".to_owned())]);
    assert_eq!((second.line, second.end_line), (3, 5));
    assert_eq!(second.before, ["    let ä = g(1).unwrap();"]);
    assert_eq!(second.after, ["}"]);
    assert_eq!(answer.completeness, Completeness::Complete);
}

#[test]
fn pages_of_matches_concatenate_to_the_whole() {
    let tree = Tree::new(&[]);
    for n in 0..20 {
        let body: String = (0..n % 5).map(|k| format!("    call({k});\n")).collect();
        tree.write(&format!("d{}/f{n}.rs", n % 3), format!("fn f() {{\n{body}}}\n"));
    }
    let mut query = query(&tree, "call($N)", "rust");
    let flat = |query: &StructureQuery| {
        let value = search_structure(&tree.roots, query, &Cancel::new()).unwrap().value;
        let rows: Vec<_> = value
            .files
            .iter()
            .flat_map(|file| file.matches.iter().map(|found| (file.file_path.clone(), found.line)))
            .collect();
        (rows, value)
    };
    let (whole, _) = flat(&query);
    assert_eq!(whole.len(), 40);
    for size in [1, 3, 7, 40, 50] {
        (query.max_results, query.after) = (size, After::default());
        let mut all = Vec::new();
        loop {
            let (rows, value) = flat(&query);
            all.extend(rows);
            assert_eq!(value.stats.total_matches, 40);
            assert_eq!(value.remaining as usize, 40 - all.len());
            if value.remaining == 0 {
                break;
            }
            query.after = after_match(&value, &query.after).unwrap();
        }
        assert_eq!(all, whole, "{size}");
    }
}

#[test]
fn problems_are_typed() {
    let tree = Tree::new(&[("a.rs", b"fn f() {}\n")]);
    let fails = |pattern: &str, language: &str| {
        search_structure(&tree.roots, &query(&tree, pattern, language), &Cancel::new()).unwrap_err()
    };
    assert_eq!(fails("", "rust").field, Some("pattern"));
    assert_eq!(fails(&"(".repeat(1 << 20), "rust").field, Some("pattern"));
    let problem = fails("x", "plaintext");
    assert_eq!((problem.kind, problem.field), (ErrorKind::Unsupported, Some("language")));
    assert!(problem.candidates.contains(&"rust".to_owned()));
}

#[test]
fn files_too_large_to_parse_are_named() {
    let tree = Tree::new(&[("a.rs", b"fn f() { x.unwrap(); }\n")]);
    tree.write("big.rs", "fn f() { x.unwrap(); }\n".repeat(500_000));
    let answer = search_structure(&tree.roots, &query(&tree, "$A.unwrap()", "rust"), &Cancel::new()).unwrap();
    assert_eq!(answer.value.stats.total_matches, 1);
    assert_eq!(answer.value.skipped[0].path, "big.rs");
    assert_eq!(answer.completeness, Completeness::partial(Reason::Unreadable));
}

#[test]
fn a_named_file_is_searched_whatever_its_name() {
    let tree = Tree::new(&[("script", b"fn f() { x.unwrap(); }\n")]);
    let mut query = query(&tree, "$A.unwrap()", "rust");
    query.scope = tree.roots.resolve("script").unwrap();
    let answer = search_structure(&tree.roots, &query, &Cancel::new()).unwrap();
    assert_eq!(answer.value.stats.total_matches, 1);
}

/// Where the next page of structural matches starts; `before` is where this one did.
fn after_match(page: &Matches, before: &After) -> Option<After> {
    let last = page.files.last()?;
    let seen = if before.path.as_ref() == Some(&last.file_path) { before.matches } else { 0 };
    Some(After {
        path: Some(last.file_path.clone()),
        modified_ns: None,
        matches: seen + last.matches.len() as u64,
    })
}
