//! Helpers for named facts about definitions, and what holds for every language.

use orienteer_base::Cancel;
use orienteer_syntax::facts::{Examined, Facts, Field, Visibility, examine, support};
use orienteer_syntax::{Limits, supported};

use crate::support::language;

pub(crate) fn examined(word: &str, text: &str) -> Examined {
    let examined = examine(text, language(word), &Limits::default(), &Cancel::new()).unwrap();
    assert!(!examined.outline.has_errors, "{word}: the sample must be valid");
    tiled(text, &examined);
    examined
}

/// Whatever the text: one list of facts for each symbol, comments in order, pieces that cover every byte once.
pub(crate) fn tiled(text: &str, examined: &Examined) {
    assert_eq!(examined.facts.len(), examined.outline.symbols.len());
    let mut at = 0;
    for piece in &examined.pieces {
        assert_eq!(piece.range.start, at, "{:?}", examined.pieces);
        assert!(piece.range.end > at);
        assert!(text.get(piece.range.clone()).is_some());
        assert!(piece.symbol.is_none_or(|symbol| symbol < examined.outline.symbols.len()));
        at = piece.range.end;
    }
    assert_eq!(at, text.len());
    let mut at = 0;
    for comment in &examined.comments {
        assert!(comment.start >= at && !comment.is_empty(), "{:?}", examined.comments);
        assert!(text.get(comment.clone()).is_some());
        at = comment.end;
    }
    for import in &examined.imports {
        assert!(text.get(import.range.clone()).is_some());
        assert!(!import.module.is_empty());
    }
    for facts in examined.facts.iter().chain([&examined.outside]) {
        for list in [&facts.calls, &facts.uses, &facts.throws, &facts.reads, &facts.writes, &facts.extends] {
            assert!(list.len() <= 200);
            assert!(list.iter().all(|name| !name.is_empty() && name.chars().count() <= 300), "{list:?}");
        }
        assert!(facts.doc.as_ref().is_none_or(|doc| doc.chars().count() <= 4000));
    }
}

impl Of for Examined {
    fn of(&self, path: &str) -> &Facts {
        let at = self.outline.symbols.iter().position(|symbol| symbol.name_path == path);
        &self.facts[at.unwrap_or_else(|| panic!("no {path} in {:?}", self.outline))]
    }

    fn imported(&self) -> Vec<String> {
        let line = |import: &orienteer_syntax::facts::Import| match import.names.is_empty() {
            true => import.module.clone(),
            false => format!("{}: {}", import.module, import.names.join(" ")),
        };
        self.imports.iter().map(line).collect()
    }
}

pub(crate) trait Of {
    /// The facts of the symbol with this path.
    fn of(&self, path: &str) -> &Facts;
    /// Imports as `module: names`.
    fn imported(&self) -> Vec<String>;
}

/// Parameters as `name: type`.
pub(crate) fn parameters(facts: &Facts) -> Vec<String> {
    let line = |parameter: &orienteer_syntax::facts::Parameter| match &parameter.type_name {
        Some(type_name) => format!("{}: {type_name}", parameter.name),
        None => parameter.name.clone(),
    };
    facts.parameters.iter().map(line).collect()
}

/// Which questions an examined text has an answer to that is not empty.
pub(crate) fn filled(examined: &Examined) -> Vec<Field> {
    let any = |test: fn(&Facts) -> bool| examined.facts.iter().any(test);
    let found = [
        (Field::Doc, any(|facts| facts.doc.is_some())),
        (Field::Visibility, any(|facts| facts.visibility.is_some())),
        (Field::Async, any(|facts| facts.is_async)),
        (Field::Generator, any(|facts| facts.is_generator)),
        (Field::Decorators, any(|facts| !facts.decorators.is_empty())),
        (Field::Parameters, any(|facts| !facts.parameters.is_empty())),
        (Field::ReturnType, any(|facts| facts.return_type.is_some())),
        (Field::Extends, any(|facts| !facts.extends.is_empty())),
        (Field::Imports, !examined.imports.is_empty()),
        (Field::Exports, !examined.exports.is_empty()),
        (Field::Calls, any(|facts| !facts.calls.is_empty())),
        (Field::Uses, any(|facts| !facts.uses.is_empty())),
        (Field::Throws, any(|facts| !facts.throws.is_empty())),
        (Field::Reads, any(|facts| !facts.reads.is_empty())),
        (Field::Writes, any(|facts| !facts.writes.is_empty())),
        (Field::Branches, any(|facts| facts.branches > 0)),
        (Field::Loops, any(|facts| facts.loops > 0)),
    ];
    found.into_iter().filter(|(_, filled)| *filled).map(|(field, _)| field).collect()
}

/// Checks that a sample fills everything its language says it answers, but for what the language does not have.
pub(crate) fn agrees(word: &str, examined: &Examined, lacking: &[Field]) {
    let mut expected: Vec<Field> = support(language(word)).to_vec();
    expected.retain(|field| !lacking.contains(field));
    assert_eq!(filled(examined), expected, "{word}");
}

#[test]
fn every_language_says_what_it_answers() {
    let deep =
        ["rust", "typescript", "tsx", "javascript", "python", "go", "c", "cpp", "java", "csharp", "ruby"];
    for language in supported() {
        let fields = support(language);
        assert!(fields.is_sorted() && fields.contains(&Field::Doc), "{}", language.id);
        let all = fields.len() == 17;
        assert_eq!(all, deep.contains(&language.id), "{}", language.id);
    }
    assert!(support(language("plaintext")).is_empty());
    for word in ["php", "kotlin", "swift", "scala", "lua", "bash"] {
        assert_eq!(support(language(word)), [Field::Doc, Field::Imports]);
    }
}

#[test]
fn comments_and_documentation_are_found_in_every_language_that_has_them() {
    let samples = [
        ("bash", "# Doc.\nf() { echo; }\n", "f"),
        ("c", "/* Doc. */\nint f(void) { return 1; }\n", "f"),
        ("cpp", "// Doc.\nint f() { return 1; }\n", "f"),
        ("csharp", "/// Doc.\nclass A { }\n", "A"),
        ("css", "/* Doc. */\n.a { color: red; }\n", ".a"),
        ("dart", "/// Doc.\nclass A {}\n", "A"),
        ("elixir", "# Doc.\ndefmodule A do\nend\n", "A"),
        ("go", "package a\n\n// Doc.\nfunc F() {}\n", "F"),
        ("haskell", "-- Doc.\nf x = x\n", "f"),
        ("hcl", "# Doc.\na \"b\" {\n}\n", "a.b"),
        ("java", "/** Doc. */\nclass A {}\n", "A"),
        ("javascript", "/** Doc. */\nfunction f() {}\n", "f"),
        ("kotlin", "/** Doc. */\nclass A\n", "A"),
        ("lua", "-- Doc.\nfunction f() end\n", "f"),
        ("nix", "{\n  # Doc.\n  a = 1;\n}\n", "a"),
        ("php", "<?php\n/** Doc. */\nclass A {}\n", "A"),
        ("python", "# Doc.\ndef f(): pass\n", "f"),
        ("ruby", "# Doc.\nclass A\nend\n", "A"),
        ("rust", "/// Doc.\nfn f() {}\n", "f"),
        ("scala", "/** Doc. */\nclass A\n", "A"),
        ("solidity", "/// Doc.\ncontract A {}\n", "A"),
        ("swift", "/// Doc.\nclass A {}\n", "A"),
        ("toml", "# Doc.\n[a]\nb = 1\n", "a"),
        ("tsx", "/** Doc. */\nfunction f() {}\n", "f"),
        ("typescript", "/** Doc. */\ninterface A {}\n", "A"),
        ("yaml", "# Doc.\na: 1\n", "a"),
        ("zig", "/// Doc.\nfn f() void {}\n", "f"),
    ];
    for (word, text, path) in samples {
        let examined = examined(word, text);
        assert_eq!(examined.of(path).doc.as_deref(), Some("Doc."), "{word}");
        assert_eq!(examined.comments.len(), 1, "{word}");
        assert!(text[examined.comments[0].clone()].contains("Doc."), "{word}");
    }
    for language in supported() {
        let silent = ["html", "json", "markdown"];
        let known = samples.iter().any(|(word, ..)| *word == language.id) || silent.contains(&language.id);
        assert!(known, "{} needs a sample", language.id);
    }
}

#[test]
fn imports_are_found_where_they_are_cheap() {
    let samples: [(&str, &str, &[&str]); 6] = [
        (
            "php",
            "<?php\nuse Foo\\Bar;\nuse Foo\\{A, B as C};\nuse function X\\y;\nrequire \"x.php\";\n",
            &["Foo\\Bar", "Foo: A B", "X\\y", "x.php"],
        ),
        ("kotlin", "import a.b.C\nimport d.e.*\nimport f.G as H\n", &["a.b.C", "d.e: *", "f.G"]),
        (
            "swift",
            "import Foundation\n@testable import A\nimport class UIKit.UIView\n",
            &["Foundation", "A", "UIKit.UIView"],
        ),
        ("scala", "import a.b.C\nimport a.{B, C => D}\nimport a.b._\n", &["a.b.C", "a: B C", "a.b: *"]),
        ("lua", "local x = require(\"a.b\")\nlocal y = require \"c\"\n", &["a.b", "c"]),
        ("bash", "source ./a.sh\n. \"b.sh\"\n", &["./a.sh", "b.sh"]),
    ];
    for (word, text, expected) in samples {
        assert_eq!(examined(word, text).imported(), expected, "{word}");
    }
}

#[test]
fn what_stands_in_a_definition_inside_belongs_to_that_one() {
    let text = "def outer():\n    first()\n    def inner():\n        second()\n    third()\n";
    let examined = examined("python", text);
    assert_eq!(examined.of("outer").calls, ["first", "third"]);
    assert_eq!(examined.of("outer/inner").calls, ["second"]);
    assert_eq!(examined.of("outer").visibility, Some(Visibility::Public));
}

#[test]
fn what_stands_outside_of_definitions_is_told_apart() {
    let examined =
        examined("javascript", "describe('x', () => { it('y', () => { run(1); if (a) b(); }) });\n");
    assert!(examined.facts.is_empty());
    assert_eq!(examined.outside.calls, ["describe", "it", "run", "b"]);
    assert_eq!((examined.outside.branches, examined.outside.reads.clone()), (1, vec!["a".to_owned()]));
}

#[test]
fn names_are_listed_once_and_no_more_than_two_hundred() {
    let calls: String = (0..300).map(|at| format!("f{at}(); f0();\n")).collect();
    let text = format!("function big() {{\n{calls}}}\n");
    let facts = examined("javascript", &text).of("big").clone();
    assert_eq!(facts.calls.len(), 200);
    assert_eq!(facts.calls[..3], ["f0", "f1", "f2"]);
}

#[test]
fn the_outline_is_the_same_as_without_facts() {
    let texts = [
        ("rust", include_str!("../../src/symbols/walk.rs")),
        ("rust", include_str!("../../src/facts/gather.rs")),
        ("python", "class A:\n    x = 1\n    def f(self): y = 2\n"),
        (
            "typescript",
            "export class A { @D({ f: function () {} }) x = () => 1 }\nconst o = { m() {}, n: () => 2 };\n",
        ),
    ];
    for (word, text) in texts {
        let plain = crate::support::outline_of(word, text);
        assert_eq!(examined(word, text).outline, plain, "{word}");
    }
}
