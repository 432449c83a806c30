//! What patterns mean, shown in one language at a time.

use std::ops::ControlFlow;

use orienteer_base::Cancel;
use orienteer_base::question::Strictness::{self, Ast, Cst, Relaxed, Signature, Smart};
use orienteer_syntax::{Limits, ParseError, Pattern, PatternError};

use crate::support::{captures, find, language, try_find};

#[test]
fn a_hole_captures_one_node_and_an_ellipsis_many() {
    let text = "foo(1, bar(2), 3);";
    assert_eq!(captures("typescript", "foo($A, $$$REST)", text), ["A=1", "REST=bar(2), 3"]);
    assert_eq!(captures("typescript", "$F($$$ARGS)", text), ["ARGS=1, bar(2), 3", "F=foo"]);
}

#[test]
fn an_empty_ellipsis_is_captured_as_nothing() {
    assert_eq!(captures("typescript", "foo($$$ARGS)", "foo()"), ["ARGS="]);
}

#[test]
fn nameless_holes_are_not_captured() {
    assert!(captures("typescript", "foo($_, $$$)", "foo(1, 2, 3, 4)").is_empty());
    assert_eq!(captures("typescript", "foo($$$, 3, $B)", "foo(1, 2, 3, 4)"), ["B=4"]);
}

#[test]
fn an_ellipsis_takes_as_little_as_it_can_and_does_not_try_again() {
    assert_eq!(captures("typescript", "foo($$$A, 2, $$$B)", "foo(1, 2, 2, 3)"), ["A=1", "B=2, 3"]);
    assert!(find("typescript", "foo($$$A, $B)", Smart, "foo(1, 2, 3)").is_empty());
}

#[test]
fn the_same_name_means_the_same_code() {
    assert_eq!(
        find("rust", "$A == $A", Smart, "fn f() { a == a; a == b; (x + 1) == (x + 1); }"),
        ["a == a", "(x + 1) == (x + 1)"]
    );
}

#[test]
fn matches_come_outer_first_and_in_order() {
    assert_eq!(
        find("rust", "Some($A)", Smart, "fn f() { Some(Some(1)); Some(2) }"),
        ["Some(Some(1))", "Some(1)", "Some(2)"]
    );
}

#[test]
fn white_space_does_not_matter() {
    assert_eq!(find("rust", "fn $N() {}", Smart, "fn  a ( )\n{\n}\n").len(), 1);
}

#[test]
fn no_match_is_no_error() {
    assert!(find("rust", "unwrap($A)", Smart, "fn f() { expect(1) }").is_empty());
    assert!(find("rust", "unwrap($A)", Smart, "").is_empty());
}

#[test]
fn strictness_decides_what_may_differ() {
    let fits = |pattern: &str, text: &str| -> Vec<Strictness> {
        let all = [Cst, Smart, Ast, Relaxed, Signature];
        all.into_iter().filter(|one| !find("typescript", pattern, *one, text).is_empty()).collect()
    };
    // A trailing comma is punctuation that the pattern does not mention.
    assert_eq!(fits("foo(bar)", "foo(bar,)"), [Smart, Ast, Relaxed, Signature]);
    // Punctuation that the pattern does mention.
    assert_eq!(fits("foo(bar,)", "foo(bar)"), [Ast, Relaxed, Signature]);
    assert_eq!(fits("import $A from 'lib'", "import A from \"lib\""), [Ast, Relaxed, Signature]);
    assert_eq!(fits("foo(bar)", "foo(/* c */ bar)"), [Smart, Relaxed, Signature]);
    assert_eq!(fits("foo(bar)", "other(name)"), [Signature]);
    assert_eq!(fits("foo(bar)", "foo(bar)"), [Cst, Smart, Ast, Relaxed, Signature]);
}

#[test]
fn a_nameless_ellipsis_after_punctuation_is_safe_in_every_strictness() {
    for strictness in [Cst, Smart, Ast, Relaxed, Signature] {
        for text in ["f(a b c)", "f(a)", "f(a, b)", "f(,)", "f(a,, b)"] {
            try_find("typescript", "f(a, $$$)", strictness, text).unwrap();
            try_find("typescript", "f($$$, b, $$$)", strictness, text).unwrap();
        }
    }
}

#[test]
fn bad_patterns_are_explained() {
    let compile = |pattern: &str, word: &str| Pattern::compile(pattern, language(word), Smart).unwrap_err();
    assert_eq!(compile("", "rust"), PatternError::Empty);
    assert_eq!(compile(" \n\t", "rust"), PatternError::Empty);
    assert_eq!(compile("a(); b();", "typescript"), PatternError::SeveralNodes { language: "typescript" });
    assert_eq!(compile("$$$A", "typescript"), PatternError::OnlyEllipsis);
    assert_eq!(compile("fn (((", "rust"), PatternError::Invalid { language: "rust" });
    assert_eq!(compile(&"(".repeat(20_000), "rust"), PatternError::TooLarge);
    let nested = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
    assert_eq!(compile(&nested, "typescript"), PatternError::TooLarge);
    let PatternError::Unsupported { language: "toml", supported } = compile("a = 1", "toml") else {
        panic!("TOML has no patterns");
    };
    assert!(supported.contains(&"rust") && !supported.contains(&"toml"));
    assert!(supported.is_sorted());
    assert!(matches!(compile("x", "plaintext"), PatternError::Unsupported { .. }));
}

#[test]
fn a_literal_is_the_longest_fixed_name() {
    let literal = |pattern: &str, strictness| {
        Pattern::compile(pattern, language("rust"), strictness).unwrap().literals()
    };
    assert_eq!(literal("$A.unwrap_or_default()", Smart).as_deref(), Some("unwrap_or_default"));
    assert_eq!(literal("foo($$$A, barbar, $B)", Ast).as_deref(), Some("barbar"));
    assert_eq!(literal("foo($A)", Signature), None);
    assert_eq!(literal("$A + $B", Smart), None);
    // A keyword may be invented by a parser that recovers, so it says nothing about the text.
    assert_eq!(literal("unsafe { $$$ }", Cst), None);
}

#[test]
fn a_match_with_an_invented_keyword_is_not_skipped() {
    // `try_find` checks that the literal is in every text with a match.
    for text in ["def f\n", "def f(\nend", "f(", "def f"] {
        try_find("ruby", "def $A\nend", Relaxed, text).unwrap();
    }
}

#[test]
fn the_caller_may_stop_early() {
    let pattern = Pattern::compile("f($A)", language("rust"), Smart).unwrap();
    let mut seen = 0;
    let mut first = |_| {
        seen += 1;
        ControlFlow::Break(())
    };
    let text = "fn m() { f(1); f(2); f(3); }";
    pattern.find(text, &Limits::default(), &Cancel::new(), &mut first).unwrap();
    assert_eq!(seen, 1);
}

#[test]
fn limits_and_cancellation_hold() {
    let pattern = Pattern::compile("f($A)", language("rust"), Smart).unwrap();
    let mut ignore = |_| ControlFlow::Continue(());
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = pattern.find("f(1)", &Limits::default(), &cancel, &mut ignore);
    assert!(matches!(stopped, Err(ParseError::Stopped(_))));
    let limits = Limits { max_bytes: 1, ..Limits::default() };
    let large = pattern.find("f(1)", &limits, &Cancel::new(), &mut ignore);
    assert!(matches!(large, Err(ParseError::TooLarge { bytes: 4, limit: 1 })));
}

#[test]
fn cancelling_from_inside_stops_the_search() {
    let pattern = Pattern::compile("f($A)", language("rust"), Smart).unwrap();
    let cancel = Cancel::new();
    let mut seen = 0;
    let mut stop = |_| {
        seen += 1;
        cancel.cancel();
        ControlFlow::Continue(())
    };
    let text = "fn m() { f(1); f(2); f(3); }";
    let stopped = pattern.find(text, &Limits::default(), &cancel, &mut stop);
    assert!(matches!(stopped, Err(ParseError::Stopped(_))));
    assert_eq!(seen, 1);
}
