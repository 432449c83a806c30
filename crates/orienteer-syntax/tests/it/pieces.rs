//! Named facts about how texts are cut.

use orienteer_syntax::facts::Examined;

use crate::facts::examined;

/// Pieces as `path: beginning`, or `-: beginning` for what stands between definitions.
fn lines(text: &str, examined: &Examined) -> Vec<String> {
    let line = |piece: &orienteer_syntax::facts::Piece| {
        let path = piece.symbol.map_or("-", |at| examined.outline.symbols[at].name_path.as_str());
        let begins = text[piece.range.clone()].lines().next().unwrap_or_default();
        format!("{path}: {}", begins.trim())
    };
    examined.pieces.iter().map(line).collect()
}

#[test]
fn what_is_above_a_definition_belongs_to_its_piece() {
    let text = "use std::fmt;\n\n/// Doc.\n#[test]\nfn a() {\n    b();\n}\n\n// Far away.\n\nfn c() {}\n";
    let all = examined("rust", text);
    assert_eq!(lines(text, &all), ["-: use std::fmt;", "a: /// Doc.", "c: fn c() {}"]);
    // A small comment that is nobody's stays with what stands before it.
    assert!(text[all.pieces[1].range.clone()].ends_with("// Far away.\n\n"));
}

#[test]
fn a_class_keeps_its_head_and_its_members_stand_alone() {
    let text = "class A:\n    \"\"\"Doc.\"\"\"\n    x = 1\n\n    @property\n    def b(self):\n        return 1\n\n    # About c.\n    def c(self):\n        return 2\n\n\nVALUE = 3\n";
    let all = examined("python", text);
    assert_eq!(lines(text, &all), ["A: class A:", "A/b: @property", "A/c: # About c."]);
}

#[test]
fn what_stands_between_definitions_is_a_piece_where_it_is_not_small() {
    let constants: String = (0..20).map(|at| format!("const VALUE_{at} = {at};\n")).collect();
    let text = format!("function a() {{}}\n{constants}function b() {{}}\n");
    let all = examined("javascript", &text);
    assert_eq!(lines(&text, &all), ["a: function a() {}", "-: const VALUE_0 = 0;", "b: function b() {}"]);
}

#[test]
fn small_functions_inside_functions_stay_with_them() {
    let large = "    work(1);\n".repeat(60);
    let text = format!(
        "function outer() {{\n  const small = () => 1;\n  function inner() {{\n{large}  }}\n{large}}}\n"
    );
    let all = examined("javascript", &text);
    assert_eq!(
        lines(&text, &all),
        ["outer: function outer() {", "outer/inner: function inner() {", "outer: work(1);"]
    );
}

#[test]
fn a_long_definition_is_cut_at_lines() {
    let text = format!("fn a() {{\n{}}}\n", "    call(1);\n".repeat(1000));
    let all = examined("rust", &text);
    assert!(all.pieces.len() >= 3);
    for piece in &all.pieces {
        assert_eq!(piece.symbol, Some(0));
        assert!(piece.range.len() <= 4500);
        assert!(text[piece.range.clone()].ends_with('\n'));
    }
}

#[test]
fn markdown_is_cut_at_headings() {
    let text = "before\n\n# One\n\nwords\n\n## Two\n\nmore\n\n# Three\n";
    let all = examined("markdown", text);
    assert_eq!(lines(text, &all), ["-: before", "One: # One", "One/Two: ## Two", "Three: # Three"]);
}

#[test]
fn data_is_cut_at_its_large_parts() {
    let list: String = (0..40).map(|at| format!("    \"package-{at}\": \"1.0\",\n")).collect();
    let text =
        format!("{{\n  \"name\": \"x\",\n  \"dependencies\": {{\n{list}    \"last\": \"1\"\n  }}\n}}\n");
    let all = examined("json", &text);
    assert_eq!(lines(&text, &all), ["-: {", "dependencies: \"dependencies\": {"]);
}
