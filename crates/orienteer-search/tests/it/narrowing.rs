//! A narrowed search answers as a scan does, and opens no file that cannot match.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ignore::WalkBuilder;
use orienteer_base::listing::{FileMatches, Matches, SearchStats, Skipped};
use orienteer_base::question::{After, Detail, FileOrder, TextQuery};
use orienteer_base::{Answer, Cancel, Completeness};
use orienteer_search::search_text_narrowed;
use orienteer_search::text::narrow::{FileList, Narrow, Narrowed};
use proptest::prelude::*;

use crate::support::{Tree, shown, utf16};

/// A list made by walking, and a choice of files to open.
#[derive(Debug)]
struct Known {
    list: Arc<FileList>,
    open: Vec<u32>,
    binary: Arc<[u32]>,
    asked: AtomicBool,
}

impl Narrow for Known {
    fn narrow(&self, _: &TextQuery, _: &Cancel) -> Option<Narrowed> {
        self.asked.store(true, Ordering::Relaxed);
        Some(Narrowed { list: self.list.clone(), open: self.open.clone(), binary: self.binary.clone() })
    }
}

/// As a watcher keeps it: hidden files are listed, ignored ones are not, and some folders are left out.
fn list(tree: &Tree, left_out: &'static [&'static str]) -> FileList {
    let apart = Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = apart.clone();
    let mut builder = WalkBuilder::new(tree.path());
    builder.hidden(false).add_custom_ignore_filename(".rgignore").current_dir(tree.path());
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let left = left_out.iter().any(|name| entry.file_name() == *name);
        if is_folder && (left || std::fs::read_dir(entry.path()).is_err()) {
            noted.lock().unwrap().push(entry.path().to_owned());
        }
        !left
    });
    let files = builder
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| entry.path().to_owned())
        .collect();
    let apart = apart.lock().unwrap().clone();
    FileList::with_apart(tree.path(), files, apart)
}

/// Opens what `open` says; `binary` is read from the files.
fn known(list: FileList, open: impl Fn(&Path, &[u8]) -> bool) -> Arc<Known> {
    let places = |keep: &dyn Fn(&Path, &[u8]) -> bool| -> Vec<u32> {
        let kept = |(_, file): &(u32, &PathBuf)| keep(file, &std::fs::read(file).unwrap_or_default());
        (0_u32..).zip(list.files()).filter(kept).map(|(place, _)| place).collect()
    };
    let open = places(&open);
    let binary = places(&|_, bytes| bytes.iter().take(64 << 10).any(|byte| *byte == 0)).into();
    Arc::new(Known { list: Arc::new(list), open, binary, asked: AtomicBool::new(false) })
}

/// Everything of an answer that must not depend on an index.
type Whole = (Vec<FileMatches>, SearchStats, u64, Vec<Skipped>, u64, Completeness, Vec<String>);

fn whole(answer: Answer<Matches>) -> Whole {
    let Answer { value, completeness, warnings, .. } = answer;
    let stats = SearchStats { elapsed: Duration::ZERO, used_index: false, ..value.stats };
    let warnings = warnings.into_iter().map(|warning| warning.message).collect();
    (value.files, stats, value.remaining, value.skipped, value.skipped_count, completeness, warnings)
}

fn narrowed(tree: &Tree, query: &TextQuery, known: &Arc<Known>) -> Answer<Matches> {
    search_text_narrowed(&tree.roots, query, Some(known.clone()), &Cancel::new()).unwrap()
}

/// Compares, and says whether files were left unopened.
fn same(tree: &Tree, query: &TextQuery, known: &Arc<Known>) -> bool {
    let ours = narrowed(tree, query, known);
    let used = ours.value.stats.used_index;
    assert_eq!(whole(ours), whole(tree.search(query).unwrap()), "{query:?}\n{known:?}");
    used
}

fn strings(strings: &[&str]) -> Vec<String> {
    strings.iter().map(|string| (*string).to_owned()).collect()
}

/// Files that may hold the word, as bytes or in another encoding.
fn may_hit(_: &Path, bytes: &[u8]) -> bool {
    bytes.windows(3).any(|window| window == b"hit") || bytes.starts_with(b"\xff\xfe")
}

fn awkward() -> Tree {
    let tree = Tree::new(&[
        (".git/HEAD", b"hit"),
        (".gitignore", b"*.log\n/build/\n!.shown\n!.shown.txt\nsub/secret*\n"),
        (".rgignore", b"rg.txt\n"),
        ("rg.txt", b"hit\n"),
        ("a.log", b"hit\n"),
        ("build/out.rs", b"hit\n"),
        ("src/main.rs", b"hit\nmiss\nhit\n"),
        ("src/lib.rs", b"miss\n"),
        ("src/deep/er/mod.rs", b"one hit\n"),
        ("src.txt", b"hit\n"),
        ("sub/.gitignore", b"*.tmp\n!keep.tmp\n"),
        ("sub/x.tmp", b"hit\n"),
        ("sub/keep.tmp", b"hit\n"),
        ("sub/secret.txt", b"hit\n"),
        ("sub/open.txt", b"miss\n"),
        (".hidden.rs", b"hit\n"),
        (".hidden/inner.rs", b"hit\n"),
        (".shown.txt", b"hit\n"),
        (".shown/inner.txt", b"hit\n"),
        (".shown/.inner.rs", b"hit\n"),
        ("sub/.late.rs", b"hit\n"),
        ("early.bin", b"\0hit\n"),
        ("quiet.bin", b"miss\0miss\n"),
        ("sub/quiet.bin", b"\0"),
        ("node_modules/a/index.js", b"hit\n"),
        ("node_modules/a/.eslintrc.js", b"hit\n"),
        ("sub/node_modules/b.js", b"hit\n"),
        ("empty/.keep", b""),
    ]);
    tree.write("late.bin", [b"hit\n".to_vec(), b"padding\n".repeat(20_000), b"\0\n".to_vec()].concat());
    tree.write("sixteen.txt", utf16("one\nhit\n", true));
    tree
}

#[test]
fn every_selection_scope_and_order_answers_as_a_scan() {
    let tree = awkward();
    let known = known(list(&tree, &[".git", "node_modules"]), may_hit);
    let mut used = 0;
    let mut asked = 0;
    for scope in
        [".", "src", "src/deep", "sub", ".hidden", ".shown", "build", "node_modules", "node_modules/a"]
    {
        for types in [&[][..], &["rust"], &["txt", "js"]] {
            for (include, exclude) in [
                (&[][..], &[][..]),
                (&["*.rs"], &[]),
                (&[], &["src"]),
                (&[], &["deep", "*.bin"]),
                (&["src/**", "*.txt"], &["sub/*"]),
                (&["**/*"], &["node_modules"]),
            ] {
                for (order, detail) in
                    [(FileOrder::Path, Detail::Matches), (FileOrder::Modified, Detail::Counts)]
                {
                    let mut query = tree.text_query("hit");
                    query.scope = tree.roots.resolve(scope).unwrap();
                    query.selection.file_types = strings(types);
                    (query.selection.include, query.selection.exclude) = (strings(include), strings(exclude));
                    (query.order, query.detail) = (order, detail);
                    used += u32::from(same(&tree, &query, &known));
                    asked += 1;
                }
            }
        }
    }
    assert!(used > asked / 6, "{used} of {asked}");
}

#[test]
fn what_cannot_match_is_not_opened() {
    let tree = Tree::new(&[("a.txt", b"hit\n"), ("b.txt", b"miss\n"), ("c/d.txt", b"miss\n")]);
    let known = known(list(&tree, &[]), may_hit);
    // Nobody tells of these changes, so whoever finds them has opened the files.
    tree.write("b.txt", "hit\n");
    tree.write("c/d.txt", "hit\n");
    let answer = narrowed(&tree, &tree.text_query("hit"), &known).value;
    assert_eq!(shown(&answer), ["a.txt"]);
    assert_eq!((answer.stats.files_searched, answer.stats.used_index), (3, true));
    assert!(known.asked.load(Ordering::Relaxed));
    assert!(!tree.search(&tree.text_query("hit")).unwrap().value.stats.used_index);
}

#[test]
fn a_list_is_not_used_for_what_it_was_not_made_for() {
    let tree = awkward();
    let known = known(list(&tree, &[".git"]), |_, _| false);
    let used = |change: &dyn Fn(&mut TextQuery)| {
        let mut query = tree.text_query("hit");
        change(&mut query);
        narrowed(&tree, &query, &known).value.stats.used_index
    };
    assert!(used(&|_| {}));
    assert!(used(&|query| query.scope = tree.roots.resolve("sub").unwrap()));
    assert!(!used(&|query| query.selection.hidden = true));
    assert!(!used(&|query| query.selection.no_ignore = true));
    assert!(
        !used(&|query| query.scope = tree.roots.resolve("src/main.rs").unwrap()),
        "a file is simply searched"
    );
    assert!(!used(&|query| query.scope = tree.roots.resolve("build").unwrap()), "nothing ignored is listed");
    let elsewhere = FileList::new(tree.path().join("src"), vec![tree.path().join("src/main.rs")]);
    let elsewhere = self::known(elsewhere, |_, _| false);
    assert!(!narrowed(&tree, &tree.text_query("hit"), &elsewhere).value.stats.used_index);
}

#[test]
fn a_list_with_everything_hidden_serves_searches_for_it() {
    let tree = awkward();
    let known = known(list(&tree, &[]).with_all_hidden(), may_hit);
    for types in [&[][..], &["rust"]] {
        let mut query = tree.text_query("hit");
        query.selection.hidden = true;
        query.selection.file_types = strings(types);
        assert!(same(&tree, &query, &known));
    }
}

#[test]
fn pages_of_a_narrowed_search_are_those_of_a_scan() {
    let tree = Tree::new(&[]);
    for n in 0..60_u64 {
        tree.write(
            &format!("{}/{n}", ["a", "a.b", "a-b"][n as usize % 3]),
            "x\nhit\n".repeat(n as usize % 4),
        );
    }
    let known = known(list(&tree, &[]), may_hit);
    for order in [FileOrder::Path, FileOrder::Modified] {
        for size in [1, 7, 44, 45] {
            let mut query = tree.text_query("hit");
            (query.order, query.files_per_page, query.matches_per_file) = (order, size, 2);
            loop {
                assert!(same(&tree, &query, &known));
                let page = narrowed(&tree, &query, &known).value;
                if page.remaining == 0 {
                    break;
                }
                let last = page.files.last().unwrap();
                query.after = After {
                    path: Some(last.file_path.clone()),
                    modified_ns: last.modified.map(orienteer_search::modified_ns),
                    matches: 0,
                };
            }
        }
    }
}

#[test]
fn broken_rules_above_the_scope_are_told_as_in_a_scan() {
    let tree = Tree::new(&[
        (".git/HEAD", b""),
        (".gitignore", b"a{b\n"),
        ("sub/.gitignore", b"c{d\n"),
        ("sub/a.txt", b"hit\n"),
        ("sub/cache/b.txt", b"hit\n"),
        ("sub/c.txt", b"miss\n"),
    ]);
    let known = known(list(&tree, &["cache"]), may_hit);
    let mut told = Vec::new();
    for scope in [".", "sub"] {
        let mut query = tree.text_query("hit");
        query.scope = tree.roots.resolve(scope).unwrap();
        assert!(same(&tree, &query, &known));
        told.push(narrowed(&tree, &query, &known).value.skipped_count);
    }
    assert_eq!(told, [0, 1]);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_named_as_in_a_scan() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(&[
        ("a.txt", b"hit\n"),
        ("b.txt", b"miss\n"),
        ("locked/b.txt", b"hit\n"),
        ("secret.txt", b"hit\n"),
    ]);
    let lock = |path: &str, mode| {
        std::fs::set_permissions(tree.path().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    lock("locked", 0o000);
    lock("secret.txt", 0o000);
    let known = known(list(&tree, &[]), |path, _| path != tree.path().join("b.txt"));
    assert!(same(&tree, &tree.text_query("hit"), &known));
    lock("locked", 0o755);
}

/// A file of a random tree: where it is and what it says.
fn files() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    let folder = prop::sample::select(vec!["", "a/", "a/b/", ".h/", "a/.h/", "cache/", "a/cache/c/", "b/"]);
    let name = prop::sample::select(vec!["x.rs", "y.txt", ".z.rs", ".gitignore", ".ignore", "w"]);
    let rule =
        prop::sample::select(vec!["a/", "/b", "*.rs", "!.h", "!.z.rs", "!*.rs", "cache", "b/*", ".*", "!.*"]);
    let text = prop::sample::select(vec!["hit\n", "miss\n", "\0hit\n", "miss\0\n", "hit\nhit\n", ""]);
    let content = (prop::collection::vec(rule, 0..3), text);
    let file = (folder, name, content).prop_map(|(folder, name, (rules, text))| {
        let content = if name.ends_with("ignore") { rules.join("\n") } else { text.to_owned() };
        (format!("{folder}{name}"), content.into_bytes())
    });
    prop::collection::vec(file, 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn random_trees_answer_as_a_scan(
        files in files(),
        repository in any::<bool>(),
        scope in prop::sample::select(vec![".", "a", "a/b", ".h", "a/.h", "cache", "b"]),
        types in prop::sample::select(vec![&[][..], &["rust"], &["txt"]]),
        exclude in prop::sample::select(vec![&[][..], &["b"], &["*.txt"], &["a/*"]]),
        more in any::<u64>(),
    ) {
        let tree = Tree::new(&[]);
        for (path, content) in &files {
            tree.write(path, content);
        }
        if repository {
            tree.write(".git/HEAD", "hit\n");
        }
        let mut query = tree.text_query("hit");
        query.scope = tree.roots.resolve(scope).unwrap_or_else(|_| tree.roots.workspace_path());
        query.selection.file_types = strings(types);
        query.selection.exclude = strings(exclude);
        let open = |path: &Path, bytes: &[u8]| {
            may_hit(path, bytes) || more.rotate_left(path.as_os_str().len() as u32) & 1 == 1
        };
        same(&tree, &query, &known(list(&tree, &[".git", "cache"]), open));
    }
}
