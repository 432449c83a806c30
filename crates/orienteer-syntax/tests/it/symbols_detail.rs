//! Ranges, signatures, parents and limits.

use orienteer_base::{Cancel, SymbolKind};
use orienteer_syntax::{Limits, ParseError, Symbol, symbols};

use crate::support::{language, outline_of, sound};

fn symbol(word: &str, text: &str, path: &str) -> Symbol {
    let outline = outline_of(word, text);
    outline.symbols.into_iter().find(|symbol| symbol.name_path == path).unwrap()
}

#[test]
fn a_signature_stops_at_the_body() {
    let text = "pub fn parse<T>(\n    text: &str,\n) -> Result<T, E>\nwhere\n    T: Copy,\n{\n    1\n}\n";
    let parse = symbol("rust", text, "parse");
    assert_eq!(parse.signature, "pub fn parse<T>( text: &str, ) -> Result<T, E> where T: Copy,");
    assert_eq!(&text[parse.range], text.trim_end());
    assert_eq!(&text[parse.name_range], "parse");
}

#[test]
fn decorators_belong_to_the_range_and_not_to_the_signature() {
    let text = "@cached(1)\ndef area(self) -> int:\n    return 1\n";
    let area = symbol("python", text, "area");
    assert_eq!(area.signature, "def area(self) -> int");
    assert_eq!(&text[area.range], text.trim_end());
}

#[test]
fn an_export_belongs_to_what_it_exports() {
    let text = "export const add = async (a: number) => {\n  return a;\n};\n";
    let add = symbol("typescript", text, "add");
    assert_eq!(
        (add.kind, add.signature.as_str()),
        (SymbolKind::Function, "export const add = async (a: number) =>")
    );
    assert_eq!(&text[add.range], text.trim_end());
}

#[test]
fn two_names_of_one_declaration_have_ranges_of_their_own() {
    let text = "let a = 1, b = 2;";
    assert_eq!(&text[symbol("javascript", text, "a").range], "a = 1");
    assert_eq!(&text[symbol("javascript", text, "b").range], "b = 2");
    assert_eq!(symbol("javascript", text, "b").signature, text);
}

#[test]
fn names_are_without_quotes_and_sigils() {
    for (word, text, path, written) in [
        ("json", r#"{"a b": 1}"#, "a b", "a b"),
        ("php", "<?php class A { public $x; }", "A/x", "x"),
        ("ruby", "class A\n  attr_reader :x\nend\n", "A/x", "x"),
        ("yaml", "'k': 1\n", "k", "k"),
    ] {
        assert_eq!(&text[symbol(word, text, path).name_range], written, "{word}");
    }
}

#[test]
fn a_method_written_before_its_type_finds_it() {
    let outline = outline_of("rust", "impl A { fn m(&self) {} }\nstruct A;\nimpl B { fn m() {} }\n");
    let parents: Vec<_> = outline.symbols.iter().map(|s| (s.name_path.as_str(), s.parent)).collect();
    assert_eq!(parents, [("A/m", Some(1)), ("A", None), ("B/m", None)]);
}

#[test]
fn a_heading_reaches_to_the_next_of_its_level() {
    let text = "# A\nx\n## B\ny\n# C\nz\n";
    let outline = outline_of("markdown", text);
    let texts: Vec<_> = outline.symbols.iter().map(|symbol| &text[symbol.range.clone()]).collect();
    assert_eq!(texts, ["# A\nx\n## B\ny\n", "## B\ny\n", "# C\nz\n"]);
}

#[test]
fn a_skipped_level_and_a_code_block_do_not_confuse_headings() {
    let text = "### Deep\n# Top\n```sh\n# no heading\n```\n> # quoted\n### Under\n";
    let outline = outline_of("markdown", text);
    let paths: Vec<_> = outline.symbols.iter().map(|symbol| symbol.name_path.as_str()).collect();
    assert_eq!(paths, ["Deep", "Top", "Top/Under"]);
}

#[test]
fn broken_code_still_has_an_outline() {
    let outline = outline_of("rust", "fn a() {}\nstruct {{{\nfn b() { let x = ; }\n");
    assert!(outline.has_errors);
    assert!(outline.symbols.iter().any(|symbol| symbol.name == "a"));
}

#[test]
fn php_between_html_is_seen() {
    let text = "<p><?php function a() {} ?></p>\n<b>x</b><?php class B { function c() {} } ?>\n";
    let outline = outline_of("php", text);
    let paths: Vec<_> = outline.symbols.iter().map(|symbol| symbol.name_path.as_str()).collect();
    assert_eq!((paths, outline.has_errors), (vec!["a", "B", "B/c"], false));
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_change_nothing() {
    let text = "\u{feff}class Ä:\r\n    def größe(self):\r\n        pass\r\n";
    let outline = outline_of("python", text);
    sound(text, &outline);
    assert_eq!(outline.symbols[1].name_path, "Ä/größe");
    assert_eq!(&text[outline.symbols[1].name_range.clone()], "größe");
}

#[test]
fn a_full_outline_says_so() {
    let limits = Limits { max_symbols: 3, ..Limits::default() };
    let text = "fn a() {}\nfn b() {}\nfn c() {}\nfn d() {}\n";
    let outline = symbols(text, language("rust"), &limits, &Cancel::new()).unwrap();
    assert_eq!((outline.symbols.len(), outline.truncated), (3, true));
    let text = "# a\n# b\n# c\n# d\n";
    let outline = symbols(text, language("markdown"), &limits, &Cancel::new()).unwrap();
    assert_eq!((outline.symbols.len(), outline.truncated), (3, true));
}

#[test]
fn failures_are_typed() {
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = symbols("fn a() {}", language("rust"), &Limits::default(), &cancel);
    assert!(matches!(stopped, Err(ParseError::Stopped(_))));
    let unknown = symbols("x", language("perl"), &Limits::default(), &Cancel::new());
    assert!(matches!(unknown, Err(ParseError::NoGrammar { language: "perl" })));
}
