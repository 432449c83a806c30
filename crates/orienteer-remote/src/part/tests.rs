use super::*;

const TEXT: &str = "eins\nzwei ü\ndrei\nvier\nfünf\nsechs";

fn lines(start: usize, end: usize) -> Result<Piece, Problem> {
    part(TEXT, &Part::Lines { start, end })
}

fn find(pattern: &str, regex: bool, case_sensitive: bool, context_lines: usize) -> Piece {
    part(TEXT, &Part::Matching { pattern: pattern.into(), regex, case_sensitive, context_lines, skip: 0 })
        .unwrap()
}

#[test]
fn the_whole_is_the_whole() {
    let whole = part(TEXT, &Part::Whole).unwrap();
    assert_eq!((whole.content.as_str(), whole.start_line, whole.end_line), (TEXT, 1, 6));
    assert_eq!((whole.total_lines, whole.total_chars, whole.has_more), (6, 32, false));
    let empty = part("", &Part::Whole).unwrap();
    assert_eq!(empty, Piece::default());
    assert_eq!(part("a\n", &Part::Whole).unwrap().total_lines, 1);
    assert_eq!(part("\n\n", &Part::Whole).unwrap().total_lines, 2);
}

#[test]
fn lines_are_exact_and_end_with_the_text() {
    let two = lines(2, 3).unwrap();
    assert_eq!((two.content.as_str(), two.start_line, two.end_line), ("zwei ü\ndrei\n", 2, 3));
    assert_eq!((two.char_offset, two.has_more, two.total_lines), (5, true, 6));
    let last = lines(6, 100).unwrap();
    assert_eq!((last.content.as_str(), last.end_line, last.has_more), ("sechs", 6, false));
}

#[test]
fn lines_that_are_none_are_told_with_how_many_there_are() {
    assert_eq!(lines(7, 8).unwrap_err().detail, Some("after_end"));
    assert!(lines(7, 8).unwrap_err().message.contains("6 lines"));
    for (start, end) in [(0, 3), (3, 2)] {
        assert_eq!(lines(start, end).unwrap_err().detail, Some("invalid_range"));
    }
    assert_eq!(part("", &Part::Lines { start: 1, end: 5 }).unwrap().content, "");
}

#[test]
fn characters_are_counted_as_such() {
    let chars = |offset, length| part(TEXT, &Part::Chars { offset, length }).unwrap();
    let some = chars(10, 3);
    assert_eq!((some.content.as_str(), some.start_line, some.end_line), ("ü\nd", 2, 3));
    assert_eq!(some.stretches, [(2, 3)]);
    assert!(some.has_more);
    assert_eq!((chars(27, 99).content.as_str(), chars(27, 99).has_more), ("sechs", false));
    assert_eq!(chars(32, usize::MAX).content, "");
    assert_eq!(chars(0, usize::MAX).content, TEXT);
    let beyond = part(TEXT, &Part::Chars { offset: 33, length: 1 }).unwrap_err();
    assert!(beyond.message.contains("32 characters"), "{beyond}");
    // Page by page it is the whole again.
    let pages: String = (0..7).map(|page| chars(page * 5, 5).content).collect();
    assert_eq!(pages, TEXT);
}

#[test]
fn matches_come_with_the_lines_around_them() {
    let one = find("DREI", false, false, 1);
    assert_eq!(
        (one.content.as_str(), one.matched_lines.as_slice()),
        ("zwei ü\ndrei\nvier\n", [3].as_slice())
    );
    assert_eq!((one.start_line, one.end_line, one.has_more), (2, 4, true));
    assert_eq!(find("DREI", false, true, 1), Piece { total_lines: 6, total_chars: 32, ..Piece::default() });
    let two = find("^(eins|sechs)$", true, true, 0);
    assert_eq!(two.content, "eins\n[lines 2 to 5 left out]\nsechs");
    assert_eq!(two.stretches, [(1, 1), (6, 6)]);
    assert_eq!((two.start_line, two.end_line, two.has_more), (1, 6, false));
    let near = find("zwei|vier", true, true, 1);
    assert_eq!((near.start_line, near.end_line), (1, 5));
    assert_eq!(near.content, "eins\nzwei ü\ndrei\nvier\nfünf\n");
}

#[test]
fn a_match_over_several_lines_counts_all_of_them() {
    assert_eq!(find("zwei ü\ndrei", false, true, 0).matched_lines, [2, 3]);
    assert_eq!(find("e", false, true, 0).matched_lines, [1, 2, 3, 4, 6]);
    assert_eq!(find("$", true, true, 0).matched_lines.last(), Some(&6));
}

#[test]
fn lines_that_earlier_pages_showed_are_left_out() {
    let pattern = "e".to_owned();
    let wanted = Part::Matching { pattern, regex: false, case_sensitive: true, context_lines: 0, skip: 3 };
    assert_eq!(part(TEXT, &wanted).unwrap().matched_lines, [4, 6]);
    let Part::Matching { pattern, .. } = wanted else { panic!("it is") };
    let beyond = Part::Matching { pattern, regex: false, case_sensitive: true, context_lines: 0, skip: 9 };
    assert_eq!(part(TEXT, &beyond).unwrap().matched_lines, [] as [usize; 0]);
}

#[test]
fn patterns_that_are_none_are_told() {
    let ask = |text: &str| {
        let pattern = text.into();
        part(TEXT, &Part::Matching { pattern, regex: true, case_sensitive: true, context_lines: 1, skip: 0 })
    };
    assert_eq!(ask("(").unwrap_err().detail, Some("invalid_regex"));
    assert_eq!(ask("").unwrap_err().detail, Some("empty"));
    assert_eq!(ask("(a{1000}){1000}").unwrap_err().detail, Some("invalid_regex"));
}
