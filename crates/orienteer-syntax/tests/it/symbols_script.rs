//! Outlines of scripting languages.

use crate::support::outline;

#[test]
fn typescript() {
    let text = r##"export interface Shape { readonly name: string; area(): number; "quoted": 1 }
export type Id = string | number;
export enum Color { Red, Green = 2 }
export abstract class Point<T> extends Base implements Shape {
  static count = 0;
  private x: number;
  handler = (e: Event) => { const inner = 1; };
  constructor(private y: number) { super(); }
  area(): number { const local = 1; function nested() {} return 0; }
  abstract draw(): void;
  get size() { return 1; }
}
export const add = (a: number, b: number): number => { return a + b; };
const LIMIT = 10;
let counter = 0, other = 1;
export const api = { get() { return 1 }, post: async () => {}, plain: 1 };
namespace Util { export function help() {} }
declare module "ext" { export function f(): void; }
export default function main() {}
declare const VERSION: string;
const Anon = class { m() {} };
function overload(a: string): void;
"##;
    outline(
        "typescript",
        text,
        &[
            "interface Shape",
            "property Shape/name",
            "method Shape/area",
            "property Shape/quoted",
            "type_alias Id",
            "enum Color",
            "enum_member Color/Red",
            "enum_member Color/Green",
            "class Point",
            "property Point/count",
            "property Point/x",
            "method Point/handler",
            "constructor Point/constructor",
            "method Point/area",
            "function Point/area/nested",
            "method Point/draw",
            "method Point/size",
            "function add",
            "constant LIMIT",
            "variable counter",
            "variable other",
            "constant api",
            "method api/get",
            "method api/post",
            "namespace Util",
            "function Util/help",
            "module ext",
            "function ext/f",
            "function main",
            "constant VERSION",
            "class Anon",
            "method Anon/m",
            "function overload",
        ],
    );
}

#[test]
fn tsx() {
    let text = r##"export function App({ a }: Props) { const [s, set] = useState(0); const click = () => {}; return <div onClick={() => { const z = 1; }}>{a}</div>; }
const Button: React.FC<Props> = ({ label }) => <button>{label}</button>;
"##;
    outline("tsx", text, &["function App", "function App/click", "function Button"]);
}

#[test]
fn javascript() {
    let text = r##"class A { #p = 1; static s = 2; m() {} run = () => {}; }
function* gen() {}
exports.open = function (x) { return x; };
A.prototype.close = function () {};
const { a, b } = require('x');
var legacy = function () {};
(function () { const hidden = 1; function seen() {} })();
describe('x', () => { const local = 1; });
"##;
    outline(
        "javascript",
        text,
        &[
            "class A",
            "property A/#p",
            "property A/s",
            "method A/m",
            "method A/run",
            "function gen",
            "function open",
            "method A/close",
            "function legacy",
            "function seen",
        ],
    );
}

#[test]
fn python() {
    let text = r##""""doc"""
import os
LIMIT = 10
name: str = "x"
type Alias = int
class Point(Base):
    x: int = 0
    KIND = 1
    def __init__(self, x):
        self.x = x
        local = 1
    @property
    def area(self) -> int:
        def nested():
            pass
        return 1
@decorated(1)
async def top(a,
        b=2):
    y = 1
if True:
    name = 2
    flag = 3
"##;
    outline(
        "python",
        text,
        &[
            "constant LIMIT",
            "variable name",
            "type_alias Alias",
            "class Point",
            "field Point/x",
            "constant Point/KIND",
            "method Point/__init__",
            "method Point/area",
            "function Point/area/nested",
            "function top",
            "variable flag",
        ],
    );
}

#[test]
fn ruby() {
    let text = r##"module App
  LIMIT = 10
  class User < Base
    attr_accessor :name, :age
    def initialize(name)
      @name = name
    end
    def full_name = @name
    def self.build(x)
      local = 1
    end
    class << self
      def make; end
    end
  end
end
def top(a)
end
"##;
    outline(
        "ruby",
        text,
        &[
            "module App",
            "constant App/LIMIT",
            "class App/User",
            "property App/User/name",
            "property App/User/age",
            "constructor App/User/initialize",
            "method App/User/full_name",
            "method App/User/build",
            "method App/User/make",
            "function top",
        ],
    );
}

#[test]
fn php() {
    let text = r##"<?php
namespace App\Models;
const LIMIT = 10, B = 2;
interface Shape { public function area(): float; }
trait Loud { public function shout() {} }
abstract class Point implements Shape {
  const ORIGIN = 0;
  public int $x = 1, $y;
  public function __construct(private int $z) {}
  public static function make(): self { $local = 1; }
}
enum Suit: string { case Hearts = 'H'; }
function top($a) { return fn($x) => $x; }
define('OTHER', 1);
"##;
    outline(
        "php",
        text,
        &[
            "namespace App\\Models",
            "constant LIMIT",
            "constant B",
            "interface Shape",
            "method Shape/area",
            "trait Loud",
            "method Loud/shout",
            "class Point",
            "constant Point/ORIGIN",
            "property Point/x",
            "property Point/y",
            "constructor Point/__construct",
            "method Point/make",
            "enum Suit",
            "enum_member Suit/Hearts",
            "function top",
        ],
    );
}

#[test]
fn lua() {
    let text = r##"local M = {}
LIMIT = 10
local function helper(a) local inner = 1 return a end
function M.open(path) end
function M:close() end
M.run = function(x) end
local cb = function() end
local t = { a = 1, go = function() end }
"##;
    outline(
        "lua",
        text,
        &[
            "variable M",
            "variable LIMIT",
            "function helper",
            "method M/open",
            "method M/close",
            "method M/run",
            "function cb",
            "variable t",
            "method t/go",
        ],
    );
}

#[test]
fn bash() {
    let text = r##"LIMIT=10
export PATH2=abc
readonly X=1
greet() { local name=1; echo hi; }
function other { y=2; }
declare -A map
alias ll='ls'
"##;
    outline(
        "bash",
        text,
        &["variable LIMIT", "variable PATH2", "constant X", "function greet", "function other"],
    );
}

#[test]
fn elixir() {
    let text = r##"defmodule App.User do
  @limit 10
  defstruct [:name]
  def full(name), do: name
  def guarded(x) when x > 1 do
    x
  end
  defp hidden do
    1
  end
  defmacro mac(x) do
    x
  end
end
defprotocol Shape do
  def area(x)
end
"##;
    outline(
        "elixir",
        text,
        &[
            "module App.User",
            "function App.User/full",
            "function App.User/guarded",
            "function App.User/hidden",
            "macro App.User/mac",
            "interface Shape",
            "method Shape/area",
        ],
    );
}
