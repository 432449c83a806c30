//! Compiles what the parser's own interface does not have, against the parser's own headers: when its structures change,
//! this does not compile, or is compiled to fit.

use std::env;
use std::path::Path;

#[allow(clippy::disallowed_methods, reason = "it is the only way in which the headers are told")]
fn main() {
    let include = env::var("DEP_TREE_SITTER_INCLUDE").unwrap_or_default();
    let headers = Path::new(&include).with_file_name("src");
    for file in ["parser/steps.c", "parser/wide.c"] {
        println!("cargo::rerun-if-changed={file}");
    }
    cc::Build::new()
        .std("c11")
        .include(include)
        .include(headers)
        .flag_if_supported("-fvisibility=hidden")
        .warnings(false)
        .file("parser/steps.c")
        .file("parser/wide.c")
        .compile("orienteer-parser");
}
