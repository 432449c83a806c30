//! What is known about definitions in JavaScript, TypeScript, Python and Ruby.

use orienteer_syntax::facts::{Field, Visibility};

use crate::facts::{Of, agrees, examined, parameters};

pub(crate) const TYPESCRIPT: &str = r#"import fs, { readFile as rf, type Options } from "node:fs";
import * as path from 'path';
import "./side";
const lib = require("lib");
export { a, b as c } from "./other";
export * from "./all";

/** Keeps items. */
@Injectable({ scope: "root" })
export class Store<T> extends Base<T> implements One, ns.Two {
  @Input() private readonly name?: string = load();
  #secret = 1;
  /**
   * Runs.
   */
  @Log("x")
  protected async *run(key: string, { low, high: top }: Options = {}, ...rest: number[]): AsyncGenerator<Item> {
    const { x, y: [z] } = this.state;
    this.count += 1;
    this.items[x] = key ?? top;
    globalThing = 4;
    if (key && x) { throw new TypeError("x"); } else if (low) { yield z; }
    for (const each of list) { while (true) {} }
    switch (key) { case "a": break; default: }
    const v = x ? fs.readFile(key) : this.load<Item>(x)!.then(y => y.z());
    new ns.Thing(v); lib?.call?.(MAX_SIZE);
    return { x, other: shared };
  }
}

export const arrow = async (p: number, q = 3): Promise<void> => { first(p) };
function helper() {}
interface Plain extends J, K<T> { m(a: string): void }
export default helper;
"#;

#[test]
fn typescript() {
    let all = examined("typescript", TYPESCRIPT);
    agrees("typescript", &all, &[]);
    assert_eq!(
        all.imported(),
        ["node:fs: fs readFile Options", "path", "./side", "lib", "./other: a b", "./all: *"]
    );
    assert_eq!(all.exports, ["a", "c", "Store", "arrow", "default", "helper"]);
    let store = all.of("Store");
    assert_eq!(store.doc.as_deref(), Some("Keeps items."));
    assert_eq!(store.visibility, Some(Visibility::Public));
    assert_eq!(store.decorators, ["Injectable"]);
    assert_eq!(store.extends, ["Base", "One", "ns.Two"]);
    assert_eq!(all.of("Store/name").visibility, Some(Visibility::Private));
    assert_eq!(all.of("Store/name").decorators, ["Input"]);
    assert_eq!(all.of("Store/#secret").visibility, Some(Visibility::Private));
    assert_eq!(all.of("Plain").visibility, Some(Visibility::Private));
    assert_eq!(all.of("Plain").extends, ["J", "K"]);
    assert_eq!(all.of("Plain/m").return_type.as_deref(), Some("void"));
    // Exported by name, further down.
    assert_eq!(all.of("helper").visibility, Some(Visibility::Public));
    let arrow = all.of("arrow");
    assert!(arrow.is_async && !arrow.is_generator);
    assert_eq!(parameters(arrow), ["p: number", "q"]);
    assert_eq!(
        (arrow.return_type.as_deref(), arrow.visibility),
        (Some("Promise<void>"), Some(Visibility::Public))
    );

    let run = all.of("Store/run");
    assert_eq!(run.doc.as_deref(), Some("Runs."));
    assert_eq!(run.visibility, Some(Visibility::Protected));
    assert!(run.is_async && run.is_generator);
    assert_eq!(run.decorators, ["Log"]);
    assert_eq!(parameters(run), ["key: string", "{ low, high: top }: Options", "rest: number[]"]);
    assert_eq!(run.return_type.as_deref(), Some("AsyncGenerator<Item>"));
    assert_eq!(run.calls, ["TypeError", "fs.readFile", "this.load", "then", "y.z", "ns.Thing", "lib.call"]);
    assert_eq!(run.uses, ["Options", "AsyncGenerator", "Item", "TypeError", "Thing", "MAX_SIZE"]);
    assert_eq!(run.throws, ["TypeError"]);
    assert_eq!(run.reads, ["this.state", "list", "fs", "ns", "lib", "shared"]);
    assert_eq!(run.writes, ["this.count", "this.items", "globalThing"]);
    // `??`, two `if`, `&&`, one case, `?:`.
    assert_eq!((run.branches, run.loops), (6, 2));
}

pub(crate) const JAVASCRIPT: &str = r#"const fs = require('fs');

// Runs it.
async function* run(a, b = 2, ...rest) {
  this.count = a;
  if (a || b) throw new RangeError('x');
  for (let i = 0; i < LIMIT; i++) yield shared.go();
  await import('./late.js');
}

class Store extends Base {
  @log keep() { return <Item key={top}><div /></Item>; }
}

module.exports = { run, other: 1 };
exports.late = run;
"#;

#[test]
fn javascript() {
    let all = examined("javascript", JAVASCRIPT);
    // There are no types to return.
    agrees("javascript", &all, &[Field::ReturnType]);
    assert_eq!(all.imported(), ["fs", "./late.js"]);
    assert_eq!(all.exports, ["run", "other", "late"]);
    let run = all.of("run");
    assert_eq!(run.doc.as_deref(), Some("Runs it."));
    assert_eq!(run.visibility, Some(Visibility::Public));
    assert!(run.is_async && run.is_generator);
    assert_eq!(parameters(run), ["a", "b", "rest"]);
    assert_eq!(run.calls, ["RangeError", "shared.go", "import"]);
    assert_eq!(
        (&run.throws[..], &run.uses[..]),
        (&["RangeError".to_owned()][..], &["RangeError".to_owned(), "LIMIT".to_owned()][..])
    );
    assert_eq!(
        (run.reads.clone(), run.writes.clone()),
        (vec!["shared".to_owned()], vec!["this.count".to_owned()])
    );
    assert_eq!((run.branches, run.loops), (2, 1));
    assert_eq!(all.of("Store").extends, ["Base"]);
    assert_eq!(all.of("Store").visibility, Some(Visibility::Private));
    let keep = all.of("Store/keep");
    assert_eq!(keep.decorators, ["log"]);
    // Elements of the page are not names of ours.
    assert_eq!((keep.uses.clone(), keep.reads.clone()), (vec!["Item".to_owned()], vec!["top".to_owned()]));
}

pub(crate) const PYTHON: &str = r#""""The store."""
import os, sys as system
from a.b import c as d, e
from . import x
from .y import *

__all__ = ["Store", "run"]
LIMIT = compute()


# Not the documentation, which is inside.
@decorator.name(1)
@other
class Store(Base, typing.Generic[T], metaclass=Meta):
    """Keeps items."""

    field: int = 3

    @property
    async def run(self, a: int, b="x", *args, c: List[str] = None, **kw) -> Dict[str, Item]:
        '''Runs.

        Twice.'''
        global counter
        counter = 1
        self.items[a] = b
        self.x, y = a.first().second(), LIMIT
        y += shared
        if a and b or c: raise ValueError("x") from kw
        elif b: raise errors.Missing
        for i, j in self.rows: pass
        while True: break
        z = [q for q in rows if q]
        w = a if b else call(key=val)
        with open(y) as f: yield f.read()
        match a:
            case Point(x=0): pass
        try: go()
        except (KeyError, OSError) as err: raise
        return lambda m: m + z + w


def _hidden(): pass
"#;

#[test]
fn python() {
    let all = examined("python", PYTHON);
    agrees("python", &all, &[]);
    assert_eq!(all.outside.doc.as_deref(), Some("The store."));
    assert_eq!(all.imported(), ["os", "sys", "a.b: c e", ".: x", ".y: *"]);
    assert_eq!(all.exports, ["Store", "run"]);
    assert_eq!(all.of("LIMIT").calls, ["compute"]);
    let store = all.of("Store");
    assert_eq!(store.doc.as_deref(), Some("Keeps items."));
    assert_eq!(store.decorators, ["decorator.name", "other"]);
    assert_eq!(store.extends, ["Base", "typing.Generic"]);
    assert_eq!(all.of("_hidden").visibility, Some(Visibility::Private));

    let run = all.of("Store/run");
    assert_eq!(run.doc.as_deref(), Some("Runs.\n\nTwice."));
    assert_eq!(run.visibility, Some(Visibility::Public));
    assert!(run.is_async && run.is_generator);
    assert_eq!(run.decorators, ["property"]);
    assert_eq!(parameters(run), ["self", "a: int", "b", "args", "c: List[str]", "kw"]);
    assert_eq!(run.return_type.as_deref(), Some("Dict[str, Item]"));
    assert_eq!(run.calls, ["a.first", "second", "ValueError", "call", "open", "f.read", "go"]);
    assert_eq!(run.uses, ["List", "Dict", "Item", "LIMIT", "ValueError", "Point", "KeyError", "OSError"]);
    assert_eq!(run.throws, ["ValueError", "errors.Missing"]);
    assert_eq!(run.reads, ["shared", "errors.Missing", "self.rows", "rows", "val"]);
    assert_eq!(run.writes, ["counter", "self.items", "self.x"]);
    // `if`, `and`, `or`, `elif`, the `if` of the comprehension and the conditional, one case, one handler.
    assert_eq!((run.branches, run.loops), (8, 3));
}

#[test]
fn python_exports_what_is_public_where_nothing_is_listed() {
    let all = examined("python", "import a\nB = 1\n_c = 2\ndef d(): pass\nclass _E: pass\n");
    assert_eq!(all.exports, ["B", "d"]);
}

pub(crate) const RUBY: &str = r##"require "json"
require_relative './x'

# Keeps items.
# Forever.
class Store < Base::Thing
  include Comparable, Enumerable
  LIMIT = 5
  attr_reader :name

  # Runs.
  def run(a, b = 1, *rest, key:, opt: 2, **kw, &block)
    @count += 1
    @items[a] = LIMIT
    x, @y = a.first.second(1), helper
    self.other = 3
    $glob = x
    if a && b || opt then raise ArgumentError, "x" elsif key then raise Broken::Pipe.new("x") end
    for i in rest do puts i end
    while true do break end
    rest.each { |q| q.go(shared) }
    case a
    when 1 then 2
    else 4
    end
    t = a ? b : rest
    y = t unless kw
    begin
      go(y)
    rescue IOError => e
      log(e)
    end
    "#{interp(x)}"
  end

  private

  def secret; end

  public

  def self.make(x) = new(x)

  protected def guarded; end
  private_class_method :make
end
"##;

#[test]
fn ruby() {
    let all = examined("ruby", RUBY);
    // Ruby declares no types to return, has no attributes, and its `yield` calls a block.
    agrees("ruby", &all, &[Field::Async, Field::Generator, Field::Decorators, Field::ReturnType]);
    assert_eq!(all.imported(), ["json", "./x"]);
    assert_eq!(all.exports, ["Store"]);
    let store = all.of("Store");
    assert_eq!(store.doc.as_deref(), Some("Keeps items.\nForever."));
    assert_eq!(store.extends, ["Base::Thing", "Comparable", "Enumerable"]);
    assert_eq!(all.of("Store/secret").visibility, Some(Visibility::Private));
    assert_eq!(all.of("Store/make").visibility, Some(Visibility::Private));
    assert_eq!(all.of("Store/guarded").visibility, Some(Visibility::Protected));

    let run = all.of("Store/run");
    assert_eq!(run.doc.as_deref(), Some("Runs."));
    assert_eq!(run.visibility, Some(Visibility::Public));
    assert_eq!(parameters(run), ["a", "b", "rest", "key", "opt", "kw", "block"]);
    assert_eq!(
        run.calls,
        ["a.first.second", "raise", "Broken::Pipe.new", "puts", "rest.each", "q.go", "go", "log", "interp"]
    );
    assert_eq!(run.uses, ["LIMIT", "ArgumentError", "Broken", "Pipe", "IOError"]);
    assert_eq!(run.throws, ["ArgumentError", "Broken::Pipe"]);
    assert_eq!(run.reads, ["a.first", "helper", "shared"]);
    assert_eq!(run.writes, ["@count", "@items", "@y", "self.other", "$glob"]);
    // `if`, `&&`, `||`, `elsif`, one `when`, `?:`, `unless`, one handler.
    assert_eq!((run.branches, run.loops), (8, 2));
}

#[test]
fn code_in_strings_of_python_counts_where_it_is_code() {
    let text = "def run():\n    return f'{first(1)}' + rf\"{second(2)}\" + '{third(3)}' + b'{fourth(4)}'\n";
    let examined = examined("python", text);
    assert_eq!(examined.facts[0].calls, ["first", "second"]);
}
