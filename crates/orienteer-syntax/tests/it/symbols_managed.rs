//! Outlines of languages with a runtime, and of those that are none of the usual.

use crate::support::outline;

#[test]
fn java() {
    let text = r##"package com.example.app;
public class Point<T> implements Shape {
  public static final int MAX = 1;
  private int x, y;
  public Point(int x) { this.x = x; }
  @Override
  public double area() { int local = 1; return 0; }
  static class Inner { void deep() {} }
}
interface Shape { int ONE = 1; double area(); }
enum Color { RED, GREEN; int code; }
record Pair(int a, int b) {}
@interface Marker { String value(); }
"##;
    outline(
        "java",
        text,
        &[
            "package com.example.app",
            "class Point",
            "constant Point/MAX",
            "field Point/x",
            "field Point/y",
            "constructor Point/Point",
            "method Point/area",
            "class Point/Inner",
            "method Point/Inner/deep",
            "interface Shape",
            "constant Shape/ONE",
            "method Shape/area",
            "enum Color",
            "enum_member Color/RED",
            "enum_member Color/GREEN",
            "field Color/code",
            "class Pair",
            "interface Marker",
            "method Marker/value",
        ],
    );
}

#[test]
fn csharp() {
    let text = r##"namespace App;
public delegate int Op(int a);
public interface IShape { double Area(); string Name { get; } }
public class Point<T> : IShape {
  public const int Max = 1;
  private int x, y;
  public Point(int x) { this.x = x; }
  ~Point() {}
  public double Area() { int local = 1; int Inner() { return 1; } return 0; }
  public string Name { get; set; }
  public event Action Changed;
  public int this[int i] => i;
  public static Point operator +(Point a, Point b) => a;
}
public struct S {}
public record R(int A);
public enum Color { Red, Green = 2 }
namespace Old { class C {} }
"##;
    outline(
        "csharp",
        text,
        &[
            "namespace App",
            "type_alias Op",
            "interface IShape",
            "method IShape/Area",
            "property IShape/Name",
            "class Point",
            "constant Point/Max",
            "field Point/x",
            "field Point/y",
            "constructor Point/Point",
            "method Point/~Point",
            "method Point/Area",
            "function Point/Area/Inner",
            "property Point/Name",
            "property Point/Changed",
            "struct S",
            "class R",
            "enum Color",
            "enum_member Color/Red",
            "enum_member Color/Green",
            "namespace Old",
            "class Old/C",
        ],
    );
}

#[test]
fn kotlin() {
    let text = r##"package com.example.app
typealias Name = String
const val LIMIT = 10
interface Shape {
    fun area(): Double
}
data class Point(val x: Int, y: Int) : Shape {
    private var cached: Int = 0
    constructor(x: Int) : this(x, 0)
    override fun area(): Double {
        val local = 1
        return 0.0
    }
    companion object {
        fun origin() = Point(0, 0)
    }
}
object Registry {
    val items = 1
}
enum class Color { RED, GREEN }
fun String.shout(): String = this
"##;
    outline(
        "kotlin",
        text,
        &[
            "package com.example.app",
            "type_alias Name",
            "constant LIMIT",
            "interface Shape",
            "method Shape/area",
            "class Point",
            "property Point/x",
            "property Point/cached",
            "constructor Point/constructor",
            "method Point/area",
            "class Point/Companion",
            "method Point/Companion/origin",
            "class Registry",
            "property Registry/items",
            "enum Color",
            "enum_member Color/RED",
            "enum_member Color/GREEN",
            "function shout",
        ],
    );
}

#[test]
fn scala() {
    let text = r##"package com.example
trait Shape { def area: Double }
case class Point(x: Int, y: Int) extends Shape {
  val cached = 1
  var other: Int = 2
  def area: Double = { val local = 1; 0.0 }
  type T = Int
}
object Main { def main(args: Array[String]): Unit = {} }
enum Color { case Red, Green
  case Rgb(r: Int) }
given ord: Ordering[Int] = ???
def top(x: Int) = x
"##;
    outline(
        "scala",
        text,
        &[
            "package com.example",
            "trait Shape",
            "method Shape/area",
            "class Point",
            "property Point/cached",
            "property Point/other",
            "method Point/area",
            "type_alias Point/T",
            "class Main",
            "method Main/main",
            "enum Color",
            "enum_member Color/Red",
            "enum_member Color/Green",
            "enum_member Color/Rgb",
            "variable ord",
            "function top",
        ],
    );
}

#[test]
fn dart() {
    let text = r##"library app;
const limit = 10;
typedef Op = int Function(int);
mixin Loud { void shout() {} }
abstract class Shape { double area(); int get width => 1; }
class Point extends Shape { final int x; static const y = 2; Point(this.x); Point.zero() : x = 0; factory Point.f() => Point(1); double area() { var local = 1; return 0; } operator +(o) => o; }
enum Color { red, green }
extension E on String { String twice() => this; }
int top(int a) => a;
void main() { int inner(int a) { return 1; } }
int u = 2, v;
"##;
    outline(
        "dart",
        text,
        &[
            "constant limit",
            "type_alias Op",
            "trait Loud",
            "method Loud/shout",
            "class Shape",
            "method Shape/area",
            "property Shape/width",
            "class Point",
            "field Point/x",
            "field Point/y",
            "constructor Point/Point",
            "constructor Point/zero",
            "constructor Point/f",
            "method Point/area",
            "enum Color",
            "enum_member Color/red",
            "enum_member Color/green",
            "class E",
            "method E/twice",
            "function top",
            "function main",
            "function main/inner",
            "variable u",
            "variable v",
        ],
    );
}

#[test]
fn solidity() {
    let text = r##"pragma solidity ^0.8.0;
interface I { function f() external; }
library L { }
contract C is I {
  uint public total;
  struct S { uint a; }
  enum E { A, B }
  event Done(uint x);
  error Bad();
  modifier only() { _; }
  constructor() {}
  function f() external override { uint local = 1; }
}
function free() {}
"##;
    outline(
        "solidity",
        text,
        &[
            "interface I",
            "method I/f",
            "module L",
            "class C",
            "field C/total",
            "struct C/S",
            "field C/S/a",
            "enum C/E",
            "enum_member C/E/A",
            "enum_member C/E/B",
            "property C/Done",
            "struct C/Bad",
            "method C/only",
            "constructor C/constructor",
            "method C/f",
            "function free",
        ],
    );
}

#[test]
fn haskell() {
    let text = r##"module Main where
data Color = Red | Green { x :: Int } deriving Show
newtype Wrap = Wrap Int
type Name = String
class Shape a where
  area :: a -> Int
instance Shape Color where
  area _ = 1
top :: Int -> Int
top x = x + 1
limit = 10
"##;
    outline(
        "haskell",
        text,
        &[
            "module Main",
            "struct Color",
            "enum_member Color/Red",
            "enum_member Color/Green",
            "field Color/Green/x",
            "struct Wrap",
            "type_alias Name",
            "trait Shape",
            "method Shape/area",
            "function top",
            "function limit",
        ],
    );
}
