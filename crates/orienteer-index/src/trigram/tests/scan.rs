//! On this workspace's own sources: a search narrowed by trigrams answers as a scan does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;
use orienteer_base::listing::{Matches, SearchStats};
use orienteer_base::question::{After, Case, Detail, FileOrder, Selection, TextQuery};
use orienteer_base::{Answer, Cancel, Conceal, Roots};
use orienteer_search::text::narrow::{FileList, Narrow, Narrowed};
use orienteer_search::{search_text, search_text_narrowed};

use crate::trigram::{Builder, Content, Coverage, Plan, Trigrams};

#[derive(Debug)]
struct Index {
    trigrams: Trigrams,
    list: Arc<FileList>,
    coverage: Coverage,
}

impl Index {
    fn of(root: &Path, folder: &Path) -> Self {
        let mut walk = WalkBuilder::new(root);
        walk.hidden(false).filter_entry(|entry| entry.file_name() != ".git").current_dir(root);
        let is_file = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
        let files = walk.build().flatten().filter(is_file).map(ignore::DirEntry::into_path).collect();
        let list = FileList::new(root, files);
        let builder = Builder::new(folder);
        let mut collector = builder.collector();
        let mut known = Vec::new();
        for (id, file) in (0..).zip(list.files()) {
            let bytes = std::fs::read(file).unwrap();
            collector.add(id, &bytes).unwrap();
            // Some files count as changed since.
            known.push((id % 10 != 3).then(|| (id, Content::of(&bytes))));
        }
        collector.finish().unwrap();
        let path = folder.join("trigrams-1.bin");
        builder.finish(&path, &Cancel::new()).unwrap();
        let trigrams = Trigrams::open(&path).unwrap();
        let coverage = Coverage::new(&trigrams, known);
        Self { trigrams, list: Arc::new(list), coverage }
    }
}

impl Narrow for Index {
    fn narrow(&self, query: &TextQuery, cancel: &Cancel) -> Option<Narrowed> {
        let candidates = self.trigrams.candidates(&Plan::of(query), cancel).ok()?;
        let narrowing = self.coverage.narrow(&candidates)?;
        Some(Narrowed { list: self.list.clone(), open: narrowing.open, binary: narrowing.binary })
    }
}

fn query(roots: &Roots, pattern: &str) -> TextQuery {
    TextQuery {
        pattern: pattern.to_owned(),
        scope: roots.workspace_path(),
        fixed_string: false,
        case: Case::Sensitive,
        whole_word: false,
        multiline: false,
        selection: Selection::default(),
        detail: Detail::Matches,
        context_lines: 0,
        matches_per_file: 50,
        files_per_page: 100,
        order: FileOrder::Path,
        after: After::default(),
        conceal: Conceal::default(),
    }
}

fn comparable(answer: Answer<Matches>) -> String {
    let Answer { value: Matches { stats, files, remaining, skipped, .. }, completeness, .. } = answer;
    let stats = SearchStats { elapsed: std::time::Duration::ZERO, used_index: false, ..stats };
    format!("{stats:?} {remaining} {skipped:?} {completeness:?} {files:?}")
}

#[test]
fn a_narrowed_search_answers_as_a_scan() {
    let folder = tempfile::tempdir().unwrap();
    let crates: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("orienteer-base");
    let roots = Roots::new(&crates, &[]).unwrap();
    let index = Arc::new(Index::of(roots.workspace(), folder.path()));
    let (mut used, mut asked) = (0, 0);
    let patterns = [
        "RootedPath",
        r"fn \w+_path",
        "(?i)symlink",
        "canonicalize|read_link",
        "impl .* for Problem",
        r"\bpub\b",
        "unwrap_or_else",
        ".",
        "^}$",
        r"[a-z]{30,}",
        "never to be found",
        "größe",
        r"(?s)pub fn.{0,40}\n.{0,40}self",
        r"Some\((\w+)\)",
        "É",
        "struct (Roots|Cancel)",
        r"\d{4,}",
        "x{3}",
    ];
    for pattern in patterns {
        for case in [Case::Smart, Case::Sensitive, Case::Insensitive] {
            for (fixed_string, whole_word, multiline) in
                [(false, false, false), (true, false, false), (false, true, false), (false, false, true)]
            {
                let mut query = query(&roots, pattern);
                (query.case, query.fixed_string) = (case, fixed_string);
                (query.whole_word, query.multiline) = (whole_word, multiline);
                let cancel = Cancel::new();
                let scanned = search_text(&roots, &query, &cancel);
                let narrowed = search_text_narrowed(&roots, &query, Some(index.clone()), &cancel);
                match (scanned, narrowed) {
                    (Ok(scanned), Ok(narrowed)) => {
                        used += usize::from(narrowed.value.stats.used_index);
                        assert_eq!(comparable(narrowed), comparable(scanned), "{query:?}");
                    }
                    (scanned, narrowed) => assert!(scanned.is_err() && narrowed.is_err(), "{query:?}"),
                }
                asked += 1;
            }
        }
    }
    assert!(used > asked / 2, "{used} of {asked}");
}
