//! A search that takes long for an honest reason: much text and an expensive pattern, no sleeping.

use orienteer_testkit::Tree;
use serde_json::{Value, json};

/// A tree whose [`search`] takes many seconds.
pub(crate) fn tree() -> Tree {
    let tree = Tree::empty();
    let line = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho\n";
    // Many names for one file: gigabytes to search, megabytes on disk.
    tree.write("text.txt", line.repeat(20_000));
    for number in 0..5_000 {
        let link = tree.root().join(format!("text{number}.txt"));
        std::fs::hard_link(tree.root().join("text.txt"), link).unwrap();
    }
    tree.write("src/main.rs", "fn main() {}\n");
    tree
}

/// Arguments that make `search_code` take long in [`tree`].
pub(crate) fn search() -> Value {
    json!({ "pattern": r"(\pL+\s){5,40}[a-z]+\d(\pL+\s){5,40}\d", "path": "." })
}
