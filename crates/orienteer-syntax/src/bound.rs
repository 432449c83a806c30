//! From where can what a name is bound to be reached?
//!
//! Of languages whose servers may leave files out: Python, C and C++.

use orienteer_base::{Cancel, Language};
use tree_sitter::Node;

use crate::parse::{Limits, ParseError, parse};

/// What a name is where it is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Of a function or a lambda: others may give it by name.
    Parameter,
    /// Inside of a function: nobody else reaches it.
    Local,
    /// Of its file, and of those that include it as text.
    File,
    /// Anything else: whoever imports or has what holds it.
    Wider,
}

/// What the name at a byte of a text is, which is bound there.
pub fn bound_at(
    text: &str,
    language: &'static Language,
    at: usize,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Bound, ParseError> {
    let bound = match language.id {
        "python" => in_python,
        "c" | "cpp" => in_c,
        _ => return Ok(Bound::Wider),
    };
    let parsed = parse(text, language, limits, cancel)?;
    let leaf = parsed.tree.root_node().descendant_for_byte_range(at, at.saturating_add(1));
    let leaf = leaf.filter(|leaf| matches!(leaf.kind(), "identifier" | "statement_identifier"));
    Ok(leaf.map_or(Bound::Wider, |leaf| bound(leaf, text)))
}

fn in_python(name: Node<'_>, text: &str) -> Bound {
    let (mut of, mut around, mut is_counted) = (name, name.parent(), false);
    while let Some(node) = around {
        let is = |field: &str| node.child_by_field_name(field).is_some_and(|child| child == of);
        match node.kind() {
            "parameters" | "lambda_parameters" => return Bound::Parameter,
            "attribute" if is("attribute") => return Bound::Wider,
            "for_in_clause" if is("left") => is_counted = true,
            // A generator is one, too.
            kind if is_counted && (kind.ends_with("_comprehension") || kind == "generator_expression") => {
                return Bound::Local;
            }
            // Its name belongs to what is around it.
            "function_definition" | "class_definition" if is("name") => {}
            "class_definition" => return Bound::Wider,
            "function_definition" => {
                let mut words = text[node.byte_range()].split(|c: char| !c.is_alphanumeric() && c != '_');
                let elsewhere = words.any(|word| ["global", "nonlocal"].contains(&word));
                return if elsewhere { Bound::Wider } else { Bound::Local };
            }
            "lambda" => return Bound::Local,
            // It stands for what is somewhere else.
            "import_statement" | "import_from_statement" => return Bound::Wider,
            _ => {}
        }
        (of, around) = (node, node.parent());
    }
    Bound::Wider
}

fn in_c(name: Node<'_>, text: &str) -> Bound {
    let (mut of, mut around, mut is_parameter) = (name, name.parent(), false);
    while let Some(node) = around {
        let is = |field: &str| node.child_by_field_name(field).is_some_and(|child| child == of);
        match node.kind() {
            "parameter_declaration" | "optional_parameter_declaration" => is_parameter = true,
            "lambda_expression" => return Bound::Local,
            // A grammar of C takes namespaces and classes of C++ for functions without parameters.
            "function_definition" if is_parameter || is("body") => {
                let is_function = has_parameters(node) && !node.has_error();
                return if is_function { Bound::Local } else { Bound::Wider };
            }
            "preproc_def" | "preproc_function_def" => return Bound::Wider,
            // A function that is declared inside of another is one of everybody's.
            "function_declarator" if is("declarator") && !is_at_top(node) => return Bound::Wider,
            "declaration" if is_stored(node, "extern", text) => return Bound::Wider,
            "declaration" | "function_definition" if is_at_top(node) && is_stored(node, "static", text) => {
                return if is_parameter { Bound::Wider } else { Bound::File };
            }
            _ => {}
        }
        (of, around) = (node, node.parent());
    }
    Bound::Wider
}

fn has_parameters(function: Node<'_>) -> bool {
    let declarator = function.child_by_field_name("declarator");
    let mut inner = std::iter::successors(declarator, |node| node.child_by_field_name("declarator"));
    inner.any(|node| node.kind() == "function_declarator")
}

/// Whether a declaration, or what it declares, is in no function and in no type.
fn is_at_top(node: Node<'_>) -> bool {
    let mut around = std::iter::successors(node.parent(), Node::parent);
    !around.any(|node| matches!(node.kind(), "compound_statement" | "field_declaration_list"))
}

/// Whether a declaration says how something is stored: `static`, `extern`.
fn is_stored(declaration: Node<'_>, word: &str, text: &str) -> bool {
    let mut cursor = declaration.walk();
    declaration
        .children(&mut cursor)
        .any(|child| child.kind() == "storage_class_specifier" && text[child.byte_range()] == *word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(language: &str, text: &str) -> Bound {
        let (before, after) = text.split_once('|').expect("a place");
        let language = Language::by_word(language).unwrap();
        let whole = format!("{before}{after}");
        bound_at(&whole, language, before.len(), &Limits::default(), &Cancel::new()).unwrap()
    }

    #[test]
    fn names_of_functions_are_told_from_those_of_others() {
        for (text, expected) in [
            ("def f(|a): pass", Bound::Parameter),
            ("def f(x, *, |a: int = 1): pass", Bound::Parameter),
            ("class C:\n  def f(self, **|a): pass", Bound::Parameter),
            ("f = lambda |a: a", Bound::Parameter),
            ("def f():\n  |a = 1", Bound::Local),
            ("def f():\n  for |a in b: pass", Bound::Local),
            ("def f():\n  def |a(): pass", Bound::Local),
            ("def f():\n  class |A: pass", Bound::Local),
            ("def f():\n  class A:\n    |b = 1", Bound::Wider),
            ("def f():\n  global a\n  |a = 1", Bound::Wider),
            ("def f():\n  |a = global_state", Bound::Local),
            ("b = [a for |a in c]", Bound::Local),
            ("b = {k: v for k, |v in c}", Bound::Local),
            ("b = any(a for |a in c)", Bound::Local),
            ("for |a in c: pass", Bound::Wider),
            ("def f():\n  import |a", Bound::Wider),
            ("def f(self):\n  self.|a = 1", Bound::Wider),
            ("def |f(): pass", Bound::Wider),
            ("class |C: pass", Bound::Wider),
            ("class C:\n  |a = 1", Bound::Wider),
            ("|a = 1", Bound::Wider),
            ("|", Bound::Wider),
        ] {
            assert_eq!(of("python", text), expected, "{text}");
        }
        assert_eq!(of("rust", "fn f(|a: u8) {}"), Bound::Wider);
    }

    #[test]
    fn names_of_c_are_told_from_those_of_others() {
        for (text, expected) in [
            ("int f(int |a) { return a; }", Bound::Local),
            // It may be a macro that makes something of it.
            ("int f(int |a);", Bound::Wider),
            ("static int f(int |a) { return a; }", Bound::Local),
            ("static int f(int b) { int |a = b; return a; }", Bound::Local),
            ("void f(void) { int |a = 1; }", Bound::Local),
            ("void f(void) { for (int |a = 0;;) {} }", Bound::Local),
            ("void f(void) { static int |a; }", Bound::Local),
            ("void f(void) { |out: return; }", Bound::Local),
            ("void f(void) { extern int |a; }", Bound::Wider),
            ("void f(void) { int |g(int); }", Bound::Wider),
            ("static int |a = 1;", Bound::File),
            ("static int |f(int a) { return a; }", Bound::File),
            ("static char *|f(void) { return 0; }", Bound::File),
            ("int |f(int a) { return a; }", Bound::Wider),
            ("int |a;", Bound::Wider),
            ("extern int |a;", Bound::Wider),
            ("struct S { int |a; };", Bound::Wider),
            ("enum E { |A };", Bound::Wider),
            ("#define |A 1\n", Bound::Wider),
            ("|", Bound::Wider),
        ] {
            assert_eq!(of("c", text), expected, "{text}");
            assert_eq!(of("cpp", text), expected, "{text}");
        }
        // Of a header that nobody can tell to be C++.
        for text in ["namespace n { int |a = 1; }", "class C { public: int |a; };"] {
            assert_eq!(of("c", text), Bound::Wider, "{text}");
        }
        for (text, expected) in [
            ("struct S { static int |f() { return 1; } };", Bound::Wider),
            ("struct S { int f(int |a) { return a; } };", Bound::Local),
            ("void f() { std::string |s(10, 'x'); }", Bound::Local),
            ("auto g = [](int |a) { return a; };", Bound::Local),
            ("namespace n { int |a = 1; }", Bound::Wider),
            ("namespace n { static int |f() { return 1; } }", Bound::File),
        ] {
            assert_eq!(of("cpp", text), expected, "{text}");
        }
    }
}
