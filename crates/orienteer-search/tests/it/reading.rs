//! What reading promises.

use orienteer_base::listing::FileText;
use orienteer_base::question::Part;
use orienteer_base::{Cancel, Completeness, ErrorKind, Problem, Reason};
use proptest::prelude::*;

use crate::support::{Tree, utf16};

fn read(tree: &Tree, path: &str, part: Part) -> Result<FileText, Problem> {
    let query = tree.read_query(path, part);
    orienteer_search::read_file(&tree.roots, &query, &Cancel::new()).map(|answer| answer.value)
}

fn lines(start: usize, end: usize) -> Part {
    Part::Lines { start, end }
}

#[test]
fn encodings_are_recognised() {
    let tree = Tree::new(&[
        ("plain", "grün\n".as_bytes()),
        ("bom", "\u{feff}grün\n".as_bytes()),
        ("latin", b"gr\xfcn \x80\n"),
        ("mixed", b"gr\xc3\xbcn gr\xfcn\n"),
        ("cut", b"gr\xc3"),
        ("undefined", b"a\x81b"),
    ]);
    tree.write("le", utf16("grün👍\r\n", true));
    tree.write("be", utf16("grün👍\r\n", false));
    let decoded = |path: &str| {
        let text = read(&tree, path, Part::Whole).unwrap();
        (text.content, text.encoding, text.lossy, text.total_chars)
    };
    assert_eq!(decoded("plain"), ("grün\n".to_owned(), "utf-8", false, 5));
    assert_eq!(decoded("bom"), ("grün\n".to_owned(), "utf-8-bom", false, 5));
    assert_eq!(decoded("latin"), ("grün €\n".to_owned(), "windows-1252", false, 7));
    assert_eq!(decoded("mixed"), ("grün gr\u{fffd}n\n".to_owned(), "utf-8", true, 10));
    assert_eq!(decoded("le"), ("grün👍\r\n".to_owned(), "utf-16le", false, 7));
    assert_eq!(decoded("be"), ("grün👍\r\n".to_owned(), "utf-16be", false, 7));
    assert_eq!(decoded("undefined"), ("a\u{fffd}b".to_owned(), "utf-8", true, 3));
}

#[test]
fn characters_across_chunks_stay_whole() {
    let text = "aä€👍".repeat(50_000);
    let tree = Tree::new(&[("utf8", text.as_bytes()), ("latin", &[b'a', 0xfc].repeat(100_000))]);
    tree.write("le", utf16(&text, true));
    for path in ["utf8", "le"] {
        let mut query = tree.read_query(path, Part::Whole);
        query.max_chars = usize::MAX >> 1;
        let answer = orienteer_search::read_file(&tree.roots, &query, &Cancel::new()).unwrap();
        assert!(answer.value.content == text && !answer.value.lossy, "{path}");
    }
    let latin = read(&tree, "latin", Part::Chars { offset: 199_998, length: 10 }).unwrap();
    assert_eq!((latin.content.as_str(), latin.encoding), ("aü", "windows-1252"));
}

#[test]
fn lines_are_counted_as_editors_do() {
    let tree =
        Tree::new(&[("empty", b""), ("one", b"a"), ("ended", b"a\n"), ("two", b"a\r\nb"), ("gap", b"\n\n")]);
    for (path, count) in [("empty", 0), ("one", 1), ("ended", 1), ("two", 2), ("gap", 2)] {
        assert_eq!(read(&tree, path, Part::Whole).unwrap().total_lines, count, "{path}");
    }
    let empty = read(&tree, "empty", lines(1, 10)).unwrap();
    assert_eq!((empty.content.as_str(), empty.start_line, empty.end_line), ("", 1, 0));
}

#[test]
fn ranges_of_lines_are_exact_and_clamped() {
    let tree = Tree::new(&[("f", b"1\r\n2\r\n3\r\n4")]);
    let text = read(&tree, "f", lines(2, 3)).unwrap();
    assert_eq!((text.content.as_str(), text.start_line, text.end_line), ("2\r\n3\r\n", 2, 3));
    assert_eq!((text.char_offset, text.total_lines, text.total_chars, text.size), (3, 4, 10, 10));
    let text = read(&tree, "f", lines(3, 99)).unwrap();
    assert_eq!((text.content.as_str(), text.end_line), ("3\r\n4", 4));
    let problem = read(&tree, "f", lines(5, 6)).unwrap_err();
    assert_eq!((problem.field, problem.detail), (Some("start_line"), Some("behind_end")));
    assert!(problem.message.contains("4 lines"), "{problem}");
    assert_eq!(read(&tree, "f", lines(3, 2)).unwrap_err().field, Some("end_line"));
    assert_eq!(read(&tree, "f", lines(0, 2)).unwrap_err().field, Some("start_line"));
}

#[test]
fn what_is_no_text_is_refused() {
    let tree = Tree::new(&[("bin", b"ab\0cd"), ("dir/x", b"")]);
    let problem = read(&tree, "bin", Part::Whole).unwrap_err();
    assert_eq!((problem.kind, problem.detail), (ErrorKind::Unsupported, Some("binary_file")));
    assert!(problem.message.contains("5 bytes"));
    assert_eq!(read(&tree, "dir", Part::Whole).unwrap_err().detail, Some("is_directory"));
    tree.write("huge", "line one\nline two\n");
    std::fs::File::options().write(true).open(tree.path().join("huge")).unwrap().set_len(65 << 20).unwrap();
    let head = "line\n".repeat(2_000);
    tree.write("large", head.repeat(7_000));
    let problem = read(&tree, "large", Part::Whole).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::TooLarge);
    let text = read(&tree, "large", lines(13_999_999, 14_000_000)).unwrap();
    assert_eq!((text.content.as_str(), text.total_lines), ("line\nline\n", 14_000_000));
}

#[test]
fn matching_lines_come_with_their_surroundings() {
    let tree = Tree::new(&[("f", "1\r\nä Hit\r\n3\r\n4\r\nhit\r\n6".as_bytes())]);
    let part = |pattern: &str, regex, case_sensitive| Part::Matching {
        pattern: pattern.to_owned(),
        regex,
        case_sensitive,
        context_lines: 1,
        skip: 0,
    };
    let text = read(&tree, "f", part("HIT", false, false)).unwrap();
    let found = text.matches.unwrap();
    assert_eq!((text.content.as_str(), text.total_matches, text.total_lines), ("", 2, 6));
    assert_eq!((found[0].line, found[0].column, found[0].content.as_str()), (2, 3, "ä Hit"));
    assert_eq!((found[0].before.join(","), found[0].after.join(",")), ("1".to_owned(), "3".to_owned()));
    assert_eq!((found[1].line, found[1].after.join(",")), (5, "6".to_owned()));
    assert_eq!(read(&tree, "f", part("^h.t$", true, true)).unwrap().total_matches, 1);
    assert_eq!(read(&tree, "f", part("h.t", false, true)).unwrap().total_matches, 0);
    assert_eq!(read(&tree, "f", part("(", true, true)).unwrap_err().detail, Some("invalid_regex"));

    let mut query = tree.read_query("f", part("hit", false, false));
    query.max_chars = 3;
    let answer = orienteer_search::read_file(&tree.roots, &query, &Cancel::new()).unwrap();
    assert_eq!(answer.value.matches.unwrap().len(), 1);
    assert_eq!(answer.completeness, Completeness::partial(Reason::Capped));
}

#[test]
fn pages_are_cut_after_lines_where_there_are_any() {
    let tree = Tree::new(&[("f", b"first\nsecond\nthird\n"), ("long", &b"x".repeat(100))]);
    let mut query = tree.read_query("f", Part::Whole);
    query.max_chars = 15;
    let text = orienteer_search::read_file(&tree.roots, &query, &Cancel::new()).unwrap().value;
    assert_eq!((text.content.as_str(), text.next_char_offset), ("first\nsecond\n", Some(13)));
    query = tree.read_query("long", Part::Whole);
    query.max_chars = 30;
    let text = orienteer_search::read_file(&tree.roots, &query, &Cancel::new()).unwrap().value;
    assert_eq!((text.content.len(), text.next_char_offset), (30, Some(30)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn pages_concatenate_to_the_file(text in "[aä👍\r\n ]{0,200}", max_chars in 1_usize..50) {
        let tree = Tree::new(&[("f", text.as_bytes())]);
        let mut query = tree.read_query("f", Part::Whole);
        query.max_chars = max_chars;
        let (mut all, mut line) = (String::new(), 1);
        loop {
            let page = orienteer_search::read_file(&tree.roots, &query, &Cancel::new()).unwrap().value;
            prop_assert_eq!(page.char_offset, all.chars().count());
            prop_assert_eq!(page.start_line, line);
            all.push_str(&page.content);
            line = 1 + all.matches('\n').count();
            match page.next_char_offset {
                Some(offset) => query.part = Part::Chars { offset, length: usize::MAX },
                None => break,
            }
        }
        prop_assert_eq!(all, text);
    }

    #[test]
    fn ranges_of_lines_are_slices(text in "[aä\r\n]{1,100}", start in 1_usize..30, more in 0_usize..30) {
        let tree = Tree::new(&[("f", text.as_bytes())]);
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        match read(&tree, "f", lines(start, start + more)) {
            Ok(read) => {
                let end = (start + more).min(all.len());
                prop_assert_eq!(read.content, all[start - 1..end].concat());
                prop_assert_eq!((read.start_line, read.end_line), (start, end));
            }
            Err(problem) => {
                prop_assert!(start > all.len());
                prop_assert_eq!(problem.field, Some("start_line"));
            }
        }
    }
}
