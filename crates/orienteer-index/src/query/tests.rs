use super::*;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use orienteer_base::{Problem, SymbolKind};
use orienteer_syntax::facts::{Field, Visibility};
use proptest::prelude::*;
use serde_json::json;

fn parse(text: &str) -> Query {
    Query::parse(text).unwrap()
}

fn error(text: &str) -> QueryError {
    Query::parse(text).unwrap_err()
}

fn words(query: &Query, need: Need) -> Vec<&str> {
    query.terms.iter().filter(|term| term.need == need).map(|term| term.text.as_str()).collect()
}

fn vocabulary() -> Vocabulary {
    Vocabulary { now: UNIX_EPOCH + Duration::from_secs(1_000_000), risk_tags: vec!["exec".to_owned()] }
}

fn filters(value: serde_json::Value) -> Result<Filters, QueryError> {
    Filters::from_json(&value, &vocabulary())
}

#[test]
fn plain_words_are_soft_and_keep_their_spelling() {
    let query = parse("parseJSON file");
    assert_eq!(words(&query, Need::Should), ["parseJSON", "file"]);
    assert_eq!(query.terms[0].wholes, ["parsejson"]);
    assert_eq!(query.terms[0].parts, ["parse", "json"]);
    assert!(query.filters.is_empty() && query.warnings.is_empty());
}

#[test]
fn plain_english_excludes_nothing_and_requires_nothing() {
    for text in [
        "file not found handler",
        "how do we NOT retry and when",
        "read-only or write-only",
        "a - b + c",
        "index -1 and +1",
        "git commit --no-verify",
        "x->y and i++ or --i",
        "TODO: fix the parser",
        "std::fs and http://example.org/x",
        "either /or and/or",
        "lives in /usr/lib",
        "isn't it 5\" wide?",
        "error: file: not there",
        "main.rs:12:5 read:org user:bob port:80 line:12 C:\\dir node:fs",
        "a = b ? c : d",
        "what (and where) is it?",
        "Setting HEAD with -X/--request, -v, or -I",
        "/* eslint-env */ comments are gone",
        "Key \"parser\": expected an object in \"report-7\"\".",
    ] {
        let query = parse(text);
        assert!(query.terms.iter().all(|term| term.need == Need::Should), "{text}: {:?}", query.terms);
        assert!(query.phrases.is_empty() && query.expressions.is_empty(), "{text}: {query:?}");
        assert!(query.filters.is_empty(), "{text}: {:?}", query.filters);
    }
}

#[test]
fn marks_say_what_must_and_must_not_be() {
    let query = parse("cache +evict -test +\"least recently\" -\"do not edit\" \"used first\"");
    assert_eq!(words(&query, Need::Should), ["cache"]);
    assert_eq!(words(&query, Need::Must), ["evict"]);
    assert_eq!(words(&query, Need::Not), ["test"]);
    let phrases: Vec<_> = query.phrases.iter().map(|phrase| (phrase.text.as_str(), phrase.need)).collect();
    assert_eq!(
        phrases,
        [("least recently", Need::Must), ("do not edit", Need::Not), ("used first", Need::Must)]
    );
    assert_eq!(query.phrases[0].words, ["least", "recently"]);
}

#[test]
fn expressions_stand_between_slashes() {
    let query = parse("open /fn\\s+main b/i -/x$/ /a\\/b/");
    let found: Vec<_> =
        query.expressions.iter().map(|one| (one.pattern.as_str(), one.need, one.text.as_str())).collect();
    assert_eq!(
        found,
        [
            ("(?i)fn\\s+main b", Need::Must, "/fn\\s+main b/i"),
            ("x$", Need::Not, "/x$/"),
            ("a\\/b", Need::Must, "/a\\/b/")
        ]
    );
    assert!(query.expressions[0].regex.is_match("FN  main b"));
    // A line is a line.
    assert!(query.expressions[1].regex.is_match("x\ny"));
    let wrong = error("find /(/");
    assert_eq!(wrong.detail(), "invalid_regex");
    assert!(
        wrong.to_string().contains("unclosed group") && wrong.to_string().contains("double quotes"),
        "{wrong}"
    );
    assert_eq!(error("/a{1000}{1000}{1000}/").detail(), "invalid_regex");
    assert_eq!(error("find /a[/").detail(), "invalid_regex");
}

#[test]
fn filters_in_the_box_are_those_of_the_structure() {
    let boxed = parse(
        "kind:function kind:method lang:rs,go path:\"my dir/x\" -ext:md async:yes churn_min:3 meta:a=b",
    );
    let structured = Filters::from_json(
        &json!({"kind": ["function", "method"], "lang": ["rust", "golang"], "path": "my dir/x", "is_async": true,
            "churn_min": 3, "meta": {"a": "b"}}),
        &Vocabulary::default(),
    )
    .unwrap();
    let mut expected = structured.clone();
    let row = Row::by_word("ext").unwrap();
    expected.add(row, &["md"], super::value::Sense::Not, &Vocabulary::default()).unwrap();
    assert_eq!(boxed.filters, expected);
    assert!(boxed.terms.is_empty() && !boxed.has_words());
    let kinds: Vec<Kind> = boxed.filters.kind.groups[0].clone();
    assert_eq!(kinds, [Kind::Symbol(SymbolKind::Function), Kind::Symbol(SymbolKind::Method)]);
}

#[test]
fn values_of_one_filter_are_alternatives_and_plus_makes_each_needed() {
    let query = parse("calls:open calls:close +calls:read -calls:write");
    let allows = |calls: &[&str]| query.filters.allows_texts(Name::Calls, calls);
    assert!(allows(&["fs.open", "fs.read"]));
    assert!(allows(&["close", "read"]));
    assert!(!allows(&["open", "close"]));
    assert!(!allows(&["open", "read", "write"]));
    assert!(!allows(&["read"]));
}

#[test]
fn the_box_and_the_structure_narrow_each_other() {
    let both = |text: &str, value: serde_json::Value| Query::new(text, filters(value)?, &vocabulary());
    let query = both("calls:a", json!({"calls": "b"})).unwrap();
    assert!(!query.filters.allows_texts(Name::Calls, &["a"]));
    assert!(query.filters.allows_texts(Name::Calls, &["a", "b"]));
    let query = both("", json!({"lang": "rust"})).unwrap();
    assert!(!query.has_words() && query.filters.lang.groups.len() == 1);
    let query =
        both("churn_min:2 modified_after:2d", json!({"churn_min": 5, "modified_since": "1d"})).unwrap();
    assert_eq!(query.filters.churn.least, Some(5));
    assert_eq!(query.filters.modified_after, Some(UNIX_EPOCH + Duration::from_secs(1_000_000 - 86_400)));
    for (text, value) in [
        ("lang:rust", json!({"lang": "go"})),
        ("-lang:rust", json!({"lang": "rust"})),
        ("async:true", json!({"async": false})),
        ("test:only", json!({"test": "exclude"})),
        ("churn_min:5", json!({"churn_max": 3})),
        ("kind:class", json!({"kind": ["function", "method"]})),
    ] {
        let wrong = both(text, value).unwrap_err();
        assert_eq!(wrong.detail(), "contradiction", "{text}: {wrong}");
        assert!(wrong.to_string().contains("keep one"), "{wrong}");
    }
    assert!(both("test:only", json!({"test": "include"})).is_ok());
    assert!(both("lang:rust", json!({"lang": ["go", "rust"]})).is_ok());
}

#[test]
fn a_minus_turns_flags_and_sorts_around() {
    let query = parse("x -async:true -test:only -lint:errors -visibility:private -kind:comment -risk:sink");
    let filters = &query.filters;
    assert_eq!(
        (filters.is_async, filters.test, filters.errors),
        (Some(false), Some(Presence::Exclude), Some(false))
    );
    assert!(
        filters.visibility.allows_one(Visibility::Public)
            && !filters.visibility.allows_one(Visibility::Private)
    );
    assert!(!filters.kind.allows_one(Kind::Comment));
    for text in ["x -churn_min:3", "x -modified_after:7d", "x -test:include"] {
        let wrong = error(text);
        assert!(matches!(wrong, QueryError::NoOpposite { .. }), "{wrong}");
    }
    assert!(error("x -churn_min:3").to_string().contains("churn_max"));
}

#[test]
fn a_misspelt_filter_is_an_error_that_names_the_nearest() {
    for (text, nearest) in [
        ("open lnag:rust", "lang"),
        ("-pth:src x", "path"),
        ("symbl:foo", "symbol"),
        ("kimd:function", "kind"),
        ("visibilty:public", "visibility"),
        ("file lagn:python", "lang"),
    ] {
        let wrong = error(text);
        assert_eq!(wrong.detail(), "unknown_filter", "{text}");
        assert_eq!(wrong.candidates(), [nearest], "{text}");
        assert!(wrong.to_string().contains("double quotes"), "{wrong}");
    }
    // In quotes it is text.
    assert_eq!(parse("\"lnag:rust\"").phrases[0].text, "lnag:rust");
}

#[test]
fn wrong_values_list_the_legal_ones() {
    let wrong = error("kind:functoin");
    assert_eq!(wrong.candidates()[0], "function");
    assert!(
        wrong.to_string().contains("did you mean function?") && wrong.to_string().contains("method"),
        "{wrong}"
    );
    let wrong = error("lang:rusty");
    assert!(
        wrong.to_string().contains("rust") && wrong.candidates().contains(&"python".to_owned()),
        "{wrong}"
    );
    for (text, legal) in [
        ("visibility:secret", "protected"),
        ("async:maybe", "false"),
        ("test:some", "exclude"),
        ("lint:bad", "clean"),
        ("risk:everything", "flow"),
        ("risk:sink:everything", "exec"),
        ("risk:everything:exec", "flow"),
        ("churn_min:-1", "whole number"),
        ("churn_min:99999999999999999999", "whole number"),
        ("modified_after:yesterday", "7d"),
        ("path:\"x", "path:\"…\""),
        ("meta:\"=x\"", "key=value"),
    ] {
        let problem = Problem::from(error(text));
        assert!(problem.message.contains(legal), "{text}: {}", problem.message);
        assert_eq!(
            problem.field,
            Row::by_word(text.split(':').next().unwrap()).map(|row| row.word),
            "{text}"
        );
    }
}

#[test]
fn a_filter_without_a_value_is_a_word_and_says_so() {
    let query = parse("path: src");
    assert_eq!(words(&query, Need::Should), ["path:", "src"]);
    assert!(query.warnings[0].contains("path:"), "{:?}", query.warnings);
}

#[test]
fn an_empty_query_is_a_typed_error() {
    for text in ["", "   ", "\n", "\"\"", "case:true"] {
        assert_eq!(error(text), QueryError::Empty, "{text:?}");
    }
    assert!(matches!(error("-foo -\"bar baz\""), QueryError::OnlyExclusions { .. }));
    assert!(Query::parse("-foo lang:rust").is_ok());
    assert_eq!(Problem::from(QueryError::Empty).detail, Some("empty_query"));
}

#[test]
fn punctuation_alone_is_looked_for_as_it_is() {
    assert_eq!(parse("=> {}").phrases[0].text, "=> {}");
    assert_eq!(parse("?? lang:rust").phrases[0].text, "??");
    assert!(parse("foo => bar").phrases.is_empty());
}

#[test]
fn what_must_hold_is_never_left_out() {
    let many = |mark: &str, count: usize| -> String {
        (0..count).map(|number| format!("{mark}word{number} ")).collect()
    };
    assert_eq!(words(&parse(&many("+", 64)), Need::Must).len(), 64);
    for (mark, what) in [("+", "words with +"), ("-", "words with -")] {
        let refused = error(&format!("x {}", many(mark, 65)));
        assert_eq!(refused, QueryError::TooMany { what, most: 64 });
        assert_eq!(refused.detail(), "query_too_long");
    }
    let dotted = format!("+{}", many("", 65).trim().replace(' ', "."));
    assert!(matches!(error(&dotted), QueryError::TooMany { .. }), "{dotted}");
    let phrases: String = (0..17).map(|number| format!("\"a {number}\" ")).collect();
    assert_eq!(error(&phrases), QueryError::TooMany { what: "phrases", most: 16 });
    let expressions: String = (0..17).map(|number| format!("-/a{number}/ ")).collect();
    assert_eq!(error(&format!("x {expressions}")), QueryError::TooMany { what: "expressions", most: 16 });
    assert_eq!(parse(&"/same/ ".repeat(40)).expressions.len(), 1);
}

#[test]
fn a_phrase_is_compared_in_full_or_not_at_all() {
    let long = "x".repeat(2_001);
    for text in [format!("\"{long}\""), format!("a -\"{long}\""), format!("a -{}.b", "y".repeat(300))] {
        assert!(matches!(error(&text), QueryError::LongPhrase { .. }), "{}", &text[..20]);
    }
    assert_eq!(parse(&format!("\"{}\"", "x".repeat(2_000))).phrases.len(), 1);
}

#[test]
fn long_queries_are_bounded_and_say_so() {
    let text: String = (0..10_000).map(|number| format!("word{number} ")).collect();
    let query = parse(&format!("{text} +last kind:function"));
    assert_eq!(words(&query, Need::Should).len(), MOST_WORDS);
    assert_eq!(words(&query, Need::Must), ["last"]);
    assert!(!query.filters.is_empty());
    assert!(query.warnings.iter().any(|warning| warning.contains("64")), "{:?}", query.warnings);
    assert_eq!(parse(&"same ".repeat(10_000)).terms.len(), 1);
    assert!(matches!(error(&"x ".repeat(MOST_BYTES)), QueryError::TooLong { .. }));
    for hostile in ["\"a ", "/a ", "a.", "+\"", "-/x", "lang:", "\\", "é\"", "foo:/a ", "lnagg:/[ ", "x:\"a "]
    {
        let started = SystemTime::now();
        let _ = Query::parse(&hostile.repeat(MOST_BYTES / hostile.len()));
        assert!(started.elapsed().unwrap() < Duration::from_secs(5), "{hostile}");
    }
}

#[test]
fn an_open_quote_is_no_phrase_and_says_so() {
    let query = parse("find \"this and that");
    assert!(query.phrases.is_empty());
    assert_eq!(words(&query, Need::Should), ["find", "\"this", "and", "that"]);
    assert!(query.warnings[0].contains("not closed"));
    assert_eq!(words(&parse("find -\"this"), Need::Should), ["find", "\"this"]);
}

#[test]
fn quotes_can_hold_quotes() {
    assert_eq!(parse(r#""say \"hi\" \\ now""#).phrases[0].text, r#"say "hi" \ now"#);
    let query = parse(r#"x meta:title="two words" signature:"fn a(b: u8)""#);
    assert_eq!(query.filters.meta.groups[0][0].value.as_deref(), Some("two words"));
    assert!(query.filters.allows_texts(Name::Signature, &["pub fn a(b: u8) -> u8"]));
}

#[test]
fn common_words_are_marked_and_acronyms_offered() {
    let query = parse("where is gubi");
    let common: Vec<bool> = query.terms.iter().map(|term| term.common).collect();
    assert_eq!(common, [true, true, false]);
    assert_eq!(query.terms[2].as_acronym(), Some("gubi"));
    assert_eq!(query.terms[0].as_acronym(), None);
}

#[test]
fn unknown_names_in_the_structure_are_refused_with_the_nearest() {
    let wrong = filters(json!({"langauge": "rust"})).unwrap_err();
    assert_eq!(wrong.candidates()[0], "language");
    assert!(wrong.to_string().contains("has_doc"), "{wrong}");
    for (value, says) in [
        (json!({"lang": {"a": 1}}), "an object"),
        (json!({"lang": [["rust"]]}), "a list"),
        (json!("lang:rust"), "an object of names"),
        (json!({"churn_min": 2.5}), "whole number"),
        (json!({"churn_min": -2}), "whole number"),
        (json!({"churn_min": "many"}), "whole number"),
        (json!({"meta": {"a": {"b": 1}}}), "an object"),
        (json!({"symbol": ""}), "1 to"),
        (json!({"path": (0..200).map(|n| n.to_string()).collect::<Vec<_>>()}), "more than 100"),
        (json!({"risk": "sql"}), "exec"),
    ] {
        let wrong = filters(value.clone()).unwrap_err().to_string();
        assert!(wrong.contains(says), "{value}: {wrong}");
    }
    assert_eq!(filters(json!(null)), Ok(Filters::default()));
    assert_eq!(filters(json!({"lang": null, "kind": []})), Ok(Filters::default()));
    let serde: Result<Filters, _> = serde_json::from_value(json!({"knid": "class"}));
    assert!(serde.unwrap_err().to_string().contains("kind"));
}

#[test]
fn metadata_needs_every_key_and_one_of_its_values() {
    let filters =
        filters(json!({"meta": {"severity": ["high", "critical"], "open": true, "cve": null}})).unwrap();
    let allows = |pairs: &[(&str, &str)]| {
        filters.meta.allows(pairs, |wanted, (key, value)| {
            wanted.key == *key && wanted.value.as_deref().is_none_or(|wanted| wanted == *value)
        })
    };
    assert!(allows(&[("severity", "high"), ("open", "true"), ("cve", "x")]));
    assert!(!allows(&[("severity", "low"), ("open", "true"), ("cve", "x")]));
    assert!(!allows(&[("severity", "high"), ("open", "true")]));
}

#[test]
fn filters_say_what_the_extractor_must_fill() {
    let needs = |text: &str| parse(text).filters.needs();
    assert_eq!(needs("x lang:rust path:src"), []);
    assert_eq!(needs("calls:open throws:IOError"), [Field::Calls, Field::Throws]);
    assert_eq!(needs("risk:exec"), [Field::Imports, Field::Calls]);
    assert_eq!(needs("risk:sink:exec"), [Field::Imports, Field::Calls], "a tag in one role");
    assert_eq!(needs("async:true loops_min:1 loops_max:3"), [Field::Async, Field::Loops]);
    assert_eq!(needs("x -decorator:test has_doc:no"), [Field::Doc, Field::Decorators]);
}

#[test]
fn case_counts_for_texts_when_told() {
    assert!(parse("symbol:foo").filters.allows_texts(Name::Symbol, &["Foo"]));
    assert!(!parse("symbol:foo case:true").filters.allows_texts(Name::Symbol, &["Foo"]));
}

#[test]
fn the_key_holds_every_part_of_a_query() {
    let queries = [
        "a",
        "b",
        "+a",
        "-a b",
        "\"a\"",
        "/a/",
        "a lang:rust",
        "a -lang:rust",
        "a lang:go",
        "a case:true",
        "a churn_min:1",
        "a churn_max:1",
        "a path:x",
        "a file:x",
        "a calls:x",
        "a +calls:x +calls:y",
        "a calls:x calls:y",
        "a test:only",
        "a generated:only",
        "a vendored:only",
        "a has_doc:yes",
        "a async:yes",
        "a generator:yes",
        "a lint:errors",
        "a risk:sink",
        "a risk:exec",
        "a meta:x",
        "a meta:x=1",
        "a modified_after:2020-01-01",
        "a visibility:public",
        "a kind:class",
        "a branches_min:1",
        "a branches_max:1",
        "a loops_min:1",
        "a loops_max:1",
    ];
    let mut keys: Vec<String> = queries.iter().map(|text| parse(text).key()).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), queries.len());
    assert_eq!(parse("a lang:rust kind:class").key(), parse("a kind:class lang:rs").key());
}

#[test]
fn every_filter_of_the_table_can_be_written() {
    for row in table::ROWS {
        let value = match row.shape {
            table::Shape::Text(_) | table::Shape::Meta => "x",
            table::Shape::Language => "rust",
            table::Shape::Kind => "class",
            table::Shape::Visibility => "public",
            table::Shape::Risk => "sink",
            table::Shape::Flag => "true",
            table::Shape::Lint => "errors",
            table::Shape::Presence => "only",
            table::Shape::Least(_) | table::Shape::Most(_) => "3",
            table::Shape::Moment => "7d",
        };
        for word in row.words() {
            let query = parse(&format!("a {word}:{value}"));
            assert_eq!(query.terms.len(), 1, "{word}");
            let set: Vec<Name> = query.filters.names().iter().map(|row| row.name).collect();
            let expected = if row.name == Name::ModifiedSince { Name::ModifiedAfter } else { row.name };
            assert_eq!(set, [expected], "{word}");
            assert_eq!(query.filters.spelled().len(), 1);
        }
    }
}

proptest! {
    #[test]
    fn nothing_written_panics(text in "\\PC{0,80}") {
        let _ = Query::parse(&text);
    }

    #[test]
    fn marks_in_any_order_are_bounded(text in "([-+\"/:\\\\a=.{}*]|lang|path| |é){0,40}") {
        if let Ok(query) = Query::parse(&text) {
            prop_assert!(query.terms.len() <= 3 * MOST_WORDS);
            let _ = query.key();
        }
    }
}
