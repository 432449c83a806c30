//! Compiles what the parser's own interface does not have, against the parser's own sources: when its structures change,
//! this does not compile, or is compiled to fit.

use std::path::Path;
use std::{env, fs};

/// The parts of the parser that are compiled a second time, see `parser/quick.c`.
const AGAIN: [&str; 5] = ["language.c", "lexer.c", "parser.c", "stack.c", "subtree.c"];

#[allow(clippy::disallowed_methods, reason = "it is the only way in which the sources are told")]
fn main() {
    let include = env::var("DEP_TREE_SITTER_INCLUDE").unwrap_or_default();
    let out = env::var("OUT_DIR").unwrap_or_default();
    let sources = Path::new(&include).with_file_name("src");
    println!("cargo::rerun-if-changed=parser");
    let mut renamed = String::new();
    for file in AGAIN {
        match fs::read_to_string(sources.join(file)) {
            Ok(text) => {
                for name in text.lines().filter_map(defined) {
                    renamed += &format!("#define {name} orienteer_{name}\n");
                }
            }
            Err(error) => println!("cargo::error=the parser's {file} could not be read: {error}"),
        }
    }
    if let Err(error) = fs::write(Path::new(&out).join("renamed.h"), renamed) {
        println!("cargo::error=the list of renamed functions could not be written: {error}");
    }
    cc::Build::new()
        .std("c11")
        .define("_DEFAULT_SOURCE", None)
        .include(include)
        .include(sources)
        .include(out)
        .flag_if_supported("-fvisibility=hidden")
        .warnings(false)
        .files(["parser/quick.c", "parser/steps.c", "parser/wide.c"])
        .compile("orienteer-parser");
}

/// The name of the function that a line of C begins to define for others to call.
fn defined(line: &str) -> Option<&str> {
    if !line.starts_with(|first: char| first.is_ascii_alphabetic())
        || line.starts_with("static")
        || line.ends_with(';')
    {
        return None;
    }
    let (before, _) = line.split_once('(')?;
    let name = before.rsplit([' ', '*']).next()?;
    name.starts_with("ts_").then_some(name)
}
