//! What is known about definitions in Java and C#.

use orienteer_syntax::facts::{Field, Visibility};

use crate::facts::{Of, agrees, examined, parameters};

pub(crate) const JAVA: &str = r#"package a.b;
import java.util.List;
import static java.lang.Math.*;

/** Keeps items. */
@Service("x")
@Deprecated
public abstract class Store<T extends Comparable<T>> extends Base<T> implements One, pkg.Two {
  private static final int MAX = compute();
  /** Runs. */
  @Override protected List<String> run(final int a, String... rest) throws IOException, pkg.Bad {
    int x = a, y;
    this.count++;
    this.items[x] = MAX;
    total += 1;
    if (a > 1 && x > 2 || flag) { throw new IllegalStateException("x"); } else if (x == a) {}
    for (int i = 0; i < 3; i++) {}
    for (String s : rest) {}
    switch (x) { case 1: break; default: }
    y = x > 1 ? this.first().second() : helper(x);
    try { go(); } catch (RuntimeException e) { throw e; }
    list.forEach(q -> q.go(shared));
    Outer.Inner.call();
    return new ArrayList<>(y);
  }
  Store(int x) { super(x); }
  interface Inner extends J { void m(); }
  enum Kind { A }
}
"#;

#[test]
fn java() {
    let all = examined("java", JAVA);
    agrees("java", &all, &[Field::Async, Field::Generator]);
    assert_eq!(all.imported(), ["java.util.List", "java.lang.Math: *"]);
    assert_eq!(all.exports, ["Store"]);
    let store = all.of("Store");
    assert_eq!(store.doc.as_deref(), Some("Keeps items."));
    assert_eq!(store.visibility, Some(Visibility::Public));
    assert_eq!(store.decorators, ["Service", "Deprecated"]);
    assert_eq!(store.extends, ["Base", "One", "pkg.Two"]);
    assert_eq!(all.of("Store/MAX").visibility, Some(Visibility::Private));
    assert_eq!(all.of("Store/MAX").calls, ["compute"]);
    assert_eq!(all.of("Store/Store").visibility, Some(Visibility::Internal));
    assert_eq!(all.of("Store/Store").calls, ["super"]);
    assert_eq!(all.of("Store/Inner").extends, ["J"]);
    assert_eq!(all.of("Store/Inner/m").visibility, Some(Visibility::Public));
    assert_eq!(all.of("Store/Kind/A").visibility, Some(Visibility::Internal));

    let run = all.of("Store/run");
    assert_eq!(run.doc.as_deref(), Some("Runs."));
    assert_eq!(run.visibility, Some(Visibility::Protected));
    assert_eq!(run.decorators, ["Override"]);
    assert_eq!(parameters(run), ["a: int", "rest: String..."]);
    assert_eq!(run.return_type.as_deref(), Some("List<String>"));
    assert_eq!(
        run.calls,
        [
            "IllegalStateException",
            "this.first",
            "second",
            "helper",
            "go",
            "list.forEach",
            "q.go",
            "Outer.Inner.call",
            "ArrayList"
        ]
    );
    assert_eq!(
        run.uses,
        [
            "List",
            "IOException",
            "Bad",
            "MAX",
            "IllegalStateException",
            "RuntimeException",
            "Outer",
            "ArrayList"
        ]
    );
    assert_eq!(run.throws, ["IOException", "pkg.Bad", "IllegalStateException"]);
    assert_eq!(run.reads, ["flag", "list", "shared", "Outer.Inner"]);
    assert_eq!(run.writes, ["this.count", "this.items", "total"]);
    // Two `if`, `&&`, `||`, one case, `?:`, one handler.
    assert_eq!((run.branches, run.loops), (7, 2));
}

pub(crate) const CSHARP: &str = r#"using System;
using static System.Math;
using Json = Newtonsoft.Json;

namespace A.B;

/// <summary>Keeps <see cref="Item"/>.</summary>
[Serializable, Obsolete("x")]
public abstract class Store<T> : Base<T>, IOne where T : class {
  private const int Max = 1;
  [Key] public string Name { get; set; } = Load();
  /// <summary>Runs.</summary>
  protected async Task<List<string>> Run(int a, [FromBody] string b = "x") {
    var x = a;
    this.count++;
    Items[x] = Max;
    _field = 4;
    if (a > 1 && x > 2 || flag) { throw new InvalidOperationException("x"); } else if (x == a) {}
    for (int i = 0; i < 3; i++) {}
    foreach (var s in rows) {}
    switch (x) { case 1: break; default: break; }
    var t = x > 1 ? this.First().Second() : Helper<int>(x);
    try { Go(); } catch (IOException e) { throw; }
    list.ForEach(q => q.Go(shared));
    await other?.Call(named: t);
    yield return new Item(b);
  }
  Store(int x) : base(x) { }
}
public interface IPlain : J { void M(); }
enum Kind { A }
"#;

#[test]
fn csharp() {
    let all = examined("csharp", CSHARP);
    agrees("csharp", &all, &[]);
    assert_eq!(all.imported(), ["System", "System.Math", "Newtonsoft.Json"]);
    assert_eq!(all.exports, ["Store", "IPlain"]);
    let store = all.of("Store");
    assert_eq!(store.doc.as_deref(), Some("Keeps Item."));
    assert_eq!(store.visibility, Some(Visibility::Public));
    assert_eq!(store.decorators, ["Serializable", "Obsolete"]);
    assert_eq!(store.extends, ["Base", "IOne"]);
    assert_eq!(all.of("Store/Max").visibility, Some(Visibility::Private));
    assert_eq!(all.of("Store/Name").decorators, ["Key"]);
    assert_eq!(all.of("Store/Name").calls, ["Load"]);
    assert_eq!(all.of("Store/Store").visibility, Some(Visibility::Private));
    assert_eq!(all.of("IPlain/M").visibility, Some(Visibility::Public));
    assert_eq!(all.of("Kind").visibility, Some(Visibility::Internal));

    let run = all.of("Store/Run");
    assert_eq!(run.doc.as_deref(), Some("Runs."));
    assert_eq!(run.visibility, Some(Visibility::Protected));
    assert!(run.is_async && run.is_generator);
    assert_eq!(parameters(run), ["a: int", "b: string"]);
    assert_eq!(run.return_type.as_deref(), Some("Task<List<string>>"));
    assert_eq!(
        run.calls,
        [
            "InvalidOperationException",
            "this.First",
            "Second",
            "Helper",
            "Go",
            "list.ForEach",
            "q.Go",
            "other.Call",
            "Item"
        ]
    );
    // A name with a capital may be a type, a constant or a property, so it is listed as both.
    assert_eq!(
        run.uses,
        ["Task", "List", "Max", "InvalidOperationException", "Helper", "IOException", "Item"]
    );
    assert_eq!(run.throws, ["InvalidOperationException"]);
    assert_eq!(run.reads, ["Max", "flag", "rows", "list", "shared", "other"]);
    assert_eq!(run.writes, ["this.count", "Items", "_field"]);
    // Two `if`, `&&`, `||`, one case, `?:`, one handler.
    assert_eq!((run.branches, run.loops), (7, 2));
}
