//! What grammars do not know, and outlines have all the same.

use orienteer_base::question::Strictness;
use orienteer_base::{Cancel, Language};
use orienteer_syntax::facts::examine;
use orienteer_syntax::{Limits, dissect};

use crate::support::{outline, outline_of, try_find};

const SOURCE: &str = "\
static int __init setup(void)
{
	return first();
}

static noinline struct page * __ref
take(struct zone *zone, char __user *buffer)
{
	return container_of(zone, struct node, zones);
}

API void INIT leave(int code);
int limit __read_mostly = 5;
static const char names[] __initconst = \"a\";
";

#[test]
fn words_of_a_preprocessor_are_no_names() {
    for word in ["c", "cpp"] {
        outline(
            word,
            SOURCE,
            &["function setup", "function take", "function leave", "variable limit", "variable names"],
        );
    }
    let outline = outline_of("c", SOURCE);
    // What is told is what is written.
    let signatures: Vec<_> = outline.symbols.iter().map(|symbol| symbol.signature.as_str()).collect();
    assert_eq!(signatures[0], "static int __init setup(void)");
    assert_eq!(&SOURCE[outline.symbols[3].range.clone()], "int limit __read_mostly = 5;");
    let c = Language::by_word("c").unwrap();
    let examined = examine(SOURCE, c, &Limits::default(), &Cancel::new()).unwrap();
    assert_eq!(examined.facts[0].calls, ["first"]);
    assert_eq!(examined.facts[1].calls, ["container_of"]);
}

const TYPES: &str = "\
export interface Cache<in out Key, out Value = never> {
  get(key: Key): Value
}

export declare const head: {
  /** Of a text. */
  (self: string): string
  /** Of a list. */
  <A>(self: Array<A>): A
  <
    const B extends string
  >(self: B): B
}

export function last(): void {
  return first(1)
}
";

#[test]
fn members_without_semicolons_do_not_run_into_each_other() {
    outline("typescript", TYPES, &["interface Cache", "method Cache/get", "constant head", "function last"]);
    let signature = &outline_of("typescript", TYPES).symbols[0].signature;
    assert_eq!(signature, "export interface Cache<in out Key, out Value = never>");
}

#[test]
fn a_pattern_finds_its_place_behind_them() {
    let found = try_find("typescript", "first($A)", Strictness::Smart, TYPES).unwrap();
    let places: Vec<usize> = found.iter().map(|one| one.range.start).collect();
    assert_eq!(places, [TYPES.find("first(1)").unwrap()]);
}

#[test]
fn whoever_looks_for_errors_sees_what_is_written() {
    let c = Language::by_word("c").unwrap();
    let wrong = "int f(void)\n{\n\tint first second = 5;\n\treturn first;\n}\n";
    assert!(!outline_of("c", wrong).has_errors, "the outline does not stumble over it");
    let dissected = dissect(wrong, c, None, &Limits::default(), &Cancel::new()).unwrap();
    assert_eq!(dissected.errors.len(), 1, "an edit that writes this is told");
    assert_eq!(&wrong[dissected.errors[0].range.clone()], "first");
}

#[test]
fn definitions_of_an_outline_can_be_taken_apart() {
    let c = Language::by_word("c").unwrap();
    let name_at = SOURCE.find("take").unwrap();
    let dissected = dissect(SOURCE, c, Some(name_at), &Limits::default(), &Cancel::new()).unwrap();
    let anatomy = dissected.anatomy.unwrap();
    assert_eq!(anatomy.symbol.name, "take");
    assert!(SOURCE[anatomy.symbol.range.clone()].starts_with("static noinline struct page * __ref\ntake("));
    assert!(SOURCE[anatomy.symbol.range].ends_with("zones);\n}"));
}
