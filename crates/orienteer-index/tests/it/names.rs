//! Which symbols do names find?

use orienteer_base::{Cancel, SymbolKind};
use orienteer_index::store::{Condition, NameMatch, Plan, SymbolLookup};

use crate::support::{Place, symbols, symbols_by};

const SOURCE: &str = "
pub struct HttpServerConfig { pub port: u16 }
impl HttpServerConfig { pub fn new() -> Self { Self } pub fn parse_json(&self) {} }
pub struct Client;
impl Client { pub fn new() -> Self { Client } pub fn send(&self) {} }
pub fn parse_json() {}
pub fn parseJSON() {}
pub fn parse() {}
pub fn reparse() {}
fn spawn_blocking() {}
";

fn place() -> Place {
    Place::with(&[
        ("src/a.rs", SOURCE),
        ("src/b.py", "def parse():\n    pass\n\nclass Client:\n    def send(self):\n        pass\n"),
    ])
}

fn by(store: &orienteer_index::store::Store, name: &str, loosest: NameMatch) -> Vec<String> {
    symbols_by(store, &SymbolLookup { name: name.to_owned(), loosest, ..SymbolLookup::default() })
}

#[test]
fn exact_names_come_first_then_other_cases_then_longer_names() {
    let place = place();
    let store = place.built();
    assert_eq!(by(&store, "parseJSON", NameMatch::Exact), ["parseJSON"]);
    assert_eq!(by(&store, "ParseJson", NameMatch::Exact), [""; 0]);
    assert_eq!(by(&store, "ParseJson", NameMatch::IgnoringCase), ["parseJSON"]);
    assert_eq!(by(&store, "parse", NameMatch::Exact), ["parse", "parse"]);
    let prefixed = by(&store, "parse", NameMatch::Prefix);
    assert_eq!(prefixed, ["parse", "parse", "parseJSON", "HttpServerConfig/parse_json", "parse_json"]);
    assert!(by(&store, "parse", NameMatch::Contains).contains(&"reparse".to_owned()));
}

#[test]
fn containers_narrow_a_name() {
    let place = place();
    let store = place.built();
    assert_eq!(by(&store, "Client::new", NameMatch::Exact), ["Client/new"]);
    assert_eq!(by(&store, "client.send", NameMatch::Exact), ["Client/send", "Client/send"]);
    assert_eq!(by(&store, "HttpServerConfig/new", NameMatch::Exact), ["HttpServerConfig/new"]);
    assert_eq!(by(&store, "Nobody::new", NameMatch::Fuzzy), [""; 0]);
    assert_eq!(by(&store, "new", NameMatch::Exact), ["HttpServerConfig/new", "Client/new"]);
}

#[test]
fn acronyms_and_misspellings_are_found() {
    let place = place();
    let store = place.built();
    assert_eq!(symbols(&store, "hsc"), ["HttpServerConfig"]);
    assert_eq!(symbols(&store, "spwan_blocking"), ["spawn_blocking"]);
    assert_eq!(symbols(&store, "spwnblck"), ["spawn_blocking"]);
    assert_eq!(symbols(&store, "qqqqqq"), [""; 0]);
    assert_eq!(symbols(&store, ""), [""; 0]);
    assert_eq!(symbols(&store, "::"), [""; 0]);
}

#[test]
fn kinds_and_files_narrow_a_name() {
    let place = place();
    let store = place.built();
    let ask = |kinds: &[SymbolKind], prefix: &str| {
        let plan = Plan { files: None, conditions: vec![Condition::PathPrefix(vec![prefix.into()])] };
        symbols_by(
            &store,
            &SymbolLookup {
                name: "client".to_owned(),
                loosest: NameMatch::IgnoringCase,
                kinds: kinds.to_vec(),
                plan,
                limit: 10,
            },
        )
    };
    assert_eq!(ask(&[], "src/").len(), 2);
    assert_eq!(ask(&[SymbolKind::Class], "src/"), ["Client"]);
    assert_eq!(ask(&[], "src/b"), ["Client"]);
    assert_eq!(ask(&[SymbolKind::Struct], "src/b"), [""; 0]);
    assert_eq!(ask(&[SymbolKind::Function], ""), [""; 0]);
}

#[test]
fn the_same_path_twice_has_two_ids() {
    let place = Place::with(&[(
        "a.py",
        "def f():\n    pass\n\ndef f():\n    return 1\n\nclass A:\n    def f(self):\n        pass\n",
    )]);
    let store = place.built();
    let reader = store.read().unwrap();
    let file = reader.files().unwrap().remove(0);
    let all = reader.symbols_of(&file).unwrap();
    let ids: Vec<(&str, u32)> = all.iter().map(|symbol| (symbol.name_path.as_str(), symbol.nth)).collect();
    assert_eq!(ids, [("f", 0), ("f", 1), ("A", 0), ("A/f", 0)]);
    for symbol in &all {
        assert_eq!(reader.symbol_at(&file, &symbol.name_path, symbol.nth).unwrap().as_ref(), Some(symbol));
        assert_eq!(reader.symbol(symbol.id).unwrap().as_ref(), Some(symbol));
    }
    assert_eq!(all[3].parent, Some(all[2].id));
    assert_eq!(reader.symbol_at(&file, "f", 2).unwrap(), None);
    let inner = reader.symbol_around(&file, all[3].name_range.start).unwrap().unwrap();
    assert_eq!(inner.name_path, "A/f");
    let hits = reader
        .symbols(&SymbolLookup { name: "f".to_owned(), ..SymbolLookup::default() }, &Cancel::new())
        .unwrap();
    let hits: Vec<u32> =
        hits.iter().filter(|hit| hit.symbol.name_path == "f").map(|hit| hit.symbol.nth).collect();
    assert_eq!(hits, [0, 1]);
}
