//! Which symbols, pieces and files pass?

use std::sync::Arc;

use orienteer_base::{Cancel, Language, SymbolKind};
use orienteer_index::store::{
    Collector, Column, Condition, FileFlags, FileRecord, FileSet, Lexical, NameTest, NamesLike, PieceRecord,
    Plan, Relation, Store, SymbolRecord,
};
use orienteer_syntax::facts::Visibility;

use crate::support::{Place, ask, found_by, record, symbols_where};

struct Written {
    name: &'static str,
    facts: &'static [(Relation, &'static str)],
    change: fn(&mut SymbolRecord),
}

/// A file of functions, a piece for each, and one piece in front that belongs to none.
fn file(path: &str, facts: &[(Relation, &str)], functions: &[Written]) -> FileRecord {
    let mut collector = Collector::new();
    let mut file = record(path, &[]);
    collector.word(Column::Body, "common");
    collector.end_piece();
    file.pieces = vec![PieceRecord { range: 0..10, lines: 0..1, symbol: None }];
    for (at, function) in functions.iter().enumerate() {
        let at = at as u32;
        let start = 10 + 10 * at;
        let mut symbol = SymbolRecord {
            name: function.name.to_owned(),
            name_path: function.name.to_owned(),
            kind: SymbolKind::Function,
            range: start..start + 10,
            name_range: start..start + 1,
            lines: at + 1..at + 2,
            parent: None,
            signature: format!("fn {}()", function.name),
            doc: String::new(),
            return_type: String::new(),
            visibility: None,
            is_async: false,
            is_generator: false,
            is_exported: false,
            branches: 0,
            loops: 0,
        };
        (function.change)(&mut symbol);
        collector.word(Column::Body, "common");
        collector.end_piece();
        file.pieces.push(PieceRecord { range: start..start + 10, lines: at + 1..at + 2, symbol: Some(at) });
        collector.symbol(at + 1, &symbol);
        for (relation, name) in function.facts {
            collector.fact(*relation, name, at + 1);
        }
        file.symbols.push(symbol);
    }
    for (relation, name) in facts {
        collector.fact(*relation, name, 0);
    }
    file.terms = collector.finish();
    file
}

fn store() -> (Place, Store) {
    let place = Place::new();
    let store = place.built();
    let mut rust = file(
        "src/a.rs",
        &[(Relation::Imports, "std::fs"), (Relation::ImportedName, "File")],
        &[
            Written {
                name: "load",
                facts: &[
                    (Relation::Calls, "fs.readFile"),
                    (Relation::Calls, "Vec::new"),
                    (Relation::Uses, "Config"),
                ],
                change: |symbol| {
                    symbol.is_async = true;
                    symbol.visibility = Some(Visibility::Public);
                    symbol.branches = 3;
                    symbol.return_type = "Result<Vec<u8>, Error>".to_owned();
                    symbol.doc = "Loads.".to_owned();
                },
            },
            Written {
                name: "store",
                facts: &[(Relation::Calls, "fs.readFileSync"), (Relation::Writes, "self.count")],
                change: |symbol| {
                    symbol.visibility = Some(Visibility::Private);
                    symbol.branches = 12;
                    symbol.loops = 2;
                },
            },
        ],
    );
    rust.language = Language::by_word("rust");
    let mut python = file(
        "lib/b.py",
        &[(Relation::Imports, "os.path")],
        &[Written {
            name: "open_all",
            facts: &[(Relation::Calls, "ReadFile"), (Relation::Decorator, "app.route")],
            change: |symbol| symbol.is_generator = true,
        }],
    );
    python.language = Language::by_word("python");
    python.flags = FileFlags::TEST;
    let mut writer = store.write(&Cancel::new()).unwrap();
    writer.put(&rust).unwrap();
    writer.put(&python).unwrap();
    writer.commit().unwrap();
    (place, store)
}

fn passing(store: &Store, conditions: Vec<Condition>) -> Vec<String> {
    symbols_where(&store.read().unwrap(), &Plan { files: None, conditions })
}

fn calls(names: &[&str]) -> Condition {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    Condition::Fact(Relation::Calls, NamesLike::Last(names))
}

#[test]
fn facts_are_found_by_the_last_part_of_their_names_in_any_case() {
    let (_place, store) = store();
    assert_eq!(passing(&store, vec![calls(&["readfile"])]), ["open_all", "load"]);
    assert_eq!(passing(&store, vec![calls(&["fs.readFile"])]), ["open_all", "load"]);
    assert_eq!(passing(&store, vec![calls(&["readFileSync", "new"])]), ["load", "store"]);
    assert_eq!(passing(&store, vec![calls(&["read"])]), [""; 0]);
    assert_eq!(
        passing(&store, vec![Condition::Fact(Relation::Uses, NamesLike::Last(vec!["new".into()]))]),
        [""; 0]
    );
}

#[test]
fn facts_are_tested_as_they_are_written() {
    let (_place, store) = store();
    let test = |last: Option<&str>, test: fn(&str) -> bool| {
        let names = NamesLike::Test { last: last.map(str::to_owned), test: NameTest::new(test) };
        passing(&store, vec![Condition::Fact(Relation::Calls, names)])
    };
    assert_eq!(test(Some("readFile"), |name| name == "fs.readFile"), ["load"]);
    assert_eq!(test(None, |name| name.starts_with("fs.read")), ["load", "store"]);
    assert_eq!(test(None, |name| name == "ReadFile"), ["open_all"]);
    assert_eq!(test(Some("new"), |name| name.contains("Vec")), ["load"]);
    let types = NamesLike::Test { last: None, test: NameTest::new(|name| name.contains("Error")) };
    assert_eq!(passing(&store, vec![Condition::Fact(Relation::Returns, types)]), ["load"]);
}

#[test]
fn what_a_file_imports_is_true_of_everything_in_it() {
    let (_place, store) = store();
    let imports = |name: &'static str| {
        let names = NamesLike::Test { last: None, test: NameTest::new(move |module| module == name) };
        passing(&store, vec![Condition::Fact(Relation::Imports, names)])
    };
    assert_eq!(imports("std::fs"), ["load", "store"]);
    assert_eq!(imports("os.path"), ["open_all"]);
    assert_eq!(imports("os"), [""; 0]);
}

#[test]
fn traits_and_counts_are_conditions() {
    let (_place, store) = store();
    for (condition, wanted) in [
        (Condition::Async(true), vec!["load"]),
        (Condition::Async(false), vec!["open_all", "store"]),
        (Condition::Generator(true), vec!["open_all"]),
        (Condition::Documented(true), vec!["load"]),
        (Condition::Visibility(vec![Visibility::Private, Visibility::Public]), vec!["load", "store"]),
        (Condition::Branches(3, 3), vec!["load"]),
        (Condition::Branches(4, u32::MAX), vec!["store"]),
        (Condition::Branches(0, 3), vec!["open_all", "load"]),
        (Condition::Branches(0, 0), vec!["open_all"]),
        (Condition::Loops(1, 9), vec!["store"]),
        (Condition::Kinds(vec![SymbolKind::Function]), vec!["open_all", "load", "store"]),
        (Condition::Kinds(vec![SymbolKind::Class]), vec![]),
        (Condition::Languages(vec![Language::by_word("rust").unwrap()]), vec!["load", "store"]),
        (Condition::Flags(FileFlags::TEST), vec!["open_all"]),
        (Condition::PathPrefix(vec![b"src/".to_vec()]), vec!["load", "store"]),
        (Condition::Not(Box::new(calls(&["readfile"]))), vec!["store"]),
        (Condition::Any(vec![Condition::Async(true), Condition::Generator(true)]), vec!["open_all", "load"]),
    ] {
        assert_eq!(passing(&store, vec![condition.clone()]), wanted, "{condition:?}");
    }
    assert_eq!(passing(&store, vec![Condition::Async(true), Condition::Branches(4, 20)]), [""; 0]);
}

#[test]
fn words_are_looked_for_only_where_conditions_hold() {
    let (_place, store) = store();
    let count = |plan: Plan| {
        store.read().unwrap().candidates(&Lexical { plan, ..ask("common") }, &Cancel::new()).unwrap().len()
    };
    assert_eq!(count(Plan::default()), 5);
    assert_eq!(count(Plan { files: None, conditions: vec![Condition::Async(true)] }), 1);
    // What stands between functions belongs to the file.
    assert_eq!(
        count(Plan { files: None, conditions: vec![Condition::Not(Box::new(Condition::Async(true)))] }),
        4
    );
    assert_eq!(count(Plan { files: None, conditions: vec![Condition::Flags(FileFlags::TEST)] }), 2);
    let reader = store.read().unwrap();
    let python = FileSet::new(
        reader.files().unwrap().iter().filter(|file| file.path.shown() == "lib/b.py").map(|file| file.id),
    );
    let plan = Plan { files: Some(Arc::new(python)), conditions: Vec::new() };
    assert_eq!(count(plan.clone()), 2);
    assert_eq!(found_by(&store, &Lexical { plan: plan.clone(), ..ask("common") }), ["lib/b.py"]);
    assert_eq!(reader.pieces_where(&plan, 10, &Cancel::new()).unwrap().len(), 2);
    let calling = Plan { files: None, conditions: vec![calls(&["readfile"])] };
    assert_eq!(reader.pieces_where(&calling, 10, &Cancel::new()).unwrap().len(), 2);
    assert_eq!(reader.files_where(&calling, &Cancel::new()).unwrap().len(), 2);
    assert_eq!(count(Plan { files: Some(Arc::new(FileSet::default())), conditions: Vec::new() }), 0);
}

#[test]
fn mentions_are_the_symbols_that_use_a_name() {
    let (_place, store) = store();
    let reader = store.read().unwrap();
    let names = |name: &str, relations: &[Relation]| {
        let found = reader.mentions(name, relations, &Plan::default(), 10, &Cancel::new()).unwrap();
        found.iter().map(|id| reader.symbol(*id).unwrap().unwrap().name).collect::<Vec<_>>()
    };
    assert_eq!(names("readFile", &[Relation::Calls, Relation::Uses]), ["load", "open_all"]);
    assert_eq!(names("Config", &[Relation::Calls, Relation::Uses]), ["load"]);
    assert_eq!(names("count", &[Relation::Writes]), ["store"]);
    assert_eq!(names("count", &[Relation::Reads]), [""; 0]);
}
