//! Outlines of languages compiled to machine code.

use crate::support::outline;

#[test]
fn rust() {
    let text = r##"pub struct Parser<'a> { pub text: &'a str, at: usize }
pub struct Pair(u8, u8);
impl<'a> Parser<'a> {
    const MAX: usize = 1;
    pub fn parse(&mut self) -> Result<(), Error>
    where Self: Sized {
        fn inner() {}
        let x = 1;
    }
}
pub trait Visit { type Out; fn visit(&self) -> u8; fn both(&self) {} }
impl fmt::Display for crate::Kind<u8> { fn fmt(&self) {} }
pub enum Kind { A, B(u8), C { x: u8 } }
const LIMIT: usize = 10;
static NAME: &str = "n";
type Short = Vec<u8>;
macro_rules! hi { () => {}; }
mod inside { pub fn deep() {} impl Thing { fn m() {} } struct Thing; }
union U { a: u8 }
extern "C" { fn puts(s: *const u8); }
"##;
    outline(
        "rust",
        text,
        &[
            "struct Parser",
            "field Parser/text",
            "field Parser/at",
            "struct Pair",
            "constant Parser/MAX",
            "method Parser/parse",
            "function Parser/parse/inner",
            "trait Visit",
            "type_alias Visit/Out",
            "method Visit/visit",
            "method Visit/both",
            "method Kind/fmt",
            "enum Kind",
            "enum_member Kind/A",
            "enum_member Kind/B",
            "enum_member Kind/C",
            "field Kind/C/x",
            "constant LIMIT",
            "variable NAME",
            "type_alias Short",
            "macro hi",
            "module inside",
            "function inside/deep",
            "method inside/Thing/m",
            "struct inside/Thing",
            "union U",
            "field U/a",
            "function puts",
        ],
    );
}

#[test]
fn go() {
    let text = r##"package main
type Point struct { X, Y int; name string }
type Shape interface { Area() float64 }
type ID = string
type Kind int
const (
	A Kind = iota
	B
)
var global, second = 1, 2
func (p *Point) Move(dx int) { local := 1; var l2 int }
func (l List[T]) Len() int { return 0 }
func main() {}
"##;
    outline(
        "go",
        text,
        &[
            "package main",
            "struct Point",
            "field Point/X",
            "field Point/Y",
            "field Point/name",
            "interface Shape",
            "method Shape/Area",
            "type_alias ID",
            "type_alias Kind",
            "constant A",
            "constant B",
            "variable global",
            "variable second",
            "method Point/Move",
            "method List/Len",
            "function main",
        ],
    );
}

#[test]
fn c() {
    let text = r##"#include <x.h>
#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef unsigned int uint;
typedef struct { int x; int *next; } Node;
typedef int (*callback)(int);
struct point { int x, y; void (*draw)(struct point *); };
enum color { RED, GREEN = 2 };
union value { int i; float f; };
static int counter = 0, other;
extern char *names[10];
int add(int a, int b);
static char *dup_string(const char *s) { int local = 1; return 0; }
int (*handler)(int);
"##;
    outline(
        "c",
        text,
        &[
            "macro LIMIT",
            "macro MAX",
            "type_alias uint",
            "struct Node",
            "field Node/x",
            "field Node/next",
            "type_alias callback",
            "struct point",
            "field point/x",
            "field point/y",
            "field point/draw",
            "enum color",
            "enum_member color/RED",
            "enum_member color/GREEN",
            "union value",
            "field value/i",
            "field value/f",
            "variable counter",
            "variable other",
            "variable names",
            "function add",
            "function dup_string",
            "variable handler",
        ],
    );
}

#[test]
fn cpp() {
    let text = r##"namespace geo { namespace in {
template <typename T> class Box : public Base {
 public:
  Box(int x);
  ~Box();
  int size() const { return n; }
  static int count;
  bool operator==(const Box &o) const;
 private:
  int n = 0;
};
}
int helper(int x);
}
using Name = std::string;
geo::in::Box::Box(int x) {}
int Point::area() const { auto f = [] { int q = 1; }; return 0; }
struct Point { int area() const; int &ref(); };
enum class Color { Red };
template <class T> T maxof(T a, T b) { return a; }
concept Small = true;
int &global_ref = x;
"##;
    outline(
        "cpp",
        text,
        &[
            "namespace geo",
            "namespace geo/in",
            "class geo/in/Box",
            "constructor geo/in/Box/Box",
            "method geo/in/Box/~Box",
            "method geo/in/Box/size",
            "field geo/in/Box/count",
            "method geo/in/Box/operator==",
            "field geo/in/Box/n",
            "function geo/helper",
            "type_alias Name",
            "constructor geo/in/Box/Box",
            "method Point/area",
            "struct Point",
            "method Point/area",
            "method Point/ref",
            "enum Color",
            "enum_member Color/Red",
            "function maxof",
            "trait Small",
            "variable global_ref",
        ],
    );
}

#[test]
fn zig() {
    let text = r##"const std = @import("std");
pub const Point = struct { x: i32, pub fn area(self: Point) i32 { const local = 1; return local; } };
const Color = enum { red, green };
var counter: u32 = 0;
pub fn main() void {}
test "adds" {}
"##;
    outline(
        "zig",
        text,
        &[
            "constant std",
            "struct Point",
            "field Point/x",
            "method Point/area",
            "enum Color",
            "enum_member Color/red",
            "enum_member Color/green",
            "variable counter",
            "function main",
            "function adds",
        ],
    );
}

#[test]
fn swift() {
    let text = r##"protocol Shape { var name: String { get }
 func area() -> Double }
struct Point: Shape { 
  let x: Int
  static var y = 2, z = 3
  init(x: Int) { self.x = x }
  func area() -> Double { let local = 1; return 0 }
}
class Box<T> { deinit {} }
enum Color { case red, green
 case blue(Int) }
extension Point { func moved() -> Point { return self } }
typealias Name = String
func top(a: Int) -> Int { return a }
actor Bank {}
let limit = 10
"##;
    outline(
        "swift",
        text,
        &[
            "interface Shape",
            "property Shape/name",
            "method Shape/area",
            "struct Point",
            "property Point/x",
            "property Point/y",
            "property Point/z",
            "constructor Point/init",
            "method Point/area",
            "class Box",
            "enum Color",
            "enum_member Color/red",
            "enum_member Color/green",
            "enum_member Color/blue",
            "method Point/moved",
            "type_alias Name",
            "function top",
            "class Bank",
            "constant limit",
        ],
    );
}
