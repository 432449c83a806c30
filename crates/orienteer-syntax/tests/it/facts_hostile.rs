//! Texts made to cost more than their length, examined.

use std::time::{Duration, Instant};

use orienteer_base::{Cancel, Stopped};
use orienteer_syntax::facts::examine;
use orienteer_syntax::{Limits, ParseError, supported};

use crate::facts::tiled;
use crate::support::language;

fn patient() -> Limits {
    Limits { max_time: Duration::from_secs(120), ..Limits::default() }
}

/// Examines within a time that a square of the length would pass by far.
fn soon(word: &str, text: &str) {
    let started = Instant::now();
    let examined = examine(text, language(word), &patient(), &Cancel::new());
    let took = started.elapsed();
    assert!(took < Duration::from_secs(60), "{word}: {took:?} for {} bytes", text.len());
    tiled(text, &examined.unwrap());
}

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn long_chains_of_calls_take_linear_time() {
    on_a_small_stack(|| {
        for (word, begin, link, end) in [
            ("javascript", "function f() { a", ".b()", "; }"),
            ("rust", "fn f() { a", ".b()", "; }"),
            ("java", "class A { void f() { a", ".b()", "; } }"),
            ("python", "x = a", ".b()", "\n"),
            ("ruby", "a", ".b(1)", "\n"),
            ("go", "package a\nfunc f() { a", ".b()", " }"),
            ("csharp", "class A { void F() { a", ".B()", "; } }"),
            ("cpp", "void f() { a", ".b()", "; }"),
        ] {
            soon(word, &format!("{begin}{}{end}", link.repeat(20_000)));
            soon(word, &format!("{begin}{}{end}", ".b".repeat(20_000)));
        }
    });
}

#[test]
fn lists_that_repeat_a_long_beginning_take_linear_time() {
    soon("rust", &format!("use {}{{{}}};\n", "a::".repeat(20_000), "b, ".repeat(20_000)));
    soon("rust", &format!("use {}a{};\n", "a::{".repeat(2_000), "}".repeat(2_000)));
    soon(
        "rust",
        &format!("use a::{{{}}};\n", (0..20_000).map(|at| format!("m{at}::b, ")).collect::<String>()),
    );
    soon("php", &format!("<?php use {}{{{}}};\n", "a\\".repeat(5_000), "b, ".repeat(5_000)));
}

#[test]
fn many_things_directly_above_and_beside_each_other_take_linear_time() {
    soon("rust", &format!("{}fn a() {{}}\n", "#[a]\n".repeat(20_000)));
    soon("rust", &"// a\nfn a() {}\n".repeat(10_000));
    soon("rust", &format!("{}fn a() {{}}\n", "/// a\n".repeat(50_000)));
    soon("c", &format!("{}int a;\n", "/* a */ ".repeat(20_000)));
    soon("csharp", &format!("[{}] class A {{ }}\n", "B, ".repeat(20_000)));
    soon("typescript", &format!("class A {{ {} a() {{}} }}\n", "@B() ".repeat(10_000)));
    soon("python", &format!("__all__ = [{}]\n", "\"a\", ".repeat(50_000)));
    soon(
        "javascript",
        &format!("export {{ {} }};\n", (0..20_000).map(|at| format!("a{at}, ")).collect::<String>()),
    );
    soon("cpp", &format!("class A {{ {} int a; }};\n", "public: private: ".repeat(10_000)));
    soon("ruby", &format!("class A\n{}end\n", "private :a\n".repeat(10_000)));
}

#[test]
fn names_without_end_are_cut() {
    let name = "a".repeat(100_000);
    for (word, text) in [
        ("rust", format!("fn {name}({name}: {name}) -> {name} {{ {name}.{name}(); panic!() }}")),
        (
            "python",
            format!("def {name}({name}: {name}) -> {name}:\n    {name}.{name}()\n    raise {name}()\n"),
        ),
        (
            "typescript",
            format!(
                "import {{ {name} }} from '{name}'; @{name} class A extends {name} {{ a = {name}.{name} }}"
            ),
        ),
    ] {
        soon(word, &text);
        let examined = examine(&text, language(word), &patient(), &Cancel::new()).unwrap();
        assert!(examined.imports.iter().all(|import| import.module.len() <= 300));
        for facts in &examined.facts {
            let written = facts.parameters.iter().all(|parameter| {
                parameter.name.len() <= 300
                    && parameter.type_name.as_ref().is_none_or(|name| name.len() <= 300)
            });
            assert!(written && facts.return_type.as_ref().is_none_or(|name| name.len() <= 300), "{word}");
        }
    }
}

#[test]
fn deep_and_unclosed_nesting_does_not_overflow_the_stack() {
    on_a_small_stack(|| {
        for language in supported() {
            for text in ["([{<\n".repeat(2_500), "a(".repeat(2_500), "a.b[".repeat(2_500)] {
                match examine(&text, language, &Limits::default(), &Cancel::new()) {
                    Ok(examined) => tiled(&text, &examined),
                    Err(ParseError::TimedOut { .. }) => {}
                    Err(error) => panic!("{}: {error}", language.id),
                }
            }
        }
    });
}

#[test]
fn limits_and_cancellation_are_kept() {
    let rust = language("rust");
    let text = "fn a() { b(c); }\n".repeat(1000);
    let small = Limits { max_bytes: 10, ..Limits::default() };
    let refused = examine(&text, rust, &small, &Cancel::new()).unwrap_err();
    assert_eq!(refused, ParseError::TooLarge { bytes: text.len(), limit: 10 });
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(examine(&text, rust, &patient(), &cancel).unwrap_err(), ParseError::Stopped(Stopped));
    let few = Limits { max_symbols: 10, ..patient() };
    let examined = examine(&text, rust, &few, &Cancel::new()).unwrap();
    assert!(examined.outline.truncated);
    tiled(&text, &examined);
    assert_eq!(examined.facts.len(), 10);
    assert!(matches!(
        examine("x", language("plaintext"), &patient(), &Cancel::new()),
        Err(ParseError::NoGrammar { language: "plaintext" })
    ));
}
