//! C without compile_commands.json: nobody tells clangd which files there are, and it finds only what is open.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{Live, at, over, symbol_rows, uses, warnings, with};

const LIBRARY: &str = "//- /Makefile
//- /many.h
int many(int);
//- /many.c
#include \"many.h\"
int many(int n) { return n; }
";

/// A library and files that use it, in C++, whose headers cannot be taken for something else.
fn users(number: usize) -> String {
    let mut text = LIBRARY.replace("many.c\n", "many.cpp\n");
    for number in 0..number {
        write!(
            text,
            "//- /use_{number:02}.cpp\n#include \"many.h\"\nint use_{number:02}() {{ return many({number}); }}\n"
        )
        .unwrap();
    }
    text
}

fn names_the_list(live: &mut Live, tool: &str, arguments: Value) -> Value {
    let answer = live.get(tool, arguments);
    assert_eq!(answer["completeness"]["state"], "partial", "{answer:#}");
    assert!(answer["warnings"].to_string().contains("compile_commands.json"), "{answer:#}");
    answer
}

#[test]
fn files_with_the_name_are_opened() {
    let mut live = over(&users(6)).start();
    let all: Vec<String> = ["many.cpp:2:5!", "many.h:1:5!"]
        .into_iter()
        .map(str::to_owned)
        .chain((0..6).map(|number| format!("use_{number:02}.cpp:2:23")))
        .collect();
    assert_eq!(live.references(at("many.cpp", 2, 5)), all);
    assert_eq!(live.references(at("use_03.cpp", 2, 23)), all);
    let callers = live.calls(at("many.cpp", 2, 5));
    assert_eq!(callers.len(), 6, "{callers:?}");
    assert!(callers[0].starts_with("1 use_00 use_00.cpp:2:5 <- 2:23"), "{callers:?}");
    // What comes later is opened later.
    live.write("late.cpp", "#include \"many.h\"\nint late() { return many(1); }\n");
    assert_eq!(live.references(at("many.cpp", 2, 5))[0], "late.cpp:2:21");
    live.end();

    let mut live = over(&users(6)).start();
    assert_eq!(live.definitions(at("use_03.cpp", 2, 23)), ["many.cpp:2:5"], "not the declaration");
    // All of so few files are open.
    let exact = json!({ "query": "use_05", "match": "exact" });
    assert_eq!(live.symbols(exact), ["function use_05 use_05.cpp:2:5"]);
    let renamed = live.get("rename_symbol", with(at("use_03.cpp", 2, 23), json!({ "new_name": "several" })));
    assert_eq!(renamed["plan"]["file_count"], 8, "{renamed:#}");
    live.end();
}

#[test]
fn what_nobody_opened_is_missed() {
    let mut live = over(&users(40)).start();
    let found = names_the_list(&mut live, "find_references", at("many.cpp", 2, 5));
    assert!(uses(&found).len() > 20, "{found:#}");
    let callers = names_the_list(&mut live, "call_hierarchy", at("many.cpp", 2, 5));
    assert!(callers["items"].as_array().unwrap().len() > 20, "{callers:#}");
    let refused = live.refused("rename_symbol", with(at("many.cpp", 2, 5), json!({ "new_name": "several" })));
    assert_eq!(refused["error"]["data"]["kind"], "files_not_listed");
    // The grammar finds what it does not list.
    let found = names_the_list(&mut live, "find_symbol", json!({ "query": "use_39", "match": "exact" }));
    assert_eq!(symbol_rows(&found), ["function use_39 use_39.cpp:2:5"]);
    live.end();
}

/// Without the flags it does not know where the header is, and then a call is a call of something else.
#[test]
fn what_it_misreads_is_missed() {
    let mut text = LIBRARY.replace("/many.h", "/include/many.h").replace("\"many.h\"", "\"include/many.h\"");
    text += "//- /src/use.c\n#include <many.h>\nint use(void) { return many(1); }\n";
    let mut live = over(&text).start();
    let found = names_the_list(&mut live, "find_references", at("many.c", 2, 5));
    assert_eq!(warnings(&found), ["files_not_listed"]);
    assert!(found["warnings"][0]["message"].as_str().unwrap().contains("src/use.c"), "{found:#}");
    let refused = live.refused("rename_symbol", with(at("many.c", 2, 5), json!({ "new_name": "several" })));
    assert_eq!(refused["error"]["data"]["kind"], "files_not_listed");
    live.end();
    // With them it does.
    let flags = format!("{text}//- /compile_flags.txt\n-Iinclude\n");
    let mut live = over(&flags).start();
    let found = live.references(at("many.c", 2, 5));
    assert!(found.contains(&"src/use.c:2:24".to_owned()), "{found:?}");
    live.end();
}

/// A header that is read as C++ declares another function than the one in C.
#[test]
fn headers_of_c_are_missed() {
    let text = format!("{LIBRARY}//- /use.c\n#include \"many.h\"\nint use(void) {{ return many(1); }}\n");
    let mut live = over(&text).start();
    let found = names_the_list(&mut live, "find_references", at("many.c", 2, 5));
    assert_eq!(uses(&found), ["many.c:2:5!", "use.c:2:24"]);
    assert_eq!(warnings(&found), ["files_not_listed"]);
    assert!(
        found["warnings"][0]["message"]
            .as_str()
            .unwrap()
            .contains("many.h may not be known, since it is read as C++"),
        "{found:#}"
    );
    let refused = live.refused("rename_symbol", with(at("many.c", 2, 5), json!({ "new_name": "several" })));
    assert_eq!(refused["error"]["data"]["kind"], "files_not_listed");
    live.end();
}

/// What the project only declares may be defined in a file that nobody has opened; what others declare is not its own.
#[test]
fn declarations_lead_to_definitions() {
    let text = "//- /Makefile
//- /state.h
extern int state;
struct Node;
int nowhere(int);
//- /state.cpp
#include \"state.h\"
int state = 1;
struct Node { int n; };
//- /use.cpp
#include \"state.h\"
#include <stdlib.h>
int use(Node *node) { return state + abs(nowhere(1)); }
";
    let mut live = over(text).start();
    assert_eq!(live.definitions(at("use.cpp", 3, 30)), ["state.cpp:2:5"]);
    assert_eq!(live.definitions(at("use.cpp", 3, 9)), ["state.cpp:3:8"]);
    assert_eq!(
        live.definitions(at("use.cpp", 3, 42)),
        ["state.h:3:5"],
        "all files with the name were looked at"
    );
    let library = live.definitions(at("use.cpp", 3, 38));
    assert!(library[0].contains("/stdlib.h:"), "{library:?}");
    // In more files than are opened.
    for number in 0..40 {
        live.write(&format!("more_{number}.cpp"), "int nowhere(int);\n");
    }
    let found = names_the_list(&mut live, "find_definition", at("use.cpp", 3, 42));
    assert_eq!(warnings(&found), ["files_not_listed"]);
    live.end();
}

/// Files that take it some time to read are waited for, also when it is up already.
#[test]
fn what_was_opened_is_waited_for() {
    let work = "constexpr unsigned spin(unsigned n) { unsigned sum = 0; for (unsigned i = 0; i < n; ++i) sum += i; return sum; }\n";
    let mut text = format!("{}//- /other.cpp\nint other() {{ return 1; }}\n", users(3));
    for number in 0..3 {
        write!(text, "//- /slow_{number}.cpp\n#include \"many.h\"\n{work}").unwrap();
        for turn in 0..4 {
            writeln!(text, "static_assert(spin({}) > {turn});", 250_000 + turn).unwrap();
        }
        writeln!(text, "int slow_{number}() {{ return many(1); }}").unwrap();
    }
    let mut live = over(&text).start();
    live.ask("hover", at("other.cpp", 1, 5));
    let found = live.references(at("many.cpp", 2, 5));
    assert_eq!(found.iter().filter(|place| place.starts_with("slow_")).count(), 3, "{found:?}");
    live.end();
}

/// Of what nobody else can reach, all is known, however many files have a word like it.
#[test]
fn locals_need_no_list() {
    let own = "static int helper(int n) { return n; }\nint own(int n) { return helper(n); }\n";
    let mut live = over(&format!("{}//- /own.cpp\n{own}", users(40))).start();
    assert_eq!(live.references(at("many.cpp", 2, 14)), ["many.cpp:2:14!", "many.cpp:2:26"]);
    assert_eq!(live.references(at("own.cpp", 1, 12)), ["own.cpp:1:12!", "own.cpp:2:25"]);
    let renamed = live.get("rename_symbol", with(at("many.cpp", 2, 26), json!({ "new_name": "number" })));
    assert_eq!(renamed["plan"]["file_count"], 1, "{renamed:#}");
    live.end();
}

/// What a header of C++ defines is everybody's, though a grammar of C could take it for a part of a function.
#[test]
fn names_in_headers_are_everybodys() {
    let text = "//- /Makefile
//- /conf.h
namespace conf { constexpr int most = 5; }
//- /use.cpp
#include \"conf.h\"
int use() { return conf::most; }
";
    let mut live = over(text).start();
    assert_eq!(live.references(at("conf.h", 1, 32)), ["conf.h:1:32!", "use.cpp:2:26"]);
    live.end();
}

/// A field of the same name in another header is another one, whichever language that is taken for.
#[test]
fn fields_of_c_are_found() {
    let text = "//- /Makefile
//- /buffer.h
struct buffer { int length; };
//- /other.h
/* The length is told by length(). */
struct other { int length; };
//- /use.c
#include \"buffer.h\"
#include \"other.h\"
int use(struct buffer *buffer, struct other *other) { return buffer->length + other->length; }
";
    let mut live = over(text).start();
    assert_eq!(live.references(at("buffer.h", 1, 21)), ["buffer.h:1:21!", "use.c:3:70"]);
    live.end();
}

/// It is used without its name.
#[test]
fn operators_need_a_list() {
    let text = "//- /Makefile
//- /pair.hpp
struct Pair { int one; bool operator==(const Pair &other) const; };
//- /use.cpp
#include \"pair.hpp\"
bool use(Pair one, Pair two) { return one == two; }
";
    let mut live = over(text).start();
    let found = names_the_list(&mut live, "find_references", at("pair.hpp", 1, 29));
    assert_eq!(warnings(&found), ["files_not_listed"]);
    live.end();
}

/// Nobody knows what a call is a call of where the header is not found.
#[test]
fn answers_about_a_file_without_its_includes_are_not_whole() {
    let text = "//- /include/many.h
int many(int);
//- /src/many.c
#include \"../include/many.h\"
int many(int n) { return n; }
//- /src/use.c
#include <many.h>
int use(int n) { return many(n); }
//- /compile_commands.json
[{ \"directory\": \"/\", \"file\": \"
";
    let mut live = over(text).start();
    let at_use = at("src/use.c", 2, 25);
    for tool in ["find_definition", "hover", "find_references"] {
        let answer = names_the_list(&mut live, tool, at_use.clone());
        assert_eq!(warnings(&answer), ["files_not_listed"], "{tool}");
    }
    // Nor is it when it is asked for again.
    for _ in 0..2 {
        let answer = names_the_list(&mut live, "find_references", at("src/use.c", 2, 13));
        assert_eq!(uses(&answer), ["src/use.c:2:13!", "src/use.c:2:30"]);
        names_the_list(&mut live, "document_symbols", json!({ "file_path": "src/use.c" }));
    }
    let found = live.get("get_diagnostics", json!({ "file_paths": ["src/use.c"] }));
    assert_eq!(warnings(&found), ["files_not_listed"], "{found:#}");
    live.end();
}
