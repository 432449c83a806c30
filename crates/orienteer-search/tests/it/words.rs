//! Which files the table of words names, on real trees.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use orienteer_search::words::{WordLimits, WordTable, is_word_char, occurrences};
use proptest::prelude::*;

use crate::support::{Tree, utf16};

fn table(tree: &Tree, files: &[&str], limits: WordLimits) -> WordTable {
    let mut table = WordTable::new(limits);
    update(&mut table, tree, files);
    table
}

fn update(table: &mut WordTable, tree: &Tree, files: &[&str]) {
    let paths: Vec<PathBuf> = files.iter().map(|file| tree.path().join(file)).collect();
    table.update(paths.iter().map(PathBuf::as_path));
}

fn named(table: &WordTable, tree: &Tree, word: &str) -> Vec<String> {
    let mut found = table.files_with(word).unwrap();
    found.sort();
    found.iter().map(|path| path.strip_prefix(tree.path()).unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn changed_new_and_deleted_files_are_followed() {
    let tree = Tree::new(&[("a.rs", b"fn alpha() {}"), ("b.rs", b"fn beta() { alpha() }")]);
    let mut table = table(&tree, &["a.rs", "b.rs"], WordLimits::default());
    assert_eq!(named(&table, &tree, "alpha"), ["a.rs", "b.rs"]);
    assert_eq!(named(&table, &tree, "beta"), ["b.rs"]);
    tree.write("b.rs", "fn gamma() {}");
    tree.write("c.rs", "alpha");
    std::fs::remove_file(tree.path().join("a.rs")).unwrap();
    update(&mut table, &tree, &["a.rs", "b.rs", "c.rs"]);
    assert_eq!(named(&table, &tree, "alpha"), ["c.rs"]);
    assert_eq!(named(&table, &tree, "beta"), [""; 0]);
    assert_eq!((named(&table, &tree, "gamma"), table.len()), (vec!["b.rs".to_owned()], 2));
    for file in ["b.rs", "c.rs"] {
        std::fs::remove_file(tree.path().join(file)).unwrap();
    }
    update(&mut table, &tree, &["b.rs", "c.rs", "never.rs"]);
    assert!(table.is_empty() && table.bytes() == 0);
}

#[test]
fn what_is_no_word_cannot_be_told() {
    let tree = Tree::new(&[("a.rs", b"foo-bar std::io")]);
    let table = table(&tree, &["a.rs"], WordLimits::default());
    for word in ["", "foo-bar", "std::io", "a b", "😀", "foo\n"] {
        assert_eq!(table.files_with(word), None, "{word:?}");
    }
}

#[test]
fn every_encoding_is_looked_into_and_binaries_are_not() {
    let tree = Tree::new(&[
        ("little.txt", &utf16("größe", true)),
        ("big.txt", &utf16("größe", false)),
        ("utf8.txt", "\u{feff}größe".as_bytes()),
        ("western.txt", b"gr\xf6\xdfe"),
        ("binary", b"\0gr\xc3\xb6\xc3\x9fe"),
        ("late", &[&b" ".repeat(9_000), &b"\0"[..], "größe".as_bytes()].concat()),
    ]);
    let files = ["little.txt", "big.txt", "utf8.txt", "western.txt", "binary", "late"];
    let table = table(&tree, &files, WordLimits::default());
    assert_eq!(named(&table, &tree, "größe"), ["big.txt", "late", "little.txt", "utf8.txt", "western.txt"]);
}

#[test]
fn what_does_not_fit_is_named_for_every_word() {
    let tree = Tree::new(&[("small", b"one"), ("large", &b"two ".repeat(100)), ("late", b"three")]);
    let files = ["small", "large", "late"];
    let limits = WordLimits { file_bytes: 100, ..WordLimits::default() };
    let by_size = table(&tree, &files, limits);
    assert_eq!(named(&by_size, &tree, "absent"), ["large"]);
    assert_eq!(named(&by_size, &tree, "one"), ["large", "small"]);
    assert_eq!(by_size.len(), 3);
    let nothing = table(&tree, &files, WordLimits { total_bytes: 10, ..WordLimits::default() });
    assert_eq!(named(&nothing, &tree, "absent"), ["large", "late", "small"]);
    assert_eq!((nothing.bytes(), nothing.unknown().count()), (0, 3));
}

#[test]
fn a_full_table_forgets_deleted_files_it_knows_nothing_about() {
    let tree = Tree::new(&[("a", b"one")]);
    let mut table = table(&tree, &["a"], WordLimits { total_bytes: 10, ..WordLimits::default() });
    assert_eq!(table.len(), 1);
    std::fs::remove_file(tree.path().join("a")).unwrap();
    update(&mut table, &tree, &["a"]);
    assert!(table.is_empty());
}

#[cfg(unix)]
#[test]
fn folders_and_links_to_nowhere_have_no_words() {
    let tree = Tree::new(&[("folder/a", b"one")]);
    std::os::unix::fs::symlink("nowhere", tree.path().join("link")).unwrap();
    let table = table(&tree, &["folder", "link", "folder/a", "folder/a/b"], WordLimits::default());
    assert_eq!((named(&table, &tree, "one"), table.len()), (vec!["folder/a".to_owned()], 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_file_is_missed(texts in prop::collection::vec("[a-c$_é 😀\u{301}.]{0,30}", 1..40)) {
        let tree = Tree::new(&[]);
        let files: BTreeMap<String, &String> =
            texts.iter().enumerate().map(|(at, text)| (format!("f{at:03}"), text)).collect();
        for (file, text) in &files {
            tree.write(file, text.as_bytes());
        }
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        let table = table(&tree, &names, WordLimits::default());
        for word in texts.iter().flat_map(|text| text.split(|c| !is_word_char(c))).filter(|word| !word.is_empty()) {
            let found = named(&table, &tree, word);
            for (file, text) in &files {
                let holds = occurrences(text, word).next().is_some();
                prop_assert!(!holds || found.contains(file), "{word:?} in {file}: {text:?}");
            }
        }
    }
}

/// On the sources of this workspace: nothing that a naive reader finds is missed.
#[test]
fn real_sources_are_not_missed() {
    let mut files = Vec::new();
    files_below(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap(), &mut files);
    let mut table = WordTable::new(WordLimits::default());
    table.update(files.iter().map(PathBuf::as_path));
    for word in ["fn", "self", "WordTable", "occurrences", "name", "u8", "größe"] {
        let found: HashSet<PathBuf> = table.files_with(word).unwrap().into_iter().collect();
        for file in &files {
            let bytes = std::fs::read(file).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            let holds =
                !bytes[..bytes.len().min(8 << 10)].contains(&0) && occurrences(&text, word).next().is_some();
            assert!(!holds || found.contains(file), "{word} in {}", file.display());
        }
    }
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files_below(&entry.path(), found),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}
