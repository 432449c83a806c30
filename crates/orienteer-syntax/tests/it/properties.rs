//! Nothing panics, whatever the text.

use std::ops::ControlFlow;

use orienteer_base::question::Strictness;
use orienteer_base::{Cancel, Language};
use orienteer_syntax::{Limits, Pattern, supported, symbols};
use proptest::prelude::*;

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn outlines_of_any_text_are_sound(text in code(), language in any_language()) {
        if let Ok(outline) = symbols(&text, language, &Limits::default(), &Cancel::new()) {
            sound(&text, &outline);
        }
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
