//! Texts made to exhaust the stack, the memory or the patience of whoever reads them.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use orienteer_base::Cancel;
use orienteer_base::question::Strictness::{Ast, Smart};
use orienteer_syntax::{Limits, ParseError, Pattern, parse, supported, symbols};

use crate::support::language;

const DEEP: usize = 100_000;

fn patient() -> Limits {
    Limits { max_time: Duration::from_secs(120), ..Limits::default() }
}

/// Runs on a stack smaller than the system's, as worker threads have.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn deep_brackets_do_not_overflow_the_stack() {
    on_a_small_stack(|| {
        for (word, open, close) in [
            ("rust", "const A: u8 = ", ""),
            ("json", "", ""),
            ("python", "x = ", ""),
            ("typescript", "const a = ", ""),
            ("c", "int a = ", ""),
            ("yaml", "a: ", ""),
        ] {
            let (left, right) = if word == "c" { ("(", ")") } else { ("[", "]") };
            let text = format!("{open}{}1{}{close}", left.repeat(DEEP), right.repeat(DEEP));
            let parsed = parse(&text, language(word), &patient(), &Cancel::new());
            assert!(parsed.is_ok(), "{word}: {parsed:?}");
            drop(parsed);
            assert!(symbols(&text, language(word), &patient(), &Cancel::new()).is_ok(), "{word}");
        }
    });
}

/// The grammar's scanner ends the program where it has to remember more than it can.
#[test]
fn words_that_end_texts_of_ruby_may_be_long_and_many() {
    let ruby = language("ruby");
    let long = "x".repeat(300);
    for text in [
        format!("a = <<~{long}\n  b\n{long}\n"),
        format!("a = <<-'A\n{}", "  b = c\n".repeat(100)),
        format!("f({}1)\n{}", "<<A, ".repeat(500), "A\n".repeat(500)),
    ] {
        for text in [text.clone(), format!("class B\n  def c\n    {text}\n  end\nend\n")] {
            parse(&text, ruby, &Limits::default(), &Cancel::new()).unwrap();
            let outline = symbols(&text, ruby, &Limits::default(), &Cancel::new()).unwrap();
            assert_eq!(outline.symbols.is_empty(), !text.starts_with("class B"), "{text:.40}");
        }
    }
}

#[test]
fn unclosed_brackets_do_not_overflow_the_stack() {
    on_a_small_stack(|| {
        for language in supported() {
            let text = "([{<\n".repeat(DEEP / 40);
            match symbols(&text, language, &Limits::default(), &Cancel::new()) {
                Ok(_) | Err(ParseError::TimedOut { .. }) => {}
                Err(error) => panic!("{}: {error}", language.id),
            }
        }
    });
}

#[test]
fn deep_nesting_of_symbols_is_cut_and_said() {
    on_a_small_stack(|| {
        for (word, open, close) in [
            ("json", "{\"k\":", "}"),
            ("rust", "mod a {", "}"),
            ("typescript", "namespace a {", "}"),
            ("javascript", "function a() {", "}"),
            ("html", "<div id=a>", "</div>"),
            ("css", "a {", "}"),
            ("cpp", "namespace a {", "}"),
        ] {
            // The grammar of HTML takes the square of its depth.
            let deep = if word == "html" { 2_000 } else { 20_000 };
            let text = format!(
                "{}{}{}",
                open.repeat(deep),
                if word == "json" { "1" } else { "" },
                close.repeat(deep)
            );
            match symbols(&text, language(word), &patient(), &Cancel::new()) {
                Ok(outline) => {
                    assert!(outline.truncated, "{word}");
                    assert!(outline.symbols.iter().all(|symbol| symbol.name_path.len() < 1000), "{word}");
                }
                Err(error) => panic!("{word}: {error}"),
            }
        }
    });
}

#[test]
fn comparing_two_deep_captures_does_not_overflow_the_stack() {
    on_a_small_stack(|| {
        let deep = format!("{}1{}", "[".repeat(DEEP), "]".repeat(DEEP));
        let text = format!("f({deep}, {deep})");
        let pattern = Pattern::compile("f($A, $A)", language("typescript"), Smart).unwrap();
        let mut seen = 0;
        let mut count = |_| {
            seen += 1;
            ControlFlow::Continue(())
        };
        pattern.find(&text, &patient(), &Cancel::new(), &mut count).unwrap();
        assert_eq!(seen, 1);
    });
}

#[test]
fn a_pattern_on_deep_code_stays_within_its_time() {
    on_a_small_stack(|| {
        let text = format!("x = {}1{}", "[".repeat(DEEP), "]".repeat(DEEP));
        let pattern = Pattern::compile("[$A]", language("python"), Smart).unwrap();
        let limits = Limits { max_time: Duration::from_millis(1500), ..Limits::default() };
        let started = Instant::now();
        let mut ignore = |_| ControlFlow::Continue(());
        let _ = pattern.find(&text, &limits, &Cancel::new(), &mut ignore);
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    });
}

#[test]
fn a_pattern_that_doubles_its_work_at_every_level_is_stopped() {
    let nest = |inner: &str, levels: usize| {
        (0..levels).fold(inner.to_owned(), |inner, _| format!("[$$$, {inner}, $$$]"))
    };
    let pattern = Pattern::compile(&nest("q", 28), language("typescript"), Ast).unwrap();
    let text =
        (0..40).fold("z".to_owned(), |inner, _| format!("[1, {inner}, {inner_short}]", inner_short = 2));
    let limits = Limits { max_time: Duration::from_millis(300), ..Limits::default() };
    let started = Instant::now();
    let mut ignore = |_| ControlFlow::Continue(());
    let _ = pattern.find(&text, &limits, &Cancel::new(), &mut ignore);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn wide_lists_take_linear_time() {
    let names: Vec<String> = (0..20_000).map(|at| format!("a{at} = {at}")).collect();
    for (word, text) in [
        ("javascript", format!("let {};", names.join(", "))),
        ("java", format!("class A {{ int {}; }}", names.join(", "))),
        ("csharp", format!("class A {{ int {}; }}", names.join(", "))),
        ("c", format!("int {};", names.join(", "))),
        ("toml", format!("[t]\n{}\n", names.join("\n"))),
        ("python", names.join("\n")),
    ] {
        let limits = Limits { max_symbols: 10_000, ..patient() };
        let outline = symbols(&text, language(word), &limits, &Cancel::new()).unwrap();
        assert_eq!((outline.symbols.len(), outline.truncated), (10_000, true), "{word}");
    }
}

#[test]
fn a_long_parse_is_cancelled_from_another_thread() {
    let text = "fn a() { b(c, [1, 2, 3]); }\n".repeat(200_000);
    let cancel = Cancel::new();
    let other = cancel.clone();
    let waiting = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        other.cancel();
    });
    let stopped = symbols(&text, language("rust"), &patient(), &cancel);
    waiting.join().unwrap();
    assert!(matches!(stopped, Err(ParseError::Stopped(_))), "{stopped:?}");
}

#[test]
fn large_characters_do_not_lead_the_shell_grammar_astray() {
    for text in ["{\u{83f4f}", "{1\u{10fffd}..3}", "{1..\u{9f420}", "a() { echo 😀; }", "\u{feff}a=中"] {
        let outline = symbols(text, language("bash"), &Limits::default(), &Cancel::new()).unwrap();
        assert!(outline.symbols.len() < 2);
        let _ = Pattern::compile(text, language("bash"), Smart);
    }
    let text = "größe中() { echo 中; }";
    let outline = symbols(text, language("bash"), &Limits::default(), &Cancel::new()).unwrap();
    assert_eq!(outline.symbols[0].name, "größe中");
}
