//! What a search for text promises beyond what ripgrep does.

use orienteer_base::question::{Case, Detail, FileOrder};
use orienteer_base::{Completeness, ErrorKind, Reason};

use crate::support::{Tree, shown};

fn numbered(lines: usize, every: usize) -> String {
    (1..=lines).map(|n| if n % every == 0 { format!("hit {n}\n") } else { format!("line {n}\n") }).collect()
}

#[test]
fn every_match_has_its_own_context() {
    let tree = Tree::new(&[("a.txt", b"1\nhit 2\nhit 3\n4\n5\n6\n7\nhit 8")]);
    let mut query = tree.text_query("hit");
    query.context_lines = 2;
    let answer = tree.search(&query).unwrap();
    let around: Vec<_> = answer.value.files[0]
        .matches
        .iter()
        .map(|found| (found.line, found.before.join(","), found.after.join(",")))
        .collect();
    assert_eq!(
        around,
        [
            (2, "1".to_owned(), "hit 3,4".to_owned()),
            (3, "1,hit 2".to_owned(), "4,5".to_owned()),
            (8, "6,7".to_owned(), String::new()),
        ]
    );
}

#[test]
fn context_is_the_lines_around_for_every_size_and_limit() {
    let text = numbered(200, 7);
    let tree = Tree::new(&[("a.txt", text.as_bytes())]);
    let lines: Vec<&str> = text.lines().collect();
    for context in [0, 1, 3, 6, 7, 20, 50, 500] {
        for limit in [1, 2, 100] {
            let mut query = tree.text_query("hit");
            (query.context_lines, query.matches_per_file) = (context, limit);
            let answer = tree.search(&query).unwrap();
            let file = &answer.value.files[0];
            assert_eq!((file.match_count, file.matches.len()), (28, limit.min(28)));
            for found in &file.matches {
                let at = found.line as usize - 1;
                let context = context.min(50);
                assert_eq!(found.before, lines[at.saturating_sub(context)..at], "{context} {at}");
                assert_eq!(found.after, lines[at + 1..(at + 1 + context).min(lines.len())], "{context} {at}");
            }
        }
    }
}

#[test]
fn totals_are_exact_when_the_page_is_not() {
    let tree = Tree::new(&[]);
    for n in 0..50 {
        tree.write(&format!("d{}/f{n}.txt", n % 5), "x hit\nhit x\nhit\n");
    }
    let mut query = tree.text_query("hit");
    (query.files_per_page, query.matches_per_file) = (3, 2);
    let answer = tree.search(&query).unwrap();
    let value = &answer.value;
    assert_eq!(shown(value), ["d0/f0.txt", "d0/f10.txt", "d0/f15.txt"]);
    assert!(value.files.iter().all(|file| file.matches.len() == 2 && file.match_count == 3));
    assert_eq!(
        (value.stats.files_searched, value.stats.files_matched, value.stats.total_matches),
        (50, 50, 150)
    );
    assert_eq!(value.remaining, 47);
    assert_eq!(answer.completeness, Completeness::partial(Reason::Capped));

    query.detail = Detail::Counts;
    let counts = tree.search(&query).unwrap().value;
    assert!(counts.files.iter().all(|file| file.matches.is_empty() && file.match_count == 3));
    assert_eq!(counts.stats.total_matches, 150);

    query.detail = Detail::FilesOnly;
    let files = tree.search(&query).unwrap().value;
    assert_eq!((files.stats.files_matched, files.stats.total_matches), (50, 50));
    assert_eq!(shown(&files), shown(&counts));

    query.files_per_page = 1_000;
    assert_eq!(tree.search(&query).unwrap().completeness, Completeness::Complete);
}

#[test]
fn newest_files_come_first_when_asked() {
    let tree = Tree::new(&[]);
    for (name, age) in [("old", 300), ("new", 100), ("middle", 200), ("also_middle", 200)] {
        tree.write(name, "hit\n");
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 - age);
        std::fs::File::options()
            .write(true)
            .open(tree.path().join(name))
            .unwrap()
            .set_modified(time)
            .unwrap();
    }
    let mut query = tree.text_query("hit");
    query.order = FileOrder::Modified;
    assert_eq!(shown(&tree.search(&query).unwrap().value), ["new", "also_middle", "middle", "old"]);
}

#[test]
fn the_order_does_not_depend_on_threads() {
    let tree = Tree::new(&[]);
    for n in 0..300 {
        tree.write(&format!("{}/{}/f{n}", n % 7, n % 3), "hit\n");
    }
    let query = tree.text_query("hit");
    let first = tree.search(&query).unwrap().value.files;
    for _ in 0..10 {
        assert_eq!(tree.search(&query).unwrap().value.files, first);
    }
}

#[test]
fn includes_narrow_and_do_not_bring_back_what_is_hidden_or_ignored() {
    let tree = Tree::new(&[
        (".git/HEAD", b"hit"),
        (".gitignore", b"ignored.txt\n"),
        ("ignored.txt", b"hit\n"),
        (".env.txt", b"hit\n"),
        ("a.txt", b"hit\n"),
        ("a.rs", b"hit\n"),
        ("sub/a.txt", b"hit\n"),
    ]);
    let mut query = tree.text_query("hit");
    query.selection.include = vec!["**/*".to_owned()];
    assert_eq!(shown(&tree.search(&query).unwrap().value), ["a.rs", "a.txt", "sub/a.txt"]);
    query.selection.include = vec!["*.txt".to_owned()];
    query.selection.file_types = vec!["rust".to_owned()];
    assert!(tree.search(&query).unwrap().value.files.is_empty(), "type and glob must both fit");
    query.selection.file_types.clear();
    query.selection.exclude = vec!["sub".to_owned()];
    assert_eq!(shown(&tree.search(&query).unwrap().value), ["a.txt"]);
}

#[test]
fn patterns_that_cannot_be_are_typed() {
    let tree = Tree::new(&[("a.txt", b"hit\n")]);
    let detail = |pattern: &str, fixed: bool| {
        let mut query = tree.text_query(pattern);
        query.fixed_string = fixed;
        query.case = Case::Smart;
        tree.search(&query).map(|_| ()).map_err(|problem| {
            assert_eq!((problem.kind, problem.field), (ErrorKind::InvalidParams, Some("pattern")));
            assert!(problem.message.len() < 4_000, "{}", problem.message.len());
            problem.detail.unwrap()
        })
    };
    assert_eq!(detail("(", false), Err("invalid_regex"));
    assert_eq!(detail("(", true), Ok(()));
    assert_eq!(detail("a\nb", false), Err("invalid_regex"));
    assert_eq!(detail("a\0b", true), Err("invalid_regex"));
    assert_eq!(detail(r"\w{1000}{1000}{1000}", false), Err("pattern_too_large"));
    assert_eq!(detail(&"(".repeat(1 << 12), false), Err("invalid_regex"));
    assert_eq!(detail(&"x".repeat(1 << 20), true), Err("pattern_too_large"));
    for pattern in ["x", "é", "[", "\\"] {
        // What counts is that there is an answer of some kind.
        let _ = detail(&pattern.repeat(1 << 12), true);
        let _ = detail(&pattern.repeat(1 << 12), false);
    }
    assert_eq!(detail("", false), Ok(()));
}

#[test]
fn unknown_types_and_broken_globs_are_typed() {
    let tree = Tree::new(&[("a.txt", b"hit\n")]);
    let mut query = tree.text_query("hit");
    query.selection.file_types = vec!["pyhton".to_owned()];
    let problem = tree.search(&query).unwrap_err();
    assert_eq!(problem.field, Some("file_types"));
    assert!(problem.candidates.contains(&"python".to_owned()), "{problem:?}");
    query.selection.file_types.clear();
    query.selection.exclude = vec!["a{b".to_owned()];
    let problem = tree.search(&query).unwrap_err();
    assert_eq!((problem.field, problem.detail), (Some("exclude"), Some("invalid_glob")));
    assert!(problem.message.contains("a{b"));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(&[("a.txt", b"hit\n"), ("locked/b.txt", b"hit\n"), ("secret.txt", b"hit\n")]);
    let lock = |path: &str, mode| {
        std::fs::set_permissions(tree.path().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    lock("locked", 0o000);
    lock("secret.txt", 0o000);
    let readable = std::fs::read(tree.path().join("secret.txt")).is_ok();
    let answer = tree.search(&tree.text_query("hit")).unwrap();
    lock("locked", 0o755);
    // Nothing is locked for a superuser.
    if readable {
        assert_eq!(answer.completeness, Completeness::Complete);
        return;
    }
    assert_eq!(shown(&answer.value), ["a.txt"]);
    assert_eq!(answer.value.skipped_count, 2);
    assert_eq!(answer.value.skipped[0].path, "locked");
    assert_eq!(answer.value.skipped[1].reason, "permission denied");
    assert_eq!(answer.completeness, Completeness::partial(Reason::Unreadable));
    assert!(answer.warnings[0].message.contains("secret.txt"));
}

#[test]
fn binary_files_say_so() {
    // As in ripgrep, what was read in one piece with the first NUL is not searched.
    let mut bytes = [b"hit\n".repeat(3), b"padding\n".repeat(20_000)].concat();
    bytes.extend(b"\0\nhit\n");
    let tree = Tree::new(&[("a.bin", &bytes)]);
    let walked = tree.search(&tree.text_query("hit")).unwrap().value;
    assert_eq!((walked.files[0].match_count, walked.files[0].binary), (3, true));
    let mut query = tree.text_query("hit");
    query.scope = tree.roots.resolve("a.bin").unwrap();
    let named = tree.search(&query).unwrap().value;
    assert_eq!((named.files[0].match_count, named.files[0].binary), (4, true));
}

#[test]
fn long_lines_are_windows() {
    let line = format!("{}hit{}\n", "x".repeat(1 << 20), "y".repeat(1 << 20));
    let tree = Tree::new(&[("a.js", line.as_bytes())]);
    let found = tree.search(&tree.text_query("hit")).unwrap().value.files[0].matches[0].clone();
    assert_eq!((found.shortened, found.column), (true, (1 << 20) + 1));
    assert!(found.content.contains("xhity") && found.content.len() == 2_000);
}
