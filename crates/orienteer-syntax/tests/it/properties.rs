//! Nothing panics, whatever the text.

use std::ops::ControlFlow;

use orienteer_base::question::Strictness;
use orienteer_base::{Cancel, Language};
use orienteer_syntax::facts::{examine, plain_pieces};
use orienteer_syntax::{Limits, Pattern, supported, symbols};
use proptest::prelude::*;

use crate::facts::tiled;
use crate::samples::SAMPLES;
use crate::support::sound;

const STRICTNESS: [Strictness; 5] =
    [Strictness::Cst, Strictness::Smart, Strictness::Ast, Strictness::Relaxed, Strictness::Signature];

/// Pieces that mean something in one language or another, and pieces that mean nothing in any.
fn code() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            "<",
            ">",
            ";",
            ":",
            ",",
            ".",
            "=",
            "\"",
            "'",
            "`",
            "\n",
            "\r\n",
            "\t",
            " ",
            "    ",
            "#",
            "//",
            "/*",
            "*/",
            "<!--",
            "-->",
            "<?php",
            "?>",
            "$",
            "$$$",
            "$A",
            "@",
            "&",
            "*",
            "|",
            "=>",
            "::",
            "->",
            "fn ",
            "def ",
            "class ",
            "struct ",
            "impl ",
            "function ",
            "const ",
            "let ",
            "type ",
            "end\n",
            "do\n",
            "module ",
            "namespace ",
            "template <",
            "typedef ",
            "enum ",
            "interface ",
            "trait ",
            "<div id=",
            "</div>",
            "---\n",
            "- ",
            "# ",
            "> ",
            "```\n",
            "<<EOF\n",
            "EOF\n",
            "%w(",
            "#{",
            "${",
            "\\",
            "where\n",
            "\u{feff}",
            "\0",
            "é",
            "中",
            "😀",
            "e\u{301}",
            "\u{2028}",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z_]{1,6}",
        "[0-9]{1,3}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn any_language() -> impl Strategy<Value = &'static Language> {
    prop::sample::select(supported())
}

/// What holds for every examined text.
fn check_examined(text: &str, language: &'static Language) {
    let limits = Limits::default();
    let plain = symbols(text, language, &limits, &Cancel::new());
    let examined = examine(text, language, &limits, &Cancel::new());
    if let (Ok(plain), Ok(examined)) = (plain, examined) {
        sound(text, &examined.outline);
        tiled(text, &examined);
        assert_eq!(examined.outline, plain, "{}", language.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn outlines_of_any_text_are_sound(text in code(), language in any_language()) {
        if let Ok(outline) = symbols(&text, language, &Limits::default(), &Cancel::new()) {
            sound(&text, &outline);
        }
    }

    #[test]
    fn pieces_and_facts_of_any_text_are_sound(text in code(), language in any_language()) {
        check_examined(&text, language);
    }

    #[test]
    fn pieces_and_facts_of_code_that_is_cut_off_are_sound(
        sample in prop::sample::select(SAMPLES.to_vec()),
        from in 0.0..0.5f64,
        to in 0.0..1.0f64,
        noise in code(),
    ) {
        let (id, text) = sample;
        let place = |part: f64| {
            let mut at = (part * text.len() as f64) as usize;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (from, to) = (place(from), place(to).max(place(from)));
        let language = supported().into_iter().find(|language| language.id == id).unwrap();
        check_examined(&text[..to], language);
        check_examined(&text[from..to], language);
        check_examined(&format!("{}{noise}{}", &text[..from], &text[from..to]), language);
    }

    #[test]
    fn plain_pieces_cover_any_text(text in "(\\PC|\n){0,80}", times in 1usize..400) {
        let text = text.repeat(times);
        let mut at = 0;
        for piece in plain_pieces(&text) {
            assert_eq!(piece.range.start, at);
            assert!(text.get(piece.range.clone()).is_some_and(|piece| !piece.is_empty() && piece.len() <= 4500));
            at = piece.range.end;
        }
        assert_eq!(at, text.len());
    }

    #[test]
    fn patterns_on_any_text_are_sound(
        text in code(),
        pattern in code(),
        language in any_language(),
        strictness in prop::sample::select(STRICTNESS.to_vec()),
    ) {
        if let Ok(pattern) = Pattern::compile(&pattern, language, strictness) {
            let literal = pattern.literals();
            let both = format!("{text}\n{}\n", pattern.language().id);
            for text in [&text, &both] {
                let mut check = |one: orienteer_syntax::StructureMatch| {
                    assert!(text.get(one.range).is_some());
                    assert!(literal.as_ref().is_none_or(|literal| text.contains(literal)));
                    ControlFlow::Continue(())
                };
                let _ = pattern.find(text, &Limits::default(), &Cancel::new(), &mut check);
            }
        }
    }

    /// A pattern without holes is a text, and finds itself or is told why not; either way it is not skipped.
    #[test]
    fn a_text_that_is_a_pattern_is_never_skipped(
        code in code(),
        language in any_language(),
        strictness in prop::sample::select(STRICTNESS.to_vec()),
    ) {
        if let Ok(pattern) = Pattern::compile(&code, language, strictness) {
            let literal = pattern.literals();
            let mut check = |_| {
                assert!(literal.as_ref().is_none_or(|literal| code.contains(literal)));
                ControlFlow::Continue(())
            };
            let _ = pattern.find(&code, &Limits::default(), &Cancel::new(), &mut check);
        }
    }
}
