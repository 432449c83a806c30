use std::ops::ControlFlow;

use orienteer_base::question::Strictness;
use orienteer_base::{Cancel, Language};
use orienteer_syntax::{Limits, Outline, Pattern, PatternError, StructureMatch, symbols};

pub(crate) fn language(word: &str) -> &'static Language {
    Language::by_word(word).unwrap()
}

pub(crate) fn outline_of(word: &str, text: &str) -> Outline {
    symbols(text, language(word), &Limits::default(), &Cancel::new()).unwrap()
}

/// Compares an outline with lines of `kind name/path`, and checks what holds for every outline.
pub(crate) fn outline(word: &str, text: &str, expected: &[&str]) {
    let outline = outline_of(word, text);
    let lines: Vec<String> = outline
        .symbols
        .iter()
        .map(|symbol| format!("{} {}", symbol.kind.as_str(), symbol.name_path))
        .collect();
    assert_eq!(lines, expected, "{word}");
    assert!(!outline.has_errors, "{word}: the sample must be valid");
    assert!(!outline.truncated);
    sound(text, &outline);
}

pub(crate) fn sound(text: &str, outline: &Outline) {
    let mut start = 0;
    for (at, symbol) in outline.symbols.iter().enumerate() {
        assert!(text.get(symbol.range.clone()).is_some(), "{symbol:?}");
        assert!(text.get(symbol.name_range.clone()).is_some(), "{symbol:?}");
        assert!(symbol.range.start <= symbol.name_range.start, "{symbol:?}");
        assert!(symbol.name_range.end <= symbol.range.end, "{symbol:?}");
        assert!(symbol.range.start >= start || symbol.name_range.start >= start, "{symbol:?}");
        start = symbol.range.start;
        assert!(symbol.signature.chars().count() <= 201);
        if let Some(parent) = symbol.parent {
            assert_ne!(parent, at);
            let parent = &outline.symbols[parent];
            assert!(
                symbol.name_path.starts_with(&format!("{}/", parent.name_path)),
                "{symbol:?} in {parent:?}"
            );
        }
    }
}

pub(crate) fn try_find(
    word: &str,
    pattern: &str,
    strictness: Strictness,
    text: &str,
) -> Result<Vec<StructureMatch>, PatternError> {
    let pattern = Pattern::compile(pattern, language(word), strictness)?;
    let mut found = Vec::new();
    let mut keep = |one| {
        found.push(one);
        ControlFlow::Continue(())
    };
    pattern.find(text, &Limits::default(), &Cancel::new(), &mut keep).unwrap();
    if let Some(literal) = pattern.literals() {
        assert!(found.is_empty() || text.contains(&literal), "{literal} would skip a match");
    }
    Ok(found)
}

/// The text of each match.
pub(crate) fn find<'t>(word: &str, pattern: &str, strictness: Strictness, text: &'t str) -> Vec<&'t str> {
    let found = try_find(word, pattern, strictness, text).unwrap();
    found.into_iter().map(|one| &text[one.range]).collect()
}

/// The captures of the first match, as `NAME=text`.
pub(crate) fn captures(word: &str, pattern: &str, text: &str) -> Vec<String> {
    let found = try_find(word, pattern, Strictness::Smart, text).unwrap();
    found[0].captures.iter().map(|(name, text)| format!("{name}={text}")).collect()
}
