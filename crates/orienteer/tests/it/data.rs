//! Data files on the command line, from a web server that we did not write.

use std::process::Command;

use orienteer_testkit::{Tree, Web, tree};

use crate::ORIENTEER;
use crate::support::run_in;

fn fixture() -> Tree {
    tree("//- /src/main.rs\nfn main() {}\n//- /README.md\n# Title\n")
}

/// Exit code, output, and what was said about errors.
fn run(tree: &Tree, words: &[&str]) -> (i32, String, String) {
    let home = tree.beside("home").display().to_string();
    let done = run_in(ORIENTEER, words, tree.root(), &[("HOME", &home)]);
    (done.code.unwrap(), done.stdout, done.stderr)
}

/// Of `alpha` and a line break.
const SHA256: &str = "9f9f90dbe3e5ee1218c86b8839db1995a4d2d2a6e1dd3c5f4b1b2d9f1f0d4a55";

#[test]
fn a_dictionary_is_fetched_once_verified_and_removed() {
    let tree = fixture();
    let published = tree.beside("published");
    std::fs::create_dir_all(&published).unwrap();
    std::fs::write(published.join("en.txt"), "alpha\n").unwrap();
    let web = Web::start(&published);
    let url = web.url("en.txt");
    let sum = Command::new("sha256sum").arg(published.join("en.txt")).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap()[..64].to_owned();

    let fetch = |sha256: &str| run(&tree, &["data", "fetch", "dictionary", "en", &url, "--sha256", sha256]);
    let (code, _, error) = fetch(SHA256);
    assert!(code == 1 && error.contains(&sum) && error.contains(SHA256), "{error}");
    let (code, out, error) = fetch(&sum);
    assert!(code == 0 && out.starts_with("en fetched: 1 files, 6 bytes"), "{out}{error}");
    assert!(fetch(&sum).1.starts_with("en was there already"));
    let (code, out, _) = run(&tree, &["data", "verify"]);
    assert_eq!((code, out.as_str()), (0, "dictionaries/en: as it was fetched\n"));

    let file = tree.beside("home").join(".cache/orienteer/data/dictionaries/en/content/en.txt");
    std::fs::write(&file, "beta\n").unwrap();
    let (code, out, _) = run(&tree, &["data", "verify"]);
    assert_eq!((code, out.as_str()), (1, "dictionaries/en: en.txt was changed\n"));
    assert_eq!(run(&tree, &["data", "remove", "dictionary", "en"]).0, 0);
    assert_eq!(run(&tree, &["data", "remove", "dictionary", "en"]).0, 1);
    assert_eq!(run(&tree, &["data", "verify"]).1, "nothing was fetched yet\n");
}

#[test]
fn wishes_that_cannot_be_fulfilled_are_refused_with_advice() {
    let tree = fixture();
    let fetch = |name: &str, url: &str, sha256: &str| {
        let (code, out, error) = run(&tree, &["data", "fetch", "model", name, url, "--sha256", sha256]);
        assert!(code != 0 && out.is_empty(), "{out}");
        error
    };
    assert!(fetch("m", "https://example.org/m", "abc").contains("64 hexadecimal digits"));
    assert!(fetch("m", "http://example.org/m", SHA256).contains("https://"));
    assert!(fetch("m", "nonsense", SHA256).contains("write it as https://"));
    assert!(fetch("../m", "https://example.org/m", SHA256).contains("`../m`"));
    assert!(fetch("m", "https://u:secret@example.org/m", SHA256).contains("leave them out"));
    assert!(!fetch("m", "https://u:secret@example.org/m", SHA256).contains("secret"));
}

#[test]
fn bootstrap_says_what_is_here_and_builds_the_index() {
    let tree = fixture();
    let (code, out, error) = run(&tree, &["bootstrap", "--skip-index"]);
    assert!(code == 0 && out.contains("warning index_missing:") && !out.contains("\nindex:"), "{out}{error}");
    let (code, out, error) = run(&tree, &["bootstrap"]);
    assert!(code == 0 && out.contains("\nindex: built,") && !out.contains("index_missing"), "{out}{error}");
    assert!(out.contains(" .rs"), "{out}");
}
