use orienteer_base::edit::SymbolOperation as Operation;
use orienteer_base::{Cancel, Language, Problem, SymbolKind as K};
use orienteer_edit::Overlay;
use orienteer_syntax::{Symbol, dissect, symbols};

use super::samples::{self, ALL};
use super::verify::LIMITS;
use super::{FromServer, Taken, doubt, stands_alone};

/// A definition taken apart, found by its name's place.
fn taken(word: &str, text: &str, name_at: usize) -> Taken {
    let language = Language::by_word(word).unwrap();
    let mut seen = dissect(text, language, Some(name_at), &LIMITS, &Cancel::new()).unwrap();
    let anatomy = seen.anatomy.take().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let roots = orienteer_base::Roots::new(folder.path(), &[]).unwrap();
    Taken { overlay: Overlay::new(roots), text: text.into(), language, seen, anatomy }
}

fn outline(word: &str, text: &str) -> Vec<Symbol> {
    symbols(text, Language::by_word(word).unwrap(), &LIMITS, &Cancel::new()).unwrap().symbols
}

/// The text after an operation on the definition of a path.
fn edited(
    word: &str,
    text: &str,
    path: &str,
    operation: Operation,
    content: &str,
) -> Result<String, Problem> {
    Ok(told(word, text, path, operation, content)?.0)
}

/// With the kinds of warnings.
fn told(
    word: &str,
    text: &str,
    path: &str,
    operation: Operation,
    content: &str,
) -> Result<(String, Vec<&'static str>), Problem> {
    let symbol = outline(word, text).into_iter().find(|symbol| symbol.name_path == path);
    let symbol = symbol.unwrap_or_else(|| panic!("{word}: no {path}"));
    at(word, text, symbol.name_range.start, operation, content)
}

fn at(
    word: &str,
    text: &str,
    name_at: usize,
    operation: Operation,
    content: &str,
) -> Result<(String, Vec<&'static str>), Problem> {
    let taken = taken(word, text, name_at);
    stands_alone(&taken, operation)?;
    let (outcome, warnings) = taken.outcome(operation, content, &Cancel::new())?;
    Ok((outcome.text, warnings.iter().map(|warning| warning.kind).collect()))
}

fn crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

#[test]
fn a_definition_replaced_by_its_own_text_changes_nothing() {
    let mut tried = 0;
    let own = [("rust", include_str!("../../outlines.rs")), ("rust", include_str!("../../references.rs"))];
    for (word, text) in ALL.iter().chain(&own) {
        for text in [(*text).to_owned(), crlf(text)] {
            for symbol in outline(word, &text) {
                let taken = taken(word, &text, symbol.name_range.start);
                if stands_alone(&taken, Operation::Replace).is_err() {
                    continue;
                }
                let whole = taken.anatomy.start()..taken.anatomy.core.end;
                for range in [taken.anatomy.core.clone(), whole] {
                    let content = &text[range];
                    let after = at(word, &text, symbol.name_range.start, Operation::Replace, content)
                        .unwrap_or_else(|problem| {
                            panic!("{word} {}: {problem}\n{content}", symbol.name_path)
                        });
                    assert_eq!(after.0, text, "{word} {}", symbol.name_path);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn a_body_replaced_by_its_own_text_changes_nothing() {
    let mut tried = 0;
    for (word, text) in ALL {
        for text in [(*text).to_owned(), crlf(text)] {
            for symbol in outline(word, &text) {
                let Some(body) = taken(word, &text, symbol.name_range.start).anatomy.body else { continue };
                for range in [body.range, body.inner] {
                    let content = &text[range];
                    if content.trim().is_empty() {
                        continue;
                    }
                    let after = at(word, &text, symbol.name_range.start, Operation::ReplaceBody, content)
                        .unwrap_or_else(|problem| {
                            panic!("{word} {}: {problem}\n{content}", symbol.name_path)
                        });
                    assert_eq!(after.0, text, "{word} {}\n{content}", symbol.name_path);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 150, "{tried}");
}

/// Something like the definition, under another name.
fn another(word: &str, symbol: &Symbol) -> Option<String> {
    let function = matches!(symbol.kind, K::Function | K::Method | K::Constructor);
    let content = match (word, symbol.kind) {
        ("rust", _) if function => "/// New.\n#[inline]\nfn brand_new() -> u8 {\n    1\n}",
        ("rust", K::Constant) => "const BRAND_NEW: u8 = 1;",
        ("rust", K::Field) => "brand_new: u8",
        ("rust", K::EnumMember) => "BrandNew,",
        ("rust", K::Struct | K::Enum) => "struct BrandNew {\n    x: u8,\n}",
        ("typescript", K::Function) => "// New.\nfunction brandNew() {\n    return 1;\n}",
        ("typescript", K::Method | K::Constructor) => "brandNew() {\n    return `a\nb`;\n}",
        ("typescript", K::Class | K::Interface) => "interface BrandNew {\n    x: number;\n}",
        ("typescript", K::EnumMember) => "BrandNew",
        ("python", K::Function | K::Method) => {
            "@new\ndef brand_new():\n    \"\"\"New.\n\n    Really.\n    \"\"\"\n    return 1"
        }
        ("python", K::Class) => "class BrandNew:\n    pass",
        ("go", _) if symbol.name_path == "Shape/Area" => "BrandNew() int",
        ("go", _) if function => "// BrandNew is.\nfunc BrandNew() int {\n\treturn 1\n}",
        ("c", K::Function) => "/* new */\nstatic int brand_new(void)\n{\n    return 1;\n}",
        ("c", K::EnumMember) => "BRAND_NEW",
        ("c", K::Field) => "int brand_new;",
        ("java", K::Method | K::Constructor) => "/** New. */\n@New\nint brandNew() {\n    return 1;\n}",
        ("java", K::EnumMember) => "BRAND_NEW",
        ("java", K::Field | K::Constant) => "int brandNew = 1;",
        _ => return None,
    };
    Some(content.to_owned())
}

#[test]
fn what_was_inserted_and_deleted_again_leaves_the_same_bytes() {
    let mut tried = 0;
    for (word, text) in ALL {
        let unended = text.trim_end().to_owned();
        for text in [(*text).to_owned(), crlf(text), unended] {
            for symbol in outline(word, &text) {
                let Some(content) = another(word, &symbol) else { continue };
                for operation in [Operation::InsertAfter, Operation::InsertBefore] {
                    if stands_alone(&taken(word, &text, symbol.name_range.start), operation).is_err() {
                        continue;
                    }
                    let what = format!("{word} {} {operation:?}", symbol.name_path);
                    let (with, _) = at(word, &text, symbol.name_range.start, operation, &content)
                        .unwrap_or_else(|problem| panic!("{what}: {problem}"));
                    let is_new = |one: &&Symbol| one.name.to_lowercase().replace('_', "") == "brandnew";
                    let found = outline(word, &with);
                    let new = found.iter().find(is_new).unwrap_or_else(|| panic!("{what}:\n{with}"));
                    assert_eq!(found.iter().filter(is_new).count(), 1, "{what}");
                    let (without, _) = at(word, &with, new.name_range.start, Operation::Delete, "")
                        .unwrap_or_else(|problem| panic!("{what}: {problem}\n{with}"));
                    assert_eq!(without, text, "{what}\n{with}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

#[test]
fn a_comment_and_attributes_stay_unless_the_content_brings_its_own() {
    let text = "/// Old.\n#[old]\nfn a() {}\n";
    let replaced = |content: &str| told("rust", text, "a", Operation::Replace, content).unwrap();
    assert_eq!(replaced("fn a() { 1 }"), ("/// Old.\n#[old]\nfn a() { 1 }\n".into(), vec!["kept_above"]));
    assert_eq!(replaced("/// New.\nfn a() {}"), ("/// New.\n#[old]\nfn a() {}\n".into(), vec!["kept_above"]));
    assert_eq!(replaced("#[new]\nfn a() {}"), ("/// Old.\n#[new]\nfn a() {}\n".into(), vec!["kept_above"]));
    assert_eq!(replaced("/// New.\n#[new]\nfn a() {}"), ("/// New.\n#[new]\nfn a() {}\n".into(), vec![]));
    assert_eq!(replaced("fn b() {}").1, ["kept_above", "name_changed"]);

    let text =
        "class A:\n    # Old.\n    @old\n    def m(self):\n        \"\"\"Doc.\"\"\"\n        return 1\n";
    let replaced = |content: &str| told("python", text, "A/m", Operation::Replace, content).unwrap();
    assert_eq!(
        replaced("@new\ndef m(self):\n    return 2"),
        (
            "class A:\n    # Old.\n    @new\n    def m(self):\n        return 2\n".into(),
            vec!["kept_above", "docstring_dropped"]
        )
    );
    let text = "class A {\n    /** Old. */\n    @Old\n    public void m() {}\n}\n";
    assert_eq!(
        edited("java", text, "A/m", Operation::Replace, "/** New. */\npublic void m() { x(); }").unwrap(),
        "class A {\n    /** New. */\n    @Old\n    public void m() { x(); }\n}\n"
    );
    let text = "class A {\n    // Old.\n    @Old() m(): void {}\n}\n";
    assert_eq!(
        edited("typescript", text, "A/m", Operation::Replace, "@New()\nm(): void { x(); }").unwrap(),
        "class A {\n    // Old.\n    @New()\n    m(): void { x(); }\n}\n"
    );
    let text = "/// One.\n#[a]\n/// Two.\nfn a() {}\n";
    assert_eq!(
        edited("rust", text, "a", Operation::Replace, "/// New.\nfn a() {}").unwrap(),
        "#[a]\n/// New.\nfn a() {}\n"
    );
}

#[test]
fn a_body_is_indented_and_keeps_its_documentation() {
    let python = "class A:\n    def m(self):\n        \"\"\"Doc.\"\"\"\n        # old\n        return 1\n\n    def n(self): return 1\n";
    let body =
        |path: &str, content: &str| edited("python", python, path, Operation::ReplaceBody, content).unwrap();
    assert!(
        body("A/m", "x = 2\nreturn x").contains("    \"\"\"Doc.\"\"\"\n        x = 2\n        return x\n\n")
    );
    assert!(
        body("A/m", "\"\"\"New.\"\"\"\nreturn 3")
            .contains("(self):\n        \"\"\"New.\"\"\"\n        return 3\n\n")
    );
    assert!(body("A/n", "return 2").ends_with("def n(self): return 2\n"));
    assert!(
        body("A/n", "x = 1\nreturn x").ends_with("def n(self): \n        x = 1\n        return x\n"),
        "{}",
        body("A/n", "x = 1\nreturn x")
    );

    let body = |content: &str| {
        edited("rust", samples::RUST, "Square/area", Operation::ReplaceBody, content).unwrap()
    };
    let expected = "    pub fn area(&self) -> f64 {\n        let a = 1.0;\n        a\n    }\n}\n";
    for content in [
        "let a = 1.0;\na",
        "{\n    let a = 1.0;\n    a\n}",
        "        let a = 1.0;\n        a\n",
        "{\n        let a = 1.0;\n        a\n    }",
    ] {
        assert!(body(content).contains(expected), "{content}:\n{}", body(content));
    }
    let inline = "fn a() -> u8 { 1 }\nfn b() {}\n";
    assert_eq!(
        edited("rust", inline, "a", Operation::ReplaceBody, "2").unwrap(),
        "fn a() -> u8 { 2 }\nfn b() {}\n"
    );
    assert_eq!(
        edited("rust", inline, "b", Operation::ReplaceBody, "a();\na();").unwrap(),
        "fn a() -> u8 { 1 }\nfn b() {\n    a();\n    a();\n}\n"
    );
    assert_eq!(
        edited("rust", inline, "a", Operation::ReplaceBody, "{ x }\n{ y }").unwrap(),
        "fn a() -> u8 {\n    { x }\n    { y }\n}\nfn b() {}\n"
    );
    let arrow =
        edited("typescript", samples::TYPESCRIPT, "double", Operation::ReplaceBody, "value * 3").unwrap();
    assert!(arrow.contains("=> value * 3;\n"));
    let arrow =
        edited("typescript", samples::TYPESCRIPT, "double", Operation::ReplaceBody, "{\n    return 3;\n}")
            .unwrap();
    assert!(arrow.contains("=> {\n    return 3;\n};\n"));
    let problem = edited("rust", "struct A;\n", "A", Operation::ReplaceBody, "x").unwrap_err();
    assert_eq!(problem.detail, Some("no_body"));
    let ruby = "class A\n  def m\n    1\n  end\nend\n";
    assert_eq!(
        edited("ruby", ruby, "A/m", Operation::ReplaceBody, "x = 2\nx").unwrap(),
        "class A\n  def m\n    x = 2\n    x\n  end\nend\n"
    );
}

#[test]
fn a_syntax_error_is_refused_with_its_place() {
    let problem =
        edited("rust", samples::RUST, "helper", Operation::Replace, "fn helper( {\n    let x = ;\n}")
            .unwrap_err();
    assert_eq!(problem.detail, Some("syntax_error"));
    let line = samples::RUST.lines().position(|line| line.starts_with("fn helper")).unwrap() + 1;
    let fact =
        |name: &str| problem.facts.iter().find(|(known, _)| *known == name).map(|(_, fact)| fact.clone());
    assert_eq!(fact("line"), Some(i64::try_from(line).unwrap().into()), "{problem:?}");
    assert_eq!(fact("text"), Some("fn helper( {".into()));

    let problem =
        edited("python", samples::PYTHON, "total", Operation::ReplaceBody, "return (1").unwrap_err();
    assert_eq!(problem.detail, Some("syntax_error"), "{problem}");
    assert!(problem.message.contains("return (1"), "{problem}");
    let problem =
        edited("c", samples::C, "main", Operation::InsertAfter, "int x(void) { return 1 }").unwrap_err();
    assert!(
        problem.detail == Some("syntax_error") && problem.message.contains("`;` is missing"),
        "{problem}"
    );

    // What was broken before may be mended, and stays broken elsewhere.
    let broken = "fn a( {}\n\nfn b() {}\n\nfn c() {}\n";
    let (after, warnings) = told("rust", broken, "c", Operation::Replace, "fn c() { b() }").unwrap();
    assert!(after.ends_with("fn c() { b() }\n") && warnings.contains(&"syntax_errors_before"));
}

#[test]
fn content_that_reaches_beyond_its_place_is_refused() {
    let text = "struct A;\n\nimpl A {\n    fn m() {}\n\n    fn n() {}\n}\n\nfn o() {}\n";
    let class = "class A {\n    m() {}\n    n() {}\n}\n";
    let problem = edited("typescript", class, "A/m", Operation::Replace, "m() {}\n}\nclass B {").unwrap_err();
    assert_eq!(problem.detail, Some("structure_changed"), "{problem}");
    let problem = edited("rust", text, "o", Operation::Replace, "// gone").unwrap_err();
    assert_eq!(problem.detail, Some("no_definition"), "{problem}");
    let problem = edited(
        "python",
        samples::PYTHON,
        "main",
        Operation::InsertAfter,
        "    def x():\n        pass\n  y = 1",
    )
    .unwrap_err();
    assert!(problem.detail.is_some(), "{problem}");
}

#[test]
fn parts_of_something_else_are_not_taken_away() {
    let detail = |word: &str, text: &str, path: &str, operation| {
        edited(word, text, path, operation, "int z;").unwrap_err().detail.unwrap()
    };
    assert_eq!(detail("c", "int a, b;\n", "a", Operation::Delete), "several_names");
    assert_eq!(detail("go", "package p\n\nvar a, b = 1, 2\n", "b", Operation::Replace), "several_names");
    assert_eq!(detail("c", "struct t { int z; } one;\n", "one/t", Operation::Delete), "part_of_statement");
    assert_eq!(
        detail("ruby", "class A\n  private def m\n    1\n  end\nend\n", "A/m", Operation::Delete),
        "part_of_statement"
    );
    assert_eq!(
        edited("typescript", "let a = 1, b = 2;\n", "a", Operation::Delete, "").unwrap(),
        "let b = 2;\n"
    );
}

#[test]
fn a_block_is_not_left_empty_where_the_language_wants_something_in_it() {
    let delete = |word: &str, text: &str, path: &str| edited(word, text, path, Operation::Delete, "");
    let problem =
        delete("python", "class A:\n    def m(self):\n        pass\n\n\nx = 1\n", "A/m").unwrap_err();
    assert_eq!(problem.detail, Some("syntax_error"), "{problem}");
    let problem = delete("python", "class A:\n    x = 1\n", "A/x").unwrap_err();
    assert_eq!(problem.detail, Some("syntax_error"), "{problem}");
    assert_eq!(delete("rust", "mod a {\n    fn b() {}\n}\n", "a/b").unwrap(), "mod a {\n}\n");
}

#[test]
fn lists_keep_their_commas() {
    let delete =
        |word: &str, text: &str, path: &str| edited(word, text, path, Operation::Delete, "").unwrap();
    assert_eq!(delete("json", "{ \"a\": 1, \"b\": 2 }", "b"), "{ \"a\": 1 }");
    assert_eq!(delete("json", "{ \"a\": 1, \"b\": 2 }", "a"), "{ \"b\": 2 }");
    assert_eq!(delete("json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "b"), "{\n  \"a\": 1\n}\n");
    assert_eq!(delete("java", "enum E { A, B, C }\n", "E/B"), "enum E { A, C }\n");
    assert_eq!(delete("rust", "enum E {\n    A, // one\n    B,\n}\n", "E/A"), "enum E {\n    B,\n}\n");
    let insert = |word: &str, text: &str, path: &str, content: &str| {
        edited(word, text, path, Operation::InsertAfter, content).unwrap()
    };
    assert_eq!(insert("rust", "enum E { A }\n", "E/A", "B"), "enum E { A, B }\n");
    assert_eq!(insert("json", "{\n  \"a\": 1\n}\n", "a", "\"b\": 2,"), "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
    assert_eq!(
        insert("rust", "struct S {\n    a: u8,\n}\n", "S/a", "b: u8"),
        "struct S {\n    a: u8,\n    b: u8,\n}\n"
    );
    assert_eq!(
        edited("c", samples::C, "list", Operation::Replace, "struct list {\n    int v;\n};")
            .unwrap()
            .matches("};\n")
            .count(),
        samples::C.matches("};\n").count()
    );
}

#[test]
fn new_definitions_stand_apart_as_their_neighbours_do() {
    let python =
        edited("python", samples::PYTHON, "main", Operation::InsertBefore, "def new():\n    pass\n").unwrap();
    assert!(python.contains("    return result\n\n\ndef new():\n    pass\n\n\ndef main():"), "{python}");
    let method =
        edited("python", samples::PYTHON, "Circle/later", Operation::InsertAfter, "def new(self):\n    pass")
            .unwrap();
    assert!(
        method.contains("await something()\n\n    def new(self):\n        pass\n\n\ndef total"),
        "{method}"
    );
    let go = edited("go", samples::GO, "Circle/Radius", Operation::InsertAfter, "Colour string").unwrap();
    assert!(go.contains("\tRadius float64\n\tColour string\n\tname"), "{go}");
    let alone = edited("rust", "fn a() {}\n", "a", Operation::InsertAfter, "fn b() {}").unwrap();
    assert_eq!(alone, "fn a() {}\n\nfn b() {}\n");
    let marked = edited("rust", "\u{feff}fn a() {}\n", "a", Operation::InsertBefore, "fn b() {}").unwrap();
    assert_eq!(marked, "\u{feff}fn b() {}\n\nfn a() {}\n");
}

#[test]
fn a_server_that_means_another_definition_is_a_doubt() {
    let text = "fn a() {\n    b()\n}\n\nfn c() {}\n";
    let anatomy = taken("rust", text, 3).anatomy;
    let place = |line, column| orienteer_base::Position::new(line, column);
    let range = |from, to| orienteer_base::Range { start: from, end: to };
    let said = |name: &str, whole, name_range| FromServer {
        name: name.to_owned(),
        detail: None,
        kind: K::Function,
        range: whole,
        name_range,
        container: None,
        children: Vec::new(),
    };
    let (name, whole) = (range(place(1, 4), place(1, 5)), range(place(1, 1), place(3, 2)));
    assert_eq!(doubt(&[said("a", whole, name)], text, &anatomy), None);
    assert_eq!(doubt(&[said("(*T).a", whole, name)], text, &anatomy), None);
    assert_eq!(doubt(&[], text, &anatomy), None, "not every server lists every definition");
    let elsewhere = range(place(5, 1), place(5, 10));
    let found = doubt(&[said("a", elsewhere, name)], text, &anatomy).unwrap();
    assert_eq!((found.ours.as_str(), found.theirs.as_str()), ("1:1-3:2", "5:1-5:10"));
    let mut outer = said("m", range(place(1, 1), place(5, 10)), range(place(5, 4), place(5, 5)));
    outer.children.push(said("z", whole, name));
    assert_eq!(doubt(&[outer], text, &anatomy).unwrap().name, "z");
}
