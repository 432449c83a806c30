//! Is a message found that somebody has pasted, with values where the source has something else?

use orienteer_base::Cancel;
use orienteer_index::find::{Found, Means};
use orienteer_index::query::Query;
use orienteer_index::store::{Lexical, Modes, Weights};

use crate::finding_ask::{Tree, USUAL, name, note, unchecked};
use crate::support::{Place, ask};

const NO_WEIGHTS: Weights = Weights([0.0; 6]);

fn names(found: &Found) -> Vec<String> {
    found.hits.iter().map(name).collect()
}

/// Many short functions that have all words of a message but one, again and again, and a long one with the message.
fn keys() -> Place {
    let place = Place::new();
    let words = ["could", "not", "load", "public", "key", "file"];
    for file in 0..60 {
        let functions = (0..6).map(|without| {
            let others: Vec<&str> =
                words.iter().enumerate().filter(|(at, _)| *at != without).map(|(_, word)| *word).collect();
            let line = format!("    call({});\n", others.join(", "));
            format!("fn f_{file}_{without}() {{\n{}}}\n\n", line.repeat(4))
        });
        place.write(&format!("src/k{file:02}.rs"), functions.collect::<String>());
    }
    let filler: String =
        (0..70).map(|at| format!("    let number_{at} = counted({at}, other_{at});\n")).collect();
    place.write(
        "src/session.rs",
        format!("fn connect() {{\n{filler}    fail(\"Could not load public key file\");\n{filler}}}\n\n\n\nfn end() {{}}\n"),
    );
    place
}

#[test]
fn a_message_of_common_words_is_found_in_a_long_function() {
    let tree = Tree::of(keys());
    let first =
        &tree.page("Could not load public key file", 0, 5, Modes::of(USUAL), Means::default()).hits[0];
    assert_eq!(name(first), "connect");
    assert!(first.snippet.iter().any(|line| line.matched && line.number == 72), "{:?}", first.snippet);
}

#[test]
fn those_with_the_most_own_words_are_told_apart_from_the_best_ones() {
    let tree = Tree::of(keys());
    let reader = tree.store.read().unwrap();
    let words = Lexical { limit: 100, own: 6, ..ask("could not load public key file") };
    let [best, _, together] = reader.candidates_and(&words, (NO_WEIGHTS, 0), 3, &Cancel::new()).unwrap();
    let path = |at: usize| reader.path(together[at].file).unwrap().shown();
    assert_eq!((path(0).as_str(), together.len()), ("src/session.rs", 3), "it alone has all of them");
    assert!(best.iter().all(|one| one.file != together[0].file), "others have them more often");
    // Forms of the words are no words of the question.
    let forms = Lexical { own: 0, ..words };
    let [_, _, none] = reader.candidates_and(&forms, (NO_WEIGHTS, 0), 3, &Cancel::new()).unwrap();
    assert_eq!(none, []);
}

#[test]
fn a_part_of_a_definition_ends_where_the_definition_ends() {
    let filler: String =
        (0..60).map(|at| format!("    let number_{at} = counted({at}, other_{at});\n")).collect();
    let text = format!(
        "fn connect() {{\n{filler}    fn inner() {{\n{filler}    }}\n    fail(\"the packet was sent too late\");\n{filler}}}\n\n\
         \n\nfn end() {{}}\n"
    );
    let tree = Tree::with(&[("a.rs", &text)]);
    let hit = &tree.find("the packet was sent too late").hits[0];
    assert_eq!((name(hit).as_str(), hit.lines), ("connect", (124, 185)), "what stands behind the inner one");
}

#[test]
fn a_small_function_inside_another_answers_for_what_it_says() {
    let text = "def cast_value(self, value):\n    def check(value):\n        try:\n            return iter(value)\n        \
                except TypeError:\n            raise Bad(\"Value must be an iterable.\")\n    return check(value) or self.\
                fallback(\"Value may be anything here.\")\n";
    let tree = Tree::with(&[("a.py", text)]);
    assert_eq!(names(&tree.find("Value must be an iterable.")), ["cast_value/check"]);
    assert_eq!(names(&tree.find("Value may be anything here.")), ["cast_value"]);
    let hit = &tree.find("Value must be an iterable.").hits[0];
    assert_eq!((hit.lines, hit.line), ((2, 6), 2), "its own lines, and its name");
    // Filters on definitions, and words that must be there, hold of what is around it.
    for question in ["-symbol:check", "signature:self", "+fallback"] {
        let found = tree.find(&format!("{question} Value must be an iterable."));
        assert_eq!(names(&found), ["cast_value"], "{question}");
    }
    assert_eq!(names(&tree.find("path:a.py Value must be an iterable.")), ["cast_value/check"]);
    // What is asked for by its name stays.
    assert_eq!(names(&tree.find("cast_value Value must be an iterable")), ["cast_value"]);
}

#[test]
fn what_several_small_functions_say_is_said_by_what_is_around_them() {
    let one = |name: &str| format!("    def {name}(x):\n        raise Bad(\"Value must be an iterable.\")\n");
    let tree = Tree::with(&[("a.py", &format!("def cast(x):\n{}{}", one("one"), one("two")))]);
    assert_eq!(names(&tree.find("Value must be an iterable.")), ["cast"]);
}

#[test]
fn the_end_of_a_very_long_function_is_looked_at() {
    let place = keys();
    let filler: String =
        (0..900).map(|at| format!("    let number_{at} = counted({at}, other);\n")).collect();
    place.write(
        "src/long.rs",
        format!("fn long() {{\n{filler}    fail(\"Could not load public key file\");\n}}\n"),
    );
    std::fs::remove_file(place.path("src/session.rs")).unwrap();
    let tree = Tree::of(place);
    let found = tree.page("Could not load public key file", 0, 5, Modes::of(USUAL), Means::default());
    assert_eq!(name(&found.hits[0]), "long");
    assert!(found.hits[0].snippet.iter().any(|line| line.matched && line.number == 902));
}

#[test]
fn a_short_rest_behind_a_definition_is_among_its_lines() {
    let filler: String =
        (0..30).map(|at| format!("        let number_{at} = counted({at}, other_{at});\n")).collect();
    let text = format!(
        "fn outer() {{\n    fn inner() {{\n{filler}    }}\n    fail(\"the packet was sent too late\");\n}}\n"
    );
    let tree = Tree::with(&[("a.rs", &text)]);
    let hit = &tree.find("the packet was sent too late").hits[0];
    assert!(hit.lines.0 <= 34 && hit.lines.1 >= 34, "{:?} {:?}", name(hit), hit.lines);
}

#[test]
fn a_part_does_not_reach_into_the_next_one() {
    let filler: String =
        (0..60).map(|at| format!("    let number_{at} = counted({at}, other_{at});\n")).collect();
    let said = "    fail(\"the packet was sent too late\");\n";
    let text = format!(
        "fn connect() {{\n{said}{filler}    fn inner() {{\n{filler}    }}\n    late();\n{filler}}}\n"
    );
    let tree = Tree::with(&[("a.rs", &text)]);
    let hit = &tree.find("the packet was sent too late").hits[0];
    assert_eq!(name(hit), "connect");
    assert!(hit.lines.1 < 64, "the inner function answers for itself: {:?} {:?}", hit.lines, hit.snippet);
}

#[test]
fn filters_take_nothing_from_what_is_said_word_by_word() {
    let tree = Tree::of(keys());
    let score = |question: &str| tree.find(question).hits[0].score;
    let alone = score("Could not load public key file");
    let filtered = score("Could not load public key file path:src lang:rust -path:elsewhere");
    assert!((alone - filtered).abs() < 1e-9, "{alone} {filtered}");
}

#[test]
fn what_a_message_quotes_need_not_be_there() {
    let tree = Tree::with(&[
        ("a.js", "function keys(node) {\n  debug('Unknown node type \"%s\": guessed', node);\n}\n"),
        ("b.js", "function report() {\n  return read('report-7');\n}\n"),
    ]);
    let found = tree.find("Unknown node type \"report-7\": guessed");
    assert_eq!(names(&found).first().map(String::as_str), Some("keys"));
    assert!(note(&found, "query").unwrap().contains("quotes report-7, so that counts like the other words"));
    assert_eq!(names(&tree.find("Unknown node type +\"report-7\" guessed")), ["report"]);
    assert_eq!(names(&tree.find("node \"report-7\"")), ["report"], "two words are no sentence");
    // One that must be there does not make the others so.
    let found = tree.find("Unknown node +\"type\" in \"report-9\": guessed");
    assert_eq!(names(&found), ["keys"]);
}

#[test]
fn several_words_in_quotes_are_let_go_only_where_nothing_has_them() {
    let tree = Tree::with(&[
        ("a.js", "function parse(file) {\n  fail('Could not read file \"%s\" for the option');\n}\n"),
        ("b.js", "function other() {\n  return 'least recently used';\n}\n"),
    ]);
    let found = tree.find("Could not read file \"my file\" for the option");
    assert_eq!(names(&found).first().map(String::as_str), Some("parse"));
    assert!(note(&found, "query").unwrap().contains("ranked by their words alone"));
    let there = tree.find("Could not read file \"least recently\" for the option");
    assert_eq!(names(&there), ["other"]);
    assert_eq!(note(&there, "query"), None);
    for question in ["Could not read file +\"my file\" for the option", "read \"my file\"", "\"my file\""] {
        assert!(tree.find(question).hits.is_empty(), "{question}");
    }
    // What could not be read may have them.
    std::fs::remove_file(tree.place.path("b.js")).unwrap();
    let found = tree.find("Could not read file \"least recently\" for the option");
    assert_eq!((found.hits.len(), unchecked(&found)), (0, vec![("unreadable_files", None, 1)]));
}

#[test]
fn options_and_comments_in_a_message_are_no_marks() {
    let tree =
        Tree::with(&[("a.c", "void help(void) {\n  warn(\"Unnecessary use of -X or --request\");\n}\n")]);
    assert_eq!(names(&tree.find("Unnecessary use of -X or --request")), ["help"]);
    assert_eq!(names(&tree.find("Unnecessary use -request")), Vec::<String>::new());
    let query = Query::parse("/* eslint-env */ comments are gone").unwrap();
    assert!(query.expressions.is_empty());
}

#[test]
fn words_beside_a_text_that_is_everywhere_decide_what_is_read_first() {
    let place = Place::new();
    for file in 0..40 {
        let functions = (0..10).map(|at| format!("fn f{file}_{at}() {{ parser({at}); }}\n"));
        place.write(&format!("src/a{file:02}.rs"), functions.collect::<String>());
    }
    place.write("src/z.rs", "fn last() { parser(\"expected an object\"); }\n");
    let tree = Tree::of(place);
    let found = tree.page("+\"parser\" expected object", 0, 5, Modes::of(USUAL), Means::default());
    assert_eq!(name(&found.hits[0]), "last");
}
