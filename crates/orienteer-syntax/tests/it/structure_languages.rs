//! Patterns in many languages, above all in those whose own syntax has a `$`.

use orienteer_base::question::Strictness::Smart;
use orienteer_syntax::{Pattern, grammar};

use crate::support::{captures, find, try_find};

#[test]
fn holes_work_in_every_family() {
    let mut wrong = Vec::new();
    for (word, pattern, text, expected) in [
        ("rust", "$R.unwrap()", "fn f() { a.b().unwrap(); }", "R=a.b()"),
        ("typescript", "console.log($X)", "console.log(a + b)", "X=a + b"),
        ("tsx", "<div>{$X}</div>", "const a = <div>{name}</div>;", "X=name"),
        ("javascript", "require($P)", "const a = require('b');", "P='b'"),
        ("python", "print($X)", "if a:\n    print(b)\n", "X=b"),
        (
            "go",
            "if err != nil { return $E }",
            "package m\nfunc f() error {\n\tif err != nil { return err }\n}",
            "E=err",
        ),
        ("java", "System.out.println($X)", "class A { void f() { System.out.println(1); } }", "X=1"),
        ("c", "return $X;", "int f() { return 1 + 2; }", "X=1 + 2"),
        ("cpp", "delete $X;", "void f() { delete a; }", "X=a"),
        ("csharp", "Console.WriteLine($X)", "class A { void F() { Console.WriteLine(1); } }", "X=1"),
        ("ruby", "puts $X", "puts name", "X=name"),
        ("php", "foo($X)", "<?php foo($bar);", "X=$bar"),
        ("kotlin", "println($X)", "fun main() { println(a) }", "X=a"),
        ("swift", "print($X)", "print(a)", "X=a"),
        ("scala", "println($X)", "object A { println(b) }", "X=b"),
        ("lua", "print($X)", "print(a)", "X=a"),
        ("bash", "echo $X", "echo hello", "X=hello"),
        ("html", "<b>$X</b>", "<p><b>hi</b></p>", "X=hi"),
        ("css", "$X { color: red; }", "a { color: red; }", "X=a"),
        ("yaml", "name: $X", "name: value\n", "X=value"),
        ("elixir", "IO.puts($X)", "IO.puts(a)", "X=a"),
        ("dart", "class $X { $$$ }", "class A { int b = 1; }", "X=A"),
        ("zig", "foo($X)", "fn m() void { foo(a); }", "X=a"),
        ("solidity", "contract $X { $$$ }", "contract C { uint a; }", "X=C"),
        ("haskell", "f $X", "g = f x\n", "X=x"),
    ] {
        let found = try_find(word, pattern, Smart, text).unwrap();
        let found = found.first().and_then(|one| one.captures.first());
        let found = found.map(|(name, text)| format!("{name}={text}")).unwrap_or_default();
        if found != expected {
            wrong.push(format!("{word}: {found} instead of {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_sigil_of_php_is_not_a_hole() {
    assert_eq!(find("php", "$name = 1;", Smart, "<?php $name = 1; $other = 1;"), ["$name = 1;"]);
    assert_eq!(find("php", "foo($$$A)", Smart, "<?php foo($a, $b); bar($c);"), ["foo($a, $b)"]);
}

#[test]
fn definitions_are_found_by_shape() {
    let text = "class A:\n    def f(self, x):\n        return x\n    def g(self): pass\n";
    assert_eq!(find("python", "def $F(self, $$$REST): return $V", Smart, text).len(), 1);
    let text = "package m\nfunc (s *S) Get() int { return 1 }\nfunc free() {}\n";
    assert_eq!(find("go", "func free() {}", Smart, text), ["func free() {}"]);
    let text = "impl A { pub fn f(&self) -> u8 { 1 } }";
    assert_eq!(captures("rust", "impl $T { $$$BODY }", text), ["BODY=pub fn f(&self) -> u8 { 1 }", "T=A"]);
}

#[test]
fn every_language_with_patterns_takes_a_hole() {
    for language in grammar::with_patterns() {
        let compiled = Pattern::compile("$A", language, Smart);
        assert!(compiled.is_ok(), "{}: {compiled:?}", language.id);
    }
}
