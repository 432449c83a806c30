//! All pages together are the whole.

use orienteer_base::listing::{FileMatches, Match};
use orienteer_base::question::{After, Detail, FileOrder};
use orienteer_search::modified_ns;
use proptest::prelude::*;

use crate::support::Tree;

fn forest() -> Tree {
    let tree = Tree::new(&[]);
    for n in 0..60_u64 {
        let name = format!("{}/{}{}", ["a", "a.b", "a-b", "z/y"][n as usize % 4], n % 9, n);
        tree.write(&name, "x\nhit\n".repeat(n as usize % 4));
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000 + n % 10);
        std::fs::File::options()
            .write(true)
            .open(tree.path().join(name))
            .unwrap()
            .set_modified(time)
            .unwrap();
    }
    tree
}

#[test]
fn pages_of_files_concatenate_to_the_whole() {
    let tree = forest();
    for order in [FileOrder::Path, FileOrder::Modified] {
        for detail in [Detail::Matches, Detail::Counts, Detail::FilesOnly] {
            let mut query = tree.text_query("hit");
            (query.order, query.detail) = (order, detail);
            let whole = tree.search(&query).unwrap().value;
            assert_eq!(whole.files.len(), 45);
            for size in [1, 2, 7, 44, 45, 46] {
                query.files_per_page = size;
                query.after = After::default();
                let mut all: Vec<FileMatches> = Vec::new();
                loop {
                    let page = tree.search(&query).unwrap().value;
                    assert!(page.files.len() <= size);
                    assert_eq!(page.stats.files_matched, 45);
                    all.extend(page.files);
                    assert_eq!(page.remaining as usize, 45 - all.len());
                    if page.remaining == 0 {
                        break;
                    }
                    query.after = after_file(all.last().unwrap(), order);
                }
                assert_eq!(all, whole.files, "{order:?} {detail:?} {size}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn pages_inside_a_file_concatenate_to_the_whole(
        lines in prop::collection::vec(prop_oneof![Just("hit\n"), Just("x\n"), Just("hit hit\r\n")], 0..80),
        size in 1_usize..20,
        context in 0_usize..4,
    ) {
        let tree = Tree::new(&[("f", lines.concat().as_bytes())]);
        let mut query = tree.text_query("hit");
        query.scope = tree.roots.resolve("f").unwrap();
        query.context_lines = context;
        let whole: Vec<Match> =
            tree.search(&query).unwrap().value.files.into_iter().flat_map(|file| file.matches).collect();
        query.matches_per_file = size;
        let mut all = Vec::new();
        loop {
            let page = tree.search(&query).unwrap().value;
            all.extend(page.files.into_iter().flat_map(|file| file.matches));
            prop_assert_eq!(page.remaining as usize, whole.len() - all.len());
            if page.remaining == 0 {
                break;
            }
            query.after.matches = all.len() as u64;
        }
        prop_assert_eq!(all, whole);
    }
}

/// Where the next page starts when `last` is the last file of this one.
fn after_file(last: &FileMatches, order: FileOrder) -> After {
    After {
        path: Some(last.file_path.clone()),
        modified_ns: match order {
            FileOrder::Path => None,
            FileOrder::Modified => Some(last.modified.map_or(0, modified_ns)),
        },
        matches: 0,
    }
}
