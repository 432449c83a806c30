//! What is known about definitions in Rust, Go, C and C++.

use orienteer_syntax::facts::{Field, Visibility};

use crate::facts::{Of, agrees, examined, parameters};

pub(crate) const RUST: &str = r#"//! The store.

use std::collections::{HashMap as Map, hash_map::Entry};
pub use crate::model::Item;

/// Keeps items.
///
/// Forever.
#[derive(Debug, Clone)]
#[serde(rename_all = "camelCase")]
pub struct Store<T: Clone> {
    /// All of them.
    pub items: Vec<T>,
    count: usize,
}

pub(crate) trait Keep: Sized + Send {
    fn keep(&self) -> String;
}

impl<T: Clone> Keep for Store<T> {
    fn keep(&self) -> String { String::new() }
}

impl<T: Clone> Store<T> {
    // Not documentation.
    #[must_use]
    pub async fn find(&mut self, key: &str, (low, high): (u8, u8)) -> Result<Vec<T>, Problem> {
        let Some(found) = self.items.iter().find(|item| item.matches(key)) else {
            return Err(Problem::Missing);
        };
        self.count += 1;
        self.items[0] = found.clone();
        if low > MAX && high < 3 || GLOBAL.load() { panic!("no {}", self.describe(low)); }
        for at in low..high { while at < 3 { limit = at; } }
        let made = Vec::<u8>::with_capacity(3);
        match shared { Kind::One => helper(), _ => made.first().copied().unwrap() }
        Err(Problem::new("x"))
    }
}

pub const LIMIT: usize = compute();
pub enum Kind { One, Two(u8) }
"#;

#[test]
fn rust() {
    let all = examined("rust", RUST);
    // Nothing in stable Rust is a generator.
    agrees("rust", &all, &[Field::Generator]);
    assert_eq!(all.outside.doc.as_deref(), Some("The store."));
    assert_eq!(
        all.imported(),
        ["std::collections: HashMap", "std::collections::hash_map: Entry", "crate::model: Item"]
    );
    assert_eq!(all.exports, ["Item", "Store", "LIMIT", "Kind"]);

    let store = all.of("Store");
    assert_eq!(store.doc.as_deref(), Some("Keeps items.\n\nForever."));
    assert_eq!(store.visibility, Some(Visibility::Public));
    assert_eq!(store.decorators, ["derive", "serde"]);
    assert_eq!(store.extends, ["Debug", "Clone", "Keep"]);
    assert_eq!(all.of("Store/items").doc.as_deref(), Some("All of them."));
    assert_eq!(all.of("Store/items").visibility, Some(Visibility::Public));
    assert_eq!(all.of("Store/count").visibility, Some(Visibility::Private));
    assert_eq!(all.of("Keep").visibility, Some(Visibility::Internal));
    assert_eq!(all.of("Keep").extends, ["Sized", "Send"]);
    assert_eq!(all.of("Keep/keep").visibility, Some(Visibility::Internal));
    // As visible as the trait, which may be anywhere.
    assert_eq!(all.of("Store/keep").visibility, None);
    assert_eq!(all.of("Kind/Two").visibility, Some(Visibility::Public));
    assert_eq!(all.of("LIMIT").calls, ["compute"]);

    let find = all.of("Store/find");
    assert_eq!(find.doc, None);
    assert_eq!(find.visibility, Some(Visibility::Public));
    assert!(find.is_async && !find.is_generator);
    assert_eq!(find.decorators, ["must_use"]);
    assert_eq!(parameters(find), ["self", "key: &str", "(low, high): (u8, u8)"]);
    assert_eq!(find.return_type.as_deref(), Some("Result<Vec<T>, Problem>"));
    assert_eq!(
        find.calls,
        [
            "self.items.iter",
            "find",
            "item.matches",
            "found.clone",
            "GLOBAL.load",
            "panic!",
            "self.describe",
            "Vec::with_capacity",
            "helper",
            "made.first",
            "copied",
            "unwrap",
            "Problem::new"
        ]
    );
    assert_eq!(find.uses, ["Result", "Vec", "Problem", "Missing", "MAX", "GLOBAL", "Kind", "One"]);
    assert_eq!(find.throws, ["Problem::Missing", "panic!", "Problem::new"]);
    assert_eq!(find.reads, ["self.items", "shared"]);
    assert_eq!(find.writes, ["self.count", "self.items", "limit"]);
    // The `if`, `&&`, `||` and two arms.
    assert_eq!((find.branches, find.loops), (5, 2));
}

#[test]
fn rust_documentation_has_many_forms() {
    let text = "mod a {\n    //! Inside.\n}\n/** Block.\n * More. */\nfn b() {}\n#[doc = \"Attribute.\"]\nfn c() {}\n//// none\nfn d() {}\n";
    let all = examined("rust", text);
    assert_eq!(all.of("a").doc.as_deref(), Some("Inside."));
    assert_eq!(all.of("b").doc.as_deref(), Some("Block.\nMore."));
    assert_eq!(all.of("c").doc.as_deref(), Some("Attribute."));
    assert_eq!(all.of("d").doc, None);
}

#[test]
fn rust_macros_are_looked_into() {
    let text = "fn a() { assert_eq!(self.items.len(), Limits::MAX); println!(\"{}\", shared); }\n";
    let facts = examined("rust", text).of("a").clone();
    assert_eq!(facts.calls, ["assert_eq!", "self.items.len", "println!"]);
    assert_eq!(facts.uses, ["Limits", "MAX"]);
    assert_eq!(facts.reads, ["self.items", "shared"]);
}

pub(crate) const GO: &str = r#"// Package store keeps things.
package store

import (
	"fmt"
	str "strings"
	. "math"
)

// Store keeps items.
type Store struct {
	Base
	*other.Pointer
	// Items are kept.
	Items []string
	count int
}

type Reader interface {
	io.Closer
	Read(p []byte) (n int, err error)
}

// Run runs.
//
//go:noinline
func (s *Store) Run(ctx context.Context, a, b int, rest ...string) (map[string]Item, error) {
	x := make([]byte, 10)
	var y, z int = 1, 2
	s.count++
	s.Items[a] = "x"
	global = y
	if a > MaxSize && b > z || x == nil {
		panic("no")
	} else if a == 0 {
		return nil, fmt.Errorf("x")
	}
	for i, v := range s.Items {
		str.ToUpper(v, i, shared)
	}
	switch a {
	case 1:
		helper()
	default:
	}
	p := &Config{Name: y}
	p.First().Second()
	return nil, nil
}

var unused = compute()
"#;

#[test]
fn go() {
    let all = examined("go", GO);
    // Goroutines are calls; attributes and generators do not exist.
    agrees("go", &all, &[Field::Async, Field::Generator, Field::Decorators]);
    assert_eq!(all.imported(), ["fmt", "strings", "math: *"]);
    assert_eq!(all.exports, ["Store", "Reader"]);
    assert_eq!(all.of("store").doc.as_deref(), Some("Package store keeps things."));
    assert_eq!(all.of("Store").doc.as_deref(), Some("Store keeps items."));
    assert_eq!(all.of("Store").extends, ["Base", "other.Pointer"]);
    assert_eq!(all.of("Store/Items").visibility, Some(Visibility::Public));
    assert_eq!(all.of("Store/count").visibility, Some(Visibility::Internal));
    assert_eq!(all.of("Reader").extends, ["io.Closer"]);
    assert_eq!(all.of("unused").calls, ["compute"]);

    let run = all.of("Store/Run");
    assert_eq!(run.doc.as_deref(), Some("Run runs."));
    assert_eq!(run.visibility, Some(Visibility::Public));
    assert_eq!(parameters(run), ["ctx: context.Context", "a: int", "b: int", "rest: ...string"]);
    assert_eq!(run.return_type.as_deref(), Some("(map[string]Item, error)"));
    assert_eq!(run.calls, ["make", "panic", "fmt.Errorf", "str.ToUpper", "helper", "p.First", "Second"]);
    assert_eq!(run.uses, ["Store", "Context", "Item", "MaxSize", "Config"]);
    assert_eq!(run.throws, ["panic"]);
    assert_eq!(run.reads, ["MaxSize", "fmt", "s.Items", "str", "shared"]);
    assert_eq!(run.writes, ["s.count", "s.Items", "global"]);
    // Two `if`, `&&`, `||`, one case.
    assert_eq!((run.branches, run.loops), (5, 1));
}

pub(crate) const C: &str = r#"#include <stdio.h>
#include "store.h"

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

/* Finds an item. */
__attribute__((noinline)) static struct item *find(struct store *s, const char *keys[], unsigned long n, void (*seen)(int)) {
    int x = limit, *y;
    s->count++;
    s->items[x] = MAX_ITEMS;
    total += n;
    if (x && y || other) {
        seen(x);
    } else if (strcmp(keys[0], s->name) == 0) {
        return NULL;
    }
    for (int i = 0; i < n; i++) {}
    while (1) {}
    do {} while (0);
    switch (x) {
    case 1: break;
    default: break;
    }
    return x ? lookup(s)->first : (struct item *)y;
}

struct store {
    int count;
};

int store_size(void);
"#;

#[test]
fn c() {
    let all = examined("c", C);
    // C has neither coroutines nor exceptions nor base types.
    agrees("c", &all, &[Field::Async, Field::Generator, Field::Extends, Field::Throws]);
    assert_eq!(all.imported(), ["stdio.h", "store.h"]);
    assert_eq!(all.exports, ["LARGER", "store", "store_size"]);
    assert_eq!(parameters(all.of("LARGER")), ["a", "b"]);
    assert!(all.of("store_size").parameters.is_empty());
    assert_eq!(all.of("store/count").visibility, Some(Visibility::Public));

    let find = all.of("find");
    assert_eq!(find.doc.as_deref(), Some("Finds an item."));
    assert_eq!(find.visibility, Some(Visibility::Private));
    assert_eq!(find.decorators, ["noinline"]);
    assert_eq!(
        parameters(find),
        ["s: struct store *", "keys: const char *[]", "n: unsigned long", "seen: void (*)(int)"]
    );
    assert_eq!(find.return_type.as_deref(), Some("struct item *"));
    assert_eq!(find.calls, ["seen", "strcmp", "lookup"]);
    assert_eq!(find.uses, ["item", "store", "MAX_ITEMS"]);
    assert_eq!(find.reads, ["limit", "other", "s->name", "first"]);
    assert_eq!(find.writes, ["s->count", "s->items", "total"]);
    // Two `if`, `&&`, `||`, one case, `?:`.
    assert_eq!((find.branches, find.loops), (6, 3));
}

pub(crate) const CPP: &str = r#"#include <vector>

/// Keeps items.
template <typename T>
class [[nodiscard]] Store : public Base<T>, private ns::Other {
    int hidden;
public:
    Store(int x) : count(x), base(make()) {}
    /** Runs. */
    std::vector<T> run(int a, T&& b) {
        auto made = new Item<int>(4);
        this->count = a;
        if (a && made) throw std::runtime_error("x");
        for (auto &each : items) { each.go(); }
        try { first().second(); } catch (const Failure &e) { log::write(Color::Red, shared); }
        co_yield a;
        co_await b;
    }
protected:
    int count = 0;
};

struct Open { int seen; };

void ns::Store::away() {}
"#;

#[test]
fn cpp() {
    let all = examined("cpp", CPP);
    agrees("cpp", &all, &[]);
    assert_eq!(all.imported(), ["vector"]);
    assert_eq!(all.exports, ["Store", "Open"]);
    assert_eq!(all.of("Store").doc.as_deref(), Some("Keeps items."));
    assert_eq!(all.of("Store").decorators, ["nodiscard"]);
    assert_eq!(all.of("Store").extends, ["Base", "ns::Other"]);
    assert_eq!(all.of("Store/hidden").visibility, Some(Visibility::Private));
    assert_eq!(all.of("Store/Store").visibility, Some(Visibility::Public));
    assert_eq!(all.of("Store/Store").calls, ["make"]);
    assert_eq!(all.of("Store/count").visibility, Some(Visibility::Protected));
    assert_eq!(all.of("Open/seen").visibility, Some(Visibility::Public));
    assert_eq!(all.of("ns/Store/away").return_type.as_deref(), Some("void"));

    let run = all.of("Store/run");
    assert_eq!(run.doc.as_deref(), Some("Runs."));
    assert_eq!(run.visibility, Some(Visibility::Public));
    assert!(run.is_async && run.is_generator);
    assert_eq!(parameters(run), ["a: int", "b: T&&"]);
    assert_eq!(run.return_type.as_deref(), Some("std::vector<T>"));
    assert_eq!(run.calls, ["Item", "std::runtime_error", "each.go", "first", "second", "log::write"]);
    assert_eq!(run.uses, ["vector", "Item", "Failure", "Color", "Red"]);
    assert_eq!(run.throws, ["std::runtime_error"]);
    assert_eq!(run.reads, ["items", "shared"]);
    assert_eq!(run.writes, ["this->count"]);
    // The `if`, `&&` (not the reference), the handler.
    assert_eq!((run.branches, run.loops), (3, 1));
}
