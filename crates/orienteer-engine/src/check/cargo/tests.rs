use super::*;

/// A message as Cargo writes it, on one line.
fn line(message: &str) -> String {
    let message = message.replace('\n', " ");
    format!(
        r#"{{"reason":"compiler-message","package_id":"path+file:///p#x@0.1.0","manifest_path":"/p/Cargo.toml","target":{{"kind":["lib"],"name":"x","src_path":"/p/src/lib.rs"}},"message":{message}}}"#
    )
}

fn span(file: &str, place: [u32; 4], primary: bool, rest: &str) -> String {
    let [line, column, end_line, end_column] = place;
    format!(
        r#"{{"byte_start":0,"byte_end":1,"file_name":"{file}","is_primary":{primary},"line_start":{line},"column_start":{column},"line_end":{end_line},"column_end":{end_column}{rest}}}"#
    )
}

fn parsed(lines: &[String]) -> Parsed {
    parse(&lines.join("\n"), Path::new("/p"))
}

fn one(message: &str) -> Finding {
    let mut parsed = parsed(&[line(message)]);
    assert_eq!((parsed.findings.len(), parsed.unread), (1, 0));
    parsed.findings.remove(0)
}

const FINISHED: &str = r#"{"reason":"build-finished","success":false}"#;

#[test]
fn labels_notes_and_suggestions_find_their_places() {
    let found = one(&format!(
        r#"{{"$message_type":"diagnostic","level":"error","code":{{"code":"E0308","explanation":"…"}},
        "message":"mismatched types","rendered":"error[E0308]: …","spans":[{},{}],"children":[
        {{"level":"note","message":"expected type `u8`\n found type `&str`","spans":[],"children":[]}},
        {{"level":"note","message":"function defined here","spans":[{}],"children":[]}},
        {{"level":"help","message":"try parsing","spans":[{}],"children":[]}},
        {{"level":"help","message":"remove both","spans":[{},{}],"children":[]}}]}}"#,
        span("src/lib.rs", [1, 16, 1, 18], false, r#","label":"expected `u8` because of this""#),
        span("src/lib.rs", [1, 21, 1, 24], true, r#","label":"expected `u8`, found `&str`""#),
        span("src/other.rs", [7, 4, 7, 9], true, r#","label":null"#),
        span("src/lib.rs", [1, 24, 1, 24], true, r#","suggested_replacement":".parse()?""#),
        span("src/lib.rs", [1, 1, 1, 2], true, r#","suggested_replacement":"""#),
        span("src/lib.rs", [1, 5, 1, 6], true, r#","suggested_replacement":"""#),
    ));
    assert_eq!((found.file.as_str(), found.start), ("src/lib.rs", Spot { line: 1, column: 21 }));
    assert_eq!((found.end, found.severity), (Spot { line: 1, column: 24 }, Severity::Error));
    assert_eq!(found.code.as_deref(), Some("E0308"));
    assert_eq!(
        found.message,
        "mismatched types\nexpected `u8`, found `&str`\nnote: expected type `u8`\n found type `&str`"
    );
    let related = [
        ("src/lib.rs".to_owned(), Spot { line: 1, column: 16 }, "expected `u8` because of this".to_owned()),
        ("src/other.rs".to_owned(), Spot { line: 7, column: 4 }, "function defined here".to_owned()),
    ];
    assert_eq!(found.related, related);
    assert_eq!(found.fixes, ["try parsing: `.parse()?`", "remove both"]);
}

#[test]
fn code_of_a_macro_is_told_where_it_was_called() {
    let call =
        |inner: &str| format!(r#","label":"here","expansion":{{"macro_decl_name":"outer!","span":{inner}}}"#);
    let outermost = span("src/main.rs", [9, 5, 9, 12], false, "");
    let middle = span(
        "/rustc/abc/library/core/src/macros/mod.rs",
        [40, 1, 40, 9],
        false,
        &format!(r#","expansion":{{"macro_decl_name":"assert!","span":{outermost}}}"#),
    );
    let spans = [span("src/macros.rs", [3, 9, 3, 13], true, &call(&middle))].join(",");
    let found =
        one(&format!(r#"{{"level":"warning","code":null,"message":"odd","spans":[{spans}],"children":[]}}"#));
    assert_eq!((found.file.as_str(), found.start), ("src/main.rs", Spot { line: 9, column: 5 }));
    assert_eq!((found.severity, found.code), (Severity::Warning, None));
    let inside =
        ("src/macros.rs".to_owned(), Spot { line: 3, column: 9 }, "inside the macro `outer!`".to_owned());
    assert_eq!(found.related, [inside]);

    // A macro that is called in a dependency only has no place of the user's.
    let foreign = span("/deps/x/src/lib.rs", [2, 2, 2, 3], false, "");
    let spans = span("<std macros>", [1, 1, 1, 2], true, &call(&foreign));
    let found = one(&format!(r#"{{"level":"error","message":"odd","spans":[{spans}],"children":[]}}"#));
    assert_eq!((found.file.as_str(), found.related.len()), ("/deps/x/src/lib.rs", 0));
}

#[test]
fn who_asked_for_a_lint_is_left_out() {
    let found = one(&format!(
        r#"{{"level":"warning","code":{{"code":"dead_code"}},"message":"function `f` is never used",
        "spans":[{}],"children":[
        {{"level":"note","message":"`#[warn(dead_code)]` (part of `#[warn(unused)]`) on by default","spans":[]}},
        {{"level":"help","message":"to override `-D warnings` add `#[allow(dead_code)]`","spans":[]}}]}}"#,
        span("src/lib.rs", [1, 4, 1, 5], true, "")
    ));
    assert_eq!(
        found.message,
        "function `f` is never used\nhelp: to override `-D warnings` add `#[allow(dead_code)]`"
    );
}

#[test]
fn what_has_no_place_is_told_at_the_target() {
    let found =
        one(r#"{"level":"error","code":null,"message":"linking with `cc` failed","spans":[],"children":[]}"#);
    assert_eq!((found.file.as_str(), found.start), ("/p/src/lib.rs", Spot { line: 1, column: 1 }));
    let summaries = [
        r#"{"level":"error","message":"aborting due to 2 previous errors; 1 warning emitted","spans":[],"children":[]}"#,
        r#"{"level":"warning","message":"1 warning emitted","spans":[],"children":[]}"#,
        r#"{"level":"failure-note","message":"For more information about this error, try …","spans":[],"children":[]}"#,
    ];
    let parsed = parsed(&summaries.map(line));
    assert_eq!((parsed.findings, parsed.unread), (vec![], 0));
}

#[test]
fn other_output_is_counted_and_passed_over() {
    let good = line(r#"{"level":"error","message":"bad","spans":[],"children":[]}"#);
    let lines = [
        "printed by a macro".to_owned(),
        r#"{"some":"json of a macro"}"#.to_owned(),
        r#"{"reason":"compiler-artifact","fresh":true}"#.to_owned(),
        String::new(),
        good.clone(),
        r#"{"reason":"compiler-message"}"#.to_owned(),
        r#"{"reason":"compiler-message","message":{"level":7}}"#.to_owned(),
        FINISHED.to_owned(),
        good[..good.len() - 9].to_owned(),
    ];
    let parsed = parsed(&lines);
    assert_eq!((parsed.findings.len(), parsed.unread, parsed.success), (1, 3, Some(false)));
    assert_eq!(parsed.seen, BTreeSet::from(["/p/src/lib.rs".to_owned()]));
    let nothing = parse("", Path::new("/p"));
    assert_eq!((nothing.findings.len(), nothing.unread, nothing.success), (0, 0, None));
}

#[test]
fn cut_anywhere_nothing_breaks() {
    let spans = span("src/é😀.rs", [1, 1, 1, 2], true, r#","label":"l\u00e9""#);
    let whole = line(&format!(r#"{{"level":"error","message":"bad","spans":[{spans}],"children":[]}}"#));
    for (at, _) in whole.char_indices().skip(1) {
        let parsed = parse(&whole[..at], Path::new("/p"));
        assert_eq!((parsed.findings.len(), parsed.unread), (0, 1), "{at}");
    }
    assert_eq!(parse(&whole, Path::new("/p")).findings[0].file, "src/é😀.rs");
}
