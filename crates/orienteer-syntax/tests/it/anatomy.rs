//! Which parts a definition has, language by language.

use orienteer_base::Cancel;
use orienteer_syntax::anatomy::{Anatomy, Dissected, Shape};
use orienteer_syntax::{Limits, dissect};

use crate::support::{language, outline_of};

/// What is found out about a text, with the definition of this path taken apart.
fn look(word: &str, text: &str, path: &str) -> Dissected {
    let outline = outline_of(word, text);
    let symbol = outline.symbols.iter().find(|symbol| symbol.name_path == path);
    let at = symbol.unwrap_or_else(|| panic!("{word}: no {path}")).name_range.start;
    dissect(text, language(word), Some(at), &Limits::default(), &Cancel::new()).unwrap()
}

fn parts(word: &str, text: &str, path: &str) -> Anatomy {
    let found = look(word, text, path);
    assert_eq!(found.errors, [], "{word}: the sample must be valid");
    found.anatomy.unwrap()
}

/// Compares the parts of a definition: comments, attributes, itself, its body between its signs.
fn check(
    word: &str,
    text: &str,
    path: &str,
    docs: &[&str],
    attributes: &[&str],
    core: &str,
    body: Option<&str>,
) {
    let found = parts(word, text, path);
    let shown = |ranges: &[std::ops::Range<usize>]| -> Vec<String> {
        ranges.iter().map(|range| text[range.clone()].to_owned()).collect()
    };
    assert_eq!(shown(&found.docs), docs, "{word} {path}: comments");
    assert_eq!(shown(&found.attributes), attributes, "{word} {path}: attributes");
    assert_eq!(&text[found.core.clone()], core, "{word} {path}");
    assert_eq!(found.body.map(|body| &text[body.inner]), body, "{word} {path}: body");
}

#[test]
fn rust_attributes_and_comments_stand_before_the_item() {
    let text = "//! About the file.\n\nuse a::b;\n\n/// Doc.\n#[inline]\n// why\n#[must_use]\npub fn a() -> u8 { 1 }\n\nstruct S {\n    /// x\n    x: u8, // behind\n    y: u8,\n}\n";
    check(
        "rust",
        text,
        "a",
        &["/// Doc.", "// why"],
        &["#[inline]", "#[must_use]"],
        "pub fn a() -> u8 { 1 }",
        Some(" 1 "),
    );
    check("rust", text, "S/x", &["/// x"], &[], "x: u8", None);
    check("rust", text, "S/y", &[], &[], "y: u8", None);
    let x = parts("rust", text, "S/x");
    assert_eq!((x.separator.map(|(_, sign)| sign), x.in_commas, x.comma_before), (Some(','), true, None));
    assert!(parts("rust", text, "S/y").comma_before.is_some());
    // The compiler takes documentation across a blank line, and nothing else.
    let apart = "/// Doc.\n\nfn a() {}\n\n// note\n\nfn b() {}\n";
    check("rust", apart, "a", &["/// Doc."], &[], "fn a() {}", Some(""));
    check("rust", apart, "b", &[], &[], "fn b() {}", Some(""));
}

#[test]
fn python_decorators_begin_the_definition_and_a_docstring_its_body() {
    let text = "#!/usr/bin/env python\n# Copyright somebody\nimport a\n\n\n# About f.\n@a.b(\n    1,\n)\n@c\ndef f(x):\n    # first\n    \"\"\"Doc.\n\n    More.\n    \"\"\"\n    return x  # behind\n    # last\n\n\nclass C:\n    def m(self): return 1\n";
    let body = "# first\n    \"\"\"Doc.\n\n    More.\n    \"\"\"\n    return x  # behind\n    # last";
    let core =
        "def f(x):\n    # first\n    \"\"\"Doc.\n\n    More.\n    \"\"\"\n    return x  # behind\n    # last";
    check("python", text, "f", &["# About f."], &["@a.b(\n    1,\n)", "@c"], core, Some(body));
    check("python", text, "C/m", &[], &[], "def m(self): return 1", Some("return 1"));
    let found = look("python", text, "f");
    let body = found.anatomy.unwrap().body.unwrap();
    assert_eq!(
        (body.shape, &text[body.docstring.unwrap()]),
        (Shape::Lines, "\"\"\"Doc.\n\n    More.\n    \"\"\"")
    );
    assert!(found.strings.is_empty(), "documentation may be indented");
    let text = "def f():\n    x = 1\n    return \"\"\"a\nb\"\"\"\n";
    assert!(!look("python", text, "f").strings.is_empty());
    let text = "#!/bin/python\n# -*- coding: utf-8 -*-\ndef f():\n    pass\n";
    check("python", text, "f", &[], &[], "def f():\n    pass", Some("pass"));
}

#[test]
fn scripts_have_decorators_before_and_inside() {
    let text = "/** A. */\n@Injectable()\nexport class A {\n    @Input() name = 1;\n    // m\n    @Get(\"x\")\n    async m(): Promise<void> { await x; }\n    plain = 2\n}\nexport const f = (x: number) => x + 1;\nconst g = () => { return 1; }, h = 2;\n";
    let found = parts("typescript", text, "A");
    assert_eq!(&text[found.docs[0].clone()], "/** A. */");
    assert_eq!(&text[found.attributes[0].clone()], "@Injectable()");
    assert!(text[found.core].starts_with("export class A {"));
    check(
        "typescript",
        text,
        "A/m",
        &["// m"],
        &["@Get(\"x\")"],
        "async m(): Promise<void> { await x; }",
        Some(" await x; "),
    );
    check("typescript", text, "A/name", &[], &["@Input()"], "name = 1", None);
    assert_eq!(parts("typescript", text, "A/name").separator.map(|(_, sign)| sign), Some(';'));
    assert_eq!(parts("typescript", text, "A/plain").separator, None);
    check("typescript", text, "f", &[], &[], "export const f = (x: number) => x + 1;", Some("x + 1"));
    check("typescript", text, "g", &[], &[], "g = () => { return 1; }", Some(" return 1; "));
    assert!(parts("typescript", text, "h").comma_before.is_some());
}

#[test]
fn a_comment_behind_the_closing_brace_of_a_script_is_not_part_of_it() {
    let text = "class C {\n  m(x: number) {\n    return x;\n  } // after\n}\nfunction f() {\n  return 1;\n} /* behind */\n";
    check(
        "typescript",
        text,
        "C/m",
        &[],
        &[],
        "m(x: number) {\n    return x;\n  }",
        Some("\n    return x;\n  "),
    );
    check("typescript", text, "f", &[], &[], "function f() {\n  return 1;\n}", Some("\n  return 1;\n"));
    let behind = parts("typescript", text, "C/m").comment_behind.map(|range| &text[range]);
    assert_eq!(behind, Some("// after"));
    let script = "function g() {\n  return 1;\n} // after\n";
    check("javascript", script, "g", &[], &[], "function g() {\n  return 1;\n}", Some("\n  return 1;\n"));
}

#[test]
fn java_annotations_are_modifiers() {
    let text = "package a;\n\n/** C. */\n@Deprecated\npublic class C {\n    enum E { A, B }\n    /** m. */\n    @Override\n    @SuppressWarnings(\"x\")\n    public String m() { return \"\"; }\n    private int x, y;\n}\n";
    check(
        "java",
        text,
        "C/m",
        &["/** m. */"],
        &["@Override", "@SuppressWarnings(\"x\")"],
        "public String m() { return \"\"; }",
        Some(" return \"\"; "),
    );
    let class = parts("java", text, "C");
    assert_eq!(
        (&text[class.docs[0].clone()], &text[class.attributes[0].clone()]),
        ("/** C. */", "@Deprecated")
    );
    assert!(text[class.core].starts_with("public class C {"));
    let b = parts("java", text, "C/E/B");
    assert!(b.comma_before.is_some() && b.separator.is_none() && b.in_commas);
}

#[test]
fn go_and_c_have_comments_above_and_several_names_in_one_declaration() {
    let text = "package a\n\n// F does.\nfunc F() int { return 1 }\n\ntype (\n\t// S is.\n\tS struct {\n\t\ta, b int // both\n\t}\n\tI interface{ M() }\n)\n\nvar x, y = 1, 2\n";
    check("go", text, "F", &["// F does."], &[], "func F() int { return 1 }", Some(" return 1 "));
    check(
        "go",
        text,
        "S",
        &["// S is."],
        &[],
        "S struct {\n\t\ta, b int // both\n\t}",
        Some("\n\t\ta, b int // both\n\t"),
    );
    check("go", text, "I", &[], &[], "I interface{ M() }", Some(" M() "));
    assert_eq!(parts("go", text, "S/a").shared_with, ["b"]);
    assert_eq!(parts("go", text, "y").shared_with, ["x"]);

    let text = "/* Copyright */\n#include <a.h>\n\n/* f */\nstatic int f(void)\n{\n    return 1;\n}\n\nstruct s { int x; int y; };\nstruct t { int z; } one;\nint a, b;\ntypedef struct { int q; } u;\n";
    check(
        "c",
        text,
        "f",
        &["/* f */"],
        &[],
        "static int f(void)\n{\n    return 1;\n}",
        Some("\n    return 1;\n"),
    );
    check("c", text, "s", &[], &[], "struct s { int x; int y; }", Some(" int x; int y; "));
    check("c", text, "u", &[], &[], "typedef struct { int q; } u;", Some(" int q; "));
    assert_eq!(parts("c", text, "s").separator.map(|(_, sign)| sign), Some(';'));
    assert_eq!(parts("c", text, "one/t").part.as_deref(), Some("type"));
    assert_eq!((parts("c", text, "a").shared_with, parts("c", text, "f").part), (vec!["b".to_owned()], None));
}

#[test]
fn other_languages_are_taken_apart_as_well() {
    let text = "class A\n  # doc\n  def m(x)\n    x + 1\n  end\nend\n";
    check("ruby", text, "A/m", &["# doc"], &[], "def m(x)\n    x + 1\n  end", Some("x + 1"));
    let text =
        "class A {\n    /** d */\n    @JvmStatic\n    fun m(x: Int): Int = x + 1\n    fun n() { x() }\n}\n";
    check("kotlin", text, "A/m", &["/** d */"], &["@JvmStatic"], "fun m(x: Int): Int = x + 1", Some("x + 1"));
    check("kotlin", text, "A/n", &[], &[], "fun n() { x() }", Some(" x() "));
    let text = "class A {\n    /// <summary>d</summary>\n    [Test]\n    public int M() => 1;\n}\n";
    check(
        "csharp",
        text,
        "A/M",
        &["/// <summary>d</summary>"],
        &["[Test]"],
        "public int M() => 1;",
        Some("1"),
    );
    let text = "template <typename T>\n[[nodiscard]] T f(T x) { return x; }\n\n//! doc\nclass B { int a; ///< behind\n  int b; };\n";
    check("cpp", text, "B/b", &[], &[], "int b;", None);
    assert_eq!(&text[parts("cpp", text, "B").docs[0].clone()], "//! doc");
    let text = "defmodule A do\n  @doc \"d\"\n  def m(x) do\n    x\n  end\nend\n";
    check("elixir", text, "A/m", &[], &["@doc \"d\""], "def m(x) do\n    x\n  end", Some("\n    x\n  "));
    let text = "{ \"a\": 1, \"b\": { \"c\": 2 } }";
    check("json", text, "b", &[], &[], "\"b\": { \"c\": 2 }", Some(" \"c\": 2 "));
}

#[test]
fn what_does_not_fit_has_a_place() {
    let wrong = |word: &str, text: &str| {
        let found = dissect(text, language(word), None, &Limits::default(), &Cancel::new()).unwrap();
        found.errors
    };
    assert_eq!(wrong("rust", "fn a() {}\n"), []);
    let errors = wrong("rust", "fn a() {\n    let = 1;\n}\n");
    assert_eq!(errors.len(), 1);
    assert!(errors[0].range.start >= 9 && errors[0].range.end <= 24, "{errors:?}");
    let errors = wrong("c", "int a(void) { return 1 }\n");
    assert_eq!(errors[0].missing.as_deref(), Some(";"), "{errors:?}");
    assert_eq!(errors[0].range, 22..22);
    assert_ne!(wrong("python", "def f(:\n    pass\n"), []);
    assert_ne!(wrong("json", "{ \"a\": }"), []);
}
