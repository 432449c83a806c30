//! The same questions, asked of ripgrep itself.

use std::fmt::Write as _;

use orienteer_base::question::{Case, TextQuery};
use serde_json::Value;

use crate::support::{Tree, utf16};

/// One row as both sides tell it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
struct Row {
    path: String,
    line: u64,
    end_line: u64,
    column: u64,
    content: String,
}

fn awkward() -> Tree {
    let tree = Tree::new(&[
        ("src/main.rs", b"fn main() {\n    let foo = 1;\n    let Foo = foo_bar(foo);\n}\n"),
        ("src/lib.rs", "// größe Größe GRÖSSE ſtraße straße\nfoo 👩‍👩‍👧 bar foo\n".as_bytes()),
        ("src/deep/er/mod.rs", b"foo\n\n\nbar\nfoo bar\nbaz\n"),
        ("src/no_final_newline.txt", b"one\ntwo foo"),
        ("src/empty.txt", b""),
        ("src/only_newlines.txt", b"\n\n\n"),
        ("crlf.txt", b"foo\r\nbar foo\r\n\r\nend$\r\nfoo"),
        ("lone_cr.txt", b"foo\rbar\rfoo\n"),
        ("latin1.txt", b"caf\xe9 foo\nfoo caf\xe9 foo\n\xff\xfe\xfd foo\n"),
        ("bom.txt", b"\xef\xbb\xbffoo first\nfoo second\n"),
        (
            "binary_late.bin",
            &[b"foo early\n".repeat(10), b"nul \0 here foo\n".repeat(3), b"foo late\n".repeat(9000)].concat(),
        ),
        ("binary_start.bin", b"\0foo\nfoo\n"),
        ("tabs.txt", b"\tfoo\t\tbar\n"),
        ("repeat.txt", &b"foo bar baz\n".repeat(20_000)),
        ("a.b/x.txt", b"foo\n"),
        ("a/z.txt", b"foo\n"),
        ("a-b/y.txt", b"foo\n"),
        ("a.txt", b"foo\n"),
        (".hidden/file.rs", b"foo hidden\n"),
        (".hidden.rs", b"foo hidden\n"),
        ("ignored.log", b"foo ignored\n"),
        ("build/out.txt", b"foo built\n"),
        ("nested/.gitignore", b"*.tmp\n!keep.tmp\n/only_here\n"),
        ("nested/x.tmp", b"foo\n"),
        ("nested/keep.tmp", b"foo\n"),
        ("nested/only_here/a.txt", b"foo\n"),
        ("nested/deeper/only_here/a.txt", b"foo\n"),
        ("nested/.ignore", b"dot_ignored.txt\n"),
        ("nested/dot_ignored.txt", b"foo\n"),
        (".rgignore", b"rg_ignored.txt\n"),
        ("rg_ignored.txt", b"foo\n"),
        (".gitignore", b"*.log\nbuild/\n"),
        (".git/HEAD", b"ref: refs/heads/main foo\n"),
        (".git/info/exclude", b"excluded.txt\n"),
        ("excluded.txt", b"foo\n"),
        ("space name/with 'quotes' and ä.txt", b"foo\n"),
        ("Makefile", b"foo: bar\n"),
    ]);
    let long = format!("{}foo{}\nshort foo\n", "ä".repeat(5_000), "b".repeat(9_000));
    tree.write("long.txt", long);
    tree.write("utf16le.txt", utf16("foo ä\r\nbar\r\nFOO foo\r\n", true));
    tree.write("utf16be.txt", utf16("bar\nfoo 👍 foo\n", false));
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::symlink;
        symlink("src", tree.path().join("link_to_folder")).unwrap();
        symlink("src/main.rs", tree.path().join("link_to_file.rs")).unwrap();
        symlink("nowhere", tree.path().join("dangling")).unwrap();
        symlink("..", tree.path().join("src/loop")).unwrap();
        let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
        std::fs::write(tree.path().join(name), "foo\n").unwrap();
    }
    tree
}

#[allow(clippy::disallowed_methods)]
fn ripgrep(tree: &Tree, query: &TextQuery) -> Vec<Row> {
    let mut command = std::process::Command::new("rg");
    command.current_dir(tree.path()).args(["--no-config", "--json", "--sort", "path"]);
    command.arg(match query.case {
        Case::Smart => "--smart-case",
        Case::Sensitive => "--case-sensitive",
        Case::Insensitive => "--ignore-case",
    });
    for (set, flag) in [
        (query.fixed_string, "--fixed-strings"),
        (query.whole_word, "--word-regexp"),
        (query.multiline, "--multiline"),
        (query.selection.hidden, "--hidden"),
        (query.selection.no_ignore, "--no-ignore"),
    ] {
        if set {
            command.arg(flag);
        }
    }
    for name in &query.selection.file_types {
        command.args(["--type", name]);
    }
    for glob in &query.selection.exclude {
        command.args(["--glob", &format!("!{glob}")]);
    }
    for glob in &query.selection.include {
        command.args(["--glob", glob]);
    }
    command.arg("-e").arg(&query.pattern);
    command.arg(if query.scope.shown() == "." { "./" } else { query.scope.shown() });
    let output = command.output().expect("rg must be installed to compare with it");
    assert!(output.status.code() != Some(2) || !output.stdout.is_empty(), "{output:?}");
    let rows = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    rows.filter_map(|line| row(&serde_json::from_slice(line).unwrap())).collect()
}

fn row(message: &Value) -> Option<Row> {
    if message["type"] != "match" {
        return None;
    }
    let data = &message["data"];
    let mut path = String::new();
    for chunk in bytes(&data["path"]).utf8_chunks() {
        path.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| write!(path, "\\x{byte:02X}").unwrap());
    }
    let lines = bytes(&data["lines"]);
    // ripgrep tells no column for an empty match behind the last character of a file.
    let start = data["submatches"][0]["start"].as_u64().map(|start| start as usize);
    let column = |start: usize| String::from_utf8_lossy(&lines[..start]).chars().count() as u64 + 1;
    let content = lines.strip_suffix(b"\n").unwrap_or(&lines);
    let content = content.strip_suffix(b"\r").unwrap_or(content);
    let line = data["line_number"].as_u64().unwrap();
    let breaks = content.iter().filter(|byte| **byte == b'\n').count() as u64;
    Some(Row {
        path: path.strip_prefix("./").unwrap_or(&path).to_owned(),
        line,
        end_line: line + breaks,
        column: start.map_or(0, |start| column(start.min(content.len()))),
        content: String::from_utf8_lossy(content).into_owned(),
    })
}

/// A string of ripgrep's JSON, which is in Base64 when it is not UTF-8.
fn bytes(value: &Value) -> Vec<u8> {
    if let Some(text) = value["text"].as_str() {
        return text.as_bytes().to_vec();
    }
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for byte in value["bytes"].as_str().unwrap().bytes().filter(|byte| *byte != b'=') {
        held = held << 6 | alphabet.iter().position(|letter| *letter == byte).unwrap() as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
        }
    }
    out
}

fn ours(tree: &Tree, query: &TextQuery) -> Vec<Row> {
    let answer = tree.search(query).unwrap();
    let mut rows = Vec::new();
    for file in &answer.value.files {
        assert_eq!(file.match_count, file.matches.len() as u64);
        rows.extend(file.matches.iter().map(|found| Row {
            path: file.file_path.clone(),
            line: found.line,
            end_line: found.end_line,
            column: found.column,
            content: found.content.clone(),
        }));
    }
    assert_eq!(answer.value.stats.total_matches, rows.len() as u64);
    assert_eq!(answer.value.stats.files_matched, answer.value.files.len() as u64);
    rows
}

fn compare(tree: &Tree, query: &TextQuery) -> usize {
    let (theirs, ours) = (ripgrep(tree, query), ours(tree, query));
    let label = format!("{query:?}");
    for (index, (their, our)) in theirs.iter().zip(&ours).enumerate() {
        let mut our = our.clone();
        if our.content.chars().count() == 2_000 && their.content.contains(&our.content) {
            our.content.clone_from(&their.content);
        }
        if their.column == 0 {
            our.column = 0;
        }
        assert_eq!(their, &our, "row {index} of {label}");
    }
    let extra = |rows: &[Row], other: usize| format!("{:?}", rows.get(other));
    assert_eq!(
        theirs.len(),
        ours.len(),
        "{label}: rg goes on with {}, we with {}",
        extra(&theirs, ours.len()),
        extra(&ours, theirs.len())
    );
    theirs.len()
}

const PATTERNS: &[&str] = &[
    "foo",
    "Foo",
    "größe",
    "GRÖSSE",
    r"fo+\b",
    r"\bfoo\s",
    "^foo$",
    "foo$",
    "^",
    "$",
    r"caf.",
    r"(?-u)caf\xe9",
    "(?i)straße",
    "[^a-z\n]foo|bar",
    "foo|^$",
    r"\w+_\w+",
    ".",
    "foo.*bar",
    "a{3,5}|b{4}",
    r"end\$",
];

#[test]
fn matches_are_those_of_ripgrep_for_every_option() {
    let tree = awkward();
    let mut rows = 0;
    for pattern in PATTERNS {
        for case in [Case::Smart, Case::Sensitive, Case::Insensitive] {
            for whole_word in [false, true] {
                let mut query = tree.text_query(pattern);
                query.case = case;
                query.whole_word = whole_word;
                // The large file says nothing new in every combination.
                query.selection.exclude = vec!["repeat.txt".to_owned()];
                rows += compare(&tree, &query);
            }
        }
    }
    assert!(rows > 1_000, "{rows}");
}

#[test]
fn literal_patterns_are_those_of_ripgrep() {
    let tree = awkward();
    for pattern in ["foo", "end$", "fn main() {", "foo.*bar", "GRÖSSE", "\\", "👩‍👩‍👧", " "] {
        for case in [Case::Smart, Case::Insensitive] {
            for whole_word in [false, true] {
                let mut query = tree.text_query(pattern);
                (query.fixed_string, query.case, query.whole_word) = (true, case, whole_word);
                compare(&tree, &query);
            }
        }
    }
}

#[test]
fn matches_over_lines_are_those_of_ripgrep() {
    let tree = awkward();
    for pattern in
        [r"foo\n", r"foo\n+bar", r"bar\r?\nfoo", r"(?s)foo.*bar", r"\n\n", "foo", r"foo\s+bar", r"\{[^}]*\}"]
    {
        for case in [Case::Smart, Case::Sensitive] {
            let mut query = tree.text_query(pattern);
            (query.multiline, query.case) = (true, case);
            query.selection.exclude = vec!["repeat.txt".to_owned()];
            compare(&tree, &query);
        }
    }
}

#[test]
fn files_are_chosen_as_ripgrep_does() {
    let tree = awkward();
    for hidden in [false, true] {
        for no_ignore in [false, true] {
            for types in [&[][..], &["rust"], &["txt"], &["rust", "make"]] {
                for exclude in [&[][..], &["src"], &["*.txt"], &["/src/deep/**", "a"]] {
                    let mut query = tree.text_query("foo");
                    query.selection.hidden = hidden;
                    query.selection.no_ignore = no_ignore;
                    query.selection.file_types = types.iter().map(|name| (*name).to_owned()).collect();
                    query.selection.exclude = exclude.iter().map(|glob| (*glob).to_owned()).collect();
                    query.selection.exclude.push("repeat.txt".to_owned());
                    compare(&tree, &query);
                }
            }
        }
    }
    for include in [&["*.rs"][..], &["src/*"], &["src/**"], &["*.{rs,txt}"], &["[ab]*.txt"], &["/*.txt"]] {
        let mut query = tree.text_query("foo");
        // Without hidden and ignored files there is nothing for ripgrep's globs to bring back.
        (query.selection.hidden, query.selection.no_ignore) = (true, true);
        query.selection.include = include.iter().map(|glob| (*glob).to_owned()).collect();
        compare(&tree, &query);
    }
}

#[test]
fn named_files_and_folders_are_searched_as_ripgrep_does() {
    let tree = awkward();
    for scope in [
        "src",
        "nested",
        "src/main.rs",
        "crlf.txt",
        "utf16le.txt",
        "latin1.txt",
        "bom.txt",
        "long.txt",
        "ignored.log",
        ".hidden.rs",
        ".hidden",
        "build",
        "repeat.txt",
        "src/empty.txt",
        "lone_cr.txt",
    ] {
        let mut query = tree.text_query("foo");
        query.scope = tree.roots.resolve(scope).unwrap();
        compare(&tree, &query);
    }
}
