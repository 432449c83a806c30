//! What trees and finding promise.

use std::time::{Duration, SystemTime};

use orienteer_base::listing::Listing;
use orienteer_base::question::{EntryOrder, EntryType, FindQuery, TreeQuery};
use orienteer_base::{Cancel, Completeness, Reason};
use orienteer_search::{find_files, list_tree};

use crate::support::Tree;

fn sample() -> Tree {
    let tree = Tree::new(&[
        (".git/HEAD", b"x"),
        (".gitignore", b"target/\n"),
        ("target/out.rs", b"1234567"),
        ("src/main.rs", b"12345"),
        ("src/lib.rs", b"123"),
        ("src/deep/Other.RS", b"1"),
        ("src.txt", b"12"),
        ("README.md", b"1234"),
        (".env", b"secret"),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("src", tree.path().join("link")).unwrap();
    tree
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.entries.iter().map(|entry| entry.path.as_str()).collect()
}

fn list(tree: &Tree, query: &TreeQuery) -> Listing {
    list_tree(&tree.roots, query, &Cancel::new()).unwrap().value
}

fn find(tree: &Tree, change: impl FnOnce(&mut FindQuery)) -> Vec<String> {
    let mut query = tree.find_query();
    change(&mut query);
    let found = find_files(&tree.roots, &query, &Cancel::new()).unwrap().value;
    names(&found).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_tree_is_listed_in_order_to_its_depth() {
    let tree = sample();
    let one = list(&tree, &tree.tree_query(1));
    assert_eq!(names(&one), ["README.md", "link", "src", "src.txt"]);
    assert_eq!((one.files, one.directories, one.total_count, one.bytes), (2, 1, 4, 6));
    assert_eq!(one.entries[1].entry_type, EntryType::Symlink);
    let all = list(&tree, &tree.tree_query(9));
    assert_eq!(
        names(&all),
        ["README.md", "link", "src", "src/deep", "src/deep/Other.RS", "src/lib.rs", "src/main.rs", "src.txt"]
    );
    let mut query = tree.tree_query(1);
    (query.hidden, query.no_ignore) = (true, true);
    assert_eq!(
        names(&list(&tree, &query)),
        [".env", ".git", ".gitignore", "README.md", "link", "src", "src.txt", "target"]
    );
}

#[test]
fn a_tree_is_filtered_sorted_and_paged() {
    let tree = sample();
    let mut query = tree.tree_query(9);
    query.files_only = true;
    query.order = EntryOrder::Size;
    assert_eq!(
        names(&list(&tree, &query)),
        ["src/main.rs", "README.md", "src/lib.rs", "src.txt", "src/deep/Other.RS"]
    );
    query.order = EntryOrder::Extension;
    assert_eq!(
        names(&list(&tree, &query)),
        ["README.md", "src/deep/Other.RS", "src/lib.rs", "src/main.rs", "src.txt"]
    );
    query.order = EntryOrder::Name;
    query.extensions = vec![".rs".to_owned()];
    assert_eq!(names(&list(&tree, &query)), ["src/deep/Other.RS", "src/lib.rs", "src/main.rs"]);
    query.extensions.clear();
    query.pattern = Some("MAIN".to_owned());
    assert_eq!(names(&list(&tree, &query)), ["src/main.rs"]);
    query.pattern = Some("src/*.rs".to_owned());
    assert_eq!(names(&list(&tree, &query)), ["src/lib.rs", "src/main.rs"]);
    query.pattern = None;
    (query.entries_per_page, query.skip) = (2, 2);
    let answer = list_tree(&tree.roots, &query, &Cancel::new()).unwrap();
    assert_eq!(names(&answer.value), ["src/lib.rs", "src/main.rs"]);
    assert_eq!((answer.value.total_count, answer.value.files), (5, 5));
    assert_eq!(answer.completeness, Completeness::partial(Reason::Capped));
    query.skip = 4;
    let answer = list_tree(&tree.roots, &query, &Cancel::new()).unwrap();
    assert_eq!((names(&answer.value), answer.completeness), (vec!["src.txt"], Completeness::Complete));
    query.directories_only = true;
    assert_eq!(list_tree(&tree.roots, &query, &Cancel::new()).unwrap_err().field, Some("directories_only"));
    query = tree.tree_query(1);
    query.folder = tree.roots.resolve("src.txt").unwrap();
    assert_eq!(list_tree(&tree.roots, &query, &Cancel::new()).unwrap_err().detail, Some("not_a_directory"));
}

#[test]
fn files_are_found_by_name_type_and_depth() {
    let tree = sample();
    let globs = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect::<Vec<_>>();
    assert_eq!(find(&tree, |query| query.names = globs(&["*.rs"])), ["src/lib.rs", "src/main.rs"]);
    assert_eq!(
        find(&tree, |query| (query.names, query.case_sensitive) = (globs(&["*.rs"]), false)),
        ["src/deep/Other.RS", "src/lib.rs", "src/main.rs"]
    );
    assert_eq!(
        find(&tree, |query| query.names = globs(&["src/*.rs", "README*"])),
        ["README.md", "src/lib.rs", "src/main.rs"]
    );
    assert_eq!(find(&tree, |query| query.entry_type = Some(EntryType::Directory)), ["src", "src/deep"]);
    assert_eq!(find(&tree, |query| query.entry_type = Some(EntryType::Symlink)), ["link"]);
    assert_eq!(find(&tree, |query| query.min_depth = 3), ["src/deep/Other.RS"]);
    assert_eq!(find(&tree, |query| query.max_depth = 1), ["README.md", "link", "src", "src.txt"]);
    assert_eq!(
        find(&tree, |query| (query.names, query.exclude_dirs) = (globs(&["*.*"]), globs(&["src"]))),
        ["README.md", "src.txt"]
    );
    assert_eq!(
        find(&tree, |query| (query.names, query.no_ignore) = (globs(&["out.rs"]), true)),
        ["target/out.rs"]
    );
    let mut query = tree.find_query();
    query.names = globs(&["["]);
    assert_eq!(find_files(&tree.roots, &query, &Cancel::new()).unwrap_err().field, Some("names"));
}

#[test]
fn files_are_found_by_size_and_time() {
    let tree = sample();
    assert_eq!(find(&tree, |query| query.size_greater = Some(3)), ["README.md", "src/main.rs"]);
    assert_eq!(find(&tree, |query| query.size_less = Some(2)), ["src/deep/Other.RS"]);
    let old = SystemTime::now() - Duration::from_secs(1_000_000);
    std::fs::File::options()
        .write(true)
        .open(tree.path().join("src.txt"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    let bound = SystemTime::now() - Duration::from_secs(1_000);
    assert_eq!(find(&tree, |query| query.modified_before = Some(bound)), ["src.txt"]);
    assert!(!find(&tree, |query| query.modified_after = Some(bound)).contains(&"src.txt".to_owned()));
    let by_time =
        find(&tree, |query| (query.order, query.entry_type) = (EntryOrder::Time, Some(EntryType::File)));
    assert_eq!(by_time.last().unwrap(), "src.txt");
}

#[cfg(unix)]
#[test]
fn files_are_found_by_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let tree = sample();
    for (path, mode) in [("src.txt", 0o640), ("README.md", 0o755), ("src/lib.rs", 0o444)] {
        std::fs::set_permissions(tree.path().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let files = |change: fn(&mut FindQuery)| {
        find(&tree, |query| {
            query.entry_type = Some(EntryType::File);
            change(query);
        })
    };
    assert_eq!(files(|query| query.permissions = Some(0o640)), ["src.txt"]);
    assert_eq!(files(|query| query.executable = Some(true)), ["README.md"]);
    assert_eq!(files(|query| query.writable = Some(false)), ["src/lib.rs"]);
    assert!(files(|query| query.readable = Some(false)).is_empty());
}

#[test]
fn pages_of_found_files_concatenate() {
    let tree = Tree::new(&[]);
    for n in 0..100 {
        tree.write(&format!("{}/{n}.txt", n % 3), vec![b'x'; n % 10]);
    }
    for order in [EntryOrder::Name, EntryOrder::Size, EntryOrder::Time, EntryOrder::Extension] {
        let whole = find(&tree, |query| query.order = order);
        assert_eq!(whole.len(), 103);
        for size in [1, 10, 33, 200] {
            let mut all = Vec::new();
            while all.len() < 103 {
                let skip = all.len();
                all.extend(find(&tree, |query| {
                    (query.order, query.files_per_page, query.skip) = (order, size, skip);
                }));
            }
            assert_eq!(all, whole);
        }
    }
}
